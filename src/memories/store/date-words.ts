// The day of a text in words, as the text index has it.

/** By number, as Date has them: Intl takes some microseconds for each. */
const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = "January February March April May June July August September October November December".split(
  " ",
);

/** Returns a day as people write it: weekday, month, year, day. */
export function toDateWords(timestamp: string): [weekday: string, month: string, year: string, day: string] {
  const date = new Date(timestamp);
  const [weekday, month] = [WEEKDAYS[date.getUTCDay()], MONTHS[date.getUTCMonth()]];
  if (weekday === undefined || month === undefined) throw new RangeError("A text has no valid time");
  return [weekday, month, `${date.getUTCFullYear()}`, `${date.getUTCDate()}`];
}
