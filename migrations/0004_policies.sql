-- The memory policy of each agent, as it was given.
CREATE TABLE policies (
  tenant TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  policy TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (tenant, agent_id)
) WITHOUT ROWID;

-- Memories under a namespace, newest last.
CREATE INDEX memories_by_namespace ON memories (tenant, scope, timestamp)
  WHERE scope >= 'namespace:' AND scope < 'namespace;';
