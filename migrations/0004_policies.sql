-- The memory policy of each agent, as it was given.
CREATE TABLE policies (
  tenant TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  policy TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (tenant, agent_id)
) WITHOUT ROWID;

-- Memories under a namespace, newest last. Not as a range of scopes: SQLite would search by that range instead of by
-- the one scope that is asked for.
CREATE INDEX memories_by_namespace ON memories (tenant, scope, timestamp, id)
  WHERE substr(scope, 1, 10) = 'namespace:';
