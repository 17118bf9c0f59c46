// Normalises numbers, dates, times and amounts: "30 minutes" becomes "=1800 s". Unrecognised ones stay as written,
// and so differ from everything else.
import type { Word } from "./tokenise-statement";

const UNITS = [
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen",
  "eighteen nineteen",
]
  .join(" ")
  .split(" ");
const TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
const ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split(" ");
const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const MONTH =
  /^(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)$/;
const WEEKDAY = /^(?:mon|tues|wednes|thurs|fri|satur|sun)days?$/;

/** A unit's written forms, its base unit, and the factor between them. */
const MEASURES: readonly (readonly [string, string, number])[] = [
  ["ms millisecond milliseconds msec", "s", 0.001],
  ["s sec secs second seconds", "s", 1],
  ["min mins minute minutes", "s", 60],
  ["h hr hrs hour hours", "s", 3600],
  ["day days", "s", 86_400],
  ["week weeks", "s", 604_800],
  ["month months", "month", 1],
  ["year years yr yrs", "month", 12],
  ["mg milligram milligrams", "g", 0.001],
  ["g gram grams", "g", 1],
  ["kg kilo kilos kilogram kilograms", "g", 1000],
  ["lb lbs", "lb", 1],
  ["mm", "m", 0.001],
  ["cm centimetre centimetres centimeter centimeters", "m", 0.01],
  ["metre metres meter meters", "m", 1],
  ["km kilometre kilometres kilometer kilometers", "m", 1000],
  ["ml", "l", 0.001],
  ["l litre litres liter liters", "l", 1],
  ["kb", "kb", 1],
  ["mb megabyte megabytes", "mb", 1],
  ["gb gigabyte gigabytes", "gb", 1],
  ["tb terabyte terabytes", "tb", 1],
  ["% percent", "%", 1],
  ["$ usd dollar dollars", "usd", 1],
  ["€ eur euro euros", "eur", 1],
  ["£ gbp", "gbp", 1],
];
const MEASURE = new Map(
  MEASURES.flatMap(([words, base, factor]) =>
    words.split(" ").map((word): [string, { base: string; factor: number }] => [word, { base, factor }]),
  ),
);
const PERIODS = new Map([
  ["hour", "hourly"],
  ["day", "daily"],
  ["night", "nightly"],
  ["week", "weekly"],
  ["month", "monthly"],
  ["year", "yearly"],
]);

export const isQuantity = (text: string): boolean => text.startsWith("=");

/** Returns the words with every quantity as one word that begins with "=". */
export function replaceQuantities(words: readonly Word[]): Word[] {
  const replaced: Word[] = [];
  let at = 0;
  while (at < words.length) {
    const word = words[at];
    if (word === undefined) break;
    const text = (offset: number) => words[at + offset]?.text ?? "";
    const quantity = word.verbatim ? parseDigits(text) : parseQuantity(text, word.name, replaced.at(-1));
    if (quantity === null) {
      replaced.push(word);
      at += 1;
    } else {
      replaced.push({ ...word, text: quantity.text, name: false });
      at += quantity.words;
    }
  }
  return replaced;
}

/** Returns the text of the word at an offset from the current one. */
type TextAt = (offset: number) => string;
/** The normalised text, and how many words it replaces. */
type ParsedQuantity = { text: string; words: number } | null;

function parseQuantity(text: TextAt, name: boolean, before: Word | undefined): ParsedQuantity {
  return (
    parseDate(text, name) ??
    parseTime(text) ??
    parseWeekday(text) ??
    parseAmount(text) ??
    parseRate(text, before)
  );
}

/** In code and in quotes, "1,500" is not "1500" and "one" is not "1". */
function parseDigits(text: TextAt): ParsedQuantity {
  return /^\d+$/.test(text(0)) ? { text: `=${text(0)}`, words: 1 } : null;
}

function parseDate(text: TextAt, name: boolean): ParsedQuantity {
  if (/^\d{4}-\d\d-\d\d$/.test(text(0))) return { text: `=${text(0)}`, words: 1 };
  const first = parseDay(text(0));
  if (first !== null) {
    const of = text(1) === "of" ? 2 : 1;
    return MONTH.test(text(of))
      ? formatDate(toMonthNumber(text(of)), first, parseYear(text(of + 1)), of + 1)
      : null;
  }
  if (!MONTH.test(text(0))) return null;
  const second = parseDay(text(1));
  if (second !== null) return formatDate(toMonthNumber(text(0)), second, parseYear(text(2)), 2);
  const only = parseYear(text(1));
  if (only !== null) return { text: `=${only}-${toMonthNumber(text(0))}`, words: 2 };
  // In lower case, "may" and "march" are verbs.
  return name || !/^(?:may|mar|march)$/.test(text(0))
    ? { text: `=month ${toMonthNumber(text(0))}`, words: 1 }
    : null;
}

function formatDate(month: string, day: string, year: string | null, words: number): ParsedQuantity {
  return year === null
    ? { text: `=${month}-${day}`, words }
    : { text: `=${year}-${month}-${day}`, words: words + 1 };
}

const toMonthNumber = (text: string): string => String(MONTHS.indexOf(text.slice(0, 3)) + 1).padStart(2, "0");
const parseYear = (text: string): string | null => (/^(?:19|20)\d\d$/.test(text) ? text : null);

function parseDay(text: string): string | null {
  const digits = /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(text)?.[1];
  return digits === undefined || Number(digits) < 1 || Number(digits) > 31 ? null : digits.padStart(2, "0");
}

function parseTime(text: TextAt): ParsedQuantity {
  if (text(0) === "noon") return { text: "=12:00", words: 1 };
  if (text(0) === "midnight") return { text: "=00:00", words: 1 };
  const parts = /^(\d{1,2})(?::(\d\d))?(am|pm)?$/.exec(text(0));
  if (parts === null) return null;
  const [, hours = "", minutes = "00", glued] = parts;
  const half = glued ?? /^([ap])\.?m$/.exec(text(1))?.[0].replace(".", "");
  if (half === undefined && parts[2] === undefined) return null;
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half === "pm" ? 12 : 0);
  return {
    text: `=${String(hour).padStart(2, "0")}:${minutes}`,
    words: half !== undefined && glued === undefined ? 2 : 1,
  };
}

/** Distinguishes one Monday from recurring Mondays: "every Monday", "on a Monday". */
function parseWeekday(text: TextAt): ParsedQuantity {
  if (WEEKDAY.test(text(0))) return { text: `=${text(0)}`, words: 1 };
  if (!/^(?:every|each|a)$/.test(text(0)) || !WEEKDAY.test(text(1))) return null;
  return { text: `=${text(1)}${text(1).endsWith("s") ? "" : "s"}`, words: 2 };
}

function parseAmount(text: TextAt): ParsedQuantity {
  const ordinal = /^(\d+)(?:st|nd|rd|th)$/.exec(text(0))?.[1];
  if (ordinal !== undefined) {
    return { text: ORDINALS[Number(ordinal) - 1] ?? `=${ordinal}th`, words: 1 };
  }
  const parts = /^([$€£])?(-?\d[\d.,]*)([a-z%€$£]*)$/.exec(text(0).replace(/^v(?=\d)/, ""));
  const spelled = parts === null ? parseNumberWords(text) : null;
  const digits = parts?.[2]?.replace(/(?<=\d),(?=\d{3}(?!\d))/g, "") ?? spelled?.text;
  if (digits === undefined) return null;
  const thousands = parts?.[3] === "k";
  const glued = parts?.[1] ?? (thousands ? "" : (parts?.[3] ?? ""));
  const used = spelled?.words ?? 1;
  const measure = MEASURE.get(glued === "" ? text(used) : glued);
  if (measure === undefined) {
    // A number without a unit may be a version, where 3.1 is not 3.10.
    const plain = thousands ? String(Number(digits) * 1000) : digits;
    return { text: glued === "" ? `=${plain}` : `=${plain} ${glued}`, words: used };
  }
  const size = Number((Number(digits) * measure.factor * (thousands ? 1000 : 1)).toPrecision(12));
  return { text: `=${size} ${measure.base}`, words: glued === "" ? used + 1 : used };
}

function parseNumberWords(text: TextAt): { text: string; words: number } | undefined {
  const tens = TENS.indexOf(text(0));
  const units = UNITS.indexOf(text(tens < 0 ? 0 : 1));
  const hasUnits = units >= 0 && (tens < 0 || (units > 0 && units < 10));
  if (tens < 0 && !hasUnits) return undefined;
  const value = (tens < 0 ? 0 : (tens + 2) * 10) + (hasUnits ? units : 0);
  const words = Number(tens >= 0) + Number(hasUnits);
  if (text(words) === "hundred") return { text: String(value * 100), words: words + 1 };
  if (text(words) === "thousand") return { text: String(value * 1000), words: words + 1 };
  return { text: String(value), words };
}

/** Parses the period of a recurring quantity: "5 euros a month", "two times per day". */
function parseRate(text: TextAt, before: Word | undefined): ParsedQuantity {
  const period = PERIODS.get(text(1));
  if (period === undefined || before === undefined) return null;
  const isCounted = isQuantity(before.text) || before.text === "times";
  return isCounted && /^(?:a|an|per|each|every)$/.test(text(0)) ? { text: period, words: 2 } : null;
}
