// What to avoid: the errors of attempts that failed, one lesson for each type of error. An attempt that fails seldom
// knows the remedy, so one that met the very same error and came through is asked for it.
import { LIMITS } from "../../../limits";
import type { Episode } from "../../../schemas/episode";
import { clip } from "../../../text/memory-text";
import { exactError, groupErrors } from "./error-groups";
import { type Evidence, evidenceOf, inOrder } from "./evidence";
import { failing, stopped, unstopped } from "./wording";

type Failure = {
  what_fails: string;
  /** Empty when it is not known. */
  why: string;
  prevention: string | null;
};

export type NewAntiPattern = Failure & Evidence & { key: string };

/** By the type's normal form, in alphabetical order. */
export function extractAntiPatterns(episodes: readonly Episode[]): NewAntiPattern[] {
  const ordered = inOrder(episodes);
  const remedies = new Map(groupErrors(ordered, exactError).map(({ key, resolution }) => [key, resolution]));
  return groupErrors(ordered.filter(({ outcome }) => outcome === "failure"))
    .map(({ key, type, message, resolution, episodes: met }) => ({
      key,
      what_fails: type,
      why: message,
      prevention: resolution ?? remedies.get(exactError({ type, message })) ?? null,
      ...evidenceOf(met),
    }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** What those who met an error and came through did about it, by the error's type. */
export function remediesOf(episodes: readonly Episode[]): Map<string, string> {
  const through = inOrder(episodes).filter(({ outcome }) => outcome !== "failure");
  return new Map(
    groupErrors(through).flatMap(({ key, resolution }) => (resolution === null ? [] : [[key, resolution]])),
  );
}

/** Characters of each part: a stack trace must not push the prevention out. */
const PART = { what: 500, why: 700, prevention: 700 } as const;

/** The lesson as one statement that stands alone where memories are listed. */
export function antiPatternText({ what_fails, why, prevention }: Failure): string {
  const what = clip(unstopped(what_fails), PART.what);
  const because = clip(unstopped(why), PART.why);
  const advice = stopped(clip(prevention ?? "", PART.prevention));
  const text = stopped(statement(what, because));
  return clip(advice === "" ? text : `${text} Prevention: ${advice}`, LIMITS.contentChars);
}

function statement(what: string, why: string): string {
  const named = failing(what);
  if (why === "") return named ?? `Known failure: ${what}`;
  // Many messages begin with the name of their error.
  if (why.toLowerCase().startsWith(what.toLowerCase())) return why;
  return `${named ?? what}: ${why}`;
}
