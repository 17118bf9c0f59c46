// Made from the service's OpenAPI document by scripts/client-types.ts. Do not edit: run `npm run client:types`.

/** The stable codes of failures, with their status. */
export const FAILURE_STATUS = {
  invalid_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  conflict: 409,
  gone: 410,
  payload_too_large: 413,
  unprocessable: 422,
  rate_limited: 429,
  limit_exceeded: 429,
  internal: 500,
  unavailable: 503,
  not_configured: 503,
} as const;

export type RememberItem = {
  /** The content to remember: one concise, factual statement */
  content: string;
  /** Kind of memory, a class of the ontology. Default: "fact" */
  type?: "fact" | "preference" | "assumption" | "hypothesis" | "discovery" | "risk" | "unknown" | "decision" | "architectural_decision" | "implementation_decision" | "alternative" | "trade_off" | "task" | "milestone" | "plan" | "convention" | "coding_standard" | "architectural_convention" | "agent_rule" | "process_convention" | "error" | "bug" | "failure" | "incident" | "root_cause" | "lesson_learned" | "skill" | (string & {}) | undefined;
  /** A number, clamped to 0..1, or high (0.9), medium (0.6), low (0.3). Default: 0.8 */
  confidence?: number | "high" | "medium" | "low" | undefined;
  /** Why this is worth remembering */
  rationale?: string | undefined;
  /** References that support it. Default: [] */
  evidence?: string[] | undefined;
  /** The source of the information. Its rank decides what it may supersede: user and agent, then tool, then external_document. In a tool call, user counts as agent. Default: "agent" */
  source_type?: "user" | "agent" | "tool" | "external_document" | undefined;
  /** When it became true, if not now */
  valid_from?: string | undefined;
  /** Names a topic: a new memory with the same key in the same scope supersedes the live one */
  key?: string | undefined;
  /** The type's own properties from the ontology, e.g. { decisionStatus: "accepted" }, and its relations to other memories, by their ids, e.g. { hasAlternative: ["<id>"], contradicts: "<id>" } */
  properties?: { [key: string]: string | string[] } | undefined;
  /** Labels to filter by: texts, numbers, booleans and lists of texts, by key */
  metadata?: { [key: string]: string | number | boolean | string[] } | undefined;
  /** Tags to filter by */
  tags?: string[] | undefined;
  /** false keeps an earlier memory of the same topic or key. Default: true */
  supersede?: boolean | undefined;
  /** The session that the call belongs to */
  session_id?: string | undefined;
  /** The user, a person, that the call is about */
  user_id?: string | undefined;
  /** The agent that the call belongs to */
  agent_id?: string | undefined;
  /** The project that the call belongs to */
  project_id?: string | undefined;
};

export type Problem = {
  type: string;
  title: string;
  status: number;
  /** Machine-readable error code. Stable across versions. */
  code: "invalid_request" | "unauthorized" | "forbidden" | "not_found" | "method_not_allowed" | "not_acceptable" | "conflict" | "gone" | "payload_too_large" | "unprocessable" | "rate_limited" | "limit_exceeded" | "internal" | "unavailable" | "not_configured";
  /** What is wrong, and how to fix it. */
  detail: string;
  /** The invalid fields, with the reason of each: the first 20. */
  errors?: {
    path: string;
    message: string;
  }[] | undefined;
  /** The number of further invalid fields. */
  more_errors?: number | undefined;
  /** The current revision of the space, if another was expected. */
  current_rev?: number | undefined;
  /** The current revision of the container, if another was expected. */
  current_memory_rev?: number | undefined;
  /** The line of a SPARQL query, or of an import, that is invalid, from 1. */
  line?: number | undefined;
  /** Where a SPARQL query is malformed, from 1. */
  column?: number | undefined;
};

export type Health = {
  status: "ok";
  version: string;
};

export type Doctor = {
  version: string;
  /** The worst status of all checks */
  status: "ok" | "warn" | "fail";
  checks: DoctorCheck[];
};

export type DoctorCheck = {
  name: string;
  status: "ok" | "warn" | "fail";
  /** What was found */
  detail: string;
  /** What to do about it; null when there is nothing to do */
  fix: string | null;
};

export type KeyCreated = Key & {
  /** Shown this once */
  key: string;
};

export type Key = {
  id: string;
  /** `connection` is the access of an OAuth client. It has no secret, and cannot be rotated */
  kind: "key" | "connection";
  tenant: string;
  name: string | null;
  scopes: ("read" | "write" | "admin")[];
  created_at: string;
  expires_at: string | null;
  /** The key sees and writes only what belongs to all of these */
  bind: {
    user_id?: string | undefined;
    agent_id?: string | undefined;
    project_id?: string | undefined;
  } | null;
  /** The id of the key that made it; `admin` for the admin key */
  created_by: string | null;
  /** About when it was last used, to five minutes; null if it never was */
  last_used_at: string | null;
};

export type KeyCreate = {
  tenant: string;
  name?: string | undefined;
  /** Default: ["read","write"] */
  scopes?: ("read" | "write" | "admin")[] | undefined;
  expires_at?: string | undefined;
  /** The key sees and writes only what belongs to all of these */
  bind?: {
    user_id?: string | undefined;
    agent_id?: string | undefined;
    project_id?: string | undefined;
  } | undefined;
};

export type KeyRotate = {
  /** How long the old key still works. Without it, the old key stops as a deleted one does. Default: 0 */
  overlap_seconds?: number | undefined;
  /** Without it, the new key ends when the old one did */
  expires_at?: string | undefined;
};

export type OwnKey = {
  /** `admin` for the admin key */
  id: string;
  /** Null for the admin key, which belongs to none */
  tenant: string | null;
  scopes: ("read" | "write" | "admin")[];
  /** The key sees and writes only what belongs to all of these */
  bind: {
    user_id?: string | undefined;
    agent_id?: string | undefined;
    project_id?: string | undefined;
  } | null;
};

export type Session = {
  id: string;
  status: "active" | "paused" | "closed" | "abandoned";
  user_id: string | null;
  agent_id: string | null;
  project_id: string | null;
  reach: "session" | "user" | "agent" | "project" | "tenant";
  phase: "planning" | "implementation" | "debugging" | "review" | null;
  participating_agents: string[];
  continues: string | null;
  created_at: string;
  updated_at: string;
  ended_at: string | null;
  token_budget: {
    total: number;
    conversation: number;
    context: number;
  };
  promotion: {
    enabled: boolean;
    interval_ms: number;
    threshold: number;
    max_per_run: number;
    weights: {
      recency: number;
      frequency: number;
      confidence: number;
      salience: number;
    };
    runs: number;
    total_promoted: number;
    last_run: string | null;
    next_run: string | null;
  };
  counts: {
    messages: number;
    tokens: number;
    context: number;
    pending: number;
    memories: number;
  };
  /** Any JSON value */
  policy: unknown;
  /** The session's own mode; that of its project or tenant may be stricter */
  privacy: "standard" | "strict";
  metadata: { [key: string]: unknown };
};

/** What the privacy gate masked in this call, by kind. Absent if nothing was */
export type MaskedCounts = {
  kind: string;
  count: number;
}[];

export type SessionCreate = {
  id?: string | undefined;
  /** The person whom the session serves */
  user_id?: string | undefined;
  agent_id?: string | undefined;
  project_id?: string | undefined;
  /** Default scope of recall, assemble, preflight and prime, and the widest one of a model's tool calls; by default user, else agent, else project, else session, the first that the session has */
  reach?: "session" | "user" | "agent" | "project" | "tenant" | undefined;
  /** The session that it continues; user, agent and project are taken from there by default, and so are the spaces */
  continues?: string | undefined;
  /** The spaces that it starts with, by name: the data of each, or {data, metadata}. They come before inherited ones */
  spaces?: { [key: string]: unknown } | undefined;
  /** The session whose spaces are copied */
  spaces_from?: string | undefined;
  /** true: starts from the spaces of the agent's latest session; false: copies none from the session that it continues */
  inherit_spaces?: boolean | undefined;
  phase?: "planning" | "implementation" | "debugging" | "review" | undefined;
  /** Agents that work in the session besides its own: what one of them remembers, with its `agent_id` in the call, is asserted by it */
  participating_agents?: string[] | undefined;
  token_budget?: {
    total?: number | undefined;
    conversation?: number | undefined;
    context?: number | undefined;
  } | undefined;
  promotion?: {
    enabled?: boolean | undefined;
    interval_ms?: number | undefined;
    threshold?: number | undefined;
    max_per_run?: number | undefined;
    weights?: {
      recency: number;
      frequency: number;
      confidence: number;
      salience: number;
    } | undefined;
  } | undefined;
  policy?: PolicyInput | undefined;
  /** strict: secrets are masked in the session's own window and thread, too */
  privacy?: "standard" | "strict" | undefined;
  /** Triggers of this session's projectors, by projector name */
  projectors?: { [key: string]: {
      tick?: boolean | undefined;
      after?: number | null | undefined;
      signals?: string[] | undefined;
    } } | undefined;
  metadata?: { [key: string]: unknown } | undefined;
};

/** true means the defaults, false off */
export type PolicyInput = boolean | {
  enabled?: boolean | undefined;
  scope?: "agent" | "session" | undefined;
  namespace?: Namespace | undefined;
  /** The turns that are captured: manual and off: none; conversation: all; lasting: those with a lasting statement */
  capture?: "manual" | "conversation" | "lasting" | "off" | undefined;
  inject?: "instructions" | "context" | undefined;
  max_entries?: number | undefined;
  metadata?: { [key: string]: unknown } | undefined;
  /** Whether a preflight adds the patterns, mistakes and skills that apply to the input */
  experience?: boolean | undefined;
};

export type Namespace = string | {
  context: string;
} | null;

export type SessionSummary = {
  id: string;
  status: "active" | "paused" | "closed" | "abandoned";
  user_id: string | null;
  agent_id: string | null;
  project_id: string | null;
  reach: "session" | "user" | "agent" | "project" | "tenant";
  phase: "planning" | "implementation" | "debugging" | "review" | null;
  continues: string | null;
  created_at: string;
  updated_at: string;
  ended_at: string | null;
};

export type SessionPatch = {
  reach?: "session" | "user" | "agent" | "project" | "tenant" | undefined;
  /** null removes the phase */
  phase?: "planning" | "implementation" | "debugging" | "review" | undefined;
  /** Agents that work in the session besides its own: what one of them remembers, with its `agent_id` in the call, is asserted by it */
  participating_agents?: string[] | undefined;
  token_budget?: {
    total?: number | undefined;
    conversation?: number | undefined;
    context?: number | undefined;
  } | undefined;
  promotion?: {
    enabled?: boolean | undefined;
    interval_ms?: number | undefined;
    threshold?: number | undefined;
    max_per_run?: number | undefined;
    weights?: {
      recency: number;
      frequency: number;
      confidence: number;
      salience: number;
    } | undefined;
  } | undefined;
  /** Overrides the agent's policy; null removes the override */
  policy?: boolean | {
    enabled?: boolean | undefined;
    scope?: "agent" | "session" | undefined;
    namespace?: Namespace | undefined;
    /** The turns that are captured: manual and off: none; conversation: all; lasting: those with a lasting statement */
    capture?: "manual" | "conversation" | "lasting" | "off" | undefined;
    inject?: "instructions" | "context" | undefined;
    max_entries?: number | undefined;
    metadata?: { [key: string]: unknown } | undefined;
    /** Whether a preflight adds the patterns, mistakes and skills that apply to the input */
    experience?: boolean | undefined;
  } | null | undefined;
  privacy?: "standard" | "strict" | undefined;
  metadata?: { [key: string]: unknown } | undefined;
};

export type SessionEnded = Session & {
  promoted: number;
};

export type SessionReceipt = {
  deleted: {
    messages: number;
    context: number;
    pending: number;
    memories: number;
    /** The triples of the erased memories */
    triples: number;
    vectors: number;
  };
};

export type MessagesAdded = {
  added: number;
  duplicates: number;
  evicted: number;
  tokens: {
    used: number;
    max: number;
  };
};

export type MessagesInSession = {
  messages: MessageInput[];
  /** The user, a person, that the call is about */
  user_id?: string | undefined;
  /** The agent that the call belongs to */
  agent_id?: string | undefined;
  /** The project that the call belongs to */
  project_id?: string | undefined;
};

export type MessageInput = {
  id?: string | undefined;
  role: "user" | "assistant" | "system" | "tool";
  name?: string | undefined;
  content: string;
  timestamp?: string | undefined;
  token_count?: number | undefined;
  tool_calls?: unknown[] | undefined;
  /** For a tool message: the id of the tool call it answers */
  tool_call_id?: string | undefined;
  metadata?: { [key: string]: unknown } | undefined;
};

export type Message = {
  id: string;
  role: "user" | "assistant" | "system" | "tool";
  name: string | null;
  content: string;
  timestamp: string;
  token_count: number;
  tool_calls: unknown[] | null;
  tool_call_id: string | null;
  metadata: { [key: string]: unknown };
};

export type ContextItem = {
  key: string;
  /** Any JSON value */
  value: unknown;
  source: "inferred" | "explicit" | "tool";
  confidence: number;
  access_count: number;
  first_seen: string;
  last_accessed: string;
  suggested_type: "fact" | "preference" | "assumption" | "hypothesis" | "discovery" | "risk" | "unknown" | "decision" | "architectural_decision" | "implementation_decision" | "alternative" | "trade_off" | "task" | "milestone" | "plan" | "convention" | "coding_standard" | "architectural_convention" | "agent_rule" | "process_convention" | "error" | "bug" | "failure" | "incident" | "root_cause" | "lesson_learned" | "skill" | null;
  importance: number;
};

export type ContextPut = {
  /** Any JSON value */
  value: unknown;
  /** Default: "inferred" */
  source?: "inferred" | "explicit" | "tool" | undefined;
  /** A number, clamped to 0..1, or high (0.9), medium (0.6), low (0.3). Default: 0.7 */
  confidence?: number | "high" | "medium" | "low" | undefined;
  memory_type?: "fact" | "preference" | "assumption" | "hypothesis" | "discovery" | "risk" | "unknown" | "decision" | "architectural_decision" | "implementation_decision" | "alternative" | "trade_off" | "task" | "milestone" | "plan" | "convention" | "coding_standard" | "architectural_convention" | "agent_rule" | "process_convention" | "error" | "bug" | "failure" | "incident" | "root_cause" | "lesson_learned" | "skill" | undefined;
};

export type AssembleAnswer = {
  messages: {
    id: string | null;
    role: "user" | "assistant" | "system" | "tool";
    name: string | null;
    content: string;
    timestamp: string;
    tool_calls?: unknown[] | undefined;
    tool_call_id?: string | undefined;
  }[];
  working_context: { [key: string]: unknown };
  /** Summary of what the window no longer contains: the session's evicted messages, and the session that it continues */
  summary: string | null;
  /** Facts of `world.facts` that neither the memories nor the context state */
  facts: {
    key: string;
    text: string;
    at: string | null;
    session_id: string;
  }[];
  memories: {
    id?: string | undefined;
    kind?: "memory" | undefined;
    content?: string | undefined;
    type?: "fact" | "preference" | "assumption" | "hypothesis" | "discovery" | "risk" | "unknown" | "decision" | "architectural_decision" | "implementation_decision" | "alternative" | "trade_off" | "task" | "milestone" | "plan" | "convention" | "coding_standard" | "architectural_convention" | "agent_rule" | "process_convention" | "error" | "bug" | "failure" | "incident" | "root_cause" | "lesson_learned" | "skill" | (string & {}) | undefined;
    confidence?: number | undefined;
    status?: "live" | "superseded" | "invalidated" | "forgotten" | undefined;
    timestamp?: string | undefined;
    session_id?: string | null | undefined;
    user_id?: string | null | undefined;
    agent_id?: string | null | undefined;
    project_id?: string | null | undefined;
    source_type?: "user" | "agent" | "tool" | "external_document" | undefined;
    rationale?: string | null | undefined;
    score?: number | undefined;
    signals?: Signals | undefined;
    superseded_by?: string | null | undefined;
    access_count?: number | undefined;
    metadata?: { [key: string]: string | number | boolean | string[] } | undefined;
    tags?: string[] | undefined;
  }[];
  /** Messages outside of the window that match the query, best first */
  recalled_messages: MessageHit[];
  prompt: string;
  tokens: {
    total: number;
    budget: number;
    conversation: number;
    working: number;
    long_term: number;
  };
  left_out: {
    part: "conversation" | "working" | "long_term";
    id: string;
    reason: string;
  }[];
};

export type Signals = {
  lexical?: number | undefined;
  semantic?: number | undefined;
  recency?: number | undefined;
  importance?: number | undefined;
  /** Grows with the access count of the memory, from 0 towards 1; a tie-breaker */
  access?: number | undefined;
  /** Boost: the message is by the one person the query names */
  speaker?: number | undefined;
  /** Boost: the date lies in a time that the query names, or close to it */
  date?: number | undefined;
  /** Coverage of the query plus similarity, which decides whether it is a hit; not part of the score */
  relevance?: number | undefined;
  /** Boost: the query asks when, and the text has an expression of time */
  when?: number | undefined;
  /** Boost: the query asks for a number, and the text has one */
  count?: number | undefined;
  /** Deduction: the text itself asks a question */
  question?: number | undefined;
  /** The logarithm of the number of words: a text that says more answers more */
  length?: number | undefined;
  /** Mean similarity of the three nearest other candidates of the same session */
  session?: number | undefined;
  /** Boost: a memory that answers, which messages must not push out of the first three hits */
  memory?: number | undefined;
  /** Deduction: the message says the same as a memory among the hits, and comes after the others */
  repeat?: number | undefined;
  /** The reranker's score, from 0 to 1: it replaces the weighted sum of the others */
  rerank?: number | undefined;
  /** The search mode that was used */
  mode: "text" | "semantic" | "hybrid";
};

export type MessageHit = {
  id: string;
  kind: "message";
  content: string;
  role: "user" | "assistant" | "system" | "tool";
  name: string | null;
  timestamp: string;
  session_id: string;
  user_id: string | null;
  agent_id: string | null;
  project_id: string | null;
  score: number;
  signals: Signals;
};

export type AssembleInSession = {
  /** Topic of the next turn, used to rank the memories */
  query?: string | undefined;
  token_budget?: number | undefined;
  /** Parts to include; all by default */
  include?: ("conversation" | "working" | "long_term")[] | undefined;
  /** Scope of the long-term memories; by default the session's reach */
  scope?: "session" | "user" | "agent" | "project" | "tenant" | undefined;
  /** The user, a person, that the call is about */
  user_id?: string | undefined;
  /** The agent that the call belongs to */
  agent_id?: string | undefined;
  /** The project that the call belongs to */
  project_id?: string | undefined;
};

export type PendingItem = {
  id: string;
  content: string;
  memory_type: "fact" | "preference" | "assumption" | "hypothesis" | "discovery" | "risk" | "unknown" | "decision" | "architectural_decision" | "implementation_decision" | "alternative" | "trade_off" | "task" | "milestone" | "plan" | "convention" | "coding_standard" | "architectural_convention" | "agent_rule" | "process_convention" | "error" | "bug" | "failure" | "incident" | "root_cause" | "lesson_learned" | "skill";
  confidence: number;
  source_type: "user" | "agent" | "tool" | "external_document";
  evidence: string[];
  rationale: string | null;
  suggested_by: "implicit" | "agent";
  importance_score: number;
  created_at: string;
  access_count: number;
  /** Once promoted, it supersedes the live memory with the same topic key */
  topic_key: string | null;
  /** Ids of the memories that it supersedes once promoted */
  supersedes?: string[] | undefined;
  /** What the importance score is made of, unless the caller or a language model set it */
  importance_parts?: {
    recency: number;
    frequency: number;
    confidence: number;
    salience: number;
  } | undefined;
  /** `rules`, or the language model that extracted it from messages */
  extracted_by?: string | undefined;
};

export type PendingCreate = {
  content: string;
  memory_type: "fact" | "preference" | "assumption" | "hypothesis" | "discovery" | "risk" | "unknown" | "decision" | "architectural_decision" | "implementation_decision" | "alternative" | "trade_off" | "task" | "milestone" | "plan" | "convention" | "coding_standard" | "architectural_convention" | "agent_rule" | "process_convention" | "error" | "bug" | "failure" | "incident" | "root_cause" | "lesson_learned" | "skill";
  /** A number, clamped to 0..1, or high (0.9), medium (0.6), low (0.3). Default: 0.8 */
  confidence?: number | "high" | "medium" | "low" | undefined;
  /** Default: "agent" */
  source_type?: "user" | "agent" | "tool" | "external_document" | undefined;
  /** Default: [] */
  evidence?: string[] | undefined;
  rationale?: string | undefined;
  importance_score?: number | undefined;
  /** Default: "implicit" */
  suggested_by?: "implicit" | "agent" | undefined;
};

export type PromotionAnswer = {
  promoted: {
    memory_id: string;
    memory_type: "fact" | "preference" | "assumption" | "hypothesis" | "discovery" | "risk" | "unknown" | "decision" | "architectural_decision" | "implementation_decision" | "alternative" | "trade_off" | "task" | "milestone" | "plan" | "convention" | "coding_standard" | "architectural_convention" | "agent_rule" | "process_convention" | "error" | "bug" | "failure" | "incident" | "root_cause" | "lesson_learned" | "skill";
    importance_score: number;
  }[];
  remaining: number;
};

export type SessionMemory = {
  id: string;
  rev: number;
  spaces: { [key: string]: {
      kind: "map" | "list";
      rev: number;
      /** A map or a list */
      data: { [key: string]: unknown } | unknown[];
      metadata: { [key: string]: unknown };
      /** When entries expire, by key or item id; absent if none does */
      expires?: { [key: string]: string } | undefined;
    } };
  created_at: string;
  updated_at: string;
  metadata: { [key: string]: unknown };
};

export type MemoryPut = {
  /** All spaces by name: the data of each, or {data, metadata, expected_rev} */
  spaces: { [key: string]: unknown };
  metadata?: { [key: string]: unknown } | undefined;
  /** Expected revision of the container; a mismatch is a 409 */
  expected_memory_rev?: number | undefined;
  /** Ignored: the path decides */
  id?: string | undefined;
  /** Ignored: see expected_memory_rev */
  rev?: number | undefined;
  /** Ignored */
  created_at?: string | undefined;
  /** Ignored */
  updated_at?: string | undefined;
};

export type MemoryPatch = {
  /** Changes by the name of the space */
  spaces?: { [key: string]: unknown } | undefined;
  metadata?: { [key: string]: unknown } | undefined;
  /** Expected revision of the container; a mismatch is a 409 */
  expected_memory_rev?: number | undefined;
};

export type Space = {
  name: string;
  kind: "map" | "list";
  rev: number;
  /** A map or a list */
  data: { [key: string]: unknown } | unknown[];
  metadata: { [key: string]: unknown };
  /** When entries expire, by key or item id; absent if none does */
  expires?: { [key: string]: string } | undefined;
  memory_rev: number;
};

export type SpacePut = {
  /** A map or a list */
  data: { [key: string]: unknown } | unknown[];
  metadata?: { [key: string]: unknown } | undefined;
  /** When keys of a map expire, as in a space that was read */
  expires?: { [key: string]: string } | undefined;
  /** Ignored: the data decide */
  kind?: "map" | "list" | undefined;
  /** Ignored: see expected_rev */
  rev?: number | undefined;
  /** Ignored: the path decides */
  name?: string | undefined;
  /** Ignored: see expected_memory_rev */
  memory_rev?: number | undefined;
  /** Do not change the space if it exists. Default: false */
  ensure?: boolean | undefined;
  /** Expected revision of the space; a mismatch is a 409 */
  expected_rev?: number | undefined;
  /** Expected revision of the container; a mismatch is a 409 */
  expected_memory_rev?: number | undefined;
};

export type SpaceChanged = {
  rev: number;
  memory_rev: number;
  /** A map or a list */
  data: { [key: string]: unknown } | unknown[];
};

export type SpaceOps = {
  ops: SpaceOp[];
  /** Expected revision of the space; a mismatch is a 409 */
  expected_rev?: number | undefined;
  /** Expected revision of the container; a mismatch is a 409 */
  expected_memory_rev?: number | undefined;
};

export type SpaceOp = {
  op: "put";
  key: string;
  /** Any JSON value */
  value: unknown;
  /** Time to live: the entry is gone after so many milliseconds */
  ttl_ms?: number | undefined;
} | {
  op: "delete";
  key: string;
} | {
  op: "append";
  /** Any JSON value */
  item: unknown;
} | {
  op: "prepend";
  /** Any JSON value */
  item: unknown;
} | {
  op: "insert";
  index: number;
  /** Any JSON value */
  item: unknown;
} | {
  op: "remove";
  id: string | number;
} | {
  op: "update";
  id: string | number;
  changes: { [key: string]: unknown };
} | {
  op: "update";
  key: string;
  changes: { [key: string]: unknown };
};

export type Task = {
  id: string;
  text: string;
  status: "open" | "done";
  [key: string]: unknown;
};

export type TaskCreate = {
  id?: string | undefined;
  text: string;
  index?: number | undefined;
  /** Expected revision of the space; a mismatch is a 409 */
  expected_rev?: number | undefined;
  /** Expected revision of the container; a mismatch is a 409 */
  expected_memory_rev?: number | undefined;
};

export type TaskChange = {
  /** Expected revision of the space; a mismatch is a 409 */
  expected_rev?: number | undefined;
  /** Expected revision of the container; a mismatch is a 409 */
  expected_memory_rev?: number | undefined;
};

export type TaskOrder = {
  ids: string[];
  /** Expected revision of the space; a mismatch is a 409 */
  expected_rev?: number | undefined;
  /** Expected revision of the container; a mismatch is a 409 */
  expected_memory_rev?: number | undefined;
};

export type ThreadAppended = {
  first_seq: number;
  last_seq: number;
};

export type ThreadAppend = {
  entries: {
    kind: "message" | "tool_call" | "tool_result" | "signal" | "note";
    /** Any JSON value */
    payload: unknown;
    at?: string | undefined;
  }[];
};

export type ThreadPage = {
  data: ThreadEntry[];
  next_seq: number;
};

export type ThreadEntry = {
  seq: number;
  kind: "message" | "tool_call" | "tool_result" | "signal" | "note";
  /** Any JSON value */
  payload: unknown;
  at: string;
};

export type Projector = {
  name: string;
  covered_seq: number;
  trigger: {
    /** Run on the session's alarm while there are new entries */
    tick: boolean;
    /** Run when this many entries are new, without waiting for a tick; null disables it */
    after: number | null;
    /** Run when a signal of a matching type arrives: `*` stands for one word of the type, `**` for any number */
    signals: string[];
  };
  /** Failures since the last successful run */
  failures: number;
  retry_at: string | null;
};

export type ProjectorPatch = {
  trigger: {
    tick?: boolean | undefined;
    after?: number | null | undefined;
    signals?: string[] | undefined;
  };
};

export type ProjectorRun = {
  projected: number;
  covers: {
    from: number;
    to: number;
  };
};

export type DirectiveAccepted = {
  request_id: string;
};

export type Directive = {
  type: "query";
  /** inline, d1, vector, ephemeral, or a name in world.pointers. Default: "inline" */
  provider?: string | undefined;
  request_id?: string | undefined;
  /** Options of the provider */
  opts?: { [key: string]: unknown } | undefined;
  query?: {
    text: string;
    /** Default: 5 */
    top_k?: number | undefined;
  } | undefined;
  keys?: string[] | undefined;
  /** Type of the signal that reports the result; jido.memory.result by default */
  reply_signal_type?: string | undefined;
} | {
  type: "upsert";
  /** inline, d1, vector, ephemeral, or a name in world.pointers. Default: "inline" */
  provider?: string | undefined;
  request_id?: string | undefined;
  /** Options of the provider */
  opts?: { [key: string]: unknown } | undefined;
  items: {
    key: string;
    /** Any JSON value */
    value: unknown;
    /** Used in place of an embedding of the value, by the vector provider; it has as many numbers as the vectors of the index */
    embedding?: number[] | undefined;
  }[];
} | {
  type: "delete";
  /** inline, d1, vector, ephemeral, or a name in world.pointers. Default: "inline" */
  provider?: string | undefined;
  request_id?: string | undefined;
  /** Options of the provider */
  opts?: { [key: string]: unknown } | undefined;
  keys: string[];
};

export type SignalPage = {
  data: Signal[];
  /** Pass as `after` to read on */
  next: number;
};

export type Signal = {
  specversion: "1.0";
  id: string;
  source: string;
  type: string;
  time: string;
  datacontenttype: "application/json";
  /** Any JSON value */
  data: unknown;
  seq: number;
};

export type RememberAnswer = {
  remembered: true;
  memory_id: string;
  memory_type: "fact" | "preference" | "assumption" | "hypothesis" | "discovery" | "risk" | "unknown" | "decision" | "architectural_decision" | "implementation_decision" | "alternative" | "trade_off" | "task" | "milestone" | "plan" | "convention" | "coding_standard" | "architectural_convention" | "agent_rule" | "process_convention" | "error" | "bug" | "failure" | "incident" | "root_cause" | "lesson_learned" | "skill" | (string & {});
  message: string;
  deduplicated: boolean;
  /** Ids of the memories that this one supersedes: live until this call */
  superseded: string[];
  /** Ids of memories with the same key or topic that stay live, because their source ranks higher: listed as contradictions to settle */
  contradicts?: string[] | undefined;
  /** Where recall finds it by default */
  scope: {
    kind: "session" | "user" | "agent" | "project" | "tenant";
    id: string | null;
  };
  /** What a shape of the ontology asks for and the memory lacks, and links that were not written */
  warnings?: string[] | undefined;
};

export type RecallAnswer = {
  count: number;
  /** Whether the hits answer the query: none without hits, weak if the best only comes near, good otherwise. Without a query there is nothing to answer: weak */
  confidence: "none" | "weak" | "good";
  memories: (RecallHit | MessageHit | EpisodeHit)[];
  /** Why the result is lexical only although semantic search was requested */
  degraded?: string | undefined;
  /** Why the hits have the order of the search although there is a reranker */
  not_reranked?: string | undefined;
  /** Where to look, if nothing was found here */
  hint?: string | undefined;
  /** The times that the query names. Hits from them rank higher; to get no others, recall again with since and until */
  time_ranges?: {
    /** The words of the query */
    text: string;
    since: string;
    until: string;
  }[] | undefined;
};

export type RecallHit = {
  id: string;
  kind: "memory";
  content: string;
  type: "fact" | "preference" | "assumption" | "hypothesis" | "discovery" | "risk" | "unknown" | "decision" | "architectural_decision" | "implementation_decision" | "alternative" | "trade_off" | "task" | "milestone" | "plan" | "convention" | "coding_standard" | "architectural_convention" | "agent_rule" | "process_convention" | "error" | "bug" | "failure" | "incident" | "root_cause" | "lesson_learned" | "skill" | (string & {});
  confidence: number;
  status: "live" | "superseded" | "invalidated" | "forgotten";
  timestamp: string;
  session_id: string | null;
  user_id: string | null;
  agent_id: string | null;
  project_id: string | null;
  source_type: "user" | "agent" | "tool" | "external_document";
  rationale: string | null;
  score: number;
  signals: Signals;
  superseded_by: string | null;
  access_count: number;
  metadata: { [key: string]: string | number | boolean | string[] };
  tags: string[];
};

export type EpisodeHit = {
  id: string;
  kind: "episode";
  /** Goal of the episode */
  content: string;
  outcome: "success" | "failure" | "partial";
  timestamp: string;
  user_id: string | null;
  agent_id: string | null;
  project_id: string | null;
  score: number;
  signals: Signals;
};

/** Conditions on metadata.<key>, tags, type and source_type, all of which must hold: a value, or an operator such as $in */
export type MetadataFilter = { [key: string]: string | number | boolean | {
    "$ne"?: string | number | boolean | undefined;
    "$in"?: (string | number | boolean)[] | undefined;
    "$nin"?: (string | number | boolean)[] | undefined;
    "$lt"?: string | number | undefined;
    "$lte"?: string | number | undefined;
    "$gt"?: string | number | undefined;
    "$gte"?: string | number | undefined;
  } };

/** Ranking options; rarely needed. Default: {} */
export type RankingOptions = {
  /** How lexical and semantic scores are fused; rrf suits strong embedders. By default as the embedder's preset has it */
  fusion?: "weighted" | "rrf" | undefined;
  /** Weight of the semantic score; the lexical score has weight 1. By default as the embedder's preset has it */
  semantic_weight?: number | undefined;
  /** Score added to messages with the role user. Default: 0 */
  user_prior?: number | undefined;
  /** Whether the reranker orders the first 50 hits. By default it does if one is configured; true without one is an error */
  rerank?: boolean | undefined;
};

export type ForgetAnswer = {
  forgotten: true;
  memory_id: string;
  message: string;
  reason?: string | undefined;
  replacement_id?: string | undefined;
};

/** A message to append to `messages` */
export type OpenAiToolResult = {
  role: "tool";
  tool_call_id: string;
  content: string;
};

/** An item to append to `input` */
export type ResponsesToolResult = {
  type: "function_call_output";
  call_id: string;
  output: string;
};

/** A block for the content of the next user message */
export type AnthropicToolResult = {
  type: "tool_result";
  tool_use_id: string;
  content: string;
  is_error: boolean;
};

/** The result of a call by name */
export type NamedToolResult = {
  id?: string | undefined;
  name: string;
  content: string;
  is_error: boolean;
};

export type ToolExecute = {
  /** The session that the call belongs to */
  session_id?: string | undefined;
  /** The user, a person, that the call is about */
  user_id?: string | undefined;
  /** The agent that the call belongs to */
  agent_id?: string | undefined;
  /** The project that the call belongs to */
  project_id?: string | undefined;
  call: OpenAiToolCall | ResponsesToolCall | AnthropicToolCall | (OpenAiToolCall | ResponsesToolCall | AnthropicToolCall | OtherPart | NamedToolCall)[] | AnswerMessage | ChatCompletion | ModelResponse | NamedToolCall;
};

/** A tool call of OpenAI's chat completions */
export type OpenAiToolCall = {
  id: string;
  type: "function";
  function: {
    name: string;
    /** An object, or the same as a JSON string */
    arguments?: unknown | undefined;
  };
};

/** A function call of OpenAI's Responses */
export type ResponsesToolCall = {
  type: "function_call";
  id?: string | null | undefined;
  call_id: string;
  name: string;
  /** An object, or the same as a JSON string */
  arguments?: unknown | undefined;
  status?: string | null | undefined;
};

/** A tool use of Anthropic's Messages */
export type AnthropicToolCall = {
  type: "tool_use";
  id: string;
  name: string;
  /** An object, or the same as a JSON string */
  input?: unknown | undefined;
};

/** A part that is no tool call, such as a text or reasoning */
export type OtherPart = {
  type: string;
};

/** A call by name, as other models and programs write it */
export type NamedToolCall = {
  name: string;
  /** An object, or the same as a JSON string */
  arguments?: unknown | undefined;
  id?: string | undefined;
};

/** A model's message, of OpenAI's chat completions or of Anthropic's Messages */
export type AnswerMessage = {
  role: "assistant";
  content?: string | (OpenAiToolCall | ResponsesToolCall | AnthropicToolCall | OtherPart | NamedToolCall)[] | null | undefined;
  tool_calls?: (OpenAiToolCall | ResponsesToolCall | AnthropicToolCall | OtherPart | NamedToolCall)[] | null | undefined;
};

/** An OpenAI chat completion. Its first choice counts */
export type ChatCompletion = {
  choices: {
    message: AnswerMessage;
  }[];
};

/** A response of OpenAI's Responses */
export type ModelResponse = {
  output: (OpenAiToolCall | ResponsesToolCall | AnthropicToolCall | OtherPart | NamedToolCall)[];
};

export type Memory = {
  id: string;
  kind: "memory";
  content: string;
  type: "fact" | "preference" | "assumption" | "hypothesis" | "discovery" | "risk" | "unknown" | "decision" | "architectural_decision" | "implementation_decision" | "alternative" | "trade_off" | "task" | "milestone" | "plan" | "convention" | "coding_standard" | "architectural_convention" | "agent_rule" | "process_convention" | "error" | "bug" | "failure" | "incident" | "root_cause" | "lesson_learned" | "skill" | (string & {});
  confidence: number;
  status: "live" | "superseded" | "invalidated" | "forgotten";
  timestamp: string;
  session_id: string | null;
  user_id: string | null;
  agent_id: string | null;
  project_id: string | null;
  source_type: "user" | "agent" | "tool" | "external_document";
  rationale: string | null;
  superseded_by: string | null;
  access_count: number;
  metadata: { [key: string]: string | number | boolean | string[] };
  tags: string[];
  importance: number;
  key: string | null;
  valid_from: string;
  valid_until: string | null;
  forgotten_at: string | null;
  forget_reason: string | null;
  last_accessed: string;
  evidence: string[];
  properties: { [key: string]: string[] };
  invalidated_by: string | null;
};

export type MemoryDetail = Memory & {
  supersedes: string[];
  links: {
    relation: string;
    direction: "out" | "in";
    id: string;
  }[];
};

export type RecordedMemory = Memory & {
  /** When the service stored the memory */
  recorded_at: string;
  /** When it was superseded, forgotten or invalidated; null while it is live */
  ended_at: string | null;
  /** Earlier states that changes in place have replaced, oldest first */
  versions: MemoryVersion[];
};

export type MemoryVersion = Memory & {
  /** When the service stored this state */
  recorded_at: string;
  /** When a change replaced this state */
  recorded_until: string;
};

export type MemoryReceipt = {
  deleted: {
    memories: number;
    triples: number;
    vectors: number;
    links: number;
  };
};

export type MemorySearch = {
  /** The session that the call belongs to */
  session_id?: string | undefined;
  /** The user, a person, that the call is about */
  user_id?: string | undefined;
  /** The agent that the call belongs to */
  agent_id?: string | undefined;
  /** The project that the call belongs to */
  project_id?: string | undefined;
  filter?: MetadataFilter & unknown | undefined;
  /** Default: false */
  include_superseded?: boolean | undefined;
  /** What was known at this time: memories as they were then. A future time is now */
  as_of?: string | undefined;
  /** What was true at this time, also if it was superseded since */
  valid_at?: string | undefined;
  /** Default: 20 */
  limit?: number | undefined;
  cursor?: string | undefined;
};

export type BatchAnswer = {
  /** One result per item, in order */
  results: BatchResult[];
};

export type BatchResult = {
  remembered: true;
  memory_id: string;
  deduplicated: boolean;
  /** Ids of the memories that this one supersedes: live until this call */
  superseded: string[];
  /** Ids of memories with the same key or topic that stay live, because their source ranks higher: listed as contradictions to settle */
  contradicts?: string[] | undefined;
  /** What a shape of the ontology asks for and the memory lacks, and links that were not written */
  warnings?: string[] | undefined;
} | {
  error: {
    code: "invalid_request" | "unauthorized" | "forbidden" | "not_found" | "method_not_allowed" | "not_acceptable" | "conflict" | "gone" | "payload_too_large" | "unprocessable" | "rate_limited" | "limit_exceeded" | "internal" | "unavailable" | "not_configured";
    detail: string;
    errors?: {
      path: string;
      message: string;
    }[] | undefined;
  };
};

export type BatchInput = {
  memories: RememberItem[];
};

export type UpdateMemoryAnswer = MemoryDetail & {
  /** Ids of the memories that this one supersedes: live until this call */
  superseded: string[];
  /** What a shape of the ontology asks for and the memory lacks, and links that were not written */
  warnings?: string[] | undefined;
};

export type UpdateMemoryInput = {
  /** The content to remember: one concise, factual statement */
  content?: string | undefined;
  type?: "fact" | "preference" | "assumption" | "hypothesis" | "discovery" | "risk" | "unknown" | "decision" | "architectural_decision" | "implementation_decision" | "alternative" | "trade_off" | "task" | "milestone" | "plan" | "convention" | "coding_standard" | "architectural_convention" | "agent_rule" | "process_convention" | "error" | "bug" | "failure" | "incident" | "root_cause" | "lesson_learned" | "skill" | (string & {}) | undefined;
  /** A number, clamped to 0..1, or high (0.9), medium (0.6), low (0.3) */
  confidence?: number | "high" | "medium" | "low" | undefined;
  importance?: number | undefined;
  /** Properties to set; null removes one */
  properties?: { [key: string]: string | string[] | null } | undefined;
  /** Labels to set, by key; null removes one */
  metadata?: { [key: string]: string | number | boolean | string[] | null } | undefined;
  /** Replaces all tags */
  tags?: string[] | undefined;
  valid_from?: string | undefined;
  valid_until?: string | undefined;
};

export type MemoryLineage = {
  memory: {
    id: string;
    type: "fact" | "preference" | "assumption" | "hypothesis" | "discovery" | "risk" | "unknown" | "decision" | "architectural_decision" | "implementation_decision" | "alternative" | "trade_off" | "task" | "milestone" | "plan" | "convention" | "coding_standard" | "architectural_convention" | "agent_rule" | "process_convention" | "error" | "bug" | "failure" | "incident" | "root_cause" | "lesson_learned" | "skill" | (string & {});
    content: string;
    status: "live" | "superseded" | "invalidated" | "forgotten";
    source_type: "user" | "agent" | "tool" | "external_document";
    timestamp: string;
    confidence: number;
    rationale: string | null;
    session_id: string | null;
    user_id: string | null;
    agent_id: string | null;
    project_id: string | null;
  };
  activity: {
    /** What stored the memory. `unknown` if it is not recorded */
    kind: "remember" | "promotion" | "consolidation" | "learning" | "pattern" | "skill" | "turn" | "entry" | "graph" | "change" | "unknown";
    /** When it was stored */
    at: string;
    /** The key of the call; null for work of an alarm */
    key_id: string | null;
    /** Of a promotion: the importance, and its parts unless it was set */
    importance: {
      score: number;
      parts: {
        recency: number;
        frequency: number;
        confidence: number;
        salience: number;
      } | null;
    } | null;
    /** Of a promotion: `rules`, or the language model that extracted it from messages */
    extracted_by: string | null;
    /** Of a promotion: the key of the item in the working context */
    context_key: string | null;
    /** Of a consolidation: the run */
    run: string | null;
  };
  sources: LineageSource[];
  supersedes: {
    id: string;
    type: "fact" | "preference" | "assumption" | "hypothesis" | "discovery" | "risk" | "unknown" | "decision" | "architectural_decision" | "implementation_decision" | "alternative" | "trade_off" | "task" | "milestone" | "plan" | "convention" | "coding_standard" | "architectural_convention" | "agent_rule" | "process_convention" | "error" | "bug" | "failure" | "incident" | "root_cause" | "lesson_learned" | "skill" | (string & {});
    content: string;
    status: "live" | "superseded" | "invalidated" | "forgotten";
    source_type: "user" | "agent" | "tool" | "external_document";
    timestamp: string;
    /** `key`: the same key; `statement`: another value of the same statement; `change`: a PATCH; `duplicate`: the same in other words; `named`: the caller named the two */
    reason: "key" | "statement" | "change" | "duplicate" | "named";
    /** The reason that the caller gave */
    note: string | null;
    at: string;
  }[];
  superseded_by: {
    id: string;
    type: "fact" | "preference" | "assumption" | "hypothesis" | "discovery" | "risk" | "unknown" | "decision" | "architectural_decision" | "implementation_decision" | "alternative" | "trade_off" | "task" | "milestone" | "plan" | "convention" | "coding_standard" | "architectural_convention" | "agent_rule" | "process_convention" | "error" | "bug" | "failure" | "incident" | "root_cause" | "lesson_learned" | "skill" | (string & {});
    content: string;
    status: "live" | "superseded" | "invalidated" | "forgotten";
    source_type: "user" | "agent" | "tool" | "external_document";
    timestamp: string;
    /** `key`: the same key; `statement`: another value of the same statement; `change`: a PATCH; `duplicate`: the same in other words; `named`: the caller named the two */
    reason: "key" | "statement" | "change" | "duplicate" | "named";
    /** The reason that the caller gave */
    note: string | null;
    at: string;
  } | null;
  forgotten: {
    at: string;
    reason: string | null;
  } | null;
  derived: {
    id: string;
    type: "fact" | "preference" | "assumption" | "hypothesis" | "discovery" | "risk" | "unknown" | "decision" | "architectural_decision" | "implementation_decision" | "alternative" | "trade_off" | "task" | "milestone" | "plan" | "convention" | "coding_standard" | "architectural_convention" | "agent_rule" | "process_convention" | "error" | "bug" | "failure" | "incident" | "root_cause" | "lesson_learned" | "skill" | (string & {});
    content: string;
    status: "live" | "superseded" | "invalidated" | "forgotten";
    source_type: "user" | "agent" | "tool" | "external_document";
    timestamp: string;
  }[];
  /** Sources and memories that the key of the call does not see */
  hidden: number;
};

export type LineageSource = {
  kind: "message";
  id: string;
  session_id: string;
  role: "user" | "assistant" | "system" | "tool";
  name: string | null;
  content: string;
  timestamp: string;
} | {
  id: string;
  type: "fact" | "preference" | "assumption" | "hypothesis" | "discovery" | "risk" | "unknown" | "decision" | "architectural_decision" | "implementation_decision" | "alternative" | "trade_off" | "task" | "milestone" | "plan" | "convention" | "coding_standard" | "architectural_convention" | "agent_rule" | "process_convention" | "error" | "bug" | "failure" | "incident" | "root_cause" | "lesson_learned" | "skill" | (string & {});
  content: string;
  status: "live" | "superseded" | "invalidated" | "forgotten";
  source_type: "user" | "agent" | "tool" | "external_document";
  timestamp: string;
  kind: "memory";
} | {
  kind: "episode";
  id: string;
  goal: string;
  outcome: "success" | "failure" | "partial";
  timestamp: string;
} | {
  kind: "reference";
  /** A document, file or URL as the caller named it, or something that was erased */
  reference: string;
};

export type MemoryImpact = {
  memory_id: string;
  data: {
    id: string;
    type: "fact" | "preference" | "assumption" | "hypothesis" | "discovery" | "risk" | "unknown" | "decision" | "architectural_decision" | "implementation_decision" | "alternative" | "trade_off" | "task" | "milestone" | "plan" | "convention" | "coding_standard" | "architectural_convention" | "agent_rule" | "process_convention" | "error" | "bug" | "failure" | "incident" | "root_cause" | "lesson_learned" | "skill" | (string & {});
    content: string;
    status: "live" | "superseded" | "invalidated" | "forgotten";
    source_type: "user" | "agent" | "tool" | "external_document";
    timestamp: string;
    /** The steps from the memory to this one */
    path: {
      from: string;
      relation: string;
    }[];
    /** Its further sources, apart from the memory and those in the list. 0: it would have no support left */
    other_support: number;
  }[];
  hidden: number;
  /** Whether more memories are affected than are listed */
  truncated: boolean;
};

export type Link = {
  id: string;
  from: string;
  to: string;
  /** The stored relation: `supersedes` is stored as `superseded_by` in the opposite direction */
  relation: "derived_from" | "related_to" | "contradicts" | "elaborates" | "example_of" | "supersedes" | "superseded_by" | "supports" | "refines" | "confirms" | "hasAlternative" | "selectedAlternative" | "hasTradeOff" | "dependsOn" | "blockedBy" | "partOfMilestone" | "partOfPlan" | "hasRootCause" | "producedLesson" | "relatedError" | "justifiedBy" | "appliesToModule" | "appliesToDomain" | "appliesToFile" | "refersTo" | "assignedTo" | "createdBy" | "governsAgent" | "partOfProject" | "hasRepository" | "hasModule" | "hasDomain" | "definedInFile" | "partOfModule" | "implementsDSL" | "emitsEvent" | "handledByProjection" | "reportsTo" | "spawnedSubAgent";
  strength: number;
  /** In a list: whether the link starts at the requested id (out) or ends there (in) */
  direction?: "out" | "in" | undefined;
  /** null if the link was written with a memory rather than by a call of its own, or leads to a resource */
  created_at: string | null;
};

export type LinkCreate = {
  /** The id of a memory or an episode, or the name of a pattern */
  from: string;
  /** The id of a memory or an episode, or the name of a pattern; `class/id` for a resource, an agent or a project, such as `source_file/router` */
  to: string;
  /** A relation of the ontology is checked against its domain and range. `has_alternative` is accepted for `hasAlternative`, `relatedTo` for `related_to` */
  relation: "derived_from" | "related_to" | "contradicts" | "elaborates" | "example_of" | "supersedes" | "superseded_by" | "supports" | "refines" | "confirms" | "hasAlternative" | "selectedAlternative" | "hasTradeOff" | "dependsOn" | "blockedBy" | "partOfMilestone" | "partOfPlan" | "hasRootCause" | "producedLesson" | "relatedError" | "justifiedBy" | "appliesToModule" | "appliesToDomain" | "appliesToFile" | "refersTo" | "assignedTo" | "createdBy" | "governsAgent";
  /** Strength of the link, from 0 to 1. Default: 1 */
  strength?: number | undefined;
};

export type Contradiction = {
  /** The id of its link */
  id: string;
  /** Also resolved when one of the two is no longer live */
  status: "open" | "resolved";
  strength: number;
  created_at: string;
  memories: ContradictionSide[];
  /** The resolution that the service proposes, while it is open; nothing changes until you resolve it */
  proposal: {
    action: "supersede" | "invalidate" | "keep_both";
    keep: string | null;
    reason: string;
  } | null;
  resolution: {
    action: "supersede" | "invalidate" | "keep_both";
    /** Id of the one that was kept; null if both were */
    kept: string | null;
    reason: string | null;
    resolved_at: string;
  } | null;
};

export type ContradictionSide = {
  id: string;
  kind: "memory" | "episode";
  /** Content of the memory, or goal of the episode */
  content: string;
  /** null for an episode */
  confidence: number | null;
  /** Present if it comes neither from the user nor from the agent: tool or external_document */
  source_type?: "user" | "agent" | "tool" | "external_document" | undefined;
  timestamp: string;
  status: "live" | "superseded" | "invalidated" | "forgotten" | "archived";
};

export type ResolveInput = {
  /** supersede or invalidate: the kept one supersedes or invalidates the other. keep_both: both stay live */
  action: "supersede" | "invalidate" | "keep_both";
  /** Id of the one to keep; required unless the action is keep_both */
  keep?: string | undefined;
  /** The reason; required for keep_both */
  reason?: string | undefined;
};

export type GraphEntity = {
  name: string;
  entityType: string;
  observations: string[];
};

export type GraphRelation = {
  from: string;
  to: string;
  relationType: string;
};

export type GraphDeleted = {
  success: boolean;
  message: string;
};

export type KnowledgeGraph = {
  entities: GraphEntity[];
  relations: GraphRelation[];
};

export type SparqlResults = {
  head: {
    vars?: string[] | undefined;
  };
  results?: {
    bindings: { [key: string]: {
        type: "uri" | "literal" | "bnode";
        value: string;
        "xml:lang"?: string | undefined;
        datatype?: string | undefined;
      } }[];
  } | undefined;
  boolean?: boolean | undefined;
};

export type SparqlPost = {
  /** A SPARQL 1.1 query: SELECT, ASK, CONSTRUCT or DESCRIBE */
  query: string;
  /** The graphs that form the default graph */
  "default-graph-uri"?: string[] | undefined;
  /** The named graphs */
  "named-graph-uri"?: string[] | undefined;
  /** Whether subclasses, sub-properties and inverse properties are followed. Default: true */
  infer?: boolean | undefined;
  /** What was known at this time: memories as they were then. A future time is now */
  as_of?: string | undefined;
  /** What was true at this time, also if it was superseded since */
  valid_at?: string | undefined;
};

export type Mem0Added = {
  status: "SUCCEEDED";
  /** How many memories were stored, and how they were chosen */
  message: string;
  results: {
    id: string;
    memory: string;
    /** NOOP if the memory already existed */
    event: "ADD" | "NOOP";
    categories: string[];
  }[];
};

export type Mem0Add = {
  user_id?: string | null | undefined;
  agent_id?: string | null | undefined;
  app_id?: string | null | undefined;
  run_id?: string | null | undefined;
  /** Accepted and ignored */
  org_id?: unknown | undefined;
  /** Accepted and ignored */
  project_id?: unknown | undefined;
  /** Accepted and ignored */
  output_format?: unknown | undefined;
  /** Accepted and ignored */
  version?: unknown | undefined;
  /** Accepted and ignored */
  source?: unknown | undefined;
  messages: string | {
    role: "user" | "assistant" | "system" | "tool";
    content: string;
    name?: string | undefined;
  }[];
  /** With true, fixed rules choose the sentences to store; with false, each message is stored as it is. Default: true */
  infer?: boolean | undefined;
  metadata?: { [key: string]: unknown } | undefined;
  /** The time of the messages, in seconds since 1970 */
  timestamp?: number | undefined;
  /** Accepted and ignored */
  async_mode?: unknown | undefined;
  /** Accepted and ignored */
  enable_graph?: unknown | undefined;
  /** Not supported: every memory can be updated */
  immutable?: null | undefined;
  /** Not supported: memories do not expire by themselves; delete them */
  expiration_date?: null | undefined;
  /** Not supported: fixed rules choose the sentences; send infer false to store your own choice */
  includes?: null | undefined;
  /** Not supported: fixed rules choose the sentences; send infer false to store your own choice */
  excludes?: null | undefined;
  /** Not supported: no language model reads the messages; send infer false to store your own choice */
  custom_instructions?: null | undefined;
  /** Not supported: no language model reads the messages; send infer false to store your own choice */
  agent_custom_instructions?: null | undefined;
  /** Not supported: a memory's category is its type in the ontology */
  custom_categories?: null | undefined;
  /** Not supported: memories are statements; put structured data into metadata */
  structured_data_schema?: null | undefined;
};

export type Mem0Found = {
  results: Mem0Memory[];
};

export type Mem0Memory = {
  id: string;
  memory: string;
  user_id: string | null;
  agent_id: string | null;
  app_id: string | null;
  run_id: string | null;
  metadata: { [key: string]: unknown } | null;
  /** The memory's type in the ontology */
  categories: string[];
  created_at: string;
  updated_at: string;
  score?: number | undefined;
};

export type Mem0Search = {
  user_id?: string | null | undefined;
  agent_id?: string | null | undefined;
  app_id?: string | null | undefined;
  run_id?: string | null | undefined;
  /** Accepted and ignored */
  org_id?: unknown | undefined;
  /** Accepted and ignored */
  project_id?: unknown | undefined;
  /** Accepted and ignored */
  output_format?: unknown | undefined;
  /** Accepted and ignored */
  version?: unknown | undefined;
  /** Accepted and ignored */
  source?: unknown | undefined;
  /** user_id, agent_id, app_id, run_id (a string, or {in: [...]}) and metadata ({name: value}), combined by AND and OR */
  filters?: { [key: string]: unknown } | undefined;
  /** Accepted and ignored */
  fields?: unknown | undefined;
  /** Accepted and ignored */
  latest_only?: unknown | undefined;
  /** Accepted and ignored */
  show_expired?: unknown | undefined;
  /** Not supported: filter the results by their categories */
  categories?: null | undefined;
  query: string;
  top_k?: number | null | undefined;
  limit?: number | null | undefined;
  /** The minimum score */
  threshold?: number | null | undefined;
  /** Accepted and ignored */
  rerank?: unknown | undefined;
  /** Accepted and ignored */
  keyword_search?: unknown | undefined;
  /** Not supported: put it into filters: {metadata: {name: value}} */
  metadata?: null | undefined;
  /** Not supported: search uses the current memories */
  reference_date?: null | undefined;
};

export type Mem0Memories = {
  count: number;
  next: string | null;
  previous: string | null;
  results: Mem0Memory[];
};

export type Mem0List = {
  user_id?: string | null | undefined;
  agent_id?: string | null | undefined;
  app_id?: string | null | undefined;
  run_id?: string | null | undefined;
  /** Accepted and ignored */
  org_id?: unknown | undefined;
  /** Accepted and ignored */
  project_id?: unknown | undefined;
  /** Accepted and ignored */
  output_format?: unknown | undefined;
  /** Accepted and ignored */
  version?: unknown | undefined;
  /** Accepted and ignored */
  source?: unknown | undefined;
  /** user_id, agent_id, app_id, run_id (a string, or {in: [...]}) and metadata ({name: value}), combined by AND and OR */
  filters?: { [key: string]: unknown } | undefined;
  /** Accepted and ignored */
  fields?: unknown | undefined;
  /** Accepted and ignored */
  latest_only?: unknown | undefined;
  /** Accepted and ignored */
  show_expired?: unknown | undefined;
  /** Not supported: filter the results by their categories */
  categories?: null | undefined;
  /** Not supported: filter the results by created_at */
  start_date?: null | undefined;
  /** Not supported: filter the results by created_at */
  end_date?: null | undefined;
};

export type Mem0Told = {
  message: string;
};

export type Mem0Update = {
  text?: string | undefined;
  metadata?: { [key: string]: unknown } | undefined;
  /** Not supported: a memory keeps the time at which it was added */
  timestamp?: null | undefined;
  /** Not supported: memories do not expire by themselves; delete them */
  expiration_date?: null | undefined;
};

export type Mem0Entities = {
  count: number;
  next: string | null;
  previous: string | null;
  results: {
    id: string;
    name: string;
    type: "user" | "agent" | "app" | "run";
    owner: string;
    total_memories: number;
    created_at: string;
    updated_at: string;
  }[];
};

export type Episode = {
  /** Default: null */
  task_id?: string | null | undefined;
  /** Without one: the project `default`. Default: null */
  project_id?: string | null | undefined;
  /** Default: null */
  user_id?: string | null | undefined;
  /** Default: null */
  agent?: string | null | undefined;
  /** Default: null */
  duration_seconds?: number | null | undefined;
  context: EpisodeContext;
  /** Default: [] */
  action_log?: Action[] | undefined;
  outcome: "success" | "failure" | "partial";
  /** Default: [] */
  errors_encountered?: EpisodeError[] | undefined;
  /** Default: [] */
  artifacts_produced?: string[] | undefined;
  /** Default: [] */
  files_read?: string[] | undefined;
  /** Default: [] */
  files_modified?: string[] | undefined;
  /** Default: null */
  git_commit?: string | null | undefined;
  /** Default: null */
  tokens_used?: number | null | undefined;
  /** Default: 0.5 */
  importance?: number | undefined;
  id: string;
  timestamp: string;
  /** Replaces the action log once the episode is a week old */
  summary: string | null;
  summarised: boolean;
  archived: boolean;
  archived_at: string | null;
  usage_count: number;
  last_used: string | null;
};

export type EpisodeContext = {
  /** Default: null */
  phase?: string | null | undefined;
  goal: string;
  /** Default: [] */
  constraints?: string[] | undefined;
  /** Default: [] */
  files_involved?: string[] | undefined;
};

export type Action = {
  /** Seconds since the start */
  t?: number | undefined;
  action: string;
  target?: string | undefined;
  result?: string | undefined;
  error?: string | undefined;
  [key: string]: unknown;
};

export type EpisodeError = {
  type: string;
  /** Default: "" */
  message?: string | undefined;
  /** Default: null */
  resolution?: string | null | undefined;
};

export type EpisodeCreate = {
  /** Default: null */
  task_id?: string | null | undefined;
  /** Without one: the project `default`. Default: null */
  project_id?: string | null | undefined;
  /** Default: null */
  user_id?: string | null | undefined;
  /** Default: null */
  agent?: string | null | undefined;
  /** Default: null */
  duration_seconds?: number | null | undefined;
  context: EpisodeContext;
  /** Default: [] */
  action_log?: Action[] | undefined;
  outcome: "success" | "failure" | "partial";
  /** Default: [] */
  errors_encountered?: EpisodeError[] | undefined;
  /** Default: [] */
  artifacts_produced?: string[] | undefined;
  /** Default: [] */
  files_read?: string[] | undefined;
  /** Default: [] */
  files_modified?: string[] | undefined;
  /** Default: null */
  git_commit?: string | null | undefined;
  /** Default: null */
  tokens_used?: number | null | undefined;
  /** Default: 0.5 */
  importance?: number | undefined;
  /** Your own id; recording the same episode twice stores one */
  id?: string | undefined;
  /** Start of the attempt; defaults to the current time */
  timestamp?: string | undefined;
  /** The task is finished: consolidate the project soon, in the background. Default: false */
  consolidate?: boolean | undefined;
};

export type EpisodeReceipt = {
  deleted: {
    episodes: number;
    triples: number;
    vectors: number;
    links: number;
  };
};

export type Pattern = {
  /** Id of the memory that stores it */
  id: string;
  /** The name given as `id` when it was written */
  name: string | null;
  project_id: string | null;
  memory_type: "discovery" | "hypothesis" | "lesson_learned";
  status: "live" | "superseded" | "invalidated" | "forgotten";
  pattern: string;
  category: string;
  conditions: string[];
  correct_approach: string | null;
  incorrect_approach: string | null;
  /** Anti-patterns only */
  what_fails?: string | undefined;
  why?: string | null | undefined;
  prevention?: string | null | undefined;
  confidence: number;
  importance: number;
  source_episodes: string[];
  usage_count: number;
  last_used: string | null;
  links: {
    to: string;
    /** The name of the linked pattern, if it has one */
    name: string | null;
    relation: "derived_from" | "related_to" | "contradicts" | "elaborates" | "example_of" | "supersedes" | "superseded_by" | "supports" | "refines" | "confirms" | "hasAlternative" | "selectedAlternative" | "hasTradeOff" | "dependsOn" | "blockedBy" | "partOfMilestone" | "partOfPlan" | "hasRootCause" | "producedLesson" | "relatedError" | "justifiedBy" | "appliesToModule" | "appliesToDomain" | "appliesToFile" | "refersTo" | "assignedTo" | "createdBy" | "governsAgent" | "partOfProject" | "hasRepository" | "hasModule" | "hasDomain" | "definedInFile" | "partOfModule" | "implementsDSL" | "emitsEvent" | "handledByProjection" | "reportsTo" | "spawnedSubAgent";
    strength: number;
  }[];
  superseded_by: string | null;
  created_at: string;
  /** Present if it comes neither from the user nor from the agent: tool or external_document */
  source_type?: "user" | "agent" | "tool" | "external_document" | undefined;
};

export type PatternCreate = {
  /** Your own name for the pattern; a later pattern with this name supersedes it */
  id?: string | undefined;
  /** Default: null */
  project_id?: string | null | undefined;
  /** The general statement; generated for an anti-pattern that has none */
  pattern?: string | undefined;
  /** Default: "general" */
  category?: string | undefined;
  /** Default: [] */
  conditions?: string[] | undefined;
  /** Default: null */
  correct_approach?: string | null | undefined;
  /** Default: null */
  incorrect_approach?: string | null | undefined;
  what_fails?: string | undefined;
  why?: string | undefined;
  prevention?: string | undefined;
  /** A number, clamped to 0..1, or high (0.9), medium (0.6), low (0.3). Default: 0.8 */
  confidence?: number | "high" | "medium" | "low" | undefined;
  /** Default: 0.5 */
  importance?: number | undefined;
  /** Default: [] */
  source_episodes?: string[] | undefined;
  /** Number of uses so far. Default: 0 */
  usage_count?: number | undefined;
  last_used?: string | undefined;
  /** Default: [] */
  links?: {
    to: string;
    /** A relation of the ontology is checked against its domain and range. `has_alternative` is accepted for `hasAlternative`, `relatedTo` for `related_to` */
    relation: "derived_from" | "related_to" | "contradicts" | "elaborates" | "example_of" | "supersedes" | "superseded_by" | "supports" | "refines" | "confirms" | "hasAlternative" | "selectedAlternative" | "hasTradeOff" | "dependsOn" | "blockedBy" | "partOfMilestone" | "partOfPlan" | "hasRootCause" | "producedLesson" | "relatedError" | "justifiedBy" | "appliesToModule" | "appliesToDomain" | "appliesToFile" | "refersTo" | "assignedTo" | "createdBy" | "governsAgent";
    strength?: number | undefined;
  }[] | undefined;
};

export type Learning = {
  /** Id of the memory that stores it */
  id: string;
  trigger: string;
  root_cause: string;
  fix: string;
  prevention: string;
  evidence: string[];
  project_id: string | null;
  occurrences: number;
  confidence: number;
  importance: number;
  created_at: string;
  last_seen: string;
  /** Present if it comes neither from the user nor from the agent: tool or external_document */
  source_type?: "user" | "agent" | "tool" | "external_document" | undefined;
};

export type LearningCreate = {
  trigger: string;
  root_cause: string;
  fix: string;
  prevention: string;
  /** Default: [] */
  evidence?: string[] | undefined;
  /** Without one the learning applies to all projects. Default: null */
  project_id?: string | null | undefined;
};

export type ConsolidateAnswer = {
  /** Number of episodes considered */
  episodes: number;
  /** Number of groups of at least two similar episodes */
  clusters: number;
  /** Ids of new patterns */
  created: string[];
  /** Ids of patterns and anti-patterns that gained evidence */
  updated: string[];
  /** Ids of new anti-patterns */
  anti_patterns: string[];
  /** Ids of patterns merged into a near-duplicate */
  merged: string[];
  /** Ids of learnings that resolved errors created or confirmed */
  learnings: string[];
  /** Ids of new contradictions between patterns, or between facts */
  contradictions: string[];
  /** Slugs of new skill proposals */
  proposed_skills: string[];
  dry_run: boolean;
};

export type ConsolidateInput = {
  /** The project; `default` has the episodes without one */
  project_id: string;
  /** Start of the window; defaults to 24 hours ago */
  since?: string | undefined;
  /** Overrides the current time */
  now?: string | undefined;
  /** Report the changes without making them. Default: false */
  dry_run?: boolean | undefined;
};

export type MaintenanceAnswer = {
  summarised: number;
  archived: number;
  merged: number;
  decayed: number;
  /** Number of new contradictions */
  contradictions: number;
  /** The ids, at most 1000 of each kind */
  ids: {
    summarised: string[];
    archived: string[];
    merged: string[];
    contradictions: string[];
  };
};

export type MaintenanceInput = {
  /** The project; `default` has the episodes without one */
  project_id: string;
  /** Overrides the current time */
  now?: string | undefined;
};

export type PrimeAnswer = {
  kind: "exploration" | "implementation" | "debugging" | "review" | "refactoring" | "general";
  relevant_patterns: PrimedPattern[];
  avoid_these: PrimedLesson[];
  applicable_skills: PrimedSkill[];
  similar_episodes: PrimedEpisode[];
  /** The briefing as Markdown, ready for a prompt */
  prompt: string;
  tokens: {
    /** Tokens of the prompt */
    used: number;
    budget: number;
    /** Tokens saved compared with all items in full detail */
    saved: number;
  };
  degraded?: string | undefined;
};

export type PrimedPattern = {
  id: string;
  layer: "index" | "timeline" | "full";
  /** The item as rendered in the prompt */
  text: string;
  score: number;
  /** The link that led here, for an item that the search itself did not find */
  via?: {
    from: string;
    relation: "derived_from" | "related_to" | "contradicts" | "elaborates" | "example_of" | "supersedes" | "superseded_by" | "supports" | "refines" | "confirms" | "hasAlternative" | "selectedAlternative" | "hasTradeOff" | "dependsOn" | "blockedBy" | "partOfMilestone" | "partOfPlan" | "hasRootCause" | "producedLesson" | "relatedError" | "justifiedBy" | "appliesToModule" | "appliesToDomain" | "appliesToFile" | "refersTo" | "assignedTo" | "createdBy" | "governsAgent" | "partOfProject" | "hasRepository" | "hasModule" | "hasDomain" | "definedInFile" | "partOfModule" | "implementsDSL" | "emitsEvent" | "handledByProjection" | "reportsTo" | "spawnedSubAgent";
    strength: number;
  } | undefined;
  /** The name of the pattern, if it has one */
  name: string | null;
  /** The statement of the pattern, or the fact or decision */
  pattern: string;
  category: string;
  /** `discovery` or `hypothesis` for a pattern; otherwise the type of the fact or decision */
  memory_type: "fact" | "preference" | "assumption" | "hypothesis" | "discovery" | "risk" | "unknown" | "decision" | "architectural_decision" | "implementation_decision" | "alternative" | "trade_off" | "task" | "milestone" | "plan" | "convention" | "coding_standard" | "architectural_convention" | "agent_rule" | "process_convention" | "error" | "bug" | "failure" | "incident" | "root_cause" | "lesson_learned" | "skill";
  confidence: number;
  /** Present if it comes neither from the user nor from the agent: tool or external_document */
  source_type?: "user" | "agent" | "tool" | "external_document" | undefined;
  conditions?: string[] | undefined;
  correct_approach?: string | null | undefined;
  incorrect_approach?: string | null | undefined;
  source_episodes?: string[] | undefined;
};

export type PrimedLesson = {
  id: string;
  layer: "index" | "timeline" | "full";
  /** The item as rendered in the prompt */
  text: string;
  score: number;
  /** The link that led here, for an item that the search itself did not find */
  via?: {
    from: string;
    relation: "derived_from" | "related_to" | "contradicts" | "elaborates" | "example_of" | "supersedes" | "superseded_by" | "supports" | "refines" | "confirms" | "hasAlternative" | "selectedAlternative" | "hasTradeOff" | "dependsOn" | "blockedBy" | "partOfMilestone" | "partOfPlan" | "hasRootCause" | "producedLesson" | "relatedError" | "justifiedBy" | "appliesToModule" | "appliesToDomain" | "appliesToFile" | "refersTo" | "assignedTo" | "createdBy" | "governsAgent" | "partOfProject" | "hasRepository" | "hasModule" | "hasDomain" | "definedInFile" | "partOfModule" | "implementsDSL" | "emitsEvent" | "handledByProjection" | "reportsTo" | "spawnedSubAgent";
    strength: number;
  } | undefined;
  kind: "anti_pattern" | "learning";
  /** The name of the pattern, if it has one */
  name: string | null;
  what_fails: string;
  confidence: number;
  /** Present if it comes neither from the user nor from the agent: tool or external_document */
  source_type?: "user" | "agent" | "tool" | "external_document" | undefined;
  why?: string | null | undefined;
  prevention?: string | null | undefined;
};

export type PrimedSkill = {
  id: string;
  layer: "index" | "timeline" | "full";
  /** The item as rendered in the prompt */
  text: string;
  score: number;
  /** The link that led here, for an item that the search itself did not find */
  via?: {
    from: string;
    relation: "derived_from" | "related_to" | "contradicts" | "elaborates" | "example_of" | "supersedes" | "superseded_by" | "supports" | "refines" | "confirms" | "hasAlternative" | "selectedAlternative" | "hasTradeOff" | "dependsOn" | "blockedBy" | "partOfMilestone" | "partOfPlan" | "hasRootCause" | "producedLesson" | "relatedError" | "justifiedBy" | "appliesToModule" | "appliesToDomain" | "appliesToFile" | "refersTo" | "assignedTo" | "createdBy" | "governsAgent" | "partOfProject" | "hasRepository" | "hasModule" | "hasDomain" | "definedInFile" | "partOfModule" | "implementsDSL" | "emitsEvent" | "handledByProjection" | "reportsTo" | "spawnedSubAgent";
    strength: number;
  } | undefined;
  slug: string;
  name: string;
  description?: string | undefined;
  steps?: string[] | undefined;
};

export type PrimedEpisode = {
  id: string;
  layer: "index" | "timeline" | "full";
  /** The item as rendered in the prompt */
  text: string;
  score: number;
  /** The link that led here, for an item that the search itself did not find */
  via?: {
    from: string;
    relation: "derived_from" | "related_to" | "contradicts" | "elaborates" | "example_of" | "supersedes" | "superseded_by" | "supports" | "refines" | "confirms" | "hasAlternative" | "selectedAlternative" | "hasTradeOff" | "dependsOn" | "blockedBy" | "partOfMilestone" | "partOfPlan" | "hasRootCause" | "producedLesson" | "relatedError" | "justifiedBy" | "appliesToModule" | "appliesToDomain" | "appliesToFile" | "refersTo" | "assignedTo" | "createdBy" | "governsAgent" | "partOfProject" | "hasRepository" | "hasModule" | "hasDomain" | "definedInFile" | "partOfModule" | "implementsDSL" | "emitsEvent" | "handledByProjection" | "reportsTo" | "spawnedSubAgent";
    strength: number;
  } | undefined;
  goal: string;
  outcome: "success" | "failure" | "partial";
  timestamp: string;
  errors_encountered?: EpisodeError[] | undefined;
  summary?: string | null | undefined;
};

export type PrimeInput = {
  goal: string;
  /** The session that asks: its reach and its owner apply, and it need not exist yet */
  session_id?: string | undefined;
  /** The user, for a session that does not exist yet or has no user, or without a session */
  user_id?: string | undefined;
  /** The agent, for a session that does not exist yet or has no agent, or without a session */
  agent_id?: string | undefined;
  /** The project; the session's by default */
  project_id?: string | undefined;
  /** Kind of task; detected from the goal by default */
  kind?: "exploration" | "implementation" | "debugging" | "review" | "refactoring" | undefined;
  phase?: string | undefined;
  /** Next action, such as write_file or run_test */
  action_type?: string | undefined;
  /** Default: 2000 */
  token_budget?: number | undefined;
  /** Maximum number of items, in all lists together. Default: 5 */
  limit?: number | undefined;
  /** Overrides the current time */
  now?: string | undefined;
};

export type Policy = {
  enabled: boolean;
  scope: "agent" | "session";
  namespace: Namespace;
  /** The turns that are captured: manual and off: none; conversation: all; lasting: those with a lasting statement */
  capture: "manual" | "conversation" | "lasting" | "off";
  inject: "instructions" | "context";
  max_entries: number;
  metadata: { [key: string]: unknown };
  /** Whether a preflight adds the patterns, mistakes and skills that apply to the input */
  experience: boolean;
};

export type PolicyReceipt = {
  deleted: {
    policies: number;
  };
};

export type PreflightAnswer = {
  messages: {
    role: "system" | "user";
    content: string;
  }[];
  memory: {
    enabled: boolean;
    /** The searched namespace; within a reach other than agent its owner, such as user:<id>, or tenant */
    namespace: string | null;
    /** Whose memory was searched; null if the policy names a namespace or is disabled */
    reach: "session" | "user" | "agent" | "project" | "tenant" | null;
    scope: "agent" | "session";
    inject: "instructions" | "context";
    /** The turns that are captured: manual and off: none; conversation: all; lasting: those with a lasting statement */
    capture: "manual" | "conversation" | "lasting" | "off";
    entries: RecalledEntry[];
    left_out: {
      id: string;
      reason: string;
    }[];
    tokens: {
      used: number;
      budget: number;
    };
    experience?: InjectedExperience | undefined;
    /** Why there are no entries, and what to change */
    hint?: string | undefined;
  };
};

export type RecalledEntry = Entry & {
  score: number | null;
  signals: Signals | null;
  /** The part that matches best, or the first, of an entry that is longer than one memory */
  excerpt?: string | undefined;
};

export type Entry = {
  /** The id of its memory */
  id: string;
  /** Where it was written to; without a namespace and an agent, its user, session or project */
  namespace: string;
  user_id: string | null;
  agent_id: string | null;
  session_id: string | null;
  content: string;
  metadata: { [key: string]: unknown };
  /** manual: written by a call; conversation: captured from a turn; memory: any other memory of the agent */
  source: "manual" | "conversation" | "memory";
  /** False for a captured turn without a lasting statement: a preflight returns it only if it matches the input */
  lasting: boolean;
  created_at: string;
  /** Present if it comes neither from the user nor from the agent: tool or external_document */
  source_type?: "user" | "agent" | "tool" | "external_document" | undefined;
  /** The ids of the memories that hold it, in order, if it is longer than one memory */
  parts?: string[] | undefined;
};

/** The experience that was injected, if the policy or the call asks for it */
export type InjectedExperience = {
  kind: "exploration" | "implementation" | "debugging" | "review" | "refactoring" | "general";
  relevant_patterns: PrimedPattern[];
  avoid_these: PrimedLesson[];
  applicable_skills: PrimedSkill[];
  similar_episodes: PrimedEpisode[];
  tokens: {
    /** Tokens of the prompt */
    used: number;
    budget: number;
    /** Tokens saved compared with all items in full detail */
    saved: number;
  };
  degraded?: string | undefined;
};

export type PreflightInput = {
  input: string;
  instructions?: string | undefined;
  /** Context of the call, such as the tenant or the user */
  context?: { [key: string]: unknown } | undefined;
  /** Overrides the policy's `experience` for this call */
  experience?: boolean | undefined;
  /** The store of entries for this call; the configured one by default */
  store?: string | undefined;
  /** The user, for a session that does not exist yet or has no user */
  user_id?: string | undefined;
  /** The agent, for a session that does not exist yet or has no agent */
  agent_id?: string | undefined;
  /** The project, for a session that does not exist yet or has no project */
  project_id?: string | undefined;
};

export type TurnAnswer = {
  captured: boolean;
  entry_id?: string | undefined;
  /** The ids of its memories, in order: more than one if the turn is longer than one memory */
  entry_ids?: string[] | undefined;
  /** Why it was not captured, and what to change */
  reason?: string | undefined;
};

export type TurnInput = {
  input: string;
  output: string;
  /** Deduplicates retries: a turn is captured once per request id */
  request_id?: string | undefined;
  /** Context of the call, such as the tenant or the user */
  context?: { [key: string]: unknown } | undefined;
  /** The store of entries for this call; the configured one by default */
  store?: string | undefined;
  /** The user, for a session that does not exist yet or has no user */
  user_id?: string | undefined;
  /** The agent, for a session that does not exist yet or has no agent */
  agent_id?: string | undefined;
  /** The project, for a session that does not exist yet or has no project */
  project_id?: string | undefined;
};

export type EntryCreate = {
  agent_id: string;
  /** The person whom it concerns; the session's by default */
  user_id?: string | undefined;
  session_id?: string | undefined;
  namespace?: Namespace | undefined;
  content: string;
  metadata?: { [key: string]: unknown } | undefined;
  /** Context of the call, such as the tenant or the user */
  context?: { [key: string]: unknown } | undefined;
  /** The store of entries for this call; the configured one by default */
  store?: string | undefined;
};

export type EntrySearch = {
  /** Only entries of this namespace, such as agent:ada or team; without it, those of all */
  namespace?: string | undefined;
  user_id?: string | undefined;
  agent_id?: string | undefined;
  session_id?: string | undefined;
  /** Only entries from this source */
  source?: "manual" | "conversation" | "memory" | undefined;
  /** Only entries whose metadata has these values */
  metadata?: { [key: string]: string | number | boolean } | undefined;
  filter?: EntryFilter | undefined;
  /** Default: 20 */
  limit?: number | undefined;
  cursor?: string | undefined;
  /** The store of entries for this call; the configured one by default */
  store?: string | undefined;
};

/** Conditions by `metadata.<key>` or `source`: a value, or $ne, $in, $nin, $lt, $lte, $gt, $gte */
export type EntryFilter = { [key: string]: string | number | boolean | {
    "$ne"?: string | number | boolean | undefined;
    "$in"?: (string | number | boolean)[] | undefined;
    "$nin"?: (string | number | boolean)[] | undefined;
    "$lt"?: string | number | undefined;
    "$lte"?: string | number | undefined;
    "$gt"?: string | number | undefined;
    "$gte"?: string | number | undefined;
  } };

export type RecallEntriesAnswer = {
  count: number;
  entries: RecalledEntry[];
  /** Where it looked: a namespace, or an owner such as user:<id>; null if the policy is off */
  namespace: string | null;
  /** Why there are no entries, and what to change */
  hint?: string | undefined;
};

export type RecallEntriesRequest = {
  /** What to look for, in plain words; without it, the newest entries. Default: "" */
  query?: string | undefined;
  /** The namespace, such as agent:ada or team; by default that of the agent's policy */
  namespace?: string | undefined;
  /** `session`: entries of the session only. `agent`: of all sessions. By default the policy's scope; with a namespace, agent */
  scope?: "agent" | "session" | undefined;
  /** Maximum number of entries. Default: 5 */
  limit?: number | undefined;
  /** Only entries from this source */
  source?: "manual" | "conversation" | "memory" | undefined;
  /** Only entries whose metadata has these values */
  metadata?: { [key: string]: string | number | boolean } | undefined;
  filter?: EntryFilter | undefined;
  /** Whether the newest lasting entries, without a score, follow when fewer match. Default: true */
  fill?: boolean | undefined;
  /** Context of the call, such as the tenant or the user */
  context?: { [key: string]: unknown } | undefined;
  /** The store of entries for this call; the configured one by default */
  store?: string | undefined;
  /** The session that the call belongs to */
  session_id?: string | undefined;
  /** The user, a person, that the call is about */
  user_id?: string | undefined;
  /** The agent that the call belongs to */
  agent_id?: string | undefined;
  /** The project that the call belongs to */
  project_id?: string | undefined;
};

export type NamespaceSummary = {
  namespace: string;
  /** Its entries, with those of its sessions */
  entries: number;
  /** When its oldest entry was created */
  first_entry: string;
  last_entry: string;
};

export type NamespaceReceipt = {
  deleted: {
    memories: number;
    triples: number;
    vectors: number;
    links: number;
  };
};

export type MetricsAnswer = {
  window: {
    /** The start of the first day */
    since: string;
    /** The end of the last day */
    until: string;
    days: number;
  };
  total: Metrics;
  by_project: (Metrics & {
    project_id: string | null;
  })[];
  by_agent: (Metrics & {
    agent_id: string | null;
  })[];
  /** Every day of the window */
  by_day: (Metrics & {
    day: string;
  })[];
  /** Every day of the window */
  activity: DayActivity[];
};

export type Metrics = {
  episodes: number;
  outcomes: {
    success: number;
    partial: number;
    failure: number;
  };
  /** Successes per episode; null without episodes */
  success_rate: number | null;
  /** Of the episodes with a duration; null without any */
  duration_seconds: {
    mean: number | null;
    p50: number | null;
    p95: number | null;
  };
  /** Of the episodes with `tokens_used` */
  tokens: {
    used: number;
    mean: number | null;
  };
  /** Episodes whose `task_id` had an earlier episode in the same project, at any time */
  retries: number;
  /** Errors that the episodes encountered */
  errors: number;
  /** Briefings of this project and agent */
  prime: {
    calls: number;
    /** Calls that returned at least one pattern */
    with_patterns: number;
    /** `with_patterns` per call; null without calls */
    pattern_rate: number | null;
    /** Patterns returned, each as often as it was */
    patterns: number;
    tokens_used: number;
    /** The sum of `tokens.saved` of the briefings */
    tokens_saved: number;
  };
};

export type DayActivity = {
  day: string;
  /** Memories with a timestamp of the day */
  memories: number;
  /** Messages with a timestamp of the day */
  messages: number;
  /** Recalls that returned memories, except those of keys without `write`; null for a project or an agent, for which they are not counted */
  recalls: number | null;
};

export type Usage = {
  /** Stored memories, superseded and forgotten ones included */
  memories: number;
  /** Messages that recall searches */
  messages: number;
  sessions: number;
  episodes: number;
  /** UTF-8 bytes of the texts of memories, messages, episodes and items, without indexes, and of what sessions store */
  bytes: number;
  /** Open streams of signals, as far as this isolate knows */
  streams: number;
  /** The quotas: a write beyond one is refused with `limit_exceeded` */
  limits: {
    /** null: no limit */
    memories: number | null;
    /** null: no limit */
    messages: number | null;
    /** null: no limit */
    sessions: number | null;
    /** null: no limit */
    episodes: number | null;
    /** null: no limit */
    bytes: number | null;
    /** null: no limit */
    streams: number | null;
  };
};

export type UserSummary = {
  id: string;
  /** Time of the oldest record of the user */
  first_seen: string;
  /** Time of the newest record of the user */
  last_seen: string;
  counts: {
    sessions: number;
    messages: number;
    /** Live memories */
    memories: number;
  };
};

export type UserProfile = UserSummary & {
  /** The most important first, then the newest */
  facts: UserStatement[];
  /** The most important first, then the newest */
  preferences: UserStatement[];
  /** Names and words of recent messages and memories */
  topics: string[];
};

export type UserStatement = {
  /** The id of its memory */
  id: string;
  content: string;
  type: string;
  confidence: number;
  timestamp: string;
  /** Present if it comes neither from the user nor from the agent: tool or external_document */
  source_type?: "user" | "agent" | "tool" | "external_document" | undefined;
};

export type UserReceipt = {
  deleted: {
    sessions: number;
    messages: number;
    memories: number;
    episodes: number;
    /** Triples of the erased memories and episodes */
    triples: number;
    vectors: number;
  };
};

export type Agent = {
  id: string;
  class: "agent" | "primary_agent" | "sub_agent";
  /** Whether it has been put. Others are known because a session, memory or episode names them */
  declared: boolean;
  properties: { [key: string]: unknown };
};

export type AgentPut = {
  /** By default `agent` */
  class?: "agent" | "primary_agent" | "sub_agent" | undefined;
  /** Properties by their names in the ontology, each a value or a list. A reference is an id, or `class/id` where the class is open */
  properties?: { [key: string]: unknown } | undefined;
};

export type AgentReceipt = {
  deleted: {
    sessions: number;
    messages: number;
    memories: number;
    episodes: number;
    /** Triples of the erased memories, episodes and declarations */
    triples: number;
    vectors: number;
    ledgers: number;
    handoffs: number;
    policies: number;
  };
};

export type Project = {
  id: string;
  /** Whether it has been put. Others are known because a session, memory or episode names them */
  declared: boolean;
  properties: { [key: string]: unknown };
};

export type ProjectPut = {
  /** Properties by their names in the ontology, each a value or a list. A reference is an id, or `class/id` where the class is open */
  properties?: { [key: string]: unknown } | undefined;
};

export type ProjectReceipt = {
  deleted: {
    sessions: number;
    messages: number;
    memories: number;
    episodes: number;
    /** Triples of the erased memories, episodes and declarations */
    triples: number;
    vectors: number;
    handoffs: number;
    skill_proposals: number;
    resources: number;
    /** Always 0 for a key without the scope `admin` */
    privacy_policies: number;
  };
};

export type PrivacyPolicy = {
  /** standard: secrets are masked in everything that leaves a session's window and thread; strict: there, too */
  privacy: "standard" | "strict";
  /** For each category: store it, mask it, or refuse the call (422) */
  personal_data: {
    email: "allow" | "mask" | "refuse";
    phone: "allow" | "mask" | "refuse";
    iban: "allow" | "mask" | "refuse";
    national_id: "allow" | "mask" | "refuse";
  };
};

export type PrivacyPut = {
  privacy?: "standard" | "strict" | undefined;
  personal_data?: {
    email?: "allow" | "mask" | "refuse" | undefined;
    phone?: "allow" | "mask" | "refuse" | undefined;
    iban?: "allow" | "mask" | "refuse" | undefined;
    national_id?: "allow" | "mask" | "refuse" | undefined;
  } | undefined;
};

export type Resource = {
  class: "repository" | "module" | "domain" | "source_file" | "code_concept" | "elixir_module" | "ash_resource" | "dsl" | "command" | "event" | "projection" | "justification";
  id: string;
  project_id: string | null;
  properties: { [key: string]: unknown };
};

export type ResourcePut = {
  /** The project it is part of; the same as partOfProject */
  project_id?: string | undefined;
  /** Properties by their names in the ontology, each a value or a list. A reference is an id, or `class/id` where the class is open */
  properties?: { [key: string]: unknown } | undefined;
};

export type ResourceDetail = Resource & {
  /** How many live memories and entities refer to it */
  references: number;
  /** The newest of them */
  referred_by: {
    /** The property, such as appliesToFile */
    relation: string;
    /** `memory`, or the class of an entity */
    class: string;
    id: string;
  }[];
};

export type ResourceReceipt = {
  deleted: {
    resources: number;
    triples: number;
    /** References to it, which were removed from memories and entities */
    references: number;
  };
};

export type Skill = {
  slug: string;
  name: string;
  /** Default: "" */
  description?: string | undefined;
  /** Default: [] */
  prerequisites?: string[] | undefined;
  steps: string[];
  /** Default: [] */
  common_errors?: CommonError[] | undefined;
  /** Default: [] */
  exit_criteria?: string[] | undefined;
  example_usage?: string | undefined;
  /** The body of a SKILL.md, as free Markdown, in place of steps and other sections */
  instructions?: string | undefined;
  license?: string | undefined;
  /** What the skill needs, such as a product or packages */
  compatibility?: string | undefined;
  /** Tools that the skill may use without asking, such as `Bash(git:*)` */
  allowed_tools?: string[] | undefined;
  /** Texts by name, as in the front matter of a SKILL.md */
  metadata?: { [key: string]: string } | undefined;
  /** null: it applies to all projects */
  project_id: string | null;
  /** `proposed` by a strong pattern: not used until it is accepted */
  status: "active" | "proposed" | "dismissed";
  /** Id of the pattern that proposed it; null if a caller wrote it */
  derived_from: string | null;
  /** Id of the memory that stores this version; null for a proposal */
  memory_id: string | null;
  importance: number;
  usage_count: number;
  last_used: string | null;
  updated_at: string;
};

export type CommonError = {
  error: string;
  fix: string;
};

export type SkillPut = {
  name: string;
  /** Default: "" */
  description?: string | undefined;
  /** Default: [] */
  prerequisites?: string[] | undefined;
  /** At least one, unless there are `instructions`. Default: [] */
  steps?: string[] | undefined;
  /** Default: [] */
  common_errors?: CommonError[] | undefined;
  /** Default: [] */
  exit_criteria?: string[] | undefined;
  example_usage?: string | undefined;
  /** The body of a SKILL.md, as free Markdown, in place of steps and other sections */
  instructions?: string | undefined;
  license?: string | undefined;
  /** What the skill needs, such as a product or packages */
  compatibility?: string | undefined;
  /** Tools that the skill may use without asking, such as `Bash(git:*)` */
  allowed_tools?: string[] | undefined;
  /** Texts by name, as in the front matter of a SKILL.md */
  metadata?: { [key: string]: string } | undefined;
  /** Must equal the slug in the path */
  slug?: string | undefined;
  /** The same as the query parameter */
  project_id?: string | null | undefined;
};

export type SkillPost = {
  name: string;
  /** Default: "" */
  description?: string | undefined;
  /** Default: [] */
  prerequisites?: string[] | undefined;
  /** At least one, unless there are `instructions`. Default: [] */
  steps?: string[] | undefined;
  /** Default: [] */
  common_errors?: CommonError[] | undefined;
  /** Default: [] */
  exit_criteria?: string[] | undefined;
  example_usage?: string | undefined;
  /** The body of a SKILL.md, as free Markdown, in place of steps and other sections */
  instructions?: string | undefined;
  license?: string | undefined;
  /** What the skill needs, such as a product or packages */
  compatibility?: string | undefined;
  /** Tools that the skill may use without asking, such as `Bash(git:*)` */
  allowed_tools?: string[] | undefined;
  /** Texts by name, as in the front matter of a SKILL.md */
  metadata?: { [key: string]: string } | undefined;
  /** Identifies the skill in its path */
  slug: string;
  /** The same as the query parameter */
  project_id?: string | null | undefined;
};

export type SkillDecision = {
  /** The project of the proposal; required if several projects have one of this slug */
  project_id?: string | undefined;
};

export type Ledger = {
  /** Default: 0 */
  tasks_completed?: number | undefined;
  /** Default: null */
  current_task?: string | null | undefined;
  /** Default: {} */
  state?: { [key: string]: unknown } | undefined;
  /** Default: {} */
  context?: { [key: string]: unknown } | undefined;
  agent_id: string;
  /** Number of the checkpoint, counting from 1 */
  version: number;
  last_checkpoint: string;
};

export type LedgerPut = {
  /** Default: 0 */
  tasks_completed?: number | undefined;
  /** Default: null */
  current_task?: string | null | undefined;
  /** Default: {} */
  state?: { [key: string]: unknown } | undefined;
  /** Default: {} */
  context?: { [key: string]: unknown } | undefined;
  /** Must equal the id in the path */
  agent_id?: string | undefined;
  /** Defaults to the current time */
  last_checkpoint?: string | undefined;
};

export type LedgerReceipt = {
  deleted: {
    checkpoints: number;
  };
};

export type Handoff = {
  from_agent: string;
  to_agent: string;
  /** Default: null */
  project_id?: string | null | undefined;
  context: HandoffContext;
  id: string;
  timestamp: string;
  status: "pending" | "acknowledged";
  /** The agent that acknowledged it */
  acknowledged_by: string | null;
  acknowledged_at: string | null;
};

export type HandoffContext = {
  what_was_done: string;
  /** Default: [] */
  artifacts?: string[] | undefined;
  /** Default: null */
  git_state?: string | null | undefined;
  /** Default: [] */
  needs_testing?: string[] | undefined;
  /** Default: [] */
  known_issues?: string[] | undefined;
  /** Ids of patterns. Default: [] */
  relevant_patterns?: string[] | undefined;
  [key: string]: unknown;
};

export type HandoffCreate = {
  from_agent: string;
  to_agent: string;
  /** Default: null */
  project_id?: string | null | undefined;
  context: HandoffContext;
  /** Your own id; sending the same handoff twice creates one */
  id?: string | undefined;
  /** Defaults to the current time */
  timestamp?: string | undefined;
};

export type AcknowledgeInput = {
  agent_id: string;
};

export type HandoffReceipt = {
  deleted: {
    handoffs: number;
  };
};

export type Extension = {
  name: string;
  version: number;
  turtle: string;
  created_at: string;
  /** Whether this version holds */
  current: boolean;
};

export type ExtensionAnswer = Extension & {
  /** The memory types that the tenant's extensions add */
  memory_types: string[];
};

export type ExtensionPut = {
  /** Classes, properties, individuals and SHACL shapes, as Turtle */
  turtle: string;
};

export type ExtensionDetail = Extension & {
  /** The versions that can be read, oldest first */
  versions: number[];
};

export type ImportAnswer = {
  /** The number of records of each kind */
  imported: { [key: string]: {
      added: number;
      /** Records that were there, and stay as they are */
      known: number;
      /** Memories that RDF states otherwise than they were */
      changed?: number | undefined;
    } };
  /** Of RDF: the ids of new memories, by the names of their nodes */
  ids?: { [key: string]: string } | undefined;
  /** Of RDF: references to what is not there, or not yet */
  warnings?: string[] | undefined;
};

export type ImportBody = {
  format: "jsonl" | "trig" | "nquads" | "turtle" | "jsonld";
  /** The text of an export, or of a part of it */
  data: string;
};

export type TenantReceipt = {
  deleted: {
    sessions: number;
    messages: number;
    memories: number;
    episodes: number;
    /** Triples of the erased memories, episodes and declarations */
    triples: number;
    vectors: number;
    items: number;
    ledgers: number;
    handoffs: number;
    policies: number;
    skill_proposals: number;
    privacy_policies: number;
    keys: number;
  };
};

export type ShardReport = {
  shards: {
    /** The name of the binding */
    name: string;
    /** The size of the database */
    bytes: number;
    /** The most that a database holds, in bytes */
    capacity: number;
    tenants: number;
    /** The tenants with the most text, largest first */
    largest: {
      tenant: string;
      text_bytes: number;
    }[];
  }[];
  /** Moves that are not finished */
  moves: ShardMove[];
  /** Moves that would relieve a database that is filling up */
  suggestions: {
    tenant: string;
    from: string;
    to: string;
    bytes: number;
  }[];
};

export type ShardMove = {
  tenant: string;
  source: string;
  target: string;
  step: "prepare" | "copy" | "index" | "catch_up" | "switch" | "delete";
  /** Rows copied so far */
  copied: number;
  started_at: string;
};

export type TenantMoveProgress = {
  finished: boolean;
  move: ShardMove & { [key: string]: unknown } | null;
};

export type IndexState = {
  index: "embedded" | "vectorize" | null;
  embedder: string | null;
  dimensions: number | null;
  /** The model that created the stored vectors; null if there are none */
  made_with: {
    embedder: string;
    dimensions: number;
    index: "embedded" | "vectorize";
  } | null;
  /** False if the configured model differs: recall is lexical until everything is re-embedded */
  matches: boolean;
  reembedding: boolean;
  /** Number of memories, messages and items that are not indexed yet */
  waiting: number;
  /** The reranker of recall; null if there is none */
  reranker: string | null;
};

export type AuditRecord = {
  at: string;
  /** What was called, such as `key.create`; of another refused call, its operation id */
  action: string;
  /** The id of the key; `admin` for the admin key */
  key_id: string;
  /** The path of what it was called on */
  target: string | null;
  /** `unknown` if the service stopped during the call, which may have taken effect */
  outcome: "ok" | "refused" | "failed" | "unknown";
  /** The error code of a refused or failed call */
  code: "invalid_request" | "unauthorized" | "forbidden" | "not_found" | "method_not_allowed" | "not_acceptable" | "conflict" | "gone" | "payload_too_large" | "unprocessable" | "rate_limited" | "limit_exceeded" | "internal" | "unavailable" | "not_configured" | null;
  /** The X-Request-Id of the call, or of the first of several */
  request_id: string;
  /** Refused calls and bulk reads are counted by key, action and minute: at least this many */
  count: number;
};

export type WebhookCreated = Webhook & {
  /** Shown this once */
  secret: string;
};

export type Webhook = {
  id: string;
  url: string;
  events: ("memory.created" | "memory.superseded" | "memory.forgotten" | "memory.erased" | "memory.promoted" | "episode.created" | "consolidation.completed")[];
  created_at: string;
  /** Since when every attempt has failed; null if the last one succeeded */
  failing_since: string | null;
  /** When it was disabled, after it had failed for days. A successful retry enables it */
  disabled_at: string | null;
};

export type WebhookCreate = {
  /** An https URL with a public host. Redirects are not followed */
  url: string;
  events: ("memory.created" | "memory.superseded" | "memory.forgotten" | "memory.erased" | "memory.promoted" | "episode.created" | "consolidation.completed")[];
  /** Signs deliveries. Without it, one is made */
  secret?: string | undefined;
};

export type WebhookDelivery = {
  /** The id of the event */
  id: string;
  type: "memory.created" | "memory.superseded" | "memory.forgotten" | "memory.erased" | "memory.promoted" | "episode.created" | "consolidation.completed";
  subject: string;
  time: string;
  /** `dead` after the last attempt: it can be retried */
  status: "pending" | "delivered" | "dead";
  attempts: number;
  attempted_at: string | null;
  next_attempt_at: string | null;
  /** Of the last attempt; null without a response */
  response_status: number | null;
  /** Why the last attempt failed */
  error: string | null;
};

/** Every call: what it takes, in its body or its query, and what it answers. */
export interface Operations {
  /** Whether the service is up */
  "GET /health": {
    input: undefined;
    answer: Health;
  };
  /** Read-only. Returns 200 even if a check fails: see `status`. */
  "GET /v1/admin/doctor": {
    input: undefined;
    answer: Doctor;
  };
  /** A tenant's administrator makes keys of that tenant with the scopes and the end of its own key at most. Without `expires_at`, the key ends with the key that made it. */
  "POST /v1/keys": {
    input: KeyCreate;
    answer: KeyCreated;
  };
  /** List keys */
  "GET /v1/keys": {
    input: {
      /** Default: 20 */
      limit?: number | undefined;
      cursor?: string | undefined;
      tenant?: string | undefined;
    };
    answer: {
      data: Key[];
      next_cursor: string | null;
    };
  };
  /** The new key has the tenant, name, scopes, binding and end of the old one. The old one works until the overlap ends. */
  "POST /v1/keys/{id}/rotate": {
    input: KeyRotate;
    answer: KeyCreated;
  };
  /** Calls that read or write the database refuse it at once. Calls that a session answers alone refuse it within 10 seconds. */
  "DELETE /v1/keys/{id}": {
    input: undefined;
    answer: undefined;
  };
  /** Read the tenant and the scopes of the key of this request */
  "GET /v1/keys/self": {
    input: undefined;
    answer: OwnKey;
  };
  /** Create a session */
  "POST /v1/sessions": {
    input: SessionCreate;
    answer: Session & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** List sessions, newest first */
  "GET /v1/sessions": {
    input: {
      /** Default: 20 */
      limit?: number | undefined;
      cursor?: string | undefined;
      user_id?: string | undefined;
      agent_id?: string | undefined;
      project_id?: string | undefined;
      status?: "active" | "paused" | "closed" | "abandoned" | undefined;
      phase?: "planning" | "implementation" | "debugging" | "review" | undefined;
    };
    answer: {
      data: SessionSummary[];
      next_cursor: string | null;
    };
  };
  /** Read a session */
  "GET /v1/sessions/{id}": {
    input: undefined;
    answer: Session;
  };
  /** Change a session's settings */
  "PATCH /v1/sessions/{id}": {
    input: SessionPatch;
    answer: Session & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** Erase a session, with `?memories=true` including its long-term memories */
  "DELETE /v1/sessions/{id}": {
    input: {
      /** Default: false */
      memories?: boolean | undefined;
    };
    answer: SessionReceipt;
  };
  /** The Accept header selects the syntax: application/json, application/n-triples, text/turtle, application/ld+json. */
  "GET /v1/sessions/{id}/triples": {
    input: undefined;
    answer: {
      data: {
        subject: string;
        predicate: string;
        object: string;
        datatype?: string | undefined;
      }[];
    };
  };
  /** Promote, then pause: no automatic promotion until resumed */
  "POST /v1/sessions/{id}/pause": {
    input: undefined;
    answer: SessionEnded & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** Resume a paused or abandoned session */
  "POST /v1/sessions/{id}/resume": {
    input: undefined;
    answer: Session & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** Promote a last time, then close permanently */
  "POST /v1/sessions/{id}/close": {
    input: undefined;
    answer: SessionEnded & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** Add messages to the conversation */
  "POST /v1/sessions/{id}/messages": {
    input: MessagesInSession;
    answer: MessagesAdded & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** List the messages of the conversation window, oldest first */
  "GET /v1/sessions/{id}/messages": {
    input: {
      /** Default: 20 */
      limit?: number | undefined;
      cursor?: string | undefined;
    };
    answer: {
      data: Message[];
      next_cursor: string | null;
    };
  };
  /** Set a key of the working context */
  "PUT /v1/sessions/{id}/context/{key}": {
    input: ContextPut;
    answer: ContextItem & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** Read a key of the working context; counts as an access unless `peek=true` */
  "GET /v1/sessions/{id}/context/{key}": {
    input: {
      /** Default: false */
      peek?: boolean | undefined;
    };
    answer: ContextItem;
  };
  /** Delete a key of the working context */
  "DELETE /v1/sessions/{id}/context/{key}": {
    input: undefined;
    answer: undefined;
  };
  /** List the working context */
  "GET /v1/sessions/{id}/context": {
    input: {
      /** Default: 20 */
      limit?: number | undefined;
      cursor?: string | undefined;
    };
    answer: {
      data: ContextItem[];
      next_cursor: string | null;
    };
  };
  /** Assemble a prompt-ready context within a token budget */
  "POST /v1/sessions/{id}/assemble": {
    input: AssembleInSession;
    answer: AssembleAnswer;
  };
  /** Add a pending memory */
  "POST /v1/sessions/{id}/pending": {
    input: PendingCreate;
    answer: PendingItem & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** List pending memories */
  "GET /v1/sessions/{id}/pending": {
    input: {
      /** Default: 20 */
      limit?: number | undefined;
      cursor?: string | undefined;
    };
    answer: {
      data: PendingItem[];
      next_cursor: string | null;
    };
  };
  /** Run a promotion now */
  "POST /v1/sessions/{id}/promote": {
    input: undefined;
    answer: PromotionAnswer & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** Read all spaces of a session */
  "GET /v1/sessions/{id}/memory": {
    input: undefined;
    answer: SessionMemory;
  };
  /** Spaces that are not given are deleted; `tasks` and `world` always exist and are emptied. The container gets one new revision, and each space that is written one of its own. */
  "PUT /v1/sessions/{id}/memory": {
    input: MemoryPut;
    answer: SessionMemory & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** Each named space gets new `data` or `ops`, or is deleted by `null`: all changes or none. The container gets one new revision, and each changed space one of its own. */
  "PATCH /v1/sessions/{id}/memory": {
    input: MemoryPatch;
    answer: SessionMemory & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** Create a space, or replace its contents */
  "PUT /v1/sessions/{id}/spaces/{name}": {
    input: SpacePut;
    answer: Space & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** Read a space */
  "GET /v1/sessions/{id}/spaces/{name}": {
    input: undefined;
    answer: Space;
  };
  /** Delete a space, other than tasks and world */
  "DELETE /v1/sessions/{id}/spaces/{name}": {
    input: {
      expected_rev?: number | undefined;
      expected_memory_rev?: number | undefined;
    };
    answer: undefined;
  };
  /** Read one key of a map space */
  "GET /v1/sessions/{id}/spaces/{name}/keys/{key}": {
    input: undefined;
    answer: {
      key: string;
      /** Any JSON value */
      value: unknown;
    };
  };
  /** Apply operations to a space atomically */
  "POST /v1/sessions/{id}/spaces/{name}/ops": {
    input: SpaceOps;
    answer: SpaceChanged & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** Add a task at the end or at an index */
  "POST /v1/sessions/{id}/tasks": {
    input: TaskCreate;
    answer: Task & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** List tasks, the most important first */
  "GET /v1/sessions/{id}/tasks": {
    input: {
      /** Default: 20 */
      limit?: number | undefined;
      cursor?: string | undefined;
      status?: "open" | "done" | undefined;
    };
    answer: {
      data: Task[];
      next_cursor: string | null;
    };
  };
  /** Read the first open task */
  "GET /v1/sessions/{id}/tasks/next": {
    input: undefined;
    answer: Task | undefined;
  };
  /** Mark a task as done */
  "POST /v1/sessions/{id}/tasks/{task_id}/complete": {
    input: TaskChange;
    answer: Task & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** Delete a task */
  "DELETE /v1/sessions/{id}/tasks/{task_id}": {
    input: {
      expected_rev?: number | undefined;
      expected_memory_rev?: number | undefined;
    };
    answer: undefined;
  };
  /** Reorder all tasks, including done ones */
  "PUT /v1/sessions/{id}/tasks/order": {
    input: TaskOrder;
    answer: {
      data: Task[];
    } & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** Append to the thread */
  "POST /v1/sessions/{id}/thread": {
    input: ThreadAppend;
    answer: ThreadAppended & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** `from` and `to` are inclusive. Continue with `from` = `next_seq`. */
  "GET /v1/sessions/{id}/thread": {
    input: {
      from?: number | undefined;
      to?: number | undefined;
      kind?: "message" | "tool_call" | "tool_result" | "signal" | "note" | undefined;
      /** Default: 20 */
      limit?: number | undefined;
    };
    answer: ThreadPage;
  };
  /** List the projectors and their progress */
  "GET /v1/sessions/{id}/projectors": {
    input: undefined;
    answer: {
      data: Projector[];
    };
  };
  /** Change the trigger of a projector in this session */
  "PATCH /v1/sessions/{id}/projectors/{name}": {
    input: ProjectorPatch;
    answer: Projector & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** Run a projector now, over the entries it has not covered */
  "POST /v1/sessions/{id}/projectors/{name}/run": {
    input: undefined;
    answer: ProjectorRun & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** Send a directive to a provider; a jido.memory.result signal reports the result */
  "POST /v1/sessions/{id}/directives": {
    input: Directive;
    answer: DirectiveAccepted & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** With `Accept: text/event-stream` the response is a live stream, and `Last-Event-ID` replaces `after`. With `Upgrade: websocket` each signal is a text message. */
  "GET /v1/sessions/{id}/signals": {
    input: {
      after?: number | undefined;
      /** Default: 20 */
      limit?: number | undefined;
    };
    answer: SignalPage;
  };
  /** Persist important information to long-term memory. Use it when you learn something valuable for future sessions: facts about the project or the user, preferences, decisions and their reasons, conventions, lessons, risks, open questions. */
  "POST /v1/sessions/{id}/remember": {
    input: {
      /** The content to remember: one concise, factual statement */
      content: string;
      /** Kind of memory, a class of the ontology. Default: "fact" */
      type?: "fact" | "preference" | "assumption" | "hypothesis" | "discovery" | "risk" | "unknown" | "decision" | "architectural_decision" | "implementation_decision" | "alternative" | "trade_off" | "task" | "milestone" | "plan" | "convention" | "coding_standard" | "architectural_convention" | "agent_rule" | "process_convention" | "error" | "bug" | "failure" | "incident" | "root_cause" | "lesson_learned" | "skill" | (string & {}) | undefined;
      /** A number, clamped to 0..1, or high (0.9), medium (0.6), low (0.3). Default: 0.8 */
      confidence?: number | "high" | "medium" | "low" | undefined;
      /** Why this is worth remembering */
      rationale?: string | undefined;
      /** References that support it. Default: [] */
      evidence?: string[] | undefined;
      /** The source of the information. Its rank decides what it may supersede: user and agent, then tool, then external_document. In a tool call, user counts as agent. Default: "agent" */
      source_type?: "user" | "agent" | "tool" | "external_document" | undefined;
      /** When it became true, if not now */
      valid_from?: string | undefined;
      /** Names a topic: a new memory with the same key in the same scope supersedes the live one */
      key?: string | undefined;
      /** The type's own properties from the ontology, e.g. { decisionStatus: "accepted" }, and its relations to other memories, by their ids, e.g. { hasAlternative: ["<id>"], contradicts: "<id>" } */
      properties?: { [key: string]: string | string[] } | undefined;
      /** Labels to filter by: texts, numbers, booleans and lists of texts, by key */
      metadata?: { [key: string]: string | number | boolean | string[] } | undefined;
      /** Tags to filter by */
      tags?: string[] | undefined;
      /** false keeps an earlier memory of the same topic or key. Default: true */
      supersede?: boolean | undefined;
      /** The user, a person, that the call is about */
      user_id?: string | undefined;
      /** The agent that the call belongs to */
      agent_id?: string | undefined;
      /** The project that the call belongs to */
      project_id?: string | undefined;
    };
    answer: RememberAnswer & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** Persist important information to long-term memory. Use it when you learn something valuable for future sessions: facts about the project or the user, preferences, decisions and their reasons, conventions, lessons, risks, open questions. */
  "POST /v1/remember": {
    input: {
      /** The content to remember: one concise, factual statement */
      content: string;
      /** Kind of memory, a class of the ontology. Default: "fact" */
      type?: "fact" | "preference" | "assumption" | "hypothesis" | "discovery" | "risk" | "unknown" | "decision" | "architectural_decision" | "implementation_decision" | "alternative" | "trade_off" | "task" | "milestone" | "plan" | "convention" | "coding_standard" | "architectural_convention" | "agent_rule" | "process_convention" | "error" | "bug" | "failure" | "incident" | "root_cause" | "lesson_learned" | "skill" | (string & {}) | undefined;
      /** A number, clamped to 0..1, or high (0.9), medium (0.6), low (0.3). Default: 0.8 */
      confidence?: number | "high" | "medium" | "low" | undefined;
      /** Why this is worth remembering */
      rationale?: string | undefined;
      /** References that support it. Default: [] */
      evidence?: string[] | undefined;
      /** The source of the information. Its rank decides what it may supersede: user and agent, then tool, then external_document. In a tool call, user counts as agent. Default: "agent" */
      source_type?: "user" | "agent" | "tool" | "external_document" | undefined;
      /** When it became true, if not now */
      valid_from?: string | undefined;
      /** Names a topic: a new memory with the same key in the same scope supersedes the live one */
      key?: string | undefined;
      /** The type's own properties from the ontology, e.g. { decisionStatus: "accepted" }, and its relations to other memories, by their ids, e.g. { hasAlternative: ["<id>"], contradicts: "<id>" } */
      properties?: { [key: string]: string | string[] } | undefined;
      /** Labels to filter by: texts, numbers, booleans and lists of texts, by key */
      metadata?: { [key: string]: string | number | boolean | string[] } | undefined;
      /** Tags to filter by */
      tags?: string[] | undefined;
      /** false keeps an earlier memory of the same topic or key. Default: true */
      supersede?: boolean | undefined;
      /** The session that the call belongs to */
      session_id?: string | undefined;
      /** The user, a person, that the call is about */
      user_id?: string | undefined;
      /** The agent that the call belongs to */
      agent_id?: string | undefined;
      /** The project that the call belongs to */
      project_id?: string | undefined;
    };
    answer: RememberAnswer & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** Search long-term memory for relevant information. Use it to retrieve previously learned facts, decisions, conventions, patterns or lessons before you answer or act. */
  "POST /v1/sessions/{id}/recall": {
    input: {
      /** The search query, in plain words */
      query?: string | undefined;
      /** Only this kind of memory, with its subclasses. Default: "all" */
      type?: "all" | "fact" | "preference" | "assumption" | "hypothesis" | "discovery" | "risk" | "unknown" | "decision" | "architectural_decision" | "implementation_decision" | "alternative" | "trade_off" | "task" | "milestone" | "plan" | "convention" | "coding_standard" | "architectural_convention" | "agent_rule" | "process_convention" | "error" | "bug" | "failure" | "incident" | "root_cause" | "lesson_learned" | "skill" | (string & {}) | undefined;
      /** Minimum confidence of a memory. Default: 0.5 */
      min_confidence?: number | undefined;
      /** Maximum number of memories. Default: 10 */
      limit?: number | undefined;
      /** Leaves out hits with a lower score */
      min_score?: number | undefined;
      /** Leaves out hits with a lower relevance (signals.relevance: coverage of the query plus similarity). 0 turns the floor off; by default a calibrated floor */
      min_relevance?: number | undefined;
      /** Search mode. Default: "hybrid" */
      mode?: "text" | "semantic" | "hybrid" | undefined;
      /** Whose memories to search; by default the session's reach, else the narrowest id that is given */
      scope?: "session" | "user" | "agent" | "project" | "tenant" | undefined;
      /** Include superseded and forgotten memories. Default: false */
      include_superseded?: boolean | undefined;
      /** Only memories from this time on */
      since?: string | undefined;
      /** Only memories up to this time */
      until?: string | undefined;
      /** What was known at this time: memories as they were then. A future time is now */
      as_of?: string | undefined;
      /** What was true at this time, also if it was superseded since */
      valid_at?: string | undefined;
      /** Only memories whose key begins with this */
      key_prefix?: string | undefined;
      filter?: MetadataFilter | undefined;
      /** The clock of the asker, by which "yesterday" or "last Tuesday" in the query are read; its offset is the time zone. The server's clock by default */
      now?: string | undefined;
      /** Sources to search: memories, messages of the conversations, episodes of a project. By default memories and messages, without the messages that the asking session still has in its window */
      sources?: ("memories" | "messages" | "episodes")[] | undefined;
      ranking?: RankingOptions | undefined;
      /** The user, a person, that the call is about */
      user_id?: string | undefined;
      /** The agent that the call belongs to */
      agent_id?: string | undefined;
      /** The project that the call belongs to */
      project_id?: string | undefined;
    };
    answer: RecallAnswer;
  };
  /** Search long-term memory for relevant information. Use it to retrieve previously learned facts, decisions, conventions, patterns or lessons before you answer or act. */
  "POST /v1/recall": {
    input: {
      /** The search query, in plain words */
      query?: string | undefined;
      /** Only this kind of memory, with its subclasses. Default: "all" */
      type?: "all" | "fact" | "preference" | "assumption" | "hypothesis" | "discovery" | "risk" | "unknown" | "decision" | "architectural_decision" | "implementation_decision" | "alternative" | "trade_off" | "task" | "milestone" | "plan" | "convention" | "coding_standard" | "architectural_convention" | "agent_rule" | "process_convention" | "error" | "bug" | "failure" | "incident" | "root_cause" | "lesson_learned" | "skill" | (string & {}) | undefined;
      /** Minimum confidence of a memory. Default: 0.5 */
      min_confidence?: number | undefined;
      /** Maximum number of memories. Default: 10 */
      limit?: number | undefined;
      /** Leaves out hits with a lower score */
      min_score?: number | undefined;
      /** Leaves out hits with a lower relevance (signals.relevance: coverage of the query plus similarity). 0 turns the floor off; by default a calibrated floor */
      min_relevance?: number | undefined;
      /** Search mode. Default: "hybrid" */
      mode?: "text" | "semantic" | "hybrid" | undefined;
      /** Whose memories to search; by default the session's reach, else the narrowest id that is given */
      scope?: "session" | "user" | "agent" | "project" | "tenant" | undefined;
      /** Include superseded and forgotten memories. Default: false */
      include_superseded?: boolean | undefined;
      /** Only memories from this time on */
      since?: string | undefined;
      /** Only memories up to this time */
      until?: string | undefined;
      /** What was known at this time: memories as they were then. A future time is now */
      as_of?: string | undefined;
      /** What was true at this time, also if it was superseded since */
      valid_at?: string | undefined;
      /** Only memories whose key begins with this */
      key_prefix?: string | undefined;
      filter?: MetadataFilter | undefined;
      /** The clock of the asker, by which "yesterday" or "last Tuesday" in the query are read; its offset is the time zone. The server's clock by default */
      now?: string | undefined;
      /** Sources to search: memories, messages of the conversations, episodes of a project. By default memories and messages, without the messages that the asking session still has in its window */
      sources?: ("memories" | "messages" | "episodes")[] | undefined;
      ranking?: RankingOptions | undefined;
      /** The session that the call belongs to */
      session_id?: string | undefined;
      /** The user, a person, that the call is about */
      user_id?: string | undefined;
      /** The agent that the call belongs to */
      agent_id?: string | undefined;
      /** The project that the call belongs to */
      project_id?: string | undefined;
    };
    answer: RecallAnswer;
  };
  /** Mark a memory as superseded (soft delete). It stays for provenance but is no longer recalled. Use it when information is outdated or wrong; name the memory that replaces it if there is one. */
  "POST /v1/sessions/{id}/forget": {
    input: {
      /** Id of the memory to forget */
      memory_id: string;
      /** Why it is no longer valid */
      reason?: string | undefined;
      /** Id of the memory that replaces it */
      replacement_id?: string | undefined;
      /** The user, a person, that the call is about */
      user_id?: string | undefined;
      /** The agent that the call belongs to */
      agent_id?: string | undefined;
      /** The project that the call belongs to */
      project_id?: string | undefined;
    };
    answer: ForgetAnswer & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** Mark a memory as superseded (soft delete). It stays for provenance but is no longer recalled. Use it when information is outdated or wrong; name the memory that replaces it if there is one. */
  "POST /v1/forget": {
    input: {
      /** Id of the memory to forget */
      memory_id: string;
      /** Why it is no longer valid */
      reason?: string | undefined;
      /** Id of the memory that replaces it */
      replacement_id?: string | undefined;
      /** The session that the call belongs to */
      session_id?: string | undefined;
      /** The user, a person, that the call is about */
      user_id?: string | undefined;
      /** The agent that the call belongs to */
      agent_id?: string | undefined;
      /** The project that the call belongs to */
      project_id?: string | undefined;
    };
    answer: ForgetAnswer & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** List tool definitions in a model's format */
  "GET /v1/tools": {
    input: {
      /** Default: "openai" */
      format?: "openai" | "openai-responses" | "anthropic" | "mcp" | undefined;
      /** `core` is remember, recall and forget; `all` is every tool. Default: "core" */
      set?: "core" | "all" | undefined;
    };
    answer: { [key: string]: unknown }[];
  };
  /** `call` is what the model returned: one tool call, or its whole answer with any number of them. One call is answered by its result. An answer is answered by a list of results in the order of its calls, which run one after the other. A call that fails is a result too, and does not stop the others. */
  "POST /v1/tools/execute": {
    input: ToolExecute;
    answer: OpenAiToolResult | ResponsesToolResult | AnthropicToolResult | NamedToolResult | (OpenAiToolResult | ResponsesToolResult | AnthropicToolResult | NamedToolResult)[];
  };
  /** List memories, newest first */
  "GET /v1/memories": {
    input: {
      /** Default: 20 */
      limit?: number | undefined;
      cursor?: string | undefined;
      type?: "fact" | "preference" | "assumption" | "hypothesis" | "discovery" | "risk" | "unknown" | "decision" | "architectural_decision" | "implementation_decision" | "alternative" | "trade_off" | "task" | "milestone" | "plan" | "convention" | "coding_standard" | "architectural_convention" | "agent_rule" | "process_convention" | "error" | "bug" | "failure" | "incident" | "root_cause" | "lesson_learned" | "skill" | (string & {}) | undefined;
      session_id?: string | undefined;
      user_id?: string | undefined;
      agent_id?: string | undefined;
      project_id?: string | undefined;
      /** Default: false */
      include_superseded?: boolean | undefined;
      /** What was known at this time: memories as they were then. A future time is now */
      as_of?: string | undefined;
      /** What was true at this time, also if it was superseded since */
      valid_at?: string | undefined;
      /** Only memories with this tag */
      tag?: string | undefined;
      /** Only the memory with this key, in the given session, agent or project */
      key?: string | undefined;
      /** Only memories whose key begins with this prefix, in the given session, agent or project */
      key_prefix?: string | undefined;
    };
    answer: {
      data: Memory[];
      next_cursor: string | null;
    };
  };
  /** Read a memory with its provenance */
  "GET /v1/memories/{id}": {
    input: {
      /** What was known at this time: memories as they were then. A future time is now */
      as_of?: string | undefined;
      /** What was true at this time, also if it was superseded since */
      valid_at?: string | undefined;
    };
    answer: MemoryDetail;
  };
  /** Erase a memory from triples, read model, text index and vectors */
  "DELETE /v1/memories/{id}": {
    input: undefined;
    answer: MemoryReceipt;
  };
  /** Another content or type makes a successor: a memory with a new id that supersedes this one and has its owner, evidence, metadata and tags. Anything else, also another case or spacing of the content, changes in place. Of a memory that is not live only metadata and tags can be changed. */
  "PATCH /v1/memories/{id}": {
    input: UpdateMemoryInput;
    answer: UpdateMemoryAnswer & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** The Accept header selects the syntax: application/json, application/n-triples, text/turtle, application/ld+json. */
  "GET /v1/memories/{id}/triples": {
    input: undefined;
    answer: {
      data: {
        subject: string;
        predicate: string;
        object: string;
        datatype?: string | undefined;
      }[];
    };
  };
  /** Read the chain of supersession of a memory with its versions, oldest first */
  "GET /v1/memories/{id}/history": {
    input: {
      /** What was known at this time: memories as they were then. A future time is now */
      as_of?: string | undefined;
      /** What was true at this time, also if it was superseded since */
      valid_at?: string | undefined;
    };
    answer: {
      data: RecordedMemory[];
    };
  };
  /** List the memories that pass a filter, newest first */
  "POST /v1/memories/search": {
    input: MemorySearch;
    answer: {
      data: Memory[];
      next_cursor: string | null;
    };
  };
  /** Each item is a body of POST /v1/remember with its own owner, and has its own result: an invalid item does not refuse the others. Items are stored in order, those of one session together. */
  "POST /v1/memories/batch": {
    input: BatchInput;
    answer: BatchAnswer & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** As JSON, or in PROV-O by the Accept header: application/n-triples, text/turtle, application/ld+json. */
  "GET /v1/memories/{id}/why": {
    input: undefined;
    answer: MemoryLineage;
  };
  /** Read what would lose support if a memory were wrong */
  "GET /v1/memories/{id}/impact": {
    input: undefined;
    answer: MemoryImpact;
  };
  /** Repeating a link updates its strength. `contradicts` and `related_to` are symmetric. A memory that is superseded is no longer recalled, as with forget. A relation of the ontology, such as `hasAlternative`, is checked against its domain and range, and is a property of the memory that it leads from. One that leads to a resource, an agent or a project, such as `justifiedBy` or `appliesToFile`, has no strength. */
  "POST /v1/links": {
    input: LinkCreate;
    answer: Link & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** List the links of a memory, an episode or a resource, in both directions or one */
  "GET /v1/links": {
    input: {
      /** Default: 20 */
      limit?: number | undefined;
      cursor?: string | undefined;
      /** The id of a memory or an episode, or the name of a pattern; `class/id` for a resource, an agent or a project, such as `source_file/router` */
      of: string;
      /** A relation of the ontology is checked against its domain and range. `has_alternative` is accepted for `hasAlternative`, `relatedTo` for `related_to` */
      relation?: "derived_from" | "related_to" | "contradicts" | "elaborates" | "example_of" | "supersedes" | "superseded_by" | "supports" | "refines" | "confirms" | "hasAlternative" | "selectedAlternative" | "hasTradeOff" | "dependsOn" | "blockedBy" | "partOfMilestone" | "partOfPlan" | "hasRootCause" | "producedLesson" | "relatedError" | "justifiedBy" | "appliesToModule" | "appliesToDomain" | "appliesToFile" | "refersTo" | "assignedTo" | "createdBy" | "governsAgent" | "partOfProject" | "hasRepository" | "hasModule" | "hasDomain" | "definedInFile" | "partOfModule" | "implementsDSL" | "emitsEvent" | "handledByProjection" | "reportsTo" | "spawnedSubAgent" | undefined;
      /** Only links that start at `of` (out), or that end there (in) */
      direction?: "out" | "in" | undefined;
      /** Follow the relation from link to link: dependsOn, blockedBy or refines. Default: false */
      transitive?: boolean | undefined;
    };
    answer: {
      data: Link[];
      next_cursor: string | null;
    };
  };
  /** Delete a link */
  "DELETE /v1/links/{id}": {
    input: undefined;
    answer: undefined;
  };
  /** List contradictions between memories, newest first */
  "GET /v1/contradictions": {
    input: {
      /** Default: 20 */
      limit?: number | undefined;
      cursor?: string | undefined;
      project_id?: string | undefined;
      /** Default: "open" */
      status?: "open" | "resolved" | undefined;
    };
    answer: {
      data: Contradiction[];
      next_cursor: string | null;
    };
  };
  /** Resolve a contradiction */
  "POST /v1/contradictions/{id}/resolve": {
    input: ResolveInput;
    answer: Contradiction & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** Create multiple new entities in the knowledge graph. Works on the graph of the given `agent_id` or `project_id`, or on the tenant's own graph without either. */
  "POST /v1/graph/create_entities": {
    input: {
      entities: {
        /** The name of the entity */
        name: string;
        /** The type of the entity */
        entityType: string;
        /** An array of observation contents associated with the entity */
        observations: string[];
      }[];
      /** The agent that the call belongs to */
      agent_id?: string | undefined;
      /** The project that the call belongs to */
      project_id?: string | undefined;
    };
    answer: {
      entities: GraphEntity[];
    } & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** Create multiple new relations between entities in the knowledge graph. Relations should be in active voice. Works on the graph of the given `agent_id` or `project_id`, or on the tenant's own graph without either. */
  "POST /v1/graph/create_relations": {
    input: {
      relations: {
        /** The name of the entity where the relation starts */
        from: string;
        /** The name of the entity where the relation ends */
        to: string;
        /** The type of the relation */
        relationType: string;
      }[];
      /** The agent that the call belongs to */
      agent_id?: string | undefined;
      /** The project that the call belongs to */
      project_id?: string | undefined;
    };
    answer: {
      relations: GraphRelation[];
    } & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** Add new observations to existing entities in the knowledge graph. Works on the graph of the given `agent_id` or `project_id`, or on the tenant's own graph without either. */
  "POST /v1/graph/add_observations": {
    input: {
      observations: {
        /** The name of the entity to add the observations to */
        entityName: string;
        /** An array of observation contents to add */
        contents: string[];
      }[];
      /** The agent that the call belongs to */
      agent_id?: string | undefined;
      /** The project that the call belongs to */
      project_id?: string | undefined;
    };
    answer: {
      results: {
        entityName: string;
        addedObservations: string[];
      }[];
    } & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** Delete multiple entities and their associated relations from the knowledge graph. Works on the graph of the given `agent_id` or `project_id`, or on the tenant's own graph without either. */
  "POST /v1/graph/delete_entities": {
    input: {
      /** An array of entity names to delete */
      entityNames: string[];
      /** The agent that the call belongs to */
      agent_id?: string | undefined;
      /** The project that the call belongs to */
      project_id?: string | undefined;
    };
    answer: GraphDeleted & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** Delete specific observations from entities in the knowledge graph. Works on the graph of the given `agent_id` or `project_id`, or on the tenant's own graph without either. */
  "POST /v1/graph/delete_observations": {
    input: {
      deletions: {
        /** The name of the entity containing the observations */
        entityName: string;
        /** An array of observations to delete */
        observations: string[];
      }[];
      /** The agent that the call belongs to */
      agent_id?: string | undefined;
      /** The project that the call belongs to */
      project_id?: string | undefined;
    };
    answer: GraphDeleted & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** Delete multiple relations from the knowledge graph. Works on the graph of the given `agent_id` or `project_id`, or on the tenant's own graph without either. */
  "POST /v1/graph/delete_relations": {
    input: {
      /** An array of relations to delete */
      relations: {
        /** The name of the entity where the relation starts */
        from: string;
        /** The name of the entity where the relation ends */
        to: string;
        /** The type of the relation */
        relationType: string;
      }[];
      /** The agent that the call belongs to */
      agent_id?: string | undefined;
      /** The project that the call belongs to */
      project_id?: string | undefined;
    };
    answer: GraphDeleted & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** Read the entire knowledge graph. Works on the graph of the given `agent_id` or `project_id`, or on the tenant's own graph without either. */
  "POST /v1/graph/read_graph": {
    input: {
      /** The agent that the call belongs to */
      agent_id?: string | undefined;
      /** The project that the call belongs to */
      project_id?: string | undefined;
    };
    answer: KnowledgeGraph;
  };
  /** Search for nodes in the knowledge graph based on a query. Works on the graph of the given `agent_id` or `project_id`, or on the tenant's own graph without either. */
  "POST /v1/graph/search_nodes": {
    input: {
      /** The search query to match against entity names, types, and observation content */
      query: string;
      /** The agent that the call belongs to */
      agent_id?: string | undefined;
      /** The project that the call belongs to */
      project_id?: string | undefined;
    };
    answer: KnowledgeGraph;
  };
  /** Open specific nodes in the knowledge graph by their names. Works on the graph of the given `agent_id` or `project_id`, or on the tenant's own graph without either. */
  "POST /v1/graph/open_nodes": {
    input: {
      /** An array of entity names to retrieve */
      names: string[];
      /** The agent that the call belongs to */
      agent_id?: string | undefined;
      /** The project that the call belongs to */
      project_id?: string | undefined;
    };
    answer: KnowledgeGraph;
  };
  /** Covers the tenant's memories, sessions, episodes, links, agents, projects and the ontology, within the binding of the key. SELECT and ASK are answered as JSON, XML, CSV or TSV, CONSTRUCT and DESCRIBE as Turtle, N-Triples, TriG, N-Quads or JSON-LD, according to `Accept` (406 if none fits). A malformed query is a 400 with its line and column, one that is too expensive a 422 that says what to bind, an update a 405. Without `query`, and with `Accept: text/turtle`, the answer is the SPARQL service description. */
  "GET /v1/sparql": {
    input: {
      /** A SPARQL 1.1 query: SELECT, ASK, CONSTRUCT or DESCRIBE */
      query?: string | undefined;
      /** The graphs that form the default graph */
      "default-graph-uri"?: string[] | undefined;
      /** The named graphs */
      "named-graph-uri"?: string[] | undefined;
      /** Whether subclasses, sub-properties and inverse properties are followed. Default: true */
      infer?: boolean | undefined;
      /** What was known at this time: memories as they were then. A future time is now */
      as_of?: string | undefined;
      /** What was true at this time, also if it was superseded since */
      valid_at?: string | undefined;
      /** Refused with 405: updates go through the calls that write */
      update?: string | undefined;
    };
    answer: SparqlResults;
  };
  /** Covers the tenant's memories, sessions, episodes, links, agents, projects and the ontology, within the binding of the key. SELECT and ASK are answered as JSON, XML, CSV or TSV, CONSTRUCT and DESCRIBE as Turtle, N-Triples, TriG, N-Quads or JSON-LD, according to `Accept` (406 if none fits). A malformed query is a 400 with its line and column, one that is too expensive a 422 that says what to bind, an update a 405. */
  "POST /v1/sparql": {
    input: SparqlPost;
    answer: SparqlResults;
  };
  /** mem0's `ping`, the first call of its clients. */
  "GET /mem0/v1/ping": {
    input: undefined;
    answer: {
      status: "ok";
    };
  };
  /** mem0's `add`. Returns when the memories are stored. By default fixed rules choose the sentences to store, without a language model; with `infer: false` each message is stored as it is. */
  "POST /mem0/v3/memories/add": {
    input: Mem0Add;
    answer: Mem0Added & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** mem0's `search`. Scores are from 0 to 1 and are not comparable to mem0's. */
  "POST /mem0/v3/memories/search": {
    input: Mem0Search;
    answer: Mem0Found;
  };
  /** mem0's `getAll`. */
  "POST /mem0/v3/memories": {
    input: Mem0List;
    answer: Mem0Memories;
  };
  /** mem0's `deleteAll`. With several ids, only memories that have all of them. */
  "DELETE /mem0/v1/memories": {
    input: {
      user_id?: string | null | undefined;
      agent_id?: string | null | undefined;
      app_id?: string | null | undefined;
      run_id?: string | null | undefined;
      /** Any JSON value */
      org_id?: unknown | undefined;
      /** Any JSON value */
      project_id?: unknown | undefined;
    };
    answer: Mem0Told;
  };
  /** mem0's `get`. */
  "GET /mem0/v1/memories/{id}": {
    input: undefined;
    answer: Mem0Memory;
  };
  /** mem0's `update`. The memory is changed in place and keeps its id and creation time. */
  "PUT /mem0/v1/memories/{id}": {
    input: Mem0Update;
    answer: Mem0Memory & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** mem0's `delete`. Memories are changed in place, so there are no linked versions to delete. */
  "DELETE /mem0/v1/memories/{id}": {
    input: {
      delete_linked?: string | undefined;
    };
    answer: Mem0Told;
  };
  /** mem0's `users`. */
  "GET /mem0/v1/entities": {
    input: {
      /** Default: 1 */
      page?: number | undefined;
      /** Default: 100 */
      page_size?: number | undefined;
    };
    answer: Mem0Entities;
  };
  /** mem0's `deleteUsers`. */
  "DELETE /mem0/v2/entities/{type}/{name}": {
    input: undefined;
    answer: Mem0Told;
  };
  /** Record an attempt at a task */
  "POST /v1/episodes": {
    input: EpisodeCreate;
    answer: Episode & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** List episodes, newest first */
  "GET /v1/episodes": {
    input: {
      /** Default: 20 */
      limit?: number | undefined;
      cursor?: string | undefined;
      project_id?: string | undefined;
      user_id?: string | undefined;
      outcome?: "success" | "failure" | "partial" | undefined;
      agent?: string | undefined;
      /** Episodes of this day, or this time, and later */
      since?: string | undefined;
      /** Episodes of this day, or this time, and earlier */
      until?: string | undefined;
      /** Default: false */
      include_archived?: boolean | undefined;
    };
    answer: {
      data: Episode[];
      next_cursor: string | null;
    };
  };
  /** Read an episode, including an archived one */
  "GET /v1/episodes/{id}": {
    input: undefined;
    answer: Episode;
  };
  /** Erase an episode from triples, read model, text index and vectors, with all references to it */
  "DELETE /v1/episodes/{id}": {
    input: undefined;
    answer: EpisodeReceipt;
  };
  /** Write a pattern or an anti-pattern */
  "POST /v1/patterns": {
    input: PatternCreate;
    answer: Pattern & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** List patterns, newest first */
  "GET /v1/patterns": {
    input: {
      /** Default: 20 */
      limit?: number | undefined;
      cursor?: string | undefined;
      project_id?: string | undefined;
      category?: string | undefined;
      /** Default: false */
      include_superseded?: boolean | undefined;
    };
    answer: {
      data: Pattern[];
      next_cursor: string | null;
    };
  };
  /** Read a pattern by its id or its name */
  "GET /v1/patterns/{id}": {
    input: undefined;
    answer: Pattern;
  };
  /** Record a mistake with its cause, fix and prevention */
  "POST /v1/learnings": {
    input: LearningCreate;
    answer: Learning & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** List learnings, newest first */
  "GET /v1/learnings": {
    input: {
      /** Default: 20 */
      limit?: number | undefined;
      cursor?: string | undefined;
      project_id?: string | undefined;
      /** Learnings that occurred on this day, at this time or later */
      since?: string | undefined;
      /** Learnings that occurred on this day, at this time or earlier */
      until?: string | undefined;
    };
    answer: {
      data: Learning[];
      next_cursor: string | null;
    };
  };
  /** Runs of one project are serialised. A second run over the same episodes changes nothing. */
  "POST /v1/consolidate": {
    input: ConsolidateInput;
    answer: ConsolidateAnswer & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** Maintain the experience of a project: decay, summarise, archive and merge duplicates */
  "POST /v1/maintenance": {
    input: MaintenanceInput;
    answer: MaintenanceAnswer & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** Get a briefing before a task: patterns, mistakes, skills and episodes, within a token budget */
  "POST /v1/prime": {
    input: PrimeInput;
    answer: PrimeAnswer;
  };
  /** Read a session's working memory as a page: current work, relevant memories, mistakes to avoid */
  "GET /v1/sessions/{id}/continuity": {
    input: undefined;
    answer: string;
  };
  /** Set an agent's memory policy */
  "PUT /v1/agents/{agent_id}/policy": {
    input: PolicyInput;
    answer: Policy & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** Read an agent's memory policy, or the defaults */
  "GET /v1/agents/{agent_id}/policy": {
    input: undefined;
    answer: Policy;
  };
  /** Erase an agent's memory policy; the defaults apply again */
  "DELETE /v1/agents/{agent_id}/policy": {
    input: undefined;
    answer: PolicyReceipt;
  };
  /** Build the messages of the next turn, with memory injected */
  "POST /v1/sessions/{id}/preflight": {
    input: PreflightInput;
    answer: PreflightAnswer;
  };
  /** A failed capture is reported in the response and is not an error: the turn is over. */
  "POST /v1/sessions/{id}/turns": {
    input: TurnInput;
    answer: TurnAnswer & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** Write an entry to an agent's memory */
  "POST /v1/entries": {
    input: EntryCreate;
    answer: Entry & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** A parameter `metadata.<key>=<value>` narrows the list to entries whose metadata has that value: `metadata.kind=preference`. It matches the text, and the number or boolean written so. */
  "GET /v1/entries": {
    input: {
      /** Default: 20 */
      limit?: number | undefined;
      cursor?: string | undefined;
      /** Only entries of this namespace, such as agent:ada or team; without it, those of all */
      namespace?: string | undefined;
      user_id?: string | undefined;
      agent_id?: string | undefined;
      session_id?: string | undefined;
      /** Only entries from this source */
      source?: "manual" | "conversation" | "memory" | undefined;
      /** The store of entries for this call; the configured one by default */
      store?: string | undefined;
    };
    answer: {
      data: Entry[];
      next_cursor: string | null;
    };
  };
  /** List the entries that pass a filter, newest first */
  "POST /v1/entries/search": {
    input: EntrySearch;
    answer: {
      data: Entry[];
      next_cursor: string | null;
    };
  };
  /** Looks in the named namespace; without one, where a preflight of the session or the owner would. No match is an empty list. */
  "POST /v1/entries/recall": {
    input: RecallEntriesRequest;
    answer: RecallEntriesAnswer;
  };
  /** The entries of `<namespace>:session:<session>` count towards `<namespace>`; the prefix `<namespace>:session:` lists the sessions. */
  "GET /v1/namespaces": {
    input: {
      /** Default: 20 */
      limit?: number | undefined;
      cursor?: string | undefined;
      /** Only names that begin with it; with `<namespace>:session:`, the sessions of a namespace. Default: "" */
      prefix?: string | undefined;
      /** The store of entries for this call; the configured one by default */
      store?: string | undefined;
    };
    answer: {
      data: NamespaceSummary[];
      next_cursor: string | null;
    };
  };
  /** Erases what a list of the namespace shows, with `:session:*` below it, and what was superseded or forgotten in it, from triples, read model, text index and vectors. `agent:<id>` includes the agent's memories outside of namespaces. Encode the name in the path: `agent%3Aada`. After a 503, send the same call again: it continues. */
  "DELETE /v1/namespaces/{namespace}": {
    input: {
      /** The store of entries for this call; the configured one by default */
      store?: string | undefined;
    };
    answer: NamespaceReceipt;
  };
  /** The last `window_days` days, in total and by project, agent and day; of one project and one agent, if named. A breakdown has the 100 projects or agents with the most episodes. `activity` counts what was stored and recalled. */
  "GET /v1/metrics": {
    input: {
      project_id?: string | undefined;
      agent_id?: string | undefined;
      /** The length of the window, in days of UTC */
      window_days?: number | undefined;
      /** The last day, or a time of it; today by default */
      until?: string | undefined;
    };
    answer: MetricsAnswer;
  };
  /** The counts are those of the moment at which the call was authenticated. */
  "GET /v1/usage": {
    input: undefined;
    answer: Usage;
  };
  /** A user exists as soon as a session, a message, a memory or an episode has their `user_id`. */
  "GET /v1/users": {
    input: {
      /** Default: 20 */
      limit?: number | undefined;
      cursor?: string | undefined;
    };
    answer: {
      data: UserSummary[];
      next_cursor: string | null;
    };
  };
  /** With `Accept: text/markdown`, a text for a system prompt. Encode the id in the path: `auth0%7C123`. */
  "GET /v1/users/{id}": {
    input: undefined;
    answer: UserProfile;
  };
  /** Erases the user's sessions with their short-term memory, and their messages, memories and episodes, from triples, read model, text index and vectors. After a 503, send the same call again: it continues where the first one stopped, and its receipt counts what it erased itself. */
  "DELETE /v1/users/{id}": {
    input: undefined;
    answer: UserReceipt;
  };
  /** Those that are declared, and those that a session, a memory, an episode, a policy or a ledger names. */
  "GET /v1/agents": {
    input: {
      /** Default: 20 */
      limit?: number | undefined;
      cursor?: string | undefined;
    };
    answer: {
      data: Agent[];
      next_cursor: string | null;
    };
  };
  /** Replaces its declaration; without a class and properties, removes it. An agent with any `hasCapability` needs `CanQueryMemory` to read long-term memory and `CanWriteMemory` to write it. */
  "PUT /v1/agents/{agent_id}": {
    input: AgentPut;
    answer: Agent & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** Read an agent */
  "GET /v1/agents/{agent_id}": {
    input: undefined;
    answer: Agent;
  };
  /** Erases its sessions with their short-term memory, its messages, memories, entries and episodes, its policy, its ledger, the handoffs from it and to it, its declaration and its briefing counts. After a 503, send the same call again: it continues where the first one stopped, and its receipt counts what it erased itself. */
  "DELETE /v1/agents/{agent_id}": {
    input: undefined;
    answer: AgentReceipt;
  };
  /** The Accept header selects the syntax: application/json, application/n-triples, text/turtle, application/ld+json. */
  "GET /v1/agents/{agent_id}/triples": {
    input: undefined;
    answer: {
      data: {
        subject: string;
        predicate: string;
        object: string;
        datatype?: string | undefined;
      }[];
    };
  };
  /** Those that are declared, and those that a session, a memory or an episode names. */
  "GET /v1/projects": {
    input: {
      /** Default: 20 */
      limit?: number | undefined;
      cursor?: string | undefined;
    };
    answer: {
      data: Project[];
      next_cursor: string | null;
    };
  };
  /** Replaces its declaration; without properties, removes it. */
  "PUT /v1/projects/{project_id}": {
    input: ProjectPut;
    answer: Project & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** Read a project */
  "GET /v1/projects/{project_id}": {
    input: undefined;
    answer: Project;
  };
  /** Erases its sessions with their short-term memory, its messages, memories, patterns, learnings, skills and episodes, its handoffs, proposed skills and resources, its declaration, its briefing counts, and the state of its consolidation. After a 503, send the same call again: it continues where the first one stopped, and its receipt counts what it erased itself. A key with the scope `admin` also erases the project's privacy policy. */
  "DELETE /v1/projects/{project_id}": {
    input: undefined;
    answer: ProjectReceipt;
  };
  /** The Accept header selects the syntax: application/json, application/n-triples, text/turtle, application/ld+json. */
  "GET /v1/projects/{project_id}/triples": {
    input: undefined;
    answer: {
      data: {
        subject: string;
        predicate: string;
        object: string;
        datatype?: string | undefined;
      }[];
    };
  };
  /** Read the tenant's privacy policy, or the defaults */
  "GET /v1/privacy": {
    input: undefined;
    answer: PrivacyPolicy;
  };
  /** Fields that are left out have their defaults. Holds for what is written from now on; stored data is not changed. */
  "PUT /v1/privacy": {
    input: PrivacyPut;
    answer: PrivacyPolicy;
  };
  /** Read the privacy policy that holds in a project */
  "GET /v1/projects/{project_id}/privacy": {
    input: undefined;
    answer: PrivacyPolicy;
  };
  /** Fields that are left out are the tenant's. A project cannot loosen `strict`. The project need not exist yet. */
  "PUT /v1/projects/{project_id}/privacy": {
    input: PrivacyPut;
    answer: PrivacyPolicy;
  };
  /** Remove the privacy policy of a project, which then has the tenant's */
  "DELETE /v1/projects/{project_id}/privacy": {
    input: undefined;
    answer: undefined;
  };
  /** List resources by class and id */
  "GET /v1/resources": {
    input: {
      /** Default: 20 */
      limit?: number | undefined;
      cursor?: string | undefined;
      /** Only of this class and its subclasses */
      class?: "repository" | "module" | "domain" | "source_file" | "code_concept" | "elixir_module" | "ash_resource" | "dsl" | "command" | "event" | "projection" | "justification" | undefined;
      project_id?: string | undefined;
    };
    answer: {
      data: Resource[];
      next_cursor: string | null;
    };
  };
  /** Properties are checked against their domain and range, and references must exist. */
  "PUT /v1/resources/{class}/{id}": {
    input: ResourcePut;
    answer: Resource & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** Read a resource, with the memories that refer to it */
  "GET /v1/resources/{class}/{id}": {
    input: undefined;
    answer: ResourceDetail;
  };
  /** The memories that refer to it stay, without the reference. */
  "DELETE /v1/resources/{class}/{id}": {
    input: undefined;
    answer: ResourceReceipt;
  };
  /** The Accept header selects the syntax: application/json, application/n-triples, text/turtle, application/ld+json. */
  "GET /v1/resources/{class}/{id}/triples": {
    input: undefined;
    answer: {
      data: {
        subject: string;
        predicate: string;
        object: string;
        datatype?: string | undefined;
      }[];
    };
  };
  /** A changed skill is stored as a new version; earlier versions stay in the history of its memory. An identical skill changes nothing. The `name` of a SKILL.md is the slug in the path. Markdown without front matter needs a title and a section `## Steps`. */
  "PUT /v1/skills/{slug}": {
    input: SkillPut;
    answer: Skill & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** With `project_id`, the project's own skill comes before one that applies to all projects. */
  "GET /v1/skills/{slug}": {
    input: {
      /** The project whose own skill it is; without one, a skill applies to all projects */
      project_id?: string | undefined;
    };
    answer: Skill;
  };
  /** A changed skill is stored as a new version; earlier versions stay in the history of its memory. An identical skill changes nothing. The slug is the `name` of a SKILL.md, or `slug` in JSON. */
  "POST /v1/skills": {
    input: SkillPost;
    answer: Skill & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** Those that apply to all projects; with `project_id`, those that apply to the project; with `all_projects`, all. As Markdown, one SKILL.md follows another, and the Link header has the URL of the next page. */
  "GET /v1/skills": {
    input: {
      /** Default: 20 */
      limit?: number | undefined;
      cursor?: string | undefined;
      /** The project whose own skill it is; without one, a skill applies to all projects */
      project_id?: string | undefined;
      /** Default: false */
      all_projects?: boolean | undefined;
      /** Default: "active" */
      status?: "active" | "proposed" | "dismissed" | undefined;
    };
    answer: {
      data: Skill[];
      next_cursor: string | null;
    };
  };
  /** Accept a proposed skill, which makes it a skill of its project */
  "POST /v1/skills/{slug}/accept": {
    input: SkillDecision;
    answer: Skill & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** Dismiss a proposed skill; its pattern does not propose one again */
  "POST /v1/skills/{slug}/dismiss": {
    input: SkillDecision;
    answer: Skill & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** A checkpoint that is identical to the newest one adds no version. */
  "PUT /v1/ledgers/{agent_id}": {
    input: LedgerPut;
    answer: Ledger & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** Read the newest checkpoint of an agent */
  "GET /v1/ledgers/{agent_id}": {
    input: undefined;
    answer: Ledger;
  };
  /** Erase all checkpoints of an agent */
  "DELETE /v1/ledgers/{agent_id}": {
    input: undefined;
    answer: LedgerReceipt;
  };
  /** List the checkpoints of an agent, newest first */
  "GET /v1/ledgers/{agent_id}/history": {
    input: {
      /** Default: 20 */
      limit?: number | undefined;
      cursor?: string | undefined;
    };
    answer: {
      data: Ledger[];
      next_cursor: string | null;
    };
  };
  /** Hand work over to another agent */
  "POST /v1/handoffs": {
    input: HandoffCreate;
    answer: Handoff & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** List handoffs, newest first */
  "GET /v1/handoffs": {
    input: {
      /** Default: 20 */
      limit?: number | undefined;
      cursor?: string | undefined;
      to_agent?: string | undefined;
      from_agent?: string | undefined;
      project_id?: string | undefined;
      status?: "pending" | "acknowledged" | undefined;
    };
    answer: {
      data: Handoff[];
      next_cursor: string | null;
    };
  };
  /** Read a handoff */
  "GET /v1/handoffs/{id}": {
    input: undefined;
    answer: Handoff;
  };
  /** Erase a handoff */
  "DELETE /v1/handoffs/{id}": {
    input: undefined;
    answer: HandoffReceipt;
  };
  /** The first agent takes the work. Every later call is a conflict that names that agent. */
  "POST /v1/handoffs/{id}/acknowledge": {
    input: AcknowledgeInput;
    answer: Handoff & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** Read the ontology with the tenant's extensions: classes, properties and individuals; as Turtle with `Accept: text/turtle` */
  "GET /v1/ontology": {
    input: undefined;
    answer: {
      namespace: string;
      memory_types: string[];
      classes: { [key: string]: unknown }[];
      properties: { [key: string]: unknown }[];
      individuals: { [key: string]: unknown }[];
    };
  };
  /** List the extensions of the ontology */
  "GET /v1/ontology/extensions": {
    input: undefined;
    answer: {
      data: Extension[];
    };
  };
  /** The body is Turtle, `text/turtle` or as JSON. Terms are in the namespace `https://jido.ai/ontology/extension#`. A class below `jido:MemoryItem` becomes a memory type, in snake_case. Each call makes a new version. Refused with 422 if the extension is not consistent, and with 409 if stored memories do not conform to it: `errors` has their ids. */
  "PUT /v1/ontology/extensions/{name}": {
    input: ExtensionPut;
    answer: ExtensionAnswer;
  };
  /** Read an extension of the ontology, or an earlier version of it; as Turtle with `Accept: text/turtle` */
  "GET /v1/ontology/extensions/{name}": {
    input: {
      /** An earlier version; else the one that holds */
      version?: number | null | undefined;
    };
    answer: ExtensionDetail;
  };
  /** Refused with 409 while live memories use its terms. Its versions stay readable. */
  "DELETE /v1/ontology/extensions/{name}": {
    input: undefined;
    answer: undefined;
  };
  /** A stream in the format of `format`, else of `Accept` (406 if none fits), else JSON lines. Those have everything but keys, secrets, the audit log and vectors: a header that names the kinds, a record a line, and an end line with the number of records of each kind and their digest. An export without its end line is not complete. TriG, N-Quads, Turtle and JSON-LD have what the graph has: memories, sessions, episodes, links, agents, projects and resources, with validity, usage, and the activity that made each memory in PROV-O. Records that change while the export runs are in it as they were before or after. */
  "GET /v1/export": {
    input: {
      /** Whose records are exported. A key that is bound to an owner exports what is that owner's. Default: "tenant" */
      scope?: "session" | "user" | "agent" | "project" | "tenant" | undefined;
      /** The id of the session, user, agent or project */
      id?: string | undefined;
      /** The format, in place of the `Accept` header */
      format?: "jsonl" | "trig" | "nquads" | "turtle" | "jsonld" | undefined;
    };
    answer: string;
  };
  /** The body is a whole export of at most 2 MB, or one part of a larger one, with the header of the file and an end line of its own. Records that are there stay as they are, so that a part can be sent again. A part with an invalid line is refused with the number of the line and the field, and nothing of it is stored. RDF may be written by hand: a memory with an IRI of its own is restored or, if it is stored, changed as PATCH would change it; any other node is remembered. What cannot be stored is named by its subject and property. Policies, privacy policies, webhooks and extensions of the ontology need a key with the scope `admin`. A key that is bound to a user, an agent or a project is refused with 403. */
  "POST /v1/import": {
    input: ImportBody;
    answer: ImportAnswer & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** For ADMIN_KEY alone. The tenant's keys stop working first, so that nothing is written meanwhile. After a 503, send the same call again: it continues where the first one stopped, and its receipt counts what it erased itself. */
  "DELETE /v1/tenants/{tenant}": {
    input: undefined;
    answer: TenantReceipt;
  };
  /** For ADMIN_KEY alone. A service with one database has one shard, `DB`. */
  "GET /v1/admin/shards": {
    input: undefined;
    answer: ShardReport;
  };
  /** For ADMIN_KEY alone. Repeat the call until `finished` is true: each one continues the move, and so does the cron job. The tenant is read and written throughout; its writes wait for a moment at the end. */
  "POST /v1/tenants/{tenant}/move": {
    input: {
      /** The database to move to, by its binding: DB, DB_1 and so on */
      shard: string;
    };
    answer: TenantMoveProgress;
  };
  /** Memories and episodes come first, then the text index of the messages. Repeat with `next_cursor` until it is null. The service stays available. */
  "POST /v1/admin/rebuild": {
    input: {
      tenant?: string | undefined;
      cursor?: string | null | undefined;
    };
    answer: {
      rebuilt: number;
      skipped: number;
      messages: number;
      next_cursor: string | null;
    };
  };
  /** Read the state of the vector index: its model and its backlog */
  "GET /v1/admin/index": {
    input: {
      tenant?: string | undefined;
    };
    answer: IndexState;
  };
  /** Repeat until `finished` is true. Each call continues the previous one, and recall stays available. */
  "POST /v1/admin/reembed": {
    input: undefined;
    answer: {
      done: number;
      total: number;
      finished: boolean;
    };
  };
  /** Keys, erasures, policy changes, administration, bulk reads and refused calls. Never content. An `action` such as `key` includes `key.create`, `key.rotate` and `key.delete`. */
  "GET /v1/audit": {
    input: {
      /** Default: 20 */
      limit?: number | undefined;
      cursor?: string | undefined;
      since?: string | undefined;
      until?: string | undefined;
      action?: string | undefined;
      /** For the admin key: whose records. Without it, those of calls that concern all tenants */
      tenant?: string | undefined;
    };
    answer: {
      data: AuditRecord[];
      next_cursor: string | null;
    };
  };
  /** For ADMIN_KEY alone, since it covers all tenants. The cron job does the same within a minute. Local files are those of a service that `npm start` serves. Repeat it while `finished` is false. */
  "POST /v1/admin/compact": {
    input: undefined;
    answer: {
      /** Whether there had been an erasure since the last time */
      requested: boolean;
      finished: boolean;
    };
  };
  /** Events are sent as CloudEvents in JSON, with ids and no content. The header `Kioku-Signature: t=<unix seconds>,v1=<hex>` signs `<t>.<body>` with HMAC-SHA256 and the secret. */
  "POST /v1/webhooks": {
    input: WebhookCreate;
    answer: WebhookCreated & {
      masked?: MaskedCounts | undefined;
    };
  };
  /** List webhooks, oldest first */
  "GET /v1/webhooks": {
    input: undefined;
    answer: {
      data: Webhook[];
      next_cursor: string | null;
    };
  };
  /** Read a webhook */
  "GET /v1/webhooks/{id}": {
    input: undefined;
    answer: Webhook;
  };
  /** Delete a webhook and its deliveries */
  "DELETE /v1/webhooks/{id}": {
    input: undefined;
    answer: undefined;
  };
  /** `status=dead` lists those that failed for good. Settled deliveries are listed for seven days. */
  "GET /v1/webhooks/{id}/deliveries": {
    input: {
      /** Default: 20 */
      limit?: number | undefined;
      cursor?: string | undefined;
      status?: "pending" | "delivered" | "dead" | undefined;
    };
    answer: {
      data: WebhookDelivery[];
      next_cursor: string | null;
    };
  };
  /** Send a dead delivery again */
  "POST /v1/webhooks/{id}/deliveries/{delivery_id}/retry": {
    input: undefined;
    answer: WebhookDelivery;
  };
  /** This document */
  "GET /openapi.json": {
    input: undefined;
    answer: {
      openapi: string;
      [key: string]: unknown;
    };
  };
  /** The API reference as a page */
  "GET /docs": {
    input: undefined;
    answer: string;
  };
  /** The ontology as a page, as Turtle or as JSON-LD */
  "GET /ontology": {
    input: undefined;
    answer: string;
  };
  /** A term of the ontology as a page, as Turtle or as JSON-LD */
  "GET /ontology/{term}": {
    input: undefined;
    answer: string;
  };
}
