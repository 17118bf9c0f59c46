// Turns: from the first entry to a captured turn, which is captured once, whoever repeats or writes it.
import { describe, expect, it } from "vitest";
import { contents, forget, ids, newSession, readMemory, readSession, recall } from "../support/actions";
import { fresh } from "../support/client";
import { type Entry, ID, ISO_MS, type Turn } from "../support/contract";
import { bodyOf, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";
import {
  agentWith,
  entriesOf,
  note,
  occurrences,
  preflight,
  setPolicy,
  systemText,
  takeTurn,
} from "./policy";

const kioku = serviceUnderTest();
const INSTRUCTIONS = "Greet the user and use any remembered facts.";

type Fields = Record<string, unknown>;

describe("from the first entry to a captured turn", () => {
  it("what was written is in the prompt, and what was said is remembered", async () => {
    const policy = { scope: "session", capture: "conversation", max_entries: 5 };
    const { agent, session } = await agentWith(kioku.api, policy);
    const written = await note(kioku.api, agent, "User prefers the name Alex.", {
      session_id: session,
      metadata: { kind: "preference" },
    });
    expect(written).toMatchObject({
      namespace: `agent:${agent}:session:${session}`,
      agent_id: agent,
      session_id: session,
      content: "User prefers the name Alex.",
      metadata: { kind: "preference" },
      source: "manual",
    });
    expect(written.id).toMatch(ID);
    expect(written.created_at).toMatch(ISO_MS);

    const ready = await preflight(kioku.api, session, { input: "hello", instructions: INSTRUCTIONS });
    expect(ready.messages.map(({ role }) => role)).toEqual(["system", "user"]);
    expect(systemText(ready)).toContain(INSTRUCTIONS);
    expect(systemText(ready)).toContain("prefers the name Alex");
    expect(ready.messages.at(-1)).toEqual({ role: "user", content: "hello" });
    expect(ready.memory).toMatchObject({
      enabled: true,
      namespace: `agent:${agent}:session:${session}`,
      scope: "session",
      inject: "instructions",
      capture: "conversation",
    });
    expect(ready.memory.entries).toMatchObject([written]);

    const turn = await takeTurn(kioku.api, session, "hello", "Welcome back, Alex.");
    expect(turn).toMatchObject({ captured: true, entry_id: expect.stringMatching(ID) });
    const entries = await entriesOf(kioku.api, `agent:${agent}:session:${session}`);
    expect(ids(entries).sort()).toEqual([written.id, turn.entry_id].sort());
    expect(entries.find(({ id }) => id === turn.entry_id)).toMatchObject({
      content: "User: hello\nAssistant: Welcome back, Alex.",
      source: "conversation",
      agent_id: agent,
      session_id: session,
    });
    expect(systemText(await preflight(kioku.api, session))).toContain("Welcome back, Alex.");
  });

  it("an entry is a memory: read by its id, forgotten by its id", async () => {
    const { agent, session } = await agentWith(kioku.api, { capture: "conversation" });
    const written = await note(kioku.api, agent, "The harbour opens at six");
    const { entry_id = "" } = await takeTurn(kioku.api, session, "When?", "At six.");
    expect(await readMemory(kioku.api, written.id)).toMatchObject({
      content: written.content,
      agent_id: agent,
    });
    expect((await readMemory(kioku.api, entry_id)).content).toBe("User: When?\nAssistant: At six.");
    expect(ids(await recall(kioku.api, session, { query: "six", scope: "session" }))).toEqual([entry_id]);
    await forget(kioku.api, session, entry_id);
    expect(ids((await preflight(kioku.api, session)).memory.entries)).toEqual([written.id]);
    bodyOf(await kioku.api.delete(`/v1/memories/${written.id}`), 200);
    expect((await preflight(kioku.api, session)).memory.entries).toEqual([]);
    expect(await entriesOf(kioku.api, `agent:${agent}`)).toEqual([]);
  });

  it("a session need not be made before", async () => {
    const [agent_id, session] = [fresh("agent"), fresh("session")];
    await setPolicy(kioku.api, agent_id, { capture: "conversation" });
    await note(kioku.api, agent_id, "User prefers the name Alex.");
    expect(systemText(await preflight(kioku.api, session, { agent_id }))).toContain("Alex");
    expectProblem(await kioku.api.get(`/v1/sessions/${session}`), "not_found");
    const turn = await takeTurn(kioku.api, session, "hello", "Hello, Alex.", { agent_id });
    expect(turn.captured).toBe(true);
    expect((await readSession(kioku.api, session)).agent_id).toBe(agent_id);
    expect(contents(await entriesOf(kioku.api, `agent:${agent_id}`))).toContain(
      "User: hello\nAssistant: Hello, Alex.",
    );
  });
});

describe("capturing a turn", () => {
  it("happens for each of many at once, in one session that nobody made", async () => {
    const [agent_id, session] = [fresh("agent"), fresh("session")];
    await setPolicy(kioku.api, agent_id, { capture: "conversation" });
    const turns = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        takeTurn(kioku.api, session, `Question ${n}`, "Answer", { agent_id, request_id: `r${n}` }),
      ),
    );
    expect(turns.every(({ captured }) => captured)).toBe(true);
    const entries = await entriesOf(kioku.api, `agent:${agent_id}`);
    expect(ids(entries).sort()).toEqual(turns.map(({ entry_id }) => entry_id).sort());
    expect(new Set(ids(entries)).size).toBe(12);
    expect((await readSession(kioku.api, session)).counts.memories).toBe(12);
  });

  it.each([
    ["manual", { capture: "manual" }],
    ["off", { capture: "off" }],
    ["on, but the policy off", { capture: "conversation", enabled: false }],
  ])("does not happen when it is %s, and says why", async (_name, policy) => {
    const { agent, session } = await agentWith(kioku.api, policy);
    const turn = await takeTurn(kioku.api, session, "Hi", "Hello", { request_id: "r1" });
    expect(turn).toEqual({ captured: false, reason: expect.stringMatching(/\S/) });
    await setPolicy(kioku.api, agent, { capture: "conversation" });
    expect(await entriesOf(kioku.api, `agent:${agent}`)).toEqual([]);
    expect((await preflight(kioku.api, session)).memory.entries).toEqual([]);
  });

  it("keeps both sides of a long turn as far as they go, and never fails it", async () => {
    const { agent, session } = await agentWith(kioku.api, { capture: "conversation" });
    const [input, output] = [`Begin ${"question ".repeat(2_000)}`, `Reply ${"answer ".repeat(20_000)}`];
    const turn = await takeTurn(kioku.api, session, input, output);
    expect(turn.captured).toBe(true);
    const [entry] = await entriesOf(kioku.api, `agent:${agent}`);
    expect(entry?.content).toMatch(/^User: Begin question /);
    expect(entry?.content).toContain("\nAssistant: Reply answer ");
  });

  it("is of the session's agent, in the namespace of the policy", async () => {
    const namespace = fresh("team");
    const { agent, session } = await agentWith(kioku.api, { capture: "conversation", namespace });
    const { entry_id } = await takeTurn(kioku.api, session, "Hi", "Hello");
    expect(await entriesOf(kioku.api, namespace)).toMatchObject([
      { id: entry_id, namespace, agent_id: agent, session_id: session },
    ]);
    expect(await entriesOf(kioku.api, `agent:${agent}`)).toEqual([]);
  });

  it("of an unknown session without an owner is a 404, and makes none", async () => {
    const session = fresh("nobody");
    const turn = { input: "Hi", output: "Hello" };
    expectProblem(await kioku.api.post(`/v1/sessions/${session}/turns`, turn), "not_found");
    expectProblem(await kioku.api.get(`/v1/sessions/${session}`), "not_found");
  });

  it("does not happen in a closed session, which says so", async () => {
    const { agent, session } = await agentWith(kioku.api, { capture: "conversation" });
    bodyOf(await kioku.api.post(`/v1/sessions/${session}/close`), 200);
    const turn = { input: "Hi", output: "Hello" };
    const answer = await kioku.api.post<Turn>(`/v1/sessions/${session}/turns`, turn);
    // Writing to a closed session is a conflict; but a capture that fails never fails the turn.
    if (answer.status === 409) expectProblem(answer, "conflict");
    else expect(bodyOf(answer, 200)).toEqual({ captured: false, reason: expect.stringMatching(/closed/i) });
    expect(await entriesOf(kioku.api, `agent:${agent}`)).toEqual([]);
  });
});

describe("a request id", () => {
  async function capturing(): Promise<{ session: string; captured: () => Promise<string[]> }> {
    const { agent, session } = await agentWith(kioku.api, { capture: "conversation" });
    return { session, captured: async () => contents(await entriesOf(kioku.api, `agent:${agent}`)).sort() };
  }
  const text = (n: number) => `User: Question ${n}\nAssistant: Answer ${n}`;
  const turn = (session: string, n: number, request_id: string) =>
    takeTurn(kioku.api, session, `Question ${n}`, `Answer ${n}`, { request_id });

  it("captures once, and is answered the same", async () => {
    const { session, captured } = await capturing();
    const first = await turn(session, 1, "r1");
    expect(first.captured).toBe(true);
    expect(await turn(session, 1, "r1")).toEqual(first);
    expect(await captured()).toEqual([text(1)]);
  });

  it("captures once for callers at the same time, whatever they say", async () => {
    const { session, captured } = await capturing();
    const turns = await Promise.all(Array.from({ length: 12 }, (_, n) => turn(session, n, "r1")));
    expect(new Set(turns.map(({ entry_id }) => entry_id)).size).toBe(1);
    expect(await captured()).toHaveLength(1);
  });

  it("captures once although other turns came between", async () => {
    const { session, captured } = await capturing();
    const first = await turn(session, 1, "r1");
    await turn(session, 2, "r2");
    await takeTurn(kioku.api, session, "Without", "An id");
    expect((await turn(session, 1, "r1")).entry_id).toBe(first.entry_id);
    expect((await turn(session, 3, "r1")).entry_id).toBe(first.entry_id);
    expect(await captured()).toEqual([text(1), text(2), "User: Without\nAssistant: An id"].sort());
  });

  it("does not bring back what was captured and forgotten or erased since", async () => {
    const { session, captured } = await capturing();
    const [one, two] = [await turn(session, 1, "r1"), await turn(session, 2, "r2")];
    await forget(kioku.api, session, one.entry_id ?? "");
    bodyOf(await kioku.api.delete(`/v1/memories/${two.entry_id}`), 200);
    await turn(session, 1, "r1");
    await turn(session, 2, "r2");
    expect(await captured()).toEqual([]);
  });

  it("is of its session: another's is another", async () => {
    const { agent, session } = await agentWith(kioku.api, { capture: "conversation" });
    const other = await newSession(kioku.api, { agent_id: agent });
    await turn(session, 1, "r1");
    await turn(other.id, 2, "r1");
    expect(contents(await entriesOf(kioku.api, `agent:${agent}`)).sort()).toEqual([text(1), text(2)]);
  });

  it.each(["", 7, {}, "x".repeat(10_000)])("is refused when it is not one (%#)", async (request_id) => {
    const { session, captured } = await capturing();
    const body = { input: "Hi", output: "Hello", request_id };
    const answer = await kioku.api.post(`/v1/sessions/${session}/turns`, body);
    expectProblem(answer, "invalid_request", "request_id");
    expect(await captured()).toEqual([]);
  });
});

describe("the same content, written by hand and captured", () => {
  const CONTENT = "User: What is my name?\nAssistant: Alex.";
  const capture = (session: string, more: Fields = {}) =>
    takeTurn(kioku.api, session, "What is my name?", "Alex.", more);
  /** Whether it was there before is not what these tests are about. */
  async function byHand(agent_id: string, more: Fields): Promise<string> {
    const answer = await kioku.api.post<Entry>("/v1/entries", { agent_id, content: CONTENT, ...more });
    return bodyOf(answer, answer.status === 200 ? 200 : 201).id;
  }
  async function expectOnce(session: string, namespace: string): Promise<void> {
    expect(contents(await entriesOf(kioku.api, namespace))).toEqual([CONTENT]);
    for (const inject of ["instructions", "context"]) {
      bodyOf(await kioku.api.patch(`/v1/sessions/${session}`, { policy: { inject } }), 200);
      const ready = await preflight(kioku.api, session, { input: "What is my name?" });
      expect(contents(ready.memory.entries)).toEqual([CONTENT]);
      expect(occurrences(systemText(ready), "What is my name?")).toBe(1);
    }
  }
  type Order = (agent: string, session: string, more: Fields) => Promise<unknown>;
  const orders: [string, Order][] = [
    [
      "by hand first",
      async (agent, session, more) => {
        const id = await byHand(agent, more);
        expect((await capture(session)).entry_id).toBe(id);
      },
    ],
    [
      "captured first",
      async (agent, session, more) => {
        const { entry_id } = await capture(session);
        expect(await byHand(agent, more)).toBe(entry_id);
      },
    ],
    [
      "both at once, and again",
      (agent, session, more) =>
        Promise.all([
          byHand(agent, more),
          capture(session),
          byHand(agent, more),
          capture(session, { request_id: "r1" }),
        ]),
    ],
  ];

  it.each(orders)("appears once in an agent's memory: %s", async (_name, write) => {
    const { agent, session } = await agentWith(kioku.api, { capture: "conversation" });
    await write(agent, session, {});
    await expectOnce(session, `agent:${agent}`);
  });

  it.each(orders)("appears once when both were of the session: %s", async (_name, write) => {
    const { agent, session } = await agentWith(kioku.api, { capture: "conversation", scope: "session" });
    await write(agent, session, { session_id: session });
    await expectOnce(session, `agent:${agent}:session:${session}`);
  });

  it("appears once when captured in two sessions of an agent", async () => {
    const { agent, session } = await agentWith(kioku.api, { capture: "conversation" });
    const other = await newSession(kioku.api, { agent_id: agent });
    for (const id of [session, other.id]) await capture(id);
    await byHand(agent, { session_id: other.id });
    await expectOnce(session, `agent:${agent}`);
  });

  it("is not known in another session when each has its own", async () => {
    const { agent, session } = await agentWith(kioku.api, { capture: "conversation", scope: "session" });
    const other = await newSession(kioku.api, { agent_id: agent });
    await capture(session);
    expect((await preflight(kioku.api, other.id)).memory.entries).toEqual([]);
    await capture(other.id);
    await expectOnce(session, `agent:${agent}:session:${session}`);
    await expectOnce(other.id, `agent:${agent}:session:${other.id}`);
  });
});
