// What works, in words: in a sentence for a list, and in full.
import type { Action, Episode } from "../../../schemas/episode";
import { clip, collapseWhitespace, normaliseContent } from "../../../text/normalise-text";
import { capitalise, endSentence, stripEndPunctuation } from "../../../text/sentences";
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

/** How many of each a text names: the first few are what helps. */
const SENTENCE = { steps: 5, remedies: 2, places: 3 } as const;
const REMEDIES = 5;

/** There is always something to say, if only that the task comes up again. */
export function renderClaim(attempts: Attempts): string {
  const { succeeded, steps, remedies } = attempts;
  const texts = (named: Attempts["remedies"]) => named.map(({ text }) => text);
  if (steps.length > 0) {
    const first = steps.slice(0, SENTENCE.steps).map(renderStep).join(", then ");
    const more = steps.length > SENTENCE.steps ? ", …" : "";
    const works = `what ${succeeded ? "works" : "partly works"} is ${first}${more}`;
    return endSentence([works, ...texts(remedies.filter(({ often }) => often)).slice(0, 1)].join("; "));
  }
  if (remedies.length > 0) return endSentence(texts(remedies).slice(0, SENTENCE.remedies).join("; "));
  const [danger] = listCommonErrors(attempts);
  if (danger !== undefined) return endSentence(`watch out for ${danger}`);
  const again = succeeded ? "that has been done before" : "that has only been done in part";
  return endSentence(renderLocation(attempts) ?? `a recurring task ${again}`);
}

/** What it leaves behind, else where it is done. */
function renderLocation({ useful }: Attempts): string | null {
  const places = (filesOf: (episode: Episode) => string[]) =>
    findCommonPaths(useful.map(filesOf)).slice(0, SENTENCE.places).join(", ");
  const made = places(({ artifacts_produced }) => artifacts_produced);
  if (made !== "") return `the result is ${made}`;
  const touched = places(({ files_modified, context }) => [...files_modified, ...context.files_involved]);
  return touched === "" ? null : `the work is in ${touched}`;
}

/** What to do, and what to do about errors on the way; empty when nothing is known. */
export function renderCorrectApproach({ steps, remedies }: Attempts): string {
  const named = remedies.slice(0, REMEDIES).map(({ text }) => capitalise(text));
  const parts = [steps.map(renderStep).join(", then "), ...named];
  return parts
    .filter((part) => part !== "")
    .map(endSentence)
    .join(" ");
}

/** How many of each are named, and the characters of a message. */
const OMITTED = 3;
const ERRORS = 3;
const MESSAGE_CHARS = 300;

/** Empty when nothing is known. */
export function renderIncorrectApproach({ all, failed, steps }: Attempts): string {
  const logs = failed.map(({ action_log }) => action_log).filter((log) => log.length > 0);
  const swapped = steps.flatMap((step) => findSwappedTarget(step, logs) ?? []);
  // A step may come up twice.
  const omitted = new Set(steps.filter((_, at) => omitsStep(steps, at, logs)).map(renderStep));
  const found = [
    ...(omitted.size === 0 ? [] : [`Leaving out ${[...omitted].slice(0, OMITTED).join(" and ")}`]),
    ...new Set(swapped),
    ...listCommonErrors({ all, failed }),
  ];
  return found.length > 0 ? found.map(endSentence).join(" ") : renderOtherSteps(failed, steps);
}

type Log = readonly Action[];

/** Failed attempts went past the step. One that ended before it did not leave it out. */
function omitsStep(steps: readonly CommonStep[], at: number, logs: readonly Log[]): boolean {
  const step = steps[at];
  if (step === undefined || logs.length === 0) return false;
  const later = new Set(steps.slice(at + 1).map(({ key }) => key));
  const without = logs.filter(
    (log) =>
      log.some(({ action }) => later.has(normaliseAction(action))) &&
      !log.some((action) => isStep(action, step)),
  );
  return without.length >= countNearlyAll(logs.length) && findSwappedTarget(step, logs) === null;
}

function isStep({ action, target }: Action, step: CommonStep): boolean {
  if (normaliseAction(action) !== step.key) return false;
  return step.targets.length === 0 || step.targets.some((name) => name.includes("*") || name === target);
}

/** "run_migration production instead of staging". That files differ is the nature of tasks. */
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

/** What at least half of the failed attempts met, or of all where none failed. */
export function listCommonErrors({ all, failed }: Pick<Attempts, "all" | "failed">): string[] {
  const among = failed.length > 0 ? failed : all;
  return groupErrors(among)
    .filter(({ episodes }) => episodes.length >= countHalf(among.length))
    .slice(0, ERRORS)
    .map(renderErrorGroup);
}

function renderErrorGroup({ type, message }: ErrorGroup): string {
  const name = stripEndPunctuation(type);
  const said = clip(stripEndPunctuation(message), MESSAGE_CHARS);
  if (said === "") return name;
  return said.toLowerCase().includes(name.toLowerCase()) ? said : `${said} (${name})`;
}

/** What they did in the same way, if some of it is not part of what works. */
function renderOtherSteps(failed: readonly Episode[], steps: readonly CommonStep[]): string {
  const working = new Set(steps.map(renderStep));
  const theirs = findCommonSteps(failed).map(renderStep);
  return theirs.every((step) => working.has(step)) ? "" : endSentence(theirs.join(", then "));
}

/** Characters of a resolution within a text. */
const RESOLUTION_CHARS = 300;

export type Attempts = {
  all: readonly Episode[];
  failed: readonly Episode[];
  succeeded: boolean;
  /** Those that succeeded; where none did, those that did in part. */
  useful: readonly Episode[];
  /** What the useful ones did. */
  steps: readonly CommonStep[];
  /** What helped against errors; `often` when half of those that did not fail met them. */
  remedies: readonly { text: string; often: boolean }[];
};

/** Of episodes in the order of time. */
export function analyseAttempts(all: readonly Episode[]): Attempts {
  const having = (outcome: Episode["outcome"]) => all.filter((episode) => episode.outcome === outcome);
  const [success, failed] = [having("success"), having("failure")];
  const succeeded = success.length > 0;
  const useful = succeeded ? success : having("partial");
  return { all, failed, succeeded, useful, steps: findCommonSteps(useful), remedies: listRemedies(all) };
}

/** A resolution that did not save its attempt is none to follow. */
function listRemedies(all: readonly Episode[]): Attempts["remedies"] {
  const came = all.filter(({ outcome }) => outcome !== "failure");
  return groupErrors(came).flatMap(({ type, resolution, episodes }) => {
    if (resolution === null) return [];
    const text = renderRemedy(type, clip(collapseWhitespace(resolution), RESOLUTION_CHARS));
    return [{ text, often: episodes.length * 2 >= came.length }];
  });
}

/** Steps of an attempt that are compared, and that are told: more is a log, not an approach. */
const COMPARED = 60;
const TOLD = 12;
/** Targets that a step names, and the characters of an action and a target. */
const TARGETS = 2;
const NAME_CHARS = 120;

/** An action, any number of times in a row. Targets that attempts share are patterns where names differ: `src/*.ts`. */
export type CommonStep = { action: string; key: string; targets: string[] };

/** Of the episodes that tell what they did. */
export function findCommonSteps(episodes: readonly Episode[]): CommonStep[] {
  const logs = episodes.filter(({ action_log }) => action_log.length > 0);
  const runs = logs.map(({ action_log }) => groupRuns(action_log).slice(0, COMPARED));
  const { typical, alignedItems } = findConsensus(runs, ({ key }) => key);
  const steps = typical.flatMap(({ action, key }, at): CommonStep[] => {
    const same = alignedItems[at] ?? [];
    if (same.length < countMost(logs.length)) return [];
    const shared = findSharedPaths(
      same.map(({ targets }) => targets),
      countNearlyAll(same.length),
    );
    return [{ action, key, targets: shared.slice(0, TARGETS) }];
  });
  return collapseRepeats(steps).slice(0, TOLD);
}

export function normaliseAction(action: string): string {
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

/** "edit, test, edit, test" is "edit, test": how often it took differs. */
function collapseRepeats(steps: readonly CommonStep[]): CommonStep[] {
  const kept: CommonStep[] = [];
  for (const step of steps) {
    kept.push(step);
    for (const length of [1, 2, 3]) {
      const last = kept.slice(-length).map(renderStep).join();
      if (
        kept.length >= 2 * length &&
        last ===
          kept
            .slice(-2 * length, -length)
            .map(renderStep)
            .join()
      )
        kept.splice(-length);
    }
  }
  return kept;
}

export function renderStep({ action, targets }: CommonStep): string {
  return targets.length === 0 ? action : `${action} ${targets.join(" and ")}`;
}
