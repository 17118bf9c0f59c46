// How often a memory or an episode is used, and the importance that its use adds. Pure.

/** The usage of a record. Until the first use, `last` is the time of the record itself, if it has one. */
export type UsageTotals<Last extends string | null = string | null> = {
  count: number;
  last: Last;
  importance: number;
};

/** The records that one call used: the hits of a recall, or the items of a briefing. */
export type Use = {
  at: string;
  memories: readonly string[];
  episodes: readonly string[];
  /** A recall raises the importance at most once per hour of the clock, so that a loop does not inflate it. */
  raises: "hourly" | "always";
};

/** A use of one record. */
export type RecordUse = Pick<Use, "at" | "raises">;

export type UsedKind = "memory" | "episode";

/** The length of an ISO timestamp up to its day, */
const DAY_CHARS = "2026-01-01".length;
/** and up to its hour. */
const HOUR_CHARS = "2026-01-01T00".length;

/** Share of the missing importance that one use restores. */
const USE_GAIN = 0.05;

/** The importance after a use has few decimals, so that SQLite and JavaScript write it alike. */
const IMPORTANCE_DECIMALS = 6;

/** Importance from here on is as good as full: a use does not change it. */
const FULL_IMPORTANCE = 0.9999;

/** Returns the importance of an item after a use. src/memories/usage/usage-counts.ts has the same formula in SQL. */
export function reinforceImportance(importance: number): number {
  if (importance >= FULL_IMPORTANCE) return importance;
  const scale = 10 ** IMPORTANCE_DECIMALS;
  return Math.round((importance + USE_GAIN * (1 - importance)) * scale) / scale;
}

export function applyUse<Last extends string | null>(
  { count, last, importance }: UsageTotals<Last>,
  { at, raises }: RecordUse,
): UsageTotals<string> {
  const isFirst = count === 0 || last === null;
  const isDue = raises === "always" || isFirst || at.slice(0, HOUR_CHARS) > (last ?? "").slice(0, HOUR_CHARS);
  return {
    count: count + 1,
    last: isFirst || at > last ? at : last,
    importance: isDue ? reinforceImportance(importance) : importance,
  };
}

/** Groups uses by the record that they are of, in order. */
export function groupUses(uses: readonly Use[], kind: UsedKind): Map<string, RecordUse[]> {
  const groups = new Map<string, RecordUse[]>();
  for (const { memories, episodes, at, raises } of uses)
    for (const id of kind === "memory" ? memories : episodes) {
      const group = groups.get(id);
      if (group === undefined) groups.set(id, [{ at, raises }]);
      else group.push({ at, raises });
    }
  return groups;
}

/** Counts the recalls among uses by the date of UTC. A briefing is none. */
export function countRecallsByDay(uses: readonly Use[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { at, raises } of uses) {
    if (raises !== "hourly") continue;
    const day = at.slice(0, DAY_CHARS);
    counts.set(day, (counts.get(day) ?? 0) + 1);
  }
  return counts;
}
