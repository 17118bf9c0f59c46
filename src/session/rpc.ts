// What a session's object answers to. Everything that crosses is JSON; failures are values, because an error
// loses its class on the way.
import type { Outcome } from "../errors";
import type { Assembled } from "../prompt/assemble";
import type { AssembleInput } from "../schemas/assemble";
import type { NewMemory, RecallHit } from "../schemas/memory";
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
} from "../schemas/session";
import type { SessionRef } from "./record";

/** An idempotency key, bound to its method and path, with what it was sent with. */
export type Idempotency = { op: string; fingerprint: string } | null;

export type Belonging = { agent_id: string | null; project_id: string | null };

export type Remembered = { memory_id: string; deduplicated: boolean };

export type ErasedSession = {
  messages: number;
  context: number;
  pending: number;
  memories: number;
  triples: number;
  vectors: number;
};

export type SessionRpc = {
  create(ref: SessionRef, create: SessionCreate, idempotency: Idempotency): Promise<Outcome<Session>>;
  get(ref: SessionRef): Promise<Outcome<Session>>;
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
