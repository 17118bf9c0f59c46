// WorkingContext: the agent's scratchpad of keyed values, each with the signals that promotion scores.

import type { Json } from "../../kernel/json";
import { LIMITS } from "../../kernel/limits";
import { formatValue } from "../../language/json-text";
import { clip } from "../../language/normalise-text";
import { countContextTokens } from "../../language/token-count";
import type { MemoryType } from "../../ontology/generated/terms.generated";
import { CONTEXT_SOURCE_TYPES, outranks, type SourceRanks } from "../../trust/source-rank";
import type { ContextItem, ContextPut, ContextSource } from "../session-schemas";

/** Keys whose memory type is inferred. */
export const WELL_KNOWN_KEYS = [
  "active_file",
  "project_root",
  "primary_language",
  "framework",
  "current_task",
  "user_intent",
  "discovered_patterns",
  "active_errors",
  "pending_questions",
  "file_relationships",
] as const;

/** An item as the session stores it; importance depends on the time and is computed on read. */
export type StoredItem = Omit<ContextItem, "importance"> & {
  tokens: number;
  /** The type that the caller gave. Imported items may lack it. */
  given_type?: MemoryType | null;
  /** The fingerprint of the value that was last promoted. */
  promoted: string | null;
};

/** Returns the memory type that a well-known key and its source imply; null for none. */
export function inferType(key: string, source: ContextSource): MemoryType | null {
  switch (key) {
    case "framework":
    case "primary_language":
    case "project_root":
    case "active_file":
      return source === "tool" ? "fact" : null;
    case "user_intent":
    case "current_task":
      return source === "inferred" ? "assumption" : null;
    case "discovered_patterns":
    case "file_relationships":
      return "discovery";
    case "pending_questions":
      return "unknown";
    default:
      return null;
  }
}

/** Returns whether the rank of the first source is above that of the second. */
export function outranksInContext(ranks: SourceRanks, first: ContextSource, second: ContextSource): boolean {
  return outranks(ranks, CONTEXT_SOURCE_TYPES[first], CONTEXT_SOURCE_TYPES[second]);
}

/**
 * Returns the item after a put: a new one, or the existing one with the new value. The higher confidence stays, unless
 * the two values come from sources of different ranks: neither takes over the confidence of the other.
 */
export function putItem(
  existing: StoredItem | undefined,
  put: ContextPut & { key: string },
  { now, ranks }: { now: number; ranks: SourceRanks },
): StoredItem {
  const { key, value, source, confidence } = put;
  const time = new Date(now).toISOString();
  const given_type = put.memory_type ?? existing?.given_type ?? null;
  const isPeer =
    existing !== undefined &&
    !outranksInContext(ranks, existing.source, source) &&
    !outranksInContext(ranks, source, existing.source);
  return {
    key,
    value,
    source,
    confidence: isPeer ? Math.max(existing.confidence, confidence) : confidence,
    access_count: (existing?.access_count ?? 0) + 1,
    first_seen: existing?.first_seen ?? time,
    last_accessed: time,
    suggested_type: selectType(existing, { key, source, given_type }),
    given_type,
    tokens: countContextTokens(key, value),
    promoted: existing?.promoted ?? null,
  };
}

function selectType(
  existing: StoredItem | undefined,
  { key, source, given_type }: { key: string; source: ContextSource; given_type: MemoryType | null },
): MemoryType | null {
  // Active errors are short-lived: they stay out of long-term memory, whichever type the caller sends.
  if (key === "active_errors") return null;
  // A type that the caller gave stays. Else that of a well-known key follows from each source; any other key retains its
  // type.
  const isWellKnown = (WELL_KNOWN_KEYS as readonly string[]).includes(key);
  return given_type ?? inferType(key, source) ?? (isWellKnown ? null : (existing?.suggested_type ?? null));
}

/** Returns the item after a counted read. */
export function touchItem(item: StoredItem, now: number): StoredItem {
  return { ...item, access_count: item.access_count + 1, last_accessed: new Date(now).toISOString() };
}

/** Selects the items to evict so that the rest fits, least important first; never `keep`, the one just written. */
export function selectItemsToEvict(
  items: readonly StoredItem[],
  maxTokens: number,
  keep: string,
  getImportance: (item: StoredItem) => number,
): StoredItem[] {
  let tokens = items.reduce((sum, item) => sum + item.tokens, 0);
  if (tokens <= maxTokens) return [];
  const evicted: StoredItem[] = [];
  const ranked = items
    .filter((item) => item.key !== keep)
    .map((item) => ({ item, importance: getImportance(item) }))
    .sort((a, b) => a.importance - b.importance || (a.item.last_accessed < b.item.last_accessed ? -1 : 1));
  for (const { item } of ranked) {
    if (tokens <= maxTokens) break;
    evicted.push(item);
    tokens -= item.tokens;
  }
  return evicted;
}

/** Returns the content of the promoted memory. */
export function renderContextItem(item: Pick<StoredItem, "key" | "value">): string {
  return clip(`${item.key}: ${formatValue(item.value)}`.trim(), LIMITS.contentChars);
}

/** Returns the topic in which an item's memories supersede one another, which is also its key in the access log. */
export function toContextTopic(key: string): string {
  return `context:${key}`;
}

/**
 * Returns equal texts for equal values, independent of member order. Fingerprints are stored, and canonicalJson orders
 * integer-like keys differently, so it cannot replace this function.
 */
export function fingerprintValue(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(fingerprintValue).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${fingerprintValue(member)}`);
  return `{${members.join(",")}}`;
}
