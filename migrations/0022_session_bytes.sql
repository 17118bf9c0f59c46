-- The bytes that the object of each session stores, which it reports when they have changed much. They count in the
-- tenant's bytes. A session of an earlier version reports them with its next change.
ALTER TABLE sessions ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;

CREATE TRIGGER session_bytes_counted AFTER UPDATE OF bytes ON sessions BEGIN
  UPDATE tenant_usage SET bytes = bytes + NEW.bytes - OLD.bytes WHERE tenant = NEW.tenant;
END;
CREATE TRIGGER session_bytes_uncounted AFTER DELETE ON sessions WHEN OLD.bytes > 0 BEGIN
  UPDATE tenant_usage SET bytes = bytes - OLD.bytes WHERE tenant = OLD.tenant;
END;
