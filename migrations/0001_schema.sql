-- The schema of a D1 database. Every shard has all tables. A release fixes this file: later changes are new migrations
-- (CONTRIBUTING.md, "Stored data"). src/kernel/table-catalogue.ts says of each table whom its rows belong to.

-- ---------------------------------------------------------------------------------------------------------------------
-- Tenants

-- Each tenant has a number, and the `seq` of its rows begins with it: number * 2^33 + a running count. So a tenant is a
-- range of rows, and a text search reads no postings of other tenants.
CREATE TABLE tenants (
  tenant TEXT PRIMARY KEY,
  number INTEGER NOT NULL UNIQUE,
  -- When the indexer last removed entries of the tenant from the embedding backlog, in seconds of the database's own
  -- clock. A search reads the backlog and asks the vector index at the same time: it asks the index again if entries left
  -- the backlog in between.
  indexed_at REAL
) WITHOUT ROWID;

-- What each tenant stores: a quota and GET /v1/usage read one row instead of counting all of them. Triggers count, except
-- new memories and messages: these are written many at a time, and one statement of their batch counts them.
CREATE TABLE tenant_usage (
  tenant TEXT PRIMARY KEY,
  memories INTEGER NOT NULL DEFAULT 0,
  messages INTEGER NOT NULL DEFAULT 0,
  sessions INTEGER NOT NULL DEFAULT 0,
  episodes INTEGER NOT NULL DEFAULT 0,
  -- UTF-8 bytes of the texts of memories with their versions, messages, episodes and items, and of the sessions' objects;
  -- without indexes and triples.
  bytes INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

-- `INSERT INTO assertion SELECT <condition>` aborts the whole batch when the condition does not hold: D1 has no
-- transactions in which a program could look before it writes.
CREATE VIEW assertion AS SELECT 1 AS holds;
CREATE TRIGGER assertion_fails INSTEAD OF INSERT ON assertion WHEN NOT NEW.holds
BEGIN
  SELECT RAISE(ABORT, 'assertion failed');
END;

-- ---------------------------------------------------------------------------------------------------------------------
-- Triples: the truth of long-term memory (docs/triples.md)

CREATE TABLE predicates (
  number INTEGER PRIMARY KEY,
  iri TEXT NOT NULL UNIQUE
);
-- The properties of the ontology; any other predicate gets the next number on its first use. The first seven are looked
-- up by their literals, so the index by object includes them.
INSERT INTO predicates (number, iri) VALUES
  (1, 'jido:graphKey'), (2, 'jido:aboutNode'), (3, 'jido:relationFrom'), (4, 'jido:relationTo'), (5, 'jido:inGraph'),
  (6, 'jido:topicKey'), (7, 'jido:linkRelation'), (8, 'rdf:type'), (9, 'jido:summary'), (10, 'jido:confidenceValue'),
  (11, 'jido:importanceScore'), (12, 'jido:hasSourceType'), (13, 'jido:hasTimestamp'), (14, 'jido:assertedIn'),
  (15, 'jido:assertedBy'), (16, 'jido:concernsUser'), (17, 'jido:appliesToProject'), (18, 'jido:rationale'),
  (19, 'jido:derivedFrom'), (20, 'jido:memoryMetadata'), (21, 'jido:tag'), (22, 'jido:validFrom'),
  (23, 'jido:validUntil'), (24, 'jido:supersededBy'), (25, 'jido:invalidatedBy'), (26, 'jido:forgottenAt'),
  (27, 'jido:forgetReason'), (28, 'jido:accessCount'), (29, 'jido:lastAccessed'), (30, 'jido:hasConfidence'),
  (31, 'jido:detailedExplanation'), (32, 'jido:refines'), (33, 'jido:confirms'), (34, 'jido:contradicts'),
  (35, 'jido:hasEvidenceStrength'), (36, 'jido:hasAlternative'), (37, 'jido:selectedAlternative'),
  (38, 'jido:hasTradeOff'), (39, 'jido:justifiedBy'), (40, 'jido:decisionStatus'), (41, 'jido:impactLevel'),
  (42, 'jido:dependsOn'), (43, 'jido:blockedBy'), (44, 'jido:partOfMilestone'), (45, 'jido:partOfPlan'),
  (46, 'jido:assignedTo'), (47, 'jido:createdBy'), (48, 'jido:hasTaskStatus'), (49, 'jido:taskCreatedAt'),
  (50, 'jido:taskStartedAt'), (51, 'jido:taskCompletedAt'), (52, 'jido:appliesToModule'),
  (53, 'jido:appliesToDomain'), (54, 'jido:governsAgent'), (55, 'jido:hasConventionScope'),
  (56, 'jido:hasEnforcementLevel'), (57, 'jido:conventionName'), (58, 'jido:conventionDescription'),
  (59, 'jido:violationConsequence'), (60, 'jido:hasRootCause'), (61, 'jido:producedLesson'),
  (62, 'jido:relatedError'), (63, 'jido:hasErrorStatus'), (64, 'jido:severityLevel'), (65, 'jido:errorCode'),
  (66, 'jido:continuesSession'), (67, 'jido:hasPreviousSession'), (68, 'jido:hasParticipatingAgent'),
  (69, 'jido:hasPrimaryAgent'), (70, 'jido:hasStatus'), (71, 'jido:hasPhase'), (72, 'jido:startedAt'),
  (73, 'jido:endedAt'), (74, 'jido:spawnedSubAgent'), (75, 'jido:reportsTo'), (76, 'jido:hasRole'),
  (77, 'jido:hasCapability'), (78, 'jido:agentName'), (79, 'jido:agentVersion'), (80, 'jido:agentDescription'),
  (81, 'jido:hasRepository'), (82, 'jido:hasModule'), (83, 'jido:hasDomain'), (84, 'jido:partOfProject'),
  (85, 'jido:repoUrl'), (86, 'jido:repoBranch'), (87, 'jido:projectName'), (88, 'jido:projectVersion'),
  (89, 'jido:projectDescription'), (90, 'jido:definedInFile'), (91, 'jido:partOfModule'), (92, 'jido:implementsDSL'),
  (93, 'jido:emitsEvent'), (94, 'jido:handledByProjection'), (95, 'jido:moduleName'), (96, 'jido:filePath'),
  (97, 'jido:codeSummary'), (98, 'jido:supersedes'), (99, 'jido:belongsTo'), (100, 'jido:relatedTo'),
  (101, 'jido:elaborates'), (102, 'jido:exampleOf'), (103, 'jido:refersTo'), (104, 'jido:appliesToFile'),
  (105, 'jido:supports'), (106, 'jido:linkFrom'), (107, 'jido:linkTo'), (108, 'jido:hasOutcome'),
  (109, 'jido:performedBy'), (110, 'jido:decayedAt'), (111, 'jido:namespace'), (112, 'jido:entrySource'),
  (113, 'jido:entryMetadata'), (114, 'jido:entryLasting'), (115, 'jido:entryTurn'), (116, 'jido:entryPart'),
  (117, 'jido:nodeName'), (118, 'jido:nodeType'), (119, 'jido:nodeCopy'), (120, 'jido:relationType'),
  (121, 'jido:linkStrength'), (122, 'jido:linkedAt'), (123, 'jido:resolution'), (124, 'jido:resolutionReason'),
  (125, 'jido:resolvedAt'), (126, 'jido:goal'), (127, 'jido:occurredAt'), (128, 'jido:durationSeconds'),
  (129, 'jido:episodePhase'), (130, 'jido:tokensUsed'), (131, 'jido:taskReference'), (132, 'jido:episodeTrace'),
  (133, 'jido:episodeSummary'), (134, 'jido:archivedAt'), (135, 'jido:category'), (136, 'jido:condition'),
  (137, 'jido:correctApproach'), (138, 'jido:incorrectApproach'), (139, 'jido:theme'), (140, 'jido:trigger'),
  (141, 'jido:cause'), (142, 'jido:fix'), (143, 'jido:prevention'), (144, 'jido:occurrences'),
  (145, 'jido:lastSeen'), (146, 'jido:skillName'), (147, 'jido:skillBody'), (148, 'rdfs:label'),
  (149, 'rdfs:comment');

-- Clustered by subject, with one index, of resources: cheap to write.
CREATE TABLE statements (
  tenant TEXT NOT NULL,
  subject TEXT NOT NULL,
  predicate INTEGER NOT NULL,
  -- The object: an IRI, a literal, or the digest of a long literal.
  key TEXT NOT NULL,
  -- '' when the object is an IRI, else the literal's datatype, or '@' and its language.
  datatype TEXT NOT NULL,
  -- '' is the default graph.
  graph TEXT NOT NULL DEFAULT '',
  -- The text of a literal whose key is a digest.
  literal TEXT,
  -- The order in which the triples of a subject were written. It is not unique.
  position INTEGER NOT NULL,
  -- The value of a numeric literal, and of a date in seconds, so that they compare as such.
  number REAL GENERATED ALWAYS AS (CASE
    WHEN datatype IN ('xsd:integer', 'xsd:decimal', 'xsd:double', 'xsd:float', 'xsd:nonNegativeInteger')
      THEN iif(key GLOB '*[0-9]*' AND key NOT GLOB '*[^-+.0-9eE]*', CAST(key AS REAL), NULL)
    WHEN datatype IN ('xsd:dateTime', 'xsd:date') THEN iif(key GLOB '[0-9]*', unixepoch(key, 'subsec'), NULL)
  END) VIRTUAL,
  PRIMARY KEY (tenant, subject, predicate, key, datatype, graph)
) WITHOUT ROWID;
-- It covers the view. Otherwise SQLite, which has no statistics, prefers all statements of the tenant.
CREATE INDEX statements_by_object ON statements (tenant, key, predicate, literal, position)
  WHERE datatype = '' OR predicate < 8;

-- The statements with compact IRIs in place of numbers. The service reads and writes this view. The casts give the columns
-- an affinity, without which SQLite reads the whole view for every join.
CREATE VIEW triples AS
SELECT stored.tenant, stored.subject, p.iri AS predicate, CAST(coalesce(stored.literal, stored.key) AS TEXT) AS object, stored.datatype, stored.graph,
  stored.key AS object_key, stored.predicate AS predicate_number, stored.position,
  CAST(iif(stored.literal IS NULL, NULL, stored.key) AS TEXT) AS digest
FROM statements stored JOIN predicates p ON p.number = stored.predicate;

CREATE TRIGGER triples_insert INSTEAD OF INSERT ON triples
BEGIN
  INSERT INTO predicates (iri) SELECT NEW.predicate WHERE NOT EXISTS (SELECT 1 FROM predicates WHERE iri = NEW.predicate);
  INSERT INTO statements (tenant, subject, predicate, key, datatype, graph, literal, position)
  SELECT NEW.tenant, NEW.subject, (SELECT number FROM predicates WHERE iri = NEW.predicate),
    iif(NEW.datatype = '', NEW.object, coalesce(NEW.digest, NEW.object)), coalesce(NEW.datatype, ''), coalesce(NEW.graph, ''),
    iif(NEW.datatype <> '' AND NEW.digest IS NOT NULL, NEW.object, NULL),
    coalesce(NEW.position, (SELECT 1 + max(position) FROM statements WHERE tenant = NEW.tenant AND subject = NEW.subject), 0)
  WHERE true ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER triples_delete INSTEAD OF DELETE ON triples
BEGIN
  DELETE FROM statements WHERE tenant = OLD.tenant AND subject = OLD.subject AND predicate = OLD.predicate_number
    AND key = OLD.object_key AND datatype = OLD.datatype AND graph = OLD.graph;
END;

CREATE TRIGGER triples_update INSTEAD OF UPDATE ON triples
BEGIN
  UPDATE statements SET key = iif(NEW.datatype = '', NEW.object, coalesce(NEW.digest, NEW.object)), datatype = NEW.datatype,
    literal = iif(NEW.datatype <> '' AND NEW.digest IS NOT NULL, NEW.object, NULL)
  WHERE tenant = OLD.tenant AND subject = OLD.subject AND predicate = OLD.predicate_number
    AND key = OLD.object_key AND datatype = OLD.datatype AND graph = OLD.graph;
END;

-- ---------------------------------------------------------------------------------------------------------------------
-- Memories: a read model of the triples, written in the same batch and rebuilt from them by `npm run rebuild`
--
-- SQLite, which has no statistics here, prefers the index that was created last among equally good ones: their order is
-- part of the schema.

CREATE TABLE memories (
  seq INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,
  id TEXT NOT NULL,
  -- The id of this content's first generation, which every later generation of the same content shares.
  identity TEXT NOT NULL,
  type TEXT NOT NULL,
  content TEXT NOT NULL,
  rationale TEXT,
  confidence REAL NOT NULL,
  importance REAL NOT NULL,
  source_type TEXT NOT NULL,
  -- Where the memory belongs: `session:…`, `agent:…`, `project:…`, `user:…` or `namespace:…`.
  scope TEXT NOT NULL,
  session_id TEXT,
  user_id TEXT,
  agent_id TEXT,
  project_id TEXT,
  topic_key TEXT,
  -- Within which a topic key is unique. A key that the caller gives is unique in the memory's scope, or for its user; a key
  -- derived from the content for the memory's owner, so that a later session can supersede it.
  topic_scope TEXT,
  timestamp TEXT NOT NULL,
  -- When it was stored, if that was not about its timestamp: a promotion stores what was said before.
  recorded_at TEXT,
  valid_from TEXT,
  valid_until TEXT,
  superseded_by TEXT,
  invalidated_by TEXT,
  forgotten_at TEXT,
  forget_reason TEXT,
  -- When it was superseded, forgotten or invalidated; NULL while it is live.
  ended_at TEXT,
  -- 1 while it is neither superseded nor invalidated nor forgotten. A plain column, because an index on a generated one
  -- never covers a query.
  live INTEGER NOT NULL,
  -- The values at the time of writing, to which those of `usage_counts` are added on reading.
  access_count INTEGER NOT NULL,
  last_accessed TEXT NOT NULL,
  -- JSON: lists of references, of property values, an object, and a sorted list.
  evidence TEXT NOT NULL,
  properties TEXT NOT NULL,
  metadata TEXT NOT NULL DEFAULT '{}',
  tags TEXT NOT NULL DEFAULT '[]',
  -- The operation that created it, so that a repeated one is recognised without a row of its own. NULL if it is recorded
  -- in `operations`.
  op TEXT,
  -- JSON: the kind of work that stored it, the key of the call, the importance with its parts, the model.
  -- No triple states recorded_at, ended_at, op and activity: a rebuild keeps them where the row exists.
  activity TEXT
);
CREATE UNIQUE INDEX memories_by_id ON memories (tenant, id);
CREATE INDEX memories_by_time ON memories (tenant, timestamp, id);
CREATE INDEX memories_by_session ON memories (tenant, session_id, live, timestamp) WHERE session_id IS NOT NULL;
CREATE INDEX memories_by_agent ON memories (tenant, agent_id, timestamp) WHERE agent_id IS NOT NULL;
CREATE INDEX memories_by_project ON memories (tenant, project_id, timestamp) WHERE project_id IS NOT NULL;
CREATE INDEX memories_by_successor ON memories (tenant, superseded_by) WHERE superseded_by IS NOT NULL;
-- Not a range of scopes: SQLite would search by that range instead of by the one scope that is asked for.
CREATE INDEX memories_by_namespace ON memories (tenant, scope, timestamp, id)
  WHERE substr(scope, 1, 10) = 'namespace:';
-- Patterns are memories with a category, learnings are memories with a trigger.
CREATE INDEX memories_with_category ON memories (tenant, timestamp, id)
  WHERE properties ->> '$.category[0]' IS NOT NULL;
CREATE INDEX memories_with_category_by_project ON memories (tenant, project_id, timestamp, id)
  WHERE properties ->> '$.category[0]' IS NOT NULL;
CREATE INDEX memories_with_trigger ON memories (tenant, timestamp, id)
  WHERE properties ->> '$.trigger[0]' IS NOT NULL;
CREATE INDEX memories_with_trigger_by_project ON memories (tenant, project_id, timestamp, id)
  WHERE properties ->> '$.trigger[0]' IS NOT NULL;
CREATE INDEX memories_by_topic ON memories (tenant, topic_scope, topic_key) WHERE topic_key IS NOT NULL;
-- `live` comes before the time, so that live memories are counted and listed from the index alone.
CREATE INDEX memories_by_user ON memories (tenant, user_id, live, timestamp, id) WHERE user_id IS NOT NULL;
-- The parts of a turn that is longer than a memory share its id.
CREATE INDEX memories_by_turn ON memories (tenant, properties ->> '$.entryTurn[0]')
  WHERE properties ->> '$.entryTurn[0]' IS NOT NULL;
CREATE INDEX live_skills_by_time ON memories (tenant, timestamp, id) WHERE type = 'skill' AND live = 1;
-- Content has an identity apart from its id only from its second generation on, or after it was changed in place.
CREATE INDEX memories_by_identity ON memories (tenant, identity) WHERE id <> identity;

CREATE TRIGGER memories_resized AFTER UPDATE OF content, rationale, evidence, properties, metadata, tags ON memories BEGIN
  UPDATE tenant_usage SET bytes = bytes
    + length(CAST(NEW.content || coalesce(NEW.rationale, '') || NEW.evidence || NEW.properties || NEW.metadata || NEW.tags AS BLOB))
    - length(CAST(OLD.content || coalesce(OLD.rationale, '') || OLD.evidence || OLD.properties || OLD.metadata || OLD.tags AS BLOB))
  WHERE tenant = NEW.tenant;
END;
CREATE TRIGGER memories_uncounted AFTER DELETE ON memories BEGIN
  UPDATE tenant_usage SET memories = memories - 1, bytes = bytes
    - length(CAST(OLD.content || coalesce(OLD.rationale, '') || OLD.evidence || OLD.properties || OLD.metadata || OLD.tags AS BLOB))
  WHERE tenant = OLD.tenant;
END;

-- `scope` holds one opaque token per session, agent and project, so that a search scores only memories of its own scope. It
-- has no weight in the ranking. `rationale` has all words around a memory: its rationale, its date, who it is by, and the
-- text that it follows. The texts themselves are not stored a second time.
CREATE VIRTUAL TABLE memories_fts USING fts5 (
  scope, content, rationale,
  content = '', contentless_delete = 1, tokenize = 'porter unicode61'
);
INSERT INTO memories_fts (memories_fts, rank) VALUES ('rank', 'bm25(0.0, 1.0, 0.5)');

-- The past of memories (docs/time.md): a row for each state that a change in place has replaced. A memory that is
-- superseded, forgotten or invalidated has none for it: its own row says when.
CREATE TABLE memory_versions (
  tenant TEXT NOT NULL,
  memory_id TEXT NOT NULL,
  -- When the state was replaced. It began when the state before it was replaced, or when the memory was stored.
  until TEXT NOT NULL,
  -- The columns of the row (JSON).
  state TEXT NOT NULL,
  -- The triples, each as an array: predicate, key of the object, datatype, graph, text of a long literal.
  triples TEXT NOT NULL,
  PRIMARY KEY (tenant, memory_id, until)
) WITHOUT ROWID;

CREATE TRIGGER memory_versions_counted AFTER INSERT ON memory_versions BEGIN
  UPDATE tenant_usage SET bytes = bytes + length(CAST(NEW.state AS BLOB)) WHERE tenant = NEW.tenant;
END;
CREATE TRIGGER memory_versions_resized AFTER UPDATE OF state ON memory_versions BEGIN
  UPDATE tenant_usage SET bytes = bytes + length(CAST(NEW.state AS BLOB)) - length(CAST(OLD.state AS BLOB))
  WHERE tenant = NEW.tenant;
END;
CREATE TRIGGER memory_versions_uncounted AFTER DELETE ON memory_versions BEGIN
  UPDATE tenant_usage SET bytes = bytes - length(CAST(OLD.state AS BLOB)) WHERE tenant = OLD.tenant;
END;

-- How often memories and episodes were used, and the importance that their use added. Many of them share a row, so that a
-- thousand uses write a few rows: `bucket` is the row number within the tenant divided by 256, and `counts` a JSONB object
-- of [uses, last use, importance or null] by id.
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

-- ---------------------------------------------------------------------------------------------------------------------
-- Sessions and messages: copies for lists and recall; each session's own object is the authority

CREATE TABLE sessions (
  tenant TEXT NOT NULL,
  id TEXT NOT NULL,
  status TEXT NOT NULL,
  -- The person whom the session serves. Messages, memories and episodes inherit it.
  user_id TEXT,
  agent_id TEXT,
  project_id TEXT,
  continues TEXT,
  -- The widest scope of the session's model: `session`, `user`, `agent`, `project` or `tenant`. NULL: its default.
  reach TEXT,
  -- `planning`, `implementation`, `debugging` or `review`. NULL: none is given.
  phase TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  ended_at TEXT,
  -- Raised by the object with every change: a late retry never overwrites a newer state.
  version INTEGER NOT NULL,
  -- The bytes that its object stores, which it reports when they have changed much. They count in the tenant's bytes.
  bytes INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant, id)
) WITHOUT ROWID;
CREATE INDEX sessions_by_time ON sessions (tenant, created_at, id);
CREATE INDEX sessions_by_activity ON sessions (status, updated_at);
CREATE INDEX sessions_by_user ON sessions (tenant, user_id, created_at) WHERE user_id IS NOT NULL;
CREATE INDEX sessions_by_agent ON sessions (tenant, agent_id, created_at) WHERE agent_id IS NOT NULL;
CREATE INDEX sessions_by_project ON sessions (tenant, project_id, created_at) WHERE project_id IS NOT NULL;

CREATE TRIGGER sessions_counted AFTER INSERT ON sessions BEGIN
  INSERT INTO tenant_usage (tenant, sessions) VALUES (NEW.tenant, 1)
  ON CONFLICT (tenant) DO UPDATE SET sessions = sessions + 1;
END;
CREATE TRIGGER sessions_uncounted AFTER DELETE ON sessions BEGIN
  UPDATE tenant_usage SET sessions = sessions - 1 WHERE tenant = OLD.tenant;
END;
CREATE TRIGGER session_bytes_counted AFTER UPDATE OF bytes ON sessions BEGIN
  UPDATE tenant_usage SET bytes = bytes + NEW.bytes - OLD.bytes WHERE tenant = NEW.tenant;
END;
CREATE TRIGGER session_bytes_uncounted AFTER DELETE ON sessions WHEN OLD.bytes > 0 BEGIN
  UPDATE tenant_usage SET bytes = bytes - OLD.bytes WHERE tenant = OLD.tenant;
END;

CREATE TABLE messages (
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
  user_id TEXT,
  agent_id TEXT,
  project_id TEXT,
  -- 1 when a memory extracted from the message no longer holds: a default recall leaves it out.
  outdated INTEGER NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX messages_by_position ON messages (tenant, session_id, position);
CREATE UNIQUE INDEX messages_by_vector ON messages (tenant, vector_id);
CREATE INDEX messages_by_time ON messages (tenant, timestamp);
CREATE INDEX messages_by_agent ON messages (tenant, agent_id, timestamp) WHERE agent_id IS NOT NULL;
CREATE INDEX messages_by_project ON messages (tenant, project_id, timestamp) WHERE project_id IS NOT NULL;
CREATE INDEX messages_by_user ON messages (tenant, user_id, timestamp) WHERE user_id IS NOT NULL;
-- Evidence names messages by their id: their source bounds the rank of memories that rest on them.
CREATE INDEX messages_by_id ON messages (tenant, id);

-- The content of a message never changes.
CREATE TRIGGER messages_uncounted AFTER DELETE ON messages BEGIN
  UPDATE tenant_usage SET messages = messages - 1, bytes = bytes - length(CAST(OLD.content AS BLOB))
  WHERE tenant = OLD.tenant;
END;

-- A short message says little without its neighbours, so it is also found by their words: the one before, the one after,
-- those two away and those three away. Fillers in `scope` soften how much longer rows are marked down.
CREATE VIRTUAL TABLE messages_fts USING fts5 (
  scope, content, who, date, before, after, near, far,
  content = '', contentless_delete = 1, tokenize = 'porter unicode61'
);
INSERT INTO messages_fts (messages_fts, rank) VALUES ('rank', 'bm25(0.0, 1.0, 0.5, 0.5, 0.7, 0.5, 0.4, 0.2)');

-- ---------------------------------------------------------------------------------------------------------------------
-- Items: what providers store outside a session's object, key by key. No other store has them.

CREATE TABLE items (
  seq INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,
  -- Provider and owner: `d1/session:…`, `vector/index:…`.
  collection TEXT NOT NULL,
  key TEXT NOT NULL,
  -- JSON.
  value TEXT NOT NULL,
  -- What is searched: the value as it reads, and the key's words.
  text TEXT NOT NULL,
  -- The session that owns it and with which it is erased; NULL in a collection that sessions share.
  session_id TEXT,
  -- Its id in the vector index; NULL if it is searched by text alone.
  vector_id TEXT,
  -- An embedding that the caller gives in place of one of the text: base64 of 32-bit floats, of length 1.
  embedding TEXT,
  -- The embedder whose vectors it is compared with: under another one the text is embedded.
  embedder TEXT,
  updated_at TEXT NOT NULL
);
CREATE UNIQUE INDEX items_by_key ON items (tenant, collection, key);
CREATE UNIQUE INDEX items_by_vector ON items (tenant, vector_id) WHERE vector_id IS NOT NULL;
CREATE INDEX items_by_session ON items (tenant, session_id) WHERE session_id IS NOT NULL;

CREATE TRIGGER items_counted AFTER INSERT ON items BEGIN
  INSERT INTO tenant_usage (tenant, bytes) VALUES (NEW.tenant, length(CAST(NEW.value AS BLOB)))
  ON CONFLICT (tenant) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER items_resized AFTER UPDATE OF value ON items BEGIN
  UPDATE tenant_usage SET bytes = bytes + length(CAST(NEW.value AS BLOB)) - length(CAST(OLD.value AS BLOB))
  WHERE tenant = NEW.tenant;
END;
CREATE TRIGGER items_uncounted AFTER DELETE ON items BEGIN
  UPDATE tenant_usage SET bytes = bytes - length(CAST(OLD.value AS BLOB)) WHERE tenant = OLD.tenant;
END;

-- `scope` holds one opaque token for the collection, so that a search reads only items of its own collection.
CREATE VIRTUAL TABLE items_fts USING fts5 (
  scope, text,
  content = '', contentless_delete = 1, tokenize = 'porter unicode61'
);
INSERT INTO items_fts (items_fts, rank) VALUES ('rank', 'bm25(0.0, 1.0)');

-- ---------------------------------------------------------------------------------------------------------------------
-- Experience: episodes, skills, checkpoints and handoffs

-- A read model of the triples, as `memories` is.
CREATE TABLE episodes (
  seq INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,
  id TEXT NOT NULL,
  -- Its id in the vector index: an episode's own id is unique in its tenant only.
  vector_id TEXT NOT NULL,
  user_id TEXT,
  agent_id TEXT,
  project_id TEXT,
  -- The attempts at a task share it: a later one is a retry.
  task_id TEXT,
  timestamp TEXT NOT NULL,
  duration_seconds REAL,
  phase TEXT,
  goal TEXT NOT NULL,
  outcome TEXT NOT NULL,
  importance REAL NOT NULL,
  tokens_used INTEGER,
  -- JSON: constraints, files, actions, errors, artifacts.
  trace TEXT NOT NULL,
  -- In place of the actions, once they are no longer kept.
  summary TEXT,
  -- As in `memories`.
  usage_count INTEGER NOT NULL,
  last_used TEXT,
  decayed_at TEXT,
  archived_at TEXT,
  -- 0 once it is archived: then it is read by its id alone.
  live INTEGER NOT NULL
);
CREATE UNIQUE INDEX episodes_by_id ON episodes (tenant, id);
CREATE UNIQUE INDEX episodes_by_vector ON episodes (tenant, vector_id);
CREATE INDEX episodes_by_time ON episodes (tenant, timestamp, id);
CREATE INDEX episodes_by_agent ON episodes (tenant, agent_id, timestamp, id) WHERE agent_id IS NOT NULL;
CREATE INDEX episodes_by_project ON episodes (tenant, project_id, live, timestamp, id) WHERE project_id IS NOT NULL;
CREATE INDEX episodes_by_user ON episodes (tenant, user_id, timestamp, id) WHERE user_id IS NOT NULL;
CREATE INDEX episodes_by_task ON episodes (tenant, task_id, timestamp, id) WHERE task_id IS NOT NULL;
-- The default project has the episodes without a project.
CREATE INDEX episodes_without_project ON episodes (tenant, live, timestamp, id) WHERE project_id IS NULL;

CREATE TRIGGER episodes_counted AFTER INSERT ON episodes BEGIN
  INSERT INTO tenant_usage (tenant, episodes, bytes)
  VALUES (NEW.tenant, 1, length(CAST(NEW.goal || NEW.trace || coalesce(NEW.summary, '') AS BLOB)))
  ON CONFLICT (tenant) DO UPDATE SET episodes = episodes + 1, bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER episodes_resized AFTER UPDATE OF goal, trace, summary ON episodes BEGIN
  UPDATE tenant_usage SET bytes = bytes + length(CAST(NEW.goal || NEW.trace || coalesce(NEW.summary, '') AS BLOB))
    - length(CAST(OLD.goal || OLD.trace || coalesce(OLD.summary, '') AS BLOB))
  WHERE tenant = NEW.tenant;
END;
CREATE TRIGGER episodes_uncounted AFTER DELETE ON episodes BEGIN
  UPDATE tenant_usage SET episodes = episodes - 1,
    bytes = bytes - length(CAST(OLD.goal || OLD.trace || coalesce(OLD.summary, '') AS BLOB))
  WHERE tenant = OLD.tenant;
END;

-- `detail` has the errors, files and constraints.
CREATE VIRTUAL TABLE episodes_fts USING fts5 (
  scope, goal, detail,
  content = '', contentless_delete = 1, tokenize = 'porter unicode61'
);
INSERT INTO episodes_fts (episodes_fts, rank) VALUES ('rank', 'bm25(0.0, 1.0, 0.4)');

-- A skill that a strong pattern suggests. It becomes a skill when it is accepted; a decision stays, so that the pattern
-- suggests it once.
CREATE TABLE skill_proposals (
  tenant TEXT NOT NULL,
  project_id TEXT NOT NULL,
  slug TEXT NOT NULL,
  -- The memory of the pattern.
  pattern_id TEXT NOT NULL,
  -- The skill as Markdown.
  body TEXT NOT NULL,
  -- proposed, accepted or dismissed.
  status TEXT NOT NULL,
  created_at TEXT NOT NULL,
  decided_at TEXT,
  PRIMARY KEY (tenant, project_id, slug)
) WITHOUT ROWID;
CREATE UNIQUE INDEX skill_proposals_by_pattern ON skill_proposals (tenant, pattern_id);
CREATE INDEX skill_proposals_by_time ON skill_proposals (tenant, status, created_at, pattern_id);

-- The checkpoints of agents; the highest version is the current one.
CREATE TABLE ledgers (
  tenant TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  -- JSON.
  ledger TEXT NOT NULL,
  last_checkpoint TEXT NOT NULL,
  PRIMARY KEY (tenant, agent_id, version)
) WITHOUT ROWID;

CREATE TABLE handoffs (
  tenant TEXT NOT NULL,
  id TEXT NOT NULL,
  project_id TEXT,
  from_agent TEXT NOT NULL,
  to_agent TEXT NOT NULL,
  timestamp TEXT NOT NULL,
  -- JSON.
  context TEXT NOT NULL,
  status TEXT NOT NULL,
  acknowledged_by TEXT,
  acknowledged_at TEXT,
  PRIMARY KEY (tenant, id)
) WITHOUT ROWID;
CREATE INDEX handoffs_by_time ON handoffs (tenant, timestamp, id);
CREATE INDEX handoffs_by_receiver ON handoffs (tenant, to_agent, timestamp, id);
CREATE INDEX handoffs_by_sender ON handoffs (tenant, from_agent);
CREATE INDEX handoffs_by_project ON handoffs (tenant, project_id) WHERE project_id IS NOT NULL;

-- Calls of prime, counted by day, project and agent; '' for none.
CREATE TABLE briefing_counts (
  tenant TEXT NOT NULL,
  -- The date in UTC.
  day TEXT NOT NULL,
  project_id TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  calls INTEGER NOT NULL,
  -- Calls that returned at least one pattern.
  with_patterns INTEGER NOT NULL,
  -- Patterns that were returned, each as often as it was.
  patterns INTEGER NOT NULL,
  tokens_used INTEGER NOT NULL,
  tokens_saved INTEGER NOT NULL,
  PRIMARY KEY (tenant, day, project_id, agent_id)
) WITHOUT ROWID;

-- ---------------------------------------------------------------------------------------------------------------------
-- Vectors

-- The embedding backlog: rows whose present state the vector index does not show yet. It has one key and no further index,
-- since every index row is billed. `seq` begins with the time in microseconds, so that it orders the entries of a kind and
-- is not used again after the backlog was empty. An id that is queued again gets a second entry; the indexer removes all
-- entries of an id up to the one that it worked on.
CREATE TABLE vector_queue (
  tenant TEXT NOT NULL,
  kind TEXT NOT NULL,
  seq INTEGER NOT NULL,
  id TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  -- Milliseconds since 1970: not before then.
  due_at INTEGER NOT NULL DEFAULT 0,
  -- Set when the index has accepted it and does not show it yet: the token to ask for.
  visible_after TEXT,
  PRIMARY KEY (tenant, kind, seq)
) WITHOUT ROWID;

-- How the vectors were made: vectors of two embedders are never compared.
CREATE TABLE vector_state (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  embedder TEXT NOT NULL,
  dimensions INTEGER NOT NULL,
  -- `embedded` or `vectorize`: where they are.
  index_name TEXT NOT NULL,
  -- How far re-embedding is, as JSON. NULL when none is under way.
  progress TEXT
);

-- ---------------------------------------------------------------------------------------------------------------------
-- Settings of tenants

-- The memory policy of each agent, as it was given (JSON).
CREATE TABLE policies (
  tenant TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  policy TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (tenant, agent_id)
) WITHOUT ROWID;

-- The privacy policies of a tenant and its projects, as JSON: {"tenant": policy, "projects": {id: policy}}.
CREATE TABLE privacy_policies (
  tenant TEXT PRIMARY KEY,
  rules TEXT NOT NULL,
  updated_at TEXT NOT NULL
) WITHOUT ROWID;

-- The terms and shapes that tenants add to the ontology (docs/ontology.md): one row per version of an extension.
CREATE TABLE ontology_extensions (
  tenant TEXT NOT NULL,
  name TEXT NOT NULL,
  version INTEGER NOT NULL,
  turtle TEXT NOT NULL,
  created_at TEXT NOT NULL,
  -- 1 for the version in force. A deleted extension has none.
  current INTEGER NOT NULL,
  PRIMARY KEY (tenant, name, version)
) WITHOUT ROWID;
-- Every call compares these versions with those that it knows.
CREATE INDEX ontology_extensions_current ON ontology_extensions (tenant, name, version) WHERE current = 1;

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

-- The outbox: one row per event and webhook, queued in the batch of the change. No content: types, ids and times.
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

-- ---------------------------------------------------------------------------------------------------------------------
-- Keys, calls and the audit log

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  tenant TEXT NOT NULL,
  name TEXT,
  hash TEXT NOT NULL UNIQUE,
  scopes TEXT NOT NULL,
  -- JSON: the ids that every call of the key is limited to.
  binding TEXT,
  created_at TEXT NOT NULL,
  expires_at TEXT,
  -- The id of the key that made it, or `admin`.
  created_by TEXT,
  -- Written at most every few minutes: an approximate time.
  last_used_at TEXT
) WITHOUT ROWID;

-- Applied operations with their answers: makes a retried commit a no-op, and holds idempotency keys.
CREATE TABLE operations (
  tenant TEXT NOT NULL,
  op TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  response TEXT NOT NULL,
  -- 1 when the answer quotes stored text: an erasure deletes these answers too.
  quotes INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  PRIMARY KEY (tenant, op)
) WITHOUT ROWID;
CREATE INDEX operations_that_quote ON operations (tenant) WHERE quotes = 1;
CREATE INDEX operations_by_time ON operations (created_at);
-- Answers of idempotent calls expire long before the record that an operation was applied.
CREATE INDEX operations_answers_by_time ON operations (created_at) WHERE quotes = 1;

-- Which key did what to what, and which calls were refused. Never content.
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

-- ---------------------------------------------------------------------------------------------------------------------
-- Erasure

-- The sessions whose threads hold a tool result with a memory in it. No content: the memory's id only.
CREATE TABLE quotations (
  tenant TEXT NOT NULL,
  memory_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  PRIMARY KEY (tenant, memory_id, session_id)
) WITHOUT ROWID;
CREATE INDEX quotations_by_session ON quotations (tenant, session_id);

-- Erased memories that a session's object still has to remove. Written in the batch of the erasure, deleted once the
-- object has removed them.
CREATE TABLE redactions (
  id INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,
  session_id TEXT NOT NULL,
  memory_id TEXT NOT NULL,
  -- 1: the memory was stored in this session, so `text` is removed wherever the session holds it. 0: the session only
  -- quotes the memory, and `text` is empty.
  own INTEGER NOT NULL,
  text TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  -- Milliseconds since 1970; 0 is due at once.
  due_at INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX redactions_by_session ON redactions (tenant, session_id);
CREATE INDEX redactions_by_due_time ON redactions (tenant, due_at);

-- Whether words of erased texts may still be in the segments of the text indexes, or in free pages of local files. Every
-- erasure raises `requested`; a compaction sets its column to the value that it began with.
CREATE TABLE compaction (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  requested INTEGER NOT NULL,
  -- The text indexes.
  done INTEGER NOT NULL,
  -- The local file of this database, and those of the Durable Objects.
  database_done INTEGER NOT NULL DEFAULT 0,
  objects_done INTEGER NOT NULL DEFAULT 0,
  -- Deletions that concern the files of sessions alone, such as that of a context key.
  sessions_requested INTEGER NOT NULL DEFAULT 0,
  sessions_done INTEGER NOT NULL DEFAULT 0
);
INSERT INTO compaction (id, requested, done) VALUES (1, 0, 0);

-- ---------------------------------------------------------------------------------------------------------------------
-- Tenants on several databases (docs/scaling.md)

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
  -- Milliseconds since 1970: until then the move belongs to the process that runs it.
  leased_until INTEGER NOT NULL
) WITHOUT ROWID;

-- The state of each tenant that has moved, or is moving, in or out of this database. A batch for a tenant checks it.
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
