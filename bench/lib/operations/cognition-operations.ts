// What is measured of cognition: changes of spaces, the thread at several lengths, directives and their signals.
import { messageAt } from "./memories.mjs";
import { count, FLOORS } from "./operations.mjs";

/** What a reader who wants to know what happened last asks for. */
const LAST = 50;
/** The most that one call takes. */
const PER_CALL = 500;
/** Of one thread, the part that is surely sealed: the service keeps up to 1,500 entries out of segments. */
const HOT = 1_500;
const KINDS = ["message", "tool_call", "tool_result", "note"];
/** Of one store, whose size stays the same. */
const ITEMS = 100;

const SESSIONS = { small: "space-small", large: "space-large", one: "append-one", many: "append-many" };
export const ASKING = "asking";

const SMALL_KEYS = 12;
/** 100 KB together. */
const LARGE_KEYS = 100;
const LARGE_VALUE = "x".repeat(1_000);

export async function prepareSpaces(connection) {
  const keys = (n, value) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`key-${i}`, value]));
  const worlds = [
    [SESSIONS.small, keys(SMALL_KEYS, 0)],
    [SESSIONS.large, keys(LARGE_KEYS, LARGE_VALUE)],
  ];
  for (const [session, data] of worlds)
    await expectOk(connection, {
      method: "PUT",
      path: `${pathOf(session)}/spaces/world`,
      body: { data },
    });
}

export function spaceOperations(connection) {
  const op = (session, key, value) =>
    post(`${pathOf(session)}/spaces/world/ops`, { ops: [{ op: "put", key, value }] });
  return [
    {
      name: `space put, ${SMALL_KEYS} keys`,
      floor: FLOORS.object,
      connection,
      call: (i) => op(SESSIONS.small, `key-${i % SMALL_KEYS}`, i),
    },
    {
      name: "space put, 100 KB",
      floor: FLOORS.object,
      connection,
      call: (i) => op(SESSIONS.large, `key-${i % LARGE_KEYS}`, LARGE_VALUE),
    },
  ];
}

export function appendOperations(connection) {
  const append = (session, n) => (i) => post(`${pathOf(session)}/thread`, { entries: entriesFrom(i * n, n) });
  const run = (name) => post(`${pathOf(SESSIONS.many)}/projectors/${name}/run`, {});
  return [
    {
      name: "thread append, 1 entry",
      floor: FLOORS.object,
      connection,
      call: append(SESSIONS.one, 1),
    },
    {
      name: "thread append, 100 entries",
      floor: FLOORS.object,
      connection,
      call: append(SESSIONS.many, 100),
      // So many entries set the projectors going: that is waited for, lest it fall on the next row.
      settle: ["summary", "facts", "tasks"].map(run),
    },
  ];
}

/** A thread of so many entries, in a session whose projectors rest: only reading it is measured. */
export async function loadThread(connection, session, size, progress) {
  await expectOk(connection, post("/v1/sessions", { id: session }));
  for (const name of ["summary", "facts", "tasks", "vectors"])
    await expectOk(connection, {
      method: "PATCH",
      path: `${pathOf(session)}/projectors/${name}`,
      body: { trigger: { tick: false, after: null } },
    });
  for (let at = 0; at < size; at += PER_CALL) {
    const entries = entriesFrom(at, Math.min(PER_CALL, size - at));
    await expectOk(connection, post(`${pathOf(session)}/thread`, { entries }));
    const done = at + entries.length;
    if (done % 20_000 === 0 || done === size) progress(`loaded ${done} of ${size} entries`);
  }
}

const lastName = (size) => `read the last ${LAST}, ${count(size)}`;

/** `threads` are the sessions by size, in order. The smallest has a twin: what divides the two is noise. */
export function readOperations(connection, threads, twin) {
  const [smallest] = threads;
  const last = ({ session, size }) => ({
    connection,
    found: ({ data }) => data.length === LAST && data.at(-1).seq === size,
    call: () => ({ path: `${pathOf(session)}/thread?from=${size - LAST + 1}&limit=${LAST}` }),
  });
  return [
    ...threads.map((thread) => ({
      ...last(thread),
      name: lastName(thread.size),
      ...(thread !== smallest && { floor: lastName(smallest.size), aim: 1 }),
    })),
    { ...last(twin), name: `the same of another ${count(twin.size)}`, floor: lastName(smallest.size) },
    ...threads
      .filter(({ size }) => size - HOT >= PER_CALL)
      .map(({ session, size }) => ({
        name: `read ${LAST} sealed, ${count(size)}`,
        floor: lastName(smallest.size),
        connection,
        found: ({ data }) => data.length === LAST,
        // Another segment each time: the one that was read last stays open.
        call: (i) => ({ path: `${pathOf(session)}/thread?from=${sealedAt(i, size)}&limit=${LAST}` }),
      })),
  ];
}

/** Where a segment begins, each time another one. */
function sealedAt(i, size) {
  const segments = Math.floor((size - HOT) / PER_CALL);
  return 1 + ((i * 7_919) % segments) * PER_CALL;
}

/** The connections are those of `listen`, one for each of a directive's two times. */
export function directiveOperations({ accepted, signalled }) {
  return ["inline", "d1"].flatMap((provider) => {
    const upsert = (row) => (i) =>
      post(`${pathOf(ASKING)}/directives`, {
        type: "upsert",
        provider,
        request_id: `${provider}-${row}-${i}`,
        items: [{ key: `item-${i % ITEMS}`, value: messageAt(i).content }],
      });
    return [
      {
        name: `directive to ${provider}, until 202`,
        floor: FLOORS.object,
        connection: accepted,
        call: upsert("accepted"),
      },
      { name: `from there to its signal, ${provider}`, connection: signalled, call: upsert("signalled") },
    ];
  });
}

function entriesFrom(from, n) {
  return Array.from({ length: n }, (_, i) => ({
    kind: KINDS[(from + i) % KINDS.length],
    payload: messageAt(from + i),
  }));
}

async function expectOk(connection, call) {
  const { status, text } = await connection.send(call);
  if (status >= 300) throw new Error(`${call.method} ${call.path} answered ${status}: ${text}`);
}

function pathOf(session) {
  return `/v1/sessions/${session}`;
}

function post(path, body) {
  return { method: "POST", path, body };
}
