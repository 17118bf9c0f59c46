// Reduces an answer to its ids, revisions and counts: what a key without the scope `read` gets back, and what is stored
// of an answer that is too large to be repeated in full.

import { isJsonObject, type Json, type JsonObject } from "../kernel/json";
import { LIMITS } from "../kernel/limits";

// The fields that are kept. They are listed, rather than those that are withheld, so that a new field is withheld until it
// is named here. No caller chooses their values freely.

/** An id, a list of ids, or one of a fixed set of values. */
const ID_FIELDS: ReadonlySet<string> = new Set([
  ...["id", "slug", "memory_id", "session_id", "user_id", "agent_id", "project_id", "request_id"],
  ...["entry_id", "entry_ids", "replacement_id", "superseded", "supersedes", "superseded_by", "status"],
  ...["created", "updated", "merged", "anti_patterns", "learnings", "contradictions"],
  ...["summarised", "archived"],
]);

/** A revision, a count, or whether something was done. */
const NUMBER_FIELDS: ReadonlySet<string> = new Set([
  ...["rev", "memory_rev", "version", "first_seq", "last_seq", "covered_seq"],
  ...["remembered", "deduplicated", "forgotten", "captured", "success", "dry_run"],
  ...["added", "duplicates", "evicted", "promoted", "remaining", "projected", "count", "used", "max"],
  ...["messages", "context", "pending", "memories", "episodes", "triples", "vectors", "links", "sessions"],
  ...["resources", "references", "clusters", "decayed", "merged", "archived", "summarised", "contradictions"],
]);

/** Objects, and lists of objects, that are reduced in turn. */
const NESTED_FIELDS: ReadonlySet<string> = new Set([
  ...["counts", "deleted", "ids", "promoted", "results", "tokens"],
]);

/** Returns the ids, revisions and counts of an answer, and nothing that was stored. */
export function withholdContent(answer: JsonObject): JsonObject {
  const kept = Object.entries(answer).filter(([name, value]) => isKept(name, value));
  return Object.fromEntries(kept.map(([name, value]) => [name, reduceNested(value)]));
}

/** Returns an answer as it is stored: whole, or if it is too long, its ids, revisions and counts. */
export function shortenAnswer<T>(answer: T): T {
  if (JSON.stringify(answer).length <= LIMITS.answerChars || !isJsonObject(answer)) return answer;
  // A value beside its revision is shortened in its place.
  const value = isJsonObject(answer.value) ? { value: withholdContent(answer.value) } : {};
  return { ...withholdContent(answer), ...value } as T;
}

function isKept(name: string, value: Json): boolean {
  if (typeof value === "number" || typeof value === "boolean") return NUMBER_FIELDS.has(name);
  if (value === null || typeof value === "string") return ID_FIELDS.has(name);
  if (isJsonObject(value)) return NESTED_FIELDS.has(name);
  return (
    (ID_FIELDS.has(name) && value.every((item) => typeof item === "string")) ||
    (NESTED_FIELDS.has(name) && value.every(isJsonObject))
  );
}

function reduceNested(value: Json): Json {
  if (Array.isArray(value)) return value.map(reduceNested);
  if (!isJsonObject(value)) return value;
  // The result of one item of many: an error quotes the request at most.
  return isJsonObject(value.error) ? { error: value.error } : withholdContent(value);
}
