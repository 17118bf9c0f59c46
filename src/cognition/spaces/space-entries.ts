// The entries of spaces as items of the inline provider: `world.door_open` is a key of a map, `tasks.t1` the item with
// this id in a list.
import { invalidField, ok, type Result } from "../../kernel/errors";
import { isJsonObject, type Json, type JsonObject } from "../../kernel/json";
import type { ProviderItem } from "../runtime/thread-schemas";
import type { SpaceContainer } from "./space-container";
import type { SpaceData } from "./space-data";
import type { MemoryPatch, SpaceOp } from "./space-schemas";

export type EntryAddress = { space: string; entry: string };

/** Returns the entry that an item's key names: that of the space with the longest name. Null if it names no space. */
export function locateEntry(key: string, isSpace: (name: string) => boolean): EntryAddress | null {
  for (let dot = key.lastIndexOf("."); dot > 0; dot = key.lastIndexOf(".", dot - 1)) {
    const [space, entry] = [key.slice(0, dot), key.slice(dot + 1)];
    // JavaScript objects lose a member named __proto__.
    if (entry !== "" && entry !== "__proto__" && isSpace(space)) return { space, entry };
  }
  return null;
}

/** Returns the value of an entry, undefined if there is none. */
export function readEntry(container: SpaceContainer, { space, entry }: EntryAddress): Json | undefined {
  const data = container.spaces[space]?.data;
  if (data === undefined) return undefined;
  if (Array.isArray(data)) return findItem(data, entry);
  return Object.hasOwn(data, entry) ? data[entry] : undefined;
}

/** Lists the entries of all loaded spaces. Items of a list without an id have no key. */
export function listEntries(container: SpaceContainer): { key: string; value: Json }[] {
  return Object.entries(container.spaces).flatMap(([space, { data }]) =>
    Array.isArray(data)
      ? data.flatMap((value) =>
          isJsonObject(value) && isItemId(value.id) ? [{ key: `${space}.${value.id}`, value }] : [],
        )
      : Object.entries(data).map(([key, value]) => ({ key: `${space}.${key}`, value })),
  );
}

type SpaceChanges = NonNullable<MemoryPatch["spaces"]>;
type AddressedItem = ProviderItem & { address: EntryAddress };

/** Returns the changes that store items in their spaces, which are loaded. An item of a list keeps its position. */
export function planPuts(container: SpaceContainer, items: readonly AddressedItem[]): Result<SpaceChanges> {
  const changes: Record<string, { ops: SpaceOp[] }> = {};
  for (const { key, value, address } of items) {
    const { space, entry } = address;
    const data = container.spaces[space]?.data ?? {};
    const ops = Array.isArray(data) ? planItem(data, entry, value) : [toPut(entry, value)];
    if (ops === null)
      return invalidField(
        "items",
        `${key} is an item of the list ${space}: its value must be an object, without an id or with the id ${entry}`,
      );
    changes[space] = { ops: [...(changes[space]?.ops ?? []), ...ops] };
  }
  return ok(changes);
}

/** Returns the changes that delete entries, which exist. */
export function planDeletions(container: SpaceContainer, addresses: readonly EntryAddress[]): SpaceChanges {
  const changes: Record<string, { ops: SpaceOp[] }> = {};
  for (const { space, entry } of addresses) {
    const data = container.spaces[space]?.data;
    const item = Array.isArray(data) ? findItem(data, entry) : undefined;
    const op: SpaceOp =
      item !== undefined && isItemId(item.id) ? { op: "remove", id: item.id } : { op: "delete", key: entry };
    changes[space] = { ops: [...(changes[space]?.ops ?? []), op] };
  }
  return changes;
}

function toPut(key: string, value: Json): SpaceOp {
  return { op: "put", key, value };
}

/** Returns null if the value cannot be the item with this id. */
function planItem(items: SpaceData & Json[], entry: string, value: Json): SpaceOp[] | null {
  if (!isJsonObject(value)) return null;
  const current = findItem(items, entry);
  const id = current !== undefined && isItemId(current.id) ? current.id : entry;
  if (value.id !== undefined && String(value.id) !== entry) return null;
  const item = { ...value, id };
  if (current === undefined) return [{ op: "append", item }];
  return [
    { op: "remove", id },
    { op: "insert", index: items.indexOf(current), item },
  ];
}

function findItem(items: readonly Json[], entry: string): JsonObject | undefined {
  return items
    .filter(isJsonObject)
    .find((item) => Object.hasOwn(item, "id") && isItemId(item.id) && String(item.id) === entry);
}

function isItemId(id: Json | undefined): id is string | number {
  return typeof id === "string" || typeof id === "number";
}
