import { describe, expect, it } from "vitest";
import { computeImportance, DEFAULT_WEIGHTS } from "../../../src/sessions/promotion/importance-scorer";
import {
  computeItemImportance,
  evaluate,
  type Promotable,
} from "../../../src/sessions/promotion/promotion-engine";
import type { PendingItem } from "../../../src/sessions/session-schemas";
import {
  fingerprintValue,
  type StoredItem,
  toContextTopic,
} from "../../../src/sessions/short-term/working-context";

const NOW = Date.UTC(2026, 0, 31, 12);
const iso = (time: number) => new Date(time).toISOString();
const TERMS = { threshold: 0.6, now: NOW, weights: DEFAULT_WEIGHTS };

function context(key: string, more: Partial<StoredItem> = {}): StoredItem {
  return {
    key,
    value: "Phoenix 1.7",
    source: "tool",
    confidence: 0.9,
    access_count: 10,
    first_seen: iso(NOW - 3_600_000),
    last_accessed: iso(NOW),
    suggested_type: "fact",
    tokens: 5,
    promoted: null,
    ...more,
  };
}

function pending(id: string, more: Partial<PendingItem> = {}): PendingItem {
  return {
    id,
    content: `content of ${id}`,
    memory_type: "risk",
    confidence: 0.83,
    source_type: "user",
    evidence: ["message:m1"],
    rationale: "why",
    suggested_by: "implicit",
    importance_score: 0.7,
    created_at: iso(NOW),
    access_count: 1,
    topic_key: null,
    ...more,
  };
}

const run = (memory: Partial<Promotable>, terms = TERMS) =>
  evaluate({ context: [], pending: [], log: [], ...memory }, terms);

describe("the promotion engine", () => {
  it("makes a pending item a candidate with its evidence and exact confidence", () => {
    expect(run({ pending: [pending("p1")] })).toEqual([
      {
        origin: { kind: "pending", id: "p1" },
        content: "content of p1",
        memory_type: "risk",
        confidence: 0.83,
        source_type: "user",
        evidence: ["message:m1"],
        rationale: "why",
        importance_score: 0.7,
        created_at: iso(NOW),
        topic_key: null,
        supersedes: [],
        activity: { kind: "promotion" },
      },
    ]);
  });

  it("makes a context item a candidate that supersedes the former one of its key", () => {
    expect(run({ context: [context("framework")] })).toMatchObject([
      {
        origin: { kind: "context", key: "framework", fingerprint: fingerprintValue("Phoenix 1.7") },
        content: "framework: Phoenix 1.7",
        memory_type: "fact",
        topic_key: "context:framework",
        created_at: iso(NOW - 3_600_000),
      },
    ]);
  });

  it("promotes a context item once per value, and again when the value changes", () => {
    const promoted = context("framework", { promoted: fingerprintValue("Phoenix 1.7") });
    expect(run({ context: [promoted] })).toEqual([]);
    const [changed] = run({ context: [{ ...promoted, value: "Ash 3" }] });
    expect(changed).toMatchObject({ content: "framework: Ash 3", created_at: promoted.last_accessed });
  });

  it("never promotes a context item without a type", () => {
    expect(
      run({ context: [context("active_errors", { suggested_type: null })] }, { ...TERMS, threshold: 0 }),
    ).toEqual([]);
  });

  it("holds suggestions and context items to the threshold, decisions of the agent not", () => {
    const memory = {
      context: [context("framework", { access_count: 1, confidence: 0.1 })],
      pending: [
        pending("low", { importance_score: 0.5 }),
        pending("agent", { importance_score: 0, suggested_by: "agent" }),
      ],
    };
    expect(run(memory).map(({ content }) => content)).toEqual(["content of agent"]);
    expect(run(memory, { ...TERMS, threshold: 0.4 })).toHaveLength(3);
  });

  it("records the source of a context item", () => {
    const sources = (["explicit", "tool", "inferred"] as const).map(
      (source) => run({ context: [context("k", { source })] })[0]?.source_type,
    );
    expect(sources).toEqual(["user", "tool", "agent"]);
  });

  it("orders by importance, regardless of the source, then by age, then by content", () => {
    const order = run({
      pending: [
        pending("b", { importance_score: 0.8 }),
        pending("a", { importance_score: 0.8 }),
        pending("old", { importance_score: 0.8, created_at: iso(NOW - 1) }),
        pending("top", { importance_score: 0.99 }),
        pending("agent", { importance_score: 0.1, suggested_by: "agent" }),
      ],
    }).map(({ origin }) => (origin.kind === "pending" ? origin.id : origin.key));
    expect(order).toEqual(["top", "old", "a", "b", "agent"]);
  });

  it("gives the same candidates in the same order however they are stored", () => {
    const items = ["c", "a", "b"].map((id) => pending(id));
    expect(run({ pending: items })).toEqual(run({ pending: items.toReversed() }));
  });
});

describe("a context item's importance", () => {
  const item = context("framework", { access_count: 1, last_accessed: iso(NOW - 3_600_000) });
  const signals = { confidence: 0.9, type: "fact" as const };

  it("comes from the access log, frequency and recency", () => {
    const log = [NOW - 60_000, NOW - 30_000, NOW].map((at) => ({ key: toContextTopic("framework"), at }));
    expect(computeItemImportance(item, log, NOW)).toBe(
      computeImportance({ ...signals, accessCount: 3, lastAccessed: NOW }, NOW),
    );
  });

  it("comes from the item itself when the log has forgotten it", () => {
    const log = [{ key: toContextTopic("other"), at: NOW }];
    expect(computeItemImportance(item, log, NOW)).toBe(
      computeImportance({ ...signals, accessCount: 1, lastAccessed: NOW - 3_600_000 }, NOW),
    );
  });

  it("follows the session's weights", () => {
    const weights = { recency: 0, frequency: 0, confidence: 1, salience: 0 };
    expect(computeItemImportance(item, [], NOW, weights)).toBe(0.9);
  });
});
