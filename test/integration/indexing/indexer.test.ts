// The indexer on a real D1 with fake ports: the index follows the store, whichever part fails.
import { beforeEach, describe, expect, it } from "vitest";
import { smoothVector } from "../../../src/language/message-neighbourhood";
import { computeScopeToken } from "../../../src/memories/store/memory-id";
import { VECTOR_PAGE_SIZE } from "../../../src/memories/store/vector-queue";
import { EmbedderError } from "../../../src/models/embedders/embedder";
import {
  FIRST_RETRY_MS,
  LAST_RETRY_MS,
  MAX_VISIBILITY_CHECKS,
  VISIBILITY_CHECK_MS,
} from "../../../src/recall/index/embedding-indexer";
import { statusError } from "../../fakes/vectorize";
import { claimModel, forgetModel, newSemanticTenant, said } from "../semantic-support";
import { NOON } from "../store/long-term-support";
import { freshId } from "../support";
import { cosine } from "../vectors/support";

beforeEach(forgetModel);

describe.each(["vectorize", "embedded"] as const)("on %s, the indexer", (on) => {
  it("inserts a new memory with all its filterable metadata", async () => {
    const t = await newSemanticTenant({ on });
    const id = await t.keep("Her car is red", { type: "decision", agent_id: "agent-1" });
    await t.indexed();
    const token = computeScopeToken(t.tenant, "session", t.session);
    const agent = computeScopeToken(t.tenant, "agent", "agent-1");
    const at = Date.parse(NOON);
    for (const filter of [
      {},
      { scope: { kind: "session" as const, token } },
      { scope: { kind: "agent" as const, token: agent } },
      { types: ["decision"] },
      { live: true as const },
      { since: at, until: at },
    ])
      expect(await t.nearest("automobile", filter)).toEqual([id]);
    for (const filter of [
      { scope: { kind: "session" as const, token: agent } },
      { scope: { kind: "project" as const, token } },
      { types: ["fact"] },
      { since: at + 1 },
      { until: at - 1 },
    ])
      expect(await t.nearest("automobile", filter)).toEqual([]);
  });

  it("marks superseded and forgotten memories as not live", async () => {
    const t = await newSemanticTenant({ on });
    const first = await t.keep("Her car is red", { topic_key: "car" });
    const other = await t.keep("The garden needs water");
    await t.indexed();
    const second = await t.keep("Her car is blue", { topic_key: "car" });
    await t.store.memories.forget(
      { memory_id: other, reason: null, replacement_id: null },
      { anyOf: null, isLimit: false, binding: {} },
      null,
    );
    await t.indexed();
    expect(await t.nearest("automobile", { live: true })).toEqual([second]);
    expect((await t.nearest("automobile")).toSorted()).toEqual([first, second].toSorted());
    expect(await t.nearest("backyard", { live: true })).toEqual([]);
    expect(await t.nearest("backyard")).toEqual([other]);
  });

  it("removes the vectors of deleted memories", async () => {
    const t = await newSemanticTenant({ on });
    const kept = await t.keep("Her car is red");
    const erased = await t.keep("Her car is fast");
    await t.indexed();
    expect(await t.store.memories.erase(erased)).toMatchObject({ memories: 1, vectors: 1 });
    await t.indexed();
    expect(await t.nearest("automobile")).toEqual([kept]);
    expect((await t.waiting()).map(({ id }) => id)).not.toContain(erased);
  });

  it("removes a vector that was written after its memory was erased", async () => {
    const t = await newSemanticTenant({ on });
    const id = await t.keep("Her car is red");
    // The memory is erased between reading it and writing its vector.
    t.embedder.meanwhile = async () => {
      t.embedder.meanwhile = async () => undefined;
      await t.store.memories.erase(id);
    };
    await t.indexed();
    await t.indexed();
    expect(await t.nearest("automobile")).toEqual([]);
    expect(await t.waiting()).toEqual([]);
  });

  it("indexes more than a page, and reports the counts", async () => {
    const t = await newSemanticTenant({ on });
    const count = VECTOR_PAGE_SIZE + 3;
    for (let i = 0; i < count; i += 1) await t.keep(`Car number ${1_000 + i}`);
    await t.indexed();
    expect(await t.nearest("automobile")).toHaveLength(count);
    expect(t.events).toMatchObject([
      { event: "vectors.indexed", kind: "memory", count: VECTOR_PAGE_SIZE },
      { event: "vectors.indexed", kind: "memory", count: 3 },
    ]);
  });
});

describe("the embedding backlog", () => {
  it("keeps an entry that changed again while it was being indexed", async () => {
    const t = await newSemanticTenant({ on: "embedded" });
    const id = await t.keep("Her car is red");
    t.embedder.meanwhile = async () => {
      t.embedder.meanwhile = async () => undefined;
      await t.store.memories.forget(
        { memory_id: id, reason: null, replacement_id: null },
        { anyOf: null, isLimit: false, binding: {} },
        null,
      );
      // The run's time is up: the next run continues.
      t.clock.now += 1_000;
    };
    expect(await t.indexed()).toBe(t.clock.now);
    expect(await t.nearest("automobile", { live: true })).toEqual([id]);
    expect(await t.waiting()).toMatchObject([{ id, attempts: 0, visible_after: null }]);
    expect(await t.indexed()).toBeNull();
    expect(await t.nearest("automobile", { live: true })).toEqual([]);
    expect(await t.waiting()).toEqual([]);
  });

  it("is not processed before its due time, which the run returns", async () => {
    const t = await newSemanticTenant();
    t.embedder.failure = new EmbedderError("down");
    await t.keep("Her car is red");
    expect(await t.indexed()).toBe(t.clock.now + FIRST_RETRY_MS);
    t.embedder.failure = null;
    t.clock.now += FIRST_RETRY_MS - 1;
    expect(await t.indexed()).toBe(t.clock.now + 1);
    expect(t.embedder.embedded).toEqual([]);
    t.clock.now += 1;
    await t.indexed();
    expect(t.embedder.embedded).toEqual(["Her car is red"]);
  });

  it("is separate for each tenant", async () => {
    const [mine, theirs] = [await newSemanticTenant(), await newSemanticTenant()];
    await mine.keep("Her car is red");
    const id = await theirs.keep("Their car is blue");
    await mine.indexed();
    expect(mine.embedder.embedded).toEqual(["Her car is red"]);
    expect(await theirs.waiting()).toMatchObject([{ id }]);
  });
});

describe("an erasure while a page is being embedded", () => {
  it("does not wait for the page, and its vectors are not inserted again", async () => {
    const t = await newSemanticTenant({ on: "embedded" });
    const [kept, erased] = [await t.keep("Her car is red"), await t.keep("His car is blue")];
    await t.indexed();
    for (const id of [kept, erased])
      await t.store.memories.forget(
        { memory_id: id, reason: null, replacement_id: null },
        { anyOf: null, isLimit: false, binding: {} },
        null,
      );
    t.embedder.meanwhile = async () => {
      t.embedder.meanwhile = async () => undefined;
      expect(await t.store.memories.erase(erased)).toMatchObject({ memories: 1, vectors: 1 });
      // The run ends with this page: no later one corrects it.
      t.clock.now += 1_000;
    };
    await t.indexed();
    expect(await t.nearest("automobile")).toEqual([kept]);
  });
});

describe("memories", () => {
  it("are indexed before a long conversation", async () => {
    const t = await newSemanticTenant({ on: "embedded" });
    await t.say(Array.from({ length: VECTOR_PAGE_SIZE + 1 }, (_, i) => said(`m${i}`, `Message ${i}`)));
    let id = "";
    t.embedder.meanwhile = async () => {
      t.embedder.meanwhile = async () => undefined;
      id = await t.keep("Her car is red");
    };
    await t.indexed();
    expect(id).not.toBe("");
    expect(t.events.map((event) => "kind" in event && event.kind)).toEqual(["message", "memory", "message"]);
  });
});

describe("a failing embedder", () => {
  it("is retried with bounded exponential back-off, and then everything is indexed", async () => {
    const t = await newSemanticTenant({ on: "embedded" });
    const id = await t.keep("Her car is red");
    t.embedder.failure = new EmbedderError("down");
    const waits: number[] = [];
    for (let i = 0; i < 10; i += 1) {
      const next = await t.indexed();
      waits.push((next ?? 0) - t.clock.now);
      t.clock.now = next ?? 0;
    }
    expect(waits.slice(0, 3)).toEqual([FIRST_RETRY_MS, 2 * FIRST_RETRY_MS, 4 * FIRST_RETRY_MS]);
    expect(waits.at(-1)).toBe(LAST_RETRY_MS);
    expect(await t.nearest("automobile")).toEqual([]);
    expect(t.events.every(({ event }) => event === "vectors.failed")).toBe(true);
    t.embedder.failure = null;
    expect(await t.indexed()).toBeNull();
    expect(await t.nearest("automobile")).toEqual([id]);
    expect(await t.waiting()).toEqual([]);
  });

  it("and a failing index: no entry leaves the backlog before the index has it", async () => {
    const t = await newSemanticTenant();
    const id = await t.keep("Her car is red");
    t.vectorize.failNext(1, statusError("VECTOR_UPSERT", 500));
    await t.indexed();
    expect(await t.waiting()).toMatchObject([{ id, attempts: 1, visible_after: null }]);
    t.clock.now += FIRST_RETRY_MS;
    await t.indexed();
    expect(await t.nearest("automobile")).toEqual([id]);
  });
});

describe("a text that cannot be embedded", () => {
  it("is separated from the texts that it failed with, so that it does not block them", async () => {
    const t = await newSemanticTenant();
    const ids = [await t.keep("Her car is red"), await t.keep("It stumbles"), await t.keep("The dog barks")];
    t.embedder.stumbles = /stumbles/;
    for (let round = 0; round < 12; round += 1) {
      const next = await t.indexed();
      t.clock.now = Math.max(t.clock.now, next ?? 0);
    }
    expect((await t.nearest("automobile dog")).toSorted()).toEqual([ids[0], ids[2]].toSorted());
    expect((await t.waiting()).map(({ id }) => id)).toContain(ids[1]);
  });

  it("blocks no other memory", async () => {
    const t = await newSemanticTenant({ on: "embedded" });
    const before = await t.keep("Her car is red");
    const poison = await t.keep("This is poison");
    const after = await t.keep("His car is blue");
    t.embedder.poison = /poison/;
    const next = await t.indexed();
    expect((await t.nearest("automobile")).toSorted()).toEqual([before, after].toSorted());
    expect(await t.waiting()).toMatchObject([{ id: poison, attempts: 1 }]);
    // It does not block later ones either.
    t.clock.now = next ?? 0;
    const later = await t.keep("Their car is green");
    await t.indexed();
    expect(await t.nearest("automobile")).toContain(later);
    expect(await t.waiting()).toMatchObject([{ id: poison, attempts: 2 }]);
  });

  it("blocks no other message, not even its neighbours", async () => {
    const t = await newSemanticTenant({ on: "embedded" });
    const [first, poison, third] = await t.say([
      said("m1", "My car is red"),
      said("m2", "This is poison"),
      said("m3", "My car is fast"),
    ]);
    t.embedder.poison = /poison/;
    await t.indexed();
    expect((await t.nearest("automobile", {}, "message")).toSorted()).toEqual([first, third].toSorted());
    expect(await t.waiting()).toMatchObject([{ id: poison, attempts: 1 }]);
  });
});

describe("an eventually consistent index", () => {
  it("keeps an entry in the backlog until it is visible, and is checked with back-off", async () => {
    const t = await newSemanticTenant();
    const id = await t.keep("Her car is red");
    const next = await t.indexer.run(t.clock.now + 1_000);
    expect(next).toBe(t.clock.now + VISIBILITY_CHECK_MS);
    expect(await t.waiting()).toMatchObject([{ id, attempts: 0, visible_after: expect.any(String) }]);
    t.clock.now = next ?? 0;
    expect(await t.indexer.run(t.clock.now + 1_000)).toBe(t.clock.now + VISIBILITY_CHECK_MS);
    t.clock.now += VISIBILITY_CHECK_MS;
    expect(await t.indexer.run(t.clock.now + 1_000)).toBe(t.clock.now + 2 * VISIBILITY_CHECK_MS);
    expect(t.embedder.embedded).toHaveLength(1);
    t.vectorize.settle();
    t.clock.now += 2 * VISIBILITY_CHECK_MS;
    expect(await t.indexer.run(t.clock.now + 1_000)).toBeNull();
    expect(await t.waiting()).toEqual([]);
  });

  it("that never confirms a write is trusted after a number of checks", async () => {
    const t = await newSemanticTenant();
    await t.keep("Her car is red");
    let next = await t.indexer.run(t.clock.now + 1_000);
    let asked = 0;
    for (; next !== null && asked < 20; asked += 1) {
      t.clock.now = next;
      next = await t.indexer.run(t.clock.now + 1_000);
    }
    expect(asked).toBe(MAX_VISIBILITY_CHECKS + 1);
    expect(await t.waiting()).toEqual([]);
  });

  it("gets a change that was made before it showed the last write", async () => {
    const t = await newSemanticTenant();
    const id = await t.keep("Her car is red");
    await t.indexer.run(t.clock.now + 1_000);
    await t.store.memories.forget(
      { memory_id: id, reason: null, replacement_id: null },
      { anyOf: null, isLimit: false, binding: {} },
      null,
    );
    expect(await t.waiting()).toMatchObject([{ id }, { id, visible_after: null }]);
    await t.indexed();
    expect(await t.nearest("automobile", { live: true })).toEqual([]);
    expect(await t.nearest("automobile")).toEqual([id]);
  });

  it("that fails to report visibility does not block new entries", async () => {
    const t = await newSemanticTenant();
    await t.keep("Her car is red");
    await t.indexed();
    t.clock.now += VISIBILITY_CHECK_MS;
    const id = await t.keep("His boat is blue");
    t.vectorize.failNext(1, statusError("VECTOR_DESCRIBE", 500));
    await t.indexed();
    expect(await t.nearest("vessel")).toEqual([id]);
  });
});

describe("vectors of another embedder", () => {
  it("are not mixed: nothing is written, and the backlog grows", async () => {
    const t = await newSemanticTenant();
    await claimModel({ ...t.model, name: "another@1" });
    const ids = [await t.keep("Her car is red")];
    expect(await t.indexed()).toBeNull();
    ids.push(await t.keep("His car is blue"));
    expect(await t.indexed()).toBeNull();
    expect(t.embedder.embedded).toEqual([]);
    expect(t.vectorize.calls).toEqual([]);
    expect((await t.waiting()).map(({ id }) => id)).toEqual(ids);
  });

  it("include those in another index", async () => {
    const t = await newSemanticTenant();
    await claimModel({ ...t.model, index: "embedded" });
    await t.keep("Her car is red");
    await t.indexed();
    expect(t.vectorize.calls).toEqual([]);
  });

  it("include those with other dimensions", async () => {
    const t = await newSemanticTenant();
    await claimModel({ ...t.model, dimensions: t.embedder.dimensions + 1 });
    await t.keep("Her car is red");
    await t.indexed();
    expect(t.vectorize.calls).toEqual([]);
  });
});

describe("the vector of a message", () => {
  const four = [
    said("m1", "Where is the car?", { name: "Anna" }),
    said("m2", "Behind the garden", { name: "Ben" }),
    said("m3", "Thanks, then coffee", { name: "Anna" }),
    said("m4", "The doctor called", { role: "assistant" }),
  ];
  const texts = [
    "Anna: Where is the car?",
    "Ben: Behind the garden",
    "Anna: Thanks, then coffee",
    "assistant: The doctor called",
  ];

  /** Expects the indexed vector to equal the one of a text, smoothed with neighbours: [text, distance][]. */
  async function expectVector(
    t: Awaited<ReturnType<typeof newSemanticTenant>>,
    id: string | undefined,
    own: number,
    around: readonly (readonly [place: number, distance: number])[],
  ): Promise<void> {
    const vectorOf = (place: number) => t.embedder.vectorOf(texts[place] ?? "");
    const expected = smoothVector(
      vectorOf(own),
      around.map(([place, distance]) => ({ distance, vector: vectorOf(place) })),
    );
    const [stored] = await t.vectorize.getByIds([id ?? ""]);
    expect(cosine(Float32Array.from(stored?.values ?? []), expected)).toBeCloseTo(1, 5);
  }

  it("is that of its speaker and text, smoothed with its neighbours, and updated as they arrive", async () => {
    const t = await newSemanticTenant();
    const [m1] = await t.say(four.slice(0, 1));
    await t.indexed();
    await expectVector(t, m1, 0, []);
    const [m2] = await t.say(four.slice(1, 2), { from: 2, before: four.slice(0, 1) });
    await t.indexed();
    await expectVector(t, m1, 0, [[1, 1]]);
    await expectVector(t, m2, 1, [[0, -1]]);
    const [m3, m4] = await t.say(four.slice(2), { from: 3, before: four.slice(0, 2) });
    await t.indexed();
    await expectVector(t, m1, 0, [
      [1, 1],
      [2, 2],
    ]);
    await expectVector(t, m2, 1, [
      [0, -1],
      [2, 1],
      [3, 2],
    ]);
    await expectVector(t, m3, 2, [
      [1, -1],
      [3, 1],
      [0, -2],
    ]);
    await expectVector(t, m4, 3, [
      [2, -1],
      [1, -2],
    ]);
    // Each was embedded once, although its neighbours needed it repeatedly.
    expect(t.embedder.embedded.toSorted()).toEqual(texts.toSorted());
  });

  it("is recomputed only for messages with a new neighbour", async () => {
    const t = await newSemanticTenant();
    await t.say(four.slice(0, 3));
    await t.indexed();
    t.clock.now += VISIBILITY_CHECK_MS;
    await t.indexed();
    expect(await t.waiting()).toEqual([]);
    const [m4] = await t.say(four.slice(3), { from: 4, before: four.slice(0, 3) });
    const waiting = (await t.waiting()).map(({ id }) => id);
    expect(waiting).toHaveLength(3);
    expect(waiting).toContain(m4);
  });

  it("is the same from an indexer with an empty cache", async () => {
    const t = await newSemanticTenant();
    const ids = await t.say(four);
    await t.indexed();
    const before = await t.vectorize.getByIds(ids);
    await t.say(four);
    await t.newIndexer().run(t.clock.now + 1_000);
    t.vectorize.settle();
    expect(await t.vectorize.getByIds(ids)).toEqual(before);
  });

  it("is that of the current text when a session was erased and started again with the same ids", async () => {
    const t = await newSemanticTenant({ on: "embedded" });
    const [id] = await t.say([said("m1", "My car is red")]);
    await t.indexed();
    expect(await t.store.sessions.erase(t.session, { memories: true })).toMatchObject({ vectors: 1 });
    await t.indexed();
    expect(await t.say([said("m1", "The garden needs water")])).toEqual([id]);
    await t.indexed();
    expect(await t.nearest("automobile", {}, "message")).toEqual([]);
    expect(await t.nearest("backyard", {}, "message")).toEqual([id]);
  });

  it("is not smoothed with messages of other sessions", async () => {
    const t = await newSemanticTenant();
    const [mine] = await t.say(four.slice(0, 1));
    await t.say(four.slice(1, 2), { from: 2, session_id: freshId("session") });
    await t.indexed();
    await expectVector(t, mine, 0, []);
  });
});
