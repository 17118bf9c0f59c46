// Re-embedding after a change of embedder: page by page, resumable, and recall answers all the while.
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { INDEXING } from "../../../src/limits";
import { reembedPage } from "../../../src/long-term/reembed";
import { createStore } from "../../../src/long-term/store";
import { readVectorState } from "../../../src/long-term/vector-state";
import { createEmbeddedIndex } from "../../../src/vectors/embedded";
import { Indexer } from "../../../src/vectors/indexer";
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

// Re-embedding is for all tenants of a database: each test has it to itself.
beforeEach(async () => {
  await forgetModel();
  for (const table of ["memories", "messages", "vector_queue"])
    await env.DB.prepare(`DELETE FROM ${table}`).run();
});

/** Two tenants, one of them with more than a page, all indexed with the first model. */
async function indexed() {
  const [large, small] = [
    await newSemanticTenant({ on: "embedded" }),
    await newSemanticTenant({ on: "embedded" }),
  ];
  await large.store.commit(
    Array.from({ length: INDEXING.reembedPage + 5 }, (_, i) => large.write({ content: `Memo ${i}` })),
  );
  await large.keep("Her car is red");
  await small.keep("His car is blue");
  await small.say([said("m1", "The garden needs water"), said("m2", "The doctor called")]);
  for (const t of [large, small]) await t.indexed();
  return [large, small] as const;
}

/** The same tenants, as the service sees them after its embedder was changed. */
function changed(tenants: readonly SemanticTenant[]) {
  const model = new FakeEmbedder({ name: "fake@2", dimensions: 128 });
  const indexers = new Map(
    tenants.map(({ tenant, clock }) => {
      const index = createEmbeddedIndex(env.VECTOR_INDEX, { tenant, embedder: model.name });
      const now = () => clock.now;
      const indexer = new Indexer({ db, tenant, embedder: model, index, telemetry: () => undefined, now });
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
    const store = createStore(env.DB, tenant, {
      now: () => clock.now,
      memoriesPerSession: 10_000,
      vectors: {
        semantic: { embedder: model, index },
        indexer: { wake: async () => undefined, drain: async () => 0, remove: async () => 0 },
      },
    });
    const request = asking(query, { mode, sources: ["memories", "messages"] });
    const { hits, degraded } = await store.recall({ kind: "tenant" }, request);
    return { contents: hits.map(({ content }) => content), degraded };
  };
  return { model, ports, drained, cleared, recall, indexers };
}

const total = INDEXING.reembedPage + 5 + 2 + 2;

describe("re-embedding", () => {
  it("goes page by page to the end, and then the meaning is back and the old vectors are gone", async () => {
    const tenants = await indexed();
    const [large, small] = tenants;
    const { model, ports, recall } = changed(tenants);
    expect(await recall(small, "car")).toMatchObject({
      contents: ["His car is blue"],
      degraded: expect.stringContaining("npm run reembed"),
    });
    const pages = [];
    for (let page = await reembedPage(db, model, ports); ; page = await reembedPage(db, model, ports)) {
      pages.push(page);
      // Recall answers throughout, from what there is by then and by text.
      expect((await recall(large, "car")).contents).toContain("Her car is red");
      expect((await recall(small, "car")).contents).toContain("His car is blue");
      if (page.finished) break;
    }
    expect(pages.map(({ done }) => done)).toEqual([INDEXING.reembedPage, total - 2, total - 2, total, total]);
    expect(pages.every((page) => page.total === total)).toBe(true);
    expect(await readVectorState(db)).toEqual({ name: "fake@2", dimensions: 128, progress: null });
    for (const t of tenants) {
      expect(await queueOf(t.tenant)).toEqual([]);
      // What the first model made is no longer there.
      for (const kind of ["memory", "message"] as const)
        expect(await t.nearest("automobile memo garden doctor", {}, kind)).toEqual([]);
    }
    expect(await recall(large, "automobile", "semantic")).toEqual({
      contents: ["Her car is red"],
      degraded: null,
    });
    expect((await recall(small, "backyard", "semantic")).contents[0]).toBe("The garden needs water");
  });

  it.each(["drain", "clear"] as const)("goes on where it was when a call failed to %s", async (step) => {
    const tenants = await indexed();
    const { model, ports, drained, recall } = changed(tenants);
    const broken = {
      ...ports,
      [step]: async () => {
        throw new Error("killed by the test");
      },
    };
    if (step === "drain") {
      expect(await reembedPage(db, model, ports)).toMatchObject({ done: INDEXING.reembedPage });
    }
    const before = await readVectorState(db);
    await expect(reembedPage(db, model, broken)).rejects.toThrow("killed");
    expect(await readVectorState(db)).toEqual(before);
    expect((await recall(tenants[0], "car")).contents).toContain("Her car is red");
    const pages = [];
    do pages.push(await reembedPage(db, model, ports));
    while (!pages.at(-1)?.finished);
    expect(pages.at(-1)).toEqual({ done: total, total, finished: true });
    // The first page was not made again.
    expect(pages).toHaveLength(step === "drain" ? 4 : 5);
    expect(drained.filter((tenant) => tenant === tenants[1].tenant).length).toBeGreaterThan(0);
    expect((await recall(tenants[1], "automobile", "semantic")).contents).toEqual(["His car is blue"]);
  });

  it("clears the old index once, and nothing when the embedder is the same", async () => {
    const tenants = await indexed();
    const { model, ports, cleared } = changed(tenants);
    await reembedPage(db, model, ports);
    const after = cleared.length;
    expect(cleared).toEqual(expect.arrayContaining(tenants.map(({ tenant }) => tenant)));
    for (
      let page = await reembedPage(db, model, ports);
      !page.finished;
      page = await reembedPage(db, model, ports)
    );
    expect(cleared).toHaveLength(after);
    // Again, with the same embedder: everything is made anew, nothing is taken away before.
    expect(await reembedPage(db, model, ports)).toMatchObject({
      done: INDEXING.reembedPage,
      finished: false,
    });
    expect(cleared).toHaveLength(after);
  });

  it("begins anew when the embedder is changed once more on the way", async () => {
    const tenants = await indexed();
    const { model, ports, cleared } = changed(tenants);
    await reembedPage(db, model, ports);
    const other = { name: "fake@3", dimensions: 64 };
    const nothing = { ...ports, drain: async () => undefined };
    cleared.length = 0;
    expect(await reembedPage(db, other, nothing)).toMatchObject({ done: INDEXING.reembedPage });
    expect(cleared).not.toEqual([]);
    expect(await readVectorState(db)).toMatchObject({ ...other, progress: { kind: "memory" } });
  });

  it("includes what is written meanwhile", async () => {
    const tenants = await indexed();
    const { model, ports, recall } = changed(tenants);
    await reembedPage(db, model, ports);
    await tenants[1].keep("Their boat is green");
    expect((await recall(tenants[1], "vessel", "semantic")).contents).toEqual(["Their boat is green"]);
    for (
      let page = await reembedPage(db, model, ports);
      !page.finished;
      page = await reembedPage(db, model, ports)
    );
    expect((await recall(tenants[1], "vessel", "semantic")).contents).toEqual(["Their boat is green"]);
    expect(await queueOf(tenants[1].tenant)).toEqual([]);
  });
});
