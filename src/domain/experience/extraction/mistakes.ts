// What does not work, in words: how failed attempts went about it otherwise, and the errors that were met.

import type { Action, Episode } from "../../../schemas/episode";
import { clip } from "../../../text/memory-text";
import type { Attempts } from "./attempts";
import { isFile, sharedPlaces } from "./common-paths";
import { half, nearlyAll } from "./consensus";
import { type ErrorGroup, groupErrors } from "./error-groups";
import { commonSteps, keyOf, type Step, stepText } from "./steps";
import { stopped, unstopped } from "./wording";

/** How many of each are named, and the characters of a message. */
const OMITTED = 3;
const ERRORS = 3;
const MESSAGE_CHARS = 300;

/** Empty when nothing is known. */
export function mistakesOf({ all, failed, steps }: Attempts): string {
  const logs = failed.map(({ action_log }) => action_log).filter((log) => log.length > 0);
  const swapped = steps.flatMap((step) => swappedFor(step, logs) ?? []);
  // A step may come up twice.
  const omitted = new Set(steps.filter((_, at) => isOmitted(steps, at, logs)).map(stepText));
  const found = [
    ...(omitted.size === 0 ? [] : [`Leaving out ${[...omitted].slice(0, OMITTED).join(" and ")}`]),
    ...new Set(swapped),
    ...commonErrors({ all, failed }),
  ];
  return found.length > 0 ? found.map(stopped).join(" ") : otherSteps(failed, steps);
}

type Log = readonly Action[];

/** Failed attempts went past the step. One that ended before it did not leave it out. */
function isOmitted(steps: readonly Step[], at: number, logs: readonly Log[]): boolean {
  const step = steps[at];
  if (step === undefined || logs.length === 0) return false;
  const later = new Set(steps.slice(at + 1).map(({ key }) => key));
  const without = logs.filter(
    (log) =>
      log.some(({ action }) => later.has(keyOf(action))) && !log.some((action) => isStep(action, step)),
  );
  return without.length >= nearlyAll(logs.length) && swappedFor(step, logs) === null;
}

function isStep({ action, target }: Action, step: Step): boolean {
  if (keyOf(action) !== step.key) return false;
  return step.targets.length === 0 || step.targets.some((name) => name.includes("*") || name === target);
}

/** "run_migration production instead of staging". That files differ is the nature of tasks. */
function swappedFor(step: Step, logs: readonly Log[]): string | null {
  const [usual] = step.targets;
  if (usual === undefined || isFile(usual) || logs.some((log) => log.some((each) => isStep(each, step))))
    return null;
  const targets = logs.map((log) =>
    log.flatMap(({ action, target }) => (keyOf(action) === step.key ? (target ?? []) : [])),
  );
  const [other] = sharedPlaces(targets, nearlyAll(logs.length));
  return other === undefined ? null : `${step.action} ${other} instead of ${usual}`;
}

/** What at least half of the failed attempts met, or of all where none failed. */
export function commonErrors({ all, failed }: Pick<Attempts, "all" | "failed">): string[] {
  const among = failed.length > 0 ? failed : all;
  return groupErrors(among)
    .filter(({ episodes }) => episodes.length >= half(among.length))
    .slice(0, ERRORS)
    .map(errorText);
}

function errorText({ type, message }: ErrorGroup): string {
  const name = unstopped(type);
  const said = clip(unstopped(message), MESSAGE_CHARS);
  if (said === "") return name;
  return said.toLowerCase().includes(name.toLowerCase()) ? said : `${said} (${name})`;
}

/** What they did in the same way, if some of it is not part of what works. */
function otherSteps(failed: readonly Episode[], steps: readonly Step[]): string {
  const working = new Set(steps.map(stepText));
  const theirs = commonSteps(failed).map(stepText);
  return theirs.every((step) => working.has(step)) ? "" : stopped(theirs.join(", then "));
}
