// What a session's object answers to. Everything that crosses is JSON; failures are values, because an error
// loses its class on the way.

import type { Assembled } from "../domain/prompt/assemble-prompt";
import type { Outcome } from "../platform/errors";
import type { Json } from "../platform/json";
import type { AssembleInput } from "../schemas/assemble";
import type {
  Directive,
  DirectiveAccepted,
  Expected,
  MemoryPatch,
  MemoryView,
  ProjectorPatch,
  ProjectorRun,
  ProjectorView,
  SignalPage,
  SpaceChanged,
  SpaceOp,
  SpacePut,
  SpaceView,
  Task,
  TaskCreate,
  TaskOrder,
  TaskStatus,
  ThreadAppended,
  ThreadEntryInput,
  ThreadPage,
} from "../schemas/cognition";
import type { NewMemory, RecallHit } from "../schemas/memory";
import type { PolicyInput } from "../schemas/policy";
import type {
  ContextItem,
  ContextPut,
  Message,
  MessageInput,
  MessagesAdded,
  PendingCreate,
  PendingItem,
  PromotionAnswer,
  Session,
  SessionCreate,
  SessionPatch,
  SessionStatus,
  TokenBudget,
} from "../schemas/session";
import type { ThreadRange } from "./cognition/thread-log";
import type { SessionRef } from "./session-record";

/** An idempotency key, bound to its method and path, with what it was sent with. */
export type Idempotency = { op: string; fingerprint: string } | null;

export type Belonging = { agent_id: string | null; project_id: string | null };

export type SessionSettings = Belonging & {
  status: SessionStatus;
  policy: PolicyInput | null;
  token_budget: TokenBudget;
};

export type Remembered = { memory_id: string; deduplicated: boolean };

export type ErasedSession = {
  messages: number;
  context: number;
  pending: number;
  memories: number;
  triples: number;
  vectors: number;
};

/** With the revision of the list they stand in. */
export type AtRev<T> = { value: T; rev: number };

export type CognitionRpc = {
  getMemory(ref: SessionRef): Promise<Outcome<MemoryView>>;
  patchMemory(ref: SessionRef, patch: MemoryPatch): Promise<Outcome<MemoryView>>;
  getSpace(ref: SessionRef, name: string): Promise<Outcome<SpaceView>>;
  getInSpace(ref: SessionRef, name: string, key: string): Promise<Outcome<Json>>;
  putSpace(
    ref: SessionRef,
    name: string,
    put: SpacePut,
  ): Promise<Outcome<{ space: SpaceView; created: boolean }>>;
  deleteSpace(ref: SessionRef, name: string, expected: Expected): Promise<Outcome<null>>;
  changeSpace(
    ref: SessionRef,
    name: string,
    ops: SpaceOp[],
    expected: Expected,
    idempotency: Idempotency,
  ): Promise<Outcome<SpaceChanged>>;

  listTasks(ref: SessionRef, status: TaskStatus | null): Promise<Outcome<AtRev<Task[]>>>;
  nextTask(ref: SessionRef): Promise<Outcome<AtRev<Task> | null>>;
  addTask(ref: SessionRef, task: TaskCreate, idempotency: Idempotency): Promise<Outcome<AtRev<Task>>>;
  completeTask(
    ref: SessionRef,
    taskId: string,
    expected: Expected,
    idempotency: Idempotency,
  ): Promise<Outcome<AtRev<Task>>>;
  removeTask(ref: SessionRef, taskId: string, expected: Expected): Promise<Outcome<null>>;
  orderTasks(ref: SessionRef, order: TaskOrder): Promise<Outcome<AtRev<Task[]>>>;

  appendThread(
    ref: SessionRef,
    entries: ThreadEntryInput[],
    idempotency: Idempotency,
  ): Promise<Outcome<ThreadAppended>>;
  readThread(ref: SessionRef, range: ThreadRange): Promise<Outcome<ThreadPage>>;
  /** A tool call that was executed, and its result. A session that is not there, or closed, takes no note of it. */
  noteToolUse(ref: SessionRef, callId: string, call: object, result: object): Promise<Outcome<null>>;

  listProjectors(ref: SessionRef): Promise<Outcome<ProjectorView[]>>;
  patchProjector(ref: SessionRef, name: string, patch: ProjectorPatch): Promise<Outcome<ProjectorView>>;
  runProjector(ref: SessionRef, name: string, idempotency: Idempotency): Promise<Outcome<ProjectorRun>>;

  acceptDirective(
    ref: SessionRef,
    directive: Directive,
    idempotency: Idempotency,
  ): Promise<Outcome<DirectiveAccepted>>;
  listSignals(
    ref: SessionRef,
    page: { after: number | undefined; limit: number },
  ): Promise<Outcome<SignalPage>>;
};

export type SessionRpc = CognitionRpc & {
  create(ref: SessionRef, create: SessionCreate, idempotency: Idempotency): Promise<Outcome<Session>>;
  get(ref: SessionRef): Promise<Outcome<Session>>;
  /** What a turn must know of its session; null when there is none. */
  settings(ref: SessionRef): Promise<Outcome<SessionSettings | null>>;
  patch(ref: SessionRef, patch: SessionPatch): Promise<Outcome<Session>>;
  pause(ref: SessionRef, idempotency: Idempotency): Promise<Outcome<Session & { promoted: number }>>;
  resume(ref: SessionRef, idempotency: Idempotency): Promise<Outcome<Session>>;
  close(ref: SessionRef, idempotency: Idempotency): Promise<Outcome<Session & { promoted: number }>>;
  abandonIfIdle(ref: SessionRef): Promise<Outcome<{ abandoned: boolean }>>;
  erase(ref: SessionRef, options: { memories: boolean }): Promise<Outcome<ErasedSession>>;

  addMessages(
    ref: SessionRef,
    messages: MessageInput[],
    idempotency: Idempotency,
  ): Promise<Outcome<MessagesAdded>>;
  /** Everything said in this session so far is findable when this answers; says what the session belongs to. */
  sendMessages(ref: SessionRef): Promise<Outcome<Belonging>>;
  /** A page of the window, oldest first, after a sequence number. */
  listMessages(
    ref: SessionRef,
    page: { limit: number; after: number },
  ): Promise<Outcome<(Message & { seq: number })[]>>;
  /** The newest of the window, oldest first. */
  lastMessages(ref: SessionRef, limit: number): Promise<Outcome<Message[]>>;

  putContext(ref: SessionRef, key: string, put: ContextPut): Promise<Outcome<ContextItem>>;
  getContext(ref: SessionRef, key: string, options: { peek: boolean }): Promise<Outcome<ContextItem>>;
  listContext(ref: SessionRef): Promise<Outcome<ContextItem[]>>;
  deleteContext(ref: SessionRef, key: string): Promise<Outcome<null>>;

  addPending(ref: SessionRef, item: PendingCreate, idempotency: Idempotency): Promise<Outcome<PendingItem>>;
  listPending(ref: SessionRef): Promise<Outcome<PendingItem[]>>;
  promote(ref: SessionRef, idempotency: Idempotency): Promise<Outcome<PromotionAnswer>>;
  remember(
    ref: SessionRef,
    memory: Omit<NewMemory, "session_id" | "agent_id" | "project_id">,
    belonging: Belonging,
    idempotency: Idempotency,
  ): Promise<Outcome<Remembered>>;

  assemble(ref: SessionRef, input: AssembleInput): Promise<Outcome<Assembled<RecallHit>>>;
  noteRecall(ref: SessionRef, memoryIds: string[]): Promise<Outcome<null>>;
};
