// Pages of lists. A cursor is opaque to callers; it encodes a position in the list's order.

import { z } from "../kernel/common";
import { fieldFailure } from "../kernel/errors";

/** The position in a list that is ordered by time. */
export const TimePosition = z.object({ timestamp: z.string(), id: z.string() });
export const CreationPosition = z.object({ created_at: z.string(), id: z.string() });

/** The position in a list that is ordered by name. */
export const NamePosition = z.object({ after: z.string() });

export function encodeCursor(position: Record<string, string | number>): string {
  return btoa(JSON.stringify(position)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export function decodeCursor<T extends z.ZodType>(schema: T, cursor: string | undefined): z.output<T> | null {
  if (cursor === undefined) return null;
  try {
    return schema.parse(JSON.parse(atob(cursor.replaceAll("-", "+").replaceAll("_", "/"))));
  } catch {
    throw fieldFailure("cursor", "is not a cursor of this list: use next_cursor as it is, or leave it out");
  }
}

/** Builds a page from `limit + 1` items: the last one shows that there is a next page. */
export function toPage<T>(
  items: readonly T[],
  limit: number,
  toPosition: (item: T) => Record<string, string | number>,
) {
  const data = items.slice(0, limit);
  const last = data.at(-1);
  return {
    data,
    next_cursor: items.length > limit && last !== undefined ? encodeCursor(toPosition(last)) : null,
  };
}

/** Sorts and pages a short list that is loaded as a whole. */
export function pageByName<T>(
  items: readonly T[],
  getName: (item: T) => string,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
) {
  const after = decodeCursor(NamePosition, cursor)?.after;
  const rest = [...items]
    .sort((a, b) => (getName(a) < getName(b) ? -1 : 1))
    .filter((item) => after === undefined || getName(item) > after);
  return toPage(rest, limit, (item) => ({ after: getName(item) }));
}
