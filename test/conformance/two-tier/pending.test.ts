// Pending memories: what waits for promotion, how it is scored, and how much may wait.
import { describe, expect, it } from "vitest";
import {
  allPages,
  contents,
  memoriesOf,
  newSession,
  propose,
  quietSession,
  readSession,
} from "../support/actions";
import { fresh, inBatches } from "../support/client";
import { ID, type Pending } from "../support/contract";
import { expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";

const kioku = serviceUnderTest();

function waiting(session: string): Promise<Pending[]> {
  return allPages<Pending>(kioku.api, `/v1/sessions/${session}/pending`);
}

function numbered(count: number): number[] {
  return Array.from({ length: count }, (_, n) => n);
}

describe("adding a pending memory", () => {
  it("answers the item with its defaults, and lists it", async () => {
    const { id } = await quietSession(kioku.api);
    const item = await propose(kioku.api, id, "  The build runs on Node 20  ");
    expect(item).toMatchObject({
      ...{ content: "The build runs on Node 20", memory_type: "fact", confidence: 0.8 },
      ...{ suggested_by: "implicit", evidence: [] },
    });
    expect(item.id).toMatch(ID);
    expect(await waiting(id)).toEqual([item]);
    expect((await readSession(kioku.api, id)).counts.pending).toBe(1);
  });

  it("keeps what it is given", async () => {
    const { id } = await quietSession(kioku.api);
    const given = {
      ...{ memory_type: "architectural_decision", confidence: 0.83, source_type: "user" },
      ...{
        evidence: ["commit abc", "file.ts:10"],
        rationale: "It is simpler",
        importance_score: 0.42,
        suggested_by: "agent",
      },
    };
    expect(await propose(kioku.api, id, "One worker, one database", given)).toMatchObject(given);
  });

  it.each([
    ["high", 0.9],
    ["low", 0.3],
    [2, 1],
    [-1, 0],
  ])("reads the confidence %s as %d", async (confidence, expected) => {
    const { id } = await quietSession(kioku.api);
    expect((await propose(kioku.api, id, "A", { confidence })).confidence).toBe(expected);
  });

  it.each([
    ["content", { content: "   ", memory_type: "fact" }],
    ["content", { memory_type: "fact" }],
    ["content", { content: "x".repeat(2_001), memory_type: "fact" }],
    ["memory_type", { content: "A" }],
    ["memory_type", { content: "A", memory_type: "poem" }],
    ["confidence", { content: "A", memory_type: "fact", confidence: "sure" }],
    ["importance_score", { content: "A", memory_type: "fact", importance_score: 1.1 }],
    ["suggested_by", { content: "A", memory_type: "fact", suggested_by: "oracle" }],
    ["source_type", { content: "A", memory_type: "fact", source_type: "rumour" }],
    ["evidence", { content: "A", memory_type: "fact", evidence: "one" }],
  ])("refuses a bad %s and makes no session", async (field, body) => {
    const session = fresh("session");
    expectProblem(await kioku.api.post(`/v1/sessions/${session}/pending`, body), "invalid_request", field);
    expectProblem(await kioku.api.get(`/v1/sessions/${session}`), "not_found");
  });
});

describe("importance without a score", () => {
  async function scoreOf(memory_type: string, confidence: number): Promise<number> {
    const { id } = await quietSession(kioku.api);
    return (await propose(kioku.api, id, "Scored", { memory_type, confidence })).importance_score;
  }

  it("follows the formula: recency, frequency, confidence and salience", async () => {
    // A new item has full recency and at most one access.
    const base = 0.2 + 0.25 * 0.8;
    for (const [type, salience] of [
      ["fact", 0.7],
      ["discovery", 0.8],
      ["assumption", 0.4],
      ["decision", 1],
    ] as const) {
      const score = await scoreOf(type, 0.8);
      expect(score).toBeGreaterThan(base + 0.25 * salience - 0.005);
      expect(score).toBeLessThan(base + 0.25 * salience + 0.03 + 0.005);
    }
  });

  it("rises by a quarter of the confidence", async () => {
    expect((await scoreOf("fact", 1)) - (await scoreOf("fact", 0.2))).toBeCloseTo(0.2, 2);
  });

  it.each([
    ["implementation_decision", "decision"],
    ["agent_rule", "convention"],
    ["process_convention", "convention"],
    ["bug", "error"],
  ])("of %s is that of its superclass %s", async (type, superclass) => {
    expect(await scoreOf(type, 0.8)).toBeCloseTo(await scoreOf(superclass, 0.8), 2);
  });
});

describe("limits", () => {
  it("refuse the 101st decision of the agent, and drop none", async () => {
    const { id } = await quietSession(kioku.api);
    const decide = (n: number) =>
      propose(kioku.api, id, `Decision ${n}`, { memory_type: "decision", suggested_by: "agent" });
    await inBatches(numbered(100), 20, decide);
    const body = { content: "Decision 100", memory_type: "decision", suggested_by: "agent" };
    expectProblem(await kioku.api.post(`/v1/sessions/${id}/pending`, body), "limit_exceeded");
    expect(contents(await waiting(id)).sort()).toEqual(
      numbered(100)
        .map((n) => `Decision ${n}`)
        .sort(),
    );
    await propose(kioku.api, id, "An implicit one still fits", { importance_score: 0.1 });
  });

  it("let the lowest of 501 implicit candidates leave", async () => {
    const { id } = await quietSession(kioku.api);
    await propose(kioku.api, id, "The lowest", { importance_score: 0.01 });
    await inBatches(numbered(500), 25, (n) =>
      propose(kioku.api, id, `Candidate ${n}`, { importance_score: 0.3 }),
    );
    const left = contents(await waiting(id));
    expect(left).toHaveLength(500);
    expect(left).not.toContain("The lowest");
    expect((await readSession(kioku.api, id)).counts.pending).toBe(500);
  });

  it("lose no accepted decision while promotion is on", async () => {
    const { id } = await newSession(kioku.api, { promotion: { interval_ms: 3_600_000, max_per_run: 20 } });
    const body = (n: number) => ({
      content: `Decision ${n}`,
      memory_type: "decision",
      rationale: "r",
      suggested_by: "agent",
    });
    const answers = await inBatches(numbered(110), 10, (n) =>
      kioku.api.post(`/v1/sessions/${id}/pending`, body(n)),
    );
    const accepted = numbered(110).filter((n) => answers[n]?.status === 201);
    expect(answers.every((answer) => answer.status === 201 || answer.status === 429)).toBe(true);
    expect(accepted.length).toBeGreaterThanOrEqual(100);
    // A full list is promoted at once: between the two readings a decision may be on its way from one to the other.
    const kept = new Set([...contents(await waiting(id)), ...contents(await memoriesOf(kioku.api, id))]);
    expect([...kept].sort()).toEqual(accepted.map((n) => `Decision ${n}`).sort());
  });
});
