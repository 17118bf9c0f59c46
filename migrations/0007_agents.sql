-- The phase of a session, and the agents and projects that sessions name, for lists.

-- `planning`, `implementation`, `debugging` or `review`. NULL: none is given.
ALTER TABLE sessions ADD COLUMN phase TEXT;

CREATE INDEX sessions_by_agent ON sessions (tenant, agent_id, created_at) WHERE agent_id IS NOT NULL;
CREATE INDEX sessions_by_project ON sessions (tenant, project_id, created_at) WHERE project_id IS NOT NULL;
