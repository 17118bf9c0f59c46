// The consistency of recall: it finds every acknowledged write and nothing that was erased, whatever the index returns,
// and it never fails because of an embedder or an index.

import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LIMITS } from "../../../src/kernel/limits";
import type { SearchTarget } from "../../../src/memories/store/namespace";
import { EmbedderError } from "../../../src/models/embedders/embedder";
import { EMBEDDING_RETRY_POLICIES } from "../../../src/models/embedders/remote-embedder";
import { MAX_VISIBILITY_CHECKS, VISIBILITY_CHECK_MS } from "../../../src/recall/index/embedding-indexer";
import type { VectorIndex } from "../../../src/recall/vectors/vector-index";
import { createLongTermMemory } from "../../../src/services/long-term-memory";
import { statusError } from "../../fakes/vectorize";
import {
  asking,
  claimModel,
  forgetModel,
  newSemanticTenant,
  type SemanticTenant,
  said,
} from "../semantic-support";
import { NOON } from "../store/long-term-support";
import { freshId } from "../support";

beforeEach(forgetModel);

/** Returns the tenant's long-term memory with some methods of the index replaced. */
function withIndex({ tenant, embedder, index, clock }: SemanticTenant, more: Partial<VectorIndex>) {
  return createLongTermMemory(env, tenant, {
    now: () => clock.now,
    memoriesPerSession: 10_000,
    vectors: {
      semantic: { embedder, index: { ...index, ...more } },
      indexer: { wake: async () => 0, drain: async () => 0, remove: async () => 0 },
    },
  });
}
const claiming = (t: SemanticTenant, ids: readonly string[]) =>
  withIndex(t, { query: async () => ids.map((id, i) => ({ id, score: 0.99 - i / 1_000 })) });
const idsOf = ({ hits }: { hits: readonly { id: string }[] }) => hits.map(({ id }) => id);

/** Indexes everything, however often the index has to be asked whether it shows it. */
async function emptyBacklog(t: SemanticTenant): Promise<void> {
  await t.indexed();
  while ((await t.waiting()).length > 0) {
    t.clock.now += VISIBILITY_CHECK_MS * 2 ** MAX_VISIBILITY_CHECKS;
    await t.indexed();
  }
}

describe.each(["vectorize", "embedded"] as const)("an entry that leaves the backlog (%s)", (on) => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it("after the index was asked and before the backlog was read is found", async () => {
    const t = await newSemanticTenant({ on });
    await t.keep("The garden needs water");
    await t.indexed();
    const id = await t.keep("Her car is red");
    const indexed = Promise.withResolvers<void>();
    const database = Object.getPrototypeOf(env.DB.withSession()) as D1Database;
    const { batch } = database;
    vi.spyOn(database, "batch").mockImplementation(async function (this: D1Database, list) {
      const isBacklog = list.some((one) =>
        String((one as { statement?: string }).statement).includes("q.attempts"),
      );
      if (isBacklog) await indexed.promise;
      return batch.call(this, list) as never;
    });
    let queries = 0;
    const { search } = withIndex(t, {
      query: async (...args) => {
        queries += 1;
        const matches = await t.index.query(...args);
        if (queries > 1) return matches;
        expect(matches.map((match) => match.id)).not.toContain(id);
        await emptyBacklog(t);
        indexed.resolve();
        return matches;
      },
    });
    const found = await search.recall({ kind: "session", id: t.session }, asking("automobile"));
    expect(idsOf(found)[0]).toBe(id);
    expect(queries).toBe(2);
  });

  it("long before is found with one query", async () => {
    const t = await newSemanticTenant({ on });
    const id = await t.keep("Her car is red");
    await emptyBacklog(t);
    await env.DB.prepare("UPDATE tenants SET indexed_at = indexed_at - 60 WHERE tenant = ?")
      .bind(t.tenant)
      .run();
    const query = vi.fn(t.index.query);
    const found = await withIndex(t, { query }).search.recall(
      { kind: "session", id: t.session },
      asking("automobile"),
    );
    expect([idsOf(found)[0], query.mock.calls.length]).toEqual([id, 1]);
  });
});

describe("an index that never shows anything", () => {
  it("hides no memory: semantic search finds it before and after it was written to the index", async () => {
    const t = await newSemanticTenant();
    const id = await t.keep("Her car is red");
    await t.keep("The garden needs water");
    expect(await t.found("automobile")).toEqual([id]);
    await t.indexer.run(t.clock.now + 1_000);
    expect(t.vectorize.calls).toContain("upsert");
    expect(await t.found("automobile")).toEqual([id]);
    t.clock.now += VISIBILITY_CHECK_MS;
    await t.indexer.run(t.clock.now + 1_000);
    expect(await t.found("automobile")).toEqual([id]);
  });

  it("hides no message either", async () => {
    const t = await newSemanticTenant();
    await t.say([said("m1", "My car is red"), said("m2", "The garden needs water")]);
    await t.indexer.run(t.clock.now + 1_000);
    expect(await t.found("automobile", { sources: ["messages"] })).toEqual(["m1"]);
  });
});

describe("an index that still returns deleted rows", () => {
  it("does not make recall return forgotten, superseded or erased memories", async () => {
    const t = await newSemanticTenant();
    const forgotten = await t.keep("Her car is red");
    const superseded = await t.keep("His car is blue", { topic_key: "car" });
    const erased = await t.keep("Their car is green");
    const [message] = await t.say([said("m1", "Our car is grey")]);
    await t.indexed();
    expect(await t.nearest("automobile")).toHaveLength(3);
    expect(await t.nearest("automobile", {}, "message")).toEqual([message]);

    await t.store.memories.forget(
      { memory_id: forgotten, reason: null, replacement_id: null },
      { anyOf: null, isLimit: false, binding: {} },
      null,
    );
    const now = await t.keep("His car is black", { topic_key: "car" });
    await t.store.memories.erase(erased);
    await t.store.sessions.erase(freshId("session"), { memories: true });
    // The index has not been updated yet.
    expect(await t.nearest("automobile", { live: true })).toEqual(
      expect.arrayContaining([forgotten, superseded, erased]),
    );
    expect(await t.found("automobile")).toEqual([now]);
    expect(await t.found("automobile", { mode: "hybrid" })).toEqual([now]);
    expect((await t.found("automobile", { include_superseded: true })).toSorted()).toEqual(
      [forgotten, superseded, now].toSorted(),
    );

    await t.store.sessions.erase(t.session, { memories: true });
    expect(await t.nearest("automobile", {}, "message")).toEqual([message]);
    expect(await t.found("automobile", { sources: ["messages", "memories"] })).toEqual([]);
  });

  it("does not determine the similarity of a memory that has changed since", async () => {
    const t = await newSemanticTenant();
    const id = await t.keep("Her car is red");
    await t.keep("The dog barks");
    const lying = withIndex(t, { query: async () => [{ id, score: -1 }] });
    const { hits } = await lying.search.recall({ kind: "session", id: t.session }, asking("automobile"));
    expect(hits).toMatchObject([{ id, signals: { semantic: expect.any(Number) } }]);
    expect(hits[0]?.signals.semantic).toBeGreaterThan(0.5);
  });
});

describe("an index that returns arbitrary ids", () => {
  it("cannot bypass the filters", async () => {
    const t = await newSemanticTenant();
    const session = freshId("session");
    const fits = await t.keep("Her car is red", {
      type: "decision",
      confidence: 0.9,
      agent_id: "a",
      project_id: "p",
    });
    const others = {
      type: await t.keep("Her car is blue", { agent_id: "a", project_id: "p" }),
      confidence: await t.keep("Her car is green", { type: "decision", confidence: 0.3, agent_id: "a" }),
      early: await t.keep("Her car is grey", {
        type: "decision",
        timestamp: "2026-02-01T00:00:00.000Z",
        agent_id: "a",
      }),
      late: await t.keep("Her car is pink", {
        type: "decision",
        timestamp: "2026-04-01T00:00:00.000Z",
        agent_id: "a",
      }),
      session: await t.keep("Her car is brown", { type: "decision", session_id: session, agent_id: "b" }),
    };
    const all = [...Object.values(others), fits];
    const { search } = claiming(t, all);
    const request = asking("automobile", {
      type: "decision",
      min_confidence: 0.5,
      since: "2026-02-15T00:00:00.000Z",
      until: "2026-03-15T00:00:00.000Z",
    });
    for (const scope of [
      { kind: "session", id: t.session },
      { kind: "agent", id: "a" },
      { kind: "project", id: "p" },
    ] satisfies SearchTarget[]) {
      expect(idsOf(await search.recall(scope, request))).toEqual([fits]);
      expect(idsOf(await search.recall(scope, { ...request, mode: "hybrid" }))).toEqual([fits]);
    }
    expect(idsOf(await search.recall({ kind: "tenant" }, request)).toSorted()).toEqual(
      [fits, others.session].toSorted(),
    );
    // Both ends of a time range are inclusive.
    expect(
      idsOf(await search.recall({ kind: "project", id: "p" }, { ...request, since: NOON, until: NOON })),
    ).toEqual([fits]);
  });

  it("adds no rows of another tenant or kind, and no unknown ids", async () => {
    const [mine, theirs] = [await newSemanticTenant(), await newSemanticTenant()];
    const foreign = await theirs.keep("Her car is red");
    const [message = ""] = await mine.say([said("m1", "My car is red")]);
    const own = await mine.keep("His car is blue");
    const { search } = claiming(mine, [
      foreign,
      message,
      "m1",
      "nothing",
      "'; DROP TABLE memories; --",
      "",
      own,
    ]);
    for (const mode of ["semantic", "hybrid"] as const) {
      expect(idsOf(await search.recall({ kind: "tenant" }, asking("automobile", { mode })))).toEqual([own]);
    }
    expect(
      idsOf(await search.recall({ kind: "tenant" }, asking("automobile", { sources: ["messages"] }))),
    ).toEqual(["m1"]);
  });

  it("is queried for no more than its maximum", async () => {
    const t = await newSemanticTenant();
    for (let i = 0; i < 3; i += 1) await t.keep(`Car number ${1_000 + i}`);
    const limits: number[] = [];
    const { search } = withIndex(t, {
      maxMatches: 2,
      query: async (_kind, _vector, { limit }) => {
        limits.push(limit);
        return [];
      },
    });
    await search.recall({ kind: "tenant" }, asking("automobile"));
    expect(limits).toEqual([2]);
    expect(idsOf(await t.search.recall({ kind: "tenant" }, asking("automobile", { limit: 2 })))).toHaveLength(
      2,
    );
    expect(LIMITS.recallMatches).toBeGreaterThan(t.index.maxMatches);
  });
});

describe("a hybrid recall", () => {
  it("combines lexical and semantic search, each hit once, and explains the score", async () => {
    const t = await newSemanticTenant();
    const both = await t.keep("The automobile is red");
    const near = await t.keep("Her vehicle broke down");
    const unrelated = await t.keep("The garden needs water");
    await t.indexed();
    const { hits, mode } = await t.search.recall(
      { kind: "session", id: t.session },
      asking("automobile", { mode: "hybrid" }),
    );
    expect(mode).toBe("hybrid");
    expect(hits).toMatchObject([
      { id: both, signals: { lexical: 1, semantic: expect.any(Number), mode: "hybrid" } },
      { id: near, signals: { semantic: expect.any(Number) } },
    ]);
    // The memory before it has the term: its context counts less than words of its own.
    expect(hits[1]?.signals.lexical).toBeLessThan(1);
    expect(idsOf({ hits })).not.toContain(unrelated);
  });

  it("omits unrelated texts; a semantic recall needs less similarity, though not none", async () => {
    const t = await newSemanticTenant({ minRelatedCosine: 0.6 });
    const near = await t.keep("The vehicle");
    const far = await t.keep("Vehicle, garden, coffee");
    await t.keep("Their vehicle, their garden, their coffee, their doctor, their puppy, their boat");
    const text = await t.keep("Automobile, garden, coffee, doctor, puppy, espresso, physician");
    expect((await t.found("automobile", { mode: "hybrid" })).toSorted()).toEqual([near, text].toSorted());
    expect((await t.found("automobile")).toSorted()).toEqual([near, far, text].toSorted());
  });

  it("assumes the similarity of the last match for rows beyond a full list, without a relatedness threshold", async () => {
    const t = await newSemanticTenant();
    const text = await t.keep("The automobile");
    const near = await t.keep("Her vehicle");
    await t.indexed();
    t.clock.now += VISIBILITY_CHECK_MS;
    await t.indexed();
    expect(await t.waiting()).toEqual([]);
    const scores = async (matches: { id: string; score: number }[], maxMatches: number) => {
      const { search } = withIndex(t, { maxMatches, query: async () => matches });
      const { hits } = await search.recall({ kind: "tenant" }, asking("automobile", { mode: "hybrid" }));
      return new Map(hits.map(({ id, score }) => [id, score]));
    };
    const open = await scores([{ id: near, score: 0.8 }], 100);
    const full = await scores([{ id: near, score: 0.8 }], 1);
    expect(full.get(text)).toBe(open.get(text));
    expect(full.get(near)).toBeLessThan(open.get(near) ?? 0);
  });
});

describe("recall degrades to lexical search, and explains why, when", () => {
  const failures: [string, RegExp, (t: SemanticTenant) => unknown][] = [
    [
      "the embedder fails",
      /embedder did not answer/,
      (t) => (t.embedder.failure = new EmbedderError("down")),
    ],
    ["the embedder breaks", /embedder did not answer/, (t) => (t.embedder.failure = new TypeError("secret"))],
    [
      "the index fails",
      /index did not answer/,
      (t) => t.vectorize.failNext(1, statusError("VECTOR_QUERY", 500)),
    ],
    [
      "the index does not answer in time",
      /index did not answer/,
      (t) => {
        t.vectorize.query = () => new Promise(() => undefined);
      },
    ],
    [
      "the vectors are another embedder's",
      /another@1 \(256 dimensions.*npm run reembed/,
      (t) => claimModel({ ...t.model, name: "another@1" }),
    ],
    [
      "the vectors have another length",
      /fake@1 \(3 dimensions/,
      (t) => claimModel({ ...t.model, dimensions: 3 }),
    ],
  ];

  it.each(failures)("%s", async (_name, reason, fail) => {
    const t = await newSemanticTenant();
    const id = await t.keep("Her car is red");
    await t.say([said("m1", "The car is red")]);
    await fail(t);
    for (const mode of ["hybrid", "semantic"] as const) {
      await fail(t);
      const recalled = await t.search.recall({ kind: "session", id: t.session }, asking("car", { mode }));
      expect(recalled).toMatchObject({ mode: "text", hits: [{ id, signals: { lexical: 1, mode: "text" } }] });
      expect(recalled.degraded).toMatch(reason);
      expect(recalled.degraded).not.toContain("secret");
    }
    await fail(t);
    const { hits } = await t.search.recall(
      { kind: "session", id: t.session },
      asking("car", { sources: ["messages", "memories"] }),
    );
    expect(idsOf({ hits }).toSorted()).toEqual([id, "m1"].toSorted());
  });

  it("there is no embedder", async () => {
    const t = await newSemanticTenant();
    const id = await t.keep("Her car is red");
    const { search } = createLongTermMemory(env, t.tenant, {
      now: () => t.clock.now,
      memoriesPerSession: 10,
      vectors: {
        semantic: null,
        indexer: { wake: async () => 0, drain: async () => 0, remove: async () => 0 },
      },
    });
    expect(await search.recall({ kind: "tenant" }, asking("car"))).toMatchObject({
      mode: "text",
      degraded: expect.stringContaining("EMBEDDER=none"),
      hits: [{ id }],
    });
  });

  it("and not in text mode, which embeds nothing", async () => {
    const t = await newSemanticTenant();
    const id = await t.keep("Her car is red");
    t.embedder.failure = new EmbedderError("down");
    expect(await t.search.recall({ kind: "tenant" }, asking("car", { mode: "text" }))).toMatchObject({
      mode: "text",
      degraded: null,
      hits: [{ id }],
    });
  });
});

describe("semantic recall adds lexical search, and explains why, when", () => {
  /** Expects both modes to find all ids, some of which only lexical search can find. */
  async function expectLexicalFallback(t: SemanticTenant, ids: readonly string[]): Promise<void> {
    const scope = { kind: "session", id: t.session } as const;
    const alone = await t.search.recall(scope, asking("car"));
    expect(alone).toMatchObject({ mode: "hybrid", degraded: expect.stringMatching(/not everything/i) });
    expect(idsOf(alone).toSorted()).toEqual(ids.toSorted());
    const both = await t.search.recall(scope, asking("car", { mode: "hybrid" }));
    expect(both).toMatchObject({ mode: "hybrid", degraded: null });
    expect(idsOf(both).toSorted()).toEqual(ids.toSorted());
  }

  it("the backlog exceeds the texts that a recall can embed", async () => {
    const t = await newSemanticTenant({ maxInlineTexts: 2 });
    const ids = [await t.keep("First car"), await t.keep("Second car"), await t.keep("Third car")];
    await expectLexicalFallback(t, ids);
    await t.indexed();
    t.clock.now += VISIBILITY_CHECK_MS;
    await t.indexed();
    expect((await t.found("automobile")).toSorted()).toEqual(ids.toSorted());
  });

  it("the backlog cannot be embedded; semantic search of the index continues", async () => {
    const t = await newSemanticTenant();
    const shown = await t.keep("His car is blue");
    await t.indexed();
    t.clock.now += VISIBILITY_CHECK_MS;
    await t.indexed();
    const waiting = await t.keep("Her car is red");
    t.embedder.poison = /red/;
    await expectLexicalFallback(t, [shown, waiting]);
    expect(idsOf(await t.search.recall({ kind: "tenant" }, asking("automobile")))).toEqual([shown]);
  });

  it("the backlog is not embedded in time", async () => {
    const t = await newSemanticTenant();
    const id = await t.keep("Her car is red");
    const embed = t.embedder.embed.bind(t.embedder);
    vi.spyOn(t.embedder, "embed").mockImplementation((texts: readonly string[]) =>
      texts.includes("Her car is red") ? new Promise(() => undefined) : embed(texts),
    );
    vi.useFakeTimers();
    try {
      const answer = t.search.recall({ kind: "session", id: t.session }, asking("car"));
      await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1));
      await vi.advanceTimersByTimeAsync(EMBEDDING_RETRY_POLICIES.query.timeoutMs);
      expect(await answer).toMatchObject({ mode: "hybrid", degraded: expect.any(String), hits: [{ id }] });
    } finally {
      vi.useRealTimers();
    }
  });

  it("a text could not be embedded before", async () => {
    const t = await newSemanticTenant();
    const id = await t.keep("Her car is red");
    t.embedder.failure = new EmbedderError("down");
    await t.indexed();
    t.embedder.failure = null;
    expect(await t.waiting()).toMatchObject([{ id, attempts: 1 }]);
    await expectLexicalFallback(t, [id]);
    // Other scopes are not affected.
    const elsewhere = { kind: "session", id: freshId("session") } as const;
    expect(await t.search.recall(elsewhere, asking("car"))).toMatchObject({ hits: [], degraded: null });
  });
});
