// Where a memory of mem0's clients is kept: in a namespace of its owner, which is the first given of user, agent, app
// and run. The other ids tell it apart there, and nobody else's namespace is ever looked into. Pure.

import { createNamespace } from "../../domain/policy/namespace";
import { MEM0 } from "../../limits";
import { type FieldError, failure } from "../../platform/errors";
import { hash64 } from "../../platform/hash";
import type { Json } from "../../platform/json";
import type { NamespaceFilter } from "../../store/memories/namespace-repository";
import { Mem0Ids, OWNERS, type Owner } from "./mem0-schemas";

export const PREFIX = "mem0/";

type IdName = keyof Mem0Ids;
const ID_NAMES = OWNERS.map((owner): IdName => `${owner}_id`);

/** The ids that are given, in the order of the owners. */
function given(ids: Mem0Ids): [IdName, string][] {
  return ID_NAMES.flatMap((name): [IdName, string][] => {
    const id = ids[name];
    return id === undefined || id === null ? [] : [[name, id]];
  });
}

export function labelsOf(ids: Mem0Ids): Record<string, string> {
  return Object.fromEntries(given(ids));
}

/** Whose it is; null when no id is given. */
function placeOf(ids: Mem0Ids): NamespaceFilter | null {
  const [owner] = given(ids);
  if (owner === undefined) return null;
  const [name, id] = owner;
  return { base: baseOf(name.replace(/_id$/, "") as Owner, id), labels: labelsOf(ids), metadata: {} };
}

function baseOf(owner: Owner, id: string): string {
  return `${PREFIX}${owner}/${encodeURIComponent(id).replaceAll("%40", "@")}`;
}

/** The owner that a namespace belongs to; null for one of another make. */
export function ownerOf(base: string): { type: Owner; id: string } | null {
  const [, type, id] = /^mem0\/(user|agent|app|run)\/(.+)$/.exec(base) ?? [];
  if (type === undefined || id === undefined) return null;
  try {
    return { type: type as Owner, id: decodeURIComponent(id) };
  } catch {
    return null;
  }
}

/** Where something new goes. The same words under other ids are another memory, so each set of ids has its part. */
export function namespaceFor(ids: Mem0Ids): string {
  const place = placeOf(ids);
  if (place === null) throw noOwner([]);
  const rest = given(ids).slice(1);
  return createNamespace(place.base, rest.length === 0 ? null : hash64(JSON.stringify(rest)), null).name;
}

/** Everything that these ids name. */
export function placeNamed(ids: Mem0Ids): NamespaceFilter {
  const place = placeOf(ids);
  if (place === null) throw noOwner([]);
  return place;
}

type Branch = { ids: Mem0Ids; metadata: Record<string, Json> };
type Filters = Record<string, Json>;

/** The places that a call's filters name; ids beside them hold for all. */
export function placesOf(ids: Mem0Ids, filters: Filters | undefined): NamespaceFilter[] {
  const beside: Branch = { ids: labelsOf(ids), metadata: {} };
  const places = both([beside], branches(filters ?? {}, "filters")).map(({ ids: named, metadata }) => {
    const place = placeOf(named);
    if (place === null) throw noOwner(["filters"]);
    return { ...place, metadata };
  });
  if (places.length > MEM0.places)
    throw refused("filters", `name ${places.length} owners, at most ${MEM0.places} go in one call`);
  return places;
}

function branches(filters: Filters, path: string): Branch[] {
  return Object.entries(filters).reduce<Branch[]>(
    (all, [name, value]) => both(all, branchesOf(name, value, `${path}.${name}`)),
    [{ ids: {}, metadata: {} }],
  );
}

function branchesOf(name: string, value: Json, path: string): Branch[] {
  if (name === "AND" || name === "OR") {
    if (!Array.isArray(value) || value.length === 0) throw refused(path, "must be a list of filters");
    const parts = value.map((part, i) => {
      if (!isObject(part)) throw refused(`${path}.${i}`, "must be an object of filters");
      return branches(part, `${path}.${i}`);
    });
    return name === "OR" ? parts.flat() : parts.reduce(both);
  }
  if (name === "metadata") {
    if (!isObject(value) || Object.values(value).some((one) => typeof one === "object" && one !== null))
      throw refused(path, "must be an object of texts, numbers and booleans that are to be equal");
    return [{ ids: {}, metadata: value }];
  }
  const idName = ID_NAMES.find((known) => known === name);
  if (idName === undefined)
    throw refused(
      path,
      `is not supported here: filter by ${ID_NAMES.join(", ")} and metadata, with AND and OR`,
    );
  const wanted = isObject(value) && Array.isArray(value.in) ? value.in : [value];
  return wanted.map((id) => {
    if (id === "*") throw refused(path, "cannot be *: name whose memories are meant");
    const ids = Mem0Ids.safeParse({ [idName]: id });
    if (typeof id !== "string" || !ids.success) throw refused(path, "must be an id, or {in: [ids]}");
    return { ids: ids.data, metadata: {} };
  });
}

/** What meets one of the first and one of the second. */
function both(first: readonly Branch[], second: readonly Branch[]): Branch[] {
  const all = first.flatMap((a) =>
    second.flatMap((b) => {
      const differs = given(b.ids).some(([name, id]) => (a.ids[name] ?? id) !== id);
      return differs ? [] : [{ ids: { ...a.ids, ...b.ids }, metadata: { ...a.metadata, ...b.metadata } }];
    }),
  );
  if (all.length > MEM0.places)
    throw refused("filters", `name ${all.length} owners, at most ${MEM0.places} go in one call`);
  return all;
}

function isObject(value: Json | undefined): value is Filters {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

function refused(path: string, message: string) {
  return failure("invalid_request", `${path}: ${message}`, { errors: [{ path, message }] });
}

function noOwner(path: readonly string[]) {
  const message = `one of ${ID_NAMES.join(", ")} is required: it says whose memories are meant`;
  const errors: FieldError[] = [{ path: [...path, "user_id"].join("."), message }];
  return failure("invalid_request", `${errors[0]?.path}: ${message}`, { errors });
}
