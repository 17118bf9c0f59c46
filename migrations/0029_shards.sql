-- Tenants on several databases (docs/scaling.md). Every database has all tables of this schema.

-- The directory, in the database `DB` alone: the database that has a tenant, and how often the tenant has moved. A tenant
-- without a row has always been in `DB`.
CREATE TABLE tenant_shards (
  tenant TEXT PRIMARY KEY,
  shard TEXT NOT NULL,
  epoch INTEGER NOT NULL
) WITHOUT ROWID;

-- Moves that are not finished, in `DB` alone.
CREATE TABLE tenant_moves (
  tenant TEXT PRIMARY KEY,
  source TEXT NOT NULL,
  target TEXT NOT NULL,
  -- The epoch that begins with the move.
  epoch INTEGER NOT NULL,
  -- The step that is next, and how far it is, as JSON.
  step TEXT NOT NULL,
  position TEXT,
  copied INTEGER NOT NULL,
  started_at TEXT NOT NULL,
  -- Milliseconds since 1970: until then the move belongs to the one who runs it.
  leased_until INTEGER NOT NULL
) WITHOUT ROWID;

-- What this database knows about a tenant that has moved, or is moving, in or out. A batch for a tenant checks it.
CREATE TABLE placements (
  tenant TEXT PRIMARY KEY,
  epoch INTEGER NOT NULL,
  -- `open`; `fenced` while the last changes are copied away: reads only; `moved`: the tenant is elsewhere; `receiving`: not
  -- here yet.
  state TEXT NOT NULL,
  -- Of the run that copies to here: a run that was overtaken writes nothing.
  run TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;

-- Rows of a moving tenant that have changed since the copy began, by table and key. Triggers fill it during a move.
CREATE TABLE moving_rows (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant TEXT NOT NULL,
  name TEXT NOT NULL,
  key TEXT NOT NULL
);

-- `INSERT INTO placement_assertion SELECT <condition>` aborts a batch for a tenant that is not, or no longer, here.
CREATE VIEW placement_assertion AS SELECT 1 AS holds;
CREATE TRIGGER placement_assertion_fails INSTEAD OF INSERT ON placement_assertion WHEN NOT NEW.holds
BEGIN
  SELECT RAISE(ABORT, 'placement changed');
END;
