// RPC interface of a session's Durable Object. Arguments and results are JSON; failures are values, because an error
// loses its class over RPC.

import type { ThreadRange } from "../cognition/runtime/thread-log";
import type {
  Directive,
  DirectiveAccepted,
  ProjectorPatch,
  ProjectorRun,
  ProjectorView,
  SignalPage,
  ThreadAppended,
  ThreadEntryInput,
  ThreadPage,
} from "../cognition/runtime/thread-schemas";
import type { WholeSpace } from "../cognition/spaces/container-changes";
import type {
  ExpectedRevisions,
  MemoryPatch,
  MemoryPut,
  SpaceChanged,
  SpaceContainerView,
  SpaceOp,
  SpacePut,
  SpaceView,
  Task,
  TaskCreate,
  TaskOrder,
  TaskStatus,
} from "../cognition/spaces/space-schemas";
import type { FactNoted } from "../cognition/spaces/world-schemas";
import type { Access, Binding, Owner } from "../kernel/access";
import type { Scope } from "../kernel/common";
import type { CallReads } from "../kernel/databases/bookmark-tracker";
import type { Result } from "../kernel/errors";
import { hash64 } from "../kernel/hash";
import type { Idempotency } from "../kernel/idempotency";
import type { Json, JsonObject } from "../kernel/json";
import { canonicalJson } from "../language/json-text";
import type { MessageHit, RecallHit } from "../memories/memory-schemas";
import type { Message, MessageInput, MessagesAdded } from "../memories/message-schemas";
import type { MemoryWrite, WrittenMemory } from "../memories/store/commit-plan";
import type { AssembledPrompt } from "../recall/prompts/assemble-prompt";
import type { AssembleInput } from "../recall/prompts/assemble-schemas";
import type { SessionKnowledge } from "../recall/prompts/session-knowledge";
import type { PolicyInput } from "./policy-settings";
import type { Redaction } from "./redact-session";
import type { SessionRef } from "./session-record";
import type { SessionKind } from "./session-records";
import type {
  ContextItem,
  ContextPut,
  PendingCreate,
  PendingItem,
  PromotionAnswer,
  Session,
  SessionCreate,
  SessionPatch,
  SessionStatus,
  TokenBudget,
} from "./session-schemas";

export type SessionSettings = Owner & {
  participating_agents: readonly string[];
  reach: Scope;
  status: SessionStatus;
  /** Its erasure has begun: it is not found any more, but the long-term store may still hold its rows. */
  erasing: boolean;
  policy: PolicyInput | null;
  token_budget: TokenBudget;
};

/** Identifies settings. It has letters only, so that the privacy gate does not mask it. */
export function fingerprintSettings(settings: SessionSettings | null): string {
  const hash = hash64(canonicalJson(settings));
  return hash.replaceAll(/./g, (digit) => String.fromCharCode(97 + Number.parseInt(digit, 16)));
}

/** What a recall needs of the session that asks. */
export type RecallBasis = Owner & {
  reach: Scope;
  /** The position of the first message in the window: the caller has those from there on already. */
  window_start: number;
  /** The position of the last message that the long-term store has; 0 if the recall does not cover messages. */
  messages_sent: number;
};

export type ErasedSession = {
  messages: number;
  context: number;
  pending: number;
  memories: number;
  triples: number;
  vectors: number;
};

/** Where the next page of a session's records begins. */
export type RecordCursor = {
  kind: Exclude<SessionKind, "session">;
  after: readonly (string | number)[] | null;
};

/** A page of a session's records, as an export has them; `next` is null at the end. */
export type SessionRecords = { records: JsonObject[]; next: RecordCursor | null };

/** How many records of each kind an import added. */
export type ImportedCounts = { added: Record<string, number> };

/** What a session inherits from the one that it starts from. */
export type InheritedSpaces = { metadata: JsonObject; spaces: Record<string, WholeSpace> };

export type PredecessorSpaces = Owner & InheritedSpaces;

/** The settings of a new session, and where they come from apart from the request. */
export type NewSession = SessionCreate & { within?: Binding; inherited?: InheritedSpaces };

/** The caller of assemble: whose memory it reads, from where, and whether the call counts as use of the session. */
export type AssembleCall = Access & { countsUse: boolean; reads: CallReads };

/** A context, and the bookmark of what was read of the long-term store for it; null if nothing was. */
export type AssembledContext = { context: AssembledPrompt<RecallHit, MessageHit>; seen: string | null };

/** A reader of live signals: the last signal that it has, its key, and whether it acknowledges what it has read. */
export type SignalReader = { after: number | undefined; key: string; acknowledges: boolean };

/** A value with the revision of the task list. */
export type WithRevision<T> = { value: T; rev: number };

export type SessionRpc = {
  create(ref: SessionRef, create: NewSession, idempotency: Idempotency): Promise<Result<Session>>;
  get(ref: SessionRef): Promise<Result<Session>>;
  /** Returns the settings that a turn needs, null if the session does not exist. */
  getSettings(ref: SessionRef): Promise<Result<SessionSettings | null>>;
  patch(ref: SessionRef, patch: SessionPatch): Promise<Result<Session>>;
  pause(ref: SessionRef, idempotency: Idempotency): Promise<Result<Session & { promoted: number }>>;
  resume(ref: SessionRef, idempotency: Idempotency): Promise<Result<Session>>;
  close(ref: SessionRef, idempotency: Idempotency): Promise<Result<Session & { promoted: number }>>;
  /** Notes that the session is in use: one that only recalls is not idle. */
  recordActivity(ref: SessionRef): Promise<Result<null>>;
  /** Returns whether the session knows an idempotency key, or a step of it. */
  hasAnswered(ref: SessionRef, op: string): Promise<Result<boolean>>;

  abandonIfIdle(ref: SessionRef): Promise<Result<{ abandoned: boolean }>>;
  erase(ref: SessionRef, options: { memories: boolean }): Promise<Result<ErasedSession>>;
  /** Removes erased memories wherever the session quotes them; ignored if the session does not exist. */
  redact(ref: SessionRef, redactions: Redaction[]): Promise<Result<null>>;

  /** Returns a page of everything that the session stores; nothing if it does not exist. */
  readRecords(ref: SessionRef, cursor: RecordCursor | null): Promise<Result<SessionRecords>>;
  /** Returns the sequence number of the session's newest message; 0 if there is none. */
  findLastSeq(ref: SessionRef): Promise<Result<number>>;
  /** Stores records of an export that are not there yet. The first of a session is that of the session itself. */
  importRecords(ref: SessionRef, records: JsonObject[]): Promise<Result<ImportedCounts>>;

  addMessages(
    ref: SessionRef,
    messages: MessageInput[],
    idempotency: Idempotency,
    access: Access,
  ): Promise<Result<MessagesAdded>>;
  /** Makes the session's messages findable, and returns what a recall needs of it; null if there is no session. */
  prepareRecall(ref: SessionRef, options: { messages: boolean }): Promise<Result<RecallBasis | null>>;
  /** Returns a page of the window after a sequence number, oldest first. */
  listMessages(
    ref: SessionRef,
    page: { limit: number; after: number },
  ): Promise<Result<(Message & { seq: number })[]>>;
  /** Returns the newest messages of the window, oldest first. */
  listRecentMessages(ref: SessionRef, limit: number): Promise<Result<Message[]>>;

  putContext(ref: SessionRef, key: string, put: ContextPut): Promise<Result<ContextItem>>;
  getContext(ref: SessionRef, key: string, options: { peek: boolean }): Promise<Result<ContextItem>>;
  listContext(ref: SessionRef): Promise<Result<ContextItem[]>>;
  deleteContext(ref: SessionRef, key: string): Promise<Result<null>>;

  addPending(ref: SessionRef, item: PendingCreate, idempotency: Idempotency): Promise<Result<PendingItem>>;
  listPending(ref: SessionRef): Promise<Result<PendingItem[]>>;
  promote(ref: SessionRef, idempotency: Idempotency): Promise<Result<PromotionAnswer>>;
  /**
   * Stores memories like `remember` if the session's settings have this fingerprint (`fingerprintSettings`). Otherwise
   * stores nothing and returns null. `repeated` if an earlier call with the same key has stored them.
   */
  rememberWithSettings(
    ref: SessionRef & { settings: string },
    writes: MemoryWrite[],
  ): Promise<Result<{ results: Result<WrittenMemory>[]; repeated: boolean } | null>>;
  /** Stores memories in one transaction and returns the result of each, in order. */
  remember(ref: SessionRef, writes: MemoryWrite[]): Promise<Result<Result<WrittenMemory>[]>>;

  /** Answers for a session that does not exist yet from the memory of `owner`; nothing is created. */
  assemble(ref: SessionRef, input: AssembleInput, call: AssembleCall): Promise<Result<AssembledContext>>;
  /** Returns what the session's projectors know, for a session that continues it; null if there is no session. */
  readKnowledge(ref: SessionRef): Promise<Result<(Owner & SessionKnowledge) | null>>;

  getSpaces(ref: SessionRef): Promise<Result<SpaceContainerView>>;
  replaceSpaces(ref: SessionRef, put: MemoryPut): Promise<Result<SpaceContainerView>>;
  patchSpaces(ref: SessionRef, patch: MemoryPatch): Promise<Result<SpaceContainerView>>;
  /** Returns the spaces and the owner of a session, for one that starts from them; null if there is no session. */
  readSpacesForSuccessor(ref: SessionRef): Promise<Result<PredecessorSpaces | null>>;
  getSpace(ref: SessionRef, name: string): Promise<Result<SpaceView>>;
  getSpaceKey(ref: SessionRef, name: string, key: string): Promise<Result<Json>>;
  putSpace(
    ref: SessionRef,
    name: string,
    put: SpacePut,
  ): Promise<Result<{ space: SpaceView; created: boolean }>>;
  deleteSpace(ref: SessionRef, name: string, expected: ExpectedRevisions): Promise<Result<null>>;
  changeSpace(
    ref: SessionRef,
    name: string,
    ops: SpaceOp[],
    expected: ExpectedRevisions,
    idempotency: Idempotency,
  ): Promise<Result<SpaceChanged>>;

  /** Notes a fact in `world.facts`. */
  noteFact(
    ref: SessionRef,
    fact: { subject: string; text: string },
    idempotency: Idempotency,
    access: Access,
  ): Promise<Result<FactNoted>>;

  listTasks(ref: SessionRef, status: TaskStatus | null): Promise<Result<WithRevision<Task[]>>>;
  getNextTask(ref: SessionRef): Promise<Result<WithRevision<Task> | null>>;
  addTask(
    ref: SessionRef,
    task: TaskCreate,
    idempotency: Idempotency,
    access?: Access,
  ): Promise<Result<WithRevision<Task>>>;
  completeTask(
    ref: SessionRef,
    taskId: string,
    expected: ExpectedRevisions,
    idempotency: Idempotency,
  ): Promise<Result<WithRevision<Task>>>;
  removeTask(ref: SessionRef, taskId: string, expected: ExpectedRevisions): Promise<Result<null>>;
  orderTasks(ref: SessionRef, order: TaskOrder): Promise<Result<WithRevision<Task[]>>>;

  appendThread(
    ref: SessionRef,
    entries: ThreadEntryInput[],
    idempotency: Idempotency,
  ): Promise<Result<ThreadAppended>>;
  readThread(ref: SessionRef, range: ThreadRange): Promise<Result<ThreadPage>>;
  /** Appends an executed tool call and its result to the thread; ignored if the session is missing or closed. */
  recordToolUse(ref: SessionRef, callId: string, call: object, result: object): Promise<Result<null>>;

  listProjectors(ref: SessionRef): Promise<Result<ProjectorView[]>>;
  patchProjector(ref: SessionRef, name: string, patch: ProjectorPatch): Promise<Result<ProjectorView>>;
  runProjector(ref: SessionRef, name: string, idempotency: Idempotency): Promise<Result<ProjectorRun>>;

  acceptDirective(
    ref: SessionRef,
    directive: Directive,
    idempotency: Idempotency,
  ): Promise<Result<DirectiveAccepted>>;
  listSignals(
    ref: SessionRef,
    page: { after: number | undefined; limit: number },
  ): Promise<Result<SignalPage>>;
};
