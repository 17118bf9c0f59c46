// Preflight: the messages of the next turn, which memories are in them, how many, and within which budget.
import { describe, expect, it } from "vitest";
import {
  contents,
  forget,
  ids,
  newSession,
  promote,
  propose,
  quietSession,
  readSession,
  remember,
} from "../support/actions";
import { fresh } from "../support/client";
import type { Entry } from "../support/contract";
import { expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";
import { agentWith, entriesOf, note, preflight, setPolicy, systemText } from "./policy";

const kioku = serviceUnderTest();
const INSTRUCTIONS = "Greet the user and use any remembered facts.";

async function noteAll(agent: string, texts: string[]): Promise<Entry[]> {
  const entries = [];
  for (const text of texts) entries.push(await note(kioku.api, agent, text));
  return entries;
}

function numbered(count: number, text: string): string[] {
  return Array.from({ length: count }, (_, n) => `${text} ${n}`);
}

describe("a preflight", () => {
  it("without anything remembered is the given messages, and no more", async () => {
    for (const inject of ["instructions", "context"]) {
      const { session } = await agentWith(kioku.api, { inject });
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
    const { agent, session } = await agentWith(kioku.api);
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
    const { agent, session } = await agentWith(kioku.api, { inject: "context" });
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
    const { agent, session } = await agentWith(kioku.api, { inject: "instructions" });
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
    const { agent, session } = await agentWith(kioku.api, { max_entries: 4 });
    const [match] = await noteAll(agent, ["The staging cluster is called Zephyr"]);
    const rest = await noteAll(agent, numbered(6, "Pancakes taste of butter, portion"));
    const found = (await preflight(kioku.api, session, { input: "Which staging cluster is Zephyr?" })).memory;
    expect(ids(found.entries)).toEqual([match?.id, ...ids(rest).slice(-3).reverse()]);
  });

  it("of a greeting still gets the agent's memory, the newest of it", async () => {
    const { agent, session } = await agentWith(kioku.api);
    const entries = await noteAll(agent, numbered(8, "Zephyr runs on port"));
    const { memory } = await preflight(kioku.api, session, { input: "hello" });
    expect(ids(memory.entries).sort()).toEqual(ids(entries).slice(-5).sort());
  });

  it("fills up however often the same was remembered", async () => {
    const { agent, session } = await agentWith(kioku.api);
    const entries = await noteAll(agent, numbered(6, "Zephyr runs on port"));
    for (let n = 0; n < 12; n += 1) {
      const { id } = await newSession(kioku.api, { agent_id: agent });
      await remember(kioku.api, id, "The user is called Alex");
    }
    const told = contents((await preflight(kioku.api, session, { input: "hello" })).memory.entries);
    expect(told.sort()).toEqual([...contents(entries).slice(-4), "The user is called Alex"].sort());
  });

  it.each(["", " ", "?!", "a".repeat(3_000), '"NEAR(', "😀", "%"])("takes any input: %j", async (input) => {
    const { agent, session } = await agentWith(kioku.api);
    const [entry] = await noteAll(agent, ["The only thing known"]);
    const { messages, memory } = await preflight(kioku.api, session, { input });
    expect(ids(memory.entries)).toEqual([entry?.id]);
    expect(messages.at(-1)).toEqual({ role: "user", content: input });
  });

  it.each([1, 3, 20])("never holds more than max_entries: %i", async (max_entries) => {
    const { agent, session } = await agentWith(kioku.api, { max_entries });
    const texts = numbered(25, "A short fact of number");
    await noteAll(agent, texts);
    for (const input of ["hello", "short fact"]) {
      const ready = await preflight(kioku.api, session, { input });
      expect(ready.memory.entries).toHaveLength(max_entries);
      const told = texts.filter((text) =>
        systemText(ready)
          .split(/\r?\n/)
          .some((line) => line.endsWith(text)),
      );
      expect(told.sort()).toEqual(contents(ready.memory.entries).sort());
    }
  });

  it.each([
    "instructions",
    "context",
  ])("keeps to a budget of tokens in %s, and says what it left out", async (inject) => {
    const { agent, session } = await agentWith(kioku.api, { max_entries: 50, inject });
    const texts = Array.from({ length: 30 }, (_, n) =>
      `Fact${n} ${"lengthy words of it ".repeat(95)}`.trim(),
    );
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

  it("counts what it tells of metadata, too", async () => {
    const { agent, session } = await agentWith(kioku.api, { max_entries: 50, inject: "context" });
    const metadata = { note: "lengthy words of it ".repeat(150) };
    for (const text of numbered(20, "Short")) await note(kioku.api, agent, text, { metadata });
    const ready = await preflight(kioku.api, session);
    expect(ready.memory.tokens.used).toBeLessThanOrEqual(ready.memory.tokens.budget);
    expect(ready.memory.tokens.used).toBeGreaterThan(systemText(ready).length / 8);
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
    const { agent, session } = await agentWith(kioku.api);
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
    const [writer, reader] = [await kioku.tenant({ name }), await kioku.tenant({ name, scopes: ["read"] })];
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
});
