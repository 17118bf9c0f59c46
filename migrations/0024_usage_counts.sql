-- How often memories and episodes were used since this version, and the importance that their use added. Many of them
-- share a row, so that a thousand uses write a few rows: `bucket` is the row number within the tenant divided by 256, and
-- `counts` a JSONB object of [uses, last use, importance or null] by id. The columns of earlier versions (access_count,
-- last_accessed, usage_count, last_used, importance) keep their values, to which these are added on reading: nothing has
-- to be copied, however large the table is.
CREATE TABLE usage_counts (
  seq INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,
  kind TEXT NOT NULL,
  bucket INTEGER NOT NULL,
  counts BLOB NOT NULL
);
CREATE UNIQUE INDEX usage_counts_by_bucket ON usage_counts (tenant, kind, bucket);

-- The last use that each tenant's object has added to them: a flush that is sent again adds nothing.
CREATE TABLE usage_flushes (
  tenant TEXT PRIMARY KEY,
  log TEXT NOT NULL,
  number INTEGER NOT NULL
) WITHOUT ROWID;
