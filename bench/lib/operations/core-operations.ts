// What is measured: the calls of the service that agents wait for, and the floors they are compared with.
import { memoryAt, messageAt, queryAt, sessionIds, typeAt } from "./memories.mjs";

const CONVERSATION = 200;
/** Far from the numbers that loading uses. */
const NEW_MEMORIES = 10_000_000;

export const FLOORS = {
  route: "bare Hono route",
  read: "one D1 read",
  write: "one D1 batch write",
  object: "one object write",
};

export function floorOperations(connection) {
  const note = (i) => ({ id: `new-${i}`, text: memoryAt(i).content });
  return [
    { name: FLOORS.route, connection, call: () => ({ path: "/route" }) },
    { name: FLOORS.read, connection, call: (i) => ({ path: `/d1/note-${(i * 7_919) % 10_000}` }) },
    { name: FLOORS.write, connection, call: (i) => ({ method: "POST", path: "/d1", body: note(i) }) },
    { name: FLOORS.object, connection, call: (i) => ({ method: "POST", path: "/object", body: note(i) }) },
  ];
}

/** The size most aims speak of, and at which the calls on a session are measured. */
export const USUAL_SIZE = 10_000;

const recallName = (size) => modeName("text", size);

/** Calls whose time may depend on how much there is; `floor` and `aim` say what p50 is compared with. */
export function sizedOperations(connection, size) {
  const recall = { connection, settle, found, call: (i) => recallCall(queryAt(i, size)) };
  const usual = size === USUAL_SIZE;
  return [
    { ...rememberOperation(connection, `remember, ${count(size)}`), floor: FLOORS.write, aim: 3 },
    size > USUAL_SIZE
      ? { ...recall, name: recallName(size), floor: recallName(USUAL_SIZE), aim: 2 }
      : { ...recall, name: recallName(size), floor: FLOORS.read, ...(usual && { aim: 4 }) },
    ...(usual
      ? [
          {
            ...recall,
            name: `recall right after a recall, ${count(size)}`,
            floor: FLOORS.read,
            before: (i) => recallCall(queryAt(i + 1, size)),
          },
        ]
      : []),
    {
      name: `recall by filters, ${count(size)}`,
      floor: FLOORS.read,
      connection,
      settle,
      found,
      call: (i) => post("/v1/recall", { scope: "tenant", type: typeAt(i), min_confidence: 0.6 }),
    },
  ];
}

/** The same questions by words alone and by words and meaning. */
export function modeOperations(connection, size) {
  return ["text", "hybrid"].map((mode) => ({
    name: modeName(mode, size),
    connection,
    settle,
    found: ({ memories }) => memories.some(({ signals }) => signals.mode === mode),
    call: (i) => recallCall(queryAt(i, size), mode),
  }));
}

export const modeName = (mode, size) => `recall ${mode}, ${count(size)}`;

export function rememberOperation(connection, name) {
  return { name, connection, call: (i) => rememberCall(memoryAt(NEW_MEMORIES + i)) };
}

/** Calls about one session, whose conversation must be there already. */
export function sessionOperations(connection, size) {
  const [talking, growing] = sessionIds;
  return [
    {
      name: "add message",
      floor: FLOORS.object,
      connection,
      call: (i) => post(`/v1/sessions/${growing}/messages`, { messages: [messageAt(CONVERSATION + i)] }),
    },
    {
      name: "assemble with query",
      floor: FLOORS.read,
      connection,
      settle,
      call: (i) => post(`/v1/sessions/${talking}/assemble`, { query: queryAt(i, size) }),
    },
    {
      name: "read session",
      floor: FLOORS.read,
      connection,
      call: () => ({ path: `/v1/sessions/${talking}` }),
    },
  ];
}

/** Gives the measured sessions their conversations. */
export async function converse(connection) {
  for (const id of sessionIds.slice(0, 2)) {
    const messages = Array.from({ length: CONVERSATION }, (_, i) => messageAt(i));
    const { status, text } = await connection.send(post(`/v1/sessions/${id}/messages`, { messages }));
    if (status !== 201) throw new Error(`The conversation was answered with ${status}: ${text}`);
  }
}

/** Reads D1, and so waits until the access counts of a recall before it are written. */
const settle = { path: "/v1/memories?limit=1" };

const found = ({ count }) => count > 0;

function rememberCall({ session_id, content, type, confidence, rationale, evidence, source_type }) {
  const body = { content, type, confidence, evidence, source_type, ...(rationale && { rationale }) };
  return post(`/v1/sessions/${session_id}/remember`, body);
}

function recallCall(query, mode = "text") {
  return post("/v1/recall", { query, scope: "tenant", mode });
}

function post(path, body) {
  return { method: "POST", path, body };
}

export function count(number) {
  return number.toLocaleString("en-US");
}
