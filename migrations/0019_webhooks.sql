-- Webhooks, and the outbox of their deliveries.

CREATE TABLE webhooks (
  tenant TEXT NOT NULL,
  id TEXT NOT NULL,
  url TEXT NOT NULL,
  -- JSON: the types of events that are sent.
  events TEXT NOT NULL,
  -- Signs deliveries, so that it cannot be stored as a hash.
  secret TEXT NOT NULL,
  created_at TEXT NOT NULL,
  -- Since when every attempt has failed.
  failing_since TEXT,
  -- Set when it has failed for days: no further events are queued.
  disabled_at TEXT,
  PRIMARY KEY (tenant, id)
) WITHOUT ROWID;

-- One row per event and webhook, queued in the batch of the change. No content: types, ids and times.
CREATE TABLE webhook_deliveries (
  seq INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,
  webhook_id TEXT NOT NULL,
  -- The event's id, the same in every attempt.
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  subject TEXT NOT NULL,
  -- JSON.
  data TEXT NOT NULL,
  time TEXT NOT NULL,
  -- `pending`, `delivered` or `dead`.
  status TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  -- When the next attempt is due, in milliseconds.
  due_at INTEGER NOT NULL,
  attempted_at TEXT,
  response_status INTEGER,
  error TEXT
);
CREATE UNIQUE INDEX webhook_deliveries_by_id ON webhook_deliveries (tenant, webhook_id, id);
CREATE INDEX webhook_deliveries_by_status ON webhook_deliveries (tenant, webhook_id, status, seq);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (tenant, due_at) WHERE status = 'pending';
