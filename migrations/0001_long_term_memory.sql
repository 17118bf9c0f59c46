-- Long-term memory. `triples` is the truth; `memories` and `memories_fts` are the read model of it, written in
-- the same batch and rebuilt from it alone by `npm run rebuild`.

CREATE TABLE triples (
  id INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,
  subject TEXT NOT NULL,
  predicate TEXT NOT NULL,
  object TEXT NOT NULL,
  -- '' when the object is an IRI, else the literal's datatype.
  datatype TEXT NOT NULL DEFAULT '',
  -- A digest of a long object, so that no index repeats whole texts.
  digest TEXT,
  object_key TEXT NOT NULL GENERATED ALWAYS AS (coalesce(digest, object)) VIRTUAL
);
-- By subject, and the guarantee that a triple stands once.
CREATE UNIQUE INDEX triples_by_subject ON triples (tenant, subject, predicate, object_key);
-- By object, and by predicate + object.
CREATE INDEX triples_by_object ON triples (tenant, object_key, predicate);

-- Each tenant has a number, and its memories' `seq` begin with it: number * 2^33 + a running count. So a tenant
-- is a range of rows, and a search in it reads no other tenant's postings.
CREATE TABLE tenants (
  tenant TEXT PRIMARY KEY,
  number INTEGER NOT NULL UNIQUE
) WITHOUT ROWID;

CREATE TABLE memories (
  seq INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,
  id TEXT NOT NULL,
  -- The id of this content's first life: every later life of the same content shares it.
  identity TEXT NOT NULL,
  type TEXT NOT NULL,
  content TEXT NOT NULL,
  confidence REAL NOT NULL,
  importance REAL NOT NULL,
  source_type TEXT NOT NULL,
  rationale TEXT,
  -- Where the memory belongs: `session:…`, `agent:…` or `project:…`.
  scope TEXT NOT NULL,
  session_id TEXT,
  agent_id TEXT,
  project_id TEXT,
  topic_key TEXT,
  timestamp TEXT NOT NULL,
  valid_from TEXT,
  valid_until TEXT,
  superseded_by TEXT,
  invalidated_by TEXT,
  forgotten_at TEXT,
  forget_reason TEXT,
  -- 1 while it is neither superseded nor invalidated nor forgotten. A plain column, because an index on a
  -- generated one never covers a query.
  live INTEGER NOT NULL,
  access_count INTEGER NOT NULL,
  last_accessed TEXT NOT NULL,
  evidence TEXT NOT NULL,
  properties TEXT NOT NULL
);
CREATE UNIQUE INDEX memories_by_id ON memories (tenant, id);
CREATE INDEX memories_by_identity ON memories (tenant, identity);
CREATE INDEX memories_by_time ON memories (tenant, timestamp, id);
CREATE INDEX memories_by_session ON memories (tenant, session_id, live, timestamp) WHERE session_id IS NOT NULL;
CREATE INDEX memories_by_agent ON memories (tenant, agent_id, timestamp) WHERE agent_id IS NOT NULL;
CREATE INDEX memories_by_project ON memories (tenant, project_id, timestamp) WHERE project_id IS NOT NULL;
CREATE INDEX memories_by_topic ON memories (tenant, scope, topic_key) WHERE topic_key IS NOT NULL;
CREATE INDEX memories_by_successor ON memories (tenant, superseded_by) WHERE superseded_by IS NOT NULL;

-- `scope` holds one opaque token per session, agent and project, so that a search scores only its own scope's
-- memories. It has no weight in the ranking. The text itself is not stored a second time.
CREATE VIRTUAL TABLE memories_fts USING fts5 (
  scope, content, rationale,
  content = '', contentless_delete = 1, tokenize = 'porter unicode61'
);
INSERT INTO memories_fts (memories_fts, rank) VALUES ('rank', 'bm25(0.0, 1.0, 0.3)');

-- The registry of sessions, for lists; each session's own object is the authority.
CREATE TABLE sessions (
  tenant TEXT NOT NULL,
  id TEXT NOT NULL,
  status TEXT NOT NULL,
  agent_id TEXT,
  project_id TEXT,
  continues TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  ended_at TEXT,
  -- Raised by the object with every change: a late retry never overwrites a newer state.
  version INTEGER NOT NULL,
  PRIMARY KEY (tenant, id)
) WITHOUT ROWID;
CREATE INDEX sessions_by_time ON sessions (tenant, created_at, id);
CREATE INDEX sessions_by_activity ON sessions (status, updated_at);

-- What has been applied, with its answer: makes a retried commit a no-op, and holds idempotency keys.
CREATE TABLE operations (
  tenant TEXT NOT NULL,
  op TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  response TEXT NOT NULL,
  -- 1 when the answer quotes what was stored: an erasure takes these answers along.
  quotes INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  PRIMARY KEY (tenant, op)
) WITHOUT ROWID;
CREATE INDEX operations_that_quote ON operations (tenant) WHERE quotes = 1;
CREATE INDEX operations_by_time ON operations (created_at);

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  tenant TEXT NOT NULL,
  name TEXT,
  hash TEXT NOT NULL UNIQUE,
  scopes TEXT NOT NULL,
  created_at TEXT NOT NULL,
  expires_at TEXT
) WITHOUT ROWID;

-- `INSERT INTO assertion SELECT <condition>` aborts the whole batch when the condition does not hold:
-- D1 has no transactions in which a program could look before it writes.
CREATE VIEW assertion AS SELECT 1 AS holds;
CREATE TRIGGER assertion_fails INSTEAD OF INSERT ON assertion WHEN NOT NEW.holds
BEGIN
  SELECT RAISE(ABORT, 'assertion failed');
END;
