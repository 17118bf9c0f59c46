-- Recall by meaning, and over messages. Nothing here is canonical: messages belong to their session's object, and
-- vectors are made of what is stored.

-- The messages of every session, as its object sends them.
CREATE TABLE messages (
  -- As in `memories`: a tenant is a range.
  seq INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,
  session_id TEXT NOT NULL,
  -- The place in the session's order.
  position INTEGER NOT NULL,
  id TEXT NOT NULL,
  -- Its id in the vector index: a message's own id is unique in its session only.
  vector_id TEXT NOT NULL,
  role TEXT NOT NULL,
  name TEXT,
  content TEXT NOT NULL,
  timestamp TEXT NOT NULL,
  agent_id TEXT,
  project_id TEXT
);
CREATE UNIQUE INDEX messages_by_position ON messages (tenant, session_id, position);
CREATE UNIQUE INDEX messages_by_vector ON messages (tenant, vector_id);
CREATE INDEX messages_by_time ON messages (tenant, timestamp);
CREATE INDEX messages_by_agent ON messages (tenant, agent_id, timestamp) WHERE agent_id IS NOT NULL;
CREATE INDEX messages_by_project ON messages (tenant, project_id, timestamp) WHERE project_id IS NOT NULL;

-- A short message says little without its neighbours, so it is found by their words too: the one before, the one
-- after, those two away and those three away. Fillers in `scope` soften how much longer rows are marked down.
CREATE VIRTUAL TABLE messages_fts USING fts5 (
  scope, content, who, date, before, after, near, far,
  content = '', contentless_delete = 1, tokenize = 'porter unicode61'
);
INSERT INTO messages_fts (messages_fts, rank) VALUES ('rank', 'bm25(0.0, 1.0, 0.5, 0.5, 0.7, 0.5, 0.4, 0.2)');

-- What the vector index does not show as it is now. An entry that is made again gets a new `seq`: whoever worked
-- on the older state does not take the newer one off the list.
CREATE TABLE vector_queue (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant TEXT NOT NULL,
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  -- Milliseconds since 1970: not before then.
  due_at INTEGER NOT NULL DEFAULT 0,
  -- Set when the index has taken it and does not show it yet: what to ask for.
  visible_after TEXT
);
CREATE UNIQUE INDEX vector_queue_by_id ON vector_queue (tenant, kind, id);
CREATE INDEX vector_queue_by_seq ON vector_queue (tenant, kind, seq);
CREATE INDEX vector_queue_by_due ON vector_queue (tenant, kind, due_at);

-- What the vectors were made with: vectors of two embedders are never compared.
CREATE TABLE vector_state (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  embedder TEXT NOT NULL,
  dimensions INTEGER NOT NULL,
  -- 'embedded' or 'vectorize': where they are.
  index_name TEXT NOT NULL,
  -- While everything is being embedded anew: how far that is, as JSON. NULL when nothing is under way.
  progress TEXT
);

INSERT INTO vector_queue (tenant, kind, id) SELECT tenant, 'memory', id FROM memories;
