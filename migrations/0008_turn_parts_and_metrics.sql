-- Turns in parts, and metrics.

-- The parts of a turn that is longer than a memory share its id.
CREATE INDEX memories_by_turn ON memories (tenant, properties ->> '$.entryTurn[0]')
  WHERE properties ->> '$.entryTurn[0]' IS NOT NULL;

-- The attempts at a task, in order: a later one is a retry.
CREATE INDEX episodes_by_task ON episodes (tenant, task_id, timestamp, id) WHERE task_id IS NOT NULL;

-- Calls of prime, counted by day, project and agent; '' for none.
CREATE TABLE briefing_counts (
  tenant TEXT NOT NULL,
  -- The date in UTC.
  day TEXT NOT NULL,
  project_id TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  calls INTEGER NOT NULL,
  -- Calls that returned at least one pattern.
  with_patterns INTEGER NOT NULL,
  -- Patterns that were returned, each as often as it was.
  patterns INTEGER NOT NULL,
  tokens_used INTEGER NOT NULL,
  tokens_saved INTEGER NOT NULL,
  PRIMARY KEY (tenant, day, project_id, agent_id)
) WITHOUT ROWID;
