// Spaces: the container with its revisions, how spaces are made, replaced and deleted, and their names.
import { describe, expect, it } from "vitest";
import { allPages, newSession, readSession } from "../support/actions";
import { fresh } from "../support/client";
import { ISO_MS, type Space, type Task } from "../support/contract";
import { bodyOf, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";
import { addTask, append, change, makeSpace, project, readContainer, readSpace } from "./cognition";

const kioku = serviceUnderTest();

type Fields = Record<string, unknown>;

async function session(): Promise<string> {
  return (await newSession(kioku.api)).id;
}

function tasksOf(session: string, query = ""): Promise<Task[]> {
  return allPages<Task>(kioku.api, `/v1/sessions/${session}/tasks${query}`);
}

describe("the container", () => {
  it("has tasks, a list, and world, a map, from the start", async () => {
    const id = await session();
    const memory = await readContainer(kioku.api, id);
    expect(memory).toMatchObject({
      id: expect.any(String),
      rev: expect.any(Number),
      metadata: {},
      spaces: {
        tasks: { kind: "list", data: [], rev: expect.any(Number), metadata: {} },
        world: { kind: "map", data: {}, rev: expect.any(Number), metadata: {} },
      },
    });
    expect(Object.keys(memory.spaces).sort()).toEqual(["tasks", "world"]);
    for (const time of [memory.created_at, memory.updated_at]) expect(time).toMatch(ISO_MS);
  });

  it("raises its rev and that of the space touched with every change, and no other", async () => {
    const id = await session();
    await makeSpace(kioku.api, id, "notes", []);
    const at = `/v1/sessions/${id}`;
    const { id: task } = await addTask(kioku.api, id, "Look");
    const changes: [string, () => Promise<unknown>][] = [
      ["notes", () => kioku.api.put(`${at}/spaces/notes`, { data: [{ id: "a" }] })],
      ["notes", () => change(kioku.api, id, "notes", [{ op: "append", item: 1 }])],
      ["world", () => change(kioku.api, id, "world", [{ op: "put", key: "door", value: "open" }])],
      ["world", () => change(kioku.api, id, "world", [{ op: "delete", key: "door" }])],
      ["tasks", () => addTask(kioku.api, id, "Leap")],
      ["tasks", () => kioku.api.post(`${at}/tasks/${task}/complete`)],
      ["tasks", () => kioku.api.delete(`${at}/tasks/${task}`)],
    ];
    for (const [touched, work] of changes) {
      const before = await readContainer(kioku.api, id);
      await work();
      const after = await readContainer(kioku.api, id);
      expect(after.rev).toBeGreaterThan(before.rev);
      expect(after.updated_at >= before.updated_at).toBe(true);
      for (const [name, space] of Object.entries(after.spaces)) {
        if (name === touched) expect(space.rev).toBeGreaterThan(before.spaces[name]?.rev ?? 0);
        else expect(space).toEqual(before.spaces[name]);
      }
    }
  });

  it("raises its rev for a space that is made or deleted", async () => {
    const id = await session();
    const before = (await readContainer(kioku.api, id)).rev;
    const made = (await makeSpace(kioku.api, id, "notes", {})).memory_rev;
    bodyOf(await kioku.api.delete(`/v1/sessions/${id}/spaces/notes`), 204);
    const deleted = (await readContainer(kioku.api, id)).rev;
    expect(made).toBeGreaterThan(before);
    expect(deleted).toBeGreaterThan(made);
  });

  it("does not change when it is read", async () => {
    const id = await session();
    await addTask(kioku.api, id, "Look");
    const before = await readContainer(kioku.api, id);
    await readSpace(kioku.api, id, "world");
    await tasksOf(id);
    bodyOf(await kioku.api.get(`/v1/sessions/${id}/tasks/next`), 200);
    expect(await readContainer(kioku.api, id)).toEqual(before);
  });

  it("holds every space as it is read alone", async () => {
    const id = await session();
    await makeSpace(kioku.api, id, "rag:cache", { a: [1, { b: null }] }, { metadata: { owner: "rag" } });
    const memory = await readContainer(kioku.api, id);
    for (const [name, space] of Object.entries(memory.spaces)) {
      expect(await readSpace(kioku.api, id, name)).toEqual({ ...space, name, memory_rev: memory.rev });
    }
  });
});

describe("a session nobody has used", () => {
  const reads = ["memory", "spaces/world", "spaces/tasks", "spaces/custom", "tasks", "tasks/next"];
  it.each(reads)("has no %s to read", async (part) => {
    const id = fresh("nobody");
    expectProblem(await kioku.api.get(`/v1/sessions/${id}/${part}`), "not_found");
    expectProblem(await kioku.api.get(`/v1/sessions/${id}`), "not_found");
  });

  const writes: [string, string, string, unknown, number][] = [
    ["a space", "PUT", "spaces/notes", { data: [] }, 201],
    ["an operation on world", "POST", "spaces/world/ops", { ops: [{ op: "put", key: "a", value: 1 }] }, 200],
    ["a task", "POST", "tasks", { text: "Begin" }, 201],
  ];
  it.each(writes)("is made by %s", async (_name, method, part, body, status) => {
    const id = fresh("session");
    bodyOf(await kioku.api.call(method, `/v1/sessions/${id}/${part}`, { body }), status);
    expect((await readSession(kioku.api, id)).status).toBe("active");
  });

  const missing: [string, string, string, unknown][] = [
    ["an operation on a space it lacks", "POST", "spaces/x/ops", { ops: [{ op: "append", item: 1 }] }],
    ["the deletion of a space", "DELETE", "spaces/x", undefined],
    ["the completion of a task", "POST", "tasks/t1/complete", undefined],
    ["the removal of a task", "DELETE", "tasks/t1", undefined],
  ];
  it.each(missing)("is not made by %s", async (_name, method, part, body) => {
    const id = fresh("nobody");
    const call = body === undefined ? {} : { body };
    expectProblem(await kioku.api.call(method, `/v1/sessions/${id}/${part}`, call), "not_found");
    expectProblem(await kioku.api.get(`/v1/sessions/${id}`), "not_found");
  });
});

describe("a space", () => {
  it.each([
    ["map", { door: "open", deep: { list: [1, "two", null, { three: true }] } }],
    ["list", [{ id: "e1", text: "Door sensor" }, "text", 7, null, [1]]],
  ])("is a %s by what it is made of, and gives it back", async (kind, data) => {
    const id = await session();
    const made = await makeSpace(kioku.api, id, "evidence", data, { metadata: { source: "sensor" } });
    expect(made).toEqual({
      name: "evidence",
      kind,
      rev: expect.any(Number),
      data,
      metadata: { source: "sensor" },
      memory_rev: expect.any(Number),
    });
    expect(await readSpace(kioku.api, id, "evidence")).toEqual(made);
  });

  it("is replaced by a second PUT, with 200", async () => {
    const id = await session();
    const made = await makeSpace(kioku.api, id, "notes", { a: 1, b: 2 });
    const path = `/v1/sessions/${id}/spaces/notes`;
    const put = bodyOf(await kioku.api.put<Space>(path, { data: { b: 3 } }), 200);
    expect(put).toMatchObject({ name: "notes", kind: "map", data: { b: 3 } });
    expect(put.rev).toBeGreaterThan(made.rev);
    expect(await readSpace(kioku.api, id, "notes")).toEqual(put);
  });

  it("is left as it is by ensure, and made by it when it is missing", async () => {
    const id = await session();
    const path = `/v1/sessions/${id}/spaces/notes`;
    const made = bodyOf(await kioku.api.put<Space>(path, { data: { a: 1 }, ensure: true }), 201);
    const again = bodyOf(await kioku.api.put<Space>(path, { data: { b: 2 }, ensure: true }), 200);
    expect(again).toEqual(made);
    expect(await readSpace(kioku.api, id, "notes")).toEqual(made);
    for (const name of ["world", "tasks"]) {
      const data = name === "world" ? { a: 1 } : [];
      const answer = await kioku.api.put<Space>(`/v1/sessions/${id}/spaces/${name}`, { data, ensure: true });
      expect(Object.keys(bodyOf(answer, 200).data as object)).toEqual([]);
    }
  });

  it("is made by one of many that ensure it at once", async () => {
    const id = await session();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        kioku.api.put<Space>(`/v1/sessions/${id}/spaces/shared`, { data: { by: n }, ensure: true }),
      ),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([...Array(19).fill(200), 201]);
    expect(new Set(answers.map((answer) => JSON.stringify(answer.body.data))).size).toBe(1);
  });

  it("keeps its kind: a list never becomes a map, nor a map a list", async () => {
    const id = await session();
    await makeSpace(kioku.api, id, "map", { a: 1 });
    await makeSpace(kioku.api, id, "list", [1]);
    const before = await readContainer(kioku.api, id);
    const changes: [string, unknown][] = [
      ["map", []],
      ["list", {}],
      ["world", []],
      ["tasks", {}],
    ];
    for (const [name, data] of changes)
      expectProblem(await kioku.api.put(`/v1/sessions/${id}/spaces/${name}`, { data }), "conflict");
    expect(await readContainer(kioku.api, id)).toEqual(before);
  });

  it.each([["text"], [7], [null], [true]])("is not made of %j", async (data) => {
    const id = fresh("session");
    const path = `/v1/sessions/${id}/spaces/notes`;
    expectProblem(await kioku.api.put(path, { data }), "invalid_request", "data");
    expectProblem(await kioku.api.get(`/v1/sessions/${id}`), "not_found");
  });

  it.each<[string, Fields, string | undefined]>([
    ["no data", {}, "data"],
    ["metadata that is no object", { data: {}, metadata: [] }, "metadata"],
    ["a rev that is no number", { data: {}, expected_rev: "1" }, "expected_rev"],
    ["a rev below 0", { data: {}, expected_rev: -1 }, "expected_rev"],
    ["a rev that is no whole number", { data: {}, expected_memory_rev: 1.5 }, "expected_memory_rev"],
    ["ensure that is no flag", { data: {}, ensure: "yes" }, "ensure"],
    ["a field it does not know", { data: {}, colour: "red" }, undefined],
  ])("is refused with %s", async (_name, body, field) => {
    const id = await session();
    expectProblem(await kioku.api.put(`/v1/sessions/${id}/spaces/notes`, body), "invalid_request", field);
    expectProblem(await kioku.api.get(`/v1/sessions/${id}/spaces/notes`), "not_found");
  });

  it("is gone once deleted, and may be made again with another kind", async () => {
    const id = await session();
    const path = `/v1/sessions/${id}/spaces/notes`;
    await makeSpace(kioku.api, id, "notes", { a: 1 });
    const answer = await kioku.api.delete(path);
    bodyOf(answer, 204);
    expect(answer.text).toBe("");
    expectProblem(await kioku.api.get(path), "not_found");
    expectProblem(await kioku.api.delete(path), "not_found");
    expectProblem(await kioku.api.post(`${path}/ops`, { ops: [{ op: "delete", key: "a" }] }), "not_found");
    expect(Object.keys((await readContainer(kioku.api, id)).spaces)).not.toContain("notes");
    expect(await makeSpace(kioku.api, id, "notes", [])).toMatchObject({ kind: "list", data: [] });
  });

  it.each(["tasks", "world"])("%s cannot be deleted", async (name) => {
    const id = await session();
    await addTask(kioku.api, id, "Stay");
    await change(kioku.api, id, "world", [{ op: "put", key: "door", value: "open" }]);
    const before = await readContainer(kioku.api, id);
    expectProblem(await kioku.api.delete(`/v1/sessions/${id}/spaces/${name}`), "conflict");
    expect(await readContainer(kioku.api, id)).toEqual(before);
  });

  it("belongs to its session alone", async () => {
    const [one, two] = [await session(), await session()];
    await makeSpace(kioku.api, one, "notes", { a: 1 });
    expectProblem(await kioku.api.get(`/v1/sessions/${two}/spaces/notes`), "not_found");
    expect(await makeSpace(kioku.api, two, "notes", [])).toMatchObject({ data: [] });
    expect(await readSpace(kioku.api, one, "notes")).toMatchObject({ data: { a: 1 } });
  });
});

describe("names", () => {
  const good = [
    "rag:cache",
    "planner:steps",
    "constructor",
    "toString",
    "hasOwnProperty",
    "valueOf",
    "a.b-c_d",
  ];
  it.each(good)("such as %s name a space that is not there before", async (name) => {
    const id = await session();
    const path = `/v1/sessions/${id}/spaces/${encodeURIComponent(name)}`;
    expectProblem(await kioku.api.get(path), "not_found");
    expectProblem(await kioku.api.delete(path), "not_found");
    await makeSpace(kioku.api, id, name, { here: true });
    expect((await readContainer(kioku.api, id)).spaces[name]).toMatchObject({ data: { here: true } });
    await change(kioku.api, id, name, [{ op: "put", key: "more", value: 1 }]);
    expect(await readSpace(kioku.api, id, name)).toMatchObject({ name, data: { here: true, more: 1 } });
    bodyOf(await kioku.api.delete(path), 204);
    expectProblem(await kioku.api.get(path), "not_found");
  });

  const hostile = [
    "__proto__",
    "a/b",
    "../world",
    "a b",
    "é",
    "💥",
    "a\u0000b",
    "\n",
    "'; DROP TABLE spaces; --",
  ];
  it.each([...hostile, "x".repeat(5_000)])("such as %j are refused, or taken as they are", async (name) => {
    const id = await session();
    const path = `/v1/sessions/${id}/spaces/${encodeURIComponent(name)}`;
    const answer = await kioku.api.put<Space>(path, { data: { here: true } });
    if (answer.status === 201) expect(await readSpace(kioku.api, id, name)).toMatchObject({ name });
    else expectProblem(answer, "invalid_request", "name");
    const { spaces } = await readContainer(kioku.api, id);
    expect(spaces.world?.data).toEqual({});
    expect(Object.keys(spaces)).toHaveLength(answer.status === 201 ? 3 : 2);
  });
});

describe("an erased session", () => {
  it("leaves nothing for a new one of the same id", async () => {
    const id = await session();
    await makeSpace(kioku.api, id, "notes", { secret: 1 });
    await addTask(kioku.api, id, "Secret");
    await append(kioku.api, id, [{ kind: "note", payload: "Secret" }]);
    await project(kioku.api, id, "summary");
    bodyOf(await kioku.api.delete(`/v1/sessions/${id}`), 200);
    for (const part of ["memory", "spaces/notes", "tasks", "thread", "projectors", "signals"])
      expectProblem(await kioku.api.get(`/v1/sessions/${id}/${part}`), "not_found");
    await newSession(kioku.api, { id });
    const { spaces } = await readContainer(kioku.api, id);
    expect(Object.entries(spaces).map(([name, { data }]) => [name, data])).toEqual([
      ["tasks", []],
      ["world", {}],
    ]);
    expect(await append(kioku.api, id, [{ kind: "note", payload: "New" }])).toEqual({
      first_seq: 1,
      last_seq: 1,
    });
    const projectors = bodyOf(
      await kioku.api.get<{ data: { covered_seq: number }[] }>(`/v1/sessions/${id}/projectors`),
      200,
    );
    for (const { covered_seq } of projectors.data) expect(covered_seq).toBe(0);
  });
});
