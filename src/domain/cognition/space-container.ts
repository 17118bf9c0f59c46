// Memory: what an agent currently believes and wants, as named spaces in one container. A change gives a new
// container with raised revisions and leaves every other space as it was; storing it is left to the session's object.

import { COGNITION } from "../../limits";
import { fail, type Outcome, ok } from "../../platform/errors";
import type { Json, JsonObject } from "../../platform/json";
import {
  type Expected,
  type MemoryPatch,
  type SpaceKind,
  type SpaceOp,
  type SpacePut,
  Task,
} from "../../schemas/cognition";
import { utf8Bytes, z } from "../../schemas/common";
import { invalid } from "../../schemas/validation-message";
import { checkData, editData, type ItemRule, kindOf, type Refusal, type SpaceData } from "./space-data";

export type { SpaceData } from "./space-data";

export type Space = {
  kind: SpaceKind;
  rev: number;
  data: SpaceData;
  metadata: JsonObject;
  /** Of data and metadata as JSON, in UTF-8. */
  bytes: number;
};

export type Memory = {
  id: string;
  rev: number;
  created_at: string;
  updated_at: string;
  metadata: JsonObject;
  /** The highest rev of any space that was deleted: a space made anew goes on after it, so that an old rev never fits it. */
  deleted_rev: number;
  /** Of all spaces, also those not loaded into `spaces`. */
  totals: { spaces: number; bytes: number };
  /** Those that were loaded. */
  spaces: Readonly<Record<string, Space>>;
};

/** They are always there. */
export const BUILT_IN = ["tasks", "world"] as const;

export function newMemory(id: string, createdAt: string): Memory {
  const spaces = { tasks: untouched([]), world: untouched({}) };
  return {
    id,
    rev: 0,
    created_at: createdAt,
    updated_at: createdAt,
    metadata: {},
    deleted_rev: 0,
    totals: { spaces: 2, bytes: spaces.tasks.bytes + spaces.world.bytes },
    spaces,
  };
}

function untouched(data: SpaceData): Space {
  return { kind: kindOf(data), rev: 0, data, metadata: {}, bytes: jsonBytes(data) + jsonBytes({}) };
}

export function spaceOf(memory: Memory, name: string): Outcome<Space> {
  const space = find(memory, name);
  if (space !== undefined) return ok(space);
  return fail(
    "not_found",
    `Space not found: ${name}. Make it with PUT /v1/sessions/{id}/spaces/${name}; GET /v1/sessions/{id}/memory lists those there are.`,
  );
}

/** A space that is there and at the revisions expected. */
export function currentSpace(memory: Memory, name: string, expected: Expected): Outcome<Space> {
  const found = spaceOf(memory, name);
  return found.ok ? (staleness(memory, name, expected) ?? found) : found;
}

export function getInSpace(memory: Memory, name: string, key: string): Outcome<Json> {
  const found = spaceOf(memory, name);
  if (!found.ok) return found;
  const { data } = found.value;
  if (Array.isArray(data))
    return fail("conflict", `Space ${name} is a list and has no keys: read the whole space.`);
  const value = Object.hasOwn(data, key) ? data[key] : undefined;
  if (value !== undefined) return ok(value);
  return fail("not_found", `Key not found: ${key}. Read space ${name} for its keys, or put this one.`);
}

/** Makes a space, or replaces what is in it. */
export function putSpace(
  memory: Memory,
  name: string,
  put: SpacePut,
  now: string,
): Outcome<{ memory: Memory; created: boolean }> {
  const stale = staleness(memory, name, put);
  if (stale !== null) return stale;
  const existing = find(memory, name);
  const created = existing === undefined;
  if (!created && existing.kind !== kindOf(put.data))
    return fail(
      "conflict",
      `Space ${name} is a ${existing.kind}, and a space's kind cannot change: ` +
        `send a ${existing.kind}, or choose another name.`,
    );
  if (!created && put.ensure) return ok({ memory, created });
  const refused = checkData(put.data, ruleOf(name)) ?? (created ? noRoom(memory) : null);
  if (refused !== null) return refused;
  const stored = store(memory, name, put.data, put.metadata ?? existing?.metadata ?? {}, now);
  return stored.ok ? ok({ memory: stored.value, created }) : stored;
}

export function deleteSpace(memory: Memory, name: string, expected: Expected, now: string): Outcome<Memory> {
  const found = currentSpace(memory, name, expected);
  if (!found.ok) return found;
  if (BUILT_IN.some((builtIn) => builtIn === name))
    return fail("conflict", `Space ${name} is built in and cannot be deleted: empty it instead.`);
  const { rev, bytes } = found.value;
  const { [name]: _deleted, ...spaces } = memory.spaces;
  const totals = { spaces: memory.totals.spaces - 1, bytes: memory.totals.bytes - bytes };
  const deleted_rev = Math.max(memory.deleted_rev, rev);
  return ok(raised({ ...memory, deleted_rev, totals, spaces }, now));
}

/** All operations, or none. */
export function applyOps(
  memory: Memory,
  name: string,
  ops: readonly SpaceOp[],
  expected: Expected,
  now: string,
): Outcome<Memory> {
  const found = currentSpace(memory, name, expected);
  if (!found.ok) return found;
  const edited = editData(name, found.value.data, ops, ruleOf(name));
  return edited.ok ? store(memory, name, edited.value, found.value.metadata, now) : edited;
}

/** Replaces the container's own metadata. */
export function patchMemory(memory: Memory, patch: MemoryPatch, now: string): Outcome<Memory> {
  // What was to be changed is the container itself, so both revisions are its own.
  const stale = memoryStaleness(memory, patch, memory.rev);
  return stale ?? ok(raised({ ...memory, metadata: patch.metadata }, now));
}

function find(memory: Memory, name: string): Space | undefined {
  return Object.hasOwn(memory.spaces, name) ? memory.spaces[name] : undefined;
}

/** A space that does not exist yet counts as one at rev 0. */
function staleness(memory: Memory, name: string, expected: Expected): Refusal | null {
  const current_rev = find(memory, name)?.rev ?? 0;
  const { expected_rev } = expected;
  if (expected_rev === undefined || expected_rev === current_rev)
    return memoryStaleness(memory, expected, current_rev);
  return fail(
    "conflict",
    `Space ${name} is at rev ${current_rev}, expected_rev is ${expected_rev}: read it again and repeat the change.`,
    { current_rev, current_memory_rev: memory.rev },
  );
}

function memoryStaleness(memory: Memory, expected: Expected, current_rev: number): Refusal | null {
  const { expected_memory_rev } = expected;
  if (expected_memory_rev === undefined || expected_memory_rev === memory.rev) return null;
  return fail(
    "conflict",
    `The memory is at rev ${memory.rev}, expected_memory_rev is ${expected_memory_rev}: ` +
      "read it again and repeat the change.",
    { current_rev, current_memory_rev: memory.rev },
  );
}

function noRoom(memory: Memory): Refusal | null {
  const { spaces } = memory.totals;
  if (spaces < COGNITION.spaces) return null;
  return fail(
    "limit_exceeded",
    `A session has at most ${COGNITION.spaces} spaces, this one has ${spaces}: ` +
      "delete one, or keep the data under a key of world.",
  );
}

/** The container with these data in the space, if they fit. */
function store(
  memory: Memory,
  name: string,
  data: SpaceData,
  metadata: JsonObject,
  now: string,
): Outcome<Memory> {
  const dataBytes = jsonBytes(data);
  if (dataBytes > COGNITION.spaceBytes)
    return fail(
      "limit_exceeded",
      `Space ${name} would have ${dataBytes} bytes as JSON, a space has at most ${COGNITION.spaceBytes}: ` +
        "remove what is no longer needed, or spread the data over several spaces.",
    );
  const before = find(memory, name);
  const bytes = dataBytes + jsonBytes(metadata);
  const totals = {
    spaces: memory.totals.spaces + (before === undefined ? 1 : 0),
    bytes: memory.totals.bytes + bytes - (before?.bytes ?? 0),
  };
  if (totals.bytes > COGNITION.memoryBytes)
    return fail(
      "limit_exceeded",
      `With this change to ${name} all spaces together would have ${totals.bytes} bytes as JSON, ` +
        `a session has at most ${COGNITION.memoryBytes}: delete spaces, or remove what is no longer needed.`,
    );
  const rev = (before?.rev ?? memory.deleted_rev) + 1;
  const space: Space = { kind: kindOf(data), rev, data, metadata, bytes };
  return ok(raised({ ...memory, totals, spaces: { ...memory.spaces, [name]: space } }, now));
}

function raised(memory: Memory, now: string): Memory {
  return { ...memory, rev: memory.rev + 1, updated_at: now };
}

function jsonBytes(value: Json): number {
  return utf8Bytes(JSON.stringify(value));
}

function ruleOf(name: string): ItemRule {
  return name === "tasks" ? mustBeTask : () => null;
}

function mustBeTask(item: Json, path: string): Refusal | null {
  const { error } = Task.safeParse(item, { reportInput: true });
  if (error === undefined) return null;
  const issues = error.issues.map((issue) => ({ ...issue, path: [path, ...issue.path] }));
  return invalid(new z.ZodError(issues), path);
}
