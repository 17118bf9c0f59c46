// Times relative to the asker's clock: yesterday, last week, two weeks ago, last Tuesday. Pure.
import { findName, findWeekday, SPACED_WEEKDAYS, UNSPACED_WEEKDAYS } from "./date-names";
import {
  type DaySpan,
  type LocalNow,
  type PeriodUnit,
  spanAgo,
  spanDays,
  spanPast,
  spanPeriod,
} from "./local-calendar";
import { asCharacters, asWords, NUMBER, readNumber, type TimeRule } from "./time-rule";

/** Expressions with spaces between words: pattern, unit, offset from the present one. */
const PERIODS: readonly (readonly [source: string, unit: PeriodUnit, offset: number])[] = [
  ["the day before yesterday|vorgestern|avant-hier|anteayer|antier|позавчера|أول أمس", "day", -2],
  [
    "yesterday|gestern|hier (?:soir|matin)|(?<=(?:je|tu|il|elle|nous|vous|ils|elles|on|que|quoi|qui|est-ce) .*)hier|ayer|вчера|أمس|امس|البارحة",
    "day",
    -1,
  ],
  ["today|heute|aujourd['’]hui|hoy|сегодня|اليوم", "day", 0],
  ["tomorrow|demain|завтра|غدا|غدًا", "day", 1],
  [
    "(?:last|previous) week|(?:letzte|vorige|vergangene)r? woche|la semaine dernière|la semana pasada|на прошлой неделе|الأسبوع الماضي",
    "week",
    -1,
  ],
  [
    "(?:this|the current) week|diese[r]? woche|cette semaine|esta semana|на этой неделе|هذا الأسبوع",
    "week",
    0,
  ],
  [
    "next week|nächste[rn]? woche|la semaine prochaine|la próxima semana|на следующей неделе|الأسبوع القادم",
    "week",
    1,
  ],
  [
    "(?:last|previous) weekend|(?:letzte[sn]?|vorige[sn]?|vergangene[sn]?) wochenende|le week-end dernier|el fin de semana pasado|на прошлых выходных",
    "weekend",
    -1,
  ],
  ["next weekend|nächste[sn]? wochenende", "weekend", 1],
  [
    "(?:last|previous) month|(?:letzte[nm]?|vorige[nm]?|vergangene[nm]?) monat|le mois dernier|el mes pasado|в прошлом месяце|الشهر الماضي",
    "month",
    -1,
  ],
  ["(?:this|the current) month|diese[nm] monat|ce mois(?:-ci)?|este mes|в этом месяце|هذا الشهر", "month", 0],
  [
    "next month|nächste[nm]? monat|le mois prochain|el próximo mes|в следующем месяце|الشهر القادم",
    "month",
    1,
  ],
  ["(?:last|previous) quarter|(?:letzte[sn]?|vorige[sn]?) quartal", "quarter", -1],
  ["this quarter|diese[sm]? quartal", "quarter", 0],
  [
    "(?:last|previous) year|(?:letzte[sn]?|vorige[sn]?|vergangene[sn]?) jahr|l['’]année dernière|l['’]an dernier|el año pasado|в прошлом году|العام الماضي|السنة الماضية",
    "year",
    -1,
  ],
  [
    "(?:this|the current) year|diese[sm]? jahr|cette année|este año|в этом году|هذا العام|هذه السنة",
    "year",
    0,
  ],
  [
    "next year|nächste[sn]? jahr|l['’]année prochaine|el próximo año|в следующем году|العام القادم",
    "year",
    1,
  ],
];

/** The same for Japanese, Chinese and Thai. */
const UNSPACED_PERIODS: readonly (readonly [source: string, unit: PeriodUnit, offset: number])[] = [
  ["一昨日|おととい|前天|เมื่อวานซืน", "day", -2],
  ["昨日|昨天|เมื่อวาน(?:นี้)?", "day", -1],
  ["今日|今天|วันนี้", "day", 0],
  ["明日|明天|พรุ่งนี้", "day", 1],
  ["先週|上个?(?:周|星期|礼拜)|(?:สัปดาห์|อาทิตย์)ที่แล้ว", "week", -1],
  ["今週|本周|这个?(?:周|星期|礼拜)|(?:สัปดาห์|อาทิตย์)นี้", "week", 0],
  ["来週|下个?(?:周|星期|礼拜)", "week", 1],
  ["先月|上个?月|เดือนที่แล้ว", "month", -1],
  ["今月|本月|这个?月|เดือนนี้", "month", 0],
  ["来月|下个?月|เดือนหน้า", "month", 1],
  ["去年|昨年|ปีที่แล้ว", "year", -1],
  ["今年|ปีนี้", "year", 0],
  ["来年|明年|ปีหน้า", "year", 1],
];

/** The names of units after a number, in all languages; the longer ones of a beginning come first. */
const UNITS: readonly (readonly [source: string, unit: PeriodUnit])[] = [
  ["hours?|stunden?|heures?|horas?|час(?:а|ов)?|ساعات|ساعة", "hour"],
  ["days?|tag(?:en?)?|jours?|días?|dias?|дн(?:я|ей)|день|أيام|ايام|يوم", "day"],
  ["weeks?|wochen?|semaines?|semanas?|недел[ьяюи]|أسابيع|أسبوع", "week"],
  ["months?|monat(?:en?)?|mois|mes(?:es)?|месяц(?:а|ев)?|أشهر|شهور|شهر", "month"],
  ["years?|jahr(?:en?)?|ans?|années?|años?|лет|года?|سنوات|سنة|أعوام|عام", "year"],
];
const UNSPACED_UNITS: readonly (readonly [source: string, unit: PeriodUnit])[] = [
  ["日|天|วัน", "day"],
  ["週間?|个?星期|个?礼拜|周|สัปดาห์|อาทิตย์", "week"],
  ["[かヶカ箇]月|个月|เดือน", "month"],
  ["年|ปี", "year"],
];
const UNIT = `(?<unit>${UNITS.map(([source]) => source).join("|")})`;
const UNSPACED_UNIT = `(?<unit>${UNSPACED_UNITS.map(([source]) => source).join("|")})`;
const COUNT = `(?<count>${NUMBER})`;

/** Arabic has a dual: "two days" is one word. */
const ARABIC_TWO: Readonly<Record<string, PeriodUnit>> = {
  يومين: "day",
  أسبوعين: "week",
  شهرين: "month",
  سنتين: "year",
  عامين: "year",
};

/** Times of a day, in hours. */
const MORNING = [5, 12] as const;
const AFTERNOON = [12, 18] as const;
const EVENING = [17, 24] as const;

const SPACED_WEEKDAY = `(?<weekday>${SPACED_WEEKDAYS.join("|")})(?!\\.\\p{L})`;
const UNSPACED_WEEKDAY = `(?<weekday>${UNSPACED_WEEKDAYS.join("|")})`;

export const RELATIVE_TIMES: readonly TimeRule[] = [
  {
    pattern: asWords(
      "(?<last>last night)|(?<today>tonight|this evening|heute abend)|(?<yesterday>yesterday evening|gestern abend)",
    ),
    resolve: ({ last, today }, { day }) =>
      last !== undefined
        ? { from: day - 1 + EVENING[0] / 24, to: day + MORNING[0] / 24 }
        : spanHours(today === undefined ? day - 1 : day, EVENING),
  },
  {
    pattern: asWords("(?:(?<today>this|heute)|yesterday|gestern) (?:morning|früh|morgen|vormittag)"),
    resolve: ({ today }, { day }) => spanHours(today === undefined ? day - 1 : day, MORNING),
  },
  {
    pattern: asWords("(?:(?<today>this|heute)|yesterday|gestern) (?:afternoon|nachmittag)"),
    resolve: ({ today }, { day }) => spanHours(today === undefined ? day - 1 : day, AFTERNOON),
  },
  {
    pattern: asWords(
      `(?:the (?:last|past)|(?:in )?den (?:letzten|vergangenen)|(?:los|las) últim[oa]s|за последние?) (?:${COUNT} )?${UNIT}`,
    ),
    resolve: ({ count = "1", unit = "" }, now) => {
      const found = findUnit(UNITS, unit);
      return found === null ? null : spanPast(now, found, readNumber(count));
    },
  },
  {
    pattern: asWords(
      `${COUNT} ${UNIT} (?:ago|назад)|(?:vor|il y a|hace) ${COUNT.replace("count", "countAfter")} ${UNIT.replace("unit", "unitAfter")}|(?:قبل|منذ) (?:${COUNT.replace("count", "countArabic")} )?${UNIT.replace("unit", "unitArabic")}|(?<unitAlone>день|неделю|месяц|год) назад`,
    ),
    resolve: ({ unit, unitAfter, unitArabic, unitAlone, count, countAfter, countArabic }, now) => {
      const found = findUnit(UNITS, unit ?? unitAfter ?? unitArabic ?? unitAlone ?? "");
      return found === null
        ? null
        : spanAgo(now, found, readNumber(count ?? countAfter ?? countArabic ?? "1"));
    },
  },
  {
    pattern: asWords(`(?:قبل|منذ) (?<two>${Object.keys(ARABIC_TWO).join("|")})`),
    resolve: ({ two = "" }, now) => {
      const unit = ARABIC_TWO[two];
      return unit === undefined ? null : spanAgo(now, unit, 2);
    },
  },
  {
    pattern: asCharacters(`${COUNT}\\s*${UNSPACED_UNIT}\\s*(?:以?前|之前|ก่อน|ที่แล้ว)`),
    resolve: ({ count = "", unit = "" }, now) => {
      const found = findUnit(UNSPACED_UNITS, unit);
      return found === null ? null : spanAgo(now, found, readNumber(count));
    },
  },
  {
    pattern: asWords(
      `(?<!(?:every|each|jeden|chaque|cada|каждый|каждую|كل) )(?:(?<last>last|this past|past|letzten|vorigen|vergangenen|в прошл(?:ый|ую|ое))\\s+|(?<next>next|coming|nächsten|kommenden|в следующ(?:ий|ую|ее))\\s+|(?<this>this|diesen)\\s+|(?:on|am|le|el|во?|يوم)\\s+)?${SPACED_WEEKDAY}(?<lastAfter>\\s+(?:dernier|pasado|الماضي|الماضية))?`,
    ),
    resolve: ({ weekday = "", last, lastAfter, next, this: present }, now) =>
      resolveWeekday(weekday, { last: last ?? lastAfter, next, present }, now),
  },
  {
    pattern: asCharacters(
      `(?:(?<lastWeek>先週の?|上个?)|(?<nextWeek>来週の?|下个?)|(?<present>今週の?|这个?|本))?${UNSPACED_WEEKDAY}(?<last>ที่แล้ว)?`,
    ),
    resolve: ({ weekday = "", lastWeek, nextWeek, present, last }, now) => {
      const week = lastWeek === undefined ? (nextWeek === undefined ? null : 1) : -1;
      if (week === null) return resolveWeekday(weekday, { last, present }, now);
      return spanDays(spanPeriod(now, "week", week).from + findWeekday(weekday), 1);
    },
  },
  {
    pattern: asWords(
      "(?:over|on|at|during|this) (?:the )?weekend|the weekend|(?:am|übers) wochenende|ce week-end|este fin de semana|на выходных",
    ),
    resolve: (_, now) => spanPeriod(now, "weekend", now.weekday >= 5 ? 0 : -1),
  },
  {
    pattern: asCharacters("週末|(?<!上个?)周末|สุดสัปดาห์"),
    resolve: (_, now) => spanPeriod(now, "weekend", now.weekday >= 5 ? 0 : -1),
  },
  ...toPeriodRules(PERIODS, asWords),
  ...toPeriodRules(UNSPACED_PERIODS, asCharacters),
];

function toPeriodRules(periods: typeof PERIODS, toPattern: (source: string) => RegExp): TimeRule[] {
  return periods.map(([source, unit, offset]) => ({
    pattern: toPattern(source),
    resolve: (_, now) => spanPeriod(now, unit, offset),
  }));
}

function spanHours(day: number, [from, to]: readonly [number, number]): DaySpan {
  return { from: day + from / 24, to: day + to / 24 };
}

function findUnit(units: typeof UNITS, name: string): PeriodUnit | null {
  const sources = units.map(([source]) => source);
  return units[findName(sources, name.toLowerCase())]?.[1] ?? null;
}

type Which = { last?: string | undefined; next?: string | undefined; present?: string | undefined };

/** "Last" is before today, "next" after today, "this" in the present week; a bare weekday is the latest one. */
function resolveWeekday(name: string, { last, next, present }: Which, now: LocalNow): DaySpan | null {
  const weekday = findWeekday(name);
  if (weekday < 0) return null;
  if (present !== undefined) return spanDays(now.day - now.weekday + weekday, 1);
  const since = (now.weekday - weekday + 7) % 7;
  if (next !== undefined) return spanDays(now.day - since + 7, 1);
  return spanDays(now.day - (last !== undefined && since === 0 ? 7 : since), 1);
}
