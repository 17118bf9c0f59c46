// Compares the values of facts: a value in other words ("3 pm" and "15:00", "a week" and "7 days") is not a change.
import { resolveAlias } from "../../language/near-duplicates/synonyms";
import { MONTH, NUMBER_WORDS } from "./fact-values";

const ALIASES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    nyc: "new york",
    sf: "san francisco",
    la: "los angeles",
    dc: "washington",
    uk: "united kingdom",
    usa: "united states",
    us: "united states",
    uae: "united arab emirates",
    kilos: "kg",
    kilo: "kg",
    kilograms: "kg",
    euro: "€",
    euros: "€",
    eur: "€",
    dollars: "$",
    dollar: "$",
    usd: "$",
    pounds: "£",
    gbp: "£",
    secs: "seconds",
    s: "seconds",
    sec: "seconds",
    mins: "minutes",
    min: "minutes",
    hrs: "hours",
    noon: "12:00",
    midnight: "00:00",
    percent: "%",
    complete: "done",
    completed: "done",
    finished: "done",
    color: "colour",
    gray: "grey",
    golang: "go",
    js: "javascript",
    ts: "typescript",
    postgres: "postgresql",
    k8s: "kubernetes",
    gcp: "google cloud",
    aws: "amazon web services",
    md: "doctor",
  }),
);
const FILLER =
  /^(?:the|a|an|of|in|on|at|to|city|per|every|years?|old|my|our|his|her|their|own|dr|mr|mrs|ms|inc|ltd|gmbh|corp|ag|by|for|as|version)$/;

/** Returns true if both values may be the same: equal in other words, or one with more detail. */
export function isSameValue(a: string, b: string): boolean {
  const [one, other] = [tokeniseValue(a), tokeniseValue(b)];
  if (one.join("") === other.join("")) return true;
  // Of identifiers and double names, one may be the start of the other: "#core" and "#core-eng".
  if (isOneWord(a) && isOneWord(b)) return false;
  if (isPhoneNumber(a) && isPhoneNumber(b)) return false;
  const [less, more] = one.length <= other.length ? [one, other] : [other, one];
  return less.every((token) => more.includes(token));
}

function isOneWord(value: string): boolean {
  return !/\s/.test(value.trim());
}

function isPhoneNumber(value: string): boolean {
  return /^\+?[\d\s()./-]{4,}$/.test(value);
}

function tokeniseValue(value: string): string[] {
  const text = QUANTITIES.reduce(
    (at, canonicalise) => canonicalise(at),
    value.toLowerCase().normalize("NFKC"),
  );
  const words = text
    .split(/[\s,()"'`]+|(?<!\d)-|-(?!\d)/)
    .map((word) => word.replace(/^[.:;!]+|[.:;!/]+$/g, ""));
  const known = words.map(resolveAlias).flatMap((word) => (ALIASES.get(word) ?? word).split(" "));
  const content = known.filter((word) => word !== "" && !FILLER.test(word));
  return content.length > 0 ? content : known.filter(Boolean);
}

const [UNITS, TENS] = [NUMBER_WORDS.split("|").slice(0, 20), NUMBER_WORDS.split("|").slice(20, 28)];
const NUMERAL = new RegExp(
  `\\b(?:(${TENS.join("|")})(?:[ -](${UNITS.slice(1, 10).join("|")}))?|(${UNITS.join("|")}))\\b`,
  "g",
);

/** "forty-one" is 41. */
function spellDigits(text: string): string {
  return text.replace(NUMERAL, (_, tens?: string, ones?: string, small?: string) =>
    String(
      small === undefined
        ? (TENS.indexOf(tens ?? "") + 2) * 10 + Math.max(UNITS.indexOf(ones ?? ""), 0)
        : UNITS.indexOf(small),
    ),
  );
}

/** "3 pm" is 15:00, "half past nine" 9:30. */
function spellClock(text: string): string {
  return text
    .replace(/\bhalf past (\d{1,2})\b/g, "$1:30")
    .replace(
      /\b(\d{1,2})(?:[:.](\d{2}))? ?([ap])\.?m\b\.?/g,
      (_, hour: string, minute = "00", half: string) => {
        const hours = (Number(hour) % 12) + (half === "p" ? 12 : 0);
        return `${hours}:${minute}`;
      },
    )
    .replace(/\b0?(\d{1,2}):(\d{2})\b/g, (_, hour: string, minute: string) =>
      minute === "00" ? hour : `${hour}:${minute}`,
    );
}

const MONTHS = MONTH.split("|").map((month) => month.slice(0, 3));
const DAY_MONTH = new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)? (?:of )?(${MONTH})\\b`, "g");
const MONTH_DAY = new RegExp(`\\b(${MONTH})\\.? (\\d{1,2})(?:st|nd|rd|th)?\\b`, "g");

/** "2025-06-01" and "June 1, 2025" are the tokens "1jun" and "2025". */
function spellDates(text: string): string {
  return text
    .replace(/\b((?:19|20)\d\d)-(\d\d)-(\d\d)\b/g, (whole, year: string, month: string, day: string) => {
      const name = MONTHS[Number(month) - 1];
      return name === undefined ? whole : `${Number(day)}_${name} ${year}`;
    })
    .replace(DAY_MONTH, (_, day: string, month: string) => `${Number(day)}_${month.slice(0, 3)}`)
    .replace(MONTH_DAY, (_, month: string, day: string) => `${Number(day)}_${month.slice(0, 3)}`);
}

/** How many of the base unit one unit is: durations in seconds, lengths in centimetres, masses in grams. */
const BASE_UNITS: readonly (readonly [pattern: string, factor: number, base: string])[] = [
  ["s|secs?|seconds?", 1, "seconds"],
  ["mins?|minutes?", 60, "seconds"],
  ["h|hrs?|hours?", 3600, "seconds"],
  ["d|days?", 86_400, "seconds"],
  ["weeks?|wks?", 604_800, "seconds"],
  ["cm|centimet(?:re|er)s?", 1, "cm"],
  ["m|met(?:re|er)s?", 100, "cm"],
  ["km|kilomet(?:re|er)s?", 100_000, "cm"],
  ["g|grams?", 1, "g"],
  ["kg|kilos?|kilograms?", 1000, "g"],
  ["kb|kilobytes?", 1, "kb"],
  ["mb|megabytes?", 1000, "kb"],
  ["gb|gigabytes?", 1_000_000, "kb"],
  ["tb|terabytes?", 1_000_000_000, "kb"],
];
const MEASURES = BASE_UNITS.map(
  ([unit, factor, base]) =>
    [
      new RegExp(`(?<![\\d.$€£])(\\d+(?:\\.\\d+)?)[ -]?(?:${unit})(?![\\p{L}\\d_²])`, "gu"),
      factor,
      base,
    ] as const,
);

function convertUnits(text: string): string {
  return MEASURES.reduce(
    (at, [pattern, factor, base]) =>
      at.replace(
        pattern,
        (_, count: string) => `${Math.round(Number(count) * factor * 1000) / 1000}_${base}`,
      ),
    text,
  );
}

function spellNumbers(text: string): string {
  return text
    .replace(/\bhttps?:\/\/(?:www\.)?/g, "")
    .replace(/(\d)[,'](?=\d{3}\b)/g, "$1")
    .replace(/(\d+(?:\.\d+)?) ?(k|m|mio|million)\b(?!²)/g, (_, digits: string, scale: string) =>
      String(Number(digits) * (scale === "k" ? 1000 : 1_000_000)),
    )
    .replace(/(\d)(?:st|nd|rd|th)\b/g, "$1")
    .replace(/([$€£¥₹%])/g, " $1 ")
    .replace(/(\d)(?=[a-z])/g, "$1 ")
    .replace(/(\d)\.0+(?![\d.])/g, "$1");
}

/** Of a phone number only the digits count. */
function joinPhoneNumber(text: string): string {
  return isPhoneNumber(text) && !/^\d+[.:]\d+$/.test(text) && (text.match(/\d/g)?.length ?? 0) >= 6
    ? text.replace(/[^\d+]/g, "")
    : text;
}

const QUANTITIES: readonly ((text: string) => string)[] = [
  spellDates,
  joinPhoneNumber,
  spellDigits,
  spellClock,
  convertUnits,
  spellNumbers,
];
