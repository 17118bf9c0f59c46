import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { extractQueryTerms } from "../../../src/language/words/query-terms";
import type { NewMemory } from "../../../src/memories/memory-schemas";
import type { SearchTarget } from "../../../src/memories/store/namespace";
import { DEFAULT_RANKING } from "../../../src/models/embedders/embedder";
import type { RecallRequest } from "../../../src/recall/search/search";
import { createLongTermMemory, type LongTermMemory } from "../../../src/services/long-term-memory";
import { newMemory } from "../../fakes/records";
import { freshId } from "../support";

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

function openMemory(tenant: string): LongTermMemory {
  return createLongTermMemory(env, tenant, { now: () => Date.now(), memoriesPerSession: 100_000 });
}

function memory(content: string, session_id = "s"): NewMemory {
  return newMemory({ content, session_id });
}

async function remember({ store }: LongTermMemory, memories: NewMemory[]): Promise<void> {
  await store.memories.commit(
    memories.map((one) => ({ op: crypto.randomUUID(), fingerprint: "", memory: one })),
  );
}

async function found({ search }: LongTermMemory, query: string, scope: SearchTarget) {
  return (await search.recall(scope, { ...EVERYTHING, query })).hits.map(({ content }) => content);
}

describe("the words of a query", () => {
  it("lose what every text has, unless nothing else is left", () => {
    expect(extractQueryTerms("What is the framework of this project?")).toEqual(["framework", "project"]);
    expect(extractQueryTerms("what is it")).toEqual(["what", "is", "it"]);
    expect(extractQueryTerms("?!*")).toEqual([]);
  });

  it("are words only: nothing of the index's own syntax is left of them", () => {
    expect(extractQueryTerms('content:"x" NEAR(a* ^b) -c')).toEqual(["content", "x", "near", "b", "c"]);
  });
});

describe("text recall", () => {
  it("finds words by their stem, whatever their case", async () => {
    const store = openMemory(freshId("t"));
    await remember(store, [memory("The team is MIGRATING its databases"), memory("Lunch is at noon")]);
    expect(await found(store, "database migration", { kind: "tenant" })).toEqual([
      "The team is MIGRATING its databases",
    ]);
  });

  it("finds a word within a text that is written without spaces", async () => {
    const store = openMemory(freshId("t"));
    await remember(store, [memory("ユーザーは記憶の永続化を望んでいる"), memory("天気がいい")]);
    expect(await found(store, "永続化", { kind: "session", id: "s" })).toEqual([
      "ユーザーは記憶の永続化を望んでいる",
    ]);
  });

  it("keeps tenants and sessions apart, although they share one index", async () => {
    const [one, two] = [openMemory(freshId("t")), openMemory(freshId("t"))];
    await remember(one, [memory("apples of one", "a"), memory("apples of another session", "b")]);
    await remember(two, [memory("apples of two", "a")]);
    expect(await found(one, "apples", { kind: "tenant" })).toHaveLength(2);
    expect(await found(two, "apples", { kind: "tenant" })).toEqual(["apples of two"]);
    expect(await found(one, "apples", { kind: "session", id: "a" })).toEqual(["apples of one"]);
  });

  it("finds nothing in a tenant that has no memory", async () => {
    expect(await found(openMemory(freshId("t")), "any words", { kind: "tenant" })).toEqual([]);
  });
});

describe("text recall in a large tenant", () => {
  const store = openMemory(freshId("large"));

  beforeAll(async () => {
    const memories = Array.from({ length: 15_500 }, (_, i) =>
      // Each in a session of its own: the words before it would make the common ones still more common.
      memory(i % 3 === 0 ? `The project decided on option ${i}` : `The team waits for option ${i}`, `s${i}`),
    );
    memories.splice(100, 0, memory("A stranger keeps its zebra in the cellar", "zoo"));
    memories.splice(100, 0, memory("The project keeps its zebra in the cellar", "park"));
    await remember(store, memories);
  });

  it("ranks by the telling words of a query first, then by the common ones", async () => {
    const hits = await found(store, "which project decided about the zebra", { kind: "tenant" });
    expect(hits.slice(0, 2)).toEqual([
      "The project keeps its zebra in the cellar",
      "A stranger keeps its zebra in the cellar",
    ]);
  });

  it("still answers a query that has nothing but common words", async () => {
    expect(await found(store, "project decided", { kind: "tenant" })).toHaveLength(10);
    expect(await found(store, "decided", { kind: "tenant" })).toHaveLength(10);
  });
});
