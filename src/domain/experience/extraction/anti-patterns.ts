// What to avoid: the errors of attempts that failed, one lesson for each type of error. An attempt that fails seldom
// knows the remedy, so one that met the very same error and came through is asked for it.

import { LIMITS } from "../../../limits";
import type { Episode, EpisodeError } from "../../../schemas/episode";
import { clip, normaliseContent } from "../../../text/normalise-text";
import { endSentence, stripEndPunctuation } from "../../../text/sentences";

import { computeEvidence, type PatternEvidence, sortEpisodes } from "../episode-record";

type Failure = {
  what_fails: string;
  /** Empty when it is not known. */
  why: string;
  prevention: string | null;
};

export type NewAntiPattern = Failure & PatternEvidence & { key: string };

/** By the type's normal form, in alphabetical order. */
export function extractAntiPatterns(episodes: readonly Episode[]): NewAntiPattern[] {
  const ordered = sortEpisodes(episodes);
  const remedies = new Map(
    groupErrors(ordered, computeErrorKey).map(({ key, resolution }) => [key, resolution]),
  );
  return groupErrors(ordered.filter(({ outcome }) => outcome === "failure"))
    .map(({ key, type, message, resolution, episodes: met }) => ({
      key,
      what_fails: type,
      why: message,
      prevention: resolution ?? remedies.get(computeErrorKey({ type, message })) ?? null,
      ...computeEvidence(met),
    }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** What those who met an error and came through did about it, by the error's type. */
export function findRemedies(episodes: readonly Episode[]): Map<string, string> {
  const through = sortEpisodes(episodes).filter(({ outcome }) => outcome !== "failure");
  return new Map(
    groupErrors(through).flatMap(({ key, resolution }) => (resolution === null ? [] : [[key, resolution]])),
  );
}

/** Characters of each part: a stack trace must not push the prevention out. */
const PART = { what: 500, why: 700, prevention: 700 } as const;

/** The lesson as one statement that stands alone where memories are listed. */
export function renderAntiPattern({ what_fails, why, prevention }: Failure): string {
  const what = clip(stripEndPunctuation(what_fails), PART.what);
  const because = clip(stripEndPunctuation(why), PART.why);
  const advice = endSentence(clip(prevention ?? "", PART.prevention));
  const text = endSentence(renderFailure(what, because));
  return clip(advice === "" ? text : `${text} Prevention: ${advice}`, LIMITS.contentChars);
}

function renderFailure(what: string, why: string): string {
  const named = describeFailure(what);
  if (why === "") return named ?? `Known failure: ${what}`;
  // Many messages begin with the name of their error.
  if (why.toLowerCase().startsWith(what.toLowerCase())) return why;
  return `${named ?? what}: ${why}`;
}

export type ErrorGroup = {
  key: string;
  type: string;
  /** Empty when nobody said more. */
  message: string;
  /** Of errors with that message, else of any. */
  resolution: string | null;
  /** Those that met it, each once, in the order of time. */
  episodes: Episode[];
};

type Named = Pick<EpisodeError, "type" | "message">;

/** The type in the form in which two types are the same. */
export function normaliseErrorType({ type }: Named): string {
  return normaliseContent(type);
}

/** The same for the very same error. */
export function computeErrorKey({ type, message }: Named): string {
  return JSON.stringify([normaliseContent(type), normaliseContent(message)]);
}

/** Of episodes in the order of time: what most of them met comes first, then by key. */
export function groupErrors(episodes: readonly Episode[], keyOf = normaliseErrorType): ErrorGroup[] {
  const met = new Map<string, { errors: EpisodeError[]; episodes: Set<Episode> }>();
  for (const episode of episodes) {
    for (const error of episode.errors_encountered) {
      const key = keyOf(error);
      const group = met.get(key) ?? { errors: [], episodes: new Set() };
      group.errors.push(error);
      group.episodes.add(episode);
      met.set(key, group);
    }
  }
  const groups = [...met].map(([key, { errors, episodes }]) => {
    const message = selectMostFrequent(errors.map((error) => error.message)) ?? "";
    return {
      key,
      type: selectMostFrequent(errors.map(({ type }) => type)) ?? key,
      message,
      resolution: selectResolution(errors, message) ?? selectResolution(errors),
      episodes: [...episodes],
    };
  });
  return groups.sort((a, b) => b.episodes.length - a.episodes.length || (a.key < b.key ? -1 : 1));
}

function selectResolution(errors: readonly EpisodeError[], said?: string): string | null {
  const same = errors.filter(
    ({ message }) => said === undefined || normaliseContent(message) === normaliseContent(said),
  );
  return selectMostFrequent(same.map(({ resolution }) => resolution ?? ""));
}

/** The newest of the most frequent texts, as it was last written; null when all are empty. */
function selectMostFrequent(texts: readonly string[]): string | null {
  const counts = new Map<string, { count: number; last: number; text: string }>();
  for (const [last, text] of texts.entries()) {
    const key = normaliseContent(text);
    if (key !== "") counts.set(key, { count: (counts.get(key)?.count ?? 0) + 1, last, text: text.trim() });
  }
  const [first] = [...counts.values()].sort((a, b) => b.count - a.count || b.last - a.last);
  return first?.text ?? null;
}

/** A noun for something that is done, and so can fail: "TypeScript compilation", "Type check", "Unit tests". */
const DOING =
  /(?:[a-z](?:tion|sion|ment|ing)s?|\b(?:build|check|compile|deploy|fetch|import|install|lint|login|merge|parse|push|query|release|request|rollback|startup|sync|test|upload|download|upgrade)e?s?)$/i;
/** "Omitting the return type". */
const GERUND =
  /^(?!missing\b|failing\b|pending\b|warning\b|breaking\b|dangling\b|string\b|nothing\b)[a-z]+ing\b/i;
/** It says already that something is wrong, or that something happens. */
const TOLD =
  /\b(?:fail\w*|error\w*|exception|broke\w*|crash\w*|violation|exceeded|denied|refused|missing|is|are|was|were|does|do|has|have|can|cannot|will)\b|n't\b/i;

/** "TypeScript compilation fails"; null for the name of an error, which is a failure by itself. */
export function describeFailure(name: string): string | null {
  const line = stripEndPunctuation(name).replaceAll("_", " ");
  if (TOLD.test(line)) return null;
  if (GERUND.test(line)) return `${line} fails`;
  if (!DOING.test(line)) return null;
  return /s$/i.test(line) ? `${line} fail` : `${line} fails`;
}

/** What is done about an error: "if TypeScript compilation fails: …", "on TypeError: …". */
export function renderRemedy(type: string, resolution: string): string {
  const fails = describeFailure(type);
  return `${fails === null ? `on ${stripEndPunctuation(type)}` : `if ${fails}`}: ${stripEndPunctuation(resolution)}`;
}
