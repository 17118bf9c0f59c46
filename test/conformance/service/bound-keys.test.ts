// A key that is bound to an owner sees and changes nothing else, over every route that the service lists, and serves its
// own owner in full.
import { beforeAll, describe, expect, it } from "vitest";
import { addTask, append, makeSpace } from "../cognition/cognition";
import { readPattern, statePattern, tellEpisode } from "../experience/experience";
import { entriesPath, note, preflight, setPolicy, takeTurn } from "../policy/policy";
import {
  allPages,
  contents,
  ids,
  newSession,
  promote,
  propose,
  readMemory,
  readSession,
  recall,
  remember,
  say,
} from "../support/actions";
import { type Client, fresh } from "../support/client";
import type { Memory, Recalled, Remembered, Session } from "../support/contract";
import { fillEstate, matchWritten, readEstate, sendTo } from "../support/estate";
import { bodyOf, expectProblem } from "../support/expectations";
import type { KeyBinding } from "../support/open-service";
import {
  type Belongings,
  guardedRoutes,
  type OpenApi,
  openApi,
  type Route,
  shapeOf,
} from "../support/routes";
import { serviceUnderTest } from "../support/service";
import { call, connectMcp, failing } from "../surfaces/mcp";

const kioku = serviceUnderTest();
const SECRET = `secret${Math.random().toString(36).slice(2)}`;
const TENANT = fresh("tenant");
const ALICE = { user_id: fresh("alice"), agent_id: fresh("ada"), project_id: fresh("shop") };
const BOB = { user_id: fresh("bob"), agent_id: fresh("bea"), project_id: fresh("lab") };

/** The last shares its user and its project with the estate. */
const BINDINGS: Record<string, KeyBinding> = {
  "a user": { user_id: BOB.user_id },
  "an agent": { agent_id: BOB.agent_id },
  "a project": { project_id: BOB.project_id },
  "an agent for a user in a project": { ...ALICE, agent_id: BOB.agent_id },
};

let document: OpenApi;
let routes: Route[] = [];
let owner: Client;
let own: Belongings = {};

function open(bind: KeyBinding, scopes = ["read", "write"]): Promise<Client> {
  return kioku.tenant({ name: TENANT, bind, scopes });
}

function nameRoute({ method, template }: Route): string {
  return `${method} ${shapeOf(template)}`;
}

beforeAll(async () => {
  document = await openApi(kioku.anonymous);
  routes = guardedRoutes(document);
  owner = await kioku.tenant({ name: TENANT });
  own = await fillEstate(owner, SECRET, ALICE);
});

describe.each(Object.entries(BINDINGS))("a key bound to %s", (_, bind) => {
  let bound: Client;

  beforeAll(async () => {
    bound = await open(bind);
  });

  it("sees and changes nothing of another owner over any route, whatever ids it knows", async () => {
    const admin = await open(bind, ["read", "write", "admin"]);
    const before = await readEstate(owner, own);
    expect(before).toMatch(matchWritten(SECRET));
    // First with the other owner named, then with its own and only the objects of the other.
    const asItself = { ...own, ...bind, agent: bind.agent_id ?? own.agent };
    for (const [belongings, refusals] of [
      [own, [403, 404]],
      [asItself, [404]],
    ] as const) {
      for (const route of routes) {
        const answer = await sendTo(admin, document, route, belongings);
        expect(answer.text, nameRoute(route)).not.toMatch(matchWritten(SECRET));
        expect(answer.status, `${nameRoute(route)}: ${answer.text.slice(0, 300)}`).toBeLessThan(500);
        const isObject = /^\/v1\/(sessions|memories|episodes|patterns|handoffs)\/\{/.test(route.template);
        if (isObject) expect(refusals, `${nameRoute(route)}: ${answer.text}`).toContain(answer.status);
      }
    }
    expect(await readEstate(owner, own)).toBe(before);
  });

  it("is refused when it names another owner", async () => {
    const { id } = await newSession(bound);
    const named = Object.keys(bind)
      .filter((field) => ALICE[field as keyof KeyBinding] !== bind[field as keyof KeyBinding])
      .map((field) => [field, ALICE[field as keyof KeyBinding]] as const);
    expect(named).not.toEqual([]);
    for (const [field, value] of named) {
      const calls: [string, object][] = [
        ["/v1/sessions", {}],
        ["/v1/remember", { content: "Mine" }],
        ["/v1/recall", {}],
        ["/v1/forget", { memory_id: own.memory_id }],
        [`/v1/sessions/${id}/messages`, { messages: [{ role: "user", content: "Mine" }] }],
        [`/v1/sessions/${id}/remember`, { content: "Mine" }],
        [`/v1/sessions/${id}/recall`, {}],
        [`/v1/sessions/${id}/preflight`, { input: "Hello" }],
        [`/v1/sessions/${id}/turns`, { input: "Hello", output: "Hi" }],
      ];
      for (const [path, body] of calls) {
        const answer = await bound.post(path, { ...body, [field]: value });
        expectProblem(answer, "forbidden", field);
      }
      for (const list of ["sessions", "memories"])
        expectProblem(await bound.get(`/v1/${list}?${field}=${value}`), "forbidden", field);
    }
  });

  it("creates, writes and reads what carries its ids", async () => {
    const { id } = await newSession(bound, { reach: "tenant", promotion: { enabled: false } });
    expect(await readSession(owner, id)).toMatchObject(bind);
    await say(bound, id, [{ role: "user", content: "The lighthouse is painted red" }]);
    const { memory_id } = await remember(bound, id, "The lighthouse keeper is called Iwan");
    const loose = bodyOf(
      await bound.post<Remembered>("/v1/remember", { content: "The lighthouse was built in 1854" }),
      201,
    );
    for (const memory of [memory_id, loose.memory_id])
      expect(await readMemory(owner, memory)).toMatchObject(bind);
    await propose(bound, id, "The lighthouse has a brass bell", { importance_score: 0.9 });
    expect((await promote(bound, id)).promoted).toHaveLength(1);
    for (const scope of [undefined, "session", "tenant"]) {
      const hits = await recall(bound, id, { query: "lighthouse", scope, limit: 50 });
      expect(contents(hits)).toContain("The lighthouse keeper is called Iwan");
      for (const hit of hits) expect(hit).toMatchObject(bind);
    }
    const wide = { query: `${SECRET} lighthouse`, scope: "tenant", limit: 50 };
    for (const sources of [["memories"], ["messages"], ["memories", "messages", "episodes"]]) {
      const found = bodyOf(await bound.post<Recalled>("/v1/recall", { ...wide, sources }), 200);
      expect(found.count).toBeGreaterThan(0);
      for (const hit of found.memories) expect(hit).toMatchObject(bind);
    }
    for (const path of ["/v1/sessions", "/v1/memories?include_superseded=true"])
      for (const item of await allPages<Memory | Session>(bound, path)) expect(item).toMatchObject(bind);
    expect(ids(await allPages<Session>(bound, "/v1/sessions"))).toContain(id);
    expect(ids(await allPages<Memory>(bound, "/v1/memories"))).toContain(loose.memory_id);
    const assembled = await bound.post<{ memories: { content: string }[]; prompt: string }>(
      `/v1/sessions/${id}/assemble`,
      { query: `${SECRET} lighthouse`, scope: "tenant" },
    );
    expect(contents(bodyOf(assembled, 200).memories)).toContain("The lighthouse was built in 1854");
    expect(assembled.text).not.toMatch(matchWritten(SECRET));
    bodyOf(await bound.delete(`/v1/memories/${loose.memory_id}`), 200);
    expectProblem(await owner.get(`/v1/memories/${loose.memory_id}`), "not_found");
  });

  it("makes a session of its owner with the first write, whatever it writes", async () => {
    const first: Record<string, (id: string) => Promise<unknown>> = {
      messages: (id) => say(bound, id, [{ role: "user", content: "Hello" }]),
      context: (id) => bound.put(`/v1/sessions/${id}/context/framework`, { value: "Hono" }),
      pending: (id) => propose(bound, id, "It rains"),
      remember: (id) => remember(bound, id, "It snows"),
      space: (id) => makeSpace(bound, id, "plan", { step: 1 }),
      operations: (id) =>
        bound.post(`/v1/sessions/${id}/spaces/world/ops`, {
          ops: [{ op: "put", key: "sky", value: "blue" }],
        }),
      task: (id) => addTask(bound, id, "Look up"),
      thread: (id) => append(bound, id, [{ kind: "note", payload: "Seen" }]),
      turn: (id) => bound.post(`/v1/sessions/${id}/turns`, { input: "Hello", output: "Hi" }),
      execute: (id) =>
        bound.post("/v1/tools/execute", {
          session_id: id,
          call: { type: "tool_use", id: "c1", name: "remember", input: { content: "It hails" } },
        }),
    };
    for (const [what, write] of Object.entries(first)) {
      const id = fresh("session");
      await write(id);
      expect(await readSession(owner, id), what).toMatchObject(bind);
      bodyOf(await bound.get(`/v1/sessions/${id}`), 200);
    }
  });

  it("continues no session of another owner", async () => {
    expectProblem(await bound.post("/v1/sessions", { continues: own.session_id }), "not_found");
    const { id } = await newSession(bound);
    bodyOf(await bound.post("/v1/sessions", { continues: id }), 201);
  });

  it("makes, lists and deletes no keys, even with the scope", async () => {
    const admin = await open(bind, ["read", "write", "admin"]);
    expectProblem(await admin.post("/v1/keys", { tenant: TENANT }), "not_found");
    expectProblem(await admin.get("/v1/keys"), "not_found");
    const { id } = bodyOf(await admin.get<{ id: string; bind: KeyBinding }>("/v1/keys/self"), 200);
    expectProblem(await admin.delete(`/v1/keys/${id}`), "not_found");
    expectProblem(await admin.get("/v1/admin/index"), "not_found");
  });

  it("finds its own with preflight, and nothing else in its place", async () => {
    const agent = bind.agent_id ?? ALICE.agent_id;
    await setPolicy(owner, agent, { capture: "conversation" });
    const { id } = await newSession(bound, { agent_id: agent });
    await takeTurn(bound, id, "My boat is called Elida", "Noted");
    for (const policy of [{ scope: "agent" }, { scope: "session" }, { namespace: String(own.namespace) }]) {
      for (const reach of ["session", "agent", "tenant"]) {
        bodyOf(await bound.patch(`/v1/sessions/${id}`, { policy, reach }), 200);
        for (const input of [SECRET, "Hello", "boat"]) {
          const seen = await preflight(bound, id, { input });
          expect(JSON.stringify(seen), `${JSON.stringify(policy)} ${reach}`).not.toMatch(
            matchWritten(SECRET),
          );
        }
      }
    }
    bodyOf(await bound.patch(`/v1/sessions/${id}`, { policy: null, reach: "session" }), 200);
    expect(JSON.stringify((await preflight(bound, id, { input: "boat" })).memory.entries)).toContain("Elida");
  });

  it("serves MCP within its owner alone", async () => {
    await using client = await connectMcp(bound);
    const session_id = fresh("session");
    const stored = await call<Remembered>(client, "remember", { session_id, content: "The pier is closed" });
    expect(await readMemory(owner, stored.memory_id)).toMatchObject(bind);
    expect(await readSession(owner, session_id)).toMatchObject(bind);
    const found = await call<Recalled>(client, "recall", { session_id, query: "pier" });
    expect(contents(found.memories)).toContain("The pier is closed");
    for (const memory_id of [own.memory_id, stored.memory_id])
      await failing(client, "recall", { session_id: own.session_id, query: String(memory_id) });
    await failing(client, "forget", { memory_id: own.memory_id });
    await failing(client, "forget", { memory_id: stored.memory_id, replacement_id: own.memory_id });
    await failing(client, "prime", { goal: SECRET });
    const resources = JSON.stringify(await client.listResources());
    expect(resources).toContain("The pier is closed");
    expect(resources).not.toMatch(matchWritten(SECRET));
    for (const uri of [
      `kioku://memories/${own.memory_id}`,
      "kioku://skills/look",
      `kioku://sessions/${own.session_id}/continuity`,
    ])
      await expect(client.readResource({ uri })).rejects.toThrow();
    for (const args of [{ session_id: String(own.session_id) }])
      await expect(client.getPrompt({ name: "session_context", arguments: args })).rejects.toThrow();
    const briefing = await client
      .getPrompt({ name: "prime_task", arguments: { goal: SECRET } })
      .catch((error: Error) => error.message);
    expect(JSON.stringify(briefing)).not.toMatch(matchWritten(SECRET));
    const completion = await client.complete({
      ref: { type: "ref/prompt", name: "session_context" },
      argument: { name: "session_id", value: "" },
    });
    expect(completion.completion.values).toContain(session_id);
    expect(completion.completion.values).not.toContain(own.session_id);
  });
});

describe("what two owners share", () => {
  it("lets neither read, change or supersede the other's", async () => {
    const shared = { agent_id: ALICE.agent_id, user_id: ALICE.user_id };
    const first = await open({ project_id: fresh("north") });
    const second = await open({ project_id: fresh("south") });
    const content = "The deadline is in May";
    const body = { ...shared, content, key: "deadline", metadata: { by: "first" }, tags: ["first"] };
    const mine = bodyOf(await first.post<Remembered>("/v1/remember", body), 201);
    const other = bodyOf(
      await second.post<Remembered>("/v1/remember", { ...shared, content, key: "deadline" }),
      201,
    );
    expect(other.memory_id).not.toBe(mine.memory_id);
    const later = { ...shared, content: "The deadline is in June", key: "deadline" };
    const moved = bodyOf(
      await second.post<Remembered & { superseded: string[] }>("/v1/remember", later),
      201,
    );
    expect(moved.superseded).toEqual([other.memory_id]);
    const inSession = await newSession(second, shared);
    const again = await remember(second, inSession.id, "The deadline is in July", { key: "deadline" });
    expect(again).toMatchObject({ superseded: [moved.memory_id] });
    expect(await readMemory(owner, mine.memory_id)).toMatchObject({ superseded_by: null, access_count: 0 });
  });

  it("lets what is promoted in a session supersede nothing of the other", async () => {
    const agent_id = fresh("agent");
    const first = await open({ project_id: fresh("north") });
    const second = await open({ project_id: fresh("south") });
    const body = { agent_id, content: "The release manager is Noor", type: "fact" };
    const mine = bodyOf(await first.post<Remembered>("/v1/remember", body), 201);
    for (const create of [
      () => newSession(second, { agent_id }).then(({ id }) => id),
      async () => {
        const id = fresh("session");
        await second.post(`/v1/sessions/${id}/messages`, {
          agent_id,
          messages: [{ role: "user", content: "Hello" }],
        });
        return id;
      },
    ]) {
      const id = await create();
      const name = fresh("Kim").replace(/\W/g, "");
      await propose(second, id, `The release manager is ${name}`, { importance_score: 0.9 });
      expect((await promote(second, id)).promoted).toHaveLength(1);
    }
    expect(await readMemory(owner, mine.memory_id)).toMatchObject({ superseded_by: null });
    // The topic is one that a session of the same key supersedes.
    const { id } = await newSession(first, { agent_id });
    await propose(first, id, "The release manager is Ravi", { importance_score: 0.9 });
    const [successor] = (await promote(first, id)).promoted;
    expect(await readMemory(owner, mine.memory_id)).toMatchObject({ superseded_by: successor?.memory_id });
  });

  it("refuses items of a batch that name the other, and changes and finds only its own", async () => {
    const user_id = fresh("erik");
    const bound = await open({ user_id });
    const memories = [
      { content: "The sauna is hot", tags: ["sauna"] },
      { content: "Stolen", user_id: ALICE.user_id },
      { content: "Stolen", session_id: own.session_id },
      { content: "The lake is cold", agent_id: ALICE.agent_id, tags: ["sauna"] },
    ];
    const { results } = bodyOf(
      await bound.post<{ results: { memory_id?: string; error?: { code: string } }[] }>(
        "/v1/memories/batch",
        {
          memories,
        },
      ),
      200,
    );
    expect(results.map(({ error }) => error?.code)).toEqual([undefined, "forbidden", "not_found", undefined]);
    const stored = results.flatMap(({ memory_id }) => memory_id ?? []);
    for (const id of stored) expect(await readMemory(owner, id)).toMatchObject({ user_id });
    const search = await bound.post<{ data: Memory[] }>("/v1/memories/search", { filter: { tags: "sauna" } });
    expect(ids(bodyOf(search, 200).data).toSorted()).toEqual(stored.toSorted());
    const everything = { filter: { type: { $ne: "skill" } }, limit: 100 };
    for (const memory of bodyOf(await bound.post<{ data: Memory[] }>("/v1/memories/search", everything), 200)
      .data)
      expect(memory).toMatchObject({ user_id });
    const changed = await bound.patch<Memory>(`/v1/memories/${stored[0]}`, { content: "The sauna is warm" });
    expect(bodyOf(changed, 200)).toMatchObject({ user_id, content: "The sauna is warm" });
    expectProblem(await bound.patch(`/v1/memories/${own.memory_id}`, { content: "Stolen" }), "not_found");
  });

  it("has entries of a shared namespace per owner", async () => {
    const [first, second] = [await open({ user_id: fresh("one") }), await open({ user_id: fresh("two") })];
    const agent = fresh("agent");
    const namespace = fresh("team");
    const words = "We meet at nine";
    const one = await note(first, agent, words, { namespace, metadata: { note: SECRET } });
    const two = await note(second, agent, words, { namespace });
    expect(two.id).not.toBe(one.id);
    expect(JSON.stringify(two)).not.toContain(SECRET);
    const listed = bodyOf(await second.get<{ data: { id: string }[] }>(entriesPath(namespace)), 200);
    expect(ids(listed.data)).toEqual([two.id]);
  });

  it("shows of a chain and of links only what is its own", async () => {
    const user_id = fresh("carol");
    const bound = await open({ user_id });
    const mine = bodyOf(await bound.post<Remembered>("/v1/remember", { content: "The code is 1234" }), 201);
    const theirs = bodyOf(
      await owner.post<Remembered>("/v1/remember", { ...ALICE, content: `${SECRET} in a successor` }),
      201,
    );
    const link = { from: mine.memory_id, to: theirs.memory_id, relation: "related_to" };
    bodyOf(await owner.post("/v1/links", link), 201);
    const forget = { memory_id: mine.memory_id, replacement_id: theirs.memory_id };
    bodyOf(await owner.post("/v1/forget", forget), 200);
    const history = await bound.get<{ data: Memory[] }>(`/v1/memories/${mine.memory_id}/history`);
    expect(ids(bodyOf(history, 200).data)).toEqual([mine.memory_id]);
    const { links } = bodyOf(
      await bound.get<Memory & { links: unknown[] }>(`/v1/memories/${mine.memory_id}`),
      200,
    );
    expect(links).toEqual([]);
  });

  it("finds and links no pattern of the other by its name or id, and sees no link to one", async () => {
    const project_id = fresh("north");
    const bound = await open({ project_id });
    const name = fresh("sem");
    const theirs = await statePattern(owner, `${SECRET} by name`, { id: name, project_id: fresh("south") });
    expectProblem(await bound.get(`/v1/patterns/${name}`), "not_found");
    for (const to of [name, theirs.id]) {
      const body = { pattern: fresh("Mine: "), links: [{ to, relation: "supersedes" }] };
      expectProblem(await bound.post("/v1/patterns", body), "not_found", "to");
    }
    expect(await readPattern(owner, name)).toEqual(theirs);
    const mine = await statePattern(bound, fresh("Mine: "), { id: name });
    const link = { from: mine.id, to: theirs.id, relation: "related_to" };
    bodyOf(await owner.post("/v1/links", link), 201);
    expect(await readPattern(bound, name)).toEqual(mine);
    expect((await readPattern(owner, mine.id)).links).toMatchObject([{ to: theirs.id, name }]);
  });

  it("replays no answer to another key", async () => {
    const session = { agent_id: fresh("agent") };
    for (const path of ["/v1/remember", "/v1/sessions", "/v1/entries"]) {
      const headers = { "idempotency-key": fresh("key") };
      const answers: string[] = [];
      for (const bind of [{ user_id: fresh("one") }, { user_id: fresh("two") }]) {
        const client = await open(bind);
        const body = path === "/v1/sessions" ? session : { ...session, content: "Said once" };
        const created = bodyOf(await client.post<Record<string, string>>(path, body, headers), 201);
        expect(bodyOf(await client.post(path, body, headers), 201)).toEqual(created);
        answers.push(created.memory_id ?? created.id ?? "");
      }
      expect(new Set(answers).size, path).toBe(2);
    }
  });

  it("replays no tool call of MCP to another key", async () => {
    const params = {
      name: "remember",
      arguments: { agent_id: fresh("agent"), content: "Said once" },
      _meta: { "dev.kioku/idempotency-key": fresh("key") },
    };
    const stored = new Set<unknown>();
    for (const bind of [{ user_id: fresh("one") }, { user_id: fresh("two") }]) {
      await using client = await connectMcp(await open(bind));
      const { structuredContent, isError } = await client.callTool(params);
      expect(isError ?? false).toBe(false);
      stored.add((structuredContent as Remembered).memory_id);
    }
    expect(stored.size).toBe(2);
  });
});

describe("a key bound to a user", () => {
  it("reads its own profile and lists at most itself", async () => {
    const user_id = fresh("dora");
    const bound = await open({ user_id });
    bodyOf(await bound.post("/v1/remember", { content: "I live in Oslo" }), 201);
    bodyOf(await bound.get(`/v1/users/${user_id}`), 200);
    expectProblem(await bound.get(`/v1/users/${ALICE.user_id}`), "not_found");
    expectProblem(await bound.delete(`/v1/users/${ALICE.user_id}`), "not_found");
    expect(ids(await allPages<{ id: string }>(bound, "/v1/users"))).toEqual([user_id]);
    const narrower = await open({ user_id, agent_id: fresh("agent") });
    expectProblem(await narrower.get(`/v1/users/${user_id}`), "not_found");
    expectProblem(await narrower.delete(`/v1/users/${user_id}`), "not_found");
  });
});

describe("a key bound to an agent", () => {
  it("reads and writes its own policy, ledger and episodes", async () => {
    const agent_id = fresh("agent");
    const bound = await open({ agent_id });
    await setPolicy(bound, agent_id, { capture: "conversation" });
    bodyOf(await bound.put(`/v1/ledgers/${agent_id}`, { state: { step: 1 } }), 200);
    bodyOf(await bound.get(`/v1/ledgers/${agent_id}`), 200);
    const episode = await tellEpisode(bound, "Mended the pier", { project_id: fresh("project") });
    expect(episode).toMatchObject({ agent: agent_id });
    bodyOf(await bound.get(`/v1/episodes/${episode.id}`), 200);
    expectProblem(await bound.get(`/v1/agents/${ALICE.agent_id}/policy`), "not_found");
    const entry = await note(bound, agent_id, "The pier is mended");
    expect(ids(await allPages<{ id: string }>(bound, entriesPath(`agent:${agent_id}`)))).toEqual([entry.id]);
    expect(await allPages(bound, entriesPath(`agent:${ALICE.agent_id}`))).toEqual([]);
  });
});
