// Dates that name a year, a month, a day, a quarter or a season. Pure.
import {
  AMBIGUOUS_MONTHS,
  FOREIGN_AMBIGUOUS_MONTHS,
  findName,
  MONTH_ABBREVIATIONS,
  MONTH_NAMES,
  SEASON_NAMES,
  THAI_MONTHS,
} from "./date-names";
import { type DaySpan, type LocalNow, spanDate, spanMonths } from "./local-calendar";
import { asCharacters, asWords, type ResolvedSpan, readNumber, readYear, type TimeRule } from "./time-rule";

const ENGLISH_PREPOSITIONS = new Set(
  "in of on since until till by during over before after from early late mid".split(" "),
);

/** Words before a month or a season: they show that it is one, and some say which. */
const LAST = "last|past|previous|letzte[nmrs]?|vergangene[nmrs]?|vorige[nmrs]?";
const NEXT = "next|coming|nächste[nmrs]?|kommende[nmrs]?";
const THIS = "this|diese[nmrs]?";
const BEFORE = `(?:(?<last>${LAST})|(?<next>${NEXT})|(?<this>${THIS})|(?<before>${[...ENGLISH_PREPOSITIONS].join("|")}|im|am|vom|zum|den|seit|bis|ab|anfang|mitte|ende|en|au|le|depuis|début|fin|mois de|del?|el|desde|hasta|mes de|в|с|до|к|في|شهر|منذ))(?<the>\\s+the)?[\\s-]+`;
const YEAR = "(?<year>\\d{4})";
const YEAR_AFTER = `(?:,?\\s+(?:of\\s+|de\\s+|del\\s+|พ\\.?ศ\\.?\\s*|ค\\.?ศ\\.?\\s*|عام\\s+)?${YEAR}(?:\\s*(?:года?|г\\.))?)?`;
const ORDINAL = "(?:st|nd|rd|th|er|º|ª|\\.|ого|го|е)?";
const DAY_BEFORE = `(?:(?<day>\\d{1,2})${ORDINAL}[\\s-]+(?:of\\s+|de\\s+)?)?`;
const DAY_AFTER = `(?:\\s+(?<dayAfter>\\d{1,2})(?:st|nd|rd|th)?(?![\\d:.\\p{L}]))?`;
const MONTH = `(?<month>${MONTH_NAMES.join("|")})`;
const SHORT_MONTH = `(?<short>${MONTH_ABBREVIATIONS.join("|")})\\.?`;
const CHINESE_NUMBER = "\\d{1,2}|十[一二]?|[一二三四五六七八九]";
const CHINESE_DAY = "\\d{1,2}|[二三]?十[一二三四五六七八九]?|[一二三四五六七八九]";

export const ABSOLUTE_DATES: readonly TimeRule[] = [
  {
    pattern:
      /(?<![\d-])(?<year>\d{4})(?:-(?<month>0[1-9]|1[0-2])(?:-(?<day>\d{2})(?![\d])|(?![\d-]))|\/(?<monthOf>\d{1,2})\/(?<dayOf>\d{1,2})(?!\d))/gu,
    resolve: ({ year = "", month, day, monthOf, dayOf }, now) =>
      resolveDate({ year, month: Number(month ?? monthOf) - 1, day: day ?? dayOf }, now),
  },
  {
    pattern: /(?<![\d.])(?<day>\d{1,2})\.(?<month>0?[1-9]|1[0-2])\.(?<year>\d{4})(?!\d)/gu,
    resolve: ({ year, month, day }, now) => resolveDate({ year, month: Number(month) - 1, day }, now),
  },
  {
    pattern: asCharacters(
      `${YEAR}年の?(?:(?<season>春|夏|秋|冬)[天季]?|(?<month>${CHINESE_NUMBER})月(?:(?<day>${CHINESE_DAY})[日号])?)?`,
    ),
    resolve: ({ year = "", season, month, day }, now) => {
      if (season !== undefined) return resolveSeason({ year, season }, now);
      if (month === undefined) return resolveYear(year);
      return resolveDate({ year, month: readChinese(month) - 1, day: toDigits(day) }, now);
    },
  },
  {
    pattern: asCharacters(`(?<![\\d十])(?<month>${CHINESE_NUMBER})月(?:(?<day>${CHINESE_DAY})[日号])?(?!曜)`),
    resolve: ({ month = "", day }, now) =>
      resolveDate({ month: readChinese(month) - 1, day: toDigits(day) }, now),
  },
  {
    pattern: asWords(`(?:${BEFORE})?${DAY_BEFORE}${MONTH}${DAY_AFTER}${YEAR_AFTER}`),
    resolve: (groups, now) => resolveNamedMonth(groups, now),
  },
  {
    // Thai has no spaces around its words.
    pattern: asCharacters(
      `(?:(?<day>\\d{1,2})\\s*)?(?<month>${THAI_MONTHS.join("|")})(?:\\s*(?:พ\\.?ศ\\.?|ค\\.?ศ\\.?|ปี)?\\s*${YEAR})?`,
    ),
    resolve: (groups, now) => resolveNamedMonth(groups, now),
  },
  {
    pattern: asWords(`${DAY_BEFORE}${SHORT_MONTH}${DAY_AFTER}${YEAR_AFTER}`),
    resolve: ({ short = "", day, dayAfter, year }, now) => {
      const month = findName(MONTH_ABBREVIATIONS, short.toLowerCase());
      const isDate = day !== undefined || dayAfter !== undefined || year !== undefined;
      return isDate ? resolveDate({ year, month, day: day ?? dayAfter }, now) : null;
    },
  },
  {
    pattern: asWords(
      `(?:${BEFORE})?(?:q(?<quarter>[1-4])|(?<ordinal>first|second|third|fourth|1st|2nd|3rd|4th|erste[ns]?|zweite[ns]?|dritte[ns]?|vierte[ns]?|[1-4]\\.)\\s+(?:quarter|quartal))(?:\\s*(?:of|/|-)?\\s*${YEAR})?`,
    ),
    resolve: (groups, now) => resolveQuarter(groups, now),
  },
  {
    pattern: asWords(
      `(?:${BEFORE}|l['’])?(?:early[\\s-]+|late[\\s-]+)?(?<season>${SEASON_NAMES.join("|")})(?<after>\\s+(?:dernier|dernière|pasad[oa]|الماضي))?${YEAR_AFTER}`,
    ),
    resolve: ({ after, ...groups }, now) =>
      (hasContext(groups) && isSeason(groups)) ||
      after !== undefined ||
      /ой$|ом$|ью$/u.test(groups.season ?? "")
        ? resolveSeason({ ...groups, last: groups.last ?? after }, now)
        : null,
  },
  {
    pattern: asWords(
      `(?:in|during|throughout|since|from|of|by|before|after|year|im jahre?|jahr|seit|en|depuis|année|desde|año|в|с|за|عام|سنة|في)\\s+${YEAR}(?:\\s*(?:году?|года|г\\.))?(?![-/.:]\\d)`,
    ),
    resolve: ({ year = "" }) => resolveYear(year),
  },
  { pattern: asWords(`${YEAR}\\s+(?:году?|года)`), resolve: ({ year = "" }) => resolveYear(year) },
  {
    pattern: asCharacters(`(?:ปี|พ\\.ศ\\.|ค\\.ศ\\.)\\s*${YEAR}(?!\\d)`),
    resolve: ({ year = "" }) => resolveYear(year),
  },
];

type Groups = Readonly<Record<string, string | undefined>>;

function hasContext({ last, next, this: present, before, year }: Groups): boolean {
  return [last, next, present, before, year].some((group) => group !== undefined);
}

function resolveNamedMonth(groups: Groups, now: LocalNow): ResolvedSpan | null {
  const { day, dayAfter } = groups;
  const name = (groups.month ?? "").toLowerCase();
  const isDate = groups.year !== undefined || day !== undefined || dayAfter !== undefined;
  if (AMBIGUOUS_MONTHS.has(name) && !isDate && !hasContext(groups)) return null;
  const before = groups.before?.toLowerCase() ?? "in";
  if (FOREIGN_AMBIGUOUS_MONTHS.has(name) && !isDate && ENGLISH_PREPOSITIONS.has(before)) return null;
  return resolveDate({ ...groups, month: findName(MONTH_NAMES, name), day: day ?? dayAfter }, now);
}

type NamedDate = {
  year?: string | undefined;
  month: number;
  day?: string | undefined;
  last?: string | undefined;
  next?: string | undefined;
  this?: string | undefined;
};

function resolveDate({ year, month, day, ...which }: NamedDate, now: LocalNow): ResolvedSpan | null {
  if (month < 0 || month > 11) return null;
  const span = (of: number): DaySpan | null =>
    day === undefined ? spanMonths(of, month, 1) : spanDate(of, month, Number(day));
  if (year !== undefined) {
    const known = readYear(year);
    return known === null ? null : span(known);
  }
  return selectYear(span, which, now);
}

/** Selects the year of a span that recurs: the one before, after or of now if that is said, else the latest. */
function selectYear(
  span: (year: number) => DaySpan | null,
  { last, next, this: present }: Pick<NamedDate, "last" | "next" | "this">,
  now: LocalNow,
): ResolvedSpan | null {
  const years = [1, 0, -1, -2, -3, -4].map((years) => span(now.year + years)).filter((one) => one !== null);
  if (present !== undefined) return markRelative(span(now.year));
  if (next !== undefined) return markRelative(years.filter(({ from }) => from > now.day).at(-1));
  if (last !== undefined) return markRelative(years.find(({ to }) => to <= now.day));
  const latest = years.find(({ from }) => from <= now.day);
  return latest === undefined ? null : { ...latest, everyYear: true };
}

function markRelative(span: DaySpan | null | undefined): ResolvedSpan | null {
  return span == null ? null : { ...span, isRelative: true };
}

function resolveYear(text: string): ResolvedSpan | null {
  const year = readYear(text);
  return year === null ? null : spanMonths(year, 0, 12);
}

/** Spring is also a framework, and fall a verb: without a year they need "the", "last", "this" or "next". */
function isSeason({ season = "", year, last, next, this: present, the }: Groups): boolean {
  return (
    !/^(?:spring|fall)$/i.test(season) ||
    [year, last, next, present, the].some((group) => group !== undefined)
  );
}

function resolveSeason({ year, season = "", ...which }: Groups, now: LocalNow): ResolvedSpan | null {
  const index = findName(SEASON_NAMES, season.toLowerCase());
  const span = (of: number) => spanMonths(of, 2 + 3 * index, 3);
  if (year === undefined) return selectYear(span, which, now);
  const known = readYear(year);
  return known === null ? null : span(known);
}

const ORDINALS = [
  "first|1st|1\\.|erste[ns]?",
  "second|2nd|2\\.|zweite[ns]?",
  "third|3rd|3\\.|dritte[ns]?",
  "fourth|4th|4\\.|vierte[ns]?",
];

function resolveQuarter(groups: Groups, now: LocalNow): ResolvedSpan | null {
  const { quarter, ordinal = "", year } = groups;
  if (!hasContext(groups)) return null;
  const index = quarter === undefined ? findName(ORDINALS, ordinal.toLowerCase()) : Number(quarter) - 1;
  const span = (of: number) => spanMonths(of, 3 * index, 3);
  if (year === undefined) return selectYear(span, groups, now);
  const known = readYear(year);
  return known === null ? null : span(known);
}

/** Reads a number up to 31, in digits or in Chinese characters. */
function readChinese(text: string): number {
  if (/^\d+$/.test(text) || !text.includes("十")) return readNumber(text);
  const [tens = "", ones = ""] = text.split("十");
  return 10 * (tens === "" ? 1 : readNumber(tens)) + (ones === "" ? 0 : readNumber(ones));
}

function toDigits(day: string | undefined): string | undefined {
  return day === undefined ? undefined : String(readChinese(day));
}
