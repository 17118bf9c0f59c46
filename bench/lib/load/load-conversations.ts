// Conversations go into the service as their agents would send them: a session for a session, message by message
// or memory by memory. What comes back tells which turns a later hit stands for.
import { cutBytes, cutChars, safeId } from "./conversations.mjs";
import { connect } from "./measure.mjs";

/** The service takes 500 messages of 32 KB each and a body of 1 MB. */
const MESSAGES_PER_CALL = 500;
const MESSAGE_BYTES = 32 * 1024;
const BODY_BYTES = 1_000_000;
/** The longest memory. */
const CONTENT_CHARS = 2_000;

const POLL_MS = 1_000;
/** An index that gets nowhere for this long will not. */
const STALLED_MS = 300_000;

const STORES = { messages: addMessages, memories: addMemories };

/**
 * Gives for each conversation, by its id, the agent that holds it and the turns behind each hit: `{ agent, hits:
 * { hit: [turn ids] } }`, a hit named as `hitName` names it. Sessions are sent `concurrency` at a time.
 */
export async function loadConversations(service, conversations, { store, run, concurrency, progress }) {
  const loaded = Object.fromEntries(
    conversations.map(({ id }) => [id, { agent: safeId(`${id}-${run}`), hits: {} }]),
  );
  const waiting = conversations.flatMap(({ id, sessions }) =>
    sessions.map((session) => ({ session, ...loaded[id] })),
  );
  const turns = waiting.reduce((sum, { session }) => sum + session.turns.length, 0);
  progress.begin(`Turns loaded as ${store}`, turns);
  const send = async () => {
    const connection = connect(service.url, {
      idle: "/health",
      headers: { Authorization: `Bearer ${service.key}` },
    });
    try {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        await addSession(connection, next, STORES[store], progress);
      }
    } finally {
      connection.close();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, send));
  progress.end();
  return loaded;
}

async function addSession(connection, { session, agent, hits }, add, progress) {
  const id = `${agent}-${session.number}`;
  await post(connection, "/v1/sessions", { id, agent_id: agent, promotion: { enabled: false } });
  const turns = session.turns.filter(({ text }) => text.trim() !== "");
  await add(connection, id, turns, (hit, turn) => {
    hits[hit] = [...(hits[hit] ?? []), turn];
    progress.add(1);
  });
  progress.add(session.turns.length - turns.length);
}

async function addMessages(connection, session, turns, stored) {
  const turnOf = new Map(turns.map(({ id }) => [safeId(id), id]));
  const messages = turns.map(({ id, role, speaker, text, at }) => ({
    id: safeId(id),
    role,
    name: speaker,
    content: cutBytes(text, MESSAGE_BYTES),
    timestamp: new Date(at).toISOString(),
  }));
  for (const batch of batches(messages)) {
    const { added } = await post(connection, `/v1/sessions/${session}/messages`, { messages: batch });
    if (added !== batch.length)
      throw new Error(`${batch.length - added} messages of ${session} were not new`);
    for (const { id } of batch) stored(hitName({ kind: "message", session_id: session, id }), turnOf.get(id));
  }
}

function batches(messages) {
  const found = [[]];
  let bytes = 0;
  for (const message of messages) {
    const size = Buffer.byteLength(JSON.stringify(message)) + 1;
    if (found.at(-1).length === MESSAGES_PER_CALL || bytes + size > BODY_BYTES) {
      found.push([]);
      bytes = 0;
    }
    found.at(-1).push(message);
    bytes += size;
  }
  return found.filter(({ length }) => length > 0);
}

/** What a session says twice is one memory. */
async function addMemories(connection, session, turns, stored) {
  for (const { id, speaker, text, at } of turns) {
    const content = cutChars(`${speaker}: ${text}`, CONTENT_CHARS).trim();
    const body = { content, type: "fact", valid_from: new Date(at).toISOString() };
    const { memory_id } = await post(connection, `/v1/sessions/${session}/remember`, body);
    stored(hitName({ kind: "memory", id: memory_id }), id);
  }
}

/** A memory's id is unique, a message's only within its session. */
export function hitName({ kind, session_id, id }) {
  return kind === "message" ? `${session_id}/${id}` : id;
}

async function post(connection, path, body) {
  const { status, text } = await connection.send({ method: "POST", path, body });
  if (status >= 300) throw new Error(`POST ${path} answered ${status}: ${text}`);
  return JSON.parse(text);
}

/**
 * Waits until nothing waits to be embedded any more, and gives what the service says about its index; null where
 * it has none or the caller has no admin key. Zero counts when it is seen twice: what was written last may only
 * be on its way into the queue.
 */
export async function indexed(service, progress) {
  if (service.adminKey === undefined) {
    progress.note("Without --admin-key nobody knows whether the index is up to date; not waiting.");
    return null;
  }
  progress.begin("Waiting for the index");
  let least = Number.POSITIVE_INFINITY;
  let moved = performance.now();
  for (let zeros = 0; ; ) {
    const index = await readIndex(service);
    zeros = index?.waiting === 0 ? zeros + 1 : 0;
    if (index === null || zeros === 2) {
      progress.end();
      if (index === null) progress.note("This service has no GET /v1/admin/index; not waiting.");
      return index;
    }
    if (index.waiting < least) {
      least = index.waiting;
      moved = performance.now();
    }
    if (performance.now() - moved > STALLED_MS) throw new Error(`The index stands still at ${least} waiting`);
    progress.set(0, `${index.waiting} waiting`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** What the service says about a tenant's index: its embedder, its kind, and how much waits; null if it has none. */
export async function readIndex({ url, tenant, adminKey }) {
  const answer = await fetch(`${url}/v1/admin/index?tenant=${encodeURIComponent(tenant)}`, {
    headers: { Authorization: `Bearer ${adminKey}` },
  });
  if (answer.status === 404) return null;
  if (!answer.ok) throw new Error(`GET /v1/admin/index answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}
