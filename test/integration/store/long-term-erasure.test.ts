// Erasure takes everything of a memory and nothing else; a rebuild brings the read model back from the triples.
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { LIMITS } from "../../../src/kernel/limits";
import { DEFAULT_RANKING } from "../../../src/models/embedders/embedder";
import { createLongTermMemory } from "../../../src/services/long-term-memory";
import { callWith, freshId, untilIndexed } from "../support";
import { recallAt } from "../usage-support";
import { ids, lost, NOON, newTenant, rebuild, type Tenant } from "./long-term-support";

let kioku: Tenant;
beforeEach(async () => {
  kioku = await newTenant();
});

async function erase(path: string) {
  const { status, body } = await kioku.call("DELETE", path);
  expect(status).toBe(200);
  return body.deleted;
}

/** A search that leaves no trace: it records no access. */
const search = async (query: string) => {
  const { hits } = await kioku.search().recall(
    { kind: "tenant" },
    {
      query,
      type: "all",
      min_confidence: 0,
      include_superseded: true,
      since: undefined,
      until: undefined,
      limit: 50,
      mode: "text",
      sources: ["memories"],
      ranking: DEFAULT_RANKING,
    },
  );
  return hits;
};

/** A memory that two others gave way to: one by its key, one by a forget. */
async function replacement() {
  const byKey = await kioku.remember({ content: "The gate is shut", key: "gate" });
  const byForget = await kioku.remember({ content: "The gate is locked" });
  const evidence = ["photo-1", "photo 2"];
  const id = await kioku.remember({ content: "The gate stands quixotically ajar", key: "gate", evidence });
  await kioku.forget({ memory_id: byForget, replacement_id: id, reason: "Look again" });
  return { id, byKey, byForget };
}

describe("erasing a memory", () => {
  it("takes it out of triples, read model and text index, and the receipt counts what D1 lost", async () => {
    const { id, byKey, byForget } = await replacement();
    const bystander = await kioku.remember({ content: "The gate is green", evidence: ["photo-1"] });
    await untilIndexed(kioku.tenant);
    const before = await kioku.contents();
    const deleted = await erase(`/v1/memories/${id}`);
    const after = await kioku.contents();

    const gone = lost(before.triples, after.triples);
    const own = gone.filter(({ subject }) => subject === `jido:memory_${id}`);
    const links = gone.filter(({ object }) => object === `jido:memory_${id}`);
    expect(own.length).toBeGreaterThanOrEqual(10);
    expect(links.map(({ subject }) => subject).sort()).toEqual(
      [byKey, byForget].map((old) => `jido:memory_${old}`).sort(),
    );
    expect(gone).toHaveLength(own.length + links.length);
    expect(deleted).toEqual({ memories: 1, triples: own.length, links: 2, vectors: 1 });
    expect(lost(ids(before.memories), ids(after.memories))).toEqual([id]);
    expect(lost(before.indexed, after.indexed)).toEqual([id]);

    expect(JSON.stringify(after)).not.toContain(id);
    expect(JSON.stringify(after)).not.toContain("quixotically");
    const index = await env.DB.prepare(
      "SELECT rowid FROM memories_fts WHERE memories_fts MATCH 'quixotically'",
    ).all();
    expect(index.results).toEqual([]);
    for (const part of ["", "/triples", "/history"])
      expect((await kioku.call("GET", `/v1/memories/${id}${part}`)).status).toBe(404);
    expect((await kioku.call("DELETE", `/v1/memories/${id}`)).status).toBe(404);
    const kept = (row: { id: string }) => row.id === bystander;
    expect(after.memories.filter(kept)).toEqual(before.memories.filter(kept));
  });

  it("leaves everything else as it was: other sessions, other tenants, the unknown", async () => {
    const stranger = await newTenant();
    const content = "The same words everywhere";
    const theirs = await stranger.remember({ content });
    const elsewhere = await kioku.remember({ content, session_id: freshId("session") });
    const id = await kioku.remember({ content });
    const before = { mine: await kioku.contents(), theirs: await stranger.contents() };
    for (const other of [theirs, freshId("memory")])
      expect((await kioku.call("DELETE", `/v1/memories/${other}`)).status).toBe(404);
    await erase(`/v1/memories/${id}`);
    const after = await kioku.contents();
    expect(after.memories).toEqual(before.mine.memories.filter((row) => row.id === elsewhere));
    expect(after.triples).toEqual(
      before.mine.triples.filter(({ subject }) => subject !== `jido:memory_${id}`),
    );
    expect(after.indexed).toEqual([elsewhere]);
    expect(await stranger.contents()).toEqual(before.theirs);
  });

  it("does not revive what it had superseded, not even after a rebuild", async () => {
    const { id, byKey, byForget } = await replacement();
    await erase(`/v1/memories/${id}`);
    const expectDead = async () => {
      expect(await kioku.liveIds()).toEqual([]);
      for (const old of [byKey, byForget])
        expect(await kioku.memory(old)).toMatchObject({ status: "forgotten", superseded_by: null });
      const { body } = await kioku.call("POST", "/v1/recall", { query: "gate" });
      expect(body.count).toBe(0);
    };
    await expectDead();
    const { memories } = await kioku.contents();
    await rebuild(kioku.tenant);
    expect((await kioku.contents()).memories).toEqual(memories);
    await expectDead();
  });

  it("leaves room for new lives: what was erased, forgotten and is remembered again is a new memory", async () => {
    const content = "The same again";
    const agent_id = freshId("agent");
    const again = () => kioku.remember({ content, session_id: undefined, agent_id });
    const first = await again();
    await kioku.forget({ memory_id: first });
    const second = await again();
    await erase(`/v1/memories/${first}`);
    await kioku.forget({ memory_id: second });
    const third = await again();
    expect(third).not.toBe(second);
    expect(await kioku.liveIds()).toEqual([third]);
  });
});

describe("erasing a session", () => {
  async function filledSession() {
    const path = `/v1/sessions/${kioku.session}`;
    await kioku.call("POST", "/v1/sessions", { id: kioku.session, agent_id: "a-1", project_id: "p-1" });
    const messages = ["Hello", "Goodbye"].map((content) => ({ role: "user", content }));
    await kioku.call("POST", `${path}/messages`, { messages });
    await kioku.call("PUT", `${path}/context/framework`, { value: "Hono", source: "tool" });
    const pending = { content: "Perhaps", memory_type: "fact", importance_score: 0.1 };
    await kioku.call("POST", `${path}/pending`, pending);
    await replacement();
    const elsewhere = await kioku.remember({ content: "Elsewhere", session_id: freshId("session") });
    await untilIndexed(kioku.tenant);
    return { path, elsewhere, before: await kioku.contents() };
  }
  const SHORT_TERM = { messages: 2, context: 1, pending: 1 };

  it("with its memories: they leave triples, read model and text index, and the receipt counts them", async () => {
    const { path, elsewhere } = await filledSession();
    const deleted = await erase(`${path}?memories=true`);
    const after = await kioku.contents();
    expect(ids(after.memories)).toEqual([elsewhere]);
    expect(after.indexed).toEqual([elsewhere]);
    expect(JSON.stringify(after.triples)).not.toContain(kioku.session);
    expect(deleted).toMatchObject({ ...SHORT_TERM, memories: 3, vectors: 5 });
    expect((await kioku.call("GET", path)).status).toBe(404);
  });

  it("without its memories: they stay", async () => {
    const { path, before } = await filledSession();
    expect(await erase(path)).toMatchObject({ ...SHORT_TERM, memories: 0, vectors: 2 });
    const after = await kioku.contents();
    expect(after.memories).toEqual(before.memories);
    expect(after.indexed).toEqual(before.indexed);
  });

  it.each([
    ["without its memories", ""],
    ["with its memories", "?memories=true"],
  ])("%s: the receipt counts every triple that memories lost", async (_what, query) => {
    const { path, before } = await filledSession();
    const { triples } = await erase(`${path}${query}`);
    const gone = lost(before.triples, (await kioku.contents()).triples);
    const ofMemories = gone.filter(({ subject }) => String(subject).startsWith("jido:memory_"));
    expect(triples).toBe(ofMemories.length);
    expect(gone.length).toBeGreaterThan(ofMemories.length);
  });
});

describe("rebuilding the read model", () => {
  const SIZE = LIMITS.rebuildPage + 20;

  /** One of everything a memory can be, and more than a page of them. */
  async function everyKind() {
    const plain = Array.from({ length: SIZE }, (_, i) => kioku.write({ content: `Plain statement ${i}` }));
    await kioku.store().memories.commit(plain);
    await kioku.call("POST", "/v1/sessions", { id: kioku.session, agent_id: "a-1", project_id: "p-1" });
    const { id } = await replacement();
    await replacement().then(({ id: erased }) => erase(`/v1/memories/${erased}`));
    const said = { content: "Zebras graze, 記憶 🧠", evidence: ["one", "2 %20"], confidence: 0.1 + 0.2 };
    await kioku.remember({ ...said, type: "hypothesis", valid_from: "2020-02-29T00:00:00Z" });
    await kioku.remember({
      ...said,
      type: "hypothesis",
      evidence: ["three"],
      rationale: "Seen",
      confidence: 1e-7,
    });
    const properties = { hasConventionScope: "ProjectScope", violationConsequence: ["Noise", "Delay"] };
    await kioku.remember({ content: "Zebras first", type: "coding_standard", properties });
    await kioku.remember({ content: "Zebras by agent", session_id: undefined, agent_id: "a-2" });
    await kioku.remember({ content: "Zebras by project", session_id: undefined, project_id: "p-2" });
    await recallAt(kioku.tenant, [id], NOON);
    await recallAt(kioku.tenant, [id], NOON);
  }

  it("page by page gives every row back exactly, and recall works again", async () => {
    const stranger = await newTenant();
    await stranger.remember({ content: "Zebras of another tenant" });
    await everyKind();
    const before = { mine: await kioku.contents(), theirs: await stranger.contents() };
    const found = await search("zebras");
    expect(found).toHaveLength(4);

    await env.DB.batch([env.DB.prepare("DELETE FROM memories"), env.DB.prepare("DELETE FROM memories_fts")]);
    expect((await kioku.contents()).memories).toEqual([]);
    expect(await search("zebras")).toEqual([]);

    const pages = await rebuild();
    expect(pages.length).toBeGreaterThan(1);
    expect(Math.max(...pages)).toBeLessThanOrEqual(LIMITS.rebuildPage);
    expect(await kioku.contents()).toEqual(before.mine);
    expect(await stranger.contents()).toEqual(before.theirs);
    expect(ids(await search("zebras"))).toEqual(ids(found));
    const { body } = await kioku.call("POST", "/v1/recall", { query: "zebras", agent_id: "a-2" });
    expect(body.count).toBe(1);
  });

  it("gives a property with a value given twice back as it was", async () => {
    const properties = { violationConsequence: ["Noise", "Noise"] };
    const id = await kioku.remember({ content: "Indent by two", type: "convention", properties });
    const before = (await kioku.memory(id)).properties;
    await rebuild(kioku.tenant);
    expect((await kioku.memory(id)).properties).toEqual(before);
  });

  it("need not give back a property without a value: that is refused", async () => {
    const { status, body } = await kioku.call("POST", "/v1/remember", {
      session_id: kioku.session,
      content: "Indent by two",
      type: "convention",
      properties: { violationConsequence: [] },
    });
    expect(status).toBe(400);
    expect(body.errors[0].path).toBe("properties.violationConsequence");
  });

  it("gives a row back its vector, which the indexer had removed together with the row", async () => {
    const { indexing } = createLongTermMemory(env, kioku.tenant, { now: Date.now });
    const id = await kioku.remember({ content: "The lighthouse keeper repaired the lamp" });
    await indexing.drain();
    await env.DB.batch([
      env.DB.prepare("DELETE FROM memories WHERE id = ?").bind(id),
      env.DB.prepare("INSERT INTO vector_queue (tenant, kind, seq, id) VALUES (?, 'memory', 1, ?)").bind(
        kioku.tenant,
        id,
      ),
    ]);
    await indexing.drain();
    await rebuild(kioku.tenant);
    await indexing.drain();
    const { body } = await kioku.call("POST", "/v1/recall", {
      query: "The keeper of the lighthouse mended the light",
      mode: "semantic",
    });
    expect(ids(body.memories)).toEqual([id]);
  });

  it("drops what no triple stands for", async () => {
    const id = await kioku.remember({ content: "Founded" });
    const ghost = await kioku.remember({ content: "Unfounded" });
    const before = await kioku.contents();
    await env.DB.prepare("DELETE FROM triples WHERE subject = ?").bind(`jido:memory_${ghost}`).run();
    expect(await rebuild(kioku.tenant)).toEqual([1]);
    const after = await kioku.contents();
    expect(after.memories).toEqual(before.memories.filter((row) => row.id === id));
    expect(after.indexed).toEqual([id]);
    expect(await search("unfounded")).toEqual([]);
  });

  it("is for administrators", async () => {
    for (const key of [kioku.key, null]) {
      const { status } = await callWith(key, "POST", "/v1/admin/rebuild", { tenant: kioku.tenant });
      expect(status).toBe(key === null ? 401 : 403);
    }
  });
});
