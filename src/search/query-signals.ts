// What a question says besides its words: the one person it names, and the month it speaks of. Pure.
import { dateWords } from "../store/sessions/message-copies";

export type QuerySignals = {
  /** Whether a message is by the one person whom the question names. */
  speaks(name: string | null): boolean;
  /** Whether something is of the month that the question names. */
  dated(timestamp: string): boolean;
};

/** `names` are those of the people who speak in what was found. */
export function querySignals(query: string, names: Iterable<string | null>): QuerySignals {
  const asked = new Set(wordsOf(query));
  const named = new Set<string>();
  for (const name of names) {
    if (name !== null && wordsOf(name).some((word) => asked.has(word))) named.add(name);
  }
  const dates = datesIn(query);
  return {
    speaks: (name) => named.size === 1 && name !== null && named.has(name),
    dated: (timestamp) => {
      if (dates.length === 0) return false;
      const [, month, year] = dateWords(timestamp);
      return dates.some((date) => date.month === month && (date.year === null || date.year === year));
    },
  };
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

const MONTHS = [
  ...["January", "February", "March", "April", "May", "June"],
  ...["July", "August", "September", "October", "November", "December"],
] as const;

/** A month's name, with a day before or after it and a year after it, if given. */
const NAMED_MONTH = new RegExp(
  String.raw`(?:\b(?<before>in|of|on|since|until|by|during|before|after|last|this|next|early|late|mid|\d{1,2}(?:st|nd|rd|th)?)[\s-]+)?\b(?<month>${MONTHS.join("|")})\b(?:,?\s+(?<after>\d{1,2}(?:st|nd|rd|th)?\b))?(?:,?\s+(?:of\s+)?(?<year>\d{4})\b)?`,
  "giu",
);
const ISO_DATE = /\b(?<year>\d{4})-(?<month>0[1-9]|1[0-2])(?:-\d{2})?\b/gu;

/** Also verbs: they are months only where something around them says so. */
const AMBIGUOUS = new Set(["May", "March"]);

type MonthAsked = { month: string; year: string | null };

function datesIn(query: string): MonthAsked[] {
  const named = [...query.matchAll(NAMED_MONTH)].flatMap(({ groups = {} }) => {
    const month = MONTHS.find((name) => name.toLowerCase() === groups.month?.toLowerCase());
    const sure = groups.before !== undefined || groups.after !== undefined || groups.year !== undefined;
    if (month === undefined || (AMBIGUOUS.has(month) && !sure)) return [];
    return [{ month, year: groups.year ?? null }];
  });
  const iso = [...query.matchAll(ISO_DATE)].flatMap(({ groups = {} }) => {
    const month = MONTHS[Number(groups.month) - 1];
    return month === undefined ? [] : [{ month, year: groups.year ?? null }];
  });
  return [...named, ...iso];
}
