// Spaces and tasks: revisions, operations that are all or none, writers at once, and limits.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { allPages, ids, newSession, readSession } from "./actions";
import { type Answer, fresh, inBatches } from "./client";
import { addTask, append, change, makeSpace, project, readContainer, readSpace } from "./cognition";
import { type Container, ID, ISO_MS, type Space, type Stale, type Task } from "./contract";
import { bodyOf, expectProblem } from "./expectations";
import { serviceUnderTest } from "./service";

const kioku = serviceUnderTest();

type Fields = Record<string, unknown>;
type Item = { id: string; [member: string]: unknown };

async function session(): Promise<string> {
  return (await newSession(kioku.api)).id;
}

function tasksOf(session: string, query = ""): Promise<Task[]> {
  return allPages<Task>(kioku.api, `/v1/sessions/${session}/tasks${query}`);
}

/** A stale revision, answered with where the space and its container are. */
function expectStale(answer: Answer<unknown>, rev: number, memoryRev: number): void {
  const problem = expectProblem(answer, "conflict") as Stale;
  expect(problem).toMatchObject({ current_rev: rev, current_memory_rev: memoryRev });
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
    ["a field it does not know", { data: {}, kind: "map" }, undefined],
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

describe("operations on a map", () => {
  it("put and delete keys, in the order given", async () => {
    const id = await session();
    const first = await change(kioku.api, id, "world", [
      { op: "put", key: "door", value: "open" },
      { op: "put", key: "temperature", value: 22.5 },
      { op: "put", key: "door", value: { state: "closed", by: null } },
      { op: "put", key: "gone", value: 1 },
      { op: "delete", key: "gone" },
    ]);
    expect(first.data).toEqual({ door: { state: "closed", by: null }, temperature: 22.5 });
    const world = await readSpace(kioku.api, id, "world");
    expect(world).toMatchObject({ data: first.data, rev: first.rev, memory_rev: first.memory_rev });
  });

  it("keep every kind of value, and null is not the same as nothing", async () => {
    const id = await session();
    const values = {
      null: null,
      no: false,
      zero: 0,
      empty: "",
      list: [],
      map: {},
      small: 1e-9,
      text: "日本 \n",
    };
    const ops = Object.entries(values).map(([key, value]) => ({ op: "put", key, value }));
    expect((await change(kioku.api, id, "world", ops)).data).toEqual(values);
    expect((await readSpace(kioku.api, id, "world")).data).toEqual(values);
  });

  it.each([
    ...["constructor", "toString", "hasOwnProperty", "length", "a.b", "a b", "é", "0", "-1", "💥", "'; --"],
  ])("take %j for a key like any other", async (key) => {
    const id = await session();
    expectNothingAt(await readSpace<Fields>(kioku.api, id, "world"), key);
    await change(kioku.api, id, "world", [{ op: "put", key, value: { nested: key } }]);
    expect(Object.entries((await readSpace<Fields>(kioku.api, id, "world")).data)).toEqual([
      [key, { nested: key }],
    ]);
    await change(kioku.api, id, "world", [{ op: "delete", key }]);
    expectNothingAt(await readSpace<Fields>(kioku.api, id, "world"), key);
  });

  function expectNothingAt(space: Space<Fields>, key: string): void {
    expect(Object.keys(space.data)).not.toContain(key);
  }

  it.each([
    ["a space's data", "PUT", "spaces/notes", '{"data":{"__proto__":{"polluted":true}}}'],
    ["a value", "POST", "spaces/world/ops", '{"ops":[{"op":"put","key":"a","value":{"__proto__":1}}]}'],
    [
      "a key",
      "POST",
      "spaces/world/ops",
      '{"ops":[{"op":"put","key":"__proto__","value":{"polluted":true}}]}',
    ],
  ])("never lose __proto__ in %s without a word", async (_name, method, part, raw) => {
    const id = await session();
    const answer = await kioku.api.call(method, `/v1/sessions/${id}/${part}`, { raw });
    if (answer.status < 300) expect(answer.text).toContain("__proto__");
    else expectProblem(answer, "invalid_request");
    expect((await readContainer(kioku.api, id)).spaces.world?.data).not.toHaveProperty("polluted");
  });
});

describe("operations on a list", () => {
  async function listOf(...items: unknown[]): Promise<string> {
    const id = await session();
    await makeSpace(kioku.api, id, "list", items);
    return id;
  }

  it("append, prepend and insert", async () => {
    const id = await listOf("b");
    const ops = [
      { op: "append", item: "d" },
      { op: "prepend", item: "a" },
      { op: "insert", index: 2, item: "c" },
      { op: "insert", index: 0, item: "first" },
      { op: "insert", index: 5, item: "last" },
    ];
    expect((await change(kioku.api, id, "list", ops)).data).toEqual(["first", "a", "b", "c", "d", "last"]);
  });

  it("remove and update by id, leaving the others and the order", async () => {
    const id = await listOf({ id: "a", n: 1 }, { id: "b", n: 2, kept: true }, { id: "c" }, "plain");
    const ops = [
      { op: "remove", id: "a" },
      { op: "update", id: "b", changes: { n: 3, more: null } },
    ];
    const expected = [{ id: "b", n: 3, kept: true, more: null }, { id: "c" }, "plain"];
    expect((await change(kioku.api, id, "list", ops)).data).toEqual(expected);
    expect((await readSpace(kioku.api, id, "list")).data).toEqual(expected);
  });

  it("find what an earlier operation of the same call added", async () => {
    const id = await listOf();
    const ops = [
      { op: "append", item: { id: "a", n: 1 } },
      { op: "append", item: { id: "b" } },
      { op: "update", id: "a", changes: { n: 2 } },
      { op: "remove", id: "b" },
    ];
    expect((await change(kioku.api, id, "list", ops)).data).toEqual([{ id: "a", n: 2 }]);
  });

  it("come to the same in one call as in many", async () => {
    const id = await session();
    const at = fc.nat();
    const moves = fc.array(
      fc.oneof(
        fc.record({
          op: fc.constantFrom("append", "prepend", "insert"),
          at,
          item: fc.jsonValue({ maxDepth: 2 }),
        }),
        fc.record({ op: fc.constantFrom("remove", "update"), at, item: fc.jsonValue({ maxDepth: 1 }) }),
      ),
      { minLength: 1, maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(moves, async (drawn) => {
        const { ops, expected } = played(drawn);
        fc.pre(ops.length > 0);
        const [whole, single] = [fresh("whole"), fresh("single")];
        for (const name of [whole, single]) await makeSpace(kioku.api, id, name, []);
        expect((await change(kioku.api, id, whole, ops)).data).toEqual(expected);
        for (const op of ops) await change(kioku.api, id, single, [op]);
        expect((await readSpace(kioku.api, id, single)).data).toEqual(expected);
      }),
      { numRuns: 20 },
    );
  });

  /** The operations drawn, with the list that plain editing makes of them. */
  function played(drawn: { op: string; at: number; item: unknown }[]): { ops: Fields[]; expected: Item[] } {
    const expected: Item[] = [];
    const ops: Fields[] = [];
    for (const [n, { op, at, item }] of drawn.entries()) {
      const there = expected[at % Math.max(1, expected.length)];
      const made = { id: `i${n}`, item };
      if (op === "append") expected.push(made);
      else if (op === "prepend") expected.unshift(made);
      else if (op === "insert") expected.splice(at % (expected.length + 1), 0, made);
      else if (there === undefined) continue;
      else if (op === "remove") expected.splice(expected.indexOf(there), 1);
      else there.item = item;
      if (op === "remove") ops.push({ op, id: there?.id });
      else if (op === "update") ops.push({ op, id: there?.id, changes: { item } });
      else ops.push({ op, item: { ...made }, ...(op === "insert" ? { index: expected.indexOf(made) } : {}) });
    }
    return { ops, expected };
  }
});

describe("a call of operations", () => {
  const onMap = [
    { op: "put", key: "new", value: 1 },
    { op: "delete", key: "kept" },
  ];
  const onList = [
    { op: "append", item: { id: "new" } },
    { op: "remove", id: "kept" },
  ];
  const refused: [string, string, Fields, "conflict" | "not_found" | "invalid_request"][] = [
    ["an append to a map", "map", { op: "append", item: 1 }, "conflict"],
    ["a prepend to a map", "map", { op: "prepend", item: 1 }, "conflict"],
    ["an insert into a map", "map", { op: "insert", index: 0, item: 1 }, "conflict"],
    ["a removal from a map", "map", { op: "remove", id: "kept" }, "conflict"],
    ["a put into a list", "list", { op: "put", key: "0", value: 1 }, "conflict"],
    ["a deletion of a list's key", "list", { op: "delete", key: "0" }, "conflict"],
    ["the removal of an item that is not there", "list", { op: "remove", id: "nobody" }, "not_found"],
    ["an update of one that is not there", "list", { op: "update", id: "nobody", changes: {} }, "not_found"],
    ["a place before the first", "list", { op: "insert", index: -1, item: 1 }, "invalid_request"],
    ["half a place", "list", { op: "insert", index: 0.5, item: 1 }, "invalid_request"],
    ["an operation nobody knows", "map", { op: "explode", key: "a" }, "invalid_request"],
    ["an append of nothing", "list", { op: "append" }, "invalid_request"],
    ["a put of nothing", "map", { op: "put", key: "a" }, "invalid_request"],
    ["a key that is no text", "map", { op: "put", key: 7, value: 1 }, "invalid_request"],
    ["changes that are no object", "list", { op: "update", id: "kept", changes: [] }, "invalid_request"],
  ];
  it.each(refused)("with %s among its operations does none of them", async (_name, kind, op, code) => {
    const id = await session();
    await makeSpace(kioku.api, id, "space", kind === "map" ? { kept: 1 } : [{ id: "kept" }]);
    const before = await readContainer(kioku.api, id);
    const good = kind === "map" ? onMap : onList;
    const path = `/v1/sessions/${id}/spaces/space/ops`;
    expectProblem(await kioku.api.post(path, { ops: [...good, op] }), code);
    expect(await readContainer(kioku.api, id)).toEqual(before);
    bodyOf(await kioku.api.post(path, { ops: good }), 200);
  });

  it.each<[string, unknown]>([
    ["no operations", { ops: [] }],
    ["nothing", {}],
    ["one operation instead of a list", { ops: { op: "put", key: "a", value: 1 } }],
    ["a misspelled rev", { ops: [{ op: "put", key: "a", value: 1 }], expectd_rev: 1 }],
  ])("with %s is refused", async (_name, body) => {
    const id = await session();
    expectProblem(await kioku.api.post(`/v1/sessions/${id}/spaces/world/ops`, body), "invalid_request");
    expect((await readSpace(kioku.api, id, "world")).data).toEqual({});
  });

  it("on a space that is not there is a 404, and makes none", async () => {
    const id = await session();
    const before = await readContainer(kioku.api, id);
    const ops = [{ op: "put", key: "a", value: 1 }];
    expectProblem(await kioku.api.post(`/v1/sessions/${id}/spaces/nowhere/ops`, { ops }), "not_found");
    expect(await readContainer(kioku.api, id)).toEqual(before);
  });

  it("nested deeper than anybody means is answered, not failed", async () => {
    const id = await session();
    const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
    const raw = `{"ops":[{"op":"put","key":"deep","value":${deep}}]}`;
    const answer = await kioku.api.call("POST", `/v1/sessions/${id}/spaces/world/ops`, { raw });
    expect(answer.status, answer.text.slice(0, 200)).toBeLessThan(500);
    bodyOf(await kioku.api.get(`/v1/sessions/${id}/memory`), 200);
  });
});

describe("an expected revision", () => {
  type Mutation = (at: string, revs: Record<string, number>, task: string) => Promise<Answer<unknown>>;
  const query = (revs: Record<string, number>) =>
    Object.entries(revs)
      .map(([name, rev]) => `${name}=${rev}`)
      .join("&");
  const mutations: [string, string, Mutation][] = [
    ["a PUT", "notes", (at, revs) => kioku.api.put(`${at}/spaces/notes`, { data: ["new"], ...revs })],
    ["a deletion", "notes", (at, revs) => kioku.api.delete(`${at}/spaces/notes?${query(revs)}`)],
    [
      "operations",
      "notes",
      (at, revs) => kioku.api.post(`${at}/spaces/notes/ops`, { ops: [{ op: "append", item: 1 }], ...revs }),
    ],
    ["a new task", "tasks", (at, revs) => kioku.api.post(`${at}/tasks`, { text: "More", ...revs })],
    ["a completion", "tasks", (at, revs, task) => kioku.api.post(`${at}/tasks/${task}/complete`, revs)],
    ["a removal", "tasks", (at, revs, task) => kioku.api.delete(`${at}/tasks/${task}?${query(revs)}`)],
    [
      "a new order",
      "tasks",
      (at, revs, task) => kioku.api.put(`${at}/tasks/order`, { ids: [task], ...revs }),
    ],
  ];

  async function prepared(): Promise<{ at: string; id: string; task: string; memory: Container }> {
    const id = await session();
    await makeSpace(kioku.api, id, "notes", []);
    await change(kioku.api, id, "notes", [{ op: "append", item: "old" }]);
    const task = await addTask(kioku.api, id, "Only one");
    await change(kioku.api, id, "world", [{ op: "put", key: "elsewhere", value: 1 }]);
    return { at: `/v1/sessions/${id}`, id, task: task.id, memory: await readContainer(kioku.api, id) };
  }

  it.each(mutations)("of the space that is stale stops %s", async (_name, space, mutate) => {
    const { at, id, task, memory } = await prepared();
    const rev = memory.spaces[space]?.rev ?? 0;
    for (const stale of [rev - 1, rev + 1]) {
      expectStale(await mutate(at, { expected_rev: stale }, task), rev, memory.rev);
      expectStale(
        await mutate(at, { expected_rev: stale, expected_memory_rev: memory.rev }, task),
        rev,
        memory.rev,
      );
    }
    expect(await readContainer(kioku.api, id)).toEqual(memory);
  });

  it.each(mutations)("of the container that is stale stops %s", async (_name, space, mutate) => {
    const { at, id, task, memory } = await prepared();
    const rev = memory.spaces[space]?.rev ?? 0;
    const stale = { expected_rev: rev, expected_memory_rev: memory.rev - 1 };
    expectStale(await mutate(at, stale, task), rev, memory.rev);
    expectStale(await mutate(at, { expected_memory_rev: memory.rev + 1 }, task), rev, memory.rev);
    expect(await readContainer(kioku.api, id)).toEqual(memory);
  });

  it.each(mutations)("that is current lets %s through", async (_name, space, mutate) => {
    for (const given of [
      ["expected_rev"],
      ["expected_memory_rev"],
      ["expected_rev", "expected_memory_rev"],
    ]) {
      const { at, id, task, memory } = await prepared();
      const revs = { expected_rev: memory.spaces[space]?.rev ?? 0, expected_memory_rev: memory.rev };
      const sent = Object.fromEntries(Object.entries(revs).filter(([name]) => given.includes(name)));
      const answer = await mutate(at, sent, task);
      expect(answer.status, answer.text).toBeLessThan(300);
      expect((await readContainer(kioku.api, id)).rev).toBeGreaterThan(memory.rev);
    }
  });

  it("that is no number in a query is refused, and nothing deleted", async () => {
    const { at, id, memory } = await prepared();
    for (const bad of ["x", "-1", "1.5"]) {
      const answer = await kioku.api.delete(`${at}/spaces/notes?expected_rev=${bad}`);
      expectProblem(answer, "invalid_request", "expected_rev");
    }
    expect(await readContainer(kioku.api, id)).toEqual(memory);
  });

  it("of the space ignores what happens in other spaces", async () => {
    const { id, memory } = await prepared();
    const expected_rev = memory.spaces.notes?.rev;
    await addTask(kioku.api, id, "Meanwhile");
    await change(kioku.api, id, "world", [{ op: "put", key: "meanwhile", value: true }]);
    await change(kioku.api, id, "notes", [{ op: "append", item: "still fits" }], { expected_rev });
  });
});

describe("writers at once", () => {
  const AT_ONCE = 25;
  const writers = Array.from({ length: AT_ONCE }, (_, n) => n);

  const contests: [string, string, (at: string, rev: number, n: number) => Promise<Answer<unknown>>][] = [
    [
      "operations",
      "notes",
      (at, expected_rev, n) =>
        kioku.api.post(`${at}/spaces/notes/ops`, {
          ops: [{ op: "append", item: { id: `i${n}` } }],
          expected_rev,
        }),
    ],
    [
      "a PUT",
      "notes",
      (at, expected_rev, n) => kioku.api.put(`${at}/spaces/notes`, { data: [{ id: `i${n}` }], expected_rev }),
    ],
    [
      "a task",
      "tasks",
      (at, expected_rev, n) => kioku.api.post(`${at}/tasks`, { text: `i${n}`, expected_rev }),
    ],
  ];
  it.each(
    contests,
  )("who expect the same rev: one wins with %s, the others are told", async (_name, space, write) => {
    const id = await session();
    await makeSpace(kioku.api, id, "notes", []);
    const { rev } = await readSpace(kioku.api, id, space);
    const answers = await Promise.all(writers.map((n) => write(`/v1/sessions/${id}`, rev, n)));
    const winners = writers.filter((n) => (answers[n]?.status ?? 0) < 300);
    expect(winners).toHaveLength(1);
    const after = await readSpace<Item[]>(kioku.api, id, space);
    expect(after.data).toHaveLength(1);
    expect(Object.values(after.data[0] ?? {})).toContain(`i${winners[0]}`);
    for (const answer of answers.filter(({ status }) => status >= 300))
      expectStale(answer, after.rev, after.memory_rev);
  });

  it("who expect nothing all get in, none lost and none twice", async () => {
    const id = await session();
    await makeSpace(kioku.api, id, "notes", []);
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        change<Item[]>(kioku.api, id, "notes", [{ op: "append", item: { id: `i${n}` } }]),
      ),
    );
    expect(new Set(answers.map(({ rev }) => rev)).size).toBe(100);
    expect(new Set(answers.map(({ memory_rev }) => memory_rev)).size).toBe(100);
    const { data } = await readSpace<Item[]>(kioku.api, id, "notes");
    expect(new Set(ids(data)).size).toBe(100);
    expect(data).toHaveLength(100);
    for (const answer of answers) expect(data.slice(0, answer.data.length)).toEqual(answer.data);
  });

  it("on different spaces never contend, whatever revs they expect", async () => {
    const id = await session();
    const spaces = Array.from({ length: 10 }, (_, n) => `space-${n}`);
    for (const name of spaces) await makeSpace(kioku.api, id, name, []);
    await Promise.all(
      spaces.map(async (name) => {
        let { rev } = await readSpace(kioku.api, id, name);
        for (let n = 0; n < 10; n += 1) {
          const ops = [{ op: "append", item: n }];
          rev = (await change(kioku.api, id, name, ops, { expected_rev: rev })).rev;
        }
      }),
    );
    for (const name of spaces)
      expect((await readSpace(kioku.api, id, name)).data).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it("who read, change and try again count right", async () => {
    const id = await session();
    await makeSpace(kioku.api, id, "counter", { n: 0 });
    const path = `/v1/sessions/${id}/spaces/counter/ops`;
    async function increment(): Promise<void> {
      for (;;) {
        const { rev, data } = await readSpace<{ n: number }>(kioku.api, id, "counter");
        const ops = [{ op: "put", key: "n", value: data.n + 1 }];
        const answer = await kioku.api.post(path, { ops, expected_rev: rev });
        if (answer.status === 200) return;
        expect(answer.status).toBe(409);
      }
    }
    await Promise.all(
      Array.from({ length: 6 }, async () => {
        for (let n = 0; n < 5; n += 1) await increment();
      }),
    );
    expect((await readSpace(kioku.api, id, "counter")).data).toEqual({ n: 30 });
  });
});

describe("limits", () => {
  const MB = 2 ** 20;
  const chunk = (kb: number) => "x".repeat(kb * 1_024);

  it("are 256 spaces a session: one more is refused, the others go on", async () => {
    const id = await session();
    const at = `/v1/sessions/${id}/spaces`;
    const names = Array.from({ length: 254 }, (_, n) => `space-${n}`);
    await inBatches(names, 16, (name) => makeSpace(kioku.api, id, name, {}));
    const memory = await readContainer(kioku.api, id);
    expect(Object.keys(memory.spaces)).toHaveLength(256);

    for (const ensure of [false, true])
      expectProblem(await kioku.api.put(`${at}/too-many`, { data: {}, ensure }), "limit_exceeded");
    expect(await readContainer(kioku.api, id)).toEqual(memory);
    bodyOf(await kioku.api.put(`${at}/space-7`, { data: { still: "changed" } }), 200);
    bodyOf(await kioku.api.put(`${at}/space-7`, { data: {}, ensure: true }), 200);
    bodyOf(await kioku.api.delete(`${at}/space-7`), 204);
    await makeSpace(kioku.api, id, "in-its-place", {});
    expectProblem(await kioku.api.put(`${at}/space-7`, { data: {} }), "limit_exceeded");
  });

  it("are 1 MB a space: what would grow past it is refused, and the space stays as it was", async () => {
    const id = await session();
    await makeSpace(kioku.api, id, "big", []);
    const path = `/v1/sessions/${id}/spaces/big/ops`;
    for (const n of [1, 2, 3]) {
      const ops = [{ op: "append", item: { id: `c${n}`, text: chunk(300) } }];
      bodyOf(await kioku.api.post(path, { ops }), 200);
    }
    const before = await readSpace<Item[]>(kioku.api, id, "big");
    const small = { op: "append", item: "small" };
    for (const op of [
      { op: "append", item: chunk(300) },
      { op: "prepend", item: chunk(300) },
      { op: "insert", index: 1, item: chunk(300) },
      { op: "update", id: "c1", changes: { more: chunk(300) } },
    ]) {
      expectProblem(await kioku.api.post(path, { ops: [small, op] }), "limit_exceeded");
    }
    expect(await readSpace(kioku.api, id, "big")).toEqual(before);
    // Other spaces have room of their own, and this one has it again once it holds less.
    await makeSpace(kioku.api, id, "other", { text: chunk(900) });
    await change(kioku.api, id, "big", [
      { op: "remove", id: "c2" },
      { op: "append", item: chunk(200) },
    ]);
  });

  it("count bytes as JSON, not characters", async () => {
    const id = await session();
    const ops = (n: number) => [{ op: "put", key: `k${n}`, value: "字".repeat(100 * 1_024) }];
    for (const n of [1, 2, 3]) await change(kioku.api, id, "world", ops(n));
    const path = `/v1/sessions/${id}/spaces/world/ops`;
    expectProblem(await kioku.api.post(path, { ops: ops(4) }), "limit_exceeded");
    const { data } = await readSpace(kioku.api, id, "world");
    expect(Buffer.byteLength(JSON.stringify(data))).toBeLessThan(MB);
  });

  it("hold for tasks, which are then still completed and removed", async () => {
    const id = await session();
    const texts = Array.from({ length: 500 }, (_, n) => ({
      ...{ op: "append", item: { id: `t${n}`, text: "x".repeat(1_100), status: "open" } },
    }));
    await change(kioku.api, id, "tasks", texts);
    const renamed = texts.map(({ item }) => ({ op: "append", item: { ...item, id: `u${item.id}` } }));
    const path = `/v1/sessions/${id}/spaces/tasks/ops`;
    expectProblem(await kioku.api.post(path, { ops: renamed }), "limit_exceeded");
    expect((await readSpace<Task[]>(kioku.api, id, "tasks")).data).toHaveLength(500);
    bodyOf(await kioku.api.post(`/v1/sessions/${id}/tasks/t0/complete`), 200);
    bodyOf(await kioku.api.delete(`/v1/sessions/${id}/tasks/t1`), 204);
  });

  it("of a body are the same as everywhere", async () => {
    const id = await session();
    const answer = await kioku.api.put(`/v1/sessions/${id}/spaces/big`, { data: { text: chunk(1_100) } });
    expectProblem(answer, "payload_too_large");
  });
});

describe("tasks", () => {
  async function withTasks(...texts: string[]): Promise<{ id: string; at: string; tasks: Task[] }> {
    const id = await session();
    const tasks: Task[] = [];
    for (const text of texts) tasks.push(await addTask(kioku.api, id, text));
    return { id, at: `/v1/sessions/${id}/tasks`, tasks };
  }
  const texts = (tasks: Task[]) => tasks.map(({ text }) => text);

  it("are added open, at the end, with an id of their own", async () => {
    const { id, tasks } = await withTasks("Look", "Look", "Leap");
    expect(await tasksOf(id)).toEqual(tasks);
    for (const task of tasks) {
      expect(task).toMatchObject({ status: "open" });
      expect(task.id).toMatch(ID);
    }
    expect(new Set(ids(tasks)).size).toBe(3);
    expect((await readSpace(kioku.api, id, "tasks")).data).toMatchObject(tasks);
  });

  it("are inserted at a place, which is their priority", async () => {
    const { id } = await withTasks("a", "c");
    await addTask(kioku.api, id, "b", { index: 1 });
    await addTask(kioku.api, id, "first", { index: 0 });
    await addTask(kioku.api, id, "last", { index: 4 });
    expect(texts(await tasksOf(id))).toEqual(["first", "a", "b", "c", "last"]);
  });

  it("are given one by one by next, until none is open", async () => {
    const { at, tasks } = await withTasks("one", "two");
    const [one, two] = tasks;
    expect(bodyOf(await kioku.api.get(`${at}/next`), 200)).toEqual(one);
    const done = bodyOf(await kioku.api.post<Task>(`${at}/${one?.id}/complete`), 200);
    expect(done).toEqual({ ...one, status: "done" });
    expect(bodyOf(await kioku.api.get(`${at}/next`), 200)).toEqual(two);
    bodyOf(await kioku.api.post(`${at}/${two?.id}/complete`, {}), 200);
    const none = await kioku.api.get(`${at}/next`);
    bodyOf(none, 204);
    expect(none.text).toBe("");
  });

  it("none at all: next answers 204", async () => {
    const { at } = await withTasks();
    bodyOf(await kioku.api.get(`${at}/next`), 204);
  });

  it("keep their place when they are done", async () => {
    const { id, at, tasks } = await withTasks("a", "b", "c");
    bodyOf(await kioku.api.post(`${at}/${tasks[1]?.id}/complete`), 200);
    expect((await tasksOf(id)).map(({ text, status }) => [text, status])).toEqual([
      ["a", "open"],
      ["b", "done"],
      ["c", "open"],
    ]);
    expect(texts(await tasksOf(id, "?status=open"))).toEqual(["a", "c"]);
    expect(texts(await tasksOf(id, "?status=done"))).toEqual(["b"]);
    expectProblem(await kioku.api.get(`${at}?status=late`), "invalid_request", "status");
  });

  it("are listed page by page, each once", async () => {
    const id = await session();
    const many = Array.from({ length: 130 }, (_, n) => ({ id: `t${n}`, text: `Task ${n}`, status: "open" }));
    await change(
      kioku.api,
      id,
      "tasks",
      many.map((item) => ({ op: "append", item })),
    );
    expect(await allPages<Task>(kioku.api, `/v1/sessions/${id}/tasks`, 50)).toEqual(many);
    const page = bodyOf(await kioku.api.get<{ data: Task[] }>(`/v1/sessions/${id}/tasks`), 200);
    expect(page.data).toHaveLength(20);
    expectProblem(await kioku.api.get(`/v1/sessions/${id}/tasks?limit=101`), "invalid_request", "limit");
  });

  it("are removed, and then not found", async () => {
    const { id, at, tasks } = await withTasks("a", "b");
    bodyOf(await kioku.api.delete(`${at}/${tasks[0]?.id}`), 204);
    expect(await tasksOf(id)).toEqual([tasks[1]]);
    expectProblem(await kioku.api.delete(`${at}/${tasks[0]?.id}`), "not_found");
    expectProblem(await kioku.api.post(`${at}/${tasks[0]?.id}/complete`), "not_found");
  });

  it("are put in another order, done ones included", async () => {
    const { id, at, tasks } = await withTasks("a", "b", "c");
    bodyOf(await kioku.api.post(`${at}/${tasks[0]?.id}/complete`), 200);
    const order = ids([...tasks].reverse());
    bodyOf(await kioku.api.put(`${at}/order`, { ids: order }), 200);
    expect(ids(await tasksOf(id))).toEqual(order);
    expect((await tasksOf(id)).at(-1)).toEqual({ ...tasks[0], status: "done" });
    expect(bodyOf(await kioku.api.get<Task>(`${at}/next`), 200).text).toBe("c");
  });

  it.each<[string, (ids: string[]) => unknown]>([
    ["leaves one out", ([a]) => [a]],
    ["names none", () => []],
    ["names one twice", ([a, b]) => [a, b, a]],
    ["names one twice and another not", ([a]) => [a, a]],
    ["names one that is not there", ([a, b]) => [a, b, "nobody"]],
    ["names one by a number", ([a]) => [a, 7]],
    ["is no list", ([a]) => a],
  ])("keep their order when the new one %s", async (_name, order) => {
    const { id, at, tasks } = await withTasks("a", "b");
    bodyOf(await kioku.api.post(`${at}/${tasks[0]?.id}/complete`), 200);
    const before = await readContainer(kioku.api, id);
    const answer = await kioku.api.put(`${at}/order`, { ids: order(ids(tasks)) });
    expectProblem(answer, "invalid_request", /ids/);
    expect(await readContainer(kioku.api, id)).toEqual(before);
  });

  it.each<[string, Fields, string]>([
    ["no text", {}, "text"],
    ["an empty text", { text: "" }, "text"],
    ["a text that is none", { text: ["a"] }, "text"],
    ["a place before the first", { text: "a", index: -1 }, "index"],
    ["half a place", { text: "a", index: 0.5 }, "index"],
  ])("are refused with %s", async (_name, body, field) => {
    const { id, at } = await withTasks();
    expectProblem(await kioku.api.post(at, body), "invalid_request", field);
    expect(await tasksOf(id)).toEqual([]);
  });

  it("stay tasks, whatever is written to their space", async () => {
    const { id, tasks } = await withTasks("a");
    const path = `/v1/sessions/${id}/spaces/tasks`;
    for (const item of [1, "text", null, {}, { id: "x" }, { id: "x", text: "y", status: "maybe" }]) {
      expectProblem(await kioku.api.put(path, { data: [item] }), "invalid_request");
      expectProblem(
        await kioku.api.post(`${path}/ops`, { ops: [{ op: "append", item }] }),
        "invalid_request",
      );
    }
    const changes = { status: "maybe" };
    const ops = [{ op: "update", id: tasks[0]?.id, changes }];
    expectProblem(await kioku.api.post(`${path}/ops`, { ops }), "invalid_request");
    expect(await tasksOf(id)).toEqual(tasks);
  });

  it("may have ids that look like routes", async () => {
    const { id, at } = await withTasks();
    const odd = ["next", "order", "a/b c", "é"];
    const items = odd.map((one) => ({ id: one, text: one, status: "open" }));
    await change(
      kioku.api,
      id,
      "tasks",
      items.map((item) => ({ op: "append", item })),
    );
    for (const one of odd) {
      const path = `${at}/${encodeURIComponent(one)}`;
      expect(bodyOf(await kioku.api.post<Task>(`${path}/complete`), 200).id).toBe(one);
      bodyOf(await kioku.api.delete(path), 204);
    }
    expect(await tasksOf(id)).toEqual([]);
  });

  it("added at once are all there, and completed at once are all done", async () => {
    const id = await session();
    const added = await Promise.all(
      Array.from({ length: 30 }, (_, n) => addTask(kioku.api, id, `Task ${n}`)),
    );
    expect(ids(await tasksOf(id)).sort()).toEqual(ids(added).sort());
    const at = `/v1/sessions/${id}/tasks`;
    await Promise.all(
      added.map(async (task) => bodyOf(await kioku.api.post(`${at}/${task.id}/complete`), 200)),
    );
    expect(await tasksOf(id, "?status=open")).toEqual([]);
    expect(await tasksOf(id, "?status=done")).toHaveLength(30);
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
