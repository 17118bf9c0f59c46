// The memory stores: each against the suite, the one on D1 as part of long-term memory, and which of them is used.
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { BookmarkTracker } from "../../../src/kernel/databases/bookmark-tracker";
import { FailureError } from "../../../src/kernel/errors";
import { POLICY } from "../../../src/kernel/limits";
import { createNamespace, type ResolvedNamespace } from "../../../src/memories/store/namespace";
import { BUILT_IN_ONTOLOGY } from "../../../src/ontology/tenant-ontology";
import { createD1EntryStore } from "../../../src/policy/d1-entry-store";
import type { EntryStore, EntryWrite } from "../../../src/policy/entry-store";
import { createInMemoryEntryStore } from "../../../src/policy/in-memory-entry-store";
import { selectEntryStore } from "../../../src/policy/select-entry-store";
import { createLongTermMemory } from "../../../src/services/long-term-memory";
import type { Services } from "../../../src/services/services";
import type { SessionRpc } from "../../../src/sessions/session-rpc";
import { createMaskCollector, createPrivacyGate } from "../../../src/trust/privacy/privacy-gate";
import { DEFAULT_PRIVACY, DEFAULT_PRIVACY_RULES } from "../../../src/trust/privacy/privacy-policy";
import { NO_USAGE } from "../../../src/trust/quotas";
import { ids, NOON, newTenant, rebuild, type Tenant } from "../store/long-term-support";
import { freshId, sessionStub, untilIndexed } from "../support";
import { describeStore } from "./suite";

/** What a call has to work with, at any clock. */
function servicesFor(tenant: string, now: () => number): Services {
  return {
    tenant,
    keyId: "test",
    binding: {},
    hasCapabilities: false,
    canRead: true,
    canWrite: true,
    usage: NO_USAGE,
    quotas: NO_USAGE,
    withoutQuotas: () => servicesFor(tenant, now),
    privacy: DEFAULT_PRIVACY_RULES,
    ontology: BUILT_IN_ONTOLOGY,
    masked: createMaskCollector(),
    gate: createPrivacyGate({ lookUp: () => DEFAULT_PRIVACY, refuses: true }),
    ...createLongTermMemory(env, tenant, { now, memoriesPerSession: 1_000 }),
    bookmarks: new BookmarkTracker(tenant),
    limitReads: (work) => work(),
    openGraph: () => {
      throw new Error("No graph here");
    },
    session: (id) => sessionStub(tenant, id) as unknown as SessionRpc,
    signals: () => Promise.reject(new Error("No signals here")),
    requireSettledVectors: () => Promise.reject(new Error("No index here")),
    eraseIndex: () => Promise.reject(new Error("No index here")),
    eraseKeys: () => Promise.reject(new Error("No keys here")),
    endConnections: () => Promise.reject(new Error("No keys here")),
    eraseLeftovers: () => Promise.reject(new Error("No rows here")),
    project: () => {
      throw new Error("No projects here");
    },
    telemetry: () => undefined,
    now,
    later: (work) => void work.catch(() => undefined),
  };
}

const kept = new Map<string, EntryStore>();

describeStore("in memory", (tenant, now) => {
  const store = kept.get(tenant) ?? createInMemoryEntryStore({ now });
  kept.set(tenant, store);
  return store;
});
describeStore("d1", (tenant, now) => createD1EntryStore(servicesFor(tenant, now)));

describe("d1: an entry", () => {
  const agent = createNamespace("agent:ada", null, "ada");
  const team = createNamespace("team", null, null);
  const clock = { now: 0 };
  let kioku: Tenant;
  let store: EntryStore;
  beforeEach(async () => {
    kioku = await newTenant();
    clock.now = Date.parse(NOON);
    store = createD1EntryStore(servicesFor(kioku.tenant, () => clock.now));
  });

  /** A minute later than the one before. */
  async function write(namespace: ResolvedNamespace, content: string, more: Partial<EntryWrite> = {}) {
    clock.now += 60_000;
    const { session_id } = namespace;
    const op = freshId("op");
    const blank = { agent_id: "ada", session_id, metadata: {}, source: "manual", op } as const;
    return (await store.write({ ...blank, namespace, content, ...more })).entry;
  }
  const list = (namespace = agent) => store.list_entries({ namespace, limit: 100, after: null });
  const recall = (query: string, namespace = agent, limit = 10) =>
    store.recall({ scope: { kind: "namespace", ...namespace }, query, limit });

  it("is a memory, read by its id, and its triples say where it belongs", async () => {
    const namespace = createNamespace("team", kioku.session, null);
    const metadata = { by: "hand" };
    const { id, created_at } = await write(namespace, "Likes tea", { metadata, source: "conversation" });
    const name = `team:session:${kioku.session}`;
    expect(await kioku.memory(id)).toMatchObject({
      type: "fact",
      content: "Likes tea",
      session_id: kioku.session,
      agent_id: "ada",
      source_type: "agent",
      status: "live",
      timestamp: created_at,
      properties: { namespace: [name], entrySource: ["conversation"], entryMetadata: ['{"by":"hand"}'] },
    });
    const subject = `jido:memory_${id}`;
    const datatype = "xsd:string";
    expect((await kioku.contents()).triples).toEqual(
      expect.arrayContaining([
        { subject, predicate: "jido:namespace", object: name, datatype },
        { subject, predicate: "jido:entrySource", object: "conversation", datatype },
        { subject, predicate: "jido:entryMetadata", object: '{"by":"hand"}', datatype },
        { subject, predicate: "jido:summary", object: "Likes tea", datatype },
      ]),
    );
  });

  it("comes out of a rebuild the same to the byte, and is found as before", async () => {
    await write(agent, "Likes tea", { metadata: { ключ: ["日本", 1.5] } });
    await write(agent, "User: hi\nAssistant: Hello!", { source: "conversation", session_id: kioku.session });
    await write(createNamespace("agent:ada", kioku.session, "ada"), "Likes cake");
    await write(team, "Likes tea");
    await write(team, "likes TEA", { metadata: { added: "later" } });
    const before = await kioku.contents();
    // Without scores: vectors in the index are rounded, those of the backlog are not.
    const find = async (namespace?: typeof team) =>
      (await recall("tea", namespace)).map(({ score: _score, signals: _signals, ...entry }) => entry);
    const found = { agent: await find(), team: await find(team), listed: await list() };
    expect(before.memories).toHaveLength(4);
    for (const emptied of [false, true]) {
      if (emptied) await env.DB.prepare("DELETE FROM memories WHERE tenant = ?").bind(kioku.tenant).run();
      await rebuild(kioku.tenant);
      expect(await kioku.contents()).toEqual(before);
      expect({ agent: await find(), team: await find(team), listed: await list() }).toEqual(found);
    }
  });

  it("is found by its meaning, in its namespace alone, before and after it is indexed", async () => {
    const session = createNamespace("team", kioku.session, null);
    const content = "She adopted a puppy from the animal shelter";
    for (const namespace of [agent, team, session, createNamespace("crew", null, null)]) {
      await write(namespace, content);
      for (let i = 0; i < 3; i += 1) await write(namespace, `Invoice ${i} is due on Friday`);
    }
    for (const _ of ["at once", "later"]) {
      for (const namespace of [agent, team, session]) {
        const [best] = await recall("Which dog does she have?", namespace, 1);
        expect(best).toMatchObject({ content, signals: { semantic: expect.any(Number), mode: "hybrid" } });
        expect(best?.namespace.startsWith(namespace.name)).toBe(true);
      }
      await untilIndexed(kioku.tenant);
    }
  });

  it("that is a long turn comes out of a rebuild the same to the byte", async () => {
    const content = `User: ${"The valley has many farms. ".repeat(300)}`;
    const entry = await write(agent, content, { source: "conversation", session_id: freshId("s") });
    expect(entry.parts?.length).toBeGreaterThan(3);
    const before = await kioku.contents();
    await env.DB.prepare("DELETE FROM memories WHERE tenant = ?").bind(kioku.tenant).run();
    await rebuild(kioku.tenant);
    expect(await kioku.contents()).toEqual(before);
    expect(await store.list_entries({ namespace: agent, limit: 10, after: null })).toEqual([entry]);
  });

  it("that is erased leaves nothing, and the same call does not bring it back", async () => {
    const once = { op: freshId("op"), metadata: { note: "quixotic" } };
    const before = await kioku.contents();
    const { id } = await write(agent, "Likes zabaglione", once);
    await untilIndexed(kioku.tenant);
    const { status, body } = await kioku.call("DELETE", `/v1/memories/${id}`);
    expect([status, body.deleted]).toMatchObject([200, { memories: 1, vectors: 1 }]);
    expect(await kioku.contents()).toEqual(before);
    expect([await list(), await recall("zabaglione")]).toEqual([[], []]);
    const again = write(agent, "Likes zabaglione", once);
    await expect(again).rejects.toMatchObject({ failure: { code: "gone" } });
    expect(await kioku.contents()).toEqual(before);
    expect((await write(agent, "Likes zabaglione")).metadata).toEqual({});
  });

  it("goes with its session when that is erased with its memories, and others stay", async () => {
    await write(createNamespace("agent:ada", kioku.session, "ada"), "Of the session");
    await write(team, "Said in the session", { session_id: kioku.session });
    const kept = [await write(agent, "Of the agent"), await write(team, "Of the team")];
    const { status } = await kioku.call("DELETE", `/v1/sessions/${kioku.session}?memories=true`);
    expect(status).toBe(200);
    expect([...(await list()), ...(await list(team))]).toEqual(kept);
    expect(ids((await kioku.contents()).memories).toSorted()).toEqual(ids(kept).toSorted());
  });

  it("that is forgotten is no longer recalled or listed, and may be written again", async () => {
    const { id } = await write(agent, "Likes tea");
    await kioku.forget({ memory_id: id, reason: "Coffee now" });
    expect([await list(), await recall("tea")]).toEqual([[], []]);
    const again = await write(agent, "Likes tea");
    expect(again.id).not.toBe(id);
    expect(await list()).toEqual([again]);
  });

  it("of an agent's own namespace may be whatever else the agent remembers", async () => {
    const inSession = await kioku.remember({ content: "Tea in the session", agent_id: "ada" });
    const { body } = await kioku.call("POST", "/v1/remember", { content: "Tea outside", agent_id: "ada" });
    await kioku.call("POST", "/v1/remember", { content: "Tea of another", agent_id: "ben" });
    await write(team, "Tea of the team");
    const entry = await write(agent, "Tea written");
    const session = createNamespace("agent:ada", kioku.session, "ada");
    const all = [entry.id, inSession, body.memory_id].toSorted();
    expect(ids(await list()).toSorted()).toEqual(all);
    expect(ids(await recall("tea")).toSorted()).toEqual(all);
    for (const seen of [await list(session), await recall("tea", session)])
      expect(seen).toMatchObject([
        { id: inSession, source: "memory", metadata: {}, namespace: session.name },
      ]);
    expect(await list(team)).toMatchObject([{ content: "Tea of the team", source: "manual" }]);
  });

  it("of a session is refused as that session refuses a memory", async () => {
    const session = createNamespace("agent:ada", kioku.session, "ada");
    await write(session, "Likes tea");
    await kioku.call("POST", `/v1/sessions/${kioku.session}/close`);
    await expect(write(session, "Too late")).rejects.toBeInstanceOf(FailureError);
    await expect(write(session, "Too late")).rejects.toMatchObject({ failure: { code: "conflict" } });
    expect(await list()).toMatchObject([{ content: "Likes tea" }]);
  });

  it.each([
    "namespace",
    "entrySource",
    "entryMetadata",
    "entryLasting",
    "entryTurn",
    "entryPart",
  ])("cannot be forged by a memory with the property %s", async (name) => {
    const { status, body } = await kioku.call("POST", "/v1/remember", {
      content: "Forged",
      agent_id: "mallory",
      properties: { [name]: name === "namespace" ? "team" : name === "entryLasting" ? "false" : "manual" },
    });
    expect([status, body.code]).toEqual([400, "invalid_request"]);
    const message = expect.stringContaining("POST /v1/entries");
    expect(body.errors).toEqual([{ path: `properties.${name}`, message }]);
    expect(await list(team)).toEqual([]);
    expect((await kioku.contents()).memories).toEqual([]);
  });

  it("is listed by an index, however much else there is", async () => {
    const plans: string[] = [];
    const d1 = {
      prepare: (query: string) => ({
        bind: (...params: unknown[]) => ({
          all: async () => {
            const statement = env.DB.prepare(`EXPLAIN QUERY PLAN ${query}`).bind(...params);
            const { results } = await statement.all<{ detail: string }>();
            plans.push(
              ...results.map(({ detail }) => detail).filter((detail) => /^(SEARCH|SCAN) m/.test(detail)),
            );
            return { results: [] };
          },
        }),
      }),
    } as unknown as D1Database;
    const planned = createLongTermMemory({ ...env, DB: d1 }, kioku.tenant, { now: () => clock.now });
    const after = { timestamp: NOON, id: "x" };
    for (const namespace of [
      agent,
      team,
      createNamespace("agent:ada", "s1", "ada"),
      createNamespace("team", "s1", null),
    ])
      await planned.store.namespaces.listMemories({ kind: "namespace", ...namespace }, { limit: 10, after });
    for (const kind of ["user", "session", "agent", "project"] as const)
      await planned.store.namespaces.listMemories({ kind, id: "x" }, { limit: 10, after });
    await planned.store.namespaces.listMemories({ kind: "tenant" }, { limit: 10, after });
    const rows = "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)";
    expect(plans.filter((plan) => plan !== rows)).toEqual([
      "SEARCH m USING INDEX memories_by_agent (tenant=? AND agent_id=? AND timestamp<?)",
      "SEARCH m USING INDEX memories_by_namespace (tenant=? AND scope=? AND (timestamp,id)<(?,?))",
      "SEARCH m USING INDEX memories_by_namespace (tenant=? AND scope>? AND scope<?)",
      "SEARCH m USING INDEX memories_by_session (tenant=? AND session_id=? AND live=? AND timestamp<?)",
      "SEARCH m USING INDEX memories_by_namespace (tenant=? AND scope=? AND (timestamp,id)<(?,?))",
      "SEARCH m USING INDEX memories_by_user (tenant=? AND user_id=? AND live=? AND (timestamp,id)<(?,?))",
      "SEARCH m USING INDEX memories_by_session (tenant=? AND session_id=? AND live=? AND timestamp<?)",
      "SEARCH m USING INDEX memories_by_agent (tenant=? AND agent_id=? AND timestamp<?)",
      "SEARCH m USING INDEX memories_by_project (tenant=? AND project_id=? AND timestamp<?)",
      "SEARCH m USING INDEX memories_by_time (tenant=? AND (timestamp,id)<(?,?))",
    ]);
  });
});

describe("in memory: the store", () => {
  it("keeps so many entries, and lets the first go for one more", async () => {
    const store = createInMemoryEntryStore({ now: () => Date.parse(NOON) });
    const namespace = createNamespace("agent:ada", null, "ada");
    const blank = { namespace, agent_id: "ada", session_id: null, metadata: {}, source: "manual" } as const;
    for (let i = 0; i <= POLICY.inMemoryEntries; i += 1)
      await store.write({ ...blank, content: `Number ${i}`, op: `op-${i}` });
    const entries = await store.list_entries({ namespace, limit: 10_000, after: null });
    expect(entries).toHaveLength(POLICY.inMemoryEntries);
    const contents = entries.map(({ content }) => content);
    expect(contents).not.toContain("Number 0");
    expect(contents).toContain(`Number ${POLICY.inMemoryEntries}`);
  });

  it("is not changed through what it gave or was given", async () => {
    const store = createInMemoryEntryStore({ now: () => Date.parse(NOON) });
    const namespace = createNamespace("team", null, null);
    const metadata = { list: ["a"] };
    const blank = { namespace, agent_id: null, session_id: null, source: "manual", op: "1" } as const;
    const { entry } = await store.write({ ...blank, content: "Tea", metadata });
    metadata.list.push("b");
    entry.metadata.list = "c";
    const [listed] = await store.list_entries({ namespace, limit: 1, after: null });
    expect(listed?.metadata).toEqual({ list: ["a"] });
  });
});

describe("the setting POLICY_STORE", () => {
  const namespace = createNamespace("team", null, null);
  const at = (tenant: string) => servicesFor(tenant, () => Date.parse(NOON));
  const writeTo = (store: EntryStore) =>
    store.write({
      namespace,
      agent_id: "ada",
      session_id: null,
      content: "Tea",
      metadata: {},
      source: "manual",
      op: freshId("op"),
    });
  const listOf = (store: EntryStore) => store.list_entries({ namespace, limit: 10, after: null });

  it.each([undefined, "", "d1"])("is d1 unless it says otherwise: %j", async (POLICY_STORE) => {
    const services = { ...at(freshId("tenant")), policyStore: POLICY_STORE };
    const { entry } = await writeTo(selectEntryStore(services));
    expect(await services.store.memories.find(entry.id)).toMatchObject({ content: "Tea" });
  });

  it("memory keeps nothing in the database, and is one store for each tenant", async () => {
    const [mine, theirs] = [at(freshId("tenant")), at(freshId("tenant"))];
    const setting = { policyStore: "memory" };
    const { entry } = await writeTo(selectEntryStore({ ...mine, ...setting }));
    expect(await listOf(selectEntryStore({ ...at(mine.tenant), ...setting }))).toEqual([entry]);
    expect(await listOf(selectEntryStore({ ...theirs, ...setting }))).toEqual([]);
    expect(
      await mine.store.namespaces.listMemories(
        { kind: "namespace", ...namespace },
        { limit: 10, after: null },
      ),
    ).toEqual([]);
  });

  it("is overridden by the store that a call names", async () => {
    const services = { ...at(freshId("tenant")), policyStore: "memory" };
    const { entry } = await writeTo(selectEntryStore(services, "d1"));
    expect(await services.store.memories.find(entry.id)).toMatchObject({ content: "Tea" });
    expect(await listOf(selectEntryStore(services))).toEqual([]);
    expect(() => selectEntryStore(services, "redis")).toThrow(
      'store: must be one of: d1, memory; is "redis"',
    );
  });

  it.each(["redis", "constructor"])("that names no store says which there are: %s", (POLICY_STORE) => {
    const opened = () => selectEntryStore({ ...at(freshId("tenant")), policyStore: POLICY_STORE });
    expect(opened).toThrow(FailureError);
    expect(opened).toThrow(`POLICY_STORE must be one of: d1, memory; is "${POLICY_STORE}"`);
  });
});
