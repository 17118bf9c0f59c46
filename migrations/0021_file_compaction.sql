-- Compaction of the SQLite files of a local service, noted apart from that of the text indexes.
-- The values of `requested` up to which the file of this database, and those of the Durable Objects, are compacted.
ALTER TABLE compaction ADD COLUMN database_done INTEGER NOT NULL DEFAULT 0;
ALTER TABLE compaction ADD COLUMN objects_done INTEGER NOT NULL DEFAULT 0;
-- Deletions that concern the files of sessions alone, such as that of a context key.
ALTER TABLE compaction ADD COLUMN sessions_requested INTEGER NOT NULL DEFAULT 0;
ALTER TABLE compaction ADD COLUMN sessions_done INTEGER NOT NULL DEFAULT 0;
-- Pages are no longer overwritten with rows of zeros.
ALTER TABLE compaction DROP COLUMN peak_bytes;
DROP TABLE filler;
