// Detects ranking signals in a query: the one speaker it names, and the times it mentions.
import { findSpeakerName } from "../../language/speaker-name";
import { scoreTimeProximity, type TimeRange } from "../../language/times/time-ranges";
import type { CorpusKind } from "./corpus";

/** A candidate as its speaker is detected: a memory may name who it is by, or of whom it speaks, in its text. */
type SpokenText = { kind: CorpusKind; name: string | null; text: string | null };

export type QuerySignals = {
  /** Whether the text is by the only speaker that the query names, or a memory that speaks of this person. */
  matchesSpeaker(spoken: SpokenText): boolean;
  /** Returns how well a date fits the times that the query mentions, from 0 to 1. */
  scoreDate(timestamp: string): number;
};

/** `times` are those of the query. */
export function detectQuerySignals(
  query: string,
  candidates: readonly SpokenText[],
  times: readonly TimeRange[],
): QuerySignals {
  const queryWords = new Set(splitWords(query));
  const named = new Set<string>();
  for (const name of new Set(candidates.map(findSpeaker)))
    if (name !== null && splitWords(name).some((word) => queryWords.has(word))) named.add(name);
  const [only = ""] = named;
  const words = splitWords(only).filter((word) => queryWords.has(word));
  return {
    matchesSpeaker: (spoken) => {
      if (named.size !== 1) return false;
      if (findSpeaker(spoken) === only) return true;
      return spoken.kind === "memory" && splitWords(spoken.text ?? "").some((word) => words.includes(word));
    },
    scoreDate: (timestamp) => scoreTimeProximity(times, timestamp),
  };
}

/** Returns who a message or memory is by: of a memory, the name before its statement, or its user. */
function findSpeaker({ kind, name, text }: SpokenText): string | null {
  return kind === "memory" ? (findSpeakerName(text ?? "") ?? name) : name;
}

function splitWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
