import { describe, expect, it } from "vitest";
import {
  applyOps,
  deleteSpace,
  getInSpace,
  type Memory,
  newMemory,
  patchMemory,
  putSpace,
  type SpaceData,
  spaceOf,
} from "../../../src/domain/cognition/space-container";
import {
  addTask,
  completeTask,
  nextTask,
  orderTasks,
  removeTask,
  tasksOf,
} from "../../../src/domain/cognition/task-list";
import { problemResponse } from "../../../src/http/problem-details";
import { COGNITION } from "../../../src/limits";
import { type Failure, type Outcome, unwrap } from "../../../src/platform/errors";
import type { Json } from "../../../src/platform/json";
import type { SpaceOp, SpacePut } from "../../../src/schemas/cognition";

const T0 = "2026-01-31T12:00:00.000Z";
const T1 = "2026-01-31T12:01:00.000Z";

function failureOf(outcome: Outcome<unknown>): Failure {
  if (outcome.ok) throw new Error("was accepted");
  return outcome.failure;
}

function put(memory: Memory, name: string, data: SpaceData, more: Partial<SpacePut> = {}) {
  return putSpace(memory, name, { data, ensure: false, ...more }, T1);
}

function made(name: string, data: SpaceData, memory = newMemory("s1", T0)): Memory {
  return unwrap(put(memory, name, data)).memory;
}

function ops(memory: Memory, name: string, ...batch: SpaceOp[]) {
  return applyOps(memory, name, batch, {}, T1);
}

function dataAfter(data: SpaceData, ...batch: SpaceOp[]): Json {
  return unwrap(spaceOf(unwrap(ops(made("x", data), "x", ...batch)), "x")).data;
}

function failureAfter(data: SpaceData, ...batch: SpaceOp[]): Failure {
  return failureOf(ops(made("x", data), "x", ...batch));
}

function withTasks(...tasks: Json[]): Memory {
  return made("tasks", tasks);
}

const open = (id: string) => ({ id, text: `do ${id}`, status: "open" });
const done = (id: string) => ({ id, text: `did ${id}`, status: "done" });
const ids = (tasks: { id: string }[]) => tasks.map(({ id }) => id);

describe("a new memory", () => {
  it("has an empty list of tasks and an empty world, untouched", () => {
    expect(newMemory("s1", T0)).toEqual({
      id: "s1",
      rev: 0,
      created_at: T0,
      updated_at: T0,
      metadata: {},
      deleted_rev: 0,
      totals: { spaces: 2, bytes: 8 },
      spaces: {
        tasks: { kind: "list", rev: 0, data: [], metadata: {}, bytes: 4 },
        world: { kind: "map", rev: 0, data: {}, metadata: {}, bytes: 4 },
      },
    });
  });

  it("has no space called constructor until one is made", () => {
    expect(failureOf(spaceOf(newMemory("s1", T0), "constructor"))).toMatchObject({
      code: "not_found",
      detail: expect.stringMatching(/^Space not found: constructor\. /),
    });
    const memory = made("constructor", { toString: "a" });
    expect(unwrap(spaceOf(memory, "constructor")).data).toEqual({ toString: "a" });
    expect(memory.totals.spaces).toBe(3);
    expect(unwrap(deleteSpace(memory, "constructor", {}, T1)).totals).toEqual({ spaces: 2, bytes: 8 });
  });
});

describe("putting a space", () => {
  it("makes one of the kind of its data, at rev 1, and says that it is new", () => {
    const { memory, created } = unwrap(put(newMemory("s1", T0), "rag:cache", ["é"], { metadata: { a: 1 } }));
    expect(created).toBe(true);
    expect(memory).toMatchObject({
      rev: 1,
      created_at: T0,
      updated_at: T1,
      totals: { spaces: 3, bytes: 21 },
    });
    // ["é"] has 6 bytes, {"a":1} has 7.
    expect(memory.spaces["rag:cache"]).toEqual({
      kind: "list",
      rev: 1,
      data: ["é"],
      metadata: { a: 1 },
      bytes: 13,
    });
  });

  it("replaces the data of one that is there, and its metadata only if given", () => {
    const first = unwrap(put(newMemory("s1", T0), "notes", { a: 1 }, { metadata: { by: "me" } })).memory;
    const { memory, created } = unwrap(put(first, "notes", { b: 2 }));
    expect(created).toBe(false);
    expect(memory.spaces.notes).toMatchObject({ rev: 2, data: { b: 2 }, metadata: { by: "me" } });
    expect(unwrap(put(memory, "notes", {}, { metadata: {} })).memory.spaces.notes?.metadata).toEqual({});
  });

  it("never changes a space's kind, a built-in one's either", () => {
    for (const [memory, name, data] of [
      [made("notes", {}), "notes", []],
      [newMemory("s1", T0), "tasks", {}],
      [newMemory("s1", T0), "world", []],
    ] as const) {
      const failure = failureOf(put(memory, name, data as SpaceData));
      expect(failure.code).toBe("conflict");
      expect(failure.detail).toContain(`Space ${name} is a ${memory.spaces[name]?.kind}`);
    }
  });

  it("with ensure makes a missing one and leaves one that is there exactly as it is", () => {
    const ensured = unwrap(put(newMemory("s1", T0), "notes", { a: 1 }, { ensure: true }));
    expect(ensured.created).toBe(true);
    const again = unwrap(put(ensured.memory, "notes", { b: 2 }, { ensure: true }));
    expect(again.created).toBe(false);
    expect(again.memory).toBe(ensured.memory);
    expect(failureOf(put(ensured.memory, "notes", [], { ensure: true })).code).toBe("conflict");
  });

  it("refuses two items with one id, naming the second", () => {
    const failure = failureOf(put(newMemory("s1", T0), "x", [{ id: 1 }, { id: "1" }, 1, { id: 1 }]));
    expect(failure).toMatchObject({ code: "invalid_request", errors: [{ path: "data.3.id" }] });
  });

  it("takes equal items as long as none of them has an id", () => {
    expect(dataAfter([1, 1, {}, {}, { id: null }, { id: null }], { op: "append", item: 1 })).toHaveLength(7);
  });
});

describe("deleting a space", () => {
  it("lets no rev from before fit the space when it is made anew", () => {
    const first = made("notes", {}, made("notes", {}));
    const again = made("notes", {}, unwrap(deleteSpace(first, "notes", {}, T1)));
    expect(again.spaces.notes?.rev).toBe(3);
    expect(failureOf(put(again, "notes", {}, { expected_rev: 2 })).current_rev).toBe(3);
    expect(failureOf(put(again, "notes", {}, { expected_rev: 0 })).current_rev).toBe(3);
  });

  it("takes it out and counts it out", () => {
    const before = newMemory("s1", T0);
    const memory = unwrap(deleteSpace(made("notes", { a: 1 }, before), "notes", {}, T1));
    expect(memory).toMatchObject({ rev: 2, updated_at: T1, deleted_rev: 1 });
    expect(memory.totals).toEqual(before.totals);
    expect(failureOf(spaceOf(memory, "notes")).code).toBe("not_found");
  });

  it("is refused for tasks and world, and for one that is not there", () => {
    for (const name of ["tasks", "world"])
      expect(failureOf(deleteSpace(newMemory("s1", T0), name, {}, T1)).code).toBe("conflict");
    expect(failureOf(deleteSpace(newMemory("s1", T0), "notes", { expected_rev: 9 }, T1)).code).toBe(
      "not_found",
    );
  });
});

describe("a stale revision", () => {
  const memory = made("notes", { a: 1 }, made("notes", {}));

  it("is a conflict that says where the space and the memory are now", () => {
    const stale = { current_rev: 2, current_memory_rev: 2 };
    const op: SpaceOp = { op: "put", key: "a", value: 2 };
    for (const expected of [{ expected_rev: 1 }, { expected_memory_rev: 1 }, { expected_rev: 3 }])
      for (const outcome of [
        applyOps(memory, "notes", [op], expected, T1),
        put(memory, "notes", {}, expected),
        put(memory, "notes", {}, { ...expected, ensure: true }),
        deleteSpace(memory, "notes", expected, T1),
      ])
        expect(failureOf(outcome)).toMatchObject({ code: "conflict", ...stale });
    for (const outcome of [
      addTask(memory, { id: "t1", text: "x" }, { expected_rev: 1 }, T1),
      completeTask(memory, "t1", { expected_rev: 1 }, T1),
      removeTask(memory, "t1", { expected_rev: 1 }, T1),
      orderTasks(memory, ["t1"], { expected_rev: 1 }, T1),
    ])
      expect(failureOf(outcome)).toMatchObject({ code: "conflict", current_rev: 0, current_memory_rev: 2 });
  });

  it("is told before anything about the operations, and after a missing space", () => {
    const op: SpaceOp = { op: "append", item: 1 };
    expect(failureOf(applyOps(memory, "notes", [op], { expected_rev: 1 }, T1)).current_rev).toBe(2);
    expect(failureOf(applyOps(memory, "none", [op], { expected_rev: 1 }, T1)).code).toBe("not_found");
    expect(failureOf(put(memory, "notes", [], { expected_rev: 1 })).current_rev).toBe(2);
  });

  it("does not stop a change that names the current ones, or only the space's while others were changed", () => {
    const op: SpaceOp = { op: "put", key: "a", value: 2 };
    const both = { expected_rev: 2, expected_memory_rev: 2 };
    expect(applyOps(memory, "notes", [op], both, T1).ok).toBe(true);
    const elsewhere = unwrap(ops(memory, "world", op));
    expect(applyOps(elsewhere, "notes", [op], { expected_rev: 2 }, T1).ok).toBe(true);
  });

  it("counts a space that is not there yet as rev 0, so that 0 means: only if nobody has touched it", () => {
    expect(put(memory, "new", {}, { expected_rev: 0 }).ok).toBe(true);
    expect(put(memory, "world", {}, { expected_rev: 0 }).ok).toBe(true);
    expect(failureOf(put(memory, "notes", {}, { expected_rev: 0 })).current_rev).toBe(2);
    expect(failureOf(put(memory, "new", {}, { expected_rev: 1 }))).toMatchObject({
      current_rev: 0,
      current_memory_rev: 2,
    });
  });

  it("reaches the caller as members of the problem", async () => {
    const failure = failureOf(put(memory, "notes", {}, { expected_rev: 0 }));
    const response = problemResponse(failure);
    expect(response.status).toBe(409);
    expect(await response.json()).toMatchObject({ current_rev: 2, current_memory_rev: 2, code: "conflict" });
    const other = await problemResponse({ code: "conflict", detail: "x" }).json<object>();
    expect(Object.keys(other)).toEqual(["type", "title", "status", "code", "detail"]);
  });
});

describe("the container's metadata", () => {
  it("is replaced, which raises the container's rev and no space's", () => {
    const memory = made("notes", {});
    const patched = unwrap(patchMemory(memory, { metadata: { a: 1 }, expected_memory_rev: 1 }, T1));
    expect(patched).toMatchObject({ rev: 2, metadata: { a: 1 }, updated_at: T1 });
    expect(patched.spaces).toBe(memory.spaces);
    expect(unwrap(patchMemory(patched, { metadata: {} }, T1)).metadata).toEqual({});
  });

  it("is not replaced on a stale rev", () => {
    const failure = failureOf(patchMemory(made("x", {}), { metadata: {}, expected_memory_rev: 0 }, T1));
    expect(failure).toMatchObject({ code: "conflict", current_rev: 1, current_memory_rev: 1 });
  });
});

describe("a map", () => {
  it("puts, deletes and updates keys, in order", () => {
    expect(
      dataAfter(
        { a: 1, b: { x: 1, deep: { y: 1 } } },
        { op: "put", key: "c", value: { z: 1 } },
        { op: "delete", key: "a" },
        { op: "delete", key: "never there" },
        { op: "update", key: "b", changes: { x: 2, deep: { z: 1 } } },
        { op: "update", key: "c", changes: { id: "free here" } },
      ),
    ).toEqual({ b: { x: 2, deep: { z: 1 } }, c: { z: 1, id: "free here" } });
  });

  it("has no keys but its own", () => {
    expect(failureAfter({}, { op: "update", key: "constructor", changes: {} }).code).toBe("not_found");
    expect(failureOf(getInSpace(newMemory("s1", T0), "world", "toString")).code).toBe("not_found");
    expect(
      dataAfter(
        {},
        { op: "put", key: "constructor", value: { a: 1 } },
        { op: "put", key: "toString", value: 1 },
        { op: "update", key: "constructor", changes: { valueOf: 2 } },
        { op: "delete", key: "toString" },
      ),
    ).toEqual({ constructor: { a: 1, valueOf: 2 } });
  });

  it("gives a value by its key, null and false too", () => {
    const memory = made("x", { a: null, b: false });
    expect(unwrap(getInSpace(memory, "x", "a"))).toBeNull();
    expect(unwrap(getInSpace(memory, "x", "b"))).toBe(false);
    expect(failureOf(getInSpace(memory, "x", "c")).detail).toMatch(/^Key not found: c\. /);
    expect(failureOf(getInSpace(memory, "tasks", "a")).code).toBe("conflict");
    expect(failureOf(getInSpace(memory, "none", "a")).code).toBe("not_found");
  });

  it("updates only an object that is there", () => {
    for (const value of [1, "text", null, [1]])
      expect(failureAfter({ a: value }, { op: "update", key: "a", changes: {} }).code).toBe("conflict");
    const missing = failureAfter({}, { op: "update", key: "a", changes: {} });
    expect(missing).toMatchObject({
      code: "not_found",
      detail: expect.stringMatching(/^Key not found: a\. /),
    });
  });

  it("refuses the operations of a list, naming operation, space and kind", () => {
    const listOps: SpaceOp[] = [
      { op: "append", item: 1 },
      { op: "prepend", item: 1 },
      { op: "insert", index: 0, item: 1 },
      { op: "remove", id: "a" },
      { op: "update", id: "a", changes: {} },
    ];
    for (const op of listOps) {
      const failure = failureAfter({ a: {} }, op);
      expect(failure.code).toBe("conflict");
      expect(failure.detail).toMatch(new RegExp(`^ops\\.0: ${op.op}.* space x is a map`));
    }
  });
});

describe("a list", () => {
  it("appends, prepends, inserts, removes and updates items, in order", () => {
    expect(
      dataAfter(
        [{ id: "a" }, "plain"],
        { op: "append", item: { id: 7, n: 1 } },
        { op: "prepend", item: "first" },
        { op: "insert", index: 4, item: "last" },
        { op: "insert", index: 1, item: "second" },
        { op: "remove", id: "a" },
        { op: "update", id: 7, changes: { n: 2, id: 7 } },
        { op: "append", item: { id: "a" } },
      ),
    ).toEqual(["first", "second", "plain", { id: 7, n: 2 }, "last", { id: "a" }]);
  });

  it("refuses an index beyond its length and says which there are", () => {
    const failure = failureAfter([1], { op: "append", item: 2 }, { op: "insert", index: 3, item: 4 });
    expect(failure.errors).toEqual([{ path: "ops.1.index", message: expect.stringContaining("0 to 2") }]);
    expect(failure.code).toBe("invalid_request");
  });

  it("does not know an item by another kind of id, or by one that was removed", () => {
    const list = [{ id: "1" }, { id: 2 }];
    for (const batch of [
      [{ op: "remove", id: 1 }],
      [{ op: "remove", id: "2" }],
      [{ op: "update", id: "three", changes: {} }],
      [
        { op: "remove", id: 2 },
        { op: "remove", id: 2 },
      ],
    ] as SpaceOp[][]) {
      const failure = failureAfter(list, ...batch);
      expect(failure).toMatchObject({
        code: "not_found",
        detail: expect.stringMatching(/^Item not found: /),
      });
    }
  });

  it("keeps ids apart: none twice, none changed", () => {
    for (const op of [
      { op: "append", item: { id: "a" } },
      { op: "prepend", item: { id: "a" } },
      { op: "insert", index: 0, item: { id: "a" } },
    ] as SpaceOp[])
      expect(failureAfter([{ id: "a" }], op).code).toBe("conflict");
    const both: SpaceOp = { op: "append", item: { id: "b" } };
    expect(failureAfter([], both, both)).toMatchObject({
      code: "conflict",
      detail: expect.stringContaining("ops.1"),
    });
    expect(failureAfter([{ id: "a" }], { op: "update", id: "a", changes: { id: "b" } })).toMatchObject({
      code: "invalid_request",
      errors: [{ path: "ops.0.changes.id" }],
    });
  });

  it("refuses the operations of a map, naming operation, space and kind", () => {
    for (const op of [
      { op: "put", key: "a", value: 1 },
      { op: "delete", key: "a" },
      { op: "update", key: "a", changes: {} },
    ] as SpaceOp[]) {
      const failure = failureAfter([{ id: "a" }], op);
      expect(failure.code).toBe("conflict");
      expect(failure.detail).toMatch(new RegExp(`^ops\\.0: ${op.op}.* space x is a list`));
    }
  });
});

describe("limits", () => {
  it("of spaces: one more is refused, one that is there is still written, one deleted makes room", () => {
    let memory = newMemory("s1", T0);
    for (let n = 2; n < COGNITION.spaces; n += 1) memory = made(`space-${n}`, {}, memory);
    expect(failureOf(put(memory, "more", {}))).toMatchObject({
      code: "limit_exceeded",
      detail: expect.stringContaining(`at most ${COGNITION.spaces} spaces`),
    });
    expect(put(memory, "space-2", { a: 1 }).ok).toBe(true);
    expect(put(unwrap(deleteSpace(memory, "space-2", {}, T1)), "more", {}).ok).toBe(true);
  });

  it("of a space: its data as JSON in bytes, to the last one, metadata aside", () => {
    // Quotes and brackets take 4 bytes, each é takes 2.
    const full = ["é".repeat(COGNITION.spaceBytes / 2 - 2)];
    const memory = unwrap(put(newMemory("s1", T0), "x", full, { metadata: { a: 1 } })).memory;
    const failure = failureOf(ops(memory, "x", { op: "append", item: 1 }));
    expect(failure.code).toBe("limit_exceeded");
    expect(failure.detail).toContain(`${COGNITION.spaceBytes + 2} bytes`);
    expect(failure.detail).toContain(`at most ${COGNITION.spaceBytes}`);
    expect(failureOf(put(memory, "y", [...full, 1])).code).toBe("limit_exceeded");
  });

  it("of all spaces together: what is not loaded counts too, and deleting makes room", () => {
    const memory = made("x", { a: "1" });
    const elsewhere = COGNITION.memoryBytes - memory.totals.bytes;
    const full = { ...memory, totals: { spaces: 9, bytes: memory.totals.bytes + elsewhere } };
    expect(failureOf(ops(full, "x", { op: "put", key: "a", value: "12" }))).toMatchObject({
      code: "limit_exceeded",
      detail: expect.stringContaining(`at most ${COGNITION.memoryBytes}`),
    });
    expect(ops(full, "x", { op: "put", key: "a", value: "2" }).ok).toBe(true);
    const deleted = unwrap(deleteSpace(full, "x", {}, T1));
    expect(deleted.totals).toEqual({
      spaces: 8,
      bytes: COGNITION.memoryBytes - (memory.spaces.x?.bytes ?? 0),
    });
    expect(put(deleted, "y", { a: "1" }).ok).toBe(true);
  });
});

describe("the space of tasks", () => {
  it("takes tasks only, with whatever else they carry", () => {
    expect(put(newMemory("s1", T0), "tasks", [{ ...open("t1"), due: "May" }]).ok).toBe(true);
    const refused: [Json, string, string][] = [
      [{ ...open("t2"), status: "later" }, "data.1.status", "must be open or done"],
      [{ id: "t2", status: "open" }, "data.1.text", "is required"],
      [{ ...open("t2"), id: 2 }, "data.1.id", "must be a string"],
      ["t2", "data.1", "must be an object"],
      [open("t1"), "data.1.id", "is the id of an earlier item too: give each its own"],
    ];
    for (const [item, path, message] of refused)
      expect(failureOf(put(newMemory("s1", T0), "tasks", [open("t1"), item]))).toEqual({
        code: "invalid_request",
        detail: `${path}: ${message}`,
        errors: [{ path, message }],
      });
  });

  it("is kept so by operations", () => {
    const memory = withTasks(open("t1"));
    const refused: [SpaceOp, string][] = [
      [{ op: "append", item: { ...open("t2"), text: "" } }, "ops.0.item.text"],
      [{ op: "prepend", item: 1 }, "ops.0.item"],
      [{ op: "insert", index: 0, item: { ...open("t2"), status: 1 } }, "ops.0.item.status"],
      [{ op: "update", id: "t1", changes: { status: "later" } }, "ops.0.changes.status"],
    ];
    for (const [op, path] of refused)
      expect(failureOf(ops(memory, "tasks", op))).toMatchObject({
        code: "invalid_request",
        errors: [{ path }],
      });
    expect(ops(memory, "tasks", { op: "update", id: "t1", changes: { due: "May" } }).ok).toBe(true);
  });

  it("is not asked of other lists", () => {
    expect(put(newMemory("s1", T0), "my:tasks", ["anything"]).ok).toBe(true);
  });
});

describe("tasks", () => {
  it("are added open, at the end or at an index", () => {
    const first = unwrap(addTask(newMemory("s1", T0), { id: "t1", text: "one" }, { expected_rev: 0 }, T1));
    expect(first.task).toEqual({ id: "t1", text: "one", status: "open" });
    const second = unwrap(addTask(first.memory, { id: "t2", text: "two" }, {}, T1)).memory;
    const third = unwrap(addTask(second, { id: "t3", text: "three", index: 1 }, {}, T1)).memory;
    expect(ids(tasksOf(third))).toEqual(["t1", "t3", "t2"]);
    expect(third).toMatchObject({ rev: 3, spaces: { tasks: { rev: 3 } } });
  });

  it("are not added twice, or beyond the end", () => {
    const memory = withTasks(open("t1"));
    expect(failureOf(addTask(memory, { id: "t1", text: "x" }, {}, T1)).code).toBe("conflict");
    expect(failureOf(addTask(memory, { id: "t2", text: "x", index: 2 }, {}, T1))).toMatchObject({
      code: "invalid_request",
      errors: [{ path: "index", message: expect.stringContaining("0 to 1") }],
    });
  });

  it("are completed in place; once more changes nothing", () => {
    const { memory, task } = unwrap(
      completeTask(withTasks({ ...open("t1"), due: "May" }, open("t2")), "t1", {}, T1),
    );
    expect(task).toEqual({ ...open("t1"), due: "May", status: "done" });
    expect(tasksOf(memory)).toEqual([task, open("t2")]);
    const again = unwrap(completeTask(memory, "t1", {}, T1));
    expect(again.memory).toBe(memory);
    expect(again.task).toEqual(task);
  });

  it("are listed by status, and the first open one is next", () => {
    const memory = withTasks(done("t1"), open("t2"), open("t3"));
    expect(ids(tasksOf(memory, "open"))).toEqual(["t2", "t3"]);
    expect(ids(tasksOf(memory, "done"))).toEqual(["t1"]);
    expect(nextTask(memory)).toEqual(open("t2"));
    expect(nextTask(withTasks(done("t1")))).toBeNull();
  });

  it("are removed, and not found afterwards", () => {
    const memory = unwrap(removeTask(withTasks(open("t1"), open("t2")), "t1", {}, T1));
    expect(ids(tasksOf(memory))).toEqual(["t2"]);
    for (const outcome of [removeTask(memory, "t1", {}, T1), completeTask(memory, "t1", {}, T1)])
      expect(failureOf(outcome)).toMatchObject({
        code: "not_found",
        detail: expect.stringMatching(/^Task not found: t1\. /),
      });
  });

  it("are put in order by naming each once, done ones included", () => {
    const memory = withTasks(done("t1"), open("t2"), { ...open("t3"), due: "May" });
    const { memory: ordered, tasks } = unwrap(
      orderTasks(memory, ["t3", "t1", "t2"], { expected_rev: 1 }, T1),
    );
    expect(tasks).toEqual([{ ...open("t3"), due: "May" }, done("t1"), open("t2")]);
    expect(tasksOf(ordered)).toEqual(tasks);
    expect(ordered.spaces.tasks?.rev).toBe(2);
  });

  it("are not put in an order that leaves one out, names a stranger, or one twice", () => {
    const memory = withTasks(done("t1"), open("t2"));
    const said: [string[], string][] = [
      [["t2"], "missing: t1"],
      [["t2", "t1", "t9"], "unknown: t9"],
      [["t2", "t1", "t2", "t2"], "twice: t2"],
      [["t8", "t8"], "missing: t1, t2; unknown: t8; twice: t8"],
    ];
    for (const [order, message] of said) {
      const failure = failureOf(orderTasks(memory, order, {}, T1));
      expect(failure.errors).toEqual([{ path: "ids", message: expect.stringMatching(`: ${message}$`) }]);
      expect(failure.code).toBe("invalid_request");
    }
    const many = withTasks(...Array.from({ length: 12 }, (_, n) => open(`t${n}`)));
    expect(failureOf(orderTasks(many, [], {}, T1)).detail).toMatch(/t9 and 2 more$/);
  });
});
