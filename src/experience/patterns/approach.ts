// The approach of a cluster of episodes, in words: the steps and remedies of attempts that succeeded, and the
// mistakes of those that failed.

import { clip, collapseWhitespace, normaliseContent } from "../../language/normalise-text";
import { capitalise, endSentence, stripEndPunctuation } from "../../language/sentences";
import type { Action, Episode } from "../episodes/episode-schemas";
import { type ErrorGroup, groupErrors, renderRemedy } from "./anti-patterns";
import {
  countHalf,
  countMost,
  countNearlyAll,
  findCommonPaths,
  findConsensus,
  findSharedPaths,
  isFilePath,
} from "./consensus";

/** Items that the one-sentence claim lists. */
const CLAIM = { steps: 5, remedies: 2, paths: 3 } as const;
/** Remedies that the full approach lists. */
const APPROACH_REMEDIES = 5;

/** Renders one sentence on how the task is done. Never empty: in the last resort it states that the task recurs. */
export function renderClaim(attempts: Attempts): string {
  const { succeeded, steps, remedies } = attempts;
  const toTexts = (selected: Attempts["remedies"]) => selected.map(({ text }) => text);
  if (steps.length > 0) {
    const first = steps.slice(0, CLAIM.steps).map(renderStep).join(", then ");
    const more = steps.length > CLAIM.steps ? ", …" : "";
    const works = `what ${succeeded ? "works" : "partly works"} is ${first}${more}`;
    return endSentence(
      [works, ...toTexts(remedies.filter(({ frequent }) => frequent)).slice(0, 1)].join("; "),
    );
  }
  if (remedies.length > 0) return endSentence(toTexts(remedies).slice(0, CLAIM.remedies).join("; "));
  const [danger] = listCommonErrors(attempts);
  if (danger !== undefined) return endSentence(`watch out for ${danger}`);
  const again = succeeded ? "that has been done before" : "that has only been done in part";
  return endSentence(renderLocation(attempts) ?? `a recurring task ${again}`);
}

/** Renders the common artifacts of the useful attempts, or else the common location of their files. */
function renderLocation({ useful }: Attempts): string | null {
  const listPaths = (selectFiles: (episode: Episode) => string[]) =>
    findCommonPaths(useful.map(selectFiles)).slice(0, CLAIM.paths).join(", ");
  const made = listPaths(({ artifacts_produced }) => artifacts_produced);
  if (made !== "") return `the result is ${made}`;
  const touched = listPaths(({ files_modified, context }) => [...files_modified, ...context.files_involved]);
  return touched === "" ? null : `the work is in ${touched}`;
}

/** Renders the common steps, then the remedies for errors on the way; empty if neither is known. */
export function renderCorrectApproach({ steps, remedies }: Attempts): string {
  const advice = remedies.slice(0, APPROACH_REMEDIES).map(({ text }) => capitalise(text));
  const parts = [steps.map(renderStep).join(", then "), ...advice];
  return parts
    .filter((part) => part !== "")
    .map(endSentence)
    .join(" ");
}

/** Omitted steps and errors that are listed, and characters of an error message. */
const LISTED_OMISSIONS = 3;
const LISTED_ERRORS = 3;
const MESSAGE_CHARS = 300;

/** Renders how failed attempts differ: steps left out, targets swapped, errors in common; empty if nothing is known. */
export function renderIncorrectApproach({ all, failed, steps }: Attempts): string {
  const logs = failed.map(({ action_log }) => action_log).filter((log) => log.length > 0);
  const swapped = steps.flatMap((step) => findSwappedTarget(step, logs) ?? []);
  // A step may occur twice.
  const omitted = new Set(steps.filter((_, at) => omitsStep(steps, at, logs)).map(renderStep));
  const found = [
    ...(omitted.size === 0 ? [] : [`Leaving out ${[...omitted].slice(0, LISTED_OMISSIONS).join(" and ")}`]),
    ...new Set(swapped),
    ...listCommonErrors({ all, failed }),
  ];
  return found.length > 0 ? found.map(endSentence).join(" ") : renderOtherSteps(failed, steps);
}

type Log = readonly Action[];

/** Returns whether nearly all failed attempts skipped a step. An attempt that ended earlier did not skip it. */
function omitsStep(steps: readonly CommonStep[], at: number, logs: readonly Log[]): boolean {
  const step = steps[at];
  if (step === undefined || logs.length === 0) return false;
  const later = new Set(steps.slice(at + 1).map(({ key }) => key));
  const skipping = logs.filter(
    (log) =>
      log.some(({ action }) => later.has(normaliseAction(action))) &&
      !log.some((action) => isStep(action, step)),
  );
  return skipping.length >= countNearlyAll(logs.length) && findSwappedTarget(step, logs) === null;
}

function isStep({ action, target }: Action, step: CommonStep): boolean {
  if (normaliseAction(action) !== step.key) return false;
  return step.targets.length === 0 || step.targets.some((name) => name.includes("*") || name === target);
}

/** Returns a phrase such as "run_migration production instead of staging". Files are exempt: tasks differ in them. */
function findSwappedTarget(step: CommonStep, logs: readonly Log[]): string | null {
  const [usual] = step.targets;
  if (usual === undefined || isFilePath(usual) || logs.some((log) => log.some((each) => isStep(each, step))))
    return null;
  const targets = logs.map((log) =>
    log.flatMap(({ action, target }) => (normaliseAction(action) === step.key ? (target ?? []) : [])),
  );
  const [other] = findSharedPaths(targets, countNearlyAll(logs.length));
  return other === undefined ? null : `${step.action} ${other} instead of ${usual}`;
}

/** Lists the errors of at least half of the failed attempts, or of all attempts if none failed. */
function listCommonErrors({ all, failed }: Pick<Attempts, "all" | "failed">): string[] {
  const among = failed.length > 0 ? failed : all;
  return groupErrors(among)
    .filter(({ episodes }) => episodes.length >= countHalf(among.length))
    .slice(0, LISTED_ERRORS)
    .map(renderErrorGroup);
}

function renderErrorGroup({ type, message }: ErrorGroup): string {
  const name = stripEndPunctuation(type);
  const text = clip(stripEndPunctuation(message), MESSAGE_CHARS);
  if (text === "") return name;
  return text.toLowerCase().includes(name.toLowerCase()) ? text : `${text} (${name})`;
}

/** Renders the common steps of failed attempts; empty if all of them are steps of the correct approach. */
function renderOtherSteps(failed: readonly Episode[], steps: readonly CommonStep[]): string {
  const working = new Set(steps.map(renderStep));
  const theirs = findCommonSteps(failed).map(renderStep);
  return theirs.every((step) => working.has(step)) ? "" : endSentence(theirs.join(", then "));
}

const RESOLUTION_CHARS = 300;

/** A cluster of episodes, analysed. */
export type Attempts = {
  all: readonly Episode[];
  failed: readonly Episode[];
  /** Whether at least one attempt succeeded. */
  succeeded: boolean;
  /** The successful attempts, or else the partly successful ones. */
  useful: readonly Episode[];
  /** Steps that the useful attempts have in common. */
  steps: readonly CommonStep[];
  /** Resolutions of errors; `frequent` if half of the attempts that did not fail had the error. */
  remedies: readonly { text: string; frequent: boolean }[];
};

/** Analyses episodes sorted by time. */
export function analyseAttempts(all: readonly Episode[]): Attempts {
  const select = (outcome: Episode["outcome"]) => all.filter((episode) => episode.outcome === outcome);
  const [success, failed] = [select("success"), select("failure")];
  const succeeded = success.length > 0;
  const useful = succeeded ? success : select("partial");
  return { all, failed, succeeded, useful, steps: findCommonSteps(useful), remedies: listRemedies(all) };
}

/** Lists the remedies of attempts that did not fail: a resolution in a failed attempt is unproven. */
function listRemedies(all: readonly Episode[]): Attempts["remedies"] {
  const recovered = all.filter(({ outcome }) => outcome !== "failure");
  return groupErrors(recovered).flatMap(({ type, resolution, episodes }) => {
    if (resolution === null) return [];
    const text = renderRemedy(type, clip(collapseWhitespace(resolution), RESOLUTION_CHARS));
    return [{ text, frequent: episodes.length * 2 >= recovered.length }];
  });
}

/** Steps of an attempt that are compared, and steps of an approach: a longer list is a log, not an approach. */
const COMPARED_STEPS = 60;
const APPROACH_STEPS = 12;
/** Targets of a step, and characters of an action or a target. */
const STEP_TARGETS = 2;
const NAME_CHARS = 120;

/** An action, any number of times in a row, with its common targets: paths, or patterns such as `src/*.ts`. */
type CommonStep = { action: string; key: string; targets: string[] };

/** Finds the steps that most of the episodes with an action log take in the same order. */
function findCommonSteps(episodes: readonly Episode[]): CommonStep[] {
  const logs = episodes.filter(({ action_log }) => action_log.length > 0);
  const runs = logs.map(({ action_log }) => groupRuns(action_log).slice(0, COMPARED_STEPS));
  const { typical, alignedItems } = findConsensus(runs, ({ key }) => key);
  const steps = typical.flatMap(({ action, key }, at): CommonStep[] => {
    const same = alignedItems[at] ?? [];
    if (same.length < countMost(logs.length)) return [];
    const shared = findSharedPaths(
      same.map(({ targets }) => targets),
      countNearlyAll(same.length),
    );
    return [{ action, key, targets: shared.slice(0, STEP_TARGETS) }];
  });
  return collapseRepeats(steps).slice(0, APPROACH_STEPS);
}

function normaliseAction(action: string): string {
  return normaliseContent(action);
}

function groupRuns(actions: readonly Action[]): CommonStep[] {
  const runs: CommonStep[] = [];
  for (const { action, target } of actions) {
    const key = normaliseAction(action);
    const targets = target === undefined ? [] : [clip(collapseWhitespace(target), NAME_CHARS)];
    const last = runs.at(-1);
    if (last?.key === key) last.targets.push(...targets);
    else runs.push({ action: clip(collapseWhitespace(action), NAME_CHARS), key, targets });
  }
  return runs;
}

/** Reduces "edit, test, edit, test" to "edit, test": the number of rounds differs between attempts. */
function collapseRepeats(steps: readonly CommonStep[]): CommonStep[] {
  const result: CommonStep[] = [];
  for (const step of steps) {
    result.push(step);
    for (const length of [1, 2, 3]) {
      const last = result.slice(-length).map(renderStep).join();
      if (
        result.length >= 2 * length &&
        last ===
          result
            .slice(-2 * length, -length)
            .map(renderStep)
            .join()
      )
        result.splice(-length);
    }
  }
  return result;
}

export function renderStep({ action, targets }: CommonStep): string {
  return targets.length === 0 ? action : `${action} ${targets.join(" and ")}`;
}
