-- Fewer rows for each write: every row and every index row that is written is billed.

-- The embedding backlog has one key and no further index. `seq` begins with the time in microseconds, so that it orders
-- the entries of a kind and is not used again after the backlog was empty. An id that is queued again gets a second
-- entry; the indexer removes all entries of an id up to the one that it worked on. The default serves an earlier version
-- of the service that still writes while this one is being deployed.
CREATE TABLE vector_queue_by_key (
  tenant TEXT NOT NULL,
  kind TEXT NOT NULL,
  seq INTEGER NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000 AS INTEGER) * 1000 + abs(random() % 1000)),
  id TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  -- Milliseconds since 1970: not before then.
  due_at INTEGER NOT NULL DEFAULT 0,
  -- Set when the index has taken it and does not show it yet: what to ask for.
  visible_after TEXT,
  PRIMARY KEY (tenant, kind, seq)
) WITHOUT ROWID;
INSERT INTO vector_queue_by_key (tenant, kind, seq, id, attempts, due_at, visible_after)
  SELECT tenant, kind, seq, id, attempts, due_at, visible_after FROM vector_queue;
DROP TABLE vector_queue;
ALTER TABLE vector_queue_by_key RENAME TO vector_queue;

-- The operation that created a memory, so that a repeated one is recognised without a row of its own. NULL if it is
-- recorded in `operations`. It is not part of the read model and is not restored by a rebuild of lost rows.
ALTER TABLE memories ADD COLUMN op TEXT;

-- Content has an id of its own only from its second generation on, or after it was changed in place. Any other memory is
-- found by its id.
DROP INDEX memories_by_identity;
CREATE INDEX memories_by_identity ON memories (tenant, identity) WHERE id <> identity;
