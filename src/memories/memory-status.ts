// The status of a memory, derived from the fields that end its life.
import type { Memory, MemoryView } from "./memory-schemas";

/** Returns why a memory no longer holds, or "live". An invalidation outweighs a supersession, which outweighs a deletion. */
export function getMemoryStatus(memory: Memory): MemoryView["status"] {
  if (memory.invalidated_by !== null) return "invalidated";
  if (memory.superseded_by !== null) return "superseded";
  return memory.forgotten_at === null ? "live" : "forgotten";
}

/** Returns whether a memory was true at a time: from the beginning of its validity up to its end, which is exclusive. */
export function isValidAt(
  { valid_from, valid_until, timestamp }: Pick<Memory, "valid_from" | "valid_until" | "timestamp">,
  at: string,
): boolean {
  return (valid_from ?? timestamp) <= at && (valid_until === null || valid_until > at);
}
