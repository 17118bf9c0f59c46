// Operations on spaces: what each does, calls that are all or none, and how much a space holds.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scaleCases } from "../../patience";
import { newSession } from "../support/actions";
import { fresh, inBatches } from "../support/client";
import type { Space, Task } from "../support/contract";
import { bodyOf, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";
import { change, makeSpace, readContainer, readSpace } from "./cognition";

const kioku = serviceUnderTest();

type Fields = Record<string, unknown>;
type Item = { id: string; [member: string]: unknown };

async function session(): Promise<string> {
  return (await newSession(kioku.api)).id;
}

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
    // As JSON has it: without -0, and without the one name that is refused.
    const item = fc
      .jsonValue({ maxDepth: 2 })
      .map((value) => JSON.stringify(value))
      .filter((text) => !text.includes("__proto__"))
      .map((text): unknown => JSON.parse(text));
    const op = fc.constantFrom("append", "prepend", "insert", "remove", "update");
    const moves = fc.array(fc.record({ op, at: fc.nat(), item }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(moves, async (drawn) => {
        const { ops, expected } = played(drawn);
        fc.pre(ops.length > 0);
        const id = await session();
        const [whole, single] = [fresh("whole"), fresh("single")];
        for (const name of [whole, single]) await makeSpace(kioku.api, id, name, []);
        expect((await change(kioku.api, id, whole, ops)).data).toEqual(expected);
        for (const op of ops) await change(kioku.api, id, single, [op]);
        expect((await readSpace(kioku.api, id, single)).data).toEqual(expected);
      }),
      { numRuns: scaleCases(20) },
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
