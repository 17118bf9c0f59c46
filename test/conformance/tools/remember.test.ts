// remember: what is stored, what is refused, duplicates, topics, and shapes.
import { describe, expect, it } from "vitest";
import {
  contents,
  forget,
  ids,
  memoriesOf,
  newSession,
  readMemory,
  readSession,
  recall,
  remember,
} from "../support/actions";
import { fresh } from "../support/client";
import { ISO_MS, MEMORY_TYPES, type Remembered } from "../support/contract";
import { bodyOf, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";

const kioku = serviceUnderTest();

function rememberAt(session: string, body: unknown) {
  return kioku.api.post<Remembered>(`/v1/sessions/${session}/remember`, body);
}

async function confidenceOf(given: unknown): Promise<number> {
  const { memory_id } = await remember(kioku.api, fresh("session"), "Some statement", { confidence: given });
  return (await readMemory(kioku.api, memory_id)).confidence;
}

describe("remember", () => {
  it("answers 201 with the id, the type and a message that names them", async () => {
    const stored = bodyOf(await rememberAt(fresh("session"), { content: "The sky is blue" }), 201);
    expect(stored).toMatchObject({ remembered: true, memory_type: "fact", deduplicated: false });
    expect(stored.message).toContain(stored.memory_id);
    expect(stored.message).toContain("fact");
  });

  it("stores a fact of confidence 0.8 from the agent when nothing else is said", async () => {
    const session = fresh("session");
    const { memory_id } = await remember(kioku.api, session, "Defaults");
    const memory = await readMemory(kioku.api, memory_id);
    expect(memory).toMatchObject({
      ...{
        id: memory_id,
        kind: "memory",
        content: "Defaults",
        type: "fact",
        confidence: 0.8,
        source_type: "agent",
      },
      ...{
        session_id: session,
        agent_id: null,
        project_id: null,
        rationale: null,
        evidence: [],
        superseded_by: null,
      },
    });
    expect(memory.timestamp).toMatch(ISO_MS);
    expect((await readSession(kioku.api, session)).counts.memories).toBe(1);
  });

  it("stores all it is given, with the session's agent and project", async () => {
    const { id } = await newSession(kioku.api, { agent_id: "scribe", project_id: "atlas" });
    const given = {
      ...{ type: "decision", confidence: 0.83, rationale: "It is simpler", source_type: "user" },
      ...{ evidence: ["commit abc", "https://example.org/a?b#c"], valid_from: "2025-06-01T00:00:00Z" },
    };
    const { memory_id } = await remember(kioku.api, id, "One database", given);
    const memory = await readMemory(kioku.api, memory_id);
    expect(memory).toMatchObject({
      ...{ type: "decision", confidence: 0.83, rationale: "It is simpler", source_type: "user" },
      ...{ agent_id: "scribe", project_id: "atlas" },
    });
    expect([...memory.evidence].sort()).toEqual([...given.evidence].sort());
  });

  it.each(MEMORY_TYPES)("takes the type %s", async (type) => {
    const { memory_id, memory_type } = await remember(kioku.api, fresh("session"), `A ${type}`, {
      type,
      rationale: "r",
    });
    expect(memory_type).toBe(type);
    expect((await readMemory(kioku.api, memory_id)).type).toBe(type);
  });

  it.each([
    ["high", 0.9],
    ["medium", 0.6],
    ["low", 0.3],
    [1.5, 1],
    [-0.5, 0],
    [0.83, 0.83],
    [0.1234567, 0.1234567],
    [0, 0],
  ])("reads the confidence %s as %d, exactly", async (given, expected) => {
    expect(await confidenceOf(given)).toBe(expected);
  });

  it("makes 2,000 characters of any kind fit, and trims around them", async () => {
    for (const content of ["x".repeat(2_000), "😀".repeat(2_000)]) {
      const { memory_id } = await remember(kioku.api, fresh("session"), `  \n${content}\t `);
      expect((await readMemory(kioku.api, memory_id)).content).toBe(content);
    }
  });

  it.each([
    ["content", { content: "x".repeat(2_001) }],
    ["content", { content: "😀".repeat(2_001) }],
    ["content", { content: " \n\t " }],
    ["content", { content: 7 }],
    ["content", {}],
    ["type", { content: "A", type: "poem" }],
    ["type", { content: "A", type: "all" }],
    ["type", { content: "A", type: "memory_item" }],
    ["confidence", { content: "A", confidence: "sure" }],
    ["confidence", { content: "A", confidence: null }],
    ["source_type", { content: "A", source_type: "rumour" }],
    ["evidence", { content: "A", evidence: "one" }],
    ["evidence", { content: "A", evidence: Array.from({ length: 51 }, (_, n) => `e${n}`) }],
    ["evidence", { content: "A", evidence: ["x".repeat(513)] }],
    ["rationale", { content: "A", rationale: "x".repeat(2_001) }],
    ["valid_from", { content: "A", valid_from: "last summer" }],
  ])("refuses a bad %s, stores nothing and makes no session", async (field, body) => {
    const session = fresh("session");
    expectProblem(await rememberAt(session, body), "invalid_request", field);
    expectProblem(await kioku.api.get(`/v1/sessions/${session}`), "not_found");
    expect(await memoriesOf(kioku.api, session)).toEqual([]);
  });
});

describe("the same content", () => {
  it("in the same session is one memory, answered with 200", async () => {
    const session = fresh("session");
    const first = await remember(kioku.api, session, "Said twice");
    const second = bodyOf(await rememberAt(session, { content: "  Said twice " }), 200);
    expect(second).toMatchObject({ remembered: true, memory_id: first.memory_id, deduplicated: true });
    expect(contents(await memoriesOf(kioku.api, session))).toEqual(["Said twice"]);
  });

  it("keeps the higher confidence", async () => {
    const session = fresh("session");
    const { memory_id } = await remember(kioku.api, session, "How sure", { confidence: 0.6 });
    bodyOf(await rememberAt(session, { content: "How sure", confidence: 0.93 }), 200);
    expect((await readMemory(kioku.api, memory_id)).confidence).toBe(0.93);
    bodyOf(await rememberAt(session, { content: "How sure", confidence: 0.2 }), 200);
    expect((await readMemory(kioku.api, memory_id)).confidence).toBe(0.93);
  });

  it("sent many times at once is stored once", async () => {
    const session = (await newSession(kioku.api)).id;
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => rememberAt(session, { content: "All at once" })),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([
      ...Array.from({ length: 9 }, () => 200),
      201,
    ]);
    expect(new Set(answers.map((answer) => answer.body.memory_id)).size).toBe(1);
    expect(await memoriesOf(kioku.api, session)).toHaveLength(1);
  });

  it("in two sessions is two memories", async () => {
    const [one, two] = [fresh("session"), fresh("session")];
    const first = await remember(kioku.api, one, "In both");
    const second = await remember(kioku.api, two, "In both");
    expect(first.memory_id).not.toBe(second.memory_id);
    expect(ids(await memoriesOf(kioku.api, one))).toEqual([first.memory_id]);
  });

  it("is a new memory once the first was forgotten", async () => {
    const session = fresh("session");
    const first = await remember(kioku.api, session, "Back again");
    await forget(kioku.api, session, first.memory_id);
    const second = await remember(kioku.api, session, "Back again");
    expect(second.memory_id).not.toBe(first.memory_id);
    expect(second.deduplicated).toBe(false);
    expect(ids(await recall(kioku.api, session))).toEqual([second.memory_id]);
  });
});

describe("a key", () => {
  it("makes a new memory supersede the live one of the same topic", async () => {
    const session = fresh("session");
    const old = await remember(kioku.api, session, "The port is 8080", { key: "port" });
    const other = await remember(kioku.api, session, "The host is zephyr", { key: "host" });
    const current = await remember(kioku.api, session, "The port is 9090", { key: "port" });
    expect((await readMemory(kioku.api, old.memory_id)).superseded_by).toBe(current.memory_id);
    expect(ids(await recall(kioku.api, session)).sort()).toEqual([other.memory_id, current.memory_id].sort());
    expect((await readSession(kioku.api, session)).counts.memories).toBe(2);
  });

  it("that goes from A to B and back to A makes a chain of three, and no cycle", async () => {
    const session = fresh("session");
    const chain = [];
    for (const content of ["Mode A", "Mode B", "Mode A"]) {
      chain.push((await remember(kioku.api, session, content, { key: "mode" })).memory_id);
    }
    expect(new Set(chain).size).toBe(3);
    const path = `/v1/memories/${chain[1]}/history`;
    expect(ids(bodyOf(await kioku.api.get<{ data: { id: string }[] }>(path), 200).data)).toEqual(chain);
    expect(contents(await recall(kioku.api, session))).toEqual(["Mode A"]);
  });

  it("with the same content again is a duplicate", async () => {
    const session = fresh("session");
    const first = await remember(kioku.api, session, "The port is 8080", { key: "port" });
    const again = bodyOf(await rememberAt(session, { content: "The port is 8080", key: "port" }), 200);
    expect(again).toMatchObject({ memory_id: first.memory_id, deduplicated: true });
    expect((await readMemory(kioku.api, first.memory_id)).superseded_by).toBeNull();
  });

  it("reaches no further than its scope", async () => {
    const [one, two] = [fresh("session"), fresh("session")];
    const first = await remember(kioku.api, one, "Port 1", { key: "port" });
    await remember(kioku.api, two, "Port 2", { key: "port" });
    expect((await readMemory(kioku.api, first.memory_id)).superseded_by).toBeNull();
  });

  it("used by many at once leaves one live memory and one chain", async () => {
    const session = (await newSession(kioku.api)).id;
    await Promise.all([1, 2, 3, 4, 5].map((n) => remember(kioku.api, session, `Port ${n}`, { key: "port" })));
    const live = await memoriesOf(kioku.api, session);
    expect(live).toHaveLength(1);
    const chain = await kioku.api.get<{ data: unknown[] }>(`/v1/memories/${live[0]?.id}/history`);
    expect(bodyOf(chain, 200).data).toHaveLength(5);
  });
});

describe("shapes", () => {
  it.each([
    "decision",
    "architectural_decision",
  ])("accept a %s without a rationale, with a warning that names it", async (type) => {
    const stored = await remember(kioku.api, fresh("session"), "We use D1", { type });
    expect(JSON.stringify(stored.warnings)).toMatch(/rationale/i);
    const reasoned = await remember(kioku.api, fresh("session"), "We use D1", {
      type,
      rationale: "It is there",
    });
    expect(JSON.stringify(reasoned.warnings ?? [])).not.toMatch(/rationale/i);
  });

  it.each([
    "convention",
    "coding_standard",
  ])("accept a %s without a scope, with a warning that names it", async (type) => {
    expect(JSON.stringify((await remember(kioku.api, fresh("session"), "Tabs", { type })).warnings)).toMatch(
      /scope/i,
    );
  });

  it("have nothing to say about a plain fact", async () => {
    const stored = await remember(kioku.api, fresh("session"), "Water is wet");
    expect(JSON.stringify(stored.warnings ?? [])).not.toMatch(/rationale|scope/i);
  });
});
