import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MessageHit, RecallHit } from "../../../src/memories/memory-schemas";
import { type CombineOptions, combineHits, combineNewest } from "../../../src/recall/search/combine-hits";
import { roundScore } from "../../../src/recall/search/rank-fusion";

const AT = "2026-03-01T12:00:00.000Z";
const OWNER = { user_id: "ana", agent_id: null, project_id: null };

type Found = { hit: RecallHit | MessageHit; evidence: readonly string[] };
type More<T> = Partial<T> & { lexical?: number; semantic?: number; evidence?: string[] };

const toSignals = ({ lexical, semantic }: { lexical?: number; semantic?: number }) => ({
  ...(lexical === undefined ? {} : { lexical }),
  ...(semantic === undefined ? {} : { semantic }),
  mode: "hybrid" as const,
});

function memory(
  id: string,
  content: string,
  { lexical, semantic, evidence = [], ...more }: More<RecallHit> = {},
): Found {
  const hit: RecallHit = {
    id,
    kind: "memory",
    content,
    type: "fact",
    confidence: 0.8,
    status: "live",
    timestamp: AT,
    session_id: "s1",
    ...OWNER,
    source_type: "user",
    rationale: null,
    score: roundScore((lexical ?? 0) + (semantic ?? 0)),
    signals: toSignals({ ...(lexical && { lexical }), ...(semantic && { semantic }) }),
    superseded_by: null,
    access_count: 0,
    metadata: {},
    tags: [],
    ...more,
  };
  return { hit, evidence };
}

function message(
  id: string,
  content: string,
  { lexical, semantic, evidence: _, ...more }: More<MessageHit> = {},
): Found {
  const hit: MessageHit = {
    id,
    kind: "message",
    content,
    role: "user",
    name: null,
    timestamp: AT,
    session_id: "s1",
    ...OWNER,
    score: roundScore((lexical ?? 0) + (semantic ?? 0)),
    signals: toSignals({ ...(lexical && { lexical }), ...(semantic && { semantic }) }),
    ...more,
  };
  return { hit, evidence: [] };
}

const OPTIONS: CombineOptions = {
  query: "What is Maria's dog called?",
  limit: 10,
  isLexicalRelative: true,
  collapsesDuplicates: true,
  repeats: "last",
};

const byScore = (found: readonly Found[]) => found.toSorted((a, b) => b.hit.score - a.hit.score);
const combine = (found: readonly Found[], more: Partial<CombineOptions> = {}) =>
  combineHits(byScore(found), { ...OPTIONS, ...more }).map(({ hit }) => hit);
const ids = (hits: readonly { id: string }[]) => hits.map(({ id }) => id);

/** Messages on the subject, each with a better score than any memory. */
const chatter = (count: number) =>
  Array.from({ length: count }, (_, i) =>
    message(`c${i}`, `Maria called the dog, day ${i}`, { lexical: 1 - i / 1_000, semantic: 0.6 }),
  );

describe("a memory that answers", () => {
  it("stays among the first three in front of any number of messages with a higher score", () => {
    const answer = memory("k1", "Maria's dog is called Biscuit", { lexical: 1, semantic: 0.1 });
    const hits = combine([answer, ...chatter(50)]);
    expect(ids(hits).slice(0, 4)).toEqual(["c0", "c1", "k1", "c2"]);
  });

  it("keeps its place when it is the second or third of the memories", () => {
    const hits = combine([
      memory("k1", "Maria has a dog from a shelter", { lexical: 1 }),
      memory("k2", "Maria's dog is called Biscuit", { lexical: 0.9 }),
      memory("k3", "Maria called the dog of her aunt", { lexical: 0.8 }),
      ...chatter(50),
    ]);
    expect(ids(hits).slice(0, 3)).toEqual(["k1", "k2", "k3"]);
  });

  it("in other words than those of the query keeps the third place", () => {
    const hits = combine([memory("k1", "Biscuit is her spaniel", { semantic: 0.5 }), ...chatter(50)]);
    expect(ids(hits).slice(0, 3)).toEqual(["c0", "c1", "k1"]);
  });

  it("is the only hit of a recall of one", () => {
    const answer = memory("k1", "Maria's dog is called Biscuit", { lexical: 1 });
    expect(ids(combine([answer, ...chatter(5)], { limit: 1 }))[0]).toBe("k1");
  });

  it("has a score that explains its place", () => {
    const answer = memory("k1", "Maria's dog is called Biscuit", { lexical: 1, semantic: 0.1 });
    const hits = combine([answer, ...chatter(50)]);
    expect(hits[2]).toMatchObject({ id: "k1", signals: { lexical: 1, semantic: 0.1, memory: 0.498 } });
    expect(hits.map(({ score }) => score)).toEqual(hits.map(({ score }) => score).toSorted((a, b) => b - a));
  });
});

describe("a memory that does not answer", () => {
  it("takes no place from messages, although it is the best of the memories in the text index", () => {
    const noise = ["Maria works at Acme", "Maria reads novels", "Maria cooks"].map((content, i) =>
      memory(`k${i}`, content, { lexical: 1 - i / 10, score: 1.15 - i / 10 }),
    );
    const messages = ["The dog is called Biscuit", "Maria has had a dog called Rex before"].map(
      (content, i) => message(`m${i}`, content, { name: "Maria", lexical: 1 - i / 10, semantic: 0.5 }),
    );
    const hits = combine([...noise, ...messages]);
    expect(ids(hits).slice(0, 2)).toEqual(["m0", "m1"]);
    expect(hits.find(({ id }) => id === "k0")?.signals.lexical).toBeLessThan(0.5);
  });

  it("keeps its lexical score in reciprocal rank fusion, which uses ranks", () => {
    const hits = combine([memory("k0", "Maria works at Acme", { lexical: 1 }), ...chatter(3)], {
      isLexicalRelative: false,
    });
    expect(hits.find(({ id }) => id === "k0")?.signals.lexical).toBe(1);
  });
});

describe("memories with the same content", () => {
  const same = ["s1", "s2", "s3"].map((session_id, i) =>
    memory(`k${i}`, i === 1 ? "maria's dog is  called Biscuit." : "Maria's dog is called Biscuit", {
      session_id,
      lexical: 1 - i / 10,
    }),
  );

  it("are one hit, the best", () => {
    expect(ids(combine(same))).toEqual(["k0"]);
    expect(ids(combine(same, { collapsesDuplicates: false }))).toEqual(["k0", "k1", "k2"]);
  });

  it("of different types, or no longer live, are hits of their own", () => {
    const others = [
      memory("k3", "Maria's dog is called Biscuit", { type: "assumption", lexical: 0.5 }),
      memory("k4", "Maria's dog is called Biscuit", { status: "superseded", lexical: 0.4 }),
    ];
    expect(ids(combine([...same, ...others]))).toEqual(["k0", "k3", "k4"]);
  });
});

describe("a message that says the same as a memory", () => {
  const known = memory("k1", "Maria's dog is called Biscuit", {
    lexical: 1,
    evidence: ["message:m1"],
  });

  it("comes after all other hits", () => {
    const repeat = message("m9", "Maria's dog is called Biscuit!", {
      session_id: "s7",
      lexical: 1,
      semantic: 0.9,
    });
    const hits = combine([known, repeat, ...chatter(3)]);
    expect(hits.at(-1)).toMatchObject({ id: "m9", signals: { repeat: expect.any(Number) } });
    expect(ids(combine([known, repeat, ...chatter(3)], { repeats: "ranked" })).at(-1)).not.toBe("m9");
  });

  it("is left out of a prompt", () => {
    const repeat = message("m9", "Maria's dog is called Biscuit!", { session_id: "s7", lexical: 1 });
    expect(ids(combine([known, repeat, ...chatter(3)], { repeats: "omitted" }))).not.toContain("m9");
  });

  it("is also its only evidence in slightly other words", () => {
    const repeat = message("m1", "Well, my Maria's dog is called Biscuit", { lexical: 1, semantic: 0.9 });
    expect(ids(combine([known, repeat, ...chatter(3)])).at(-1)).toBe("m1");
  });

  it("is not one that says more, or the same id in another session", () => {
    const more = message("m1", "Maria's dog is called Biscuit and the cat of her brother Paul is Tom", {
      lexical: 1,
      semantic: 0.9,
    });
    const elsewhere = message("m1", "Well, my Maria's dog is called Biscuit", {
      session_id: "s2",
      lexical: 1,
      semantic: 0.9,
    });
    for (const other of [more, elsewhere])
      expect(ids(combine([known, other, ...chatter(3)])).at(-1)).not.toBe("m1");
  });
});

describe("without a query", () => {
  it("messages follow the memories, and repeats come last", () => {
    const found = [
      message("m1", "The dog is Biscuit"),
      message("m2", "Good morning"),
      memory("k1", "The dog is Biscuit"),
      memory("k2", "The dog is Biscuit", { session_id: "s2" }),
      memory("k3", "Maria has a dog"),
    ];
    const combined = (more: Partial<CombineOptions>) =>
      ids(combineNewest(found, { ...OPTIONS, ...more }).map(({ hit }) => hit));
    expect(combined({})).toEqual(["k1", "k3", "m2", "m1"]);
    expect(combined({ repeats: "omitted" })).toEqual(["k1", "k3", "m2"]);
    expect(combined({ repeats: "ranked" })).toEqual(["m1", "m2", "k1", "k3"]);
  });
});

describe("combined hits", () => {
  const words = fc.constantFrom("Maria", "dog", "called", "Biscuit", "rain", "work", "Acme");
  const content = fc.array(words, { minLength: 1, maxLength: 6 }).map((list) => list.join(" "));
  const score = fc.integer({ min: 10, max: 1_000 }).map((part) => part / 1_000);
  const hit = fc.record({
    isMemory: fc.boolean(),
    content,
    lexical: score,
    semantic: score,
  });

  it("are sorted by score, and a subset of the hits", () => {
    fc.assert(
      fc.property(fc.array(hit, { maxLength: 30 }), fc.integer({ min: 1, max: 50 }), (drawn, limit) => {
        const found = drawn.map(({ isMemory, content: text, lexical, semantic }, i) =>
          (isMemory ? memory : message)(`h${i}`, text, { lexical, semantic }),
        );
        const hits = combine(found, { limit });
        const scores = hits.map((item) => item.score);
        expect(scores).toEqual(scores.toSorted((a, b) => b - a));
        expect(new Set(ids(hits)).size).toBe(hits.length);
        // Without the rules for duplicates and repeats, nothing is lost.
        const all = combine(found, { limit, collapsesDuplicates: false, repeats: "ranked" });
        expect(ids(all).toSorted()).toEqual(found.map((item) => item.hit.id).toSorted());
      }),
    );
  });
});
