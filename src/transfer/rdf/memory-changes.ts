// How a document changes a stored memory, as a request that PATCH would take.

import { isJsonObject } from "../../kernel/json";
import { isManaged, mergeProperties } from "../../memories/memory-properties";
import type { UpdateMemoryInput } from "../../memories/memory-requests";
import { getMemoryStatus, type Memory } from "../../memories/memory-schemas";
import { toMemoryView } from "../../memories/store/memory-mapping";
import { needsSuccessor } from "../../memories/update-memory";
import { toLocalTermName } from "../../ontology/extension-names";
import type { TenantOntology } from "../../ontology/tenant-ontology";
import { FIELD_PREDICATES, type ImportProblems } from "./import-problems";

const CHANGEABLE = ["content", "type", "confidence", "valid_from", "valid_until", "tags"] as const;

/** The fields that a document cannot change. Uses are counted, and importance follows from them. */
const FIXED = Object.keys(FIELD_PREDICATES).filter(
  (field) => ![...CHANGEABLE, "metadata", "importance", "access_count", "last_accessed"].includes(field),
) as (keyof Memory)[];

/** Returns the request that changes a stored memory as a document states it; null if it states nothing new. */
export function describeChange(
  before: Memory,
  after: Memory,
  node: string,
  problems: ImportProblems,
): UpdateMemoryInput | null {
  for (const field of FIXED)
    if (!isSame(before[field], after[field]))
      problems.report(
        node,
        FIELD_PREDICATES[field] ?? null,
        "differs from that of the stored memory, which keeps it: leave it out, or state a new memory",
      );
  const names = Object.keys(after.properties).filter(
    (name) => !isSame(before.properties[name], after.properties[name]),
  );
  const view = toMemoryView(after).properties;
  const changed = CHANGEABLE.filter((field) => !isSame(before[field], after[field]));
  const removed = Object.keys(before.metadata).filter((key) => !Object.hasOwn(after.metadata, key));
  const input: UpdateMemoryInput = {
    ...Object.fromEntries(changed.map((field) => [field, after[field]])),
    // PATCH merges metadata, so a key that is no longer there is sent as null.
    ...(!isSame(before.metadata, after.metadata) && {
      metadata: { ...after.metadata, ...Object.fromEntries(removed.map((key) => [key, null])) },
    }),
    ...(names.length > 0 && {
      properties: Object.fromEntries(names.map(toLocalTermName).map((name) => [name, view[name] ?? []])),
    }),
  };
  return Object.keys(input).length === 0 ? null : input;
}

/** Reports changes that PATCH refuses, so that none fails after others are written. */
export function checkChange(
  ontology: TenantOntology,
  node: string,
  before: Memory,
  input: UpdateMemoryInput,
  problems: ImportProblems,
): void {
  const { metadata: _metadata, tags: _tags, ...others } = input;
  const status = getMemoryStatus(before);
  if (status !== "live" && Object.keys(others).length > 0)
    problems.report(node, null, `is ${status}: only its metadata and tags can be changed`);
  else if (isManaged(before) && needsSuccessor(before, input))
    problems.report(
      node,
      null,
      "has a content and a type that the service sets: write its skill, learning, pattern or graph again",
    );
  const { type = before.type, properties } = input;
  if (properties !== undefined)
    problems.collect(node, () => mergeProperties(ontology, before, type, properties));
}

/** Compares values independent of the order of lists and of the keys of objects. */
function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(normalise(a)) === JSON.stringify(normalise(b));
}

function normalise(value: unknown): unknown {
  if (Array.isArray(value)) return value.toSorted();
  return isJsonObject(value) ? Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)) : value;
}
