// The day of a text in words, as the text index has it.

const WEEKDAY = new Intl.DateTimeFormat("en", { weekday: "long", timeZone: "UTC" });
const MONTH = new Intl.DateTimeFormat("en", { month: "long", timeZone: "UTC" });

/** Returns a day as people write it: weekday, month, year, day. */
export function toDateWords(timestamp: string): [weekday: string, month: string, year: string, day: string] {
  const date = new Date(timestamp);
  return [WEEKDAY.format(date), MONTH.format(date), `${date.getUTCFullYear()}`, `${date.getUTCDate()}`];
}
