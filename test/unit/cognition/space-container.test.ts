import { describe, expect, it } from "vitest";
import { updateContainer } from "../../../src/cognition/spaces/container-changes";
import {
  applyOps,
  createSpaceContainer,
  deleteSpace,
  getSpace,
  getSpaceKey,
  putSpace,
  type SpaceContainer,
  type SpaceData,
} from "../../../src/cognition/spaces/space-container";
import type { SpaceOp, SpacePut } from "../../../src/cognition/spaces/space-schemas";
import {
  addTask,
  completeTask,
  findNextTask,
  listTasks,
  orderTasks,
  removeTask,
} from "../../../src/cognition/spaces/task-list";
import { problemResponse } from "../../../src/http/problem-details";
import { type Failure, type Result, unwrap } from "../../../src/kernel/errors";
import type { Json } from "../../../src/kernel/json";
import { COGNITION } from "../../../src/kernel/limits";

const T0 = "2026-01-31T12:00:00.000Z";
const T1 = "2026-01-31T12:01:00.000Z";

function getFailure(outcome: Result<unknown>): Failure {
  if (outcome.ok) throw new Error("was accepted");
  return outcome.failure;
}

function put(container: SpaceContainer, name: string, data: SpaceData, more: Partial<SpacePut> = {}) {
  return putSpace(container, name, { data, ensure: false, ...more }, T1);
}

function createWithSpace(
  name: string,
  data: SpaceData,
  container = createSpaceContainer("s1", T0),
): SpaceContainer {
  return unwrap(put(container, name, data)).container;
}

function ops(container: SpaceContainer, name: string, ...batch: SpaceOp[]) {
  return applyOps(container, name, batch, {}, T1);
}

function dataAfter(data: SpaceData, ...batch: SpaceOp[]): Json {
  return unwrap(getSpace(unwrap(ops(createWithSpace("x", data), "x", ...batch)), "x")).data;
}

function failureAfter(data: SpaceData, ...batch: SpaceOp[]): Failure {
  return getFailure(ops(createWithSpace("x", data), "x", ...batch));
}

function withTasks(...tasks: Json[]): SpaceContainer {
  return createWithSpace("tasks", tasks);
}

const open = (id: string) => ({ id, text: `do ${id}`, status: "open" });
const done = (id: string) => ({ id, text: `did ${id}`, status: "done" });
const ids = (tasks: { id: string }[]) => tasks.map(({ id }) => id);

describe("a new container", () => {
  it("has an empty list of tasks and an empty world, untouched", () => {
    expect(createSpaceContainer("s1", T0)).toEqual({
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
    expect(getFailure(getSpace(createSpaceContainer("s1", T0), "constructor"))).toMatchObject({
      code: "not_found",
      detail: expect.stringMatching(/^Space not found: constructor\. /),
    });
    const container = createWithSpace("constructor", { toString: "a" });
    expect(unwrap(getSpace(container, "constructor")).data).toEqual({ toString: "a" });
    expect(container.totals.spaces).toBe(3);
    expect(unwrap(deleteSpace(container, "constructor", {}, T1)).totals).toEqual({ spaces: 2, bytes: 8 });
  });
});

describe("putting a space", () => {
  it("creates a space of the kind of its data, at rev 1", () => {
    const { container, created } = unwrap(
      put(createSpaceContainer("s1", T0), "rag:cache", ["é"], { metadata: { a: 1 } }),
    );
    expect(created).toBe(true);
    expect(container).toMatchObject({
      rev: 1,
      created_at: T0,
      updated_at: T1,
      totals: { spaces: 3, bytes: 21 },
    });
    // ["é"] has 6 bytes, {"a":1} has 7.
    expect(container.spaces["rag:cache"]).toEqual({
      kind: "list",
      rev: 1,
      data: ["é"],
      metadata: { a: 1 },
      bytes: 13,
    });
  });

  it("replaces the data of one that is there, and its metadata only if given", () => {
    const first = unwrap(
      put(createSpaceContainer("s1", T0), "notes", { a: 1 }, { metadata: { by: "me" } }),
    ).container;
    const { container, created } = unwrap(put(first, "notes", { b: 2 }));
    expect(created).toBe(false);
    expect(container.spaces.notes).toMatchObject({ rev: 2, data: { b: 2 }, metadata: { by: "me" } });
    expect(unwrap(put(container, "notes", {}, { metadata: {} })).container.spaces.notes?.metadata).toEqual(
      {},
    );
  });

  it("never changes a space's kind, a built-in one's either", () => {
    for (const [container, name, data] of [
      [createWithSpace("notes", {}), "notes", []],
      [createSpaceContainer("s1", T0), "tasks", {}],
      [createSpaceContainer("s1", T0), "world", []],
    ] as const) {
      const failure = getFailure(put(container, name, data as SpaceData));
      expect(failure.code).toBe("conflict");
      expect(failure.detail).toContain(`Space ${name} is a ${container.spaces[name]?.kind}`);
    }
  });

  it("with ensure makes a missing one and leaves one that is there exactly as it is", () => {
    const ensured = unwrap(put(createSpaceContainer("s1", T0), "notes", { a: 1 }, { ensure: true }));
    expect(ensured.created).toBe(true);
    const again = unwrap(put(ensured.container, "notes", { b: 2 }, { ensure: true }));
    expect(again.created).toBe(false);
    expect(again.container).toBe(ensured.container);
    expect(getFailure(put(ensured.container, "notes", [], { ensure: true })).code).toBe("conflict");
  });

  it("refuses two items with one id, naming the second", () => {
    const failure = getFailure(
      put(createSpaceContainer("s1", T0), "x", [{ id: 1 }, { id: "1" }, 1, { id: 1 }]),
    );
    expect(failure).toMatchObject({ code: "invalid_request", errors: [{ path: "data.3.id" }] });
  });

  it("takes equal items as long as none of them has an id", () => {
    expect(dataAfter([1, 1, {}, {}, { id: null }, { id: null }], { op: "append", item: 1 })).toHaveLength(7);
  });
});

describe("deleting a space", () => {
  it("lets no rev from before fit the space when it is made anew", () => {
    const first = createWithSpace("notes", {}, createWithSpace("notes", {}));
    const again = createWithSpace("notes", {}, unwrap(deleteSpace(first, "notes", {}, T1)));
    expect(again.spaces.notes?.rev).toBe(3);
    expect(getFailure(put(again, "notes", {}, { expected_rev: 2 })).current_rev).toBe(3);
    expect(getFailure(put(again, "notes", {}, { expected_rev: 0 })).current_rev).toBe(3);
  });

  it("takes it out and counts it out", () => {
    const before = createSpaceContainer("s1", T0);
    const container = unwrap(deleteSpace(createWithSpace("notes", { a: 1 }, before), "notes", {}, T1));
    expect(container).toMatchObject({ rev: 2, updated_at: T1, deleted_rev: 1 });
    expect(container.totals).toEqual(before.totals);
    expect(getFailure(getSpace(container, "notes")).code).toBe("not_found");
  });

  it("is refused for tasks and world, and for one that is not there", () => {
    for (const name of ["tasks", "world"])
      expect(getFailure(deleteSpace(createSpaceContainer("s1", T0), name, {}, T1)).code).toBe("conflict");
    expect(
      getFailure(deleteSpace(createSpaceContainer("s1", T0), "notes", { expected_rev: 9 }, T1)).code,
    ).toBe("not_found");
  });
});

describe("a stale revision", () => {
  const container = createWithSpace("notes", { a: 1 }, createWithSpace("notes", {}));

  it("is a conflict with the current revisions of the space and the container", () => {
    const stale = { current_rev: 2, current_memory_rev: 2 };
    const op: SpaceOp = { op: "put", key: "a", value: 2 };
    for (const expected of [{ expected_rev: 1 }, { expected_memory_rev: 1 }, { expected_rev: 3 }])
      for (const outcome of [
        applyOps(container, "notes", [op], expected, T1),
        put(container, "notes", {}, expected),
        put(container, "notes", {}, { ...expected, ensure: true }),
        deleteSpace(container, "notes", expected, T1),
      ])
        expect(getFailure(outcome)).toMatchObject({ code: "conflict", ...stale });
    for (const outcome of [
      addTask(container, { id: "t1", text: "x" }, { expected_rev: 1 }, T1),
      completeTask(container, "t1", { expected_rev: 1 }, T1),
      removeTask(container, "t1", { expected_rev: 1 }, T1),
      orderTasks(container, ["t1"], { expected_rev: 1 }, T1),
    ])
      expect(getFailure(outcome)).toMatchObject({ code: "conflict", current_rev: 0, current_memory_rev: 2 });
  });

  it("is reported before any error in the operations, and after a missing space", () => {
    const op: SpaceOp = { op: "append", item: 1 };
    expect(getFailure(applyOps(container, "notes", [op], { expected_rev: 1 }, T1)).current_rev).toBe(2);
    expect(getFailure(applyOps(container, "none", [op], { expected_rev: 1 }, T1)).code).toBe("not_found");
    expect(getFailure(put(container, "notes", [], { expected_rev: 1 })).current_rev).toBe(2);
  });

  it("does not stop a change that names the current ones, or only the space's while others were changed", () => {
    const op: SpaceOp = { op: "put", key: "a", value: 2 };
    const both = { expected_rev: 2, expected_memory_rev: 2 };
    expect(applyOps(container, "notes", [op], both, T1).ok).toBe(true);
    const elsewhere = unwrap(ops(container, "world", op));
    expect(applyOps(elsewhere, "notes", [op], { expected_rev: 2 }, T1).ok).toBe(true);
  });

  it("counts a space that is not there yet as rev 0, so that 0 means: only if nobody has touched it", () => {
    expect(put(container, "new", {}, { expected_rev: 0 }).ok).toBe(true);
    expect(put(container, "world", {}, { expected_rev: 0 }).ok).toBe(true);
    expect(getFailure(put(container, "notes", {}, { expected_rev: 0 })).current_rev).toBe(2);
    expect(getFailure(put(container, "new", {}, { expected_rev: 1 }))).toMatchObject({
      current_rev: 0,
      current_memory_rev: 2,
    });
  });

  it("reaches the caller as members of the problem", async () => {
    const failure = getFailure(put(container, "notes", {}, { expected_rev: 0 }));
    const response = problemResponse(failure);
    expect(response.status).toBe(409);
    expect(await response.json()).toMatchObject({ current_rev: 2, current_memory_rev: 2, code: "conflict" });
    const other = await problemResponse({ code: "conflict", detail: "x" }).json<object>();
    expect(Object.keys(other)).toEqual(["type", "title", "status", "code", "detail"]);
  });
});

describe("the container's metadata", () => {
  it("is replaced, which raises the container's rev and no space's", () => {
    const container = createWithSpace("notes", {});
    const patched = unwrap(updateContainer(container, { metadata: { a: 1 }, expected_memory_rev: 1 }, T1));
    expect(patched).toMatchObject({ rev: 2, metadata: { a: 1 }, updated_at: T1 });
    expect(patched.spaces).toBe(container.spaces);
    expect(unwrap(updateContainer(patched, { metadata: {} }, T1)).metadata).toEqual({});
  });

  it("is not replaced on a stale rev", () => {
    const failure = getFailure(
      updateContainer(createWithSpace("x", {}), { metadata: {}, expected_memory_rev: 0 }, T1),
    );
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
    expect(getFailure(getSpaceKey(createSpaceContainer("s1", T0), "world", "toString")).code).toBe(
      "not_found",
    );
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
    const container = createWithSpace("x", { a: null, b: false });
    expect(unwrap(getSpaceKey(container, "x", "a"))).toBeNull();
    expect(unwrap(getSpaceKey(container, "x", "b"))).toBe(false);
    expect(getFailure(getSpaceKey(container, "x", "c")).detail).toMatch(/^Key not found: c\. /);
    expect(getFailure(getSpaceKey(container, "tasks", "a")).code).toBe("conflict");
    expect(getFailure(getSpaceKey(container, "none", "a")).code).toBe("not_found");
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

  it("refuses an index beyond its length and names the valid range", () => {
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
    let container = createSpaceContainer("s1", T0);
    for (let n = 2; n < COGNITION.spaces; n += 1) container = createWithSpace(`space-${n}`, {}, container);
    expect(getFailure(put(container, "more", {}))).toMatchObject({
      code: "limit_exceeded",
      detail: expect.stringContaining(`at most ${COGNITION.spaces} spaces`),
    });
    expect(put(container, "space-2", { a: 1 }).ok).toBe(true);
    expect(put(unwrap(deleteSpace(container, "space-2", {}, T1)), "more", {}).ok).toBe(true);
  });

  it("of a space: its data as JSON in bytes, to the last one, metadata aside", () => {
    // Quotes and brackets take 4 bytes, each é takes 2.
    const full = ["é".repeat(COGNITION.spaceBytes / 2 - 2)];
    const container = unwrap(
      put(createSpaceContainer("s1", T0), "x", full, { metadata: { a: 1 } }),
    ).container;
    const failure = getFailure(ops(container, "x", { op: "append", item: 1 }));
    expect(failure.code).toBe("limit_exceeded");
    expect(failure.detail).toContain(`${COGNITION.spaceBytes + 2} bytes`);
    expect(failure.detail).toContain(`at most ${COGNITION.spaceBytes}`);
    expect(getFailure(put(container, "y", [...full, 1])).code).toBe("limit_exceeded");
  });

  it("of all spaces together: spaces that are not loaded count too, and deleting frees room", () => {
    const container = createWithSpace("x", { a: "1" });
    const elsewhere = COGNITION.memoryBytes - container.totals.bytes;
    const full = { ...container, totals: { spaces: 9, bytes: container.totals.bytes + elsewhere } };
    expect(getFailure(ops(full, "x", { op: "put", key: "a", value: "12" }))).toMatchObject({
      code: "limit_exceeded",
      detail: expect.stringContaining(`at most ${COGNITION.memoryBytes}`),
    });
    expect(ops(full, "x", { op: "put", key: "a", value: "2" }).ok).toBe(true);
    const deleted = unwrap(deleteSpace(full, "x", {}, T1));
    expect(deleted.totals).toEqual({
      spaces: 8,
      bytes: COGNITION.memoryBytes - (container.spaces.x?.bytes ?? 0),
    });
    expect(put(deleted, "y", { a: "1" }).ok).toBe(true);
  });
});

describe("the space of tasks", () => {
  it("accepts only tasks, with any additional fields", () => {
    expect(put(createSpaceContainer("s1", T0), "tasks", [{ ...open("t1"), due: "May" }]).ok).toBe(true);
    const refused: [Json, string, string][] = [
      [{ ...open("t2"), status: "later" }, "data.1.status", "must be open or done"],
      [{ id: "t2", status: "open" }, "data.1.text", "is required"],
      [{ ...open("t2"), id: 2 }, "data.1.id", "must be a string"],
      ["t2", "data.1", "must be an object"],
      [open("t1"), "data.1.id", "is also the id of an earlier item: ids must be unique"],
    ];
    for (const [item, path, message] of refused)
      expect(getFailure(put(createSpaceContainer("s1", T0), "tasks", [open("t1"), item]))).toEqual({
        code: "invalid_request",
        detail: `${path}: ${message}`,
        errors: [{ path, message }],
      });
  });

  it("is kept so by operations", () => {
    const container = withTasks(open("t1"));
    const refused: [SpaceOp, string][] = [
      [{ op: "append", item: { ...open("t2"), text: "" } }, "ops.0.item.text"],
      [{ op: "prepend", item: 1 }, "ops.0.item"],
      [{ op: "insert", index: 0, item: { ...open("t2"), status: 1 } }, "ops.0.item.status"],
      [{ op: "update", id: "t1", changes: { status: "later" } }, "ops.0.changes.status"],
    ];
    for (const [op, path] of refused)
      expect(getFailure(ops(container, "tasks", op))).toMatchObject({
        code: "invalid_request",
        errors: [{ path }],
      });
    expect(ops(container, "tasks", { op: "update", id: "t1", changes: { due: "May" } }).ok).toBe(true);
  });

  it("is not asked of other lists", () => {
    expect(put(createSpaceContainer("s1", T0), "my:tasks", ["anything"]).ok).toBe(true);
  });
});

describe("tasks", () => {
  it("are added open, at the end or at an index", () => {
    const first = unwrap(
      addTask(createSpaceContainer("s1", T0), { id: "t1", text: "one" }, { expected_rev: 0 }, T1),
    );
    expect(first.task).toEqual({ id: "t1", text: "one", status: "open" });
    const second = unwrap(addTask(first.container, { id: "t2", text: "two" }, {}, T1)).container;
    const third = unwrap(addTask(second, { id: "t3", text: "three", index: 1 }, {}, T1)).container;
    expect(ids(listTasks(third))).toEqual(["t1", "t3", "t2"]);
    expect(third).toMatchObject({ rev: 3, spaces: { tasks: { rev: 3 } } });
  });

  it("are not added twice, or beyond the end", () => {
    const container = withTasks(open("t1"));
    expect(getFailure(addTask(container, { id: "t1", text: "x" }, {}, T1)).code).toBe("conflict");
    expect(getFailure(addTask(container, { id: "t2", text: "x", index: 2 }, {}, T1))).toMatchObject({
      code: "invalid_request",
      errors: [{ path: "index", message: expect.stringContaining("0 to 1") }],
    });
  });

  it("are completed in place; once more changes nothing", () => {
    const { container, task } = unwrap(
      completeTask(withTasks({ ...open("t1"), due: "May" }, open("t2")), "t1", {}, T1),
    );
    expect(task).toEqual({ ...open("t1"), due: "May", status: "done" });
    expect(listTasks(container)).toEqual([task, open("t2")]);
    const again = unwrap(completeTask(container, "t1", {}, T1));
    expect(again.container).toBe(container);
    expect(again.task).toEqual(task);
  });

  it("are listed by status, and the first open one is next", () => {
    const container = withTasks(done("t1"), open("t2"), open("t3"));
    expect(ids(listTasks(container, "open"))).toEqual(["t2", "t3"]);
    expect(ids(listTasks(container, "done"))).toEqual(["t1"]);
    expect(findNextTask(container)).toEqual(open("t2"));
    expect(findNextTask(withTasks(done("t1")))).toBeNull();
  });

  it("are removed, and not found afterwards", () => {
    const container = unwrap(removeTask(withTasks(open("t1"), open("t2")), "t1", {}, T1));
    expect(ids(listTasks(container))).toEqual(["t2"]);
    for (const outcome of [removeTask(container, "t1", {}, T1), completeTask(container, "t1", {}, T1)])
      expect(getFailure(outcome)).toMatchObject({
        code: "not_found",
        detail: expect.stringMatching(/^Task not found: t1\. /),
      });
  });

  it("are put in order by naming each once, done ones included", () => {
    const container = withTasks(done("t1"), open("t2"), { ...open("t3"), due: "May" });
    const { container: ordered, tasks } = unwrap(
      orderTasks(container, ["t3", "t1", "t2"], { expected_rev: 1 }, T1),
    );
    expect(tasks).toEqual([{ ...open("t3"), due: "May" }, done("t1"), open("t2")]);
    expect(listTasks(ordered)).toEqual(tasks);
    expect(ordered.spaces.tasks?.rev).toBe(2);
  });

  it("are not put in an order that leaves one out, names a stranger, or one twice", () => {
    const container = withTasks(done("t1"), open("t2"));
    const said: [string[], string][] = [
      [["t2"], "missing: t1"],
      [["t2", "t1", "t9"], "unknown: t9"],
      [["t2", "t1", "t2", "t2"], "twice: t2"],
      [["t8", "t8"], "missing: t1, t2; unknown: t8; twice: t8"],
    ];
    for (const [order, message] of said) {
      const failure = getFailure(orderTasks(container, order, {}, T1));
      expect(failure.errors).toEqual([{ path: "ids", message: expect.stringMatching(`: ${message}$`) }]);
      expect(failure.code).toBe("invalid_request");
    }
    const many = withTasks(...Array.from({ length: 12 }, (_, n) => open(`t${n}`)));
    expect(getFailure(orderTasks(many, [], {}, T1)).detail).toMatch(/t9 and 2 more$/);
  });
});
