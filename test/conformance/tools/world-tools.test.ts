// The world and the tasks of a session as tools, as models call them: over execute and over MCP.
import { describe, expect, it } from "vitest";
import { newSession } from "../support/actions";
import { type Client, fresh } from "../support/client";
import { bodyOf, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";
import { call as callMcp, connectMcp, failing } from "../surfaces/mcp";

const kioku = serviceUnderTest();

type Result = { content: string; is_error: boolean };
type Task = { id: string; text: string; status: string };
type Fact = { text: string; source: string };
type World = { rev: number; world: { facts?: Record<string, Fact> } & Record<string, unknown> };
type Container = { spaces: { world: { data: Record<string, unknown> }; tasks: { data: Task[] } } };

async function execute<T>(
  session_id: string,
  name: string,
  args: object = {},
  api: Client = kioku.api,
): Promise<T> {
  const call = { name, arguments: args };
  const { content, is_error } = bodyOf(
    await api.post<Result>("/v1/tools/execute", { session_id, call }),
    200,
  );
  expect(is_error, content).toBe(false);
  return JSON.parse(content) as T;
}

async function refuse(session_id: string, name: string, args: object) {
  const call = { name, arguments: args };
  const { content, is_error } = bodyOf(
    await kioku.api.post<Result>("/v1/tools/execute", { session_id, call }),
    200,
  );
  expect(is_error).toBe(true);
  return JSON.parse(content) as { error: string; code: string };
}

const readContainer = async (id: string) =>
  bodyOf(await kioku.api.get<Container>(`/v1/sessions/${id}/memory`), 200).spaces;

describe("the world", () => {
  it("has the facts that were noted, a new one on a subject in place of the old", async () => {
    const { id } = await newSession(kioku.api);
    const fact = { subject: "Staging server", text: "The staging server is at Hetzner" };
    expect(await execute(id, "note_fact", fact)).toEqual({
      noted: true,
      subject: "staging server",
      replaced: false,
      rev: 1,
    });
    await execute(id, "note_fact", { subject: "door", text: "The door is open" });
    const moved = { subject: "staging server ", text: "The staging server is at OVH" };
    expect(await execute(id, "note_fact", moved)).toMatchObject({ replaced: true, rev: 3 });
    const { rev, world } = await execute<World>(id, "read_world");
    expect(rev).toBe(3);
    expect(world).toEqual({
      facts: {
        "staging server": { kind: "fact", text: moved.text, at: expect.any(String), source: "agent" },
        door: { kind: "fact", text: "The door is open", at: expect.any(String), source: "agent" },
      },
    });
    expect((await readContainer(id)).world.data).toEqual(world);
  });

  it("is read whole or by key", async () => {
    const { id } = await newSession(kioku.api);
    const ops = [{ op: "put", key: "temperature", value: 22 }];
    bodyOf(await kioku.api.post(`/v1/sessions/${id}/spaces/world/ops`, { ops }), 200);
    await execute(id, "note_fact", { subject: "door", text: "The door is open" });
    expect(Object.keys((await execute<World>(id, "read_world")).world)).toEqual(["temperature", "facts"]);
    expect((await execute<World>(id, "read_world", { key: "temperature" })).world).toEqual({
      temperature: 22,
    });
    expect((await execute<World>(id, "read_world", { key: "humidity" })).world).toEqual({});
  });

  it("is in the assembled context, and the projector leaves a noted fact as it is", async () => {
    const { id } = await newSession(kioku.api);
    await execute(id, "note_fact", { subject: "staging server", text: "The staging server is at OVH" });
    const messages = [{ role: "user", content: "Our staging server is Hetzner." }];
    bodyOf(await kioku.api.post(`/v1/sessions/${id}/messages`, { messages }), 201);
    bodyOf(await kioku.api.post(`/v1/sessions/${id}/projectors/facts/run`), 200);
    const { world } = await execute<World>(id, "read_world", { key: "facts" });
    expect(world.facts?.["staging server"]).toMatchObject({
      text: "The staging server is at OVH",
      source: "agent",
    });
    const assembled = await kioku.api.post<{ facts: { text: string }[] }>(`/v1/sessions/${id}/assemble`, {});
    expect(bodyOf(assembled, 200).facts.map(({ text }) => text)).toContain("The staging server is at OVH");
  });

  it("that has no map of facts is left as it is", async () => {
    const { id } = await newSession(kioku.api);
    const ops = [{ op: "put", key: "facts", value: "none" }];
    bodyOf(await kioku.api.post(`/v1/sessions/${id}/spaces/world/ops`, { ops }), 200);
    const refused = await refuse(id, "note_fact", { subject: "door", text: "The door is open" });
    expect(refused).toMatchObject({ code: "conflict", error: expect.stringMatching(/facts/) });
    expect((await readContainer(id)).world.data).toEqual({ facts: "none" });
  });
});

describe("tasks", () => {
  it("are added, listed, next and completed", async () => {
    const { id } = await newSession(kioku.api);
    const room = await execute<Task>(id, "add_task", { text: "Investigate room 4" });
    expect(room).toEqual({ id: expect.any(String), text: "Investigate room 4", status: "open" });
    const first = { id: "t2", text: "Call the caretaker", index: 0 };
    const caretaker = await execute<Task>(id, "add_task", first);
    expect(await execute(id, "list_tasks")).toEqual({ count: 2, tasks: [caretaker, room] });
    expect(await execute(id, "list_tasks", { limit: 1 })).toEqual({ count: 2, tasks: [caretaker] });
    expect(await execute(id, "next_task")).toEqual({ task: caretaker });
    const done = { ...caretaker, status: "done" };
    expect(await execute(id, "complete_task", { task_id: "t2" })).toEqual(done);
    expect(await execute(id, "complete_task", { task_id: "t2" })).toEqual(done);
    expect(await execute(id, "next_task")).toEqual({ task: room });
    expect(await execute(id, "list_tasks", { status: "done" })).toEqual({ count: 1, tasks: [done] });
    expect(await execute(id, "list_tasks", { status: "all" })).toEqual({ count: 2, tasks: [done, room] });
    await execute(id, "complete_task", { task_id: room.id });
    expect(await execute(id, "next_task")).toEqual({ task: null });
    expect((await readContainer(id)).tasks.data).toEqual([done, { ...room, status: "done" }]);
  });

  it("are added once per key", async () => {
    const { id } = await newSession(kioku.api);
    const call = { name: "add_task", arguments: { text: "Call the caretaker" } };
    const headers = { "Idempotency-Key": fresh("key") };
    const send = () => kioku.api.post("/v1/tools/execute", { session_id: id, call }, headers);
    const answers = await Promise.all([send(), send(), send()]);
    for (const answer of answers) expect(bodyOf(answer, 200)).toEqual(answers[0]?.body);
    expect(await execute(id, "list_tasks")).toMatchObject({ count: 1 });
  });
});

describe("a session that has not begun", () => {
  it("has no world and no tasks, and reading them does not create it", async () => {
    const id = fresh("session");
    expect(await execute(id, "read_world")).toEqual({ rev: 0, world: {} });
    expect(await execute(id, "list_tasks")).toEqual({ count: 0, tasks: [] });
    expect(await execute(id, "next_task")).toEqual({ task: null });
    expect((await kioku.api.get(`/v1/sessions/${id}`)).status).toBe(404);
    expect(await refuse(id, "complete_task", { task_id: "t1" })).toMatchObject({ code: "not_found" });
  });

  it.each([
    ["note_fact", { subject: "door", text: "The door is open" }],
    ["add_task", { text: "Close the door" }],
  ])("begins with %s, for the owner of the call", async (name, args) => {
    const [session_id, user_id] = [fresh("session"), fresh("user")];
    const body = { session_id, user_id, call: { name, arguments: args } };
    expect(bodyOf(await kioku.api.post<Result>("/v1/tools/execute", body), 200).is_error).toBe(false);
    expect(bodyOf(await kioku.api.get(`/v1/sessions/${session_id}`), 200)).toMatchObject({ user_id });
  });
});

describe("a call that cannot be done says what to change", () => {
  it.each([
    ["note_fact", {}, "invalid_request", /subject|text/],
    ["note_fact", { subject: "door", text: "" }, "invalid_request", /text: must not be empty/],
    ["note_fact", { subject: "  ", text: "Open" }, "invalid_request", /subject: must not be empty/],
    [
      "note_fact",
      { subject: "__proto__", text: "Open" },
      "invalid_request",
      /subject: is not a possible name/,
    ],
    ["add_task", { text: "" }, "invalid_request", /text/],
    ["add_task", { text: "Close it", index: 5 }, "invalid_request", /index: must be from 0 to 0/],
    ["list_tasks", { status: "urgent" }, "invalid_request", /status.*open, done, all/],
    ["list_tasks", { limit: 0 }, "invalid_request", /limit/],
    ["complete_task", { task_id: "nothing" }, "not_found", /Task not found: nothing\. List the tasks/],
  ])("%s %j", async (name, args, code, says) => {
    const { id } = await newSession(kioku.api);
    expect(await refuse(id, name, args)).toEqual({ code, error: expect.stringMatching(says) });
    expect(await readContainer(id)).toMatchObject({ world: { data: {} }, tasks: { data: [] } });
  });

  it("to a closed session", async () => {
    const { id } = await newSession(kioku.api);
    bodyOf(await kioku.api.post(`/v1/sessions/${id}/close`), 200);
    expect(await refuse(id, "add_task", { text: "Too late" })).toMatchObject({ code: "conflict" });
    expect(await refuse(id, "note_fact", { subject: "door", text: "Open" })).toMatchObject({
      code: "conflict",
    });
  });
});

describe("keys", () => {
  it("of one user see the world and tasks of that user's sessions alone, and create them as theirs", async () => {
    const [mine, yours] = [fresh("user"), fresh("user")];
    const name = fresh("tenant");
    const owner = await kioku.tenant({ name });
    const bound = await kioku.tenant({ name, bind: { user_id: mine } });
    const { id } = await newSession(owner, { user_id: yours });
    await execute(id, "add_task", { text: "A secret of yours" }, owner);
    await using mcp = await connectMcp(bound);
    for (const [name, args] of [
      ["read_world", {}],
      ["list_tasks", {}],
      ["next_task", {}],
      ["add_task", { text: "Mine" }],
      ["note_fact", { subject: "door", text: "Mine" }],
      ["complete_task", { task_id: "t1" }],
    ] as const) {
      const call = { name, arguments: args };
      expectProblem(await bound.post("/v1/tools/execute", { session_id: id, call }), "not_found");
      expect(await failing(mcp, name, { session_id: id, ...args })).toMatchObject({ code: "not_found" });
    }
    const own = fresh("session");
    await execute(own, "add_task", { text: "Mine" }, bound);
    expect(await execute(own, "next_task", {}, bound)).toMatchObject({ task: { text: "Mine" } });
    expect(bodyOf(await owner.get(`/v1/sessions/${own}`), 200)).toMatchObject({ user_id: mine });
  });
});

describe("over MCP", () => {
  it("a model keeps its world and its tasks", async () => {
    await using client = await connectMcp(kioku.api);
    const session_id = fresh("session");
    expect(await callMcp(client, "next_task", { session_id })).toEqual({ task: null });
    await callMcp(client, "note_fact", { session_id, subject: "door", text: "The door is open" });
    const task = await callMcp<Task>(client, "add_task", { session_id, text: "Close the door" });
    expect(await callMcp(client, "next_task", { session_id })).toEqual({ task });
    await callMcp(client, "complete_task", { session_id, task_id: task.id });
    expect(await callMcp(client, "list_tasks", { session_id })).toEqual({ count: 0, tasks: [] });
    const { world } = await callMcp<World>(client, "read_world", { session_id });
    expect(world.facts?.door?.text).toBe("The door is open");
    expect(await failing(client, "next_task", {})).toMatchObject({
      error: expect.stringMatching(/session_id/),
    });
  });

  it("a client that is pinned to a session needs no id, and reaches no other session", async () => {
    const [session, other] = [fresh("session"), fresh("session")];
    await using client = await connectMcp(kioku.api, { headers: { "Kioku-Session-Id": session } });
    await callMcp(client, "add_task", { text: "Close the door" });
    expect(await execute(session, "list_tasks")).toMatchObject({ count: 1 });
    expect(await failing(client, "list_tasks", { session_id: other })).toMatchObject({ code: "forbidden" });
  });
});
