// Entries without a turn: recalled by namespace, filtered by source and metadata, in the store that the call names.
import { describe, expect, it } from "vitest";
import { contents, ids, newSession } from "../support/actions";
import { type Client, fresh } from "../support/client";
import type { Entry } from "../support/contract";
import { bodyOf, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";
import { call as callTool, connectMcp, failing } from "../surfaces/mcp";
import {
  agentWith,
  entriesOf,
  entriesPath,
  note,
  preflight,
  setPolicy,
  systemText,
  takeTurn,
} from "./policy";

const kioku = serviceUnderTest();

type Fields = Record<string, unknown>;
type Recalled = {
  count: number;
  entries: (Entry & { score: number | null })[];
  namespace: string | null;
  hint?: string;
};

async function recallEntries(api: Client, body: Fields): Promise<Recalled> {
  return bodyOf(await api.post<Recalled>("/v1/entries/recall", body), 200);
}

describe("the walk of an agent with session memory", () => {
  const policy = { scope: "session", capture: "conversation", max_entries: 5 };
  const alex = "User prefers the name Alex.";

  it("writes, recalls, inspects and captures without a model", async () => {
    const api = await kioku.tenant();
    await setPolicy(api, "memory_agent", policy);
    const written = bodyOf(
      await api.post<Entry>("/v1/entries", {
        agent_id: "memory_agent",
        session_id: "conv-1",
        content: alex,
        metadata: { kind: "preference" },
      }),
      201,
    );
    expect(written).toMatchObject({ agent_id: "memory_agent", session_id: "conv-1" });
    const request = {
      agent_id: "memory_agent",
      session_id: "conv-1",
      scope: "session",
      query: "hello",
      limit: 5,
    };
    expect(contents((await recallEntries(api, request)).entries)).toEqual([alex]);
    const shown = await preflight(api, "conv-1", { input: "hello" });
    expect(systemText(shown)).toContain("prefers the name Alex");
    await takeTurn(api, "conv-1", "hello", "Welcome back, Alex.");
    const [latest] = await entriesOf(api, "agent:memory_agent:session:conv-1");
    expect(latest?.content).toBe("User: hello\nAssistant: Welcome back, Alex.");
  });

  it("needs the same session for both, and says so", async () => {
    const { agent, session } = await agentWith(kioku.api, policy);
    await note(kioku.api, agent, alex, { session_id: session });
    const elsewhere = { agent_id: agent, session_id: fresh("session"), scope: "session", query: "hello" };
    expect(await recallEntries(kioku.api, elsewhere)).toMatchObject({ count: 0, entries: [] });
    for (const body of [{ agent_id: agent }, { agent_id: agent, scope: "session" }])
      expectProblem(await kioku.api.post("/v1/entries/recall", body), "invalid_request", "session_id");
    expect(contents((await recallEntries(kioku.api, { agent_id: agent, scope: "agent" })).entries)).toEqual([
      alex,
    ]);
  });

  it("is nothing while the policy is off, and says how to switch it on", async () => {
    const { agent } = await agentWith(kioku.api, false);
    const { hint, ...answer } = await recallEntries(kioku.api, { agent_id: agent });
    expect(answer).toEqual({ count: 0, entries: [], namespace: null });
    expect(hint).toContain("policy");
  });
});

describe("recall of entries", () => {
  it("is by the namespace that is named, with its sessions or in one of them", async () => {
    const team = fresh("team");
    const { agent, session } = await agentWith(kioku.api, { scope: "session" });
    await note(kioku.api, agent, "Tea at four", { namespace: team, session_id: session });
    const all = await recallEntries(kioku.api, { namespace: team, query: "tea" });
    expect(all).toMatchObject({ count: 1, namespace: team, entries: [{ content: "Tea at four" }] });
    const full = `${team}:session:${session}`;
    expect(await recallEntries(kioku.api, { namespace: full })).toMatchObject({ count: 1, namespace: full });
    const within = { namespace: team, scope: "session", session_id: session };
    expect(await recallEntries(kioku.api, within)).toMatchObject({ count: 1, namespace: full });
    const other = { ...within, session_id: fresh("session") };
    expect(await recallEntries(kioku.api, other)).toMatchObject({ count: 0, entries: [] });
  });

  it("ranks by the query, and fills up with the newest unless it is told not to", async () => {
    const agent = fresh("agent");
    for (const content of ["The lantern is amber", "Saddles need oil", "Oats are in the barn"])
      await note(kioku.api, agent, content);
    const { entries } = await recallEntries(kioku.api, { agent_id: agent, query: "amber lantern" });
    expect(contents(entries)).toEqual(["The lantern is amber", "Oats are in the barn", "Saddles need oil"]);
    expect(entries.map(({ score }) => score === null)).toEqual([false, true, true]);
    const only = await recallEntries(kioku.api, { agent_id: agent, query: "amber lantern", fill: false });
    expect(contents(only.entries)).toEqual(["The lantern is amber"]);
    const none = await recallEntries(kioku.api, { agent_id: agent, query: "xylophone", fill: false });
    expect(none).toMatchObject({ count: 0, entries: [] });
  });

  it("is narrowed to a user, a source and metadata", async () => {
    const { agent, session } = await agentWith(kioku.api, { capture: "conversation" });
    const who = { agent, namespace: `agent:${agent}` };
    const [mia, leo] = [fresh("mia"), fresh("leo")];
    await note(kioku.api, agent, "Likes green tea", {
      user_id: mia,
      metadata: { kind: "preference", cups: 2 },
    });
    await note(kioku.api, agent, "Likes black tea", {
      user_id: leo,
      metadata: { kind: "preference", cups: 5 },
    });
    await note(kioku.api, agent, "Tea is at four", { metadata: { kind: "fact", tags: ["daily", "tea"] } });
    await takeTurn(kioku.api, session, "I drink tea every day.", "Noted.");
    const found = async (body: Fields) =>
      contents(
        (await recallEntries(kioku.api, { namespace: who.namespace, query: "tea", ...body })).entries,
      ).sort();
    expect(await found({ user_id: mia })).toEqual(["Likes green tea"]);
    expect(await found({ source: "conversation" })).toEqual([
      "User: I drink tea every day.\nAssistant: Noted.",
    ]);
    expect(await found({ metadata: { kind: "preference" } })).toEqual(["Likes black tea", "Likes green tea"]);
    expect(await found({ filter: { "metadata.cups": { $gt: 2 } } })).toEqual(["Likes black tea"]);
    expect(await found({ filter: { "metadata.tags": "daily", source: { $ne: "conversation" } } })).toEqual([
      "Tea is at four",
    ]);
    expect(await found({ metadata: { kind: "none" } })).toEqual([]);
  });

  it.each<[string, Fields]>([
    ["namespace", {}],
    ["namespace", { namespace: "agent:a b" }],
    ["namespace", { namespace: 7 }],
    ["scope", { agent_id: "a", scope: "tenant" }],
    ["query", { agent_id: "a", query: 7 }],
    ["limit", { agent_id: "a", limit: 0 }],
    ["limit", { agent_id: "a", limit: 51 }],
    ["source", { agent_id: "a", source: "user" }],
    ["metadata", { agent_id: "a", metadata: { kind: { $in: ["a"] } } }],
    ["filter", { agent_id: "a", filter: { "metadata.kind": { $like: "a" } } }],
    ["filter", { agent_id: "a", filter: { kind: "a" } }],
    ["store", { agent_id: "a", store: "redis" }],
    ["session_id", { namespace: "team", scope: "session" }],
    ["fill", { agent_id: "a", fill: "no" }],
    ["fields", { agent_id: "a", fields: 1 }],
  ])("is refused by its field %s: %j", async (field, body) => {
    const problem = expectProblem(await kioku.api.post("/v1/entries/recall", body), "invalid_request");
    expect(JSON.stringify(problem.errors ?? problem.detail)).toContain(field);
  });

  it("counts an access, except for a key that only reads", async () => {
    const name = fresh("tenant");
    const [api, reader] = [await kioku.tenant({ name }), await kioku.tenant({ name, scopes: ["read"] })];
    const agent = fresh("agent");
    const { id } = await note(api, agent, "Tea at four");
    const count = async () =>
      bodyOf(await api.get<{ access_count: number }>(`/v1/memories/${id}`), 200).access_count;
    await recallEntries(reader, { agent_id: agent });
    await preflight(reader, fresh("session"), { agent_id: agent });
    expect(await count()).toBe(0);
    await recallEntries(api, { agent_id: agent });
    await expect.poll(count).toBe(1);
  });
});

describe("a list of entries", () => {
  it("is narrowed by source and metadata, in the query string and in a body, page by page", async () => {
    const agent = fresh("agent");
    for (const [n, kind] of ["preference", "fact", "preference", "preference"].entries())
      await note(kioku.api, agent, `Number ${n}`, { metadata: { kind, n, open: n > 1 } });
    const namespace = `agent:${agent}`;
    const listed = async (query: string) => {
      const path = `${entriesPath(namespace)}&${query}`;
      return contents(bodyOf(await kioku.api.get<{ data: Entry[] }>(path), 200).data);
    };
    expect(await listed("metadata.kind=preference")).toEqual(["Number 3", "Number 2", "Number 0"]);
    expect(await listed("metadata.kind=preference&source=manual&metadata.n=2")).toEqual(["Number 2"]);
    expect(await listed("metadata.open=true")).toEqual(["Number 3", "Number 2"]);
    expect(await listed("source=conversation")).toEqual([]);
    const search = async (more: Fields) =>
      bodyOf(
        await kioku.api.post<{ data: Entry[]; next_cursor: string | null }>("/v1/entries/search", {
          namespace,
          filter: { "metadata.kind": { $in: ["preference"] } },
          ...more,
        }),
        200,
      );
    const first = await search({ limit: 2 });
    expect(contents(first.data)).toEqual(["Number 3", "Number 2"]);
    expect(contents((await search({ limit: 2, cursor: first.next_cursor })).data)).toEqual(["Number 0"]);
  });

  it("has those of all namespaces unless one is named, within the binding of the key", async () => {
    const name = fresh("tenant");
    const api = await kioku.tenant({ name });
    const [agent, other] = [fresh("agent"), fresh("agent")];
    await note(api, agent, "One");
    await note(api, other, "Two", { namespace: "team", metadata: { kind: "fact" } });
    const all = async (client: Client, query = "") =>
      contents(bodyOf(await client.get<{ data: Entry[] }>(`/v1/entries${query}`), 200).data);
    expect(await all(api)).toEqual(["Two", "One"]);
    expect(await all(api, "?metadata.kind=fact")).toEqual(["Two"]);
    expect(await all(api, `?agent_id=${agent}`)).toEqual(["One"]);
    const searched = await api.post<{ data: Entry[] }>("/v1/entries/search", { agent_id: other });
    expect(contents(bodyOf(searched, 200).data)).toEqual(["Two"]);
    const bound = await kioku.tenant({ name, bind: { agent_id: agent } });
    expect(await all(bound)).toEqual(["One"]);
    expectProblem(await bound.get(`/v1/entries?agent_id=${other}`), "forbidden");
  });

  it.each([
    "source=user",
    `metadata.${"k".repeat(200)}=a`,
    "store=redis",
  ])("is refused: %s", async (query) => {
    expectProblem(await kioku.api.get(`${entriesPath("agent:a")}&${query}`), "invalid_request");
  });
});

describe("a store that the call names", () => {
  it("is used by every call of a turn, and holds nothing of another", async () => {
    const api = await kioku.tenant();
    const { agent, session } = await agentWith(api, { capture: "conversation" });
    const namespace = `agent:${agent}`;
    await note(api, agent, "Kept in memory alone", { store: "memory" });
    await takeTurn(api, session, "My name is Alex.", "Hello, Alex.", { store: "memory" });
    expect(await entriesOf(api, namespace)).toEqual([]);
    const memory = bodyOf(
      await api.get<{ data: Entry[] }>(`${entriesPath(namespace)}&store=memory`),
      200,
    ).data;
    expect(contents(memory).sort()).toEqual([
      "Kept in memory alone",
      "User: My name is Alex.\nAssistant: Hello, Alex.",
    ]);
    expect((await preflight(api, session)).memory.entries).toEqual([]);
    expect((await preflight(api, session, { store: "memory" })).memory.entries).toHaveLength(2);
    expect(
      await recallEntries(api, { agent_id: agent, store: "memory", metadata: { kind: "a" } }),
    ).toMatchObject({
      count: 0,
    });
    expect(await recallEntries(api, { agent_id: agent, store: "memory", query: "name" })).toMatchObject({
      count: 2,
    });
    const listed = bodyOf(await api.get<{ data: object[] }>("/v1/namespaces?store=memory"), 200).data;
    expect(listed).toMatchObject([{ namespace, entries: 2 }]);
    bodyOf(await api.delete(`/v1/namespaces/${encodeURIComponent(namespace)}?store=memory`), 200);
    expect(bodyOf(await api.get<{ data: object[] }>("/v1/namespaces?store=memory"), 200).data).toEqual([]);
  });

  it("is one of those there are, for every call", async () => {
    const { agent, session } = await agentWith(kioku.api, { capture: "conversation" });
    const at = `/v1/sessions/${session}`;
    for (const [path, body] of [
      [`${at}/preflight`, { input: "hello" }],
      [`${at}/turns`, { input: "Hi", output: "Hello" }],
      ["/v1/entries", { agent_id: agent, content: "a" }],
      ["/v1/entries/search", { namespace: "team" }],
    ] as const) {
      const problem = expectProblem(
        await kioku.api.post(path, { ...body, store: "redis" }),
        "invalid_request",
        "store",
      );
      expect(problem.detail).toContain("d1, memory");
    }
    expectProblem(await kioku.api.get("/v1/namespaces?store=redis"), "invalid_request", "store");
  });

  it("that does not separate owners is refused to a bound key", async () => {
    const agent_id = fresh("agent");
    const bound = await kioku.tenant({ bind: { agent_id } });
    expectProblem(
      await bound.post("/v1/entries", { agent_id, content: "a", store: "memory" }),
      "invalid_request",
      "store",
    );
  });
});

describe("the tool recall_entries", () => {
  it("gives a model what a preflight of its session sees", async () => {
    const api = await kioku.tenant();
    const { agent, session } = await agentWith(api);
    await note(api, agent, "User prefers the name Alex.");
    await using client = await connectMcp(api);
    const found = await callTool<Recalled>(client, "recall_entries", { session_id: session, query: "name" });
    expect(contents(found.entries)).toEqual(["User prefers the name Alex."]);
  });

  it("stays within the reach of the session", async () => {
    const api = await kioku.tenant();
    const agent = fresh("agent");
    const [mia, leo] = [fresh("mia"), fresh("leo")];
    await note(api, agent, "Mia likes tea", { user_id: mia });
    await note(api, agent, "Leo likes tea", { user_id: leo });
    await note(api, agent, "The team likes tea", { namespace: "team" });
    const { id: session_id } = await newSession(api, { agent_id: agent, user_id: mia });
    await using client = await connectMcp(api);
    for (const more of [{}, { namespace: `agent:${agent}` }, { query: "tea", namespace: `agent:${agent}` }]) {
      const found = await callTool<Recalled>(client, "recall_entries", { session_id, ...more });
      expect(contents(found.entries)).toEqual(["Mia likes tea"]);
    }
    for (const namespace of ["team", `agent:${fresh("other")}`]) {
      const refused = await failing(client, "recall_entries", { session_id, namespace });
      expect(refused).toMatchObject({ code: "forbidden", error: expect.stringContaining("namespace") });
    }
  });

  it("reads the shared namespace of the policy, and does not leave its session scope", async () => {
    const api = await kioku.tenant();
    const { agent, session } = await agentWith(api, { namespace: "team", scope: "session" });
    await note(api, agent, "Said here", { session_id: session });
    await note(api, agent, "Said elsewhere", { session_id: fresh("session") });
    await using client = await connectMcp(api);
    const found = await callTool<Recalled>(client, "recall_entries", { session_id: session });
    expect(contents(found.entries)).toEqual(["Said here"]);
    for (const more of [{ scope: "agent" }, { namespace: "team" }])
      expect(await failing(client, "recall_entries", { session_id: session, ...more })).toMatchObject({
        code: "forbidden",
      });
  });
});

describe("namespaces", () => {
  type Summary = { namespace: string; entries: number; first_entry: string; last_entry: string };
  const list = async (api: Client, query = "") =>
    bodyOf(await api.get<{ data: Summary[]; next_cursor: string | null }>(`/v1/namespaces${query}`), 200);
  const erase = (api: Client, name: string) =>
    api.delete<{ deleted: Fields }>(`/v1/namespaces/${encodeURIComponent(name)}`);

  it("are listed by name with their entries, and those of their sessions", async () => {
    const api = await kioku.tenant();
    const { agent, session } = await agentWith(api, { scope: "session" });
    await note(api, agent, "In a session", { session_id: session });
    await note(api, fresh("other"), "One", { namespace: "team/a" });
    await note(api, agent, "Two", { namespace: "team/a", session_id: session });
    await note(api, agent, "Three", { namespace: "team/b", session_id: session });
    const { data } = await list(api);
    expect(data.map(({ namespace, entries }) => [namespace, entries])).toEqual([
      [`agent:${agent}`, 1],
      ["team/a", 2],
      ["team/b", 1],
    ]);
    for (const { first_entry, last_entry } of data) expect(first_entry <= last_entry).toBe(true);
    const { data: sessions } = await list(api, "?prefix=team/a:session:");
    expect(sessions).toMatchObject([{ namespace: `team/a:session:${session}`, entries: 1 }]);
    const page = await list(api, "?prefix=team&limit=1");
    expect(page.data).toMatchObject([{ namespace: "team/a" }]);
    const rest = await list(api, `?prefix=team&cursor=${encodeURIComponent(page.next_cursor ?? "")}`);
    expect(rest).toMatchObject({ data: [{ namespace: "team/b" }], next_cursor: null });
    expect((await list(await kioku.tenant())).data).toEqual([]);
  });

  it("are erased with their sessions, and nothing else is", async () => {
    const api = await kioku.tenant();
    const { agent, session } = await agentWith(api, { scope: "session" });
    const one = await note(api, agent, "One", { namespace: "team/a", session_id: session });
    const two = await note(api, agent, "Two", { namespace: "team/a", session_id: fresh("session") });
    const kept = await note(api, agent, "Three", { namespace: "team/ab", session_id: session });
    const { deleted } = bodyOf(await erase(api, "team/a"), 200);
    expect(deleted).toEqual({
      memories: 2,
      triples: expect.any(Number),
      vectors: expect.any(Number),
      links: 0,
    });
    expect(deleted.triples).toBeGreaterThan(10);
    for (const { id } of [one, two]) expectProblem(await api.get(`/v1/memories/${id}`), "not_found");
    expect(ids(await entriesOf(api, "team/ab"))).toEqual([kept.id]);
    expectProblem(await erase(api, "team/a"), "not_found");
    for (const name of ["team", "agent", "a b"])
      expect((await erase(api, name)).status).toBeGreaterThanOrEqual(400);
  });

  it("of an agent are erased as they are listed, and with one session named, that session's alone", async () => {
    const api = await kioku.tenant();
    const { agent, session } = await agentWith(api, { scope: "session" });
    const other = fresh("session");
    for (const session_id of [session, other]) await note(api, agent, `In ${session_id}`, { session_id });
    bodyOf(await erase(api, `agent:${agent}:session:${session}`), 200);
    expect(contents(await entriesOf(api, `agent:${agent}`))).toEqual([`In ${other}`]);
    bodyOf(await erase(api, `agent:${agent}`), 200);
    expect(await entriesOf(api, `agent:${agent}`)).toEqual([]);
    expect((await list(api)).data).toEqual([]);
  });

  it("show and lose only what a bound key may see", async () => {
    const name = fresh("tenant");
    const owner = await kioku.tenant({ name });
    const user_id = fresh("user");
    const bound = await kioku.tenant({ name, bind: { user_id } });
    const agent = fresh("agent");
    await note(owner, agent, "Mine", { user_id, namespace: "team" });
    await note(owner, agent, "Theirs", { user_id: fresh("user"), namespace: "team" });
    expect((await list(bound)).data).toMatchObject([{ namespace: "team", entries: 1 }]);
    expect(contents((await recallEntries(bound, { namespace: "team" })).entries)).toEqual(["Mine"]);
    bodyOf(await erase(bound, "team"), 200);
    expect(contents(await entriesOf(owner, "team"))).toEqual(["Theirs"]);
  });
});
