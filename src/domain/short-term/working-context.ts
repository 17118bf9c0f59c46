// WorkingContext: the agent's scratchpad of keyed values, each with what promotion needs to judge it.

import { LIMITS } from "../../limits";
import type { Json } from "../../platform/json";
import type { ContextItem, ContextPut, ContextSource, MemoryType } from "../../schemas/session";
import { clip, valueText } from "../../text/memory-text";
import { contextTokens } from "../../text/token-count";

/** The keys that need no memory type from the caller. */
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

/** An item as the session keeps it; its importance depends on the time and is worked out when asked for. */
export type StoredItem = Omit<ContextItem, "importance"> & {
  tokens: number;
  /** The fingerprint of the value that was last promoted. */
  promoted: string | null;
};

/** Which kind of memory a key's value would become, as far as the key and its source tell. */
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

/** The item after a put: a new one, or the existing one with the new value. */
export function putItem(
  existing: StoredItem | undefined,
  put: ContextPut & { key: string },
  now: number,
): StoredItem {
  const { key, value, source, confidence } = put;
  const time = new Date(now).toISOString();
  return {
    key,
    value,
    source,
    confidence: Math.max(existing?.confidence ?? 0, confidence),
    access_count: (existing?.access_count ?? 0) + 1,
    first_seen: existing?.first_seen ?? time,
    last_accessed: time,
    suggested_type: suggestedType(existing, put),
    tokens: contextTokens(key, value),
    promoted: existing?.promoted ?? null,
  };
}

function suggestedType(
  existing: StoredItem | undefined,
  { key, source, memory_type }: ContextPut & { key: string },
): MemoryType | null {
  // Errors of the moment are gone tomorrow: whatever the caller says, they stay out of long-term memory.
  if (key === "active_errors") return null;
  // A well-known key's type follows from its source each time; any other key keeps the type it was given.
  const wellKnown = (WELL_KNOWN_KEYS as readonly string[]).includes(key);
  return memory_type ?? inferType(key, source) ?? (wellKnown ? null : (existing?.suggested_type ?? null));
}

/** The item after a read that counts. */
export function touchItem(item: StoredItem, now: number): StoredItem {
  return { ...item, access_count: item.access_count + 1, last_accessed: new Date(now).toISOString() };
}

/** The items that leave so that the rest fits, least important first; never `keep`, the one just written. */
export function overflow(
  items: readonly StoredItem[],
  maxTokens: number,
  keep: string,
  importanceOf: (item: StoredItem) => number,
): StoredItem[] {
  let tokens = items.reduce((sum, item) => sum + item.tokens, 0);
  if (tokens <= maxTokens) return [];
  const leaving: StoredItem[] = [];
  const ranked = items
    .filter((item) => item.key !== keep)
    .map((item) => ({ item, importance: importanceOf(item) }))
    .sort((a, b) => a.importance - b.importance || (a.item.last_accessed < b.item.last_accessed ? -1 : 1));
  for (const { item } of ranked) {
    if (tokens <= maxTokens) break;
    leaving.push(item);
    tokens -= item.tokens;
  }
  return leaving;
}

/** What the promoted memory says. */
export function contextContent(item: Pick<StoredItem, "key" | "value">): string {
  return clip(`${item.key}: ${valueText(item.value)}`.trim(), LIMITS.contentChars);
}

/** The topic an item's memories share, one superseding the other, and its name in the access log. */
export function contextTopic(key: string): string {
  return `context:${key}`;
}

/** Equal for equal values, whatever the order of their keys. */
export function fingerprint(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(fingerprint).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${fingerprint(member)}`);
  return `{${members.join(",")}}`;
}
