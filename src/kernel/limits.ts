// The limits of the contract, each with its reason. Tuning constants stand beside the code that uses them.

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

export const LIMITS = {
  /** One request body. D1 rows stop at 2 MB; half of that leaves room for derived columns. */
  bodyBytes: 2 ** 20,
  /** One part of an import: a line has at most a space of its largest size. */
  importBytes: 2 ** 21,
  /** Nesting depth of a body: deeper than any agent's data, far below the stack limit. */
  jsonDepth: 100,
  /** Messages per call: a day's conversation, in one transaction. */
  messagesPerCall: 500,
  /** One message, in UTF-8 bytes: longer texts are documents, not messages. */
  messageBytes: 32 * 1024,
  /** A stored answer of an idempotent call, as JSON: of a longer one, its ids, revisions and counts are stored. */
  answerChars: 64 * 1024,
  /** Memories per call of a batch: ten batches of D1. */
  memoriesPerCall: 500,
  /** Tool calls in one answer of a model: they run one after the other, within the time of one request. */
  toolCallsPerAnswer: 64,
  /** Content of a memory, in code points: a statement, not a document. */
  contentChars: 2_000,
  /** The rationale of a memory. */
  rationaleChars: 2_000,
  /** A recall query, in code points. */
  queryChars: 1_000,
  /** A SPARQL query: parsers and planners take time that grows with it. */
  sparqlChars: 64 * 1024,
  /** Graphs that the parameters of a SPARQL query name, and the length of each name. */
  sparqlGraphs: 50,
  sparqlGraphChars: 2_048,
  /** Rows that a model gets from a query: more would fill its context. */
  queryGraphRows: 200,
  /** Evidence references per memory, and the length of each: references, not copies. */
  evidenceItems: 50,
  evidenceChars: 512,
  /** One value of an ontology property. */
  propertyChars: 2_000,
  /** Values of one property of a memory or an entity. */
  propertyValues: 100,
  /** Extensions of a tenant's ontology, their length and their versions: every key that is looked up reads the current ones. */
  ontologyExtensions: 10,
  extensionChars: 50_000,
  extensionVersions: 50,
  /** The reason of a forget. */
  reasonChars: 1_000,
  /** Projects of a tenant with a privacy policy of their own: every call reads all of them. */
  projectPolicies: 200,
  /** Agents that participate in a session besides its own. */
  participatingAgents: 100,
  /** Free metadata of a session or message, as JSON bytes. */
  metadataBytes: 16 * 1024,
  /** Metadata of a memory, as JSON bytes, and its keys: labels to filter by, not documents. */
  memoryMetadataBytes: 8 * 1024,
  memoryMetadataKeys: 64,
  memoryMetadataKeyChars: 128,
  /** Conditions of one filter: each is a subquery, and D1 limits the depth and parameters of a statement to 100. */
  filterConditions: 16,
  /** Values of one list in a filter, and the length of each. */
  filterValues: 100,
  filterChars: 512,
  /** Tags of a memory, and the length of each. */
  tags: 32,
  tagChars: 64,
  /** One value of the working context, as JSON bytes. */
  contextValueBytes: 32 * 1024,
  /** Pending implicit candidates per session; the one with the lowest score is evicted. */
  pendingImplicit: 500,
  /** Pending agent decisions per session; a further one is rejected, none is evicted. */
  pendingAgent: 100,
  /** Live long-term memories per session; MAX_MEMORIES_PER_SESSION overrides it. */
  memoriesPerSession: 10_000,
  /** Hits per recall. */
  recallMax: 50,
  /** Lexical candidates, and as many semantic ones, of a hybrid recall: more do not change its first ten hits. */
  recallMatches: 200,
  /** Items per page of a list. */
  pageDefault: 20,
  pageMax: 100,
  /** Characters of memories in one D1 batch: percent-encoding takes up to 9 bytes per character, and a value 2 MB. */
  batchChars: 100_000,
  /** Subjects rebuilt per call: keeps one call within a Worker's CPU time. */
  rebuildPage: 500,
} as const;

export const TOKEN_BUDGET = {
  total: 32_000,
  conversation: 20_000,
  context: 12_000,
  min: 1_000,
  max: 200_000,
} as const;

export const PROMOTION = {
  /** The interval of promotion runs. */
  intervalMinMs: 1 * SECOND,
  intervalMaxMs: 1 * HOUR,
  maxPerRunLimit: 100,
} as const;

/** Spaces, thread, directives and signals of a session. */
export const COGNITION = {
  /** Spaces of one session. */
  spaces: 256,
  /** One space as JSON: an object's rows stop at 2 MB, and half of that leaves room. */
  spaceBytes: 2 ** 20,
  /** All spaces of a session: one call returns them, and an RPC answer has at most 32 MB. */
  memoryBytes: 16 * 2 ** 20,
  /** Operations of one batch, and entries of one call to the thread: each call is one transaction. */
  opsPerCall: 500,
  entriesPerCall: 500,
  /** A key of a map space, in code points; and a task's text. */
  keyChars: 256,
  taskChars: 2_000,
  /** The time to live of a key, or of an ephemeral item: longer-lived data has no need to expire. */
  ttlMaxMs: 30 * 24 * HOUR,
  /** One thread entry's payload as JSON: as much as a message. */
  payloadBytes: 32 * 1024,
  /** Items of one upsert, keys of one delete or read, matches of one query. */
  itemsPerDirective: 100,
  topK: 50,
  /** One item's value as JSON: fifty of them still fit a signal. */
  itemBytes: 16 * 1024,
  /** Items of one inline store, and their bytes: every query scans the store and blocks the object meanwhile. */
  inlineItems: 1_000,
  inlineBytes: 2 ** 21,
  /** The time to live of an ephemeral item without one. */
  ephemeralTtlMs: 1 * HOUR,
  /** Numbers of one embedding: the most that a vector index takes. */
  embeddingDimensions: 4_096,
  /** Patterns of signals that trigger one projector: each signal is compared with all of them. */
  signalPatterns: 20,
  /** Directives of a session that wait for execution. */
  queuedDirectives: 1_000,
  /** Stored signals, by number and by size; older ones are in the thread. */
  storedSignals: 1_000,
  storedSignalBytes: 8 * 2 ** 20,
  /**
   * Live streams of one session, in all and of one key: each has a buffer in the session's object. A client that
   * reconnects every second has its lost ones among them, which end after 15 s.
   */
  streamsPerSession: 64,
  streamsPerSessionAndKey: 32,
  /** Live streams of one key and of one tenant in one isolate, which holds their buffers. */
  streamsPerKey: 64,
  streamsPerTenant: 128,
} as const;

/** An agent's memory policy. */
export const POLICY = {
  /** Entries per prompt: the default, and the maximum. */
  entries: 5,
  maxEntries: 50,
  /** Entries per tenant in the in-memory store, which shares the isolate's 128 MB; the oldest is evicted. */
  inMemoryEntries: 1_000,
  /** A key of a call's context. */
  contextKeyChars: 128,
} as const;

/** Knowledge graphs. */
export const GRAPH = {
  /** Entities, observations and relations of one call: each takes about twenty rows of one batch. */
  itemsPerCall: 2_000,
  /** A name or a type, in code points: a longer text belongs in an observation. */
  nameChars: 1_000,
  /** An observation, in UTF-8 bytes: as long as a message. */
  observationBytes: 32 * 1024,
} as const;

/** The mem0 API. */
export const MEM0 = {
  /** The length of the id of a user, an agent, an app or a run. */
  idChars: 256,
  /** Owners that the filters of one call may name: each is a search of its own. */
  ownersPerCall: 10,
  /** Results of a search without `top_k`, as in mem0. */
  hits: 10,
  /** The highest page number: a list is read with an offset, whose cost grows with the page. */
  pages: 10_000,
  /** 9999-12-31, in seconds since 1970. */
  latestSecond: 253_402_214_400,
} as const;

/** Episodes, patterns, skills, briefings and checkpoints. */
export const EXPERIENCE = {
  /** One episode as JSON: its triples and its row both hold it, far below D1's 2 MB. */
  episodeBytes: 256 * 1024,
  /** A short text of an episode, a list of texts, and an action log: a longer one is a log file. */
  lineChars: 500,
  listItems: 200,
  actionsPerEpisode: 2_000,
  /** Source episodes of one call, and of one pattern: 40 bytes each, in one row. */
  sourcesPerCall: 1_000,
  sourcesPerPattern: 10_000,
  /** Importance of an episode, pattern, learning or skill without one. */
  defaultImportance: 0.5,
  /** Episodes of one consolidation: their vectors, 2 KB each, are in memory at once. */
  episodesPerRun: 20_000,
  /** Ids of each kind in a maintenance report. */
  reportedIds: 1_000,
  /** Token budget of a briefing. */
  briefingTokens: { min: 50, default: 2_000, max: 32_000 },
  /** Days of a window of metrics. */
  metricsDays: { default: 7, max: 90 },
  /** Items of a briefing in all its lists. */
  briefingItems: { min: 1, default: 5, max: 40 },
  /** Checkpoints of an agent's ledger; a new one evicts the oldest. */
  checkpointsPerAgent: 1_000,
  /** A checkpoint or a handoff, as JSON bytes. */
  checkpointBytes: 128 * 1024,
  /** A skill as Markdown: the longest one that Anthropic publishes has 72 KB. */
  skillBytes: 128 * 1024,
} as const;

/** Fields of a SKILL.md, as the Agent Skills standard has them; the license is a name or a reference. */
export const AGENT_SKILL = {
  nameChars: 64,
  descriptionChars: 1_024,
  compatibilityChars: 500,
  licenseChars: 500,
  /** YAML keys have at most 1,024 characters, and escaping makes up to six out of one. */
  metadataKeyChars: 100,
} as const;

/** API keys. */
export const KEYS = {
  /** How long a rotated key may still work: long enough for any deployment. */
  overlapSeconds: 30 * 24 * 60 * 60,
} as const;

/** When the uses of a tenant's memories and episodes are added to the counts in D1. */
export const USAGE_FLUSH = {
  /** At once when there are so many. */
  uses: 500,
  /** Otherwise after this time, */
  afterMs: 3_600_000,
  /** but fewer than this after this time: each may write as many rows as it has records. */
  few: 20,
  fewAfterMs: 86_400_000,
  /** The delay after a flush that failed. */
  retryMs: 60_000,
  /** Uses that an object keeps while D1 does not answer; later ones are not counted. */
  maxPending: 20_000,
} as const;

/** Webhooks. */
export const WEBHOOKS = {
  /** Webhooks of a tenant: every change is sent to each of them. */
  perTenant: 10,
  urlChars: 2_000,
} as const;

/** Days that audit records are stored (AUDIT_RETENTION_DAYS overrides it; 0 keeps them). */
export const AUDIT_RETENTION_DAYS = 365;

/** A session without a write or a read for this long is abandoned (ABANDON_AFTER_MS overrides it). */
export const ABANDON_AFTER_MS = 24 * HOUR;

/** How long an idempotency key is stored with its answer. */
export const IDEMPOTENCY_MS = 24 * HOUR;

/** How long D1 stores applied operations: far longer than any retry. */
export const APPLIED_MS = 7 * 24 * HOUR;

/** Searches of one tenant: what one may cost, and what they may cost together in one isolate. */
export const SEARCH_LIMITS = {
  /** Postings of the text index that select rows in one search (SEARCH_POSTINGS overrides it): about 20 ms. */
  postings: 6_000,
  /** Estimated D1 milliseconds of searches in flight (READ_MS_IN_FLIGHT): as long may another tenant wait for them. */
  msInFlight: 40,
  /** Searches that wait until others are done, and how long: more would be given up by their callers. */
  waiting: 100,
  waitMs: 5_000,
  /** D1 milliseconds per minute (READ_MS_PER_MINUTE): two thirds of the time that one database has. */
  msPerMinute: 40_000,
} as const;

/**
 * What one tenant may store (QUOTA_MEMORIES and so on override it; 0 is no limit). A D1 database has 10 GB, and a text
 * takes about five times its size there with its triples and indexes.
 */
export const QUOTAS = {
  memories: 1_000_000,
  messages: 2_000_000,
  sessions: 200_000,
  episodes: 200_000,
  bytes: 1_000_000_000,
} as const;

/** Calls per minute and client address: before authentication, and those that it refuses; 0 is no limit. */
export const ADDRESS_LIMIT = { calls: 240_000, refused: 1_000 } as const;

/** Requests per minute and key, unless RATE_LIMIT_READ and RATE_LIMIT_WRITE set others; 0 is no limit. */
export const RATE_LIMIT = { read: 120_000, write: 60_000 } as const;

/** The size limit of a D1 database. */
export const SHARD_CAPACITY_BYTES = 10_000_000_000;
