// Finds the times that a query names, relative to the asker's clock, and scores dates by them. Conservative: a word that
// may mean something else is a time only beside a preposition, a day or a year. Pure.
import { LIMITS } from "../../kernel/limits";
import { DAY_MS } from "../../kernel/time";
import { foldDigits } from "../words/fold-letters";
import { ABSOLUTE_DATES } from "./absolute-dates";
import { type LocalNow, readLocalNow } from "./local-calendar";
import { RELATIVE_TIMES } from "./relative-times";
import type { ResolvedSpan, TimeRule } from "./time-rule";

export type TimeRange = {
  /** The words of the query. */
  text: string;
  /** ISO 8601 in UTC, both inclusive. */
  since: string;
  until: string;
  /** Relative to now: no text says so in the same words. */
  isRelative: boolean;
  /** The query names no year: dates of any year match, and the range is the latest of them. */
  everyYear: boolean;
};

/** A query that names more times is a text. */
const MAX_RANGES = 4;
/** As long as a query may be: some patterns take quadratic time. */
const READ_CHARS = LIMITS.queryChars;

/** In order: relative times such as "last May" contain absolute ones, and a longer expression comes before its parts. */
const RULES: readonly (TimeRule & { isRelative: boolean })[] = [
  ...ABSOLUTE_DATES.map((rule) => ({ ...rule, isRelative: false })),
  ...RELATIVE_TIMES.map((rule) => ({ ...rule, isRelative: true })),
];

/** Returns the times that a query names, in order. `now` is ISO 8601; its offset is the asker's time zone. */
export function findTimeRanges(query: string, now: string): TimeRange[] {
  const local = readLocalNow(now);
  const written = query.slice(0, READ_CHARS).normalize("NFC");
  // The digits of other scripts; each keeps its place.
  let rest = foldDigits(written);
  const found: { at: number; range: TimeRange }[] = [];
  for (const { pattern, resolve, isRelative } of RULES) {
    for (const match of rest.matchAll(pattern)) {
      const span = extendSince(match[0], resolve(match.groups ?? {}, local), local);
      if (span === null || match[0] === "") continue;
      const end = match.index + match[0].length;
      const text = written.slice(match.index, end).trim();
      found.push({
        at: match.index,
        range: { text, isRelative: isRelative || span.isRelative === true, ...toBounds(span, local) },
      });
      // What one rule has read, no other reads again.
      rest = `${rest.slice(0, match.index)}${"\n".repeat(match[0].length)}${rest.slice(end)}`;
    }
  }
  return found
    .sort((a, b) => a.at - b.at)
    .slice(0, MAX_RANGES)
    .map(({ range }) => range);
}

/** Extends a time after "since" up to now. */
function extendSince(text: string, span: ResolvedSpan | null, { day }: LocalNow): ResolvedSpan | null {
  if (span === null || span.from > day || !/^(?:since|seit|depuis|desde)\s/iu.test(text)) return span;
  return { from: span.from, to: day + 1 };
}

/** Returns a query without its relative times, unless nothing else is left of it. */
export function removeRelativeTimes(query: string, ranges: readonly TimeRange[]): string {
  const rest = ranges
    .filter(({ isRelative }) => isRelative)
    .reduce((text, range) => text.replace(range.text, " "), query.normalize("NFC"));
  return /[\p{L}\p{N}]/u.test(rest) ? rest : query;
}

function toBounds(
  { from, to, everyYear = false }: ResolvedSpan,
  { offsetMs }: LocalNow,
): Pick<TimeRange, "since" | "until" | "everyYear"> {
  const toIso = (day: number) => new Date(Math.round(day * DAY_MS - offsetMs)).toISOString();
  return { since: toIso(from), until: toIso(to - 1 / DAY_MS), everyYear };
}

/** People talk about an event more often after it than before: the score halves within so many days. */
const HALF_LIFE_DAYS = { after: 7, before: 3 } as const;
/** A date that is farther away has nothing to do with the range. */
const MIN_PROXIMITY = 0.1;

/** Returns how well a date fits the best of the ranges: 1 within it, less close to it, 0 far away. */
export function scoreTimeProximity(ranges: readonly TimeRange[], timestamp: string): number {
  const time = Date.parse(timestamp);
  return Math.max(
    0,
    ...ranges.flatMap((range) => listYears(range, time)).map((one) => scoreRange(one, time)),
  );
}

type Bounds = { since: number; until: number };

/** Returns the bounds of a range, for each year near the time if no year was named. */
function listYears({ since, until, everyYear }: TimeRange, time: number): Bounds[] {
  if (!everyYear) return [{ since: Date.parse(since), until: Date.parse(until) }];
  const years = new Date(time).getUTCFullYear() - new Date(since).getUTCFullYear();
  return [years - 1, years, years + 1].map((shift) => ({
    since: addYears(since, shift),
    until: addYears(until, shift),
  }));
}

function addYears(iso: string, years: number): number {
  const date = new Date(iso);
  return date.setUTCFullYear(date.getUTCFullYear() + years);
}

function scoreRange({ since, until }: Bounds, time: number): number {
  if (time >= since && time <= until) return 1;
  const days = (time > until ? time - until : since - time) / DAY_MS;
  const score = 0.5 ** (days / (time > until ? HALF_LIFE_DAYS.after : HALF_LIFE_DAYS.before));
  return score < MIN_PROXIMITY ? 0 : score;
}
