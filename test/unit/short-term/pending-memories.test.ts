import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ok, type Result, unwrap } from "../../../src/kernel/errors";
import type { PendingItem } from "../../../src/sessions/session-schemas";
import { admitAll, selectReady } from "../../../src/sessions/short-term/pending-memories";
import { readSourceRanks } from "../../../src/trust/source-rank";
import { scaleCases } from "../../patience";

const RANKS = readSourceRanks(undefined);

let next = 0;
function item(more: Partial<PendingItem> = {}): PendingItem {
  next += 1;
  return {
    id: `p${next}`,
    content: `content ${next}`,
    memory_type: "fact",
    confidence: 0.8,
    source_type: "agent",
    evidence: [],
    rationale: null,
    suggested_by: "implicit",
    importance_score: 0.5,
    created_at: "2026-01-31T12:00:00.000Z",
    access_count: 1,
    topic_key: null,
    ...more,
  };
}
const many = (count: number, more: Partial<PendingItem> = {}) =>
  Array.from({ length: count }, () => item(more));

/** Admits one candidate and returns it as stored. */
function admit(
  items: readonly PendingItem[],
  given: PendingItem,
): Result<{ items: PendingItem[]; stored: PendingItem | undefined; dropped: PendingItem[] }> {
  const admitted = admitAll(items, [given], RANKS);
  return admitted.ok ? ok({ ...admitted.value, stored: admitted.value.stored[0] }) : admitted;
}

describe("admitting a pending memory", () => {
  it("adds it", () => {
    const waiting = item();
    const given = item();
    expect(unwrap(admit([waiting], given))).toEqual({ items: [waiting, given], stored: given, dropped: [] });
  });

  it("merges the same content instead of letting it wait twice", () => {
    const waiting = item({ content: "The API is slow.", evidence: ["a", "b"], confidence: 0.6 });
    const again = item({
      content: "the api  is slow",
      evidence: ["b", "c"],
      confidence: 0.9,
      importance_score: 0.7,
      rationale: "measured",
    });
    const { items, stored } = unwrap(admit([waiting], again));
    expect(items).toEqual([stored]);
    expect(stored).toEqual({
      ...waiting,
      confidence: 0.9,
      importance_score: 0.7,
      evidence: ["a", "b", "c"],
      rationale: "measured",
      access_count: 2,
    });
  });

  it("keeps the better of both when the second one is weaker", () => {
    const waiting = item({ content: "x y", confidence: 0.9, importance_score: 0.9, rationale: "first" });
    const weaker = item({ content: "x y", confidence: 0.1, importance_score: 0.1, rationale: "second" });
    expect(unwrap(admit([waiting], weaker)).stored).toEqual({ ...waiting, access_count: 2 });
  });

  it("does not merge another type, nor a suggestion with a decision of the agent", () => {
    const waiting = item({ content: "same" });
    expect(unwrap(admit([waiting], item({ content: "same", memory_type: "risk" }))).items).toHaveLength(2);
    expect(unwrap(admit([waiting], item({ content: "same", suggested_by: "agent" }))).items).toHaveLength(2);
  });

  it("keeps merged evidence within its limit", () => {
    const evidence = (from: number) => Array.from({ length: 40 }, (_, index) => `e${from + index}`);
    const waiting = item({ content: "same", evidence: evidence(0) });
    const { stored } = unwrap(admit([waiting], item({ content: "same", evidence: evidence(20) })));
    expect(stored?.evidence).toHaveLength(50);
  });

  it("lets the lowest score leave past 500 suggestions", () => {
    const lowest = item({ importance_score: 0.2 });
    const waiting = [...many(250), lowest, ...many(249)];
    const given = item();
    const { items, dropped } = unwrap(admit(waiting, given));
    expect(items).toHaveLength(500);
    expect(items).toContain(given);
    expect(dropped).toEqual([lowest]);
  });

  it("lets the new one leave when it is the lowest itself", () => {
    const given = item({ importance_score: 0.1 });
    const { items, dropped } = unwrap(admit(many(500), given));
    expect(items).toHaveLength(500);
    expect(items).not.toContain(given);
    expect(dropped).toEqual([given]);
  });

  it("refuses the 101st decision of the agent with a remedy, and drops nothing", () => {
    const [last, ...others] = many(100, { suggested_by: "agent", importance_score: 0 });
    const waiting = unwrap(admit(others, last ?? item())).items;
    const outcome = admit(waiting, item({ suggested_by: "agent" }));
    expect(outcome).toMatchObject({ ok: false, failure: { code: "limit_exceeded" } });
    if (!outcome.ok)
      expect(outcome.failure.detail).toMatch(/wait for the next promotion, or POST .*\/promote/);
  });

  it("still merges into a decision when the list is full, and still takes suggestions", () => {
    const waiting = many(100, { suggested_by: "agent" });
    const same = item({ suggested_by: "agent", content: waiting[7]?.content ?? "" });
    expect(unwrap(admit(waiting, same)).items).toHaveLength(100);
    expect(unwrap(admit(waiting, item())).items).toHaveLength(101);
  });

  it("never drops a decision of the agent to make room for suggestions", () => {
    const decisions = many(100, { suggested_by: "agent", importance_score: 0 });
    const { items } = unwrap(admitAll([...decisions, ...many(500)], many(20), RANKS));
    expect(items).toEqual(expect.arrayContaining(decisions));
    expect(items).toHaveLength(600);
  });

  it("takes many at once as it takes them one by one", () => {
    const twin = item({ content: "twin" });
    const { items, stored } = unwrap(
      admitAll([twin], [item({ content: "Twin!" }), item({ content: "other" })], RANKS),
    );
    expect(items.map(({ content, access_count }) => [content, access_count])).toEqual([
      ["twin", 2],
      ["other", 1],
    ]);
    expect(stored).toEqual(items);
  });

  it("never exceeds its limits and never loses a decision, for any input", () => {
    const arbitrary = fc.record({
      content: fc.integer({ max: 900, min: 0 }).map((n) => `c${n}`),
      suggested_by: fc.constantFrom("implicit" as const, "agent" as const),
      importance_score: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(arbitrary, { minLength: 400, maxLength: 900 }), (incoming) => {
        let items: PendingItem[] = many(490);
        let decisions = 0;
        for (const batch of [incoming.slice(0, 300), incoming.slice(300)]) {
          for (const given of batch.slice(0, 40)) {
            const outcome = admit(items, item(given));
            if (outcome.ok) items = outcome.value.items;
          }
          const rest = batch.slice(40).filter(({ suggested_by }) => suggested_by === "implicit");
          items = unwrap(admitAll(items, rest.map(item), RANKS)).items;
          const now = items.filter(({ suggested_by }) => suggested_by === "agent").length;
          expect(now).toBeGreaterThanOrEqual(decisions);
          expect(now).toBeLessThanOrEqual(100);
          expect(items.length - now).toBeLessThanOrEqual(500);
          decisions = now;
        }
      }),
      { numRuns: scaleCases(10) },
    );
  });
});

describe("ready for promotion", () => {
  it("are suggestions at or above the threshold and every decision of the agent", () => {
    const at = item({ importance_score: 0.6 });
    const below = item({ importance_score: 0.59 });
    const decision = item({ suggested_by: "agent", importance_score: 0 });
    expect(selectReady([at, below, decision], 0.6)).toEqual([at, decision]);
  });
});
