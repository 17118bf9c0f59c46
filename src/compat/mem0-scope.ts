// Maps mem0's ids and filters to namespaces. A memory belongs to the first given of user, agent, app and run, and is
// stored in that owner's namespace; the other ids are labels within it. A call never reads another owner's namespace.

import { failure } from "../kernel/errors";
import { hash64 } from "../kernel/hash";
import { isJsonObject, type Json } from "../kernel/json";
import { MEM0 } from "../kernel/limits";
import { createNamespace } from "../memories/store/namespace";
import type { NamespaceFilter } from "../memories/store/namespace-repository";
import { MEM0_OWNERS, Mem0Ids, type Mem0Owner } from "./mem0-schemas";

export const NAMESPACE_PREFIX = "mem0/";

type IdName = keyof Mem0Ids;
const ID_NAMES = MEM0_OWNERS.map((owner): IdName => `${owner}_id`);

/** Returns the given ids, ordered by owner. */
function listIds(ids: Mem0Ids): [IdName, string][] {
  return ID_NAMES.flatMap((name): [IdName, string][] => {
    const id = ids[name];
    return id === undefined || id === null ? [] : [[name, id]];
  });
}

export function toLabels(ids: Mem0Ids): Record<string, string> {
  return Object.fromEntries(listIds(ids));
}

/** Returns the filter that selects the memories with all of these ids; null without any id. */
function toNamespaceFilter(ids: Mem0Ids): NamespaceFilter | null {
  const [owner] = listIds(ids);
  if (owner === undefined) return null;
  const [name, id] = owner;
  const base = toBaseNamespace(name.replace(/_id$/, "") as Mem0Owner, id);
  return { base, labels: toLabels(ids), metadata: {} };
}

function toBaseNamespace(owner: Mem0Owner, id: string): string {
  return `${NAMESPACE_PREFIX}${owner}/${encodeURIComponent(id).replaceAll("%40", "@")}`;
}

/** Returns the owner of a base namespace; null if it is not one of mem0's. */
export function parseOwner(base: string): { type: Mem0Owner; id: string } | null {
  const [, type, id] = /^mem0\/(user|agent|app|run)\/(.+)$/.exec(base) ?? [];
  if (type === undefined || id === undefined) return null;
  try {
    return { type: type as Mem0Owner, id: decodeURIComponent(id) };
  } catch {
    return null;
  }
}

/** Returns the namespace of a new memory. Each set of ids has its own: equal texts under other ids are other memories. */
export function toNamespace(ids: Mem0Ids): string {
  const { base } = requireNamespaceFilter(ids);
  const labels = listIds(ids).slice(1);
  return createNamespace(base, labels.length === 0 ? null : hash64(JSON.stringify(labels)), null).name;
}

export function requireNamespaceFilter(ids: Mem0Ids): NamespaceFilter {
  const filter = toNamespaceFilter(ids);
  if (filter === null) throw describeMissingOwner("user_id");
  return filter;
}

/** One alternative of a filter expression in disjunctive normal form. */
type Branch = { ids: Mem0Ids; metadata: Record<string, Json> };
type Filters = Record<string, Json>;

/** Parses a filter expression. Ids beside it apply to all its alternatives. */
export function parseFilters(ids: Mem0Ids, filters: Filters | undefined): NamespaceFilter[] {
  const outer: Branch = { ids: toLabels(ids), metadata: {} };
  return intersect([outer], parseBranches(filters ?? {}, "filters")).map((branch) => {
    const filter = toNamespaceFilter(branch.ids);
    if (filter === null) throw describeMissingOwner("filters.user_id");
    return { ...filter, metadata: branch.metadata };
  });
}

function parseBranches(filters: Filters, path: string): Branch[] {
  return Object.entries(filters).reduce<Branch[]>(
    (branches, [name, value]) => intersect(branches, parseCondition(name, value, `${path}.${name}`)),
    [{ ids: {}, metadata: {} }],
  );
}

function parseCondition(name: string, value: Json, path: string): Branch[] {
  if (name === "AND" || name === "OR") {
    if (!Array.isArray(value) || value.length === 0) throw invalidFilter(path, "must be a list of filters");
    const parts = value.map((part, i) => {
      if (!isJsonObject(part)) throw invalidFilter(`${path}.${i}`, "must be an object of filters");
      return parseBranches(part, `${path}.${i}`);
    });
    return name === "OR" ? parts.flat() : parts.reduce(intersect);
  }
  if (name === "metadata") {
    if (!isJsonObject(value) || Object.values(value).some((one) => typeof one === "object" && one !== null))
      throw invalidFilter(path, "must be an object of strings, numbers and booleans to compare with");
    return [{ ids: {}, metadata: value }];
  }
  const idName = ID_NAMES.find((known) => known === name);
  if (idName === undefined)
    throw invalidFilter(
      path,
      `is not supported here: filter by ${ID_NAMES.join(", ")} and metadata, with AND and OR`,
    );
  const values = isJsonObject(value) && Array.isArray(value.in) ? value.in : [value];
  return values.map((id) => {
    if (id === "*") throw invalidFilter(path, "cannot be *: name the owner of the memories");
    const ids = Mem0Ids.safeParse({ [idName]: id });
    if (typeof id !== "string" || !ids.success) throw invalidFilter(path, "must be an id, or {in: [ids]}");
    return { ids: ids.data, metadata: {} };
  });
}

/** Combines every branch of one list with every branch of the other. Branches that ask for different values exclude each other. */
function intersect(first: readonly Branch[], second: readonly Branch[]): Branch[] {
  const branches = first.flatMap((a) =>
    second.flatMap((b) => {
      const differs =
        listIds(b.ids).some(([name, id]) => (a.ids[name] ?? id) !== id) ||
        Object.entries(b.metadata).some(
          ([name, value]) => Object.hasOwn(a.metadata, name) && a.metadata[name] !== value,
        );
      return differs ? [] : [{ ids: { ...a.ids, ...b.ids }, metadata: { ...a.metadata, ...b.metadata } }];
    }),
  );
  if (branches.length > MEM0.ownersPerCall)
    throw invalidFilter(
      "filters",
      `name ${branches.length} owners, at most ${MEM0.ownersPerCall} are allowed in one call`,
    );
  return branches;
}

function invalidFilter(path: string, message: string) {
  return failure("invalid_request", `${path}: ${message}`, { errors: [{ path, message }] });
}

function describeMissingOwner(path: string) {
  return invalidFilter(path, `one of ${ID_NAMES.join(", ")} is required: it names the owner of the memories`);
}
