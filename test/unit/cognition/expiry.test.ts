// Entries with a time to live, and the completed tasks of projectors.
import { describe, expect, it } from "vitest";
import {
  applyOps,
  createSpaceContainer,
  getSpace,
  putSpace,
  removeExpired,
  type SpaceContainer,
} from "../../../src/cognition/spaces/space-container";
import { DONE_TASK_MS, dropExpired, findEarliestExpiry } from "../../../src/cognition/spaces/space-data";
import { SpaceOp } from "../../../src/cognition/spaces/space-schemas";
import { completeTask } from "../../../src/cognition/spaces/task-list";
import { unwrap } from "../../../src/kernel/errors";
import { COGNITION } from "../../../src/kernel/limits";

const T0 = "2026-01-31T12:00:00.000Z";
const START = Date.parse(T0);
const EMPTY = createSpaceContainer("s1", T0);

function edit(container: SpaceContainer, ...ops: SpaceOp[]): SpaceContainer {
  return unwrap(applyOps(container, "world", ops, {}, T0));
}

const getExpiries = (container: SpaceContainer, name = "world") => unwrap(getSpace(container, name)).expires;

describe("a key with a time to live", () => {
  const scratch = edit(EMPTY, { op: "put", key: "scratch", value: { step: 1 }, ttl_ms: 500 });

  it("expires that long after it was put", () => {
    expect(getExpiries(scratch)).toEqual({ scratch: START + 500 });
  });

  it("keeps its expiry when it is updated, and loses it when it is put without one, deleted or replaced", () => {
    const updated = edit(scratch, { op: "update", key: "scratch", changes: { step: 2 } });
    expect(getExpiries(updated)).toEqual({ scratch: START + 500 });
    expect(getExpiries(edit(scratch, { op: "put", key: "other", value: 1 }))).toEqual({
      scratch: START + 500,
    });
    for (const op of [
      { op: "put", key: "scratch", value: 1 },
      { op: "delete", key: "scratch" },
    ] as const)
      expect(getExpiries(edit(scratch, op))).toBeUndefined();
    const replaced = unwrap(
      putSpace(scratch, "world", { data: { scratch: 1 }, ensure: false }, T0),
    ).container;
    expect(getExpiries(replaced)).toBeUndefined();
  });

  it("may have the name of a member of every object", () => {
    const container = edit(EMPTY, { op: "put", key: "constructor", value: 1, ttl_ms: 500 });
    expect(getExpiries(container)).toEqual({ constructor: START + 500 });
  });

  it.each([0, -1, 1.5, COGNITION.ttlMaxMs + 1, "1000"])("cannot live for %j", (ttl_ms) => {
    expect(SpaceOp.safeParse({ op: "put", key: "a", value: 1, ttl_ms }).success).toBe(false);
  });
});

describe("expired entries", () => {
  it("are dropped at their time, not before, from maps by key and from lists by id", () => {
    const map = { data: { a: 1, b: 2 }, expires: { a: START } };
    expect(dropExpired(map, START - 1)).toBe(map);
    expect(dropExpired(map, START)).toEqual({ data: { b: 2 }, expires: {} });
    const list = { data: [{ id: "a" }, { id: 7 }, "a"], expires: { a: START, "7": START + 1 } };
    expect(dropExpired(list, START)).toEqual({ data: [{ id: 7 }, "a"], expires: { "7": START + 1 } });
    expect(findEarliestExpiry(list.expires)).toBe(START);
    expect(findEarliestExpiry({})).toBeNull();
  });

  it("of several spaces are removed under one new rev of the container", () => {
    const container = unwrap(putSpace(EMPTY, "cache", { data: { a: 1 }, ensure: false }, T0)).container;
    const swept = unwrap(removeExpired(container, ["cache", "world"], T0));
    expect([swept.rev, swept.spaces.cache?.rev, swept.spaces.world?.rev]).toEqual([2, 2, 1]);
    expect(unwrap(removeExpired(container, [], T0))).toBe(container);
  });
});

describe("a completed task", () => {
  const tasks = [
    { id: "made", text: "Renew the certificate", status: "open", source: "projector" },
    { id: "mine", text: "Call Ines", status: "open" },
  ];
  const open = unwrap(putSpace(EMPTY, "tasks", { data: tasks, ensure: false }, T0)).container;

  it("expires a day later if a projector made it, by whatever call it was completed", () => {
    expect(getExpiries(open, "tasks")).toBeUndefined();
    const byCall = ["made", "mine"].reduce(
      (container, id) => unwrap(completeTask(container, id, {}, T0)).container,
      open,
    );
    const changes = { status: "done" };
    const byOps = unwrap(applyOps(open, "tasks", [{ op: "update", id: "made", changes }], {}, T0));
    for (const container of [byCall, byOps])
      expect(getExpiries(container, "tasks")).toEqual({ made: START + DONE_TASK_MS });
  });

  it("keeps its time through later changes, and loses it when it is opened again", () => {
    const done = unwrap(completeTask(open, "made", {}, T0)).container;
    const later = new Date(START + 5_000).toISOString();
    const changed = unwrap(applyOps(done, "tasks", [{ op: "remove", id: "mine" }], {}, later));
    expect(getExpiries(changed, "tasks")).toEqual({ made: START + DONE_TASK_MS });
    const changes = { status: "open" };
    const reopened = unwrap(applyOps(done, "tasks", [{ op: "update", id: "made", changes }], {}, later));
    expect(getExpiries(reopened, "tasks")).toBeUndefined();
  });
});
