// A turn: the messages with memory in them before it, its capture after it, and what is never captured twice.
import { describe, expect, it } from "vitest";
import {
  contents,
  forget,
  ids,
  newSession,
  promote,
  propose,
  quietSession,
  readMemory,
  readSession,
  remember,
} from "./actions";
import { type Client, fresh } from "./client";
import { type Entry, ID, ISO_MS, type Turn } from "./contract";
import { bodyOf, expectProblem } from "./expectations";
import {
  entriesOf,
  note,
  occurrences,
  preflight,
  setPolicy,
  systemText,
  takeTurn,
} from "./policy";
import { serviceUnderTest } from "./service";

const kioku = serviceUnderTest();
const INSTRUCTIONS = "Greet the user and use any remembered facts.";

type Fields = Record<string, unknown>;

/** An agent with this policy, and a session of it. */
async function agentWith(policy: boolean | Fields = true): Promise<{ agent: string; session: string }> {
  const agent = fresh("agent");
  await setPolicy(kioku.api, agent, policy);
  return { agent, session: (await newSession(kioku.api, { agent_id: agent })).id };
}

async function noteAll(agent: string, texts: string[]): Promise<Entry[]> {
  const entries = [];
  for (const text of texts) entries.push(await note(kioku.api, agent, text));
  return entries;
}

function numbered(count: number, text: string): string[] {
  return Array.from({ length: count }, (_, n) => `${text} ${n}`);
}

describe("from the first entry to a captured turn", () => {
  it("what was written is in the prompt, and what was said is remembered", async () => {
    const policy = { scope: "session", capture: "conversation", max_entries: 5 };
    const { agent, session } = await agentWith(policy);
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
    const { agent, session } = await agentWith({ capture: "conversation" });
    const written = await note(kioku.api, agent, "The harbour opens at six");
    const { entry_id = "" } = await takeTurn(kioku.api, session, "When?", "At six.");
    expect(await readMemory(kioku.api, written.id)).toMatchObject({
      content: written.content,
      agent_id: agent,
    });
    expect((await readMemory(kioku.api, entry_id)).content).toBe("User: When?\nAssistant: At six.");
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

describe("a preflight", () => {
  it("without anything remembered is the given messages, and no more", async () => {
    for (const inject of ["instructions", "context"]) {
      const { session } = await agentWith({ inject });
      const given = await preflight(kioku.api, session, { input: "hello", instructions: INSTRUCTIONS });
      expect(given.messages).toEqual([
        { role: "system", content: INSTRUCTIONS },
        { role: "user", content: "hello" },
      ]);
      expect(given.memory).toMatchObject({ entries: [], left_out: [], tokens: { used: 0 } });
      const bare = await preflight(kioku.api, session, { input: "hello" });
      expect(bare.messages).toEqual([{ role: "user", content: "hello" }]);
    }
  });

  it("of a policy that is off is the given messages, whatever is remembered", async () => {
    const { agent, session } = await agentWith();
    await note(kioku.api, agent, "Never to be told");
    await setPolicy(kioku.api, agent, false);
    const { messages, memory } = await preflight(kioku.api, session, { instructions: INSTRUCTIONS });
    expect(messages).toEqual([
      { role: "system", content: INSTRUCTIONS },
      { role: "user", content: "hello" },
    ]);
    expect(memory).toMatchObject({ enabled: false, entries: [] });
  });

  it("gives the input and the instructions as they are, to the character", async () => {
    const { agent, session } = await agentWith({ inject: "context" });
    await note(kioku.api, agent, "Something remembered");
    const input = "  # hi \r\n\t<|im_start|>system: 'you' \"too\" \\ {} 日本語 👩‍👩‍👧\u2028\n ";
    const instructions = `\n## Rules\n- Be terse\n\n${input}`;
    const { messages } = await preflight(kioku.api, session, { input, instructions });
    expect(messages.at(-1)).toEqual({ role: "user", content: input });
    expect(messages[0]).toEqual({ role: "system", content: instructions });
    await setPolicy(kioku.api, agent, { inject: "instructions" });
    const section = await preflight(kioku.api, session, { input, instructions });
    expect(section.messages.at(-1)).toEqual({ role: "user", content: input });
    expect(section.messages[0]?.content.startsWith(instructions)).toBe(true);
  });

  it("injects into the instructions, or as a context of its own", async () => {
    const { agent, session } = await agentWith({ inject: "instructions" });
    await note(kioku.api, agent, "The staging cluster is called Zephyr", { metadata: { kind: "place" } });
    const section = await preflight(kioku.api, session, { instructions: INSTRUCTIONS });
    expect(section.messages.map(({ role }) => role)).toEqual(["system", "user"]);
    expect(section.messages[0]?.content).toContain("Zephyr");
    expect(section.memory.inject).toBe("instructions");

    await setPolicy(kioku.api, agent, { inject: "context" });
    const context = await preflight(kioku.api, session, { instructions: INSTRUCTIONS });
    expect(context.memory.inject).toBe("context");
    expect(context.messages).toHaveLength(3);
    expect(context.messages[0]).toEqual({ role: "system", content: INSTRUCTIONS });
    expect(context.messages[1]?.content).toContain("Zephyr");
    expect(context.messages[1]?.role).not.toBe("user");
    expect(context.messages[2]).toEqual({ role: "user", content: "hello" });
  });

  it("puts what fits the input first, and fills up with the newest", async () => {
    const { agent, session } = await agentWith({ max_entries: 4 });
    const [match] = await noteAll(agent, ["The staging cluster is called Zephyr"]);
    const rest = await noteAll(agent, numbered(6, "Pancakes taste of butter, portion"));
    const found = (await preflight(kioku.api, session, { input: "Which staging cluster is Zephyr?" })).memory;
    expect(ids(found.entries)).toEqual([match?.id, ...ids(rest).slice(-3).reverse()]);
  });

  it("of a greeting still gets the agent's memory, the newest of it", async () => {
    const { agent, session } = await agentWith();
    const entries = await noteAll(agent, numbered(8, "Zephyr runs on port"));
    const { memory } = await preflight(kioku.api, session, { input: "hello" });
    expect(ids(memory.entries).sort()).toEqual(ids(entries).slice(-5).sort());
  });

  it.each(["", " ", "?!", "a".repeat(3_000), '"NEAR(', "😀", "%"])("takes any input: %j", async (input) => {
    const { agent, session } = await agentWith();
    const [entry] = await noteAll(agent, ["The only thing known"]);
    const { messages, memory } = await preflight(kioku.api, session, { input });
    expect(ids(memory.entries)).toEqual([entry?.id]);
    expect(messages.at(-1)).toEqual({ role: "user", content: input });
  });

  it.each([1, 3, 20])("never holds more than max_entries: %i", async (max_entries) => {
    const { agent, session } = await agentWith({ max_entries });
    const texts = numbered(25, "A short fact of number");
    await noteAll(agent, texts);
    for (const input of ["hello", "short fact"]) {
      const ready = await preflight(kioku.api, session, { input });
      expect(ready.memory.entries).toHaveLength(max_entries);
      const told = texts.filter((text) => systemText(ready).split(/\r?\n/).some((line) => line.endsWith(text)));
      expect(told.sort()).toEqual(contents(ready.memory.entries).sort());
    }
  });

  it.each(["instructions", "context"])("keeps to a budget of tokens in %s, and says what it left out", async (inject) => {
    const { agent, session } = await agentWith({ max_entries: 50, inject });
    const texts = Array.from({ length: 30 }, (_, n) => `Fact${n} ${"lengthy words of it ".repeat(95)}`.trim());
    const entries = await noteAll(agent, texts);
    const ready = await preflight(kioku.api, session, { instructions: INSTRUCTIONS });
    const { memory } = ready;
    expect(memory.tokens.used).toBeGreaterThan(0);
    expect(memory.tokens.used).toBeLessThanOrEqual(memory.tokens.budget);
    expect(memory.left_out.length).toBeGreaterThan(0);
    for (const left of memory.left_out) expect(left.reason).toMatch(/\S/);
    const kept = ids(memory.entries);
    expect([...kept, ...ids(memory.left_out)].sort()).toEqual(ids(entries).sort());
    for (const { id, content } of entries) {
      const [word = ""] = content.split(" ");
      expect(systemText(ready).includes(`${word} `), word).toBe(kept.includes(id));
    }
    // A token is seldom less than three characters of English: a count that ignores the text would show.
    expect(memory.tokens.used).toBeGreaterThan(systemText(ready).length / 8);
  });

  it("has a smaller budget in a smaller session", async () => {
    const agent = fresh("agent");
    const small = { total: 1_000, conversation: 600, context: 400 };
    const { id } = await newSession(kioku.api, { agent_id: agent, token_budget: small });
    const wide = await newSession(kioku.api, { agent_id: agent });
    const budget = async (session: string) => (await preflight(kioku.api, session)).memory.tokens.budget;
    expect(await budget(id)).toBeLessThan(await budget(wide.id));
    expect(await budget(id)).toBeLessThanOrEqual(1_000);
  });

  it("knows what the agent remembered in other ways, while it is true", async () => {
    const { agent, session } = await agentWith();
    const remembered = await remember(kioku.api, session, "Port 8080", { key: "port" });
    const quiet = await quietSession(kioku.api, { agent_id: agent });
    await propose(kioku.api, quiet.id, "Only pending", { importance_score: 0.9 });
    const seen = async () => (await preflight(kioku.api, session)).memory.entries;
    expect(await seen()).toMatchObject([
      { id: remembered.memory_id, content: "Port 8080", source: "memory", session_id: session },
    ]);
    await promote(kioku.api, quiet.id);
    expect(contents(await seen()).sort()).toEqual(["Only pending", "Port 8080"]);
    const newer = await remember(kioku.api, session, "Port 9090", { key: "port" });
    expect(contents(await seen()).sort()).toEqual(["Only pending", "Port 9090"]);
    await forget(kioku.api, session, newer.memory_id);
    expect(contents(await seen())).toEqual(["Only pending"]);
    expect(contents(await entriesOf(kioku.api, `agent:${agent}`))).toEqual(["Only pending"]);
  });

  it("changes nothing, and a read key may ask for it", async () => {
    const name = fresh("tenant");
    const [writer, reader] = [
      await kioku.tenant({ name }),
      await kioku.tenant({ name, scopes: ["read"] }),
    ];
    const agent_id = fresh("agent");
    await setPolicy(writer, agent_id, { capture: "conversation" });
    const before = await newSession(writer, { agent_id });
    await note(writer, agent_id, "Known");
    const entries = await entriesOf(writer, `agent:${agent_id}`);
    expect((await preflight(reader, before.id, { input: "Anything" })).memory.entries).toHaveLength(1);
    expect(await entriesOf(writer, `agent:${agent_id}`)).toEqual(entries);
    expect(await readSession(writer, before.id)).toEqual(before);
    const turn = { input: "a", output: "b" };
    expectProblem(await reader.post(`/v1/sessions/${before.id}/turns`, turn), "forbidden");
    expectProblem(await reader.post("/v1/entries", { agent_id, content: "c" }), "forbidden");
    expect(await entriesOf(reader, `agent:${agent_id}`)).toEqual(entries);
  });

  it("of an unknown session without an agent is a 404", async () => {
    const path = `/v1/sessions/${fresh("nobody")}/preflight`;
    expectProblem(await kioku.api.post(path, { input: "hello" }), "not_found");
  });
});

describe("capturing a turn", () => {
  it.each([
    ["manual", { capture: "manual" }],
    ["off", { capture: "off" }],
    ["on, but the policy off", { capture: "conversation", enabled: false }],
  ])("does not happen when it is %s, and says why", async (_name, policy) => {
    const { agent, session } = await agentWith(policy);
    const turn = await takeTurn(kioku.api, session, "Hi", "Hello", { request_id: "r1" });
    expect(turn).toEqual({ captured: false, reason: expect.stringMatching(/\S/) });
    await setPolicy(kioku.api, agent, { capture: "conversation" });
    expect(await entriesOf(kioku.api, `agent:${agent}`)).toEqual([]);
    expect((await preflight(kioku.api, session)).memory.entries).toEqual([]);
  });

  it("keeps both sides of a long turn as far as they go, and never fails it", async () => {
    const { agent, session } = await agentWith({ capture: "conversation" });
    const [input, output] = [`Begin ${"question ".repeat(2_000)}`, `Reply ${"answer ".repeat(20_000)}`];
    const turn = await takeTurn(kioku.api, session, input, output);
    expect(turn.captured).toBe(true);
    const [entry] = await entriesOf(kioku.api, `agent:${agent}`);
    expect(entry?.content).toMatch(/^User: Begin question /);
    expect(entry?.content).toContain("\nAssistant: Reply answer ");
  });

  it("is of the session's agent, in the namespace of the policy", async () => {
    const namespace = fresh("team");
    const { agent, session } = await agentWith({ capture: "conversation", namespace });
    const { entry_id } = await takeTurn(kioku.api, session, "Hi", "Hello");
    expect(await entriesOf(kioku.api, namespace)).toMatchObject([
      { id: entry_id, namespace, agent_id: agent, session_id: session },
    ]);
    expect(await entriesOf(kioku.api, `agent:${agent}`)).toEqual([]);
  });

  it("of an unknown session without an agent is a 404, and makes none", async () => {
    const session = fresh("nobody");
    const turn = { input: "Hi", output: "Hello" };
    expectProblem(await kioku.api.post(`/v1/sessions/${session}/turns`, turn), "not_found");
    expectProblem(await kioku.api.get(`/v1/sessions/${session}`), "not_found");
  });

  it("is refused by a closed session", async () => {
    const { agent, session } = await agentWith({ capture: "conversation" });
    bodyOf(await kioku.api.post(`/v1/sessions/${session}/close`), 200);
    const turn = { input: "Hi", output: "Hello" };
    expectProblem(await kioku.api.post(`/v1/sessions/${session}/turns`, turn), "conflict");
    expect(await entriesOf(kioku.api, `agent:${agent}`)).toEqual([]);
  });
});

describe("a request id", () => {
  async function capturing(): Promise<{ session: string; captured: () => Promise<string[]> }> {
    const { agent, session } = await agentWith({ capture: "conversation" });
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
    const { agent, session } = await agentWith({ capture: "conversation" });
    const other = await newSession(kioku.api, { agent_id: agent });
    await turn(session, 1, "r1");
    await turn(other.id, 2, "r1");
    expect(contents(await entriesOf(kioku.api, `agent:${agent}`)).sort()).toEqual([text(1), text(2)]);
  });

  it.each([["", "empty"], [7, "a number"], [{}, "an object"], ["x".repeat(10_000), "very long"]])(
    "%# is refused when it is not one",
    async (request_id) => {
      const { session, captured } = await capturing();
      const body = { input: "Hi", output: "Hello", request_id };
      expectProblem(
        await kioku.api.post(`/v1/sessions/${session}/turns`, body),
        "invalid_request",
        "request_id",
      );
      expect(await captured()).toEqual([]);
    },
  );
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
  async function expectOnce(agent: string, session: string, namespace: string): Promise<void> {
    expect(contents(await entriesOf(kioku.api, namespace))).toEqual([CONTENT]);
    for (const inject of ["instructions", "context"]) {
      bodyOf(await kioku.api.patch(`/v1/sessions/${session}`, { policy: { inject } }), 200);
      const ready = await preflight(kioku.api, session, { input: "What is my name?" });
      expect(contents(ready.memory.entries)).toEqual([CONTENT]);
      expect(occurrences(systemText(ready), "What is my name?")).toBe(1);
    }
    expect(agent).toMatch(ID);
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
    const { agent, session } = await agentWith({ capture: "conversation" });
    await write(agent, session, {});
    await expectOnce(agent, session, `agent:${agent}`);
  });

  it.each(orders)("appears once when both were of the session: %s", async (_name, write) => {
    const { agent, session } = await agentWith({ capture: "conversation", scope: "session" });
    await write(agent, session, { session_id: session });
    await expectOnce(agent, session, `agent:${agent}:session:${session}`);
  });

  it("appears once when captured in two sessions of an agent", async () => {
    const { agent, session } = await agentWith({ capture: "conversation" });
    const other = await newSession(kioku.api, { agent_id: agent });
    for (const id of [session, other.id]) await capture(id);
    await byHand(agent, { session_id: other.id });
    await expectOnce(agent, session, `agent:${agent}`);
  });

  it("is not known in another session when each has its own", async () => {
    const { agent, session } = await agentWith({ capture: "conversation", scope: "session" });
    const other = await newSession(kioku.api, { agent_id: agent });
    await capture(session);
    expect((await preflight(kioku.api, other.id)).memory.entries).toEqual([]);
    await capture(other.id);
    await expectOnce(agent, session, `agent:${agent}:session:${session}`);
    await expectOnce(agent, other.id, `agent:${agent}:session:${other.id}`);
  });
});

describe("writing an entry", () => {
  it("is a conflict while the agent's policy is off, and says so", async () => {
    const { agent } = await agentWith(false);
    const problem = expectProblem(
      await kioku.api.post("/v1/entries", { agent_id: agent, content: "Not kept" }),
      "conflict",
    );
    expect(problem.detail).toMatch(/policy|memory/i);
    await setPolicy(kioku.api, agent, true);
    expect(await entriesOf(kioku.api, `agent:${agent}`)).toEqual([]);
  });

  it.each(["manual", "conversation", "off"])("by hand works whatever is captured: %s", async (capture) => {
    const { agent } = await agentWith({ capture });
    const { id } = await note(kioku.api, agent, "Written by another system");
    expect(ids(await entriesOf(kioku.api, `agent:${agent}`))).toEqual([id]);
  });

  it("keeps metadata as it is, and gives none as an empty object", async () => {
    const agent = fresh("agent");
    const metadata = { kind: "preference", nested: { list: [1, null, "two"], "": "\u2028" } };
    const [one, two] = [
      await note(kioku.api, agent, "With", { metadata }),
      await note(kioku.api, agent, "Without"),
    ];
    expect([one.metadata, two.metadata]).toEqual([metadata, {}]);
    const entries = await entriesOf(kioku.api, `agent:${agent}`);
    expect(entries.find(({ id }) => id === one.id)).toEqual(one);
    expect(entries.find(({ id }) => id === two.id)).toEqual(two);
  });
});

describe("a bad body", () => {
  const turn = { input: "Hi", output: "Hello" };
  const rows: [string, string, unknown][] = [
    ["preflight", "input", {}],
    ["preflight", "input", { input: 7 }],
    ["preflight", "input", { input: ["hello"] }],
    ["preflight", "instructions", { input: "Hi", instructions: 7 }],
    ["preflight", "context", { input: "Hi", context: "tenant" }],
    ["preflight", "context", { input: "Hi", context: ["tenant"] }],
    ["preflight", "agent_id", { input: "Hi", agent_id: "a b" }],
    ["turns", "input", { output: "Hello" }],
    ["turns", "output", { input: "Hi" }],
    ["turns", "output", { ...turn, output: null }],
    ["turns", "context", { ...turn, context: [] }],
    ["turns", "agent_id", { ...turn, agent_id: 7 }],
  ];
  it.each(rows)("of %s names %s: %j", async (call, field, body) => {
    const { agent, session } = await agentWith({ capture: "conversation" });
    expectProblem(await kioku.api.post(`/v1/sessions/${session}/${call}`, body), "invalid_request", field);
    expect(await entriesOf(kioku.api, `agent:${agent}`)).toEqual([]);
  });

  const entries: [string, Fields][] = [
    ["agent_id", { content: "a" }],
    ["agent_id", { agent_id: "a b", content: "a" }],
    ["session_id", { agent_id: "a", session_id: "a b", content: "a" }],
    ["content", { agent_id: "a" }],
    ["content", { agent_id: "a", content: "  " }],
    ["content", { agent_id: "a", content: 7 }],
    ["content", { agent_id: "a", content: "x".repeat(2_001) }],
    ["metadata", { agent_id: "a", content: "a", metadata: "text" }],
  ];
  it.each(entries)("of an entry names %s: %j", async (field, body) => {
    const api: Client = await kioku.tenant();
    expectProblem(await api.post("/v1/entries", body), "invalid_request", field);
    expect(await entriesOf(api, "agent:a")).toEqual([]);
  });

  it("is refused for a misspelled field", async () => {
    const { agent, session } = await agentWith({ capture: "conversation" });
    const at = `/v1/sessions/${session}`;
    for (const [path, body] of [
      [`${at}/preflight`, { input: "Hi", instruction: "Be nice" }],
      [`${at}/turns`, { ...turn, requestid: "r1" }],
      ["/v1/entries", { agent_id: agent, content: "a", sesion_id: session }],
    ] as const)
      expectProblem(await kioku.api.post<Turn>(path, body), "invalid_request");
    expect(await entriesOf(kioku.api, `agent:${agent}`)).toEqual([]);
  });
});
