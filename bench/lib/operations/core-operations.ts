// The operations of the core benchmark: the calls that agents wait for, and the floors they are compared with.
import { type Call, type Connection, post } from "../connection.ts";
import {
  type GeneratedMemory,
  GROWING,
  generateMemory,
  generateMessage,
  generateMessages,
  generateQuery,
  generateType,
  TALKING,
} from "../data/memories.ts";
import { acceptIf, type Operation } from "../measure.ts";
import { formatCount } from "../report/format.ts";

const CONVERSATION = 200;
/** Far from the numbers that loading uses. */
const NEW_MEMORIES = 10_000_000;

export type RecallMode = "text" | "hybrid";

/** The answer of a recall, as far as it is used. */
export interface RecallAnswer {
  count: number;
  memories: { signals: { mode: string } }[];
}

export const FLOORS = {
  route: "bare Hono route",
  read: "one D1 read",
  write: "one D1 batch write",
  object: "one object write",
};

export function createFloorOperations(connection: Connection): Operation[] {
  const createNote = (i: number) => ({ id: `new-${i}`, text: generateMemory(i).content });
  return [
    { name: FLOORS.route, connection, call: () => ({ path: "/route" }) },
    { name: FLOORS.read, connection, call: (i) => ({ path: `/d1/note-${(i * 7_919) % 10_000}` }) },
    { name: FLOORS.write, connection, call: (i) => post("/d1", createNote(i)) },
    { name: FLOORS.object, connection, call: (i) => post("/object", createNote(i)) },
  ];
}

/** The size of most aims, and of the calls on a session. */
export const USUAL_SIZE = 10_000;

/** Creates the calls whose time may depend on the number of memories. */
export function createSizedOperations(connection: Connection, size: number): Operation[] {
  const recall = {
    connection,
    settle: WAIT_FOR_ACCESS_COUNTS,
    accept: foundSomething,
    call: (i: number) => createRecall(generateQuery(i, size)),
  };
  const name = nameRecall("text", size);
  const usual = size === USUAL_SIZE;
  return [
    { ...createRememberOperation(connection, `remember, ${formatCount(size)}`), floor: FLOORS.write, aim: 3 },
    size > USUAL_SIZE
      ? { ...recall, name, floor: nameRecall("text", USUAL_SIZE), aim: 2 }
      : { ...recall, name, floor: FLOORS.read, ...(usual && { aim: 4 }) },
    ...(usual
      ? [
          {
            ...recall,
            name: `recall right after a recall, ${formatCount(size)}`,
            floor: FLOORS.read,
            before: (i: number) => createRecall(generateQuery(i + 1, size)),
          },
        ]
      : []),
    {
      ...recall,
      name: `recall by filters, ${formatCount(size)}`,
      floor: FLOORS.read,
      call: (i) => post("/v1/recall", { scope: "tenant", type: generateType(i), min_confidence: 0.6 }),
    },
  ];
}

/** Creates the same recalls by text and by hybrid search. */
export function createModeOperations(connection: Connection, size: number): Operation[] {
  return (["text", "hybrid"] as const).map((mode) => ({
    name: nameRecall(mode, size),
    connection,
    settle: WAIT_FOR_ACCESS_COUNTS,
    accept: foundByMode(mode),
    call: (i) => createRecall(generateQuery(i, size), mode),
  }));
}

export function nameRecall(mode: RecallMode, size: number): string {
  return `recall ${mode}, ${formatCount(size)}`;
}

export function createRememberOperation(connection: Connection, name: string): Operation {
  return { name, connection, call: (i) => createRemember(generateMemory(NEW_MEMORIES + i)) };
}

/** Creates the calls on a session, whose conversation must exist. */
export function createSessionOperations(connection: Connection, size: number): Operation[] {
  return [
    {
      name: "add message",
      floor: FLOORS.object,
      connection,
      call: (i) =>
        post(`/v1/sessions/${GROWING}/messages`, { messages: [generateMessage(CONVERSATION + i)] }),
    },
    {
      name: "assemble with query",
      floor: FLOORS.read,
      connection,
      settle: WAIT_FOR_ACCESS_COUNTS,
      call: (i) => post(`/v1/sessions/${TALKING}/assemble`, { query: generateQuery(i, size) }),
    },
    {
      name: "read session",
      floor: FLOORS.read,
      connection,
      call: () => ({ path: `/v1/sessions/${TALKING}` }),
    },
  ];
}

/** Adds the conversations of the measured sessions. */
export async function addConversations(connection: Connection): Promise<void> {
  for (const id of [TALKING, GROWING]) {
    const call = post(`/v1/sessions/${id}/messages`, { messages: generateMessages(CONVERSATION) });
    const { status, text } = await connection.send(call);
    if (status !== 201) throw new Error(`The conversation was answered with ${status}: ${text}`);
  }
}

/** Reads D1, and so waits until the access counts of the recall before it are written. */
export const WAIT_FOR_ACCESS_COUNTS: Call = { path: "/v1/memories?limit=1" };

const foundSomething = acceptIf<RecallAnswer>(({ count }) => count > 0);

/** Accepts an answer with a hit that was found in this mode. */
export function foundByMode(mode: RecallMode): (text: string) => boolean {
  return acceptIf<RecallAnswer>(({ memories }) => memories.some(({ signals }) => signals.mode === mode));
}

/** Creates the call that remembers a memory in its session. */
export function createRemember(memory: GeneratedMemory): Call {
  const { session_id, content, type, confidence, rationale, evidence, source_type } = memory;
  const body = { content, type, confidence, evidence, source_type, ...(rationale && { rationale }) };
  return post(`/v1/sessions/${session_id}/remember`, body);
}

function createRecall(query: string, mode: RecallMode = "text"): Call {
  return post("/v1/recall", { query, scope: "tenant", mode });
}
