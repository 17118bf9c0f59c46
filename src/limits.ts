// Every number the service enforces, each with its reason. Nothing else in the code names a limit.

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

export const LIMITS = {
  /** One request body. D1 rows stop at 2 MB; half of that leaves room for what we add. */
  bodyBytes: 2 ** 20,
  /** One message call: enough for a day's conversation, small enough for one transaction. */
  messagesPerCall: 500,
  /** One message, in UTF-8 bytes: longer texts are documents, not messages. */
  messageBytes: 32 * 1024,
  /** remember's content, in code points: a memory is a statement, not a document. */
  contentChars: 2_000,
  /** A rationale explains one memory. */
  rationaleChars: 2_000,
  /** A recall query, in code points. */
  queryChars: 1_000,
  /** Evidence references of one memory, and the length of each: references, not copies. */
  evidenceItems: 50,
  evidenceChars: 512,
  /** One value of a type's own property. */
  propertyChars: 2_000,
  /** No tokenizer packs more bytes into a token: a caller's own count is not taken below this. */
  bytesPerToken: 32,
  /** A forget reason. */
  reasonChars: 1_000,
  /** Free metadata of a session or message, as JSON bytes. */
  metadataBytes: 16 * 1024,
  /** One value of the working context, as JSON bytes. */
  contextValueBytes: 32 * 1024,
  /** Words of a query that reach the text index: more only slow it down. */
  queryTerms: 32,
  /** Implicit candidates waiting in a session; the lowest score leaves. */
  pendingImplicit: 500,
  /** Decisions of the agent waiting in a session; one more is refused, none is dropped. */
  pendingAgent: 100,
  /** Accesses a session remembers: frequency and recency are read from these. */
  accessLog: 1_000,
  /** Live long-term memories of one session, unless MAX_MEMORIES_PER_SESSION says otherwise. */
  memoriesPerSession: 10_000,
  /** Recall's answer. */
  recallMax: 50,
  /** Lists. */
  pageDefault: 20,
  pageMax: 100,
  /** Candidates taken from one evicted message: a message that says more is a document. */
  candidatesPerMessage: 3,
  /** Writes committed to D1 in one batch: few enough that one slow batch delays no one for long. */
  commitBatch: 50,
  /** Characters of memories in one batch: percent-encoded evidence takes 9 bytes for one, D1 takes 2 MB a value. */
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
  /** How the context part is split when a prompt is assembled: system, working, long-term. */
  contextSplit: { system: 2, working: 4, longTerm: 6 },
  /** Overheads of chat formats and of our own rendering. */
  perMessage: 4,
  perMemory: 10,
  perContextPair: 2,
} as const;

export const PROMOTION = {
  intervalMs: 30 * SECOND,
  intervalMinMs: 1 * SECOND,
  intervalMaxMs: 1 * HOUR,
  threshold: 0.6,
  /** What a closing session keeps: the last chance is a generous one. */
  closeThreshold: 0.4,
  maxPerRun: 20,
  maxPerRunLimit: 100,
  /** Retries of a failed commit: doubling from the first to the last. */
  retryFirstMs: 2 * SECOND,
  retryLastMs: 5 * MINUTE,
} as const;

/** A session without a write or a read for this long is abandoned (ABANDON_AFTER_MS overrides it). */
export const ABANDON_AFTER_MS = 24 * HOUR;

/** How long an idempotency key is remembered. */
export const IDEMPOTENCY_MS = 24 * HOUR;

/** How long D1 remembers which outbox entries it has applied: far longer than any retry. */
export const APPLIED_MS = 7 * 24 * HOUR;

/** Calls per minute and key, unless RATE_LIMIT_READ and RATE_LIMIT_WRITE say otherwise; 0 is no limit. */
export const RATE_LIMIT = { read: 120_000, write: 60_000, windowMs: MINUTE } as const;
