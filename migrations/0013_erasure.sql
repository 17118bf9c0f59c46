-- Erasure of owners, and of text that quotes erased memories.

CREATE INDEX handoffs_by_sender ON handoffs (tenant, from_agent);
CREATE INDEX handoffs_by_project ON handoffs (tenant, project_id) WHERE project_id IS NOT NULL;

-- The sessions whose threads hold a tool result with a memory in it. No content: the memory's id only.
CREATE TABLE quotations (
  tenant TEXT NOT NULL,
  memory_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  PRIMARY KEY (tenant, memory_id, session_id)
) WITHOUT ROWID;
CREATE INDEX quotations_by_session ON quotations (tenant, session_id);

-- Texts of erased memories that a session's object still has to remove. Written in the batch of the erasure, deleted once
-- the object has removed them.
CREATE TABLE redactions (
  id INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,
  session_id TEXT NOT NULL,
  text TEXT NOT NULL
);
CREATE INDEX redactions_by_session ON redactions (tenant, session_id);

-- Compaction: whether words of erased texts may still be in the segments of the text indexes, or in free pages.
CREATE TABLE compaction (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  -- Raised by every erasure; compaction sets `done` to the value that it began with.
  requested INTEGER NOT NULL,
  done INTEGER NOT NULL,
  -- The largest size of the database so far, in bytes: its file is no smaller.
  peak_bytes INTEGER NOT NULL
);
INSERT INTO compaction (id, requested, done, peak_bytes) VALUES (1, 0, 0, 0);

-- Empty but for moments: zeros that are written over free pages.
CREATE TABLE filler (id INTEGER PRIMARY KEY, zeros BLOB NOT NULL);
