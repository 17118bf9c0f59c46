// The operations of the cognition benchmark: changes of spaces, the thread at several lengths, directives and signals.
import { type Call, type Connection, post, sendOk } from "../connection.ts";
import { generateMessage } from "../data/memories.ts";
import { getItem } from "../get-item.ts";
import { acceptIf, type Operation } from "../measure.ts";
import { formatCount } from "../report/format.ts";
import type { SignalListener } from "../signal-listener.ts";
import { FLOORS } from "./core-operations.ts";

/** The number of entries that a reader of the latest events asks for. */
const LAST = 50;
/** The most entries that one call takes. */
const PER_CALL = 500;
/** The service keeps up to so many entries of a thread out of segments; older ones are surely sealed. */
const HOT = 1_500;
const KINDS = ["message", "tool_call", "tool_result", "note"];
/** Directives write so many different items, so that the store's size stays the same. */
const ITEMS = 100;

const SESSIONS = { small: "space-small", large: "space-large", one: "append-one", many: "append-many" };
/** The session of all directives. */
export const ASKING = "asking";

const SMALL_KEYS = 12;
/** 100 KB together. */
const LARGE_KEYS = 100;
const LARGE_VALUE = "x".repeat(1_000);

export interface Thread {
  session: string;
  size: number;
}

/** The answer of a thread read, as far as it is used. */
interface ThreadPage {
  data: { seq: number }[];
}

export async function prepareSpaces(connection: Connection): Promise<void> {
  const createKeys = (count: number, value: unknown) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`key-${i}`, value]));
  const worlds = {
    [SESSIONS.small]: createKeys(SMALL_KEYS, 0),
    [SESSIONS.large]: createKeys(LARGE_KEYS, LARGE_VALUE),
  };
  for (const [session, data] of Object.entries(worlds))
    await sendOk(connection, {
      method: "PUT",
      path: `${toPath(session)}/spaces/world`,
      body: { data },
    });
}

export function createSpaceOperations(connection: Connection): Operation[] {
  const createPut = (session: string, key: string, value: unknown) =>
    post(`${toPath(session)}/spaces/world/ops`, { ops: [{ op: "put", key, value }] });
  return [
    {
      name: `space put, ${SMALL_KEYS} keys`,
      floor: FLOORS.object,
      connection,
      call: (i) => createPut(SESSIONS.small, `key-${i % SMALL_KEYS}`, i),
    },
    {
      name: "space put, 100 KB",
      floor: FLOORS.object,
      connection,
      call: (i) => createPut(SESSIONS.large, `key-${i % LARGE_KEYS}`, LARGE_VALUE),
    },
  ];
}

export function createAppendOperations(connection: Connection): Operation[] {
  const createAppend = (session: string, count: number) => (i: number) =>
    post(`${toPath(session)}/thread`, { entries: generateEntries(i * count, count) });
  return [
    {
      name: "thread append, 1 entry",
      floor: FLOORS.object,
      connection,
      call: createAppend(SESSIONS.one, 1),
    },
    {
      name: "thread append, 100 entries",
      floor: FLOORS.object,
      connection,
      call: createAppend(SESSIONS.many, 100),
      // A hundred entries trigger the projectors, whose work must not fall on the next operation.
      settle: ["summary", "facts", "tasks"].map((name) =>
        post(`${toPath(SESSIONS.many)}/projectors/${name}/run`, {}),
      ),
    },
  ];
}

/** Loads a thread in a session without projectors: only reading it is measured. */
export async function loadThread(
  connection: Connection,
  { session, size }: Thread,
  progress: (line: string) => void,
): Promise<void> {
  await sendOk(connection, post("/v1/sessions", { id: session }));
  for (const name of ["summary", "facts", "tasks", "vectors"])
    await sendOk(connection, {
      method: "PATCH",
      path: `${toPath(session)}/projectors/${name}`,
      body: { trigger: { tick: false, after: null } },
    });
  for (let at = 0; at < size; at += PER_CALL) {
    const entries = generateEntries(at, Math.min(PER_CALL, size - at));
    await sendOk(connection, post(`${toPath(session)}/thread`, { entries }));
    const done = at + entries.length;
    if (done % 20_000 === 0 || done === size) progress(`loaded ${done} of ${size} entries`);
  }
}

/** `threads` are in ascending order of size. The smallest has a twin: the two differ only by noise. */
export function createReadOperations(
  connection: Connection,
  threads: readonly Thread[],
  twin: Thread,
): Operation[] {
  const smallest = getItem(threads, 0);
  const nameLast = (size: number) => `read the last ${LAST}, ${formatCount(size)}`;
  const readLast = ({ session, size }: Thread) => ({
    connection,
    accept: acceptIf<ThreadPage>(({ data }) => data.length === LAST && data.at(-1)?.seq === size),
    call: () => createRead(session, size - LAST + 1),
  });
  return [
    ...threads.map((thread) => ({
      ...readLast(thread),
      name: nameLast(thread.size),
      ...(thread !== smallest && { floor: nameLast(smallest.size), aim: 1 }),
    })),
    {
      ...readLast(twin),
      name: `the same of another ${formatCount(twin.size)}`,
      floor: nameLast(smallest.size),
    },
    ...threads
      .filter(({ size }) => size - HOT >= PER_CALL)
      .map(({ session, size }) => ({
        name: `read ${LAST} sealed, ${formatCount(size)}`,
        floor: nameLast(smallest.size),
        connection,
        accept: acceptIf<ThreadPage>(({ data }) => data.length === LAST),
        // Another segment each time: the service keeps the last one that was read open.
        call: (i: number) => createRead(session, findSegmentStart(i, size)),
      })),
  ];
}

function createRead(session: string, from: number): Call {
  return { path: `${toPath(session)}/thread?from=${from}&limit=${LAST}` };
}

/** Returns where a segment begins, another one for each index. */
function findSegmentStart(i: number, size: number): number {
  const segments = Math.floor((size - HOT) / PER_CALL);
  return 1 + ((i * 7_919) % segments) * PER_CALL;
}

export function createDirectiveOperations({ accepted, signalled }: SignalListener): Operation[] {
  return ["inline", "d1"].flatMap((provider) => {
    const createUpsert = (row: string) => (i: number) =>
      post(`${toPath(ASKING)}/directives`, {
        type: "upsert",
        provider,
        request_id: `${provider}-${row}-${i}`,
        items: [{ key: `item-${i % ITEMS}`, value: generateMessage(i).content }],
      });
    return [
      {
        name: `directive to ${provider}, until 202`,
        floor: FLOORS.object,
        connection: accepted,
        call: createUpsert("accepted"),
      },
      {
        name: `from there to its signal, ${provider}`,
        connection: signalled,
        call: createUpsert("signalled"),
      },
    ];
  });
}

function generateEntries(from: number, count: number) {
  return Array.from({ length: count }, (_, i) => ({
    kind: getItem(KINDS, (from + i) % KINDS.length),
    payload: generateMessage(from + i),
  }));
}

function toPath(session: string): string {
  return `/v1/sessions/${session}`;
}
