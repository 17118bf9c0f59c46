// Moves of a tenant between two databases, while it is read and written.

import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { findMove } from "../../../src/kernel/databases/tenant-moves";
import { RecallInput } from "../../../src/memories/memory-schemas";
import { beginMove, continueMove } from "../../../src/owners/shards/move-tenant";
import { TENANT_TABLES } from "../../../src/owners/shards/tenant-tables";
import { freshId } from "../support";
import { buildWrite, countRows, finishMove, openStore, prepareSecondDatabase, TWO } from "./support";

const NOW = "2026-03-01T12:00:00.000Z";
const SCOPE = { kind: "tenant" } as const;

beforeAll(prepareSecondDatabase);

async function recallTexts(tenant: string, query: string): Promise<string[]> {
  const request = RecallInput.parse({
    query,
    limit: 50,
    mode: "text",
    sources: ["memories"],
    min_relevance: 0,
  });
  const { hits } = await openStore(TWO, tenant).search.recall(SCOPE, request);
  return hits.map(({ content }) => content);
}

const ALL_LIVE = {
  type: null,
  session_id: null,
  user_id: null,
  agent_id: null,
  project_id: null,
  include_superseded: false,
};

describe("a move", () => {
  it("takes everything along, and leaves nothing behind", async () => {
    const tenant = freshId("tenant");
    const neighbour = freshId("tenant");
    const contents = Array.from({ length: 30 }, (_, i) => `The kettle number ${i} is in the pantry`);
    await openStore(TWO, tenant).store.memories.commit(contents.map(buildWrite));
    await openStore(TWO, neighbour).store.memories.commit([buildWrite("The neighbour has a kettle")]);
    const before = await recallTexts(tenant, "kettle pantry");
    expect(before).toHaveLength(30);
    const { memories } = openStore(TWO, tenant).store;
    const [first] = await memories.list(ALL_LIVE, { limit: 1, after: null });
    await memories.change(first?.id ?? "", (memory) => ({ ...memory, tags: ["moved"] }));
    const history = await memories.listHistory(first?.id ?? "");
    expect(history[0]?.versions).toHaveLength(1);
    // A predicate that only a past state has.
    await env.DB.prepare(
      `UPDATE memory_versions SET triples = json_insert(triples, '$[#]', json('["ext:past","x","xsd:string","",null]')) WHERE tenant = ?`,
    )
      .bind(tenant)
      .run();

    await beginMove(TWO, tenant, "DB_1", NOW);
    await finishMove(TWO, tenant);

    expect(await recallTexts(tenant, "kettle pantry")).toEqual(before);
    for (const { name } of TENANT_TABLES) expect(await countRows(env.DB, name, tenant)).toBe(0);
    expect(await countRows(env.SPARE_DB, "memories", tenant)).toBe(30);
    expect(await memories.listHistory(first?.id ?? "")).toEqual(history);
    expect(
      await env.SPARE_DB.prepare("SELECT 1 FROM predicates WHERE iri = 'ext:past'").first(),
    ).not.toBeNull();
    expect(await recallTexts(neighbour, "kettle")).toEqual(["The neighbour has a kettle"]);
    expect(await findMove(TWO, tenant)).toBeNull();
  });

  it("and back again, with what was written meanwhile", async () => {
    const tenant = freshId("tenant");
    const { store } = openStore(TWO, tenant);
    await store.memories.commit([buildWrite("The lamp is in the cellar")]);
    await beginMove(TWO, tenant, "DB_1", NOW);
    await finishMove(TWO, tenant);
    await store.memories.commit([buildWrite("The lamp is broken")]);
    await beginMove(TWO, tenant, "DB", NOW);
    await finishMove(TWO, tenant);
    await store.memories.commit([buildWrite("The lamp was repaired")]);
    expect((await recallTexts(tenant, "lamp")).toSorted()).toEqual([
      "The lamp is broken",
      "The lamp is in the cellar",
      "The lamp was repaired",
    ]);
    expect(await countRows(env.SPARE_DB, "memories", tenant)).toBe(0);
  });

  it("loses and repeats no write, at whatever point it is interrupted", async () => {
    const tenant = freshId("tenant");
    const { store } = openStore(TWO, tenant);
    const written: string[] = [];
    const write = async (content: string) => {
      await store.memories.commit([buildWrite(content)]);
      written.push(content);
    };
    await write("The first umbrella");
    await beginMove(TWO, tenant, "DB_1", NOW);
    // A run does one bounded part and is gone; the next one takes over.
    for (let part = 0; (await continueMove(TWO, tenant, { now: Date.now, until: 0 })) !== null; part += 1) {
      // No more than a recall returns.
      if (written.length < 40) await write(`The umbrella of part ${part}`);
      expect((await recallTexts(tenant, "umbrella")).toSorted()).toEqual(written.toSorted());
    }
    expect(written.length).toBeGreaterThan(5);
    await write("The last umbrella");
    expect((await recallTexts(tenant, "umbrella")).toSorted()).toEqual(written.toSorted());
    expect(await countRows(env.DB, "memories", tenant)).toBe(0);
  });

  it("copies forgotten and erased memories as such", async () => {
    const tenant = freshId("tenant");
    const { store } = openStore(TWO, tenant);
    const [kept, erased] = await store.memories.commit([
      buildWrite("The red chair"),
      buildWrite("The blue chair"),
    ]);
    await beginMove(TWO, tenant, "DB_1", NOW);
    // Until the rows are copied.
    for (let step = ""; step !== "index"; )
      step = (await continueMove(TWO, tenant, { now: Date.now, until: 0 }))?.step ?? "index";
    if (!erased?.ok || !kept?.ok) throw new Error("Nothing was written");
    await store.memories.erase(erased.value.memory_id);
    await finishMove(TWO, tenant);
    expect(await recallTexts(tenant, "chair")).toEqual(["The red chair"]);
    expect(await countRows(env.SPARE_DB, "memories", tenant)).toBe(1);
  });

  it("copies a memory that was erased and remembered again during the copy", async () => {
    const tenant = freshId("tenant");
    const { store } = openStore(TWO, tenant);
    const write = buildWrite("The green chair");
    const [first] = await store.memories.commit([write, buildWrite("The white chair")]);
    if (!first?.ok) throw new Error("Nothing was written");
    await beginMove(TWO, tenant, "DB_1", NOW);
    // A row of each table is copied at a time, so that the same content may come with a second number.
    for (let step = ""; step !== "copy"; )
      step = (await continueMove(TWO, tenant, { now: Date.now, until: 0 }))?.step ?? "copy";
    for (let part = 0; part < 4; part += 1) {
      await continueMove(TWO, tenant, { now: Date.now, until: 0 });
      await store.memories.erase(first.value.memory_id);
      await store.memories.commit([buildWrite("The green chair")]);
    }
    await finishMove(TWO, tenant);
    expect((await recallTexts(tenant, "chair")).toSorted()).toEqual(["The green chair", "The white chair"]);
  });
});

describe("a call with an outdated idea of where the tenant is", () => {
  it("reads and writes where it is now", async () => {
    const tenant = freshId("tenant");
    // Another isolate: it remembers by its own binding of `DB`.
    const other = { ...TWO, DB: Object.create(env.DB) as D1Database };
    const elsewhere = openStore(other, tenant).store.memories;
    await elsewhere.commit([buildWrite("The piano is in tune")]);
    await beginMove(TWO, tenant, "DB_1", NOW);
    await finishMove(TWO, tenant);
    await elsewhere.commit([buildWrite("The piano was sold")]);
    expect((await recallTexts(tenant, "piano")).toSorted()).toEqual([
      "The piano is in tune",
      "The piano was sold",
    ]);
    expect(await countRows(env.DB, "memories", tenant)).toBe(0);
  });
});

describe("a move is refused", () => {
  it("to where the tenant is, to an unknown database, and while another one leaves the same database", async () => {
    const [first, second] = [freshId("tenant"), freshId("tenant")];
    await expect(beginMove(TWO, first, "DB", NOW)).rejects.toThrow("is in DB already");
    await expect(beginMove(TWO, first, "DB_7", NOW)).rejects.toThrow("DB_7");
    await beginMove(TWO, first, "DB_1", NOW);
    await expect(beginMove(TWO, second, "DB_1", NOW)).rejects.toThrow("One moves at a time");
    await finishMove(TWO, first);
  });
});
