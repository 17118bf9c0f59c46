// Power cuts: what was acknowledged is there afterwards, exactly once, and what was promised still happens.
import { describe, expect, it, vi } from "vitest";
import { allPages, contents, memoriesOf, newSession, readMemory, readSession } from "./actions";
import { fresh } from "./client";
import type { Memory, Message, Pending, Promotion, Remembered } from "./contract";
import { ownServer } from "./service";

const kioku = ownServer();

const WIDE = { total: 200_000, conversation: 150_000, context: 12_000 };
const ENOUGH = 60;
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
  it.each([1, 2, 3])("loses nothing acknowledged and doubles nothing (round %i)", async () => {
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
      { timeout: 30_000, interval: 5 },
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
      { timeout: 25_000, interval: 500 },
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
    await vi.waitFor(() => expect(told.remembered.size).toBeGreaterThan(ENOUGH), {
      timeout: 30_000,
      interval: 5,
    });
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

describe("a promotion that was due", () => {
  it("happens after the restart, without anybody touching the session", async () => {
    const { id } = await newSession(kioku.api, { promotion: { interval_ms: 2_000 } });
    const body = { content: "Promised before the crash", memory_type: "fact", importance_score: 0.9 };
    expect((await kioku.api.post(`/v1/sessions/${id}/pending`, body)).status).toBe(201);
    await powerCut();
    const promoted = (): Promise<Memory[]> => memoriesOf(kioku.api, id);
    await vi.waitFor(async () => expect(contents(await promoted())).toEqual([body.content]), {
      timeout: 25_000,
      interval: 500,
    });
    expect((await readSession(kioku.api, id)).counts).toMatchObject({ pending: 0, memories: 1 });
  });
});
