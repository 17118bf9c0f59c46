// The answers of the HTTP contract, written down from the contract and not from the service.

export const ISO_MS = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
export const ID = /^[A-Za-z0-9_-]{1,128}$/;
export const JIDO = "https://jido.ai/ontology#";

export const STATUS = {
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
export type ProblemCode = keyof typeof STATUS;

/** Every class under jido:MemoryItem, in snake_case. */
export const MEMORY_TYPES = [
  ...["fact", "assumption", "hypothesis", "discovery", "risk", "unknown"],
  ...["decision", "architectural_decision", "implementation_decision", "alternative", "trade_off"],
  ...["task", "milestone", "plan"],
  ...["convention", "coding_standard", "architectural_convention", "agent_rule", "process_convention"],
  ...["error", "bug", "failure", "incident", "root_cause", "lesson_learned"],
];

export type Problem = {
  type: string;
  title: string;
  status: number;
  code: string;
  detail: string;
  errors?: { path: string; message: string }[];
  more_errors?: number;
};

export type Page<T> = { data: T[]; next_cursor: string | null };

export type Key = { id: string; key?: string; tenant: string; scopes: string[]; expires_at: string | null };

export type Session = {
  id: string;
  status: "active" | "paused" | "closed" | "abandoned";
  agent_id: string | null;
  project_id: string | null;
  continues: string | null;
  created_at: string;
  updated_at: string;
  ended_at: string | null;
  token_budget: { total: number; conversation: number; context: number };
  promotion: {
    enabled: boolean;
    interval_ms: number;
    threshold: number;
    max_per_run: number;
    runs: number;
    total_promoted: number;
    last_run: string | null;
    next_run: string | null;
  };
  counts: { messages: number; tokens: number; context: number; pending: number; memories: number };
  policy: unknown;
  metadata: Record<string, unknown>;
};
export type Transition = Session & { promoted: number };

export type MessagesAdded = {
  added: number;
  duplicates: number;
  evicted: number;
  tokens: { used: number; max: number };
};
export type Message = {
  id: string;
  role: string;
  name: string | null;
  content: string;
  timestamp: string;
  tool_calls: unknown[] | null;
  tool_call_id: string | null;
  metadata: Record<string, unknown>;
};

export type ContextItem = {
  key: string;
  value: unknown;
  source: string;
  confidence: number;
  access_count: number;
  first_seen: string;
  last_accessed: string;
  suggested_type: string | null;
  importance: number;
};

export type Pending = {
  id: string;
  content: string;
  memory_type: string;
  confidence: number;
  source_type: string;
  evidence: string[];
  rationale: string | null;
  suggested_by: string;
  importance_score: number;
};
export type Promotion = {
  promoted: { memory_id: string; memory_type: string; importance_score: number }[];
  remaining: number;
};

export type Remembered = {
  remembered: boolean;
  memory_id: string;
  memory_type: string;
  message: string;
  deduplicated: boolean;
  warnings?: unknown[];
};
export type Hit = {
  id: string;
  kind: string;
  content: string;
  type: string;
  confidence: number;
  timestamp: string;
  session_id: string | null;
  agent_id: string | null;
  project_id: string | null;
  source_type: string;
  rationale: string | null;
  score: number;
  signals: Record<string, unknown>;
  superseded_by: string | null;
  access_count: number;
};
export type MessageHit = {
  id: string;
  kind: "message";
  content: string;
  role: string;
  name: string | null;
  timestamp: string;
  session_id: string;
  agent_id: string | null;
  project_id: string | null;
  score: number;
  signals: Record<string, unknown>;
};
export type Recalled = { count: number; memories: Hit[]; degraded?: string };
export type MessagesRecalled = Omit<Recalled, "memories"> & { memories: MessageHit[] };
export type Forgotten = {
  forgotten: boolean;
  memory_id: string;
  message: string;
  reason?: string;
  replacement_id?: string;
};

export type Memory = Hit & {
  evidence: string[];
  supersedes: unknown;
  invalidated_by: unknown;
  links: unknown;
  importance: number;
  last_accessed: string | null;
};
export type Triple = { subject: string; predicate: string; object: unknown };

export type Assembled = {
  messages: { id?: string; role: string; content: string }[];
  working_context: Record<string, unknown>;
  memories: Hit[];
  prompt: string;
  tokens: { total: number; budget: number; conversation: number; working: number; long_term: number };
  left_out: { part: string; id: string; reason: string }[];
};

export type SessionReceipt = {
  deleted: {
    messages: number;
    context: number;
    pending: number;
    memories: number;
    triples: number;
    vectors: number;
  };
};
export type MemoryReceipt = {
  deleted: { memories: number; triples: number; vectors: number; links: number };
};

export type Space<T = unknown> = {
  name: string;
  kind: "map" | "list";
  rev: number;
  data: T;
  metadata: Record<string, unknown>;
  expires?: Record<string, string>;
  memory_rev: number;
};
export type SpaceChanged<T = unknown> = { rev: number; memory_rev: number; data: T };
export type Container = {
  id: string;
  rev: number;
  spaces: Record<string, Omit<Space, "name" | "memory_rev">>;
  created_at: string;
  updated_at: string;
  metadata: Record<string, unknown>;
};
/** What a stale revision is answered with. */
export type Stale = Problem & { current_rev: number; current_memory_rev: number };
export type Task = { id: string; text: string; status: "open" | "done" };

export type ThreadAppended = { first_seq: number; last_seq: number };
export type ThreadEntry<T = unknown> = { seq: number; kind: string; payload: T; at: string };
export type ThreadPage<T = unknown> = { data: ThreadEntry<T>[]; next_seq: number };
export type Projector = { name: string; covered_seq: number; trigger: unknown };
export type ProjectorRun = { projected: number; covers: { from: number; to: number } };

/** A CloudEvent that answers a directive. */
export type Signal = {
  specversion: string;
  id: string;
  source: string;
  type: string;
  time: string;
  data: {
    request_id: string;
    status: string;
    result: unknown;
    meta: { provider: string; latency_ms: number };
  };
  seq: number;
};
export type SignalPage = { data: Signal[]; next: number };
export type Match = { key: string; score: number; value: unknown };

export type Policy = {
  enabled: boolean;
  scope: "agent" | "session";
  namespace: string | { context: string } | null;
  capture: "manual" | "conversation" | "off";
  inject: "instructions" | "context";
  max_entries: number;
  metadata: Record<string, unknown>;
  experience: boolean;
};
export type Entry = {
  id: string;
  namespace: string;
  user_id: string | null;
  agent_id: string | null;
  session_id: string | null;
  content: string;
  metadata: Record<string, unknown>;
  source: "manual" | "conversation" | "memory";
  created_at: string;
  parts?: string[];
};
export type Preflight = {
  messages: { role: string; content: string }[];
  memory: {
    enabled: boolean;
    namespace: string | null;
    reach: string | null;
    scope: string;
    inject: string;
    capture: string;
    entries: Entry[];
    left_out: { id: string; reason: string }[];
    tokens: { used: number; budget: number };
    hint?: string;
  };
};
export type Turn = { captured: boolean; entry_id?: string; entry_ids?: string[]; reason?: string };

export type IndexState = {
  index: string;
  embedder: string | null;
  dimensions: number | null;
  made_with: { index: string; embedder: string; dimensions: number } | null;
  matches: boolean;
  reembedding: boolean;
  waiting: number;
};
export type Reembedded = { done: number; total: number; finished: boolean };

export type OpenAiResult = { role: string; tool_call_id: string; content: unknown };
export type AnthropicResult = { type: string; tool_use_id: string; content: unknown; is_error: boolean };
