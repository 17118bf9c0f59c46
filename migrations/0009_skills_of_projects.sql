-- Skills of projects, skills that consolidation proposes, and episodes without a project.

CREATE INDEX live_skills_by_time ON memories (tenant, timestamp, id) WHERE type = 'skill' AND live = 1;

-- The default project has the episodes without a project.
CREATE INDEX episodes_without_project ON episodes (tenant, live, timestamp, id) WHERE project_id IS NULL;

-- A skill that a strong pattern suggests. It is no skill until it is accepted; a decision stays, so that the pattern
-- suggests it once.
CREATE TABLE skill_proposals (
  tenant TEXT NOT NULL,
  project_id TEXT NOT NULL,
  slug TEXT NOT NULL,
  -- The memory of the pattern.
  pattern_id TEXT NOT NULL,
  -- The skill as Markdown.
  body TEXT NOT NULL,
  -- proposed, accepted or dismissed.
  status TEXT NOT NULL,
  created_at TEXT NOT NULL,
  decided_at TEXT,
  PRIMARY KEY (tenant, project_id, slug)
) WITHOUT ROWID;
CREATE UNIQUE INDEX skill_proposals_by_pattern ON skill_proposals (tenant, pattern_id);
CREATE INDEX skill_proposals_by_time ON skill_proposals (tenant, status, created_at, pattern_id);
