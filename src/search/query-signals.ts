// Detects ranking signals in a query: the one speaker it names, and the months it mentions.

import { toDateWords } from "../store/text-index/date-words";
import { findSpeakerName } from "../text/speaker-name";
import type { CorpusKind } from "./corpus";

/** A candidate as its speaker is detected: a memory may name who it is by, or of whom it speaks, in its text. */
type SpokenText = { kind: CorpusKind; name: string | null; text: string | null };

export type QuerySignals = {
  /** Whether the text is by the only speaker that the query names, or a memory that speaks of this person. */
  matchesSpeaker(spoken: SpokenText): boolean;
  /** Whether the date is in a month that the query mentions. */
  matchesMonth(timestamp: string): boolean;
};

export function detectQuerySignals(query: string, candidates: readonly SpokenText[]): QuerySignals {
  const queryWords = new Set(splitWords(query));
  const named = new Set<string>();
  for (const name of new Set(candidates.map(findSpeaker)))
    if (name !== null && splitWords(name).some((word) => queryWords.has(word))) named.add(name);
  const [only = ""] = named;
  const words = splitWords(only).filter((word) => queryWords.has(word));
  const months = findMonths(query);
  return {
    matchesSpeaker: (spoken) => {
      if (named.size !== 1) return false;
      if (findSpeaker(spoken) === only) return true;
      return spoken.kind === "memory" && splitWords(spoken.text ?? "").some((word) => words.includes(word));
    },
    matchesMonth: (timestamp) => {
      if (months.length === 0) return false;
      const [, month, year] = toDateWords(timestamp);
      return months.some((date) => date.month === month && (date.year === null || date.year === year));
    },
  };
}

/** Returns who a message or memory is by: of a memory, the name before its statement, or its user. */
function findSpeaker({ kind, name, text }: SpokenText): string | null {
  return kind === "memory" ? (findSpeakerName(text ?? "") ?? name) : name;
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
