-- Items: what providers keep outside a session's object, key by key. Canonical here: no other store has them.

CREATE TABLE items (
  -- As in `memories`: a tenant is a range.
  seq INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,
  -- Provider and owner: `d1/session:…`, `vector/index:…`.
  collection TEXT NOT NULL,
  key TEXT NOT NULL,
  -- JSON.
  value TEXT NOT NULL,
  -- What is found of it: the value as it reads, and the key's words.
  text TEXT NOT NULL,
  -- Whose own it is, and with whom it is erased; NULL in a collection that sessions share.
  session_id TEXT,
  -- Its id in the vector index; NULL where words alone find it.
  vector_id TEXT,
  updated_at TEXT NOT NULL
);
CREATE UNIQUE INDEX items_by_key ON items (tenant, collection, key);
CREATE UNIQUE INDEX items_by_vector ON items (tenant, vector_id) WHERE vector_id IS NOT NULL;
CREATE INDEX items_by_session ON items (tenant, session_id) WHERE session_id IS NOT NULL;

-- `scope` holds one opaque token for the collection, so that a search reads only its own collection's items.
CREATE VIRTUAL TABLE items_fts USING fts5 (
  scope, text,
  content = '', contentless_delete = 1, tokenize = 'porter unicode61'
);
INSERT INTO items_fts (items_fts, rank) VALUES ('rank', 'bm25(0.0, 1.0)');
