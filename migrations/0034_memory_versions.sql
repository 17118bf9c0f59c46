-- The past of memories (docs/time.md): a row for each state that a change in place has replaced. What supersedes, forgets
-- or invalidates a memory writes none: the memory's own row says when.
CREATE TABLE memory_versions (
  tenant TEXT NOT NULL,
  memory_id TEXT NOT NULL,
  -- When the state was replaced. It began when the state before it was replaced, or when the memory was stored.
  until TEXT NOT NULL,
  -- The columns of the row (JSON).
  state TEXT NOT NULL,
  -- The triples, each as an array: predicate, key of the object, datatype, graph, text of a long literal.
  triples TEXT NOT NULL,
  PRIMARY KEY (tenant, memory_id, until)
) WITHOUT ROWID;

-- Versions count as stored text.
CREATE TRIGGER memory_versions_counted AFTER INSERT ON memory_versions BEGIN
  UPDATE tenant_usage SET bytes = bytes + length(CAST(NEW.state AS BLOB)) WHERE tenant = NEW.tenant;
END;
CREATE TRIGGER memory_versions_resized AFTER UPDATE OF state ON memory_versions BEGIN
  UPDATE tenant_usage SET bytes = bytes + length(CAST(NEW.state AS BLOB)) - length(CAST(OLD.state AS BLOB))
  WHERE tenant = NEW.tenant;
END;
CREATE TRIGGER memory_versions_uncounted AFTER DELETE ON memory_versions BEGIN
  UPDATE tenant_usage SET bytes = bytes - length(CAST(OLD.state AS BLOB)) WHERE tenant = OLD.tenant;
END;

-- When a memory was superseded, forgotten or invalidated. NULL if it is live, and for what ended in earlier versions. No
-- triple states it: a rebuild keeps it where the row exists.
ALTER TABLE memories ADD COLUMN ended_at TEXT;
