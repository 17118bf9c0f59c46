// The entries of spaces as items of the inline provider, and the patterns of signal types.
import { describe, expect, it } from "vitest";
import { matchesSignal } from "../../../src/cognition/projectors/projector";
import { updateContainer } from "../../../src/cognition/spaces/container-changes";
import { createSpaceContainer, putSpace } from "../../../src/cognition/spaces/space-container";
import {
  listEntries,
  locateEntry,
  planDeletions,
  planPuts,
  readEntry,
} from "../../../src/cognition/spaces/space-entries";
import { unwrap } from "../../../src/kernel/errors";
import type { Json } from "../../../src/kernel/json";

const NOW = "2026-01-31T12:00:00.000Z";
const NAMES = ["world", "tasks", "rag:cache", "a", "a.b"];

const world = unwrap(
  putSpace(createSpaceContainer("s1", NOW), "world", { data: { door_open: true }, ensure: false }, NOW),
).container;
const container = unwrap(
  putSpace(
    world,
    "log",
    { data: [{ id: "e1", text: "one" }, "no id", { id: 2, text: "two" }], ensure: false },
    NOW,
  ),
).container;

function locate(key: string) {
  return locateEntry(key, (name) => NAMES.includes(name));
}

function put(key: string, value: Json) {
  const address = locateEntry(key, (name) => Object.hasOwn(container.spaces, name));
  if (address === null) throw new Error(`${key} names no space`);
  const spaces = unwrap(planPuts(container, [{ key, value, address }]));
  return unwrap(updateContainer(container, { spaces }, NOW));
}

describe("a key", () => {
  it.each<[string, ReturnType<typeof locate>]>([
    ["world.door_open", { space: "world", entry: "door_open" }],
    ["tasks.t1", { space: "tasks", entry: "t1" }],
    ["rag:cache.q.1", { space: "rag:cache", entry: "q.1" }],
    ["a.b.c", { space: "a.b", entry: "c" }],
    ["a.c", { space: "a", entry: "c" }],
    ["world", null],
    ["world.", null],
    [".world", null],
    ["elsewhere.x", null],
    ["world.__proto__", null],
  ])("%s names an entry of the space with the longest name, or none", (key, address) => {
    expect(locate(key)).toEqual(address);
  });

  it("reads a key of a map, or an item of a list by its id", () => {
    expect(readEntry(container, { space: "world", entry: "door_open" })).toBe(true);
    expect(readEntry(container, { space: "log", entry: "2" })).toEqual({ id: 2, text: "two" });
    for (const space of ["world", "log", "gone"])
      for (const entry of ["toString", "length", "none"])
        expect(readEntry(container, { space, entry })).toBeUndefined();
  });

  it("is that of every entry but items without an id", () => {
    expect(listEntries(container).map(({ key }) => key)).toEqual(["world.door_open", "log.e1", "log.2"]);
  });
});

describe("an item that is put", () => {
  it("sets a key, replaces an item in its place, or appends one", () => {
    expect(put("world.temperature", 22).spaces.world?.data).toEqual({ door_open: true, temperature: 22 });
    expect(put("log.2", { text: "TWO" }).spaces.log?.data).toEqual([
      { id: "e1", text: "one" },
      "no id",
      { text: "TWO", id: 2 },
    ]);
    expect(put("log.e1", { id: "e1" }).spaces.log?.data).toMatchObject([{ id: "e1" }, "no id", { id: 2 }]);
    expect(put("log.e3", { text: "three" }).spaces.log?.data).toHaveLength(4);
  });

  it.each<[string, Json]>([
    ["tasks.t1", "text"],
    ["log.e1", { id: "e2" }],
    ["log.e1", [1]],
  ])("in a list is an object with its id: %s %j", (key, value) => {
    expect(() => put(key, value)).toThrow(/must be an object/);
  });

  it("is a task in the list of tasks", () => {
    expect(() => put("tasks.t1", { text: "Look" })).toThrow(/spaces\.tasks\.ops\.0\.item\.status/);
    expect(put("tasks.t1", { text: "Look", status: "open" }).spaces.tasks?.data).toEqual([
      { text: "Look", status: "open", id: "t1" },
    ]);
  });

  it("is deleted by key or by id, under one rev", () => {
    const spaces = planDeletions(container, [
      { space: "world", entry: "door_open" },
      { space: "log", entry: "2" },
      { space: "log", entry: "e1" },
    ]);
    const after = unwrap(updateContainer(container, { spaces }, NOW));
    expect([after.spaces.world?.data, after.spaces.log?.data]).toEqual([{}, ["no id"]]);
    expect(after.rev).toBe(container.rev + 1);
  });
});

describe("a pattern of signals", () => {
  it.each<[string, string, boolean]>([
    ["jido.memory.result", "jido.memory.result", true],
    ["jido.memory.result", "jido.memory.results", false],
    ["jido.memory.*", "jido.memory.promoted", true],
    ["jido.*", "jido.memory.promoted", false],
    ["jido.**", "jido.memory.promoted", true],
    ["jido.**", "jido", true],
    ["**.reading", "sensor.room-4.reading", true],
    ["*.reading", "sensor.room-4.reading", false],
    ["**", "anything", true],
    ["**", "", false],
    ["jido.memory.result", "", false],
  ])("%s and the type %s", (pattern, type, matches) => {
    expect(matchesSignal([pattern], type)).toBe(matches);
    expect(matchesSignal([], type)).toBe(false);
  });
});
