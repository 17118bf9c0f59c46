// Loads conversations into the service as their agents would send them: a session for a session, message by message or
// memory by memory. Records which turns each later hit stands for.
import type { BenchmarkService } from "../benchmark-servers.ts";
import { type Connection, connectToService, post, sendOk } from "../connection.ts";
import {
  type Conversation,
  cutBytes,
  cutChars,
  type Session,
  type Turn,
  toSafeId,
} from "../data/conversations.ts";
import type { Progress } from "../report/progress.ts";

/** The service takes 500 messages of 32 KB each and a body of 1 MB. */
const MESSAGES_PER_CALL = 500;
const MESSAGE_BYTES = 32 * 1024;
const BODY_BYTES = 1_000_000;
/** The longest memory. */
const CONTENT_CHARS = 2_000;

export const STORES = ["messages", "memories"] as const;
export type Store = (typeof STORES)[number];

export interface LoadedConversation {
  /** The agent that holds the conversation. */
  agent: string;
  /** The ids of the turns behind each hit, by `nameHit`. */
  hits: Record<string, string[]>;
}

/** By the id of the conversation. */
export type LoadedConversations = Record<string, LoadedConversation>;

export interface LoadOptions {
  store: Store;
  /** Distinguishes the agents of several runs. */
  run: string;
  /** How many sessions are sent at a time. */
  concurrency: number;
  progress: Progress;
  /** Filled from the beginning, so that a caller can remove what a failed load has left. */
  loaded?: LoadedConversations;
}

/** Identifies a hit of a recall. */
export interface HitId {
  kind: string;
  id: string;
  session_id?: string;
}

type RecordHit = (hit: string, turn: string) => void;
type AddTurns = (connection: Connection, session: string, turns: Turn[], record: RecordHit) => Promise<void>;

const ADD_TURNS: Record<Store, AddTurns> = { messages: addMessages, memories: addMemories };

export async function loadConversations(
  service: BenchmarkService,
  conversations: readonly Conversation[],
  { store, run, concurrency, progress, loaded = {} }: LoadOptions,
): Promise<LoadedConversations> {
  const waiting = conversations.flatMap(({ id, sessions }) => {
    const conversation = { agent: toSafeId(`${id}-${run}`), hits: {} };
    loaded[id] = conversation;
    return sessions.map((session) => ({ session, ...conversation }));
  });
  const turns = waiting.reduce((sum, { session }) => sum + session.turns.length, 0);
  progress.begin(`Turns loaded as ${store}`, turns);
  const send = async () => {
    const connection = connectToService(service);
    try {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        await addSession(connection, next, ADD_TURNS[store], progress);
      }
    } finally {
      connection.close();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, send));
  progress.end();
  return loaded;
}

async function addSession(
  connection: Connection,
  { session, agent, hits }: LoadedConversation & { session: Session },
  addTurns: AddTurns,
  progress: Progress,
): Promise<void> {
  const id = `${agent}-${session.number}`;
  await sendOk(connection, post("/v1/sessions", { id, agent_id: agent, promotion: { enabled: false } }));
  const turns = session.turns.filter(({ text }) => text.trim() !== "");
  await addTurns(connection, id, turns, (hit, turn) => {
    hits[hit] = [...(hits[hit] ?? []), turn];
    progress.add(1);
  });
  progress.add(session.turns.length - turns.length);
}

async function addMessages(connection: Connection, session: string, turns: Turn[], record: RecordHit) {
  const messages = turns.map((turn) => ({
    turn,
    message: {
      id: toSafeId(turn.id),
      role: turn.role,
      name: turn.speaker,
      content: cutBytes(turn.text, MESSAGE_BYTES),
      timestamp: new Date(turn.at).toISOString(),
    },
  }));
  for (const batch of splitIntoBatches(messages)) {
    const call = post(`/v1/sessions/${session}/messages`, {
      messages: batch.map(({ message }) => message),
    });
    const { added }: { added: number } = JSON.parse((await sendOk(connection, call)).text);
    if (added !== batch.length)
      throw new Error(`${batch.length - added} messages of ${session} were not new`);
    for (const { turn, message } of batch)
      record(nameHit({ kind: "message", session_id: session, id: message.id }), turn.id);
  }
}

function splitIntoBatches<T extends { message: object }>(messages: readonly T[]): T[][] {
  const batches: T[][] = [];
  let batch: T[] = [];
  let bytes = 0;
  for (const item of messages) {
    const size = Buffer.byteLength(JSON.stringify(item.message)) + 1;
    if (batch.length > 0 && (batch.length === MESSAGES_PER_CALL || bytes + size > BODY_BYTES)) {
      batches.push(batch);
      batch = [];
      bytes = 0;
    }
    batch.push(item);
    bytes += size;
  }
  return batch.length > 0 ? [...batches, batch] : batches;
}

/** A text that a session repeats is one memory. */
async function addMemories(connection: Connection, session: string, turns: Turn[], record: RecordHit) {
  for (const { id, speaker, text, at } of turns) {
    const content = cutChars(`${speaker}: ${text}`, CONTENT_CHARS).trim();
    const body = { content, type: "fact", valid_from: new Date(at).toISOString() };
    const answer = await sendOk(connection, post(`/v1/sessions/${session}/remember`, body));
    const { memory_id }: { memory_id: string } = JSON.parse(answer.text);
    record(nameHit({ kind: "memory", id: memory_id }), id);
  }
}

/** A memory's id is unique, a message's only within its session. */
export function nameHit({ kind, session_id, id }: HitId): string {
  return kind === "message" ? `${session_id}/${id}` : id;
}
