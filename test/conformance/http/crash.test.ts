// Power cuts: what was acknowledged is there afterwards, exactly once, and what was promised still happens.
import { describe, expect, it, vi } from "vitest";
import { answersTo, change, makeSpace, outcome, readSpace, wholeThread } from "../cognition/cognition";
import { agentWith, entriesOf, preflight } from "../policy/policy";
import { allPages, contents, memoriesOf, newSession, readMemory, readSession } from "../support/actions";
import { fresh, sleep } from "../support/client";
import type {
  Entry,
  Match,
  Memory,
  Message,
  Pending,
  Promotion,
  Remembered,
  Signal,
  SpaceChanged,
  ThreadAppended,
  Turn,
} from "../support/contract";
import { ownServer } from "../support/http-service";
import { type Live, openEvents } from "../support/live";

const kioku = ownServer();

const WIDE = { total: 200_000, conversation: 150_000, context: 12_000 };
/** Acknowledged calls of each kind before the power cut. */
const ENOUGH = 25;
const REMEMBERERS = 4;

/** What callers were told before the lights went out. */
type Told = {
  remembered: Map<string, string>;
  unanswered: Map<string, string>;
  messages: string[];
  pending: string[];
  promoted: string[];
};

function toldNothing(): Told {
  return { remembered: new Map(), unanswered: new Map(), messages: [], pending: [], promoted: [] };
}

/** Repeats the work until it fails, as it does when the server is gone. */
async function untilItFails(work: (n: number) => Promise<void>): Promise<void> {
  for (let n = 0; ; n += 1) {
    try {
      await work(n);
    } catch {
      return;
    }
  }
}

function streams(sessions: { memory: string; talk: string; waiting: string }, told: Told): Promise<void>[] {
  const rememberer = (worker: number) =>
    untilItFails(async (n) => {
      const [content, key] = [`Fact ${worker}-${n} of ${sessions.memory}`, fresh("key")];
      told.unanswered.set(content, key);
      const path = `/v1/sessions/${sessions.memory}/remember`;
      const answer = await kioku.api.post<Remembered>(path, { content }, { "idempotency-key": key });
      if (answer.status !== 201) return;
      told.unanswered.delete(content);
      told.remembered.set(content, answer.body.memory_id);
    });
  const talker = (worker: number) =>
    untilItFails(async (n) => {
      const id = `m-${worker}-${n}`;
      const messages = [{ id, role: "user", content: `Message ${id}` }];
      const answer = await kioku.api.post(`/v1/sessions/${sessions.talk}/messages`, { messages });
      if (answer.status === 201) told.messages.push(id);
    });
  const proposer = (worker: number) =>
    untilItFails(async (n) => {
      const body = { content: `Candidate ${worker}-${n}`, memory_type: "fact", importance_score: 0.9 };
      const answer = await kioku.api.post(`/v1/sessions/${sessions.waiting}/pending`, body);
      if (answer.status === 201) told.pending.push(body.content);
    });
  const promoter = () =>
    untilItFails(async () => {
      const answer = await kioku.api.post<Promotion>(`/v1/sessions/${sessions.waiting}/promote`);
      if (answer.status === 200) told.promoted.push(...answer.body.promoted.map((one) => one.memory_id));
    });
  return [
    ...Array.from({ length: REMEMBERERS }, (_, worker) => rememberer(worker)),
    ...[talker(0), talker(1), proposer(0), proposer(1), promoter()],
  ];
}

/** Kills the server in the middle of the work, and starts it again. */
async function powerCut(running: Promise<void>[] = []): Promise<void> {
  await kioku.kill9();
  await Promise.all(running);
  await kioku.restart();
}

function repeated(items: string[]): string[] {
  return items.filter((item, at) => items.indexOf(item) !== at);
}

describe("kill -9 in the middle of a stream of writes", () => {
  it("loses nothing acknowledged and doubles nothing", async () => {
    const wide = { token_budget: WIDE };
    const sessions = {
      memory: (await newSession(kioku.api)).id,
      talk: (await newSession(kioku.api, wide)).id,
      waiting: (await newSession(kioku.api, { promotion: { interval_ms: 1_000, max_per_run: 100 } })).id,
    };
    const told = toldNothing();
    const running = streams(sessions, told);
    await vi.waitFor(
      () => {
        for (const count of [told.remembered.size, told.messages.length, told.pending.length])
          expect(count).toBeGreaterThan(ENOUGH);
        expect(told.promoted.length).toBeGreaterThan(0);
      },
      { interval: 5 },
    );
    await powerCut(running);

    const facts = await memoriesOf(kioku.api, sessions.memory);
    const idOf = new Map(facts.map((memory) => [memory.content, memory.id]));
    expect(repeated(contents(facts))).toEqual([]);
    expect([...told.remembered].filter(([content, id]) => idOf.get(content) !== id)).toEqual([]);

    const talk = (await allPages<Message>(kioku.api, `/v1/sessions/${sessions.talk}/messages`)).map(
      (message) => message.id,
    );
    expect(repeated(talk)).toEqual([]);
    expect(told.messages.filter((id) => !talk.includes(id))).toEqual([]);
    expect((await readSession(kioku.api, sessions.talk)).counts.messages).toBe(talk.length);

    for (const id of told.promoted) expect((await readMemory(kioku.api, id)).content).toMatch(/^Candidate/);
    await vi.waitFor(
      async () => {
        const promoted = contents(await memoriesOf(kioku.api, sessions.waiting));
        expect(told.pending.filter((content) => !promoted.includes(content))).toEqual([]);
        expect(repeated(promoted)).toEqual([]);
        expect(await allPages<Pending>(kioku.api, `/v1/sessions/${sessions.waiting}/pending`)).toEqual([]);
      },
      { interval: 500 },
    );
  });

  it("lets unanswered writes be sent again under their keys, and does each once", async () => {
    const [memory, talk, waiting] = [
      (await newSession(kioku.api)).id,
      (await newSession(kioku.api)).id,
      (await newSession(kioku.api)).id,
    ];
    const told = toldNothing();
    const running = streams({ memory, talk, waiting }, told);
    await vi.waitFor(() => expect(told.remembered.size).toBeGreaterThan(ENOUGH), { interval: 5 });
    await powerCut(running);
    expect(told.unanswered.size).toBeGreaterThan(0);
    for (const [content, key] of told.unanswered) {
      const path = `/v1/sessions/${memory}/remember`;
      const answer = await kioku.api.post<Remembered>(path, { content }, { "idempotency-key": key });
      expect([200, 201], answer.text).toContain(answer.status);
      told.remembered.set(content, answer.body.memory_id);
    }
    const facts = await memoriesOf(kioku.api, memory);
    expect(contents(facts).sort()).toEqual([...told.remembered.keys()].sort());
  });
});

/** What callers were told about the spaces, the thread and the directives of a session. */
type Thoughts = {
  items: string[];
  count: { n: number; rev: number };
  notes: { call: string; first: number; last: number }[];
  requests: string[];
};

const NOTES_A_CALL = 3;
const PROVIDERS = ["inline", "d1", "vector"];

/** Writers of one session, each until the server is gone; nobody sends anything again. */
function thinking(session: string, thoughts: Thoughts): Promise<void>[] {
  const at = `/v1/sessions/${session}`;
  const lister = (worker: number) =>
    untilItFails(async (n) => {
      const item = { id: `${worker}-${n}` };
      const answer = await kioku.api.post(`${at}/spaces/log/ops`, { ops: [{ op: "append", item }] });
      if (answer.status === 200) thoughts.items.push(item.id);
    });
  const counter = () =>
    untilItFails(async () => {
      const { n, rev } = thoughts.count;
      const body = { ops: [{ op: "put", key: "n", value: n + 1 }], expected_rev: rev };
      const answer = await kioku.api.post<SpaceChanged>(`${at}/spaces/counter/ops`, body);
      if (answer.status === 200) thoughts.count = { n: n + 1, rev: answer.body.rev };
    });
  const scribe = (worker: number) =>
    untilItFails(async (n) => {
      const call = `${worker}-${n}`;
      const entries = Array.from({ length: NOTES_A_CALL }, () => ({ kind: "note", payload: call }));
      const answer = await kioku.api.post<ThreadAppended>(`${at}/thread`, { entries });
      if (answer.status !== 201) return;
      thoughts.notes.push({ call, first: answer.body.first_seq, last: answer.body.last_seq });
    });
  const asker = (provider: string) =>
    untilItFails(async (n) => {
      const request_id = `${provider}-${n}`;
      const items = [{ key: `k${n}`, value: `Lighthouse ${n}` }];
      const answer = await kioku.api.post(`${at}/directives`, {
        type: "upsert",
        provider,
        request_id,
        items,
      });
      if (answer.status === 202) thoughts.requests.push(request_id);
    });
  return [lister(0), lister(1), counter(), scribe(0), scribe(1), ...PROVIDERS.map(asker)];
}

function signalsIn(streams: Live[]): Signal[] {
  return streams.flatMap(({ signals }) => signals);
}

/** Reads signals live, and comes back after the last one seen whenever it is cut off. */
async function follow(session: string, streams: Live[], going: () => boolean): Promise<void> {
  while (going()) {
    const headers = { "last-event-id": String(signalsIn(streams).at(-1)?.seq ?? 0) };
    const live = await openEvents(kioku.api, `/v1/sessions/${session}/signals`, headers).catch(() => null);
    if (live !== null) streams.push(live);
    await live?.ended;
    await sleep(20);
  }
}

describe("kill -9 in the middle of thinking", () => {
  it("keeps spaces, thread and directives as they were acknowledged", async () => {
    const { id } = await newSession(kioku.api, { promotion: { interval_ms: 1_000 } });
    await makeSpace(kioku.api, id, "log", []);
    const { rev } = await makeSpace(kioku.api, id, "counter", { n: 0 });
    const thoughts: Thoughts = { items: [], count: { n: 0, rev }, notes: [], requests: [] };
    const streams: Live[] = [];
    let following = true;
    const follower = follow(id, streams, () => following);
    const running = thinking(id, thoughts);
    await vi.waitFor(
      () => {
        const { items, count, notes, requests } = thoughts;
        for (const told of [items.length, count.n, notes.length, requests.length])
          expect(told).toBeGreaterThan(ENOUGH);
      },
      { interval: 5 },
    );
    await powerCut(running);

    const log = (await readSpace<{ id: string }[]>(kioku.api, id, "log")).data.map((item) => item.id);
    expect(repeated(log)).toEqual([]);
    expect(thoughts.items.filter((item) => !log.includes(item))).toEqual([]);

    // The change under way when the lights went out may have happened, and no more than that.
    const { n, rev: acknowledged } = thoughts.count;
    const counter = await readSpace<{ n: number }>(kioku.api, id, "counter");
    expect([n, n + 1]).toContain(counter.data.n);
    expect(counter.rev > acknowledged).toBe(counter.data.n > n);

    const signals = await vi.waitFor(
      async () => {
        const entries = await wholeThread<Signal>(kioku.api, id, "kind=signal");
        const answers = entries.map(({ payload }) => payload);
        expect(thoughts.requests.filter((request) => answersTo(answers, request).length === 0)).toEqual([]);
        expect(signalsIn(streams).map(({ seq }) => seq)).toEqual(answers.map(({ seq }) => seq));
        return answers;
      },
      { interval: 250 },
    );
    following = false;
    streams.at(-1)?.cut();
    await follower;
    expect(streams.length).toBeGreaterThan(1);
    const results = signals.filter(({ type }) => type === "jido.memory.result");
    expect(repeated(results.map(({ data }) => data.request_id))).toEqual([]);
    expect(results.filter(({ data }) => data.status !== "ok")).toEqual([]);

    const thread = await wholeThread(kioku.api, id);
    expect(thread.map(({ seq }) => seq)).toEqual(thread.map((_, place) => place + 1));
    for (const { call, first, last } of thoughts.notes) {
      const own = thread.slice(first - 1, last).map(({ payload }) => payload);
      expect(own).toEqual(Array(NOTES_A_CALL).fill(call));
    }
    const times = new Map<unknown, number>();
    for (const { kind, payload } of thread)
      if (kind === "note") times.set(payload, (times.get(payload) ?? 0) + 1);
    expect([...times].filter(([, count]) => count !== NOTES_A_CALL)).toEqual([]);

    for (const provider of PROVIDERS) {
      const last = thoughts.requests.findLast((request) => request.startsWith(provider))?.split("-")[1];
      const query = { text: `Lighthouse ${last}`, top_k: 50 };
      const found = await outcome<Match[]>(kioku.api, id, { type: "query", provider, query });
      expect(found.filter(({ key }) => key === `k${last}`)).toMatchObject([{ value: `Lighthouse ${last}` }]);
    }
    const ops = [{ op: "put", key: "n", value: -1 }];
    await change(kioku.api, id, "counter", ops, { expected_rev: counter.rev });
  });
});

/** What callers were told of their turns and entries: by request id, or by content, the id of the entry. */
type Captures = { turns: Map<string, string>; unanswered: Set<string>; notes: Map<string, string> };

function turnOf(request_id: string, output: string): Record<string, string> {
  return { request_id, input: `Question ${request_id}`, output };
}

/** Turns and entries of one agent, each until the server is gone. */
function conversing(agent: string, session: string, told: Captures): Promise<void>[] {
  const talker = (worker: number) =>
    untilItFails(async (n) => {
      const request = `${worker}-${n}`;
      told.unanswered.add(request);
      const path = `/v1/sessions/${session}/turns`;
      const { status, body } = await kioku.api.post<Turn>(path, turnOf(request, "First"));
      if (status !== 200 || body.entry_id === undefined) return;
      told.unanswered.delete(request);
      told.turns.set(request, body.entry_id);
    });
  const writer = (more: Record<string, string>) =>
    untilItFails(async (n) => {
      const content = `Note ${n} ${JSON.stringify(more)}`;
      const entry = { agent_id: agent, content, ...more };
      const { status, body } = await kioku.api.post<Entry>("/v1/entries", entry);
      if (status === 201) told.notes.set(content, body.id);
    });
  return [talker(0), talker(1), talker(2), writer({}), writer({ session_id: session })];
}

describe("kill -9 in the middle of turns", () => {
  it("keeps what was captured, and captures what is sent again once", async () => {
    const { agent, session } = await agentWith(kioku.api, { capture: "conversation", max_entries: 50 });
    const told: Captures = { turns: new Map(), unanswered: new Set(), notes: new Map() };
    const running = conversing(agent, session, told);
    await vi.waitFor(
      () => {
        for (const count of [told.turns.size, told.notes.size]) expect(count).toBeGreaterThan(ENOUGH);
      },
      { interval: 5 },
    );
    await powerCut(running);

    const before = await entriesOf(kioku.api, `agent:${agent}`);
    const byContent = new Map(before.map((entry) => [entry.content, entry.id]));
    const turnText = (request: string) => `User: Question ${request}\nAssistant: First`;
    expect(repeated(contents(before))).toEqual([]);
    expect([...told.turns].filter(([request, id]) => byContent.get(turnText(request)) !== id)).toEqual([]);
    expect([...told.notes].filter(([content, id]) => byContent.get(content) !== id)).toEqual([]);

    // Sent again in other words, so that only the request id can tell that it is the same turn.
    expect(told.unanswered.size).toBeGreaterThan(0);
    const path = `/v1/sessions/${session}/turns`;
    for (const request of [...told.unanswered, ...[...told.turns.keys()].slice(-10)]) {
      const answer = await kioku.api.post<Turn>(path, turnOf(request, "Second"));
      expect(answer.body, answer.text).toMatchObject({ captured: true });
      expect(answer.body.entry_id).toBe(told.turns.get(request) ?? answer.body.entry_id);
    }
    const turns = contents(await entriesOf(kioku.api, `agent:${agent}`)).flatMap(
      (content) => /^User: Question (\S+)/.exec(content)?.[1] ?? [],
    );
    expect(turns.sort()).toEqual([...told.turns.keys(), ...told.unanswered].sort());

    // In the prompt too, and by its words.
    const [last = ""] = [...told.turns.keys()].slice(-1);
    const { memory } = await preflight(kioku.api, session, { input: `Question ${last}` });
    expect(contents(memory.entries).filter((content) => content === turnText(last))).toHaveLength(1);
  });
});

const WRITERS = 8;
const OFFERS_A_ROUND = 6;

/** Candidates and, a little later, messages: a session with two due times, of which one is left after the alarm. */
function offering(session: string, offered: string[], round: number): Promise<void> {
  return untilItFails(async (n) => {
    const body = {
      content: `Candidate ${round}-${n} of ${session}`,
      memory_type: "fact",
      importance_score: 0.9,
    };
    const { status } = await kioku.api.post(`/v1/sessions/${session}/pending`, body);
    if (status === 201) offered.push(body.content);
    await sleep(100);
    const messages = [{ role: "user", content: `Message ${round}-${n}` }];
    await kioku.api.post(`/v1/sessions/${session}/messages`, { messages });
  });
}

describe("kill -9 while promotions are pending", () => {
  it("leaves no session without its alarm: each promotes everything once, without a call", async () => {
    const offers = new Map<string, string[]>();
    for (let writer = 0; writer < WRITERS; writer += 1) {
      const { id } = await newSession(kioku.api, { promotion: { interval_ms: 1_000, max_per_run: 100 } });
      offers.set(id, []);
    }
    for (const round of [1, 2]) {
      const running = [...offers].map(([id, offered]) => offering(id, offered, round));
      // Past the first alarm, so that some are killed in it and others after it.
      await sleep(1_500);
      await vi.waitFor(
        () => {
          for (const offered of offers.values())
            expect(offered.length).toBeGreaterThan(OFFERS_A_ROUND * round);
        },
        { interval: 20 },
      );
      await powerCut(running);
    }
    await vi.waitFor(
      async () => {
        for (const [id, offered] of offers) {
          const promoted = contents(await memoriesOf(kioku.api, id));
          expect(repeated(promoted)).toEqual([]);
          expect(offered.filter((content) => !promoted.includes(content))).toEqual([]);
        }
      },
      { interval: 250 },
    );
    for (const id of offers.keys()) expect((await readSession(kioku.api, id)).counts.pending).toBe(0);
  });
});

describe("a promotion that was due", () => {
  it("happens after the restart, without anybody touching the session", async () => {
    const { id } = await newSession(kioku.api, { promotion: { interval_ms: 2_000 } });
    const body = { content: "Promised before the crash", memory_type: "fact", importance_score: 0.9 };
    expect((await kioku.api.post(`/v1/sessions/${id}/pending`, body)).status).toBe(201);
    await powerCut();
    const promoted = (): Promise<Memory[]> => memoriesOf(kioku.api, id);
    await vi.waitFor(async () => expect(contents(await promoted())).toEqual([body.content]), {
      interval: 500,
    });
    expect((await readSession(kioku.api, id)).counts).toMatchObject({ pending: 0, memories: 1 });
  });
});
