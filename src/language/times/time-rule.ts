// A rule that recognises one kind of time expression, and the parts that the patterns of rules share.
import type { DaySpan, LocalNow } from "./local-calendar";

/**
 * `everyYear` holds for a month or a day without a year: any year's may be meant, and the span is the latest.
 * `isRelative` holds for "last May".
 */
export type ResolvedSpan = DaySpan & { everyYear?: boolean; isRelative?: boolean };

export type TimeRule = {
  pattern: RegExp;
  /** Returns null if the match is not a time after all. */
  resolve(groups: Readonly<Record<string, string | undefined>>, now: LocalNow): ResolvedSpan | null;
};

/** Surrounds an expression of scripts with spaces: it must not be part of a longer word or number. */
export function asWords(source: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{M}\\p{N}])(?:${source})(?![\\p{L}\\p{M}\\p{N}])`, "giu");
}

/** The same for scripts without spaces, where a word has no visible bounds. */
export function asCharacters(source: string): RegExp {
  return new RegExp(source, "giu");
}

const FIRST_YEAR = 1900;
const LAST_YEAR = 2100;
const BUDDHIST_ERA = 543;

/** Reads a year of the common or the Buddhist era, null if it is neither. */
export function readYear(text: string): number | null {
  const number = Number(text);
  const year = number > LAST_YEAR ? number - BUDDHIST_ERA : number;
  return year >= FIRST_YEAR && year <= LAST_YEAR ? year : null;
}

const WORDS: readonly string[] = [
  "a|an|one|einem|einer|einen|un|une|una|uno|один|одну|一",
  "two|a couple of|zwei|deux|dos|два|две|二|两",
  "three|a few|several|drei|ein paar|einigen|trois|tres|три|ثلاثة|ثلاث|三",
  "four|vier|quatre|cuatro|четыре|أربعة|أربع|四",
  "five|fünf|cinq|cinco|пять|خمسة|خمس|五",
  "six|sechs|seis|шесть|ستة|ست|六",
  "seven|sieben|sept|siete|семь|سبعة|سبع|七",
  "eight|acht|huit|ocho|восемь|ثمانية|ثماني|八",
  "nine|neun|neuf|nueve|девять|تسعة|تسع|九",
  "ten|zehn|dix|diez|десять|عشرة|عشر|十",
  "eleven|elf|onze|once|одиннадцать|十一",
  "twelve|zwölf|douze|doce|двенадцать|十二",
];

/** A number of at most three digits, or a number up to twelve in words. The longer words come first. */
export const NUMBER = `\\d{1,3}|${WORDS.toReversed().join("|")}`;

/** Reads what NUMBER matches. */
export function readNumber(text: string): number {
  const word = WORDS.findIndex((words) => words.split("|").includes(text.toLowerCase()));
  return word >= 0 ? word + 1 : Number(text);
}
