// What works in a cluster of episodes and what does not, in words: from their steps, their errors and what they made.
import { clip } from "../memory-text";
import type { Action, Episode } from "../schemas/experience";
import { half, nearlyAll } from "./consensus";
import { groupErrors } from "./error-groups";
import { commonPlaces, sharedPlaces } from "./places";
import { commonSteps, keyOf, type Step, stepText } from "./steps";
import { capitalised, oneLine, remedy, stopped, unstopped } from "./wording";

/** How many of each a text names: the first few are what helps. */
const NAMED = { remedies: 5, errors: 3, omitted: 3, places: 3, steps: 5 } as const;
/** Characters of a resolution or a message within a text. */
const SAID = 300;

export type Attempts = {
  all: readonly Episode[];
  succeeded: boolean;
  /** Those that succeeded; where none did, those that did in part. */
  useful: readonly Episode[];
  failed: readonly Episode[];
  /** Of the useful ones. */
  steps: readonly Step[];
  /** What helped against errors, and how many met these. */
  remedies: readonly { text: string; met: number }[];
};

/** Of episodes in the order of time. */
export function attemptsOf(all: readonly Episode[]): Attempts {
  const having = (outcome: Episode["outcome"]) => all.filter((episode) => episode.outcome === outcome);
  const success = having("success");
  const succeeded = success.length > 0;
  const useful = succeeded ? success : having("partial");
  return {
    all,
    succeeded,
    useful,
    failed: having("failure"),
    steps: commonSteps(useful),
    remedies: remediesOf(all),
  };
}

/** The gist in one sentence. There is always something to say, if only that the task comes up again. */
export function claimOf({ all, succeeded, useful, steps, remedies }: Attempts): string {
  if (steps.length > 0) {
    const first = steps.slice(0, NAMED.steps).map(stepText).join(", then ");
    const works = `what ${succeeded ? "works" : "partly works"} is ${first}${steps.length > NAMED.steps ? ", …" : ""}`;
    const often = remedies.filter(({ met }) => met >= half(all.length));
    return stopped([works, ...often.slice(0, 1).map(({ text }) => text)].join("; "));
  }
  if (remedies.length > 0)
    return stopped(
      remedies
        .slice(0, 2)
        .map(({ text }) => text)
        .join("; "),
    );
  const places = (files: (episode: Episode) => string[]) =>
    sharedPlaces(useful.map(files), half(useful.length)).slice(0, NAMED.places).join(", ");
  const made = places(({ artifacts_produced }) => artifacts_produced);
  if (made !== "") return stopped(`the result is ${made}`);
  const changed = places(({ files_modified, context }) => [...files_modified, ...context.files_involved]);
  if (changed !== "") return stopped(`the work is in ${changed}`);
  return `a task that comes up again, and has been done ${succeeded ? "before" : "in part"}.`;
}

/** What to do, and what to do about errors on the way. */
export function approachOf({ steps, remedies }: Attempts): string {
  const named = remedies.slice(0, NAMED.remedies).map(({ text }) => capitalised(text));
  return [steps.map(stepText).join(", then "), ...named].map(stopped).join(" ").trim();
}

/** What failed attempts left out, and the errors that they or many met; else what they did in the same way. */
export function mistakesOf({ all, failed, steps }: Attempts): string {
  const omitted = omittedBy(failed, steps).slice(0, NAMED.omitted).map(stepText);
  const left = omitted.length === 0 ? [] : [`Leaving out ${omitted.join(" and ")}`];
  const among = failed.length > 0 ? failed : all;
  const errors = groupErrors(among).filter(({ episodes }) => episodes.length >= half(among.length));
  const said = errors.slice(0, NAMED.errors).map(({ type, message }) => {
    const name = unstopped(type);
    return message === "" ? name : `${clip(unstopped(message), SAID)} (${name})`;
  });
  const found = [...left, ...said];
  if (found.length > 0) return found.map(stopped).join(" ");
  const instead = commonSteps(failed).map(stepText).join(", then ");
  return instead === steps.map(stepText).join(", then ") ? "" : stopped(instead);
}

/** Of attempts that did not fail: a resolution that did not save the day is none to follow. */
function remediesOf(episodes: readonly Episode[]): Attempts["remedies"] {
  return groupErrors(episodes.filter(({ outcome }) => outcome !== "failure")).flatMap(
    ({ type, resolution, episodes: met }) =>
      resolution === null ? [] : [{ text: remedy(type, clip(oneLine(resolution), SAID)), met: met.length }],
  );
}

/** Steps that failed attempts went past. One that ended before a step did not leave it out. */
function omittedBy(failed: readonly Episode[], steps: readonly Step[]): Step[] {
  const logs = failed.map(({ action_log }) => action_log).filter((log) => log.length > 0);
  if (logs.length === 0) return [];
  return steps.filter((step, at) => {
    const later = new Set(steps.slice(at + 1).map(({ action }) => keyOf(action)));
    const without = logs.filter(
      (log) =>
        log.some(({ action }) => later.has(keyOf(action))) && !log.some((action) => isStep(action, step)),
    );
    return without.length >= nearlyAll(logs.length);
  });
}

function isStep({ action, target }: Action, step: Step): boolean {
  if (keyOf(action) !== keyOf(step.action)) return false;
  return step.targets.length === 0 || step.targets.some((name) => name.includes("*") || name === target);
}
