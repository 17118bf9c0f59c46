// Detects ranking signals in a query: the one speaker it names, and the months it mentions.
import { toDateWords } from "../store/sessions/message-repository";

export type QuerySignals = {
  /** Whether this is the only speaker that the query names. */
  matchesSpeaker(name: string | null): boolean;
  /** Whether the date is in a month that the query mentions. */
  matchesMonth(timestamp: string): boolean;
};

/** `names` are the speakers of the candidates. */
export function detectQuerySignals(query: string, names: Iterable<string | null>): QuerySignals {
  const queryWords = new Set(splitWords(query));
  const named = new Set<string>();
  for (const name of names) {
    if (name !== null && splitWords(name).some((word) => queryWords.has(word))) named.add(name);
  }
  const months = findMonths(query);
  return {
    matchesSpeaker: (name) => named.size === 1 && name !== null && named.has(name),
    matchesMonth: (timestamp) => {
      if (months.length === 0) return false;
      const [, month, year] = toDateWords(timestamp);
      return months.some((date) => date.month === month && (date.year === null || date.year === year));
    },
  };
}

function splitWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

const MONTHS = [
  ...["January", "February", "March", "April", "May", "June"],
  ...["July", "August", "September", "October", "November", "December"],
] as const;

/** A month's name, optionally with a day before or after it and a year after it. */
const NAMED_MONTH = new RegExp(
  String.raw`(?:\b(?<before>in|of|on|since|until|by|during|before|after|last|this|next|early|late|mid|\d{1,2}(?:st|nd|rd|th)?)[\s-]+)?\b(?<month>${MONTHS.join("|")})\b(?:,?\s+(?<after>\d{1,2}(?:st|nd|rd|th)?\b))?(?:,?\s+(?:of\s+)?(?<year>\d{4})\b)?`,
  "giu",
);
const ISO_DATE = /\b(?<year>\d{4})-(?<month>0[1-9]|1[0-2])(?:-\d{2})?\b/gu;

/** Also verbs: they count as months only next to a preposition, a day or a year. */
const AMBIGUOUS_MONTHS = new Set(["May", "March"]);

type QueryMonth = { month: string; year: string | null };

function findMonths(query: string): QueryMonth[] {
  const named = [...query.matchAll(NAMED_MONTH)].flatMap(({ groups = {} }) => {
    const month = MONTHS.find((name) => name.toLowerCase() === groups.month?.toLowerCase());
    const isDate = groups.before !== undefined || groups.after !== undefined || groups.year !== undefined;
    if (month === undefined || (AMBIGUOUS_MONTHS.has(month) && !isDate)) return [];
    return [{ month, year: groups.year ?? null }];
  });
  const iso = [...query.matchAll(ISO_DATE)].flatMap(({ groups = {} }) => {
    const month = MONTHS[Number(groups.month) - 1];
    return month === undefined ? [] : [{ month, year: groups.year ?? null }];
  });
  return [...named, ...iso];
}
