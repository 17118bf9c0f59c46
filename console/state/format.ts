// Formats numbers, times and names for people.

const RELATIVE = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const UNITS = [
  ["year", 365 * 86_400],
  ["month", 30 * 86_400],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

/** Returns a time relative to now, such as "3 days ago". */
export function formatAge(time: string, now = Date.now()): string {
  const seconds = (Date.parse(time) - now) / 1_000;
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ["second", 1];
  if (unit === "second")
    return Math.abs(seconds) < 10 ? "now" : RELATIVE.format(Math.round(seconds), "second");
  return RELATIVE.format(Math.round(seconds / size), unit);
}

export function formatTime(time: string): string {
  return new Date(time).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}

/** Returns a day such as `2026-11-18` as "Wed, 18 Nov 2026". */
export function formatDay(day: string | undefined): string | undefined {
  if (day === undefined) return undefined;
  const style = {
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    timeZone: "UTC",
  } as const;
  return new Date(`${day}T00:00:00Z`).toLocaleDateString("en-GB", style);
}

export function formatCount(count: number): string {
  return count.toLocaleString("en");
}

/** Returns a count with its noun, such as "1 time" or "2 times". */
export function formatQuantity(count: number, noun: string, plural = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : plural}`;
}

/** Returns a duration such as "45 s" or "12 min". */
export function formatDuration(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}

export function formatBytes(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB"];
  const power = bytes === 0 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1_024 ** power;
  return `${value.toFixed(power === 0 || value >= 100 ? 0 : 1)} ${units[power]}`;
}

/** Returns a share such as 0.725 as "0.73". */
export function formatShare(share: number): string {
  return share.toFixed(2);
}

/** Returns an identifier such as `lesson_learned` or `derivedFrom` as words. */
export function formatName(name: string): string {
  return name
    .replaceAll("_", " ")
    .replace(/([a-z])([A-Z])/g, (_match, last: string, first: string) => `${last} ${first.toLowerCase()}`);
}

/** Returns the first line of a text, at most `length` characters of it. */
export function shorten(text: string, length: number): string {
  const [line = ""] = text.trim().split("\n", 1);
  return line.length <= length && line === text.trim() ? line : `${line.slice(0, length).trimEnd()}…`;
}
