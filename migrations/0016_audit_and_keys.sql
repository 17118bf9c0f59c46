-- Keys: who made each one, and when it was last used. The audit log.

-- The id of the key that made it, or `admin`. NULL for keys of earlier versions.
ALTER TABLE api_keys ADD COLUMN created_by TEXT;
-- Written at most every few minutes: an approximate time.
ALTER TABLE api_keys ADD COLUMN last_used_at TEXT;

-- What was done or refused, by which key, to what. Never content.
CREATE TABLE audit_log (
  id INTEGER PRIMARY KEY,
  -- '' for calls that concern all tenants.
  tenant TEXT NOT NULL,
  at TEXT NOT NULL,
  action TEXT NOT NULL,
  key_id TEXT NOT NULL,
  target TEXT,
  -- `unknown` while a call runs, and for ever if the service stops in the middle of it.
  outcome TEXT NOT NULL,
  -- The error code of a call that was refused or failed, else ''.
  code TEXT NOT NULL,
  request_id TEXT NOT NULL,
  -- The number of calls. A refused one is counted in the record of its minute, so that nobody can fill the log.
  count INTEGER NOT NULL,
  -- NULL for the record of a single call.
  minute TEXT
);
CREATE INDEX audit_log_by_time ON audit_log (tenant, at, id);
CREATE UNIQUE INDEX audit_log_by_minute ON audit_log (tenant, minute, key_id, action, outcome, code)
  WHERE minute IS NOT NULL;

-- A record gets its outcome once, and a count only rises. Nothing else changes before its retention ends.
CREATE TRIGGER audit_log_is_append_only BEFORE UPDATE ON audit_log
WHEN NOT (
  NEW.id = OLD.id AND NEW.tenant = OLD.tenant AND NEW.at = OLD.at AND NEW.action = OLD.action
  AND NEW.key_id = OLD.key_id AND NEW.request_id = OLD.request_id AND NEW.minute IS OLD.minute
  AND (
    (OLD.outcome = 'unknown' AND NEW.count = OLD.count)
    OR (
      OLD.minute IS NOT NULL AND NEW.count > OLD.count AND NEW.outcome = OLD.outcome AND NEW.code = OLD.code
      AND NEW.target IS OLD.target
    )
  )
)
BEGIN
  SELECT RAISE(ABORT, 'the audit log is append-only');
END;
