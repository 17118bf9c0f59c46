-- When the indexer last removed entries of a tenant from the embedding backlog, in seconds of the database's own clock. A
-- search reads the backlog and asks the vector index at the same time: it asks the index again if entries left the
-- backlog in between.
ALTER TABLE tenants ADD COLUMN indexed_at REAL;
