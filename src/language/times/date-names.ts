// The names of months, weekdays and seasons in English, German, French, Spanish, Russian, Arabic, Japanese, Chinese and
// Thai, as parts of regular expressions over lower-case text. Pure.

/** January first. Each lists its names; Japanese and Chinese number their months. */
export const MONTH_NAMES: readonly string[] = [
  "january|januar|jänner|janvier|enero|январ[ьяе]|يناير|كانون الثاني|มกราคม",
  "february|februar|février|fevrier|febrero|феврал[ьяе]|فبراير|شباط|กุมภาพันธ์",
  "march|märz|maerz|mars|marzo|март[ае]?|مارس|آذار|มีนาคม",
  "april|avril|abril|апрел[ьяе]|أبريل|ابريل|إبريل|نيسان|เมษายน",
  "may|mai|mayo|ма[йяе]|مايو|أيار|พฤษภาคม",
  "june|juni|juin|junio|июн[ьяе]|يونيو|يونيه|حزيران|มิถุนายน",
  "july|juli|juillet|julio|июл[ьяе]|يوليو|يوليه|تموز|กรกฎาคม",
  "august|août|aout|agosto|август[ае]?|أغسطس|اغسطس|آب|สิงหาคม",
  "september|septembre|septiembre|setiembre|сентябр[ьяе]|سبتمبر|أيلول|กันยายน",
  "october|oktober|octobre|octubre|октябр[ьяе]|أكتوبر|اكتوبر|تشرين الأول|ตุลาคม",
  "november|novembre|noviembre|ноябр[ьяе]|نوفمبر|تشرين الثاني|พฤศจิกายน",
  "december|dezember|décembre|decembre|diciembre|декабр[ьяе]|ديسمبر|كانون الأول|ธันวาคม",
];

/** English abbreviations, January first: they are months only beside a day or a year. */
export const MONTH_ABBREVIATIONS: readonly string[] =
  "jan feb mar apr may jun jul aug sept? oct nov dec".split(" ");

/** Names that are also ordinary words: they are months only beside a day, a year or a preposition. */
export const AMBIGUOUS_MONTHS = new Set(["may", "march", "مارس", "آب"]);

/** Names that are words, people or brands in English: an English preposition does not make them months. */
export const FOREIGN_AMBIGUOUS_MONTHS = new Set(["mars", "mayo", "mai", "julio", "نيسان"]);

/** Monday first, in scripts with spaces between words. "Среда" alone also means environment. */
export const SPACED_WEEKDAYS: readonly string[] = [
  "monday|montag|lundi|lunes|понедельник[ае]?|ال[اإ]ثنين",
  "tuesday|dienstag|mardi|martes|вторник[ае]?|الثلاثاء",
  "wednesday|mittwoch|mercredi|miércoles|miercoles|среду|ال[أا]ربعاء",
  "thursday|donnerstag|jeudi|jueves|четверг[ае]?|الخميس",
  "friday|freitag|vendredi|viernes|пятниц[ауые]|الجمعة",
  "saturday|samstag|sonnabend|samedi|sábado|sabado|суббот[ауые]|السبت",
  "sunday|sonntag|dimanche|domingo|воскресень[ея]|ال[أا]حد",
];

/** The same in Japanese, Chinese and Thai. */
export const UNSPACED_WEEKDAYS: readonly string[] = [
  "月曜日?|(?:周|星期|礼拜)一|วันจันทร์",
  "火曜日?|(?:周|星期|礼拜)二|วันอังคาร",
  "水曜日?|(?:周|星期|礼拜)三|วันพุธ",
  "木曜日?|(?:周|星期|礼拜)四|วันพฤหัส(?:บดี)?",
  "金曜日?|(?:周|星期|礼拜)五|วันศุกร์",
  "土曜日?|(?:周|星期|礼拜)六|วันเสาร์",
  "日曜日?|(?:周|星期|礼拜)[日天]|วันอาทิตย์",
];

const WEEKDAY_NAMES = SPACED_WEEKDAYS.map((names, i) => `${names}|${UNSPACED_WEEKDAYS[i] ?? ""}`);

/** Returns the number of a weekday, Monday as 0; −1 if the name is none. */
export function findWeekday(name: string): number {
  return findName(WEEKDAY_NAMES, name.toLowerCase());
}

/** Spring, summer, autumn, winter: of the north, each of three whole months from March on. */
export const SEASON_NAMES: readonly string[] = [
  "spring|frühling|frühjahr|printemps|primavera|весной|ربيع|春天?",
  "summer|sommer|été|verano|летом|صيف|夏天?",
  "autumn|fall|herbst|automne|otoño|осенью|خريف|秋天?",
  "winter|hiver|invierno|зимой|شتاء|冬天?",
];

/** Returns the index of the first alternatives that a whole name matches, −1 if none does. */
export function findName(names: readonly string[], name: string): number {
  return names.findIndex((alternatives) => new RegExp(`^(?:${alternatives})$`, "u").test(name));
}

const ENGLISH_MONTHS = MONTH_NAMES.map(getFirst);
const ENGLISH_WEEKDAYS = SPACED_WEEKDAYS.map(getFirst);

function getFirst(alternatives: string): string {
  return alternatives.split("|")[0] ?? alternatives;
}

function getLast(alternatives: string): string {
  return alternatives.split("|").at(-1) ?? alternatives;
}

/** Returns the English name of a month or a weekday in lower case, which the text index has for every date. */
export function translateDateName(name: string): string | null {
  return ENGLISH_MONTHS[findName(MONTH_NAMES, name)] ?? ENGLISH_WEEKDAYS[findWeekday(name)] ?? null;
}

const UNSPACED_DATE =
  /(?<!\d)(?<month>1[0-2]|0?[1-9])月|[月火水木金土日]曜日?|(?:周|星期|礼拜)[一二三四五六日天]|[\u0e00-\u0e7f]+/gu;
/** January first. */
export const THAI_MONTHS = MONTH_NAMES.map(getLast);
const THAI_NAME = new RegExp([...THAI_MONTHS, ...UNSPACED_WEEKDAYS.map(getLast)].join("|"), "gu");

/** Returns the months and weekdays that a text in an unspaced script names, with their English names. */
export function listUnspacedDateNames(text: string): { name: string; english: string }[] {
  return Array.from(text.matchAll(UNSPACED_DATE)).flatMap(({ 0: match, groups = {} }) => {
    const names = /[\u0e00-\u0e7f]/.test(match) ? (match.match(THAI_NAME) ?? []) : [match];
    return names.flatMap((name) => {
      const english =
        groups.month === undefined ? translateDateName(name) : ENGLISH_MONTHS[Number(groups.month) - 1];
      return english == null ? [] : [{ name, english }];
    });
  });
}
