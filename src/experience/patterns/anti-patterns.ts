// Extracts anti-patterns: one for each type of error, whatever the outcome of its episodes. Failed episodes weigh more:
// they give more confidence, and the words. A failed attempt seldom records a resolution, so the prevention may come
// from a successful attempt with the same error.

import { LIMITS } from "../../kernel/limits";
import { clip, normaliseContent } from "../../language/normalise-text";
import { endSentence, stripEndPunctuation } from "../../language/sentences";
import { computeEvidence, type PatternEvidence, sortEpisodes } from "../episodes/episode-record";
import type { Episode, EpisodeError } from "../episodes/episode-schemas";

type Failure = {
  what_fails: string;
  /** Empty if unknown. */
  why: string;
  prevention: string | null;
};

type NewAntiPattern = Failure & PatternEvidence & { key: string };

/** Extracts the anti-patterns of episodes in any order, sorted by key: the normalised type of error. */
export function extractAntiPatterns(episodes: readonly Episode[]): NewAntiPattern[] {
  const ordered = sortEpisodes(episodes);
  const remedies = new Map(
    groupErrors(ordered, computeErrorKey).map(({ key, resolution }) => [key, resolution]),
  );
  const fatal = new Map(groupErrors(ordered.filter(isFailed)).map((group) => [group.key, group]));
  return groupErrors(ordered)
    .map((group) => {
      const { key, episodes: affected } = group;
      const { type, message, resolution } = fatal.get(key) ?? group;
      const remedy = remedies.get(computeErrorKey({ type, message }));
      return {
        key,
        what_fails: type,
        why: message,
        prevention: resolution ?? remedy ?? group.resolution,
        ...computeEvidence(affected, weighError),
      };
    })
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

function isFailed({ outcome }: Episode): boolean {
  return outcome === "failure";
}

/** Weight of an episode that overcame its error, beside one that failed. */
const OVERCOME_WEIGHT = 0.5;

/** Weighs an episode as evidence for an error. */
export function weighError(episode: Episode): number {
  return isFailed(episode) ? 1 : OVERCOME_WEIGHT;
}

/** Characters of each part: a stack trace must not displace the prevention. */
const PART_CHARS = { what: 500, why: 700, prevention: 700 } as const;

/** Renders an anti-pattern as one statement that is complete in a list of memories. */
export function renderAntiPattern({ what_fails, why, prevention }: Failure): string {
  const what = clip(stripEndPunctuation(what_fails), PART_CHARS.what);
  const because = clip(stripEndPunctuation(why), PART_CHARS.why);
  const advice = endSentence(clip(prevention ?? "", PART_CHARS.prevention));
  const text = endSentence(renderFailure(what, because));
  return clip(advice === "" ? text : `${text} Prevention: ${advice}`, LIMITS.contentChars);
}

function renderFailure(subject: string, why: string): string {
  const clause = describeFailure(subject);
  if (why === "") return clause ?? `Known failure: ${subject}`;
  // Many messages begin with the name of their error.
  if (why.toLowerCase().startsWith(subject.toLowerCase())) return why;
  return `${clause ?? subject}: ${why}`;
}

/** Errors with the same key, each field with its most frequent text. */
export type ErrorGroup = {
  key: string;
  type: string;
  /** Empty if no error has one. */
  message: string;
  /** The resolution of errors with this message, or of any error of the group. */
  resolution: string | null;
  /** Episodes with such an error, each once, sorted by time. */
  episodes: Episode[];
};

type ErrorName = Pick<EpisodeError, "type" | "message">;

/** Returns the key of a type of error. */
function normaliseErrorType({ type }: ErrorName): string {
  return normaliseContent(type);
}

/** Returns the key of an error with its message. */
export function computeErrorKey({ type, message }: ErrorName): string {
  return JSON.stringify([normaliseContent(type), normaliseContent(message)]);
}

/** Groups the errors of episodes sorted by time. Groups of most episodes come first, then by key. */
export function groupErrors(episodes: readonly Episode[], toKey = normaliseErrorType): ErrorGroup[] {
  const found = new Map<string, { errors: EpisodeError[]; episodes: Set<Episode> }>();
  for (const episode of episodes) {
    for (const error of episode.errors_encountered) {
      const key = toKey(error);
      const group = found.get(key) ?? { errors: [], episodes: new Set() };
      group.errors.push(error);
      group.episodes.add(episode);
      found.set(key, group);
    }
  }
  const groups = [...found].map(([key, { errors, episodes }]) => {
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

function selectResolution(errors: readonly EpisodeError[], withMessage?: string): string | null {
  const matching = errors.filter(
    ({ message }) => withMessage === undefined || normaliseContent(message) === normaliseContent(withMessage),
  );
  return selectMostFrequent(matching.map(({ resolution }) => resolution ?? ""));
}

/** Returns the most frequent text as last written, of equally frequent ones the newest; null if all are empty. */
function selectMostFrequent(texts: readonly string[]): string | null {
  const counts = new Map<string, { count: number; last: number; text: string }>();
  for (const [last, text] of texts.entries()) {
    const key = normaliseContent(text);
    if (key !== "") counts.set(key, { count: (counts.get(key)?.count ?? 0) + 1, last, text: text.trim() });
  }
  const [first] = [...counts.values()].sort((a, b) => b.count - a.count || b.last - a.last);
  return first?.text ?? null;
}

/** An activity, which can fail: "TypeScript compilation", "Type check", "Unit tests". */
const ACTIVITY =
  /(?:[a-z](?:tion|sion|ment|ing)s?|\b(?:build|check|compile|deploy|fetch|import|install|lint|login|merge|parse|push|query|release|request|rollback|startup|sync|test|upload|download|upgrade)e?s?)$/i;
/** A gerund phrase: "Omitting the return type". */
const GERUND =
  /^(?!missing\b|failing\b|pending\b|warning\b|breaking\b|dangling\b|string\b|nothing\b)[a-z]+ing\b/i;
/** A name that already states a failure, or contains a verb. */
const STATEMENT =
  /\b(?:fail\w*|error\w*|exception|broke\w*|crash\w*|violation|exceeded|denied|refused|missing|is|are|was|were|does|do|has|have|can|cannot|will)\b|n't\b/i;

/** Returns a clause such as "TypeScript compilation fails"; null for the name of an error, such as "TypeError". */
function describeFailure(name: string): string | null {
  const line = stripEndPunctuation(name).replaceAll("_", " ");
  if (STATEMENT.test(line)) return null;
  if (GERUND.test(line)) return `${line} fails`;
  if (!ACTIVITY.test(line)) return null;
  return /s$/i.test(line) ? `${line} fail` : `${line} fails`;
}

/** Renders the remedy for an error: "if TypeScript compilation fails: …", "on TypeError: …". */
export function renderRemedy(type: string, resolution: string): string {
  const clause = describeFailure(type);
  return `${clause === null ? `on ${stripEndPunctuation(type)}` : `if ${clause}`}: ${stripEndPunctuation(resolution)}`;
}
