-- Compaction of the SQLite files of a local service, which is requested and done apart from that of the text indexes.
-- The value of `requested` up to which the files are free of erased text.
ALTER TABLE compaction ADD COLUMN files_done INTEGER NOT NULL DEFAULT 0;
-- The same for deletions that concern the files of Durable Objects alone.
ALTER TABLE compaction ADD COLUMN objects_requested INTEGER NOT NULL DEFAULT 0;
ALTER TABLE compaction ADD COLUMN objects_done INTEGER NOT NULL DEFAULT 0;
-- Pages are no longer overwritten with rows of zeros.
ALTER TABLE compaction DROP COLUMN peak_bytes;
DROP TABLE filler;
