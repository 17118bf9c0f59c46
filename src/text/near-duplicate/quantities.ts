// Numbers, dates, times and amounts, each brought to one written form: "=1800 s" for "30 minutes". What is not
// understood stays as it is written, and so differs from everything else.
import type { Word } from "./tokenize-statement";

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

/** A unit's written forms, what it is measured in, and how many of that it is. */
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

/** The same words with every quantity as one word that begins with "=". */
export function withQuantities(words: readonly Word[]): Word[] {
  const found: Word[] = [];
  let at = 0;
  while (at < words.length) {
    const word = words[at];
    if (word === undefined) break;
    const text = (offset: number) => words[at + offset]?.text ?? "";
    const read = word.verbatim ? digits(text) : quantity(text, word.name, found.at(-1));
    if (read === null) {
      found.push(word);
      at += 1;
    } else {
      found.push({ ...word, text: read.text, name: false });
      at += read.words;
    }
  }
  return found;
}

type Text = (offset: number) => string;
type Read = { text: string; words: number } | null;

function quantity(text: Text, name: boolean, before: Word | undefined): Read {
  return date(text, name) ?? clock(text) ?? weekday(text) ?? amount(text) ?? rate(text, before);
}

/** In code and in quotes "1,500" is not "1500", nor "one" "1". */
function digits(text: Text): Read {
  return /^\d+$/.test(text(0)) ? { text: `=${text(0)}`, words: 1 } : null;
}

function date(text: Text, name: boolean): Read {
  if (/^\d{4}-\d\d-\d\d$/.test(text(0))) return { text: `=${text(0)}`, words: 1 };
  const first = day(text(0));
  if (first !== null) {
    const of = text(1) === "of" ? 2 : 1;
    return MONTH.test(text(of)) ? dated(month(text(of)), first, year(text(of + 1)), of + 1) : null;
  }
  if (!MONTH.test(text(0))) return null;
  const second = day(text(1));
  if (second !== null) return dated(month(text(0)), second, year(text(2)), 2);
  const only = year(text(1));
  if (only !== null) return { text: `=${only}-${month(text(0))}`, words: 2 };
  // "may" and "march" are verbs unless a capital says otherwise.
  return name || !/^(?:may|mar|march)$/.test(text(0)) ? { text: `=month ${month(text(0))}`, words: 1 } : null;
}

function dated(monthOfYear: string, dayOfMonth: string, yearOf: string | null, words: number): Read {
  return yearOf === null
    ? { text: `=${monthOfYear}-${dayOfMonth}`, words }
    : { text: `=${yearOf}-${monthOfYear}-${dayOfMonth}`, words: words + 1 };
}

const month = (text: string): string => String(MONTHS.indexOf(text.slice(0, 3)) + 1).padStart(2, "0");
const year = (text: string): string | null => (/^(?:19|20)\d\d$/.test(text) ? text : null);

function day(text: string): string | null {
  const digits = /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(text)?.[1];
  return digits === undefined || Number(digits) < 1 || Number(digits) > 31 ? null : digits.padStart(2, "0");
}

function clock(text: Text): Read {
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

/** One Monday, or Mondays: "every Monday", "on a Monday". */
function weekday(text: Text): Read {
  if (WEEKDAY.test(text(0))) return { text: `=${text(0)}`, words: 1 };
  if (!/^(?:every|each|a)$/.test(text(0)) || !WEEKDAY.test(text(1))) return null;
  return { text: `=${text(1)}${text(1).endsWith("s") ? "" : "s"}`, words: 2 };
}

function amount(text: Text): Read {
  const ordinal = /^(\d+)(?:st|nd|rd|th)$/.exec(text(0))?.[1];
  if (ordinal !== undefined) {
    return { text: ORDINALS[Number(ordinal) - 1] ?? `=${ordinal}th`, words: 1 };
  }
  const parts = /^([$€£])?(-?\d[\d.,]*)([a-z%€$£]*)$/.exec(text(0).replace(/^v(?=\d)/, ""));
  const spelled = parts === null ? number(text) : null;
  const digits = parts?.[2]?.replace(/(?<=\d),(?=\d{3}(?!\d))/g, "") ?? spelled?.text;
  if (digits === undefined) return null;
  const thousands = parts?.[3] === "k";
  const glued = parts?.[1] ?? (thousands ? "" : (parts?.[3] ?? ""));
  const used = spelled?.words ?? 1;
  const measure = MEASURE.get(glued === "" ? text(used) : glued);
  if (measure === undefined) {
    // Without a unit it may be a version, in which 3.1 is not 3.10.
    const plain = thousands ? String(Number(digits) * 1000) : digits;
    return { text: glued === "" ? `=${plain}` : `=${plain} ${glued}`, words: used };
  }
  const size = Number((Number(digits) * measure.factor * (thousands ? 1000 : 1)).toPrecision(12));
  return { text: `=${size} ${measure.base}`, words: glued === "" ? used + 1 : used };
}

function number(text: Text): { text: string; words: number } | undefined {
  const tens = TENS.indexOf(text(0));
  const units = UNITS.indexOf(text(tens < 0 ? 0 : 1));
  const small = units >= 0 && (tens < 0 || (units > 0 && units < 10));
  if (tens < 0 && !small) return undefined;
  const value = (tens < 0 ? 0 : (tens + 2) * 10) + (small ? units : 0);
  const words = Number(tens >= 0) + Number(small);
  if (text(words) === "hundred") return { text: String(value * 100), words: words + 1 };
  if (text(words) === "thousand") return { text: String(value * 1000), words: words + 1 };
  return { text: String(value), words };
}

/** "5 euros a month", "two times per day": the period that a quantity recurs in. */
function rate(text: Text, before: Word | undefined): Read {
  const period = PERIODS.get(text(1));
  if (period === undefined || before === undefined) return null;
  const counts = isQuantity(before.text) || before.text === "times";
  return counts && /^(?:a|an|per|each|every)$/.test(text(0)) ? { text: period, words: 2 } : null;
}
