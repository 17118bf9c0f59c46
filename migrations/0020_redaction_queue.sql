-- The queue of redactions: which memory was erased, whether the session is its own, and when the next attempt is due. Rows
-- of an earlier version name no memory and hold a text to remove.
ALTER TABLE redactions ADD COLUMN memory_id TEXT;
-- 1: the memory was stored in this session, so `text` is removed wherever the session holds it. 0: the session only quotes
-- the memory, and `text` is empty.
ALTER TABLE redactions ADD COLUMN own INTEGER NOT NULL DEFAULT 1;
ALTER TABLE redactions ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;
-- Milliseconds since 1970; 0 is due at once.
ALTER TABLE redactions ADD COLUMN due_at INTEGER NOT NULL DEFAULT 0;
CREATE INDEX redactions_by_due_time ON redactions (tenant, due_at);
