-- Episodes: the read model of their triples, written in the same batch and rebuilt from them, as `memories` is.
CREATE TABLE episodes (
  -- As in `memories`: a tenant is a range.
  seq INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,
  id TEXT NOT NULL,
  -- Its id in the vector index: an episode's own id is unique in its tenant only.
  vector_id TEXT NOT NULL,
  project_id TEXT,
  agent_id TEXT,
  task_id TEXT,
  timestamp TEXT NOT NULL,
  duration_seconds REAL,
  phase TEXT,
  goal TEXT NOT NULL,
  outcome TEXT NOT NULL,
  importance REAL NOT NULL,
  tokens_used INTEGER,
  -- JSON: constraints, files, actions, errors, artifacts.
  trace TEXT NOT NULL,
  -- In place of the actions, once they are no longer kept.
  summary TEXT,
  usage_count INTEGER NOT NULL,
  last_used TEXT,
  decayed_at TEXT,
  archived_at TEXT,
  -- 0 once it is archived: then it is read by its id alone.
  live INTEGER NOT NULL
);
CREATE UNIQUE INDEX episodes_by_id ON episodes (tenant, id);
CREATE UNIQUE INDEX episodes_by_vector ON episodes (tenant, vector_id);
CREATE INDEX episodes_by_time ON episodes (tenant, timestamp, id);
CREATE INDEX episodes_by_agent ON episodes (tenant, agent_id, timestamp, id) WHERE agent_id IS NOT NULL;
CREATE INDEX episodes_by_project ON episodes (tenant, project_id, live, timestamp, id) WHERE project_id IS NOT NULL;

-- The goal, and beside it what was met on the way: errors, files, constraints.
CREATE VIRTUAL TABLE episodes_fts USING fts5 (
  scope, goal, detail,
  content = '', contentless_delete = 1, tokenize = 'porter unicode61'
);
INSERT INTO episodes_fts (episodes_fts, rank) VALUES ('rank', 'bm25(0.0, 1.0, 0.4)');

-- Patterns are memories with a category, learnings are memories with a trigger.
CREATE INDEX memories_with_category ON memories (tenant, timestamp, id)
  WHERE properties ->> '$.category[0]' IS NOT NULL;
CREATE INDEX memories_with_category_by_project ON memories (tenant, project_id, timestamp, id)
  WHERE properties ->> '$.category[0]' IS NOT NULL;
CREATE INDEX memories_with_trigger ON memories (tenant, timestamp, id)
  WHERE properties ->> '$.trigger[0]' IS NOT NULL;
CREATE INDEX memories_with_trigger_by_project ON memories (tenant, project_id, timestamp, id)
  WHERE properties ->> '$.trigger[0]' IS NOT NULL;

-- An agent's checkpoints; the highest version is where it stands.
CREATE TABLE ledgers (
  tenant TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  -- JSON.
  ledger TEXT NOT NULL,
  last_checkpoint TEXT NOT NULL,
  PRIMARY KEY (tenant, agent_id, version)
) WITHOUT ROWID;

CREATE TABLE handoffs (
  tenant TEXT NOT NULL,
  id TEXT NOT NULL,
  project_id TEXT,
  from_agent TEXT NOT NULL,
  to_agent TEXT NOT NULL,
  timestamp TEXT NOT NULL,
  -- JSON.
  context TEXT NOT NULL,
  status TEXT NOT NULL,
  acknowledged_by TEXT,
  acknowledged_at TEXT,
  PRIMARY KEY (tenant, id)
) WITHOUT ROWID;
CREATE INDEX handoffs_by_time ON handoffs (tenant, timestamp, id);
CREATE INDEX handoffs_by_receiver ON handoffs (tenant, to_agent, timestamp, id);
