// Live streams hold little of what their reader has not read, lose nothing of it, and are limited in number.
import { runInDurableObject } from "cloudflare:test";
import { exports } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { SignalLog } from "../../../src/cognition/runtime/signals";
import { streamEvents } from "../../../src/http/live-streams";
import { COGNITION } from "../../../src/kernel/limits";
import { newSession, type TestSession } from "../../faults/support";
import { ADMIN_KEY, type Client, callWith, freshId, sessionStub } from "../support";

const SIGNALS = 20;
const CHARS = 100_000;

/** Publishes signals of two megabytes in all. */
function publish({ stub, id }: TestSession): Promise<void> {
  return runInDurableObject(stub, (_instance, { storage }) => {
    for (let seq = 1; seq <= SIGNALS; seq += 1) {
      const event = { id: `${id}:${seq}`, type: "test", data: "x".repeat(CHARS), seq };
      const text = JSON.stringify(event);
      storage.sql.exec("INSERT INTO signals (seq, event, bytes) VALUES (?, ?, ?)", seq, text, text.length);
    }
  });
}

function readSockets({ stub }: TestSession): Promise<{ cursor: number; unread?: number }[]> {
  return runInDurableObject(stub, (_instance, state) =>
    state.getWebSockets().map((socket) => socket.deserializeAttachment()),
  );
}

function open({ client, path }: TestSession, headers: Record<string, string>, after = 0): Promise<Response> {
  return exports.default.fetch(`https://kioku.test${path}/signals?after=${after}`, {
    headers: { Authorization: `Bearer ${client.key}`, ...headers },
  });
}

const EVENTS = { Accept: "text/event-stream" };
const SOCKET = { Upgrade: "websocket" };

async function readSeqs(response: Response, count: number): Promise<number[]> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (reader !== undefined && text.split("\ndata:").length <= count) {
    const { value, done } = await reader.read();
    if (done) break;
    text += value;
  }
  await reader?.cancel();
  return [...text.matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq));
}

/** Another session of the same key. */
async function addSession(client: Client): Promise<TestSession> {
  const id = freshId("session");
  await client.call("POST", "/v1/sessions", { id });
  return { client, id, path: `/v1/sessions/${id}`, stub: sessionStub(client.tenant, id), now: Date.now() };
}

const ALL = Array.from({ length: SIGNALS }, (_, n) => n + 1);

describe("a stream of events", () => {
  it("that nobody reads holds a window of signals, and all come once they are read", async () => {
    const session = await newSession();
    await publish(session);
    const response = await open(session, EVENTS);
    await vi.waitFor(async () => expect((await readSockets(session))[0]?.unread).toBeGreaterThan(0));
    const [socket] = await readSockets(session);
    expect(socket?.cursor).toBe(1);
    expect(await readSeqs(response, SIGNALS)).toEqual(ALL);
  });

  it("costs the session one read of a signal for each signal that is sent, however many wait", async () => {
    const session = await newSession();
    await publish(session);
    const reads = vi.spyOn(SignalLog.prototype, "findNext");
    const response = await open(session, EVENTS);
    await vi.waitFor(async () => expect((await readSockets(session))[0]?.unread).toBeGreaterThan(0));
    expect(reads).toHaveBeenCalledTimes(1);
    // The window is full: another signal wakes the session, which reads nothing for this reader.
    await session.client.call("POST", `${session.path}/directives`, { type: "delete", keys: ["a"] });
    await vi.waitFor(async () => {
      const { body } = await session.client.call("GET", `${session.path}/signals?after=${SIGNALS}`);
      expect(body.data).toHaveLength(1);
    });
    expect(reads).toHaveBeenCalledTimes(1);
    reads.mockRestore();
    expect(await readSeqs(response, SIGNALS + 1)).toEqual([...ALL, SIGNALS + 1]);
  });

  it("is one of a limited number per key", async () => {
    const session = await newSession();
    const { streamsPerSessionAndKey: most } = COGNITION;
    const streams = await Promise.all(Array.from({ length: most }, () => open(session, EVENTS)));
    expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200));
    for (const headers of [EVENTS, SOCKET]) {
      const refused = await open(session, headers);
      expect(refused.status).toBe(429);
      expect(await refused.json()).toMatchObject({
        code: "limit_exceeded",
        detail: expect.stringContaining("stream"),
      });
    }
    await Promise.all(streams.map(({ body }) => body?.cancel()));
  });

  it("counts with those of other sessions, and so do WebSockets", async () => {
    const sessions = [await newSession()];
    const [{ client }] = sessions as [TestSession];
    const perSession = COGNITION.streamsPerSessionAndKey;
    while (sessions.length * perSession < COGNITION.streamsPerKey) sessions.push(await addSession(client));
    const streams: Response[] = [];
    for (const session of sessions)
      for (let n = 0; n < perSession; n += 1)
        streams.push(await open(session, n % 2 === 0 ? EVENTS : SOCKET));
    const another = await addSession(client);
    for (const headers of [EVENTS, SOCKET]) {
      const refused = await open(another, headers);
      expect(refused.status).toBe(429);
      expect(await refused.text()).toContain(`This key has ${COGNITION.streamsPerKey} live streams open`);
    }
    await Promise.all(streams.map(end));
    await vi.waitFor(async () => expect(await countOpen(client)).toBeLessThan(streams.length));
    const reopened = await open(another, SOCKET);
    expect(reopened.status).toBe(101);
    await end(reopened);
  });

  it("that nobody reads is closed after a while, and resumes after the last event that was read", async () => {
    const session = await newSession();
    await publish(session);
    const { socket, ended, response } = await openStalling(session);
    await vi.waitFor(() => expect(ended).toHaveBeenCalledOnce());
    await vi.waitFor(async () => expect(await readSockets(session)).toEqual([]));
    expect(socket.readyState).toBeGreaterThanOrEqual(WebSocket.READY_STATE_CLOSING);
    await expect(response.text()).rejects.toThrow("The stream has ended");
    expect(await readSeqs(await open(session, { ...EVENTS, "Last-Event-ID": "5" }), SIGNALS - 5)).toEqual(
      ALL.slice(5),
    );
  });

  it("that is read stays open for longer than that", async () => {
    const session = await newSession();
    const { ended, response } = await openStalling(session);
    const reader = response.body?.getReader();
    const until = Date.now() + 5 * TIMES.stallMs;
    while (Date.now() < until) expect((await reader?.read())?.done).toBe(false);
    expect(ended).not.toHaveBeenCalled();
    await reader?.cancel();
  });
});

const TIMES = { heartbeatMs: 20, stallMs: 100 };

/** Opens a stream whose reader is soon taken for a stalled one. */
async function openStalling({ client, id, stub }: TestSession) {
  const { tenant } = client;
  const keys = await callWith(ADMIN_KEY, "GET", `/v1/keys?tenant=${tenant}`);
  const query = new URLSearchParams({ tenant, id, key: keys.body.data[0].id, acknowledges: "true" });
  const { webSocket } = await stub.fetch(`https://session/?${query}&after=0`, {
    headers: { Upgrade: "websocket" },
  });
  if (webSocket === null) throw new Error("The session has opened no socket");
  const ended = vi.fn();
  return { socket: webSocket, ended, response: streamEvents(webSocket, ended, TIMES) };
}

async function end({ body, webSocket }: Response): Promise<void> {
  if (webSocket === null) return body?.cancel();
  webSocket.accept();
  webSocket.close();
}

async function countOpen(client: Client): Promise<number> {
  const { body } = await client.call("GET", "/v1/usage");
  return body.streams;
}

describe("a WebSocket", () => {
  type Opened = { seqs: number[]; code: number | null };

  async function connect(session: TestSession, after: number): Promise<Opened> {
    const { webSocket } = await open(session, SOCKET, after);
    const opened: Opened = { seqs: [], code: null };
    webSocket?.addEventListener("message", ({ data }) => {
      opened.seqs.push(JSON.parse(String(data)).seq);
    });
    webSocket?.addEventListener("close", ({ code }) => {
      opened.code = code;
    });
    webSocket?.accept();
    return opened;
  }

  it("is closed after a megabyte, and resumes where it was", async () => {
    const session = await newSession();
    await publish(session);
    const seqs: number[] = [];
    while (seqs.length < SIGNALS) {
      const opened = await connect(session, seqs.length);
      const isOver = () => opened.code !== null || seqs.length + opened.seqs.length === SIGNALS;
      await vi.waitFor(() => expect(isOver()).toBe(true));
      if (opened.code !== null) expect(opened.code).toBe(1013);
      expect(opened.seqs.length).toBeLessThanOrEqual(Math.ceil(2 ** 20 / CHARS));
      seqs.push(...opened.seqs);
    }
    expect(seqs).toEqual(ALL);
  });
});
