// The calendar of the asker: days are numbered from 1970 on in the asker's time zone, and times of a day are fractions.
// Weeks begin on Monday. Pure.
import { DAY_MS } from "../../kernel/time";

/** From a local day, or a time of it, up to another, which is not included. */
export type DaySpan = { from: number; to: number };

/** The present day of the asker, and its parts; `month` counts from 0, `weekday` from Monday as 0. */
export type LocalNow = {
  /** The local time as a day number with a fraction. */
  time: number;
  day: number;
  year: number;
  month: number;
  weekday: number;
  offsetMs: number;
};

/** Reads an ISO 8601 time with an offset. */
export function readLocalNow(iso: string): LocalNow {
  const [, sign = "+", hours = "0", minutes = "0"] = /([+-])(\d{2}):(\d{2})$/.exec(iso) ?? [];
  const offsetMs = (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  const time = (Date.parse(iso) + offsetMs) / DAY_MS;
  const day = Math.floor(time);
  const date = new Date(day * DAY_MS);
  return {
    time,
    day,
    year: date.getUTCFullYear(),
    month: date.getUTCMonth(),
    weekday: (date.getUTCDay() + 6) % 7,
    offsetMs,
  };
}

/** Returns the number of a day; `month` counts from 0 and may lie beyond the year. */
export function toDay(year: number, month: number, day: number): number {
  return Date.UTC(year, month, day) / DAY_MS;
}

export function spanMonths(year: number, month: number, count: number): DaySpan {
  return { from: toDay(year, month, 1), to: toDay(year, month + count, 1) };
}

/** Returns the span of one day, null if the month has no such day. */
export function spanDate(year: number, month: number, day: number): DaySpan | null {
  const from = toDay(year, month, day);
  return day < 1 || toDay(year, month + 1, 1) <= from ? null : spanDays(from, 1);
}

export function spanDays(from: number, count: number): DaySpan {
  return { from, to: from + count };
}

export type PeriodUnit = "hour" | "day" | "week" | "weekend" | "month" | "quarter" | "year";

/** Returns the period that lies `offset` periods after the present one, which is 0. */
export function spanPeriod(now: LocalNow, unit: PeriodUnit, offset: number): DaySpan {
  const monday = now.day - now.weekday + 7 * offset;
  switch (unit) {
    case "hour":
      return { from: now.time + (offset - 0.5) / 24, to: now.time + (offset + 0.5) / 24 };
    case "day":
      return spanDays(now.day + offset, 1);
    case "week":
      return spanDays(monday, 7);
    case "weekend":
      return spanDays(monday + 5, 2);
    case "month":
      return spanMonths(now.year, now.month + offset, 1);
    case "quarter":
      return spanMonths(now.year, (Math.floor(now.month / 3) + offset) * 3, 3);
    case "year":
      return spanMonths(now.year + offset, 0, 12);
  }
}

/** Returns the span that people mean by "two weeks ago": the seven days around that day; the whole month or year. */
export function spanAgo(now: LocalNow, unit: PeriodUnit, count: number): DaySpan {
  return unit === "week" ? spanDays(now.day - 7 * count - 3, 7) : spanPeriod(now, unit, -count);
}

/** Returns the last `count` units up to now. */
export function spanPast(now: LocalNow, unit: PeriodUnit, count: number): DaySpan {
  const goBack = {
    hour: () => now.time - count / 24,
    day: () => now.day - count,
    week: () => now.day - 7 * count,
    weekend: () => now.day - 7 * count,
    month: () => goBackMonths(now, count),
    quarter: () => goBackMonths(now, 3 * count),
    year: () => goBackMonths(now, 12 * count),
  }[unit];
  return { from: goBack(), to: now.day + 1 };
}

/** Returns the same day of an earlier month, or its last day if it is shorter. */
function goBackMonths(now: LocalNow, count: number): number {
  const dayOfMonth = now.day - toDay(now.year, now.month, 1);
  const { from, to } = spanMonths(now.year, now.month - count, 1);
  return Math.min(from + dayOfMonth, to - 1);
}
