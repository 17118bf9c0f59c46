// Changes of several spaces at once: one new revision of the container, all or none.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { replaceContainer, updateContainer } from "../../../src/cognition/spaces/container-changes";
import { createSpaceContainer, type SpaceContainer } from "../../../src/cognition/spaces/space-container";
import { InitialSpaces, MemoryPatch, MemoryPut } from "../../../src/cognition/spaces/space-schemas";
import { type Failure, type Result, unwrap } from "../../../src/kernel/errors";
import type { JsonObject } from "../../../src/kernel/json";
import { COGNITION } from "../../../src/kernel/limits";

const T0 = "2026-01-31T12:00:00.000Z";
const T1 = "2026-01-31T12:01:00.000Z";
const EMPTY = createSpaceContainer("s1", T0);

function put(container: SpaceContainer, body: unknown): Result<SpaceContainer> {
  return replaceContainer(container, MemoryPut.parse(body), T1);
}

function patch(container: SpaceContainer, body: unknown): Result<SpaceContainer> {
  return updateContainer(container, MemoryPatch.parse(body), T1);
}

function getFailure(outcome: Result<unknown>): Failure {
  if (outcome.ok) throw new Error("was accepted");
  return outcome.failure;
}

const getRevs = ({ rev, spaces }: SpaceContainer) => ({
  rev,
  ...Object.fromEntries(Object.entries(spaces).map(([name, space]) => [name, space.rev])),
});

const BOARD = unwrap(
  put(EMPTY, { spaces: { world: { door: "open" }, tasks: [], evidence: [{ id: "e1" }], notes: { a: 1 } } }),
);

describe("putting a container", () => {
  it("takes the data of a space alone, or with its metadata", () => {
    const { spaces, metadata } = unwrap(
      put(EMPTY, {
        spaces: {
          world: { facts: { door: "open", temperature: 22 } },
          tasks: {
            data: [{ id: "t1", text: "Navigate to exit 3", status: "open" }],
            metadata: { by: "planner" },
          },
          desires: { data: { goals: ["find_exit", "stay_warm"] } },
        },
        metadata: { agent: "rover" },
      }),
    );
    expect(spaces).toMatchObject({
      world: { kind: "map", data: { facts: { door: "open", temperature: 22 } }, metadata: {} },
      tasks: { kind: "list", metadata: { by: "planner" } },
      desires: { kind: "map", data: { goals: ["find_exit", "stay_warm"] } },
    });
    expect(metadata).toEqual({ agent: "rover" });
  });

  it("raises the container's rev by one, and that of each space it writes", () => {
    expect(getRevs(BOARD)).toEqual({ rev: 1, world: 1, tasks: 1, evidence: 1, notes: 1 });
    const after = unwrap(put(BOARD, { spaces: { world: {}, evidence: [], notes: {} } }));
    // The list of tasks was empty before.
    expect(getRevs(after)).toEqual({ rev: 2, world: 2, tasks: 1, evidence: 2, notes: 2 });
    expect(after.updated_at).toBe(T1);
  });

  it("deletes the spaces that it does not name, and empties the built-in ones", () => {
    const after = unwrap(put(BOARD, { spaces: { notes: { b: 2 } } }));
    expect(Object.keys(after.spaces).sort()).toEqual(["notes", "tasks", "world"]);
    expect(after.spaces.world).toMatchObject({ data: {}, rev: 2 });
    expect(after.totals.spaces).toBe(3);
    const again = unwrap(put(after, { spaces: { evidence: [] } }));
    expect(again.spaces.evidence?.rev).toBeGreaterThan(1);
  });

  it("is refused as a whole", () => {
    for (const [body, failure] of [
      [{ spaces: { world: { a: 1 }, evidence: {} } }, { code: "conflict" }],
      [
        { spaces: { world: { a: 1 }, tasks: [{ id: "t1" }] } },
        { code: "invalid_request", errors: [{ path: "spaces.tasks.data.0.text" }, {}] },
      ],
      [
        { spaces: { world: { data: {}, expected_rev: 7 } } },
        { code: "conflict", current_rev: 1, current_memory_rev: 1 },
      ],
      [
        { spaces: { world: {} }, expected_memory_rev: 0 },
        { code: "conflict", current_rev: 1, current_memory_rev: 1 },
      ],
    ] as const)
      expect(getFailure(put(BOARD, body))).toMatchObject(failure);
  });

  it("takes the spaces of a container that was read", () => {
    const read = Object.entries(BOARD.spaces).map(([name, { bytes: _bytes, ...space }]) => [name, space]);
    const after = unwrap(put(BOARD, { spaces: Object.fromEntries(read) }));
    expect(after.spaces.world?.data).toEqual(BOARD.spaces.world?.data);
    expect(after.totals).toEqual(BOARD.totals);
  });
});

describe("patching a container", () => {
  it("writes data, applies operations and deletes, under one new rev", () => {
    const after = unwrap(
      patch(BOARD, {
        spaces: {
          world: { ops: [{ op: "put", key: "alarm", value: true }] },
          evidence: { ops: [{ op: "append", item: { id: "e2" } }], expected_rev: 1 },
          solution: { data: { verdict: "left open" }, metadata: { by: "judge" } },
          notes: null,
        },
        metadata: { case: 7 },
        expected_memory_rev: 1,
      }),
    );
    expect(getRevs(after)).toEqual({ rev: 2, world: 2, tasks: 1, evidence: 2, solution: 1 });
    expect(after.spaces).toMatchObject({
      world: { data: { door: "open", alarm: true } },
      evidence: { data: [{ id: "e1" }, { id: "e2" }] },
      solution: { metadata: { by: "judge" } },
    });
    expect(after.metadata).toEqual({ case: 7 });
  });

  it("that ensures what is there changes nothing", () => {
    const ensured = patch(BOARD, { spaces: { notes: { data: {}, ensure: true } } });
    expect(unwrap(ensured)).toBe(BOARD);
  });

  it.each<[string, JsonObject, object]>([
    [
      "a stale space",
      { world: { data: {} }, notes: { data: {}, expected_rev: 0 } },
      { code: "conflict", current_rev: 1, current_memory_rev: 1 },
    ],
    [
      "an unknown space",
      { world: { data: {} }, gone: { ops: [{ op: "put", key: "a", value: 1 }] } },
      { code: "not_found" },
    ],
    ["a space that is not there to delete", { world: { data: {} }, gone: null }, { code: "not_found" }],
    ["a built-in space to delete", { notes: null, tasks: null }, { code: "conflict" }],
    [
      "an operation of the other kind",
      { notes: null, world: { ops: [{ op: "append", item: 1 }] } },
      { code: "conflict" },
    ],
    [
      "an invalid task",
      { notes: null, tasks: { ops: [{ op: "append", item: { id: "t1", text: "x", status: "later" } }] } },
      { code: "invalid_request", errors: [{ path: "spaces.tasks.ops.0.item.status" }] },
    ],
  ])("is refused as a whole for %s", (_what, spaces, failure) => {
    expect(getFailure(patch(BOARD, { spaces }))).toMatchObject(failure);
  });

  it("has room for what it makes room for, in any order", () => {
    const half = "x".repeat(COGNITION.spaceBytes / 2);
    const full = { ...BOARD, totals: { spaces: COGNITION.spaces, bytes: COGNITION.memoryBytes - 4 } };
    const withNotes = {
      ...full,
      spaces: { ...full.spaces, notes: { ...BOARD.spaces.notes, bytes: 600_000 } },
    } as SpaceContainer;
    const grown = patch(withNotes, { spaces: { added: { data: { half } }, notes: null } });
    expect(unwrap(grown).totals.spaces).toBe(COGNITION.spaces);
    expect(getFailure(patch(withNotes, { spaces: { added: { data: { half } } } })).code).toBe(
      "limit_exceeded",
    );
  });

  it("changes nothing or everything, whatever it holds", () => {
    const name = fc.constantFrom("world", "tasks", "evidence", "notes", "new");
    const change = fc.oneof(
      fc.constant(null),
      fc.record({ data: fc.constantFrom<JsonObject | []>({}, [], { a: 2 }) }),
      fc.constant({ ops: [{ op: "put", key: "k", value: 1 }] }),
      fc.constant({ ops: [{ op: "append", item: "x" }] }),
    );
    fc.assert(
      fc.property(fc.dictionary(name, change, { minKeys: 1 }), (spaces) => {
        const before = JSON.stringify(BOARD);
        const outcome = patch(BOARD, { spaces });
        expect(JSON.stringify(BOARD)).toBe(before);
        if (!outcome.ok) return;
        expect(outcome.value.rev).toBe(BOARD.rev + 1);
        for (const [touched, change] of Object.entries(spaces)) {
          if (change === null) expect(outcome.value.spaces[touched]).toBeUndefined();
          else if (touched !== "new") expect(outcome.value.spaces[touched]?.rev).toBe(2);
        }
      }),
    );
  });
});

describe("spaces in a request", () => {
  it.each<[string, unknown, string]>([
    ["a name that is none", { "a b": {} }, "a b"],
    ["a name of every object", JSON.parse('{"__proto__": {}}'), "__proto__"],
    ["no map and no list", { world: 7 }, "world.data"],
    ["data beside other members", { world: { data: {}, door: true } }, "world"],
    ["metadata that are none", { world: { data: {}, metadata: 7 } }, "world.metadata"],
  ])("are refused with %s", (_what, spaces, path) => {
    const { error } = InitialSpaces.safeParse(spaces);
    expect(error?.issues[0]?.path.join(".")).toBe(path);
  });
});
