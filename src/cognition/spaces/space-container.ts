// The container of a session's named spaces: the agent's current beliefs and goals. Containers are immutable: a change
// returns a new one with higher revisions, and the session object stores it.
import { countUtf8Bytes, z } from "../../kernel/common";
import { fail, ok, type Result } from "../../kernel/errors";
import type { Json, JsonObject } from "../../kernel/json";
import { COGNITION } from "../../kernel/limits";
import { describeInvalidInput } from "../../kernel/validate-input";
import {
  checkData,
  computeTaskExpiries,
  type Expiries,
  editData,
  getSpaceKind,
  type ItemRule,
  type Refusal,
  type SpaceContents,
  type SpaceData,
} from "./space-data";
import { type ExpectedRevisions, type SpaceKind, type SpaceOp, type SpacePut, Task } from "./space-schemas";

export type { Expiries, SpaceData } from "./space-data";

export type Space = {
  kind: SpaceKind;
  rev: number;
  data: SpaceData;
  metadata: JsonObject;
  /** The size of data and metadata as JSON, in UTF-8. */
  bytes: number;
  /** Set if entries expire. */
  expires?: Expiries;
};

export type SpaceContainer = {
  id: string;
  rev: number;
  created_at: string;
  updated_at: string;
  metadata: JsonObject;
  /** The highest rev of a deleted space. New spaces continue from it, so that a rev from before a deletion never matches. */
  deleted_rev: number;
  /** The totals of all spaces, including those that are not loaded. */
  totals: { spaces: number; bytes: number };
  /** The loaded spaces. */
  spaces: Readonly<Record<string, Space>>;
};

/** Spaces that every container has. */
export const BUILT_IN_SPACES = ["tasks", "world"] as const;

export function createSpaceContainer(id: string, createdAt: string): SpaceContainer {
  const spaces = { tasks: createSpace([]), world: createSpace({}) };
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

function createSpace(data: SpaceData): Space {
  return {
    kind: getSpaceKind(data),
    rev: 0,
    data,
    metadata: {},
    bytes: countJsonBytes(data) + countJsonBytes({}),
  };
}

export function getSpace(container: SpaceContainer, name: string): Result<Space> {
  const space = findSpace(container, name);
  if (space !== undefined) return ok(space);
  return fail(
    "not_found",
    `Space not found: ${name}. Create it with PUT /v1/sessions/{id}/spaces/${name}; GET /v1/sessions/{id}/memory lists the existing ones.`,
  );
}

/** Returns a space if it exists and the expected revisions match. */
export function getSpaceAtRev(
  container: SpaceContainer,
  name: string,
  expected: ExpectedRevisions,
): Result<Space> {
  const found = getSpace(container, name);
  return found.ok ? (checkSpaceRev(container, name, expected) ?? found) : found;
}

export function getSpaceKey(container: SpaceContainer, name: string, key: string): Result<Json> {
  const found = getSpace(container, name);
  if (!found.ok) return found;
  const { data } = found.value;
  if (Array.isArray(data))
    return fail("conflict", `Space ${name} is a list and has no keys: read the whole space.`);
  const value = Object.hasOwn(data, key) ? data[key] : undefined;
  if (value !== undefined) return ok(value);
  return fail("not_found", `Key not found: ${key}. Read space ${name} for its keys, or put this one.`);
}

/** Creates a space, or replaces its data. */
export function putSpace(
  container: SpaceContainer,
  name: string,
  put: SpacePut,
  now: string,
): Result<{ container: SpaceContainer; created: boolean }> {
  const stored = stagePut(container, name, put, now);
  return stored.ok ? (checkTotals(stored.value.container) ?? stored) : stored;
}

/** Puts a space without a check of the container's limits: a change of several spaces checks them at its end. */
export function stagePut(
  container: SpaceContainer,
  name: string,
  put: SpacePut,
  now: string,
): Result<{ container: SpaceContainer; created: boolean }> {
  const stale = checkSpaceRev(container, name, put);
  if (stale !== null) return stale;
  const existing = findSpace(container, name);
  const created = existing === undefined;
  if (!created && existing.kind !== getSpaceKind(put.data))
    return fail(
      "conflict",
      `Space ${name} is a ${existing.kind}, and a space's kind cannot change: ` +
        `send a ${existing.kind}, or choose another name.`,
    );
  if (!created && put.ensure) return ok({ container, created });
  const refused = checkData(put.data, selectItemRule(name));
  if (refused !== null) return refused;
  const contents = { data: put.data, expires: selectExpiries(put) };
  const stored = replaceSpace(container, name, contents, put.metadata ?? existing?.metadata ?? {}, now);
  return stored.ok ? ok({ container: stored.value, created }) : stored;
}

/** Returns the expiries of keys that a map has. */
function selectExpiries({ data, expires = {} }: SpacePut): Expiries {
  if (Array.isArray(data)) return {};
  return Object.fromEntries(Object.entries(expires).filter(([key]) => Object.hasOwn(data, key)));
}

export function deleteSpace(
  container: SpaceContainer,
  name: string,
  expected: ExpectedRevisions,
  now: string,
): Result<SpaceContainer> {
  const found = getSpaceAtRev(container, name, expected);
  if (!found.ok) return found;
  if (BUILT_IN_SPACES.some((builtIn) => builtIn === name))
    return fail("conflict", `Space ${name} is built in and cannot be deleted: empty it instead.`);
  const { rev, bytes } = found.value;
  const { [name]: _deleted, ...spaces } = container.spaces;
  const totals = { spaces: container.totals.spaces - 1, bytes: container.totals.bytes - bytes };
  const deleted_rev = Math.max(container.deleted_rev, rev);
  return ok(bumpRev({ ...container, deleted_rev, totals, spaces }, now));
}

/** Applies all operations, or none. */
export function applyOps(
  container: SpaceContainer,
  name: string,
  ops: readonly SpaceOp[],
  expected: ExpectedRevisions,
  now: string,
): Result<SpaceContainer> {
  const edited = stageOps(container, name, ops, expected, now);
  return edited.ok ? (checkTotals(edited.value) ?? edited) : edited;
}

/** Applies operations without a check of the container's limits. */
export function stageOps(
  container: SpaceContainer,
  name: string,
  ops: readonly SpaceOp[],
  expected: ExpectedRevisions,
  now: string,
): Result<SpaceContainer> {
  const found = getSpaceAtRev(container, name, expected);
  if (!found.ok) return found;
  const { data, metadata, expires = {} } = found.value;
  const edited = editData(name, { data, expires }, ops, selectItemRule(name), Date.parse(now));
  return edited.ok ? replaceSpace(container, name, edited.value, metadata, now) : edited;
}

function findSpace(container: SpaceContainer, name: string): Space | undefined {
  return Object.hasOwn(container.spaces, name) ? container.spaces[name] : undefined;
}

/** Compares the expected revisions; a space that does not exist has rev 0. */
function checkSpaceRev(container: SpaceContainer, name: string, expected: ExpectedRevisions): Refusal | null {
  const current_rev = findSpace(container, name)?.rev ?? 0;
  const { expected_rev } = expected;
  if (expected_rev === undefined || expected_rev === current_rev)
    return checkContainerRev(container, expected, current_rev);
  return fail(
    "conflict",
    `Space ${name} is at rev ${current_rev}, expected_rev is ${expected_rev}: read it again and repeat the change.`,
    { current_rev, current_memory_rev: container.rev },
  );
}

/** Compares the expected revision of the container; `current_rev` is that of the changed space. */
export function checkContainerRev(
  container: SpaceContainer,
  expected: ExpectedRevisions,
  current_rev: number,
): Refusal | null {
  const { expected_memory_rev } = expected;
  if (expected_memory_rev === undefined || expected_memory_rev === container.rev) return null;
  return fail(
    "conflict",
    `The container is at rev ${container.rev}, expected_memory_rev is ${expected_memory_rev}: ` +
      "read it again and repeat the change.",
    { current_rev, current_memory_rev: container.rev },
  );
}

/** Checks the number of spaces and their size after a change. */
export function checkTotals({ totals }: SpaceContainer): Refusal | null {
  if (totals.spaces > COGNITION.spaces)
    return fail(
      "limit_exceeded",
      `A session has at most ${COGNITION.spaces} spaces, this one would have ${totals.spaces}: ` +
        "delete one, or keep the data under a key of world.",
    );
  if (totals.bytes > COGNITION.memoryBytes)
    return fail(
      "limit_exceeded",
      `With this change all spaces together would have ${totals.bytes} bytes as JSON, ` +
        `a session has at most ${COGNITION.memoryBytes}: delete spaces, or remove data that is no longer needed.`,
    );
  return null;
}

/** Returns the container with new contents in a space, if they fit. */
function replaceSpace(
  container: SpaceContainer,
  name: string,
  { data, expires: given }: SpaceContents,
  metadata: JsonObject,
  now: string,
): Result<SpaceContainer> {
  const dataBytes = countJsonBytes(data);
  if (dataBytes > COGNITION.spaceBytes)
    return fail(
      "limit_exceeded",
      `Space ${name} would have ${dataBytes} bytes as JSON, a space has at most ${COGNITION.spaceBytes}: ` +
        "remove data that is no longer needed, or spread the data over several spaces.",
    );
  const before = findSpace(container, name);
  const bytes = dataBytes + countJsonBytes(metadata);
  const totals = {
    spaces: container.totals.spaces + (before === undefined ? 1 : 0),
    bytes: container.totals.bytes + bytes - (before?.bytes ?? 0),
  };
  const expires =
    name === "tasks" && Array.isArray(data)
      ? computeTaskExpiries(data, before?.expires ?? {}, Date.parse(now))
      : given;
  const space: Space = {
    kind: getSpaceKind(data),
    rev: (before?.rev ?? container.deleted_rev) + 1,
    data,
    metadata,
    bytes,
    ...(Object.keys(expires).length > 0 && { expires }),
  };
  return ok(bumpRev({ ...container, totals, spaces: { ...container.spaces, [name]: space } }, now));
}

/** Returns the container with the loaded spaces of these names stored anew, without the entries that have expired. */
export function removeExpired(
  container: SpaceContainer,
  names: readonly string[],
  now: string,
): Result<SpaceContainer> {
  const changed = names.reduce<Result<SpaceContainer>>((current, name) => {
    const space = current.ok ? findSpace(current.value, name) : undefined;
    if (!current.ok || space === undefined) return current;
    const { data, metadata, expires = {} } = space;
    return replaceSpace(current.value, name, { data, expires }, metadata, now);
  }, ok(container));
  return changed.ok ? ok(asOneChange(container, changed.value)) : changed;
}

/** Returns a container after several changes as one revision of the container before them. */
export function asOneChange(before: SpaceContainer, after: SpaceContainer): SpaceContainer {
  return after === before ? before : { ...after, rev: before.rev + 1 };
}

function bumpRev(container: SpaceContainer, now: string): SpaceContainer {
  return { ...container, rev: container.rev + 1, updated_at: now };
}

function countJsonBytes(value: Json): number {
  return countUtf8Bytes(JSON.stringify(value));
}

function selectItemRule(name: string): ItemRule {
  return name === "tasks" ? checkTask : () => null;
}

function checkTask(item: Json, path: string): Refusal | null {
  const { error } = Task.safeParse(item, { reportInput: true });
  if (error === undefined) return null;
  const issues = error.issues.map((issue) => ({ ...issue, path: [path, ...issue.path] }));
  return describeInvalidInput(new z.ZodError(issues), path);
}
