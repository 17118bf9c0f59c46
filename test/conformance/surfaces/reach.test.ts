// A model's calls stay within the reach of their session, whatever it names: over the executor of tool calls and over MCP.
// A client that is pinned to an owner stays with that owner.
import { beforeAll, describe, expect, it } from "vitest";
import { setPolicy } from "../policy/policy";
import {
  contents,
  newSession,
  quietSession,
  readMemory,
  readSession,
  remember,
  say,
} from "../support/actions";
import { type Client, fresh } from "../support/client";
import type { Recalled, Remembered } from "../support/contract";
import { bodyOf, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";
import { connectMcp, textOf } from "./mcp";

const SCOPES = ["session", "user", "agent", "project", "tenant"] as const;
type Scope = (typeof SCOPES)[number];

type Outcome = { isError: boolean; value: { error?: string; code?: string } & Record<string, unknown> };
/** Calls a tool in a session, as a model does. */
type CallTool = (api: Client, session_id: string, name: string, input?: object) => Promise<Outcome>;

const kioku = serviceUnderTest();

async function execute(api: Client, session_id: string, name: string, input: object = {}): Promise<Outcome> {
  const call = { type: "tool_use", id: fresh("call"), name, input };
  const answer = await api.post<{ content: string; is_error: boolean }>("/v1/tools/execute", {
    session_id,
    call,
  });
  const { content, is_error } = bodyOf(answer, 200);
  return { isError: is_error, value: JSON.parse(content) };
}

async function callOverMcp(
  api: Client,
  session_id: string,
  name: string,
  input: object = {},
): Promise<Outcome> {
  await using client = await connectMcp(api);
  const result = await client.callTool({ name, arguments: { session_id, ...input } });
  return { isError: result.isError ?? false, value: JSON.parse(textOf(result)) };
}

const SURFACES: Record<string, CallTool> = { "the executor": execute, MCP: callOverMcp };

function isWider(scope: Scope, than: Scope): boolean {
  return SCOPES.indexOf(scope) > SCOPES.indexOf(than);
}

describe.each(Object.entries(SURFACES))("over %s", (_, callTool) => {
  const owner = { user_id: fresh("mia"), agent_id: fresh("ada"), project_id: fresh("shop") };
  const other = { user_id: fresh("noa"), agent_id: fresh("bea"), project_id: fresh("lab") };
  /** Whose memory each scope adds to the narrower ones. */
  const owners: Record<Scope, typeof owner> = {
    session: owner,
    user: owner,
    agent: { ...owner, user_id: other.user_id },
    project: { ...other, project_id: owner.project_id },
    tenant: other,
  };
  const memories = {} as Record<Scope, string>;
  let api: Client;
  let session: string;

  beforeAll(async () => {
    api = await kioku.tenant();
    for (const scope of SCOPES) {
      const { id } = await quietSession(api, owners[scope]);
      if (scope === "session") session = id;
      memories[scope] = (await remember(api, id, `The lantern of the ${scope} is green`)).memory_id;
    }
  });

  const setReach = async (reach: Scope) => {
    expect(bodyOf(await api.patch(`/v1/sessions/${session}`, { reach }), 200)).toMatchObject({ reach });
  };

  /** Expects a tool error that names the field and the reach. */
  const expectBeyond = ({ isError, value }: Outcome, reach: Scope, field?: string) => {
    expect(isError, JSON.stringify(value)).toBe(true);
    expect(value.error).toContain(`"${reach}"`);
    if (field !== undefined) expect(value.error).toContain(`${field}: `);
  };

  it.each(
    SCOPES,
  )("a session with the reach %s recalls and assembles that far and no further", async (reach) => {
    await setReach(reach);
    const visible = SCOPES.filter((scope) => !isWider(scope, reach)).map(
      (scope) => `The lantern of the ${scope} is green`,
    );
    const found = (await callTool(api, session, "recall", { query: "lantern", limit: 50 })).value;
    expect(contents((found as unknown as Recalled).memories).toSorted()).toEqual(visible.toSorted());
    for (const scope of SCOPES) {
      for (const name of ["recall", "assemble"]) {
        const outcome = await callTool(api, session, name, { query: "lantern", scope });
        if (isWider(scope, reach)) expectBeyond(outcome, reach, "scope");
        else {
          expect(outcome.isError, JSON.stringify(outcome.value)).toBe(false);
          const seen = contents((outcome.value as unknown as Recalled).memories);
          expect(seen).toContain(`The lantern of the ${scope} is green`);
          for (const wider of SCOPES.filter((one) => isWider(one, scope)))
            expect(seen).not.toContain(`The lantern of the ${wider} is green`);
        }
      }
    }
  });

  it.each([
    "session",
    "user",
    "agent",
    "project",
  ] as const)("a session with the reach %s forgets nothing beyond, neither as the memory nor as its replacement", async (reach) => {
    await setReach(reach);
    for (const scope of SCOPES.filter((one) => isWider(one, reach))) {
      expectBeyond(await callTool(api, session, "forget", { memory_id: memories[scope] }), reach);
      const replaced = { memory_id: memories.session, replacement_id: memories[scope] };
      expectBeyond(await callTool(api, session, "forget", replaced), reach);
      for (const id of [memories[scope], memories.session])
        expect(await readMemory(api, id)).toMatchObject({ superseded_by: null, forgotten_at: null });
    }
    const { memory_id } = await remember(api, session, `A passing note ${fresh("note")}`);
    expect((await callTool(api, session, "forget", { memory_id })).isError).toBe(false);
  });

  it("tools that name another project or agent fail, and change nothing", async () => {
    await setReach("user");
    const listAll = async () =>
      Promise.all(
        [
          `/v1/episodes?project_id=${other.project_id}`,
          `/v1/learnings?project_id=${other.project_id}`,
          "/v1/handoffs",
          `/v1/memories?agent_id=${other.agent_id}`,
        ].map(async (path) => (await api.get(path)).text),
      );
    const handoff = { context: { what_was_done: "Everything" } };
    bodyOf(await api.post("/v1/handoffs", { from_agent: "x", to_agent: other.agent_id, ...handoff }), 201);
    bodyOf(await api.put(`/v1/ledgers/${other.agent_id}`, { state: { note: "Not theirs" } }), 200);
    const before = await listAll();
    const learning = { trigger: "Deployed", root_cause: "Friday", fix: "Rolled back", prevention: "Wait" };
    const episode = { context: { goal: "Mend the lantern" }, outcome: "success" };
    const attempts: [string, object, string][] = [
      ["prime", { goal: "lantern", project_id: other.project_id }, "project_id"],
      ["record_episode", { ...episode, project_id: other.project_id }, "project_id"],
      ["record_episode", { ...episode, agent: other.agent_id }, "agent"],
      ["record_episode", { ...episode, user_id: other.user_id }, "user_id"],
      ["learn", { ...learning, project_id: other.project_id }, "project_id"],
      ["save_checkpoint", { agent_id: other.agent_id, state: { note: "Stolen" } }, "agent_id"],
      ["read_checkpoint", { agent_id: other.agent_id }, "agent_id"],
      ["hand_off", { ...handoff, from_agent: other.agent_id, to_agent: owner.agent_id }, "from_agent"],
      ["hand_off", { ...handoff, to_agent: other.agent_id, project_id: other.project_id }, "project_id"],
      ["list_handoffs", { to_agent: other.agent_id }, "to_agent"],
    ];
    for (const [name, input, field] of attempts)
      expectBeyond(await callTool(api, session, name, input), "user", field);
    expect(await listAll()).toEqual(before);
    expect(bodyOf(await api.get(`/v1/ledgers/${other.agent_id}`), 200)).toMatchObject({
      state: { note: "Not theirs" },
    });
    expect((await callTool(api, session, "list_handoffs")).value).toMatchObject({ count: 0 });
    expect((await callTool(api, session, "prime", { goal: "lantern" })).isError).toBe(false);
  });

  it("a handoff to another agent is neither listed nor acknowledged", async () => {
    const handoff = { from_agent: "x", to_agent: other.agent_id, context: { what_was_done: "A secret" } };
    const { id } = bodyOf(await api.post<{ id: string }>("/v1/handoffs", handoff), 201);
    await setReach("user");
    const attempt = await callTool(api, session, "acknowledge_handoff", { handoff_id: id });
    expect(attempt).toMatchObject({ isError: true, value: { code: "not_found" } });
    expect(JSON.stringify(attempt.value)).not.toContain("A secret");
    expect(bodyOf(await api.get(`/v1/handoffs/${id}`), 200)).toMatchObject({ status: "pending" });
    const { id: personal } = await newSession(api, { user_id: owner.user_id });
    expect((await callTool(api, personal, "list_handoffs")).value).toMatchObject({ count: 0 });
  });

  it("another owner in the arguments is an error, and stores nothing", async () => {
    await setReach("user");
    for (const [field, value] of Object.entries(other)) {
      for (const [name, input] of [
        ["recall", { query: "lantern" }],
        ["remember", { content: "Stolen" }],
        ["forget", { memory_id: memories.tenant }],
        ["assemble", {}],
        ["add_messages", { messages: [{ role: "user", content: "Stolen" }] }],
      ] as const) {
        const { isError, value: answer } = await callTool(api, session, name, { ...input, [field]: value });
        expect(isError, `${name} ${field}`).toBe(true);
        expect(answer.error).toContain(field);
      }
    }
    const stolen = await api.post<Recalled>("/v1/recall", { scope: "tenant", query: "Stolen", mode: "text" });
    expect(contents(bodyOf(stolen, 200).memories)).not.toContain("Stolen");
  });

  it("the hint names a wider scope within the reach, and none beyond it", async () => {
    const { id } = await quietSession(api, { ...owner, reach: "project" });
    const ask = async (input: object) => (await callTool(api, id, "recall", input)).value;
    await remember(api, (await quietSession(api, owner)).id, "The zebra sleeps");
    const narrow = { query: "zebra", mode: "text", sources: ["memories"] };
    expect(await ask({ ...narrow, scope: "session" })).toMatchObject({
      count: 0,
      hint: expect.stringContaining('"scope": "user"'),
    });
    await remember(api, (await quietSession(api, other)).id, "The okapi sleeps");
    const beyond = await ask({ ...narrow, query: "okapi" });
    expect(beyond).toMatchObject({ count: 0 });
    expect(beyond).not.toHaveProperty("hint");
  });

  it("a session that it makes without an owner belongs to the project default, and the next finds what it stored", async () => {
    const tenant = await kioku.tenant();
    const [first, second] = [fresh("session"), fresh("session")];
    const stored = (await callTool(tenant, first, "remember", { content: "The kettle is blue" })).value;
    expect(stored).toMatchObject({ scope: { kind: "project", id: "default" } });
    expect(await readSession(tenant, first)).toMatchObject({ project_id: "default", reach: "project" });
    const found = (await callTool(tenant, second, "recall", { query: "kettle" })).value;
    expect(contents((found as unknown as Recalled).memories)).toEqual(["The kettle is blue"]);
    expectProblem(await tenant.get(`/v1/sessions/${second}`), "not_found");
  });

  it("a session that was made over HTTP without an owner reaches only itself", async () => {
    const tenant = await kioku.tenant();
    const [{ id: first }, { id: second }] = [await newSession(tenant), await newSession(tenant)];
    expect(await readSession(tenant, second)).toMatchObject({ reach: "session" });
    await callTool(tenant, first, "remember", { content: "The kettle is blue" });
    const found = (await callTool(tenant, second, "recall", { query: "kettle" })).value;
    expect(found).toMatchObject({ count: 0 });
    expect(found).not.toHaveProperty("hint");
    expectBeyond(await callTool(tenant, second, "recall", { query: "kettle", scope: "project" }), "session");
    for (const field of ["user_id", "agent_id", "project_id"])
      expect(
        (await callTool(tenant, second, "recall", { query: "kettle", [field]: "default" })).value,
      ).not.toMatchObject({
        count: 1,
      });
  });
});

it("a skill that somebody remembered is no shared one", async () => {
  const api = await kioku.tenant();
  const other = { user_id: fresh("noa") };
  await remember(api, (await quietSession(api, other)).id, "Turn the lantern twice", { type: "skill" });
  const loose = { ...other, content: "Turn the lantern three times", type: "skill" };
  bodyOf(await api.post("/v1/remember", loose), 201);
  bodyOf(await api.put("/v1/skills/light-up", { name: "Light the lantern", steps: ["Strike"] }), 201);
  const { id } = await quietSession(api, { user_id: fresh("mia") });
  const { value } = await execute(api, id, "find_skill", { query: "lantern" });
  expect(value).toMatchObject({ count: 1, skills: [{ slug: "light-up" }] });
});

describe("a program's own calls", () => {
  it("may name any scope, and are told of a wider one that would find something", async () => {
    const api = await kioku.tenant();
    const user_id = fresh("mia");
    const { id } = await quietSession(api, { user_id, agent_id: "ada" });
    await remember(api, (await quietSession(api, { agent_id: "ada" })).id, "The harbour is frozen");
    const body = { query: "harbour", mode: "text" };
    const own = bodyOf(await api.post<Recalled & { hint?: string }>(`/v1/sessions/${id}/recall`, body), 200);
    expect(own.count).toBe(0);
    expect(own.hint).toContain('"scope": "agent"');
    for (const scope of ["agent", "tenant"]) {
      const wider = await api.post<Recalled>(`/v1/sessions/${id}/recall`, { ...body, scope });
      expect(contents(bodyOf(wider, 200).memories)).toEqual(["The harbour is frozen"]);
    }
  });

  it("for one user are told nothing of what belongs to another", async () => {
    const api = await kioku.tenant();
    const { id } = await quietSession(api, { user_id: fresh("mia"), agent_id: "ada", project_id: "port" });
    const others = await quietSession(api, { user_id: fresh("noor"), agent_id: "ada", project_id: "port" });
    await remember(api, others.id, "The harbour is frozen");
    const answer = await api.post<Recalled>(`/v1/sessions/${id}/recall`, { query: "harbour", mode: "text" });
    expect(bodyOf(answer, 200)).toMatchObject({ count: 0 });
    expect(bodyOf(answer, 200)).not.toHaveProperty("hint");
  });

  it("without an owner are stored in the project default", async () => {
    const api = await kioku.tenant();
    const stored = bodyOf(await api.post<Remembered>("/v1/remember", { content: "The bell rings" }), 201);
    expect(stored).toMatchObject({ scope: { kind: "project", id: "default" } });
    expect(await readMemory(api, stored.memory_id)).toMatchObject({
      project_id: "default",
      session_id: null,
    });
  });

  it("in a session that does not exist yet answer from the ids of the body, and create nothing", async () => {
    const api = await kioku.tenant();
    const user_id = fresh("mia");
    const agent_id = fresh("ada");
    await setPolicy(api, agent_id, { capture: "conversation" });
    const earlier = await quietSession(api, { user_id, agent_id });
    await remember(api, earlier.id, "Mia plays the cello");
    await say(api, earlier.id, [{ role: "user", content: "The cello is in tune" }]);
    const id = fresh("session");
    const calls: [string, object][] = [
      ["recall", { query: "cello" }],
      ["assemble", { query: "cello" }],
      ["preflight", { input: "cello" }],
    ];
    for (const [name, body] of calls) {
      const named = await api.post(`/v1/sessions/${id}/${name}`, { ...body, user_id });
      bodyOf(named, 200);
      expect(named.text, name).toContain("Mia plays the cello");
      const nobody = await api.post(`/v1/sessions/${id}/${name}`, body);
      bodyOf(nobody, 200);
      expect(nobody.text, name).not.toContain("Mia plays the cello");
    }
    expectProblem(await api.get(`/v1/sessions/${id}`), "not_found");
  });
});

describe("a client that is pinned by headers", () => {
  const mia = fresh("mia");
  const noa = fresh("noa");
  const agent_id = fresh("ada");
  let api: Client;
  let session: string;
  let memory: string;

  beforeAll(async () => {
    api = await kioku.tenant();
    session = (await quietSession(api, { user_id: noa, agent_id, project_id: "shop" })).id;
    await say(api, session, [{ role: "user", content: "My password is swordfish" }]);
    memory = (await remember(api, session, "Noa keeps swordfish")).memory_id;
    const episode = {
      context: { goal: "Feed the swordfish" },
      outcome: "failure",
      user_id: noa,
      agent: agent_id,
    };
    bodyOf(await api.post("/v1/episodes", { ...episode, project_id: "shop" }), 201);
  });

  async function attempt(headers: Record<string, string>, name: string, input: object): Promise<Outcome> {
    await using client = await connectMcp(api, { headers });
    const result = await client.callTool({ name, arguments: { ...input } });
    return { isError: result.isError ?? false, value: JSON.parse(textOf(result)) };
  }

  it("cannot name another owner, nor a session of another", async () => {
    const headers = { "Kioku-User-Id": mia };
    for (const input of [
      { user_id: noa },
      { session_id: session },
      { scope: "agent", agent_id },
      { scope: "tenant" },
    ]) {
      const outcome = await attempt(headers, "recall", { query: "swordfish", ...input });
      expect(outcome.isError, JSON.stringify(outcome.value)).toBe(true);
      expect(outcome.value.error).not.toContain("Noa keeps");
    }
    expect((await attempt(headers, "forget", { memory_id: memory })).isError).toBe(true);
    expect(await readMemory(api, memory)).toMatchObject({ forgotten_at: null });
  });

  it("may narrow the owner, and writes carry the pinned ids", async () => {
    const headers = { "Kioku-User-Id": mia };
    const { value } = await attempt(headers, "remember", { content: "Mia rows", project_id: "shop" });
    expect(await readMemory(api, String(value.memory_id))).toMatchObject({
      user_id: mia,
      project_id: "shop",
    });
    const { value: found } = await attempt(headers, "recall", { query: "rows", user_id: mia });
    expect(found).toMatchObject({ count: 1 });
  });

  it("sees no resource, prompt or completion of another user", async () => {
    await using client = await connectMcp(api, { headers: { "Kioku-User-Id": mia } });
    expect(JSON.stringify(await client.listResources())).not.toContain("swordfish");
    for (const uri of [`kioku://memories/${memory}`, `kioku://sessions/${session}/continuity`])
      await expect(client.readResource({ uri })).rejects.toThrow(/not found/i);
    const context = { name: "session_context", arguments: { session_id: session } };
    await expect(client.getPrompt(context)).rejects.toThrow(/not found/i);
    for (const args of [{}, { project_id: "shop" }]) {
      const briefing = { name: "prime_task", arguments: { goal: "What does the animal eat?", ...args } };
      expect(JSON.stringify(await client.getPrompt(briefing))).not.toContain("swordfish");
    }
    const { completion } = await client.complete({
      ref: { type: "ref/prompt", name: "session_context" },
      argument: { name: "session_id", value: "" },
    });
    expect(completion.values).not.toContain(session);
  });

  it("stays in a pinned session", async () => {
    const own = await quietSession(api, { user_id: mia, agent_id });
    const loose = await quietSession(api);
    for (const { id } of [own, loose]) {
      const headers = { "Kioku-Session-Id": id };
      const { isError, value } = await attempt(headers, "recall", {
        session_id: session,
        query: "swordfish",
      });
      expect(isError).toBe(true);
      expect(value.error).toContain("session_id: ");
      expect((await attempt(headers, "remember", { content: `Of ${id}` })).value).toMatchObject({
        remembered: true,
      });
      await using client = await connectMcp(api, { headers });
      const resources = JSON.stringify(await client.listResources());
      expect(resources).toContain(`Of ${id}`);
      expect(resources).not.toContain("swordfish");
      await expect(client.readResource({ uri: `kioku://memories/${memory}` })).rejects.toThrow(/not found/i);
      const context = { name: "session_context", arguments: { session_id: session } };
      await expect(client.getPrompt(context)).rejects.toThrow(/not found/i);
    }
  });

  it("names a conflict between the header and the key", async () => {
    const tenant = fresh("tenant");
    const bound = await kioku.tenant({ name: tenant, bind: { user_id: mia } });
    await expect(connectMcp(bound, { headers: { "Kioku-User-Id": noa } })).rejects.toThrow();
  });

  it("to a user or a session gets no graph, which belongs to agents and projects", async () => {
    const list = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "read_graph", arguments: {} },
    };
    for (const name of ["Kioku-User-Id", "Kioku-Session-Id"]) {
      const headers = { Accept: "application/json, text/event-stream", [name]: mia };
      const answer = await api.post<{ result: { isError: boolean } }>("/mcp/graph", list, headers);
      expect(bodyOf(answer, 200).result.isError).toBe(true);
    }
  });
});
