import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { createStore, type LongTermStore } from "../../src/long-term/store";
import { queryTerms } from "../../src/recall/query-terms";
import type { RecallRequest } from "../../src/recall/recall";
import type { NewMemory } from "../../src/schemas/memory";
import { DEFAULT_RANKING } from "../../src/schemas/memory";
import { vectorsOf } from "../../src/vectors/semantic";
import { newMemory } from "../fakes/records";
import { freshId } from "./support";

const EVERYTHING = {
  type: "all",
  min_confidence: 0,
  include_superseded: false,
  since: undefined,
  until: undefined,
  limit: 10,
  mode: "text",
  sources: ["memories"],
  ranking: DEFAULT_RANKING,
} satisfies RecallRequest;

function storeOf(tenant: string): LongTermStore {
  return createStore(env.DB, tenant, {
    now: () => Date.now(),
    memoriesPerSession: 100_000,
    vectors: vectorsOf(env, tenant),
  });
}

function memory(content: string, session_id = "s"): NewMemory {
  return newMemory({ content, session_id });
}

async function remember(store: LongTermStore, memories: NewMemory[]): Promise<void> {
  await store.commit(memories.map((one) => ({ op: crypto.randomUUID(), fingerprint: "", memory: one })));
}

async function found(store: LongTermStore, query: string, scope: Parameters<LongTermStore["recall"]>[0]) {
  return (await store.recall(scope, { ...EVERYTHING, query })).hits.map(({ content }) => content);
}

describe("the words of a query", () => {
  it("lose what every text has, unless nothing else is left", () => {
    expect(queryTerms("What is the framework of this project?")).toEqual(["framework", "project"]);
    expect(queryTerms("what is it")).toEqual(["what", "is", "it"]);
    expect(queryTerms("?!*")).toEqual([]);
  });

  it("are words only: nothing of the index's own syntax is left of them", () => {
    expect(queryTerms('content:"x" NEAR(a* ^b) -c')).toEqual(["content", "x", "near", "b", "c"]);
  });
});

describe("text recall", () => {
  it("finds words by their stem, whatever their case", async () => {
    const store = storeOf(freshId("t"));
    await remember(store, [memory("The team is MIGRATING its databases"), memory("Lunch is at noon")]);
    expect(await found(store, "database migration", { kind: "tenant" })).toEqual([
      "The team is MIGRATING its databases",
    ]);
  });

  it("finds a word within a text that is written without spaces", async () => {
    const store = storeOf(freshId("t"));
    await remember(store, [memory("ユーザーは記憶の永続化を望んでいる"), memory("天気がいい")]);
    expect(await found(store, "永続化", { kind: "session", id: "s" })).toEqual([
      "ユーザーは記憶の永続化を望んでいる",
    ]);
  });

  it("keeps tenants and sessions apart, although they share one index", async () => {
    const [one, two] = [storeOf(freshId("t")), storeOf(freshId("t"))];
    await remember(one, [memory("apples of one", "a"), memory("apples of another session", "b")]);
    await remember(two, [memory("apples of two", "a")]);
    expect(await found(one, "apples", { kind: "tenant" })).toHaveLength(2);
    expect(await found(two, "apples", { kind: "tenant" })).toEqual(["apples of two"]);
    expect(await found(one, "apples", { kind: "session", id: "a" })).toEqual(["apples of one"]);
  });

  it("finds nothing in a tenant that has no memory", async () => {
    expect(await found(storeOf(freshId("t")), "any words", { kind: "tenant" })).toEqual([]);
  });
});

describe("text recall in a large tenant", () => {
  const store = storeOf(freshId("large"));

  beforeAll(async () => {
    const memories = Array.from({ length: 15_500 }, (_, i) =>
      memory(i % 3 === 0 ? `The project decided on option ${i}` : `The team waits for option ${i}`),
    );
    memories.splice(100, 0, memory("A stranger keeps its zebra in the cellar"));
    memories.splice(100, 0, memory("The project keeps its zebra in the cellar"));
    await remember(store, memories);
  });

  it("finds by the telling words of a query, and lets the common ones count in the order", async () => {
    expect(await found(store, "which project decided about the zebra", { kind: "tenant" })).toEqual([
      "The project keeps its zebra in the cellar",
      "A stranger keeps its zebra in the cellar",
    ]);
  });

  it("still answers a query that has nothing but common words", async () => {
    expect(await found(store, "project decided", { kind: "tenant" })).toHaveLength(10);
    expect(await found(store, "decided", { kind: "tenant" })).toHaveLength(10);
  });
});
