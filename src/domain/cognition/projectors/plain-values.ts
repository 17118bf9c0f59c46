// Reads what users may have changed by hand: whatever does not have the expected shape is as good as not there.
import type { Json, JsonObject } from "../../../platform/json";

export function asMap(value: Json | undefined): JsonObject | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
}

/** The number of an entry. */
export function asSeq(value: Json | undefined): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 1 ? value : null;
}

export function asText(value: Json | undefined): string | null {
  return typeof value === "string" && value.trim() !== "" ? value : null;
}
