// The calls whose trips and rows are counted, each as an agent makes it, and their preconditions.
import { post } from "../connection.ts";
import { EVENING, generateEpisode, generateTask, MORNING } from "../data/episodes.ts";
import {
  type GeneratedMemory,
  generateMemory,
  generateMessage,
  generateMessages,
  generateQuery,
} from "../data/memories.ts";
import type { EdgeCall } from "./traced-service.ts";

type Send = <T>(call: EdgeCall) => Promise<T>;

/** How much is stored before the calls. */
export interface EdgeSizes {
  /** Memories that were loaded, which the queries are about. */
  memories: number;
  /** Messages of a conversation. */
  messages: number;
  /** Episodes of the project that `prime` is asked about. */
  episodes: number;
}

export interface EdgeOperation {
  name: string;
  kind: "reads" | "writes";
  /** Each index makes a new call: a new memory, another query. */
  call(index: number): EdgeCall;
  /** Creates what the calls of these indexes need, untraced. */
  prepare?(send: Send, indexes: readonly number[]): Promise<void>;
  /** Sent just before the traced call, whose after-effects it overlaps. */
  rightBefore?(index: number): EdgeCall;
}

const SESSIONS = { talk: "talk", grow: "grow", write: "write", mind: "mind", find: "session-1" };
const AGENT = "coder";
const MEMORIES_PER_SESSION = 20;
/** Far from the numbers that loading uses, and from each other. */
const NEW_MEMORIES = 20_000_000;
const NEW_MESSAGES = 900_000;
const NUMBERS_PER_OPERATION = 10_000;
/** More than enough to find one of a kind among twenty. */
const SEARCHED = 500;

/**
 * Creates sessions with conversations and memories, and a project with its patterns. Sessions promote on demand only:
 * an alarm would be counted with another call.
 */
export async function prepareEdge(send: Send, { messages, episodes }: EdgeSizes): Promise<void> {
  for (const id of Object.values(SESSIONS))
    await send(
      post("/v1/sessions", { id, agent_id: AGENT, project_id: "atlas", promotion: { enabled: false } }),
    );
  for (const id of [SESSIONS.talk, SESSIONS.grow])
    await send(post(`/v1/sessions/${id}/messages`, { messages: generateMessages(messages) }));
  await send({ method: "PUT", path: `/v1/agents/${AGENT}/policy`, body: { capture: "conversation" } });
  for (const [at, id] of [SESSIONS.write, SESSIONS.talk].entries())
    for (let i = 0; i < MEMORIES_PER_SESSION; i += 1)
      await send(createRemember(id, -1 - at * MEMORIES_PER_SESSION - i));
  for (let i = 0; i < episodes; i += 1)
    await send(post("/v1/episodes", generateEpisode(i, episodes, "known")));
  await send(post("/v1/consolidate", { project_id: "known", since: MORNING, now: EVENING }));
}

/** A query asks about one of the loaded memories, so that there is something to find. */
export function createEdgeOperations({ memories: size }: EdgeSizes): EdgeOperation[] {
  const memoryIds = new Map<number, string>();
  const rememberAll = async (send: Send, indexes: readonly number[]) => {
    for (const index of indexes) {
      const { memory_id } = await send<{ memory_id: string }>(createRemember(SESSIONS.write, index));
      memoryIds.set(index, memory_id);
    }
  };
  const createRecall = (session: string, options: object) => (i: number) =>
    post(`/v1/sessions/${session}/recall`, { query: generateQuery(i, size), ...options });
  const createLongTermRecall = (options: object) => (i: number) =>
    post("/v1/recall", { query: generateQuery(i, size), ...options });
  const addMessages = (i: number, count = 1) =>
    post(`/v1/sessions/${SESSIONS.grow}/messages`, {
      messages: Array.from({ length: count }, (_, at) => createMessage(i * count + at)),
    });
  const messages = { sources: ["messages"] };
  const operations: EdgeOperation[] = [
    {
      name: "session create",
      kind: "writes",
      call: (i) => post("/v1/sessions", { id: `new-${i}`, agent_id: AGENT, promotion: { enabled: false } }),
    },
    { name: "remember, new session", kind: "writes", call: (i) => createRemember(`remember-${i}`, i) },
    { name: "remember", kind: "writes", call: (i) => createRemember(SESSIONS.write, i) },
    { name: "remember, same again", kind: "writes", call: () => createRemember(SESSIONS.write, -1) },
    {
      name: "remember, Idempotency-Key",
      kind: "writes",
      call: (i) => ({ ...createRemember(SESSIONS.write, i), headers: { "Idempotency-Key": `edge-${i}` } }),
    },
    {
      name: "remember, no session",
      kind: "writes",
      call: (i) => post("/v1/remember", { ...createMemory(i), agent_id: AGENT }),
    },
    { name: "add message", kind: "writes", call: (i) => addMessages(i) },
    { name: "add 20 messages", kind: "writes", call: (i) => addMessages(i, 20) },
    { name: "recall text, session", kind: "reads", call: createRecall(SESSIONS.find, { mode: "text" }) },
    {
      name: "recall text, tenant",
      kind: "reads",
      call: createLongTermRecall({ mode: "text", scope: "tenant" }),
    },
    { name: "recall hybrid, session", kind: "reads", call: createRecall(SESSIONS.find, { mode: "hybrid" }) },
    {
      name: "recall hybrid, agent",
      kind: "reads",
      call: createRecall(SESSIONS.talk, { mode: "hybrid", scope: "agent" }),
    },
    {
      name: "recall hybrid, tenant",
      kind: "reads",
      call: createLongTermRecall({ mode: "hybrid", scope: "tenant" }),
    },
    {
      name: "recall hybrid, after a remember",
      kind: "reads",
      rightBefore: (i) => createRemember(SESSIONS.find, i),
      call: createRecall(SESSIONS.find, { mode: "hybrid" }),
    },
    {
      name: "recall messages, session",
      kind: "reads",
      call: createRecall(SESSIONS.talk, { mode: "hybrid", ...messages }),
    },
    {
      name: "recall messages, agent",
      kind: "reads",
      call: createLongTermRecall({ mode: "hybrid", scope: "agent", agent_id: AGENT, ...messages }),
    },
    {
      name: "recall messages, after a message",
      kind: "reads",
      rightBefore: (i) => addMessages(i),
      call: createRecall(SESSIONS.grow, { mode: "hybrid", ...messages }),
    },
    {
      name: "assemble",
      kind: "reads",
      call: (i) => post(`/v1/sessions/${SESSIONS.talk}/assemble`, { query: generateQuery(i, size) }),
    },
    {
      name: "preflight",
      kind: "reads",
      call: (i) => post(`/v1/sessions/${SESSIONS.talk}/preflight`, { input: generateQuery(i, size) }),
    },
    {
      name: "turn",
      kind: "writes",
      call: (i) =>
        post(`/v1/sessions/${SESSIONS.talk}/turns`, {
          input: createMessage(2 * i).content,
          output: createMessage(2 * i + 1).content,
        }),
    },
    {
      name: "space op",
      kind: "writes",
      call: (i) =>
        post(`/v1/sessions/${SESSIONS.mind}/spaces/world/ops`, { ops: [{ op: "put", key: "a", value: i }] }),
    },
    {
      name: "thread append",
      kind: "writes",
      call: (i) =>
        post(`/v1/sessions/${SESSIONS.mind}/thread`, {
          entries: [{ kind: "note", payload: { text: `Note ${i}` } }],
        }),
    },
    {
      name: "context put",
      kind: "writes",
      call: (i) => ({
        method: "PUT",
        path: `/v1/sessions/${SESSIONS.mind}/context/framework`,
        body: { value: `Hono ${i}` },
      }),
    },
    {
      name: "episode",
      kind: "writes",
      // Without errors, which some of the others have.
      call: (i) => post("/v1/episodes", generateEpisode(i * 10, i * 10 + 1, "new")),
    },
    {
      name: "prime",
      kind: "reads",
      call: (i) => post("/v1/prime", { goal: generateTask(i), project_id: "known", now: EVENING }),
    },
    {
      name: "MCP recall",
      kind: "reads",
      call: (i) => ({
        ...post("/mcp", {
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: {
            name: "recall",
            arguments: { query: generateQuery(i, size), session_id: SESSIONS.find },
          },
        }),
        headers: { Accept: "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18" },
      }),
    },
    {
      name: "forget",
      kind: "writes",
      prepare: rememberAll,
      call: (i) =>
        post(`/v1/sessions/${SESSIONS.write}/forget`, { memory_id: memoryIds.get(i), reason: "wrong" }),
    },
    {
      name: "GET memory",
      kind: "reads",
      prepare: rememberAll,
      call: (i) => ({ path: `/v1/memories/${memoryIds.get(i)}` }),
    },
    { name: "GET session", kind: "reads", call: () => ({ path: `/v1/sessions/${SESSIONS.talk}` }) },
  ];
  return operations.map(numberCalls);
}

/** Gives each operation numbers of its own, whichever others are run. */
function numberCalls(operation: EdgeOperation, at: number): EdgeOperation {
  const { call, prepare, rightBefore } = operation;
  const number = (index: number) => at * NUMBERS_PER_OPERATION + index;
  return {
    ...operation,
    call: (i) => call(number(i)),
    ...(prepare && { prepare: (send, indexes) => prepare(send, indexes.map(number)) }),
    ...(rightBefore && { rightBefore: (i) => rightBefore(number(i)) }),
  };
}

function createRemember(session: string, index: number): EdgeCall {
  return post(`/v1/sessions/${session}/remember`, createMemory(index));
}

/** All of one kind, so that each costs the same: evidence and rationales are rows, and evidence is a trip. */
function createMemory(index: number) {
  const { content, type } = findFrom(index, (i) => generateMemory(NEW_MEMORIES + i), isDecision);
  return { content, type, confidence: 0.8, source_type: "user" };
}

function isDecision({ type }: GeneratedMemory): boolean {
  return type === "decision";
}

/** All by the user and of one length, for the same reason. */
function createMessage(index: number) {
  const { content } = findFrom(index, (i) => generateMessage(NEW_MESSAGES + i), hasThreeSentences);
  return { role: "user", content };
}

function hasThreeSentences({ content }: { content: string }): boolean {
  return content.split(". ").length === 3;
}

/** Returns the first of a range of generated items that matches; the ranges of two indexes do not overlap. */
function findFrom<T>(index: number, generate: (index: number) => T, matches: (item: T) => boolean): T {
  for (let i = 0; i < SEARCHED; i += 1) {
    const item = generate(index * SEARCHED + i);
    if (matches(item)) return item;
  }
  throw new Error(`None of the generated items from ${index * SEARCHED} matches`);
}
