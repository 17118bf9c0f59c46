// The data of a space, a map or a list, and the operations on it. A batch returns new data or the first failure, and
// never modifies its input.
import { type Failure, fail, invalidField, ok, type Result } from "../../kernel/errors";
import { isJsonObject, type Json, type JsonObject } from "../../kernel/json";
import { DAY_MS } from "../../kernel/time";
import type { SpaceKind, SpaceOp } from "./space-schemas";

export type SpaceData = JsonObject | Json[];

export type Refusal = { ok: false; failure: Failure };

/** Validates an item of a list, beyond the uniqueness of its id; `path` is its position in the request. */
export type ItemRule = (item: Json, path: string) => Refusal | null;

export function getSpaceKind(data: SpaceData): SpaceKind {
  return Array.isArray(data) ? "list" : "map";
}

/** Checks that every item of a list is valid and has an id of its own. */
export function checkData(data: SpaceData, rule: ItemRule): Refusal | null {
  if (!Array.isArray(data)) return null;
  const ids = new Set<Json>();
  for (const [position, item] of data.entries()) {
    const refused = rule(item, `data.${position}`);
    if (refused !== null) return refused;
    const id = getItemId(item);
    if (id === undefined) continue;
    if (ids.has(id))
      return invalidField(`data.${position}.id`, "is also the id of an earlier item: ids must be unique");
    ids.add(id);
  }
  return null;
}

/** The times at which entries expire, by the key in a map or the item's id in a list, in milliseconds. */
export type Expiries = Readonly<Record<string, number>>;

export type SpaceContents = { data: SpaceData; expires: Expiries };

/** Returns the contents after all operations, in order. */
export function editData(
  name: string,
  { data, expires }: SpaceContents,
  ops: readonly SpaceOp[],
  rule: ItemRule,
  now: number,
): Result<SpaceContents> {
  if (!Array.isArray(data)) return editMap(name, { data, expires }, ops, now);
  const edited = editList(name, data, ops, rule);
  return edited.ok ? ok({ data: edited.value, expires }) : edited;
}

type MapOp = Extract<SpaceOp, { key: string }>;
type ListOp = Exclude<SpaceOp, MapOp>;

function editMap(
  name: string,
  { data, expires }: { data: JsonObject; expires: Expiries },
  ops: readonly SpaceOp[],
  now: number,
): Result<SpaceContents> {
  const draft = { ...data };
  const expiries = new Map(Object.entries(expires));
  for (const [position, op] of ops.entries()) {
    const refused =
      "key" in op ? editKey(name, draft, op, `ops.${position}`) : kindMismatch(name, op, position);
    if (refused !== null) return refused;
    if (op.op === "put" && op.ttl_ms !== undefined) expiries.set(op.key, now + op.ttl_ms);
    else if (op.op === "put" || op.op === "delete") expiries.delete(op.key);
  }
  return ok({ data: draft, expires: Object.fromEntries(expiries) });
}

function editKey(name: string, draft: JsonObject, op: MapOp, path: string): Refusal | null {
  const { key } = op;
  if (op.op === "put") draft[key] = op.value;
  if (op.op === "delete") delete draft[key];
  if (op.op !== "update") return null;
  if (!Object.hasOwn(draft, key))
    return fail(
      "not_found",
      `Key not found: ${key}. ${path} updates it in space ${name}: create it with put.`,
    );
  const target = draft[key];
  if (!isJsonObject(target))
    return fail(
      "conflict",
      `${path}: update merges changes into an object, and key ${key} of space ${name} does not hold one: replace it with put.`,
    );
  draft[key] = { ...target, ...op.changes };
  return null;
}

/** A list that is being edited. */
type ListDraft = {
  name: string;
  rule: ItemRule;
  items: Json[];
  /** The items that have an id: a scan of a long list for each operation would take seconds. */
  byId: Map<string | number, JsonObject>;
};

function editList(name: string, data: Json[], ops: readonly SpaceOp[], rule: ItemRule): Result<Json[]> {
  const draft: ListDraft = { name, rule, items: [...data], byId: new Map() };
  for (const item of data) indexItem(draft, item);
  for (const [position, op] of ops.entries()) {
    const refused = "key" in op ? kindMismatch(name, op, position) : editItem(draft, op, `ops.${position}`);
    if (refused !== null) return refused;
  }
  return ok(draft.items);
}

function editItem(draft: ListDraft, op: ListOp, path: string): Refusal | null {
  switch (op.op) {
    case "append":
      return insertItem(draft, draft.items.length, op.item, path);
    case "prepend":
      return insertItem(draft, 0, op.item, path);
    case "insert":
      return insertItem(draft, op.index, op.item, path);
    case "remove":
      return removeItem(draft, op.id, path);
    case "update":
      return updateItem(draft, op, path);
  }
}

function insertItem(draft: ListDraft, index: number, item: Json, path: string): Refusal | null {
  const { name, rule, items, byId } = draft;
  const refused = checkIndex(index, items.length, `${path}.index`) ?? rule(item, `${path}.item`);
  if (refused !== null) return refused;
  const id = getItemId(item);
  if (id !== undefined && byId.has(id))
    return fail(
      "conflict",
      `${path}: space ${name} already has an item with id ${id}: update that one, or send another id.`,
    );
  indexItem(draft, item);
  items.splice(index, 0, item);
  return null;
}

function indexItem({ byId }: ListDraft, item: Json): void {
  const id = getItemId(item);
  if (id !== undefined) byId.set(id, item as JsonObject);
}

/** Refuses an index that would leave a gap. */
export function checkIndex(index: number, length: number, path: string): Refusal | null {
  if (index <= length) return null;
  return invalidField(path, `must be from 0 to ${length}, the length of the list, is ${index}`);
}

function removeItem(draft: ListDraft, id: string | number, path: string): Refusal | null {
  const item = draft.byId.get(id);
  if (item === undefined) return itemNotFound(draft, id, path);
  draft.byId.delete(id);
  draft.items.splice(draft.items.indexOf(item), 1);
  return null;
}

function updateItem(
  draft: ListDraft,
  { id, changes }: Extract<ListOp, { op: "update" }>,
  path: string,
): Refusal | null {
  const item = draft.byId.get(id);
  if (item === undefined) return itemNotFound(draft, id, path);
  if (Object.hasOwn(changes, "id") && changes.id !== id)
    return invalidField(`${path}.changes.id`, "must stay the item's id: leave it out, or remove and append");
  const updated = { ...item, ...changes };
  const refused = draft.rule(updated, `${path}.changes`);
  if (refused !== null) return refused;
  draft.items[draft.items.indexOf(item)] = updated;
  draft.byId.set(id, updated);
  return null;
}

/** Returns the item's id, if it has one that is a string or a number. */
function getItemId(item: Json): string | number | undefined {
  if (!isJsonObject(item) || !Object.hasOwn(item, "id")) return undefined;
  const { id } = item;
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}

function itemNotFound({ name }: ListDraft, id: string | number, path: string): Refusal {
  return fail(
    "not_found",
    `Item not found: ${id}. ${path} names it, and space ${name} has no item with this id: read the space to see its ids.`,
  );
}

function kindMismatch(name: string, op: SpaceOp, position: number): Refusal {
  const mismatch =
    "key" in op
      ? `${op.op} by key is an operation on a map, and space ${name} is a list: ` +
        "use append, prepend, insert, or remove and update by id."
      : `${op.op}${"id" in op ? " by id" : ""} is an operation on a list, and space ${name} is a map: ` +
        "use put, delete or update by key.";
  return fail("conflict", `ops.${position}: ${mismatch}`);
}

// The expiry of entries in a space: keys of a map that were put with a time to live, and completed tasks of a projector.
// Reads omit expired entries; the session's alarm removes them.

/** The time for which a completed task of a projector stays in the list. */
export const DONE_TASK_MS = 1 * DAY_MS;

/** The author of projected items, in their `source`. */
export const PROJECTOR_SOURCE = "projector";

/** Returns the earliest time, null if nothing expires. */
export function findEarliestExpiry(expires: Expiries): number | null {
  const times = Object.values(expires);
  return times.length === 0 ? null : Math.min(...times);
}

/** Returns the data and expiries without the entries that have expired; the same objects if none has. */
export function dropExpired(contents: SpaceContents, now: number): SpaceContents {
  const entries = Object.entries(contents.expires);
  const expired = new Set(entries.filter(([, at]) => at <= now).map(([key]) => key));
  if (expired.size === 0) return contents;
  const { data } = contents;
  return {
    data: Array.isArray(data)
      ? data.filter((item) => !(isJsonObject(item) && expired.has(String(item.id))))
      : Object.fromEntries(Object.entries(data).filter(([key]) => !expired.has(key))),
    expires: Object.fromEntries(entries.filter(([key]) => !expired.has(key))),
  };
}

/** Returns the expiries of a task list. A task keeps the expiry that it has since it was completed. */
export function computeTaskExpiries(tasks: readonly Json[], before: Expiries, now: number): Expiries {
  const ids = tasks.flatMap((task) =>
    isJsonObject(task) && task.source === PROJECTOR_SOURCE && task.status === "done" ? [String(task.id)] : [],
  );
  return Object.fromEntries(
    ids.map((id) => [id, (Object.hasOwn(before, id) ? before[id] : undefined) ?? now + DONE_TASK_MS]),
  );
}
