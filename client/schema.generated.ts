// Made from the service's OpenAPI document by scripts/client-types.ts. Do not edit: run `npm run client:types`.

/** The stable codes of failures, with their status. */
export const FAILURE_STATUS = {
  invalid_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
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

export type Problem = {
  type: string;
  title: string;
  status: number;
  /** Stable: what a program goes by */
  code: "invalid_request" | "unauthorized" | "forbidden" | "not_found" | "conflict" | "gone" | "payload_too_large" | "unprocessable" | "rate_limited" | "limit_exceeded" | "internal" | "unavailable" | "not_configured";
  /** What was wrong, and what to do */
  detail: string;
  /** Each field that was refused, and why */
  errors?: {
    path: string;
    message: string;
  }[] | undefined;
  /** Of a space, when another was expected */
  current_rev?: number | undefined;
  /** Of the container, likewise */
  current_memory_rev?: number | undefined;
};

export type Doctor = {
  version: string;
  /** The worst of all checks */
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
  tenant: string;
  name: string | null;
  scopes: ("read" | "write" | "admin")[];
  created_at: string;
  expires_at: string | null;
};

export type KeyCreate = {
  tenant: string;
  name?: string | undefined;
  /** Default: ["read","write"] */
  scopes?: ("read" | "write" | "admin")[] | undefined;
  expires_at?: string | undefined;
};

export type OwnKey = {
  /** `admin` for the admin key */
  id: string;
  /** Null for the admin key, which belongs to none */
  tenant: string | null;
  scopes: ("read" | "write" | "admin")[];
};

export type Session = {
  id: string;
  status: "active" | "paused" | "closed" | "abandoned";
  agent_id: string | null;
  project_id: string | null;
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
  metadata: { [key: string]: unknown };
};

export type SessionCreate = {
  id?: string | undefined;
  agent_id?: string | undefined;
  project_id?: string | undefined;
  continues?: string | undefined;
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
  /** When projectors run in this session, by name */
  projectors?: { [key: string]: {
      tick?: boolean | undefined;
      after?: number | null | undefined;
    } } | undefined;
  metadata?: { [key: string]: unknown } | undefined;
};

/** true means the defaults, false off */
export type PolicyInput = boolean | {
  enabled?: boolean | undefined;
  scope?: "agent" | "session" | undefined;
  namespace?: Namespace | undefined;
  capture?: "manual" | "conversation" | "off" | undefined;
  inject?: "instructions" | "context" | undefined;
  max_entries?: number | undefined;
  metadata?: { [key: string]: unknown } | undefined;
};

export type Namespace = string | {
  context: string;
} | null;

export type SessionSummary = {
  id: string;
  status: "active" | "paused" | "closed" | "abandoned";
  agent_id: string | null;
  project_id: string | null;
  continues: string | null;
  created_at: string;
  updated_at: string;
  ended_at: string | null;
};

export type SessionPatch = {
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
  /** Over the agent's own; null takes it back */
  policy?: boolean | {
    enabled?: boolean | undefined;
    scope?: "agent" | "session" | undefined;
    namespace?: Namespace | undefined;
    capture?: "manual" | "conversation" | "off" | undefined;
    inject?: "instructions" | "context" | undefined;
    max_entries?: number | undefined;
    metadata?: { [key: string]: unknown } | undefined;
  } | null | undefined;
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
    /** Those of the erased memories */
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

export type MessagesCreate = {
  messages: MessageInput[];
};

export type MessageInput = {
  id?: string | undefined;
  role: "user" | "assistant" | "system" | "tool";
  name?: string | undefined;
  content: string;
  timestamp?: string | undefined;
  token_count?: number | undefined;
  tool_calls?: unknown[] | undefined;
  /** Of a tool's message: the call it answers */
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
  suggested_type: "fact" | "assumption" | "hypothesis" | "discovery" | "risk" | "unknown" | "decision" | "architectural_decision" | "implementation_decision" | "alternative" | "trade_off" | "task" | "milestone" | "plan" | "convention" | "coding_standard" | "architectural_convention" | "agent_rule" | "process_convention" | "error" | "bug" | "failure" | "incident" | "root_cause" | "lesson_learned" | "skill" | null;
  importance: number;
};

export type ContextPut = {
  /** Any JSON value */
  value: unknown;
  /** Default: "inferred" */
  source?: "inferred" | "explicit" | "tool" | undefined;
  /** A number, clamped to 0..1, or high (0.9), medium (0.6), low (0.3). Default: 0.7 */
  confidence?: number | "high" | "medium" | "low" | undefined;
  memory_type?: "fact" | "assumption" | "hypothesis" | "discovery" | "risk" | "unknown" | "decision" | "architectural_decision" | "implementation_decision" | "alternative" | "trade_off" | "task" | "milestone" | "plan" | "convention" | "coding_standard" | "architectural_convention" | "agent_rule" | "process_convention" | "error" | "bug" | "failure" | "incident" | "root_cause" | "lesson_learned" | "skill" | undefined;
};

export type PendingItem = {
  id: string;
  content: string;
  memory_type: "fact" | "assumption" | "hypothesis" | "discovery" | "risk" | "unknown" | "decision" | "architectural_decision" | "implementation_decision" | "alternative" | "trade_off" | "task" | "milestone" | "plan" | "convention" | "coding_standard" | "architectural_convention" | "agent_rule" | "process_convention" | "error" | "bug" | "failure" | "incident" | "root_cause" | "lesson_learned" | "skill";
  confidence: number;
  source_type: "user" | "agent" | "tool" | "external_document";
  evidence: string[];
  rationale: string | null;
  suggested_by: "implicit" | "agent";
  importance_score: number;
  created_at: string;
  access_count: number;
  /** A memory of the same topic is superseded by this one */
  topic_key: string | null;
};

export type PendingCreate = {
  content: string;
  memory_type: "fact" | "assumption" | "hypothesis" | "discovery" | "risk" | "unknown" | "decision" | "architectural_decision" | "implementation_decision" | "alternative" | "trade_off" | "task" | "milestone" | "plan" | "convention" | "coding_standard" | "architectural_convention" | "agent_rule" | "process_convention" | "error" | "bug" | "failure" | "incident" | "root_cause" | "lesson_learned" | "skill";
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
    memory_type: "fact" | "assumption" | "hypothesis" | "discovery" | "risk" | "unknown" | "decision" | "architectural_decision" | "implementation_decision" | "alternative" | "trade_off" | "task" | "milestone" | "plan" | "convention" | "coding_standard" | "architectural_convention" | "agent_rule" | "process_convention" | "error" | "bug" | "failure" | "incident" | "root_cause" | "lesson_learned" | "skill";
    importance_score: number;
  }[];
  remaining: number;
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
  memories: {
    id?: string | undefined;
    kind?: "memory" | undefined;
    content?: string | undefined;
    type?: "fact" | "assumption" | "hypothesis" | "discovery" | "risk" | "unknown" | "decision" | "architectural_decision" | "implementation_decision" | "alternative" | "trade_off" | "task" | "milestone" | "plan" | "convention" | "coding_standard" | "architectural_convention" | "agent_rule" | "process_convention" | "error" | "bug" | "failure" | "incident" | "root_cause" | "lesson_learned" | "skill" | undefined;
    confidence?: number | undefined;
    timestamp?: string | undefined;
    session_id?: string | null | undefined;
    agent_id?: string | null | undefined;
    project_id?: string | null | undefined;
    source_type?: "user" | "agent" | "tool" | "external_document" | undefined;
    rationale?: string | null | undefined;
    score?: number | undefined;
    signals?: Signals | undefined;
    superseded_by?: string | null | undefined;
    access_count?: number | undefined;
  }[];
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
  /** Added: the one person whom the query names said it */
  speaker?: number | undefined;
  /** Added: it is of the month that the query names */
  date?: number | undefined;
  /** How it was really searched for */
  mode: "text" | "semantic" | "hybrid";
};

export type AssembleInput = {
  /** What the next turn is about: ranks the memories */
  query?: string | undefined;
  token_budget?: number | undefined;
  /** Only these parts; all of them by default */
  include?: ("conversation" | "working" | "long_term")[] | undefined;
  /** Whose long-term memories are drawn on. Default: "session" */
  scope?: "session" | "agent" | "project" | "tenant" | undefined;
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
    } };
  created_at: string;
  updated_at: string;
  metadata: { [key: string]: unknown };
};

export type MemoryPatch = {
  metadata: { [key: string]: unknown };
  /** The container's revision: another one is a 409 */
  expected_memory_rev?: number | undefined;
};

export type Space = {
  name: string;
  kind: "map" | "list";
  rev: number;
  /** A map or a list */
  data: { [key: string]: unknown } | unknown[];
  metadata: { [key: string]: unknown };
  memory_rev: number;
};

export type SpacePut = {
  /** A map or a list */
  data: { [key: string]: unknown } | unknown[];
  metadata?: { [key: string]: unknown } | undefined;
  /** Leave a space that is there as it is. Default: false */
  ensure?: boolean | undefined;
  /** The space's revision: another one is a 409 */
  expected_rev?: number | undefined;
  /** The container's revision: another one is a 409 */
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
  /** The space's revision: another one is a 409 */
  expected_rev?: number | undefined;
  /** The container's revision: another one is a 409 */
  expected_memory_rev?: number | undefined;
};

export type SpaceOp = {
  op: "put";
  key: string;
  /** Any JSON value */
  value: unknown;
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
  /** The space's revision: another one is a 409 */
  expected_rev?: number | undefined;
  /** The container's revision: another one is a 409 */
  expected_memory_rev?: number | undefined;
};

export type TaskChange = {
  /** The space's revision: another one is a 409 */
  expected_rev?: number | undefined;
  /** The container's revision: another one is a 409 */
  expected_memory_rev?: number | undefined;
};

export type TaskOrder = {
  ids: string[];
  /** The space's revision: another one is a 409 */
  expected_rev?: number | undefined;
  /** The container's revision: another one is a 409 */
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
    /** On the session's alarm, while there is something new */
    tick: boolean;
    /** As soon as so many entries are new; null for never */
    after: number | null;
  };
  /** Since its last success */
  failures: number;
  retry_at: string | null;
};

export type ProjectorPatch = {
  trigger: {
    tick?: boolean | undefined;
    after?: number | null | undefined;
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
  /** inline, d1, vector, or a name in world.pointers */
  provider: string;
  request_id?: string | undefined;
  opts?: {
    /** A collection by name, shared by all sessions of the tenant; else the session's own */
    index?: string | undefined;
  } | undefined;
  query?: {
    text: string;
    /** Default: 5 */
    top_k?: number | undefined;
  } | undefined;
  keys?: string[] | undefined;
} | {
  type: "upsert";
  /** inline, d1, vector, or a name in world.pointers */
  provider: string;
  request_id?: string | undefined;
  opts?: {
    /** A collection by name, shared by all sessions of the tenant; else the session's own */
    index?: string | undefined;
  } | undefined;
  items: {
    key: string;
    /** Any JSON value */
    value: unknown;
  }[];
} | {
  type: "delete";
  /** inline, d1, vector, or a name in world.pointers */
  provider: string;
  request_id?: string | undefined;
  opts?: {
    /** A collection by name, shared by all sessions of the tenant; else the session's own */
    index?: string | undefined;
  } | undefined;
  keys: string[];
};

export type SignalPage = {
  data: Signal[];
  /** What to give as after, to go on */
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
  memory_type: "fact" | "assumption" | "hypothesis" | "discovery" | "risk" | "unknown" | "decision" | "architectural_decision" | "implementation_decision" | "alternative" | "trade_off" | "task" | "milestone" | "plan" | "convention" | "coding_standard" | "architectural_convention" | "agent_rule" | "process_convention" | "error" | "bug" | "failure" | "incident" | "root_cause" | "lesson_learned" | "skill";
  message: string;
  deduplicated: boolean;
  warnings?: string[] | undefined;
};

export type RecallAnswer = {
  count: number;
  memories: (RecallHit | MessageHit | EpisodeHit)[];
  /** Why the answer is by text alone, though meaning was asked for */
  degraded?: string | undefined;
};

export type RecallHit = {
  id: string;
  kind: "memory";
  content: string;
  type: "fact" | "assumption" | "hypothesis" | "discovery" | "risk" | "unknown" | "decision" | "architectural_decision" | "implementation_decision" | "alternative" | "trade_off" | "task" | "milestone" | "plan" | "convention" | "coding_standard" | "architectural_convention" | "agent_rule" | "process_convention" | "error" | "bug" | "failure" | "incident" | "root_cause" | "lesson_learned" | "skill";
  confidence: number;
  timestamp: string;
  session_id: string | null;
  agent_id: string | null;
  project_id: string | null;
  source_type: "user" | "agent" | "tool" | "external_document";
  rationale: string | null;
  score: number;
  signals: Signals;
  superseded_by: string | null;
  access_count: number;
};

export type MessageHit = {
  id: string;
  kind: "message";
  content: string;
  role: "user" | "assistant" | "system" | "tool";
  name: string | null;
  timestamp: string;
  session_id: string;
  agent_id: string | null;
  project_id: string | null;
  score: number;
  signals: Signals;
};

export type EpisodeHit = {
  id: string;
  kind: "episode";
  /** Its goal */
  content: string;
  outcome: "success" | "failure" | "partial";
  timestamp: string;
  agent_id: string | null;
  project_id: string | null;
  score: number;
  signals: Signals;
};

/** How hits are weighed; rarely needed. Default: {"fusion":"weighted","semantic_weight":1,"user_prior":0} */
export type RankingOptions = {
  /** How text and meaning become one score; rrf suits strong embedders. Default: "weighted" */
  fusion?: "weighted" | "rrf" | undefined;
  /** What meaning counts against text, which counts 1. Default: 1 */
  semantic_weight?: number | undefined;
  /** Added to messages of the role user. Default: 0 */
  user_prior?: number | undefined;
};

export type ForgetAnswer = {
  forgotten: true;
  memory_id: string;
  message: string;
  reason?: string | undefined;
  replacement_id?: string | undefined;
};

export type ToolExecute = {
  session_id: string;
  call: {
    id: string;
    type: "function";
    function: {
      name: string;
      /** Any JSON value */
      arguments?: unknown | undefined;
    };
  } | {
    type: "tool_use";
    id: string;
    name: string;
    /** Any JSON value */
    input?: unknown | undefined;
  };
};

export type Memory = {
  id: string;
  kind: "memory";
  content: string;
  type: "fact" | "assumption" | "hypothesis" | "discovery" | "risk" | "unknown" | "decision" | "architectural_decision" | "implementation_decision" | "alternative" | "trade_off" | "task" | "milestone" | "plan" | "convention" | "coding_standard" | "architectural_convention" | "agent_rule" | "process_convention" | "error" | "bug" | "failure" | "incident" | "root_cause" | "lesson_learned" | "skill";
  confidence: number;
  timestamp: string;
  session_id: string | null;
  agent_id: string | null;
  project_id: string | null;
  source_type: "user" | "agent" | "tool" | "external_document";
  rationale: string | null;
  superseded_by: string | null;
  access_count: number;
  status: "live" | "superseded" | "invalidated" | "forgotten";
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

export type MemoryReceipt = {
  deleted: {
    memories: number;
    triples: number;
    vectors: number;
    links: number;
  };
};

export type Link = {
  id: string;
  from: string;
  to: string;
  /** As it is stored: what supersedes another is told as superseded_by, the other way round */
  relation: "derived_from" | "related_to" | "contradicts" | "elaborates" | "example_of" | "supersedes" | "superseded_by" | "supports";
  strength: number;
  /** In a list: from the one that was asked for, or to it */
  direction?: "out" | "in" | undefined;
  /** null where the link came with a memory, and not by a call of its own */
  created_at: string | null;
};

export type LinkCreate = {
  /** The id of a memory or an episode, or the name of a pattern */
  from: string;
  /** The id of a memory or an episode, or the name of a pattern */
  to: string;
  relation: "derived_from" | "related_to" | "contradicts" | "elaborates" | "example_of" | "supersedes" | "superseded_by" | "supports";
  /** How strongly it holds: fully, if it is not said. Default: 1 */
  strength?: number | undefined;
};

export type Contradiction = {
  /** The id of its link */
  id: string;
  /** resolved also when one of the two is no longer live */
  status: "open" | "resolved";
  strength: number;
  created_at: string;
  memories: ContradictionSide[];
  resolution: {
    action: "supersede" | "invalidate" | "keep_both";
    /** Which one stayed; null when both did */
    kept: string | null;
    reason: string | null;
    resolved_at: string;
  } | null;
};

export type ContradictionSide = {
  id: string;
  kind: "memory" | "episode";
  /** Of an episode: its goal */
  content: string;
  /** null for an episode, which is a record */
  confidence: number | null;
  timestamp: string;
  status: "live" | "superseded" | "invalidated" | "forgotten" | "archived";
};

export type ResolveInput = {
  /** The other one is superseded or invalidated by the one that is kept; or both are kept */
  action: "supersede" | "invalidate" | "keep_both";
  /** The id of the one that stays, unless both do */
  keep?: string | undefined;
  /** Why; needed to keep both */
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

export type Mem0Added = {
  status: "SUCCEEDED";
  /** What was kept, and how it was chosen */
  message: string;
  results: {
    id: string;
    memory: string;
    /** NOOP for what was there already */
    event: "ADD" | "NOOP";
    categories: string[];
  }[];
};

export type Mem0Add = {
  user_id?: string | null | undefined;
  agent_id?: string | null | undefined;
  app_id?: string | null | undefined;
  run_id?: string | null | undefined;
  /** Taken, and without effect here */
  org_id?: unknown | undefined;
  /** Taken, and without effect here */
  project_id?: unknown | undefined;
  /** Taken, and without effect here */
  output_format?: unknown | undefined;
  /** Taken, and without effect here */
  version?: unknown | undefined;
  /** Taken, and without effect here */
  source?: unknown | undefined;
  messages: string | {
    role: "user" | "assistant" | "system" | "tool";
    content: string;
    name?: string | undefined;
  }[];
  /** true keeps the sentences that the service's own rules find worth it, false each message as said. Default: true */
  infer?: boolean | undefined;
  metadata?: { [key: string]: unknown } | undefined;
  /** When it was said, in seconds since 1970 */
  timestamp?: number | undefined;
  /** Taken, and without effect here */
  async_mode?: unknown | undefined;
  /** Taken, and without effect here */
  enable_graph?: unknown | undefined;
  /** Not supported: every memory can be updated */
  immutable?: null | undefined;
  /** Not supported: memories do not expire by themselves; delete them */
  expiration_date?: null | undefined;
  /** Not supported: fixed rules choose what is kept; send infer false to keep what you choose yourself */
  includes?: null | undefined;
  /** Not supported: fixed rules choose what is kept; send infer false to keep what you choose yourself */
  excludes?: null | undefined;
  /** Not supported: no model reads the messages; send infer false to keep what you choose */
  custom_instructions?: null | undefined;
  /** Not supported: no model reads the messages; send infer false to keep what you choose */
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
  /** Its type in the ontology */
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
  /** Taken, and without effect here */
  org_id?: unknown | undefined;
  /** Taken, and without effect here */
  project_id?: unknown | undefined;
  /** Taken, and without effect here */
  output_format?: unknown | undefined;
  /** Taken, and without effect here */
  version?: unknown | undefined;
  /** Taken, and without effect here */
  source?: unknown | undefined;
  /** user_id, agent_id, app_id, run_id (a text, or {in: [...]}) and metadata ({name: value}), joined by AND and OR */
  filters?: { [key: string]: unknown } | undefined;
  /** Taken, and without effect here */
  fields?: unknown | undefined;
  /** Taken, and without effect here */
  latest_only?: unknown | undefined;
  /** Taken, and without effect here */
  show_expired?: unknown | undefined;
  /** Not supported: filter what comes back by its categories */
  categories?: null | undefined;
  query: string;
  top_k?: number | null | undefined;
  limit?: number | null | undefined;
  /** The least score */
  threshold?: number | null | undefined;
  /** Taken, and without effect here */
  rerank?: unknown | undefined;
  /** Taken, and without effect here */
  keyword_search?: unknown | undefined;
  /** Not supported: put it into filters: {metadata: {name: value}} */
  metadata?: null | undefined;
  /** Not supported: search goes by what is kept now */
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
  /** Taken, and without effect here */
  org_id?: unknown | undefined;
  /** Taken, and without effect here */
  project_id?: unknown | undefined;
  /** Taken, and without effect here */
  output_format?: unknown | undefined;
  /** Taken, and without effect here */
  version?: unknown | undefined;
  /** Taken, and without effect here */
  source?: unknown | undefined;
  /** user_id, agent_id, app_id, run_id (a text, or {in: [...]}) and metadata ({name: value}), joined by AND and OR */
  filters?: { [key: string]: unknown } | undefined;
  /** Taken, and without effect here */
  fields?: unknown | undefined;
  /** Taken, and without effect here */
  latest_only?: unknown | undefined;
  /** Taken, and without effect here */
  show_expired?: unknown | undefined;
  /** Not supported: filter what comes back by its categories */
  categories?: null | undefined;
  /** Not supported: filter what comes back by created_at */
  start_date?: null | undefined;
  /** Not supported: filter what comes back by created_at */
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
  /** Default: null */
  project_id?: string | null | undefined;
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
  /** In place of the action log, once it is a week old */
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
  /** Seconds since the beginning */
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
  /** Default: null */
  project_id?: string | null | undefined;
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
  /** Your own id; the same episode twice is one */
  id?: string | undefined;
  /** When the attempt began; now if it is not given */
  timestamp?: string | undefined;
  /** The task is over: consolidate the project soon, in the background. Default: false */
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
  /** The id of its memory */
  id: string;
  /** The id that it was given, if it was given one */
  name: string | null;
  project_id: string | null;
  memory_type: "discovery" | "hypothesis" | "lesson_learned";
  status: "live" | "superseded" | "invalidated" | "forgotten";
  pattern: string;
  category: string;
  conditions: string[];
  correct_approach: string | null;
  incorrect_approach: string | null;
  /** Of an anti-pattern */
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
    relation: "derived_from" | "related_to" | "contradicts" | "elaborates" | "example_of" | "supersedes" | "superseded_by" | "supports";
    strength: number;
  }[];
  superseded_by: string | null;
  created_at: string;
};

export type PatternCreate = {
  /** A name of your own: the pattern is found by it, and another one under it takes its place */
  id?: string | undefined;
  /** Default: null */
  project_id?: string | null | undefined;
  /** What holds in general; of an anti-pattern, made of the rest */
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
  /** How often it was of use so far. Default: 0 */
  usage_count?: number | undefined;
  last_used?: string | undefined;
  /** Default: [] */
  links?: {
    to: string;
    relation: "derived_from" | "related_to" | "contradicts" | "elaborates" | "example_of" | "supersedes" | "superseded_by" | "supports";
    strength?: number | undefined;
  }[] | undefined;
};

export type Learning = {
  /** The id of its memory */
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
};

export type LearningCreate = {
  trigger: string;
  root_cause: string;
  fix: string;
  prevention: string;
  /** Default: [] */
  evidence?: string[] | undefined;
  /** Without one it holds for all projects. Default: null */
  project_id?: string | null | undefined;
};

export type ConsolidateAnswer = {
  /** How many were looked at */
  episodes: number;
  /** Groups of at least two that are alike */
  clusters: number;
  /** New patterns */
  created: string[];
  /** Patterns and anti-patterns that gained evidence */
  updated: string[];
  /** New anti-patterns */
  anti_patterns: string[];
  /** Patterns that gave way to one that says the same */
  merged: string[];
  dry_run: boolean;
};

export type ConsolidateInput = {
  project_id: string;
  /** Episodes from then on; by default those of the last 24 hours */
  since?: string | undefined;
  /** The time to go by; the service's clock if it is not given */
  now?: string | undefined;
  /** Say what would be done, and do nothing. Default: false */
  dry_run?: boolean | undefined;
};

export type MaintenanceAnswer = {
  summarised: number;
  archived: number;
  merged: number;
  decayed: number;
  /** Which ones, the first 1000 of each */
  ids: {
    summarised: string[];
    archived: string[];
    merged: string[];
  };
};

export type MaintenanceInput = {
  project_id: string;
  /** The time to go by; the service's clock if it is not given */
  now?: string | undefined;
};

export type PrimeAnswer = {
  kind: "exploration" | "implementation" | "debugging" | "review" | "refactoring" | "general";
  relevant_patterns: PrimedPattern[];
  avoid_these: PrimedLesson[];
  applicable_skills: PrimedSkill[];
  similar_episodes: PrimedEpisode[];
  /** All of it as Markdown, to put before the task */
  prompt: string;
  tokens: {
    /** Of the prompt */
    used: number;
    budget: number;
    /** What telling everything in full would have cost beyond that */
    saved: number;
  };
  degraded?: string | undefined;
};

export type PrimedPattern = {
  id: string;
  layer: "index" | "timeline" | "full";
  /** As it stands in the prompt */
  text: string;
  score: number;
  pattern: string;
  category: string;
  memory_type: "discovery" | "hypothesis" | "lesson_learned";
  confidence: number;
  conditions?: string[] | undefined;
  correct_approach?: string | null | undefined;
  incorrect_approach?: string | null | undefined;
  source_episodes?: string[] | undefined;
};

export type PrimedLesson = {
  id: string;
  layer: "index" | "timeline" | "full";
  /** As it stands in the prompt */
  text: string;
  score: number;
  kind: "anti_pattern" | "learning";
  what_fails: string;
  confidence: number;
  why?: string | null | undefined;
  prevention?: string | null | undefined;
};

export type PrimedSkill = {
  id: string;
  layer: "index" | "timeline" | "full";
  /** As it stands in the prompt */
  text: string;
  score: number;
  slug: string;
  name: string;
  description?: string | undefined;
  steps?: string[] | undefined;
};

export type PrimedEpisode = {
  id: string;
  layer: "index" | "timeline" | "full";
  /** As it stands in the prompt */
  text: string;
  score: number;
  goal: string;
  outcome: "success" | "failure" | "partial";
  timestamp: string;
  errors_encountered?: EpisodeError[] | undefined;
  summary?: string | null | undefined;
};

export type PrimeInput = {
  goal: string;
  project_id?: string | undefined;
  /** What kind of task it is; detected if it is not given */
  kind?: "exploration" | "implementation" | "debugging" | "review" | "refactoring" | undefined;
  phase?: string | undefined;
  /** What will be done, such as write_file or run_test */
  action_type?: string | undefined;
  /** Default: 2000 */
  token_budget?: number | undefined;
  /** The time to go by; the service's clock if it is not given */
  now?: string | undefined;
};

export type Policy = {
  enabled: boolean;
  scope: "agent" | "session";
  namespace: Namespace;
  capture: "manual" | "conversation" | "off";
  inject: "instructions" | "context";
  max_entries: number;
  metadata: { [key: string]: unknown };
};

export type PreflightAnswer = {
  messages: {
    role: "system" | "user";
    content: string;
  }[];
  memory: {
    enabled: boolean;
    namespace: string | null;
    scope: "agent" | "session";
    inject: "instructions" | "context";
    capture: "manual" | "conversation" | "off";
    entries: RecalledEntry[];
    left_out: {
      id: string;
      reason: string;
    }[];
    tokens: {
      used: number;
      budget: number;
    };
    /** Why there is nothing, and what to change */
    hint?: string | undefined;
  };
};

export type RecalledEntry = Entry & {
  score: number | null;
  signals: Signals & { [key: string]: unknown } | null;
};

export type Entry = {
  /** The id of its memory */
  id: string;
  namespace: string;
  agent_id: string | null;
  session_id: string | null;
  content: string;
  metadata: { [key: string]: unknown };
  /** Written by a call, captured from a turn, or remembered by the agent in another way */
  source: "manual" | "conversation" | "memory";
  created_at: string;
};

export type PreflightInput = {
  input: string;
  instructions?: string | undefined;
  /** What the call says of itself */
  context?: { [key: string]: unknown } | undefined;
  /** For a session that is not there yet, or has no agent */
  agent_id?: string | undefined;
};

export type TurnAnswer = {
  captured: boolean;
  entry_id?: string | undefined;
  /** Why it was not captured, and what to change */
  reason?: string | undefined;
};

export type TurnInput = {
  input: string;
  output: string;
  /** A turn is captured once under it */
  request_id?: string | undefined;
  /** What the call says of itself */
  context?: { [key: string]: unknown } | undefined;
  agent_id?: string | undefined;
};

export type EntryCreate = {
  agent_id: string;
  session_id?: string | undefined;
  namespace?: Namespace | undefined;
  content: string;
  metadata?: { [key: string]: unknown } | undefined;
  /** What the call says of itself */
  context?: { [key: string]: unknown } | undefined;
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
  /** The memory that holds this version */
  memory_id: string;
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
  steps: string[];
  /** Default: [] */
  common_errors?: CommonError[] | undefined;
  /** Default: [] */
  exit_criteria?: string[] | undefined;
  example_usage?: string | undefined;
  /** As in the path */
  slug?: string | undefined;
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
  /** 1 for the first checkpoint, then one more each */
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
  /** As in the path */
  agent_id?: string | undefined;
  /** Now, if it is not given */
  last_checkpoint?: string | undefined;
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
  /** The agent that took it */
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
  /** Your own id; the same handoff twice is one */
  id?: string | undefined;
  /** Now, if it is not given */
  timestamp?: string | undefined;
};

export type AcknowledgeInput = {
  agent_id: string;
};

export type IndexState = {
  index: "embedded" | "vectorize" | null;
  embedder: string | null;
  dimensions: number | null;
  /** What the vectors were made with; null while there are none */
  made_with: {
    embedder: string;
    dimensions: number;
    index: "embedded" | "vectorize";
  } | null;
  /** False: recall answers by text until everything is embedded anew */
  matches: boolean;
  reembedding: boolean;
  /** Memories, messages and items that the index does not show yet */
  waiting: number;
};

export type Health = {
  status: "ok";
  version: string;
};

/** Every call: what it takes, in its body or its query, and what it answers. */
export interface Operations {
  /** It only looks. It answers 200 also when something is wrong: see `status`. */
  "GET /v1/admin/doctor": {
    input: undefined;
    answer: Doctor;
  };
  /** Make a key for a tenant */
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
  /** Delete a key; it stops working at once */
  "DELETE /v1/keys/{id}": {
    input: undefined;
    answer: undefined;
  };
  /** The key that this call is made with: its tenant and its scopes */
  "GET /v1/keys/self": {
    input: undefined;
    answer: OwnKey;
  };
  /** Make a session */
  "POST /v1/sessions": {
    input: SessionCreate;
    answer: Session;
  };
  /** List sessions, newest first */
  "GET /v1/sessions": {
    input: {
      /** Default: 20 */
      limit?: number | undefined;
      cursor?: string | undefined;
      agent_id?: string | undefined;
      project_id?: string | undefined;
      status?: "active" | "paused" | "closed" | "abandoned" | undefined;
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
    answer: Session;
  };
  /** Erase a session, and with ?memories=true its long-term memories */
  "DELETE /v1/sessions/{id}": {
    input: {
      /** Default: false */
      memories?: boolean | undefined;
    };
    answer: SessionReceipt;
  };
  /** Promote, then pause: no alarm until resumed */
  "POST /v1/sessions/{id}/pause": {
    input: undefined;
    answer: SessionEnded;
  };
  /** Resume a paused or abandoned session */
  "POST /v1/sessions/{id}/resume": {
    input: undefined;
    answer: Session;
  };
  /** Promote a last time, then close for good */
  "POST /v1/sessions/{id}/close": {
    input: undefined;
    answer: SessionEnded;
  };
  /** Add messages to the conversation */
  "POST /v1/sessions/{id}/messages": {
    input: MessagesCreate;
    answer: MessagesAdded;
  };
  /** The conversation window, oldest first */
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
  /** Put a value into the working context */
  "PUT /v1/sessions/{id}/context/{key}": {
    input: ContextPut;
    answer: ContextItem;
  };
  /** Read an item; counts as an access unless peek=true */
  "GET /v1/sessions/{id}/context/{key}": {
    input: {
      /** Default: false */
      peek?: boolean | undefined;
    };
    answer: ContextItem;
  };
  /** Take an item out of the working context */
  "DELETE /v1/sessions/{id}/context/{key}": {
    input: undefined;
    answer: undefined;
  };
  /** The whole working context */
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
  /** Offer a memory for promotion */
  "POST /v1/sessions/{id}/pending": {
    input: PendingCreate;
    answer: PendingItem;
  };
  /** What waits for promotion */
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
    answer: PromotionAnswer;
  };
  /** A prompt-ready context within a token budget */
  "POST /v1/sessions/{id}/assemble": {
    input: AssembleInput;
    answer: AssembleAnswer;
  };
  /** All spaces of a session */
  "GET /v1/sessions/{id}/memory": {
    input: undefined;
    answer: SessionMemory;
  };
  /** Change the container's metadata */
  "PATCH /v1/sessions/{id}/memory": {
    input: MemoryPatch;
    answer: SessionMemory;
  };
  /** Make a space, or replace what it holds */
  "PUT /v1/sessions/{id}/spaces/{name}": {
    input: SpacePut;
    answer: Space;
  };
  /** Read a space */
  "GET /v1/sessions/{id}/spaces/{name}": {
    input: undefined;
    answer: Space;
  };
  /** Delete a space; tasks and world stay */
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
  /** Change a space by operations: all of them, or none */
  "POST /v1/sessions/{id}/spaces/{name}/ops": {
    input: SpaceOps;
    answer: SpaceChanged;
  };
  /** Add a task: at the end, or at a place */
  "POST /v1/sessions/{id}/tasks": {
    input: TaskCreate;
    answer: Task;
  };
  /** The tasks, the most important first */
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
  /** The first open task */
  "GET /v1/sessions/{id}/tasks/next": {
    input: undefined;
    answer: Task | undefined;
  };
  /** Mark a task as done */
  "POST /v1/sessions/{id}/tasks/{task_id}/complete": {
    input: TaskChange;
    answer: Task;
  };
  /** Take a task off the list */
  "DELETE /v1/sessions/{id}/tasks/{task_id}": {
    input: {
      expected_rev?: number | undefined;
      expected_memory_rev?: number | undefined;
    };
    answer: undefined;
  };
  /** Put the tasks in another order: every one of them, done ones included */
  "PUT /v1/sessions/{id}/tasks/order": {
    input: TaskOrder;
    answer: {
      data: Task[];
    };
  };
  /** Append to the thread */
  "POST /v1/sessions/{id}/thread": {
    input: ThreadAppend;
    answer: ThreadAppended;
  };
  /** `from` and `to` are inclusive; go on with `from` = `next_seq`. */
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
  /** The projectors, and how far each has come */
  "GET /v1/sessions/{id}/projectors": {
    input: undefined;
    answer: {
      data: Projector[];
    };
  };
  /** Change when a projector runs in this session */
  "PATCH /v1/sessions/{id}/projectors/{name}": {
    input: ProjectorPatch;
    answer: Projector;
  };
  /** Run a projector now, over what it has not covered */
  "POST /v1/sessions/{id}/projectors/{name}/run": {
    input: undefined;
    answer: ProjectorRun;
  };
  /** Ask a provider for something; a jido.memory.result signal answers */
  "POST /v1/sessions/{id}/directives": {
    input: Directive;
    answer: DirectiveAccepted;
  };
  /** With `Accept: text/event-stream` the answer stays open and goes on live; `Last-Event-ID` takes the place of `after`. With `Upgrade: websocket` each signal is a text message. */
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
      /** What to remember: one concise, factual statement */
      content: string;
      /** Kind of memory, a class of the ontology. Default: "fact" */
      type?: "fact" | "assumption" | "hypothesis" | "discovery" | "risk" | "unknown" | "decision" | "architectural_decision" | "implementation_decision" | "alternative" | "trade_off" | "task" | "milestone" | "plan" | "convention" | "coding_standard" | "architectural_convention" | "agent_rule" | "process_convention" | "error" | "bug" | "failure" | "incident" | "root_cause" | "lesson_learned" | "skill" | undefined;
      /** A number, clamped to 0..1, or high (0.9), medium (0.6), low (0.3). Default: 0.8 */
      confidence?: number | "high" | "medium" | "low" | undefined;
      /** Why this is worth remembering */
      rationale?: string | undefined;
      /** References to what supports it. Default: [] */
      evidence?: string[] | undefined;
      /** Who it comes from. Default: "agent" */
      source_type?: "user" | "agent" | "tool" | "external_document" | undefined;
      /** When it became true, if not now */
      valid_from?: string | undefined;
      /** Names a topic: a new memory with the same key in the same scope supersedes the live one */
      key?: string | undefined;
      /** The type's own properties from the ontology, e.g. { decisionStatus: "accepted" } */
      properties?: { [key: string]: string | string[] } | undefined;
    };
    answer: RememberAnswer;
  };
  /** Persist important information to long-term memory. Use it when you learn something valuable for future sessions: facts about the project or the user, preferences, decisions and their reasons, conventions, lessons, risks, open questions. */
  "POST /v1/remember": {
    input: {
      /** What to remember: one concise, factual statement */
      content: string;
      /** Kind of memory, a class of the ontology. Default: "fact" */
      type?: "fact" | "assumption" | "hypothesis" | "discovery" | "risk" | "unknown" | "decision" | "architectural_decision" | "implementation_decision" | "alternative" | "trade_off" | "task" | "milestone" | "plan" | "convention" | "coding_standard" | "architectural_convention" | "agent_rule" | "process_convention" | "error" | "bug" | "failure" | "incident" | "root_cause" | "lesson_learned" | "skill" | undefined;
      /** A number, clamped to 0..1, or high (0.9), medium (0.6), low (0.3). Default: 0.8 */
      confidence?: number | "high" | "medium" | "low" | undefined;
      /** Why this is worth remembering */
      rationale?: string | undefined;
      /** References to what supports it. Default: [] */
      evidence?: string[] | undefined;
      /** Who it comes from. Default: "agent" */
      source_type?: "user" | "agent" | "tool" | "external_document" | undefined;
      /** When it became true, if not now */
      valid_from?: string | undefined;
      /** Names a topic: a new memory with the same key in the same scope supersedes the live one */
      key?: string | undefined;
      /** The type's own properties from the ontology, e.g. { decisionStatus: "accepted" } */
      properties?: { [key: string]: string | string[] } | undefined;
      /** The session that the call belongs to */
      session_id?: string | undefined;
      /** The agent that the call belongs to */
      agent_id?: string | undefined;
      /** The project that the call belongs to */
      project_id?: string | undefined;
    };
    answer: RememberAnswer;
  };
  /** Search long-term memory for relevant information. Use it to retrieve previously learned facts, decisions, conventions, patterns or lessons before you answer or act. */
  "POST /v1/sessions/{id}/recall": {
    input: {
      /** What to look for, in plain words */
      query?: string | undefined;
      /** Only this kind of memory, with its subclasses. Default: "all" */
      type?: "all" | "fact" | "assumption" | "hypothesis" | "discovery" | "risk" | "unknown" | "decision" | "architectural_decision" | "implementation_decision" | "alternative" | "trade_off" | "task" | "milestone" | "plan" | "convention" | "coding_standard" | "architectural_convention" | "agent_rule" | "process_convention" | "error" | "bug" | "failure" | "incident" | "root_cause" | "lesson_learned" | "skill" | undefined;
      /** Leave out what is less certain. Default: 0.5 */
      min_confidence?: number | undefined;
      /** How many memories at most. Default: 10 */
      limit?: number | undefined;
      /** How to search. Default: "hybrid" */
      mode?: "text" | "semantic" | "hybrid" | undefined;
      /** Whose memories: the narrowest that is known, by default */
      scope?: "session" | "agent" | "project" | "tenant" | undefined;
      /** Also what was superseded or forgotten. Default: false */
      include_superseded?: boolean | undefined;
      /** Only what was remembered at or after this time */
      since?: string | undefined;
      /** Only what was remembered at or before this time */
      until?: string | undefined;
      /** Only memories whose key begins with this */
      key_prefix?: string | undefined;
      /** What to search: memories, messages of the conversations, episodes of a project. Default: ["memories"] */
      sources?: ("memories" | "messages" | "episodes")[] | undefined;
      ranking?: RankingOptions | undefined;
    };
    answer: RecallAnswer;
  };
  /** Search long-term memory for relevant information. Use it to retrieve previously learned facts, decisions, conventions, patterns or lessons before you answer or act. */
  "POST /v1/recall": {
    input: {
      /** What to look for, in plain words */
      query?: string | undefined;
      /** Only this kind of memory, with its subclasses. Default: "all" */
      type?: "all" | "fact" | "assumption" | "hypothesis" | "discovery" | "risk" | "unknown" | "decision" | "architectural_decision" | "implementation_decision" | "alternative" | "trade_off" | "task" | "milestone" | "plan" | "convention" | "coding_standard" | "architectural_convention" | "agent_rule" | "process_convention" | "error" | "bug" | "failure" | "incident" | "root_cause" | "lesson_learned" | "skill" | undefined;
      /** Leave out what is less certain. Default: 0.5 */
      min_confidence?: number | undefined;
      /** How many memories at most. Default: 10 */
      limit?: number | undefined;
      /** How to search. Default: "hybrid" */
      mode?: "text" | "semantic" | "hybrid" | undefined;
      /** Whose memories: the narrowest that is known, by default */
      scope?: "session" | "agent" | "project" | "tenant" | undefined;
      /** Also what was superseded or forgotten. Default: false */
      include_superseded?: boolean | undefined;
      /** Only what was remembered at or after this time */
      since?: string | undefined;
      /** Only what was remembered at or before this time */
      until?: string | undefined;
      /** Only memories whose key begins with this */
      key_prefix?: string | undefined;
      /** What to search: memories, messages of the conversations, episodes of a project. Default: ["memories"] */
      sources?: ("memories" | "messages" | "episodes")[] | undefined;
      ranking?: RankingOptions | undefined;
      /** The session that the call belongs to */
      session_id?: string | undefined;
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
      /** Id of the memory that takes its place */
      replacement_id?: string | undefined;
    };
    answer: ForgetAnswer;
  };
  /** Mark a memory as superseded (soft delete). It stays for provenance but is no longer recalled. Use it when information is outdated or wrong; name the memory that replaces it if there is one. */
  "POST /v1/forget": {
    input: {
      /** Id of the memory to forget */
      memory_id: string;
      /** Why it is no longer valid */
      reason?: string | undefined;
      /** Id of the memory that takes its place */
      replacement_id?: string | undefined;
      /** The session that the call belongs to */
      session_id?: string | undefined;
      /** The agent that the call belongs to */
      agent_id?: string | undefined;
      /** The project that the call belongs to */
      project_id?: string | undefined;
    };
    answer: ForgetAnswer;
  };
  /** The tools' definitions, ready to pass to a model */
  "GET /v1/tools": {
    input: {
      /** Default: "openai" */
      format?: "openai" | "anthropic" | "mcp" | undefined;
      /** core is remember, recall and forget; all is every tool. Default: "core" */
      set?: "core" | "all" | undefined;
    };
    answer: { [key: string]: unknown }[];
  };
  /** Run a model's tool call, as the model gave it */
  "POST /v1/tools/execute": {
    input: ToolExecute;
    answer: {
      role: "tool";
      tool_call_id: string;
      content: string;
    } | {
      type: "tool_result";
      tool_use_id: string;
      content: string;
      is_error: boolean;
    };
  };
  /** List memories, newest first */
  "GET /v1/memories": {
    input: {
      /** Default: 20 */
      limit?: number | undefined;
      cursor?: string | undefined;
      type?: "fact" | "assumption" | "hypothesis" | "discovery" | "risk" | "unknown" | "decision" | "architectural_decision" | "implementation_decision" | "alternative" | "trade_off" | "task" | "milestone" | "plan" | "convention" | "coding_standard" | "architectural_convention" | "agent_rule" | "process_convention" | "error" | "bug" | "failure" | "incident" | "root_cause" | "lesson_learned" | "skill" | undefined;
      session_id?: string | undefined;
      agent_id?: string | undefined;
      project_id?: string | undefined;
      /** Default: false */
      include_superseded?: boolean | undefined;
      /** Of the session, agent or project given: only the memory of this topic */
      key?: string | undefined;
      /** Of the session, agent or project given: only topics whose key begins with this */
      key_prefix?: string | undefined;
    };
    answer: {
      data: Memory[];
      next_cursor: string | null;
    };
  };
  /** A memory with its provenance */
  "GET /v1/memories/{id}": {
    input: undefined;
    answer: MemoryDetail;
  };
  /** Erase a memory from triples, read model, text index and vectors */
  "DELETE /v1/memories/{id}": {
    input: undefined;
    answer: MemoryReceipt;
  };
  /** By Accept: application/json, application/n-triples, text/turtle, application/ld+json. */
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
  /** The chain of supersession that a memory is part of, oldest first */
  "GET /v1/memories/{id}/history": {
    input: undefined;
    answer: {
      data: Memory[];
    };
  };
  /** The same link again gets the strength. What contradicts or is related to another does so from either end; what supersedes another takes its place, as with forget. */
  "POST /v1/links": {
    input: LinkCreate;
    answer: Link;
  };
  /** The links from a memory or an episode, and those to it */
  "GET /v1/links": {
    input: {
      /** Default: 20 */
      limit?: number | undefined;
      cursor?: string | undefined;
      of: string;
    };
    answer: {
      data: Link[];
      next_cursor: string | null;
    };
  };
  /** Take a link back */
  "DELETE /v1/links/{id}": {
    input: undefined;
    answer: undefined;
  };
  /** Memories that contradict each other, newest first */
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
  /** Settle a contradiction */
  "POST /v1/contradictions/{id}/resolve": {
    input: ResolveInput;
    answer: Contradiction;
  };
  /** Create multiple new entities in the knowledge graph. With `agent_id` or `project_id` it is that agent's or project's graph, without either the tenant's own. */
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
    };
  };
  /** Create multiple new relations between entities in the knowledge graph. Relations should be in active voice. With `agent_id` or `project_id` it is that agent's or project's graph, without either the tenant's own. */
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
    };
  };
  /** Add new observations to existing entities in the knowledge graph. With `agent_id` or `project_id` it is that agent's or project's graph, without either the tenant's own. */
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
    };
  };
  /** Delete multiple entities and their associated relations from the knowledge graph. With `agent_id` or `project_id` it is that agent's or project's graph, without either the tenant's own. */
  "POST /v1/graph/delete_entities": {
    input: {
      /** An array of entity names to delete */
      entityNames: string[];
      /** The agent that the call belongs to */
      agent_id?: string | undefined;
      /** The project that the call belongs to */
      project_id?: string | undefined;
    };
    answer: GraphDeleted;
  };
  /** Delete specific observations from entities in the knowledge graph. With `agent_id` or `project_id` it is that agent's or project's graph, without either the tenant's own. */
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
    answer: GraphDeleted;
  };
  /** Delete multiple relations from the knowledge graph. With `agent_id` or `project_id` it is that agent's or project's graph, without either the tenant's own. */
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
    answer: GraphDeleted;
  };
  /** Read the entire knowledge graph. With `agent_id` or `project_id` it is that agent's or project's graph, without either the tenant's own. */
  "POST /v1/graph/read_graph": {
    input: {
      /** The agent that the call belongs to */
      agent_id?: string | undefined;
      /** The project that the call belongs to */
      project_id?: string | undefined;
    };
    answer: KnowledgeGraph;
  };
  /** Search for nodes in the knowledge graph based on a query. With `agent_id` or `project_id` it is that agent's or project's graph, without either the tenant's own. */
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
  /** Open specific nodes in the knowledge graph by their names. With `agent_id` or `project_id` it is that agent's or project's graph, without either the tenant's own. */
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
  /** As `ping` of mem0's clients, which send it first. */
  "GET /mem0/v1/ping": {
    input: undefined;
    answer: {
      status: "ok";
    };
  };
  /** As `add`. Answers when they are stored. By default the service's own rules choose the sentences that are worth keeping, without a model; with `infer: false` each message is kept as said. */
  "POST /mem0/v3/memories/add": {
    input: Mem0Add;
    answer: Mem0Added;
  };
  /** As `search`. Scores are the service's own, from 0 to 1. */
  "POST /mem0/v3/memories/search": {
    input: Mem0Search;
    answer: Mem0Found;
  };
  /** As `getAll`. */
  "POST /mem0/v3/memories": {
    input: Mem0List;
    answer: Mem0Memories;
  };
  /** As `deleteAll`. With more ids than the owner's, only what bears them all. */
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
  /** As `get`. */
  "GET /mem0/v1/memories/{id}": {
    input: undefined;
    answer: Mem0Memory;
  };
  /** As `update`. It is changed in place, and keeps its id and its time. */
  "PUT /mem0/v1/memories/{id}": {
    input: Mem0Update;
    answer: Mem0Memory;
  };
  /** As `delete`. A memory is changed in place, so nothing is linked to it that could be left. */
  "DELETE /mem0/v1/memories/{id}": {
    input: {
      delete_linked?: string | undefined;
    };
    answer: Mem0Told;
  };
  /** As `users`. */
  "GET /mem0/v1/entities": {
    input: {
      /** Default: 1 */
      page?: number | undefined;
      /** Default: 100 */
      page_size?: number | undefined;
    };
    answer: Mem0Entities;
  };
  /** As `deleteUsers`. */
  "DELETE /mem0/v2/entities/{type}/{name}": {
    input: undefined;
    answer: Mem0Told;
  };
  /** Tell what happened when a task was tried */
  "POST /v1/episodes": {
    input: EpisodeCreate;
    answer: Episode;
  };
  /** List episodes, newest first */
  "GET /v1/episodes": {
    input: {
      /** Default: 20 */
      limit?: number | undefined;
      cursor?: string | undefined;
      project_id?: string | undefined;
      outcome?: "success" | "failure" | "partial" | undefined;
      agent?: string | undefined;
      since?: string | undefined;
      until?: string | undefined;
      /** Default: false */
      include_archived?: boolean | undefined;
    };
    answer: {
      data: Episode[];
      next_cursor: string | null;
    };
  };
  /** An episode, also an archived one */
  "GET /v1/episodes/{id}": {
    input: undefined;
    answer: Episode;
  };
  /** Erase an episode from triples, read model, text index, vectors and what refers to it */
  "DELETE /v1/episodes/{id}": {
    input: undefined;
    answer: EpisodeReceipt;
  };
  /** Write a pattern, or an anti-pattern */
  "POST /v1/patterns": {
    input: PatternCreate;
    answer: Pattern;
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
  /** A pattern, by its id or by the name that it was given */
  "GET /v1/patterns/{id}": {
    input: undefined;
    answer: Pattern;
  };
  /** Tell what went wrong, why, what put it right and what prevents it */
  "POST /v1/learnings": {
    input: LearningCreate;
    answer: Learning;
  };
  /** List learnings, newest first */
  "GET /v1/learnings": {
    input: {
      /** Default: 20 */
      limit?: number | undefined;
      cursor?: string | undefined;
      project_id?: string | undefined;
    };
    answer: {
      data: Learning[];
      next_cursor: string | null;
    };
  };
  /** One at a time for each project. A second run over the same episodes changes nothing. */
  "POST /v1/consolidate": {
    input: ConsolidateInput;
    answer: ConsolidateAnswer;
  };
  /** Let a project's memory age: decay, summaries, archive, duplicates */
  "POST /v1/maintenance": {
    input: MaintenanceInput;
    answer: MaintenanceAnswer;
  };
  /** What to know before a task: patterns, mistakes, skills and episodes, within a token budget */
  "POST /v1/prime": {
    input: PrimeInput;
    answer: PrimeAnswer;
  };
  /** A session's working memory as a page: now, relevant memories, mistakes to avoid */
  "GET /v1/sessions/{id}/continuity": {
    input: undefined;
    answer: string;
  };
  /** Set an agent's memory policy */
  "PUT /v1/agents/{agent_id}/policy": {
    input: PolicyInput;
    answer: Policy;
  };
  /** An agent's memory policy; the defaults if it was given none */
  "GET /v1/agents/{agent_id}/policy": {
    input: undefined;
    answer: Policy;
  };
  /** The messages of the next turn, with memory in them */
  "POST /v1/sessions/{id}/preflight": {
    input: PreflightInput;
    answer: PreflightAnswer;
  };
  /** A capture that fails is told in the answer, and is no error: the turn is over. */
  "POST /v1/sessions/{id}/turns": {
    input: TurnInput;
    answer: TurnAnswer;
  };
  /** Write an entry into an agent's memory */
  "POST /v1/entries": {
    input: EntryCreate;
    answer: Entry;
  };
  /** The entries of a namespace, newest first */
  "GET /v1/entries": {
    input: {
      /** Default: 20 */
      limit?: number | undefined;
      cursor?: string | undefined;
      namespace: string;
    };
    answer: {
      data: Entry[];
      next_cursor: string | null;
    };
  };
  /** A skill that differs is a new version: the one before stays in the history of its memory. One that says the same changes nothing. */
  "PUT /v1/skills/{slug}": {
    input: SkillPut;
    answer: Skill;
  };
  /** A skill, as JSON or Markdown */
  "GET /v1/skills/{slug}": {
    input: undefined;
    answer: Skill;
  };
  /** As Markdown, one after the other with a rule between; the header Link leads to the next page. */
  "GET /v1/skills": {
    input: {
      /** Default: 20 */
      limit?: number | undefined;
      cursor?: string | undefined;
    };
    answer: {
      data: Skill[];
      next_cursor: string | null;
    };
  };
  /** One that says just what the newest says adds no version. */
  "PUT /v1/ledgers/{agent_id}": {
    input: LedgerPut;
    answer: Ledger;
  };
  /** Where an agent stands: its newest checkpoint */
  "GET /v1/ledgers/{agent_id}": {
    input: undefined;
    answer: Ledger;
  };
  /** An agent's checkpoints, newest first */
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
  /** Hand work to another agent */
  "POST /v1/handoffs": {
    input: HandoffCreate;
    answer: Handoff;
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
  /** The first agent has it; every later call is a conflict that names that agent. */
  "POST /v1/handoffs/{id}/acknowledge": {
    input: AcknowledgeInput;
    answer: Handoff;
  };
  /** The classes, properties and individuals; as Turtle with Accept: text/turtle */
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
  /** Call it again with next_cursor until that is null. The service answers throughout. */
  "POST /v1/admin/rebuild": {
    input: {
      tenant?: string | undefined;
      cursor?: string | null | undefined;
    };
    answer: {
      rebuilt: number;
      skipped: number;
      next_cursor: string | null;
    };
  };
  /** The vector index: what its vectors are made with, and what waits to be embedded */
  "GET /v1/admin/index": {
    input: {
      tenant?: string | undefined;
    };
    answer: IndexState;
  };
  /** Call it again until `finished`. It goes on where the last call ended, and recall answers throughout. */
  "POST /v1/admin/reembed": {
    input: undefined;
    answer: {
      done: number;
      total: number;
      finished: boolean;
    };
  };
  /** Whether the service is up */
  "GET /health": {
    input: undefined;
    answer: Health;
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
}
