// Re-embedding after a change of embedder: page by page, resumable, with recall available throughout.
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { EmbeddingIndexer } from "../../../src/recall/index/embedding-indexer";
import { type ReembedPage, ROWS_PER_PAGE, reembedPage } from "../../../src/recall/index/reembed";
import { type ReembedProgress, readVectorState } from "../../../src/recall/index/vector-state";
import { createEmbeddedIndex } from "../../../src/recall/vectors/embedded-index";
import { createLongTermMemory } from "../../../src/services/long-term-memory";
import { FakeEmbedder } from "../../fakes/embedder";
import {
  asking,
  db,
  forgetModel,
  newSemanticTenant,
  queueOf,
  type SemanticTenant,
  said,
} from "../semantic-support";

// Re-embedding covers all tenants of a database: each test starts with an empty one.
beforeEach(async () => {
  await forgetModel();
  for (const table of ["memories", "messages", "vector_queue"])
    await env.DB.prepare(`DELETE FROM ${table}`).run();
});

/** Creates two tenants, one with more than a page, indexed with the first model. */
async function indexed() {
  const [large, small] = [
    await newSemanticTenant({ on: "embedded" }),
    await newSemanticTenant({ on: "embedded" }),
  ];
  await large.store.memories.commit(
    Array.from({ length: ROWS_PER_PAGE + 5 }, (_, i) => large.write({ content: `Memo ${i}` })),
  );
  await large.keep("Her car is red");
  await small.keep("His car is blue");
  await small.say([said("m1", "The garden needs water"), said("m2", "The doctor called")]);
  for (const t of [large, small]) await t.indexed();
  return [large, small] as const;
}

/** Returns the same tenants with another embedder. */
function changed(tenants: readonly SemanticTenant[]) {
  const embedder = new FakeEmbedder({ name: "fake@2", dimensions: 128 });
  const model = { name: embedder.name, dimensions: embedder.dimensions, index: "embedded" } as const;
  const indexers = new Map(
    tenants.map(({ tenant, clock }) => {
      const index = createEmbeddedIndex(env.VECTOR_INDEX, { tenant, embedder: model.name });
      const now = () => clock.now;
      const indexer = new EmbeddingIndexer({ db, tenant, embedder, index, telemetry: () => undefined, now });
      return [tenant, { indexer, index }];
    }),
  );
  const drained: string[] = [];
  const cleared: string[] = [];
  const ports = {
    drain: async (tenant: string) => {
      drained.push(tenant);
      await indexers.get(tenant)?.indexer.run(Number.POSITIVE_INFINITY);
    },
    open: () => db,
    clear: async (tenant: string, { name }: { name: string }) => {
      cleared.push(tenant);
      await createEmbeddedIndex(env.VECTOR_INDEX, { tenant, embedder: name }).clear();
    },
  };
  const recall = async (
    { tenant, clock }: SemanticTenant,
    query: string,
    mode: "semantic" | "hybrid" = "hybrid",
  ) => {
    const index = indexers.get(tenant)?.index;
    if (index === undefined) throw new Error("no such tenant");
    const { search } = createLongTermMemory(env, tenant, {
      now: () => clock.now,
      memoriesPerSession: 10_000,
      vectors: {
        semantic: { embedder, index },
        indexer: { wake: async () => 0, drain: async () => 0, remove: async () => 0 },
      },
    });
    const request = asking(query, { mode, sources: ["memories", "messages"] });
    const { hits, degraded } = await search.recall({ kind: "tenant" }, request);
    const related = hits.filter(
      ({ signals }) => signals.lexical !== undefined || (signals.semantic ?? 0) > 0.05,
    );
    return { contents: related.map(({ content }) => content), degraded };
  };

  /** Runs the remaining pages, all by default. */
  const pages = async (enough: (progress: ReembedProgress | null) => boolean = () => false) => {
    const made: ReembedPage[] = [];
    do made.push(await reembedPage(db, model, ports));
    while (!made.at(-1)?.finished && !enough((await readVectorState(db))?.progress ?? null));
    return made;
  };
  return { model, ports, drained, cleared, recall, pages };
}

const isCleared = (progress: ReembedProgress | null) => progress?.kind !== "clear";
const hasBegun = (progress: ReembedProgress | null) => (progress?.done ?? 0) > 0;

const total = ROWS_PER_PAGE + 5 + 2 + 2;

describe("re-embedding", () => {
  it("runs page by page to the end; then semantic search works and the old vectors are gone", async () => {
    const tenants = await indexed();
    const [large, small] = tenants;
    const { model, recall, pages } = changed(tenants);
    expect(await recall(small, "car")).toMatchObject({
      contents: ["His car is blue"],
      degraded: expect.stringContaining("npm run reembed"),
    });
    const made = [];
    for (let finished = false; !finished; finished = made.at(-1)?.finished ?? false) {
      made.push(...(await pages(() => true)));
      // Recall works throughout, with the vectors so far and lexical search.
      for (const mode of ["hybrid", "semantic"] as const) {
        expect((await recall(large, "car", mode)).contents).toContain("Her car is red");
        expect((await recall(small, "car", mode)).contents).toContain("His car is blue");
      }
    }
    const counts = new Set(made.map(({ done }) => done));
    expect([...counts]).toEqual([0, ROWS_PER_PAGE, total - 2, total]);
    expect(made.every((page) => page.total === total)).toBe(true);
    expect(await readVectorState(db)).toEqual({ ...model, progress: null });
    for (const t of tenants) {
      expect(await queueOf(t.tenant)).toEqual([]);
      // The vectors of the first model are gone.
      for (const kind of ["memory", "message"] as const)
        expect(await t.nearest("automobile memo garden doctor", {}, kind)).toEqual([]);
    }
    const found = { contents: ["Her car is red"], degraded: null };
    expect(await recall(large, "automobile", "semantic")).toEqual(found);
    expect((await recall(small, "backyard", "semantic")).contents[0]).toBe("The garden needs water");
  });

  it("is reported to a semantic recall, which then adds lexical search", async () => {
    const tenants = await indexed();
    const { recall, pages } = changed(tenants);
    await pages(isCleared);
    expect(await recall(tenants[1], "car", "semantic")).toMatchObject({
      contents: ["His car is blue"],
      degraded: expect.stringContaining("re-embedded"),
    });
    expect(await recall(tenants[1], "car")).toEqual({ contents: ["His car is blue"], degraded: null });
  });

  it.each(["clear", "drain"] as const)("continues after a call failed to %s", async (step) => {
    const tenants = await indexed();
    const { model, ports, drained, recall, pages } = changed(tenants);
    const broken = {
      ...ports,
      [step]: async () => {
        throw new Error("killed by the test");
      },
    };
    if (step === "drain") await pages(hasBegun);
    await expect(reembedPage(db, model, broken)).rejects.toThrow("killed");
    const state = await readVectorState(db);
    await expect(reembedPage(db, model, broken)).rejects.toThrow("killed");
    expect(await readVectorState(db)).toEqual(state);
    expect((await recall(tenants[0], "car")).contents).toContain("Her car is red");
    const made = await pages();
    expect(made.at(-1)).toEqual({ done: total, total, finished: true });
    // Finished pages are not repeated: the large tenant has two pages, the small one a part of two.
    const times = (tenant: string) => drained.filter((each) => each === tenant).length;
    expect(tenants.map(({ tenant }) => times(tenant))).toEqual([2, 2]);
    expect((await recall(tenants[1], "automobile", "semantic")).contents).toEqual(["His car is blue"]);
  });

  it("clears the vectors of the old embedder once, and none when the embedder is the same", async () => {
    const tenants = await indexed();
    const { cleared, pages } = changed(tenants);
    await pages();
    expect(cleared).toEqual(expect.arrayContaining(tenants.map(({ tenant }) => tenant)));
    expect(new Set(cleared).size).toBe(cleared.length);
    const before = cleared.length;
    // Again with the same embedder: everything is recomputed, and nothing is cleared.
    expect((await pages())[0]).toMatchObject({ done: ROWS_PER_PAGE, finished: false });
    expect(cleared).toHaveLength(before);
  });

  it("restarts when the embedder changes again", async () => {
    const tenants = await indexed();
    const { model, ports, pages } = changed(tenants);
    await pages(hasBegun);
    const other = { name: "fake@3", dimensions: 64, index: "embedded" } as const;
    const left: string[] = [];
    await reembedPage(db, other, {
      ...ports,
      clear: async (_tenant, { name }) => {
        left.push(name);
      },
    });
    expect(new Set(left)).toEqual(new Set([model.name]));
    expect(await readVectorState(db)).toMatchObject({ ...other, progress: { done: 0 } });
  });

  it("includes concurrent writes", async () => {
    const tenants = await indexed();
    const { recall, pages } = changed(tenants);
    await pages(hasBegun);
    await tenants[1].keep("Their boat is green");
    expect((await recall(tenants[1], "vessel")).contents).toEqual(["Their boat is green"]);
    await pages();
    expect((await recall(tenants[1], "vessel", "semantic")).contents).toEqual(["Their boat is green"]);
    expect(await queueOf(tenants[1].tenant)).toEqual([]);
  });
});
