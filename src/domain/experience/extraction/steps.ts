// What attempts did in the same order: their actions, with the targets that they share.

import type { Action, Episode } from "../../../schemas/episode";
import { clip, normaliseContent } from "../../../text/memory-text";
import { sharedPlaces } from "./common-paths";
import { consensusOf, most, nearlyAll } from "./consensus";
import { oneLine } from "./wording";

/** Steps of an attempt that are compared, and that are told: more is a log, not an approach. */
const COMPARED = 60;
const TOLD = 12;
/** Targets that a step names, and the characters of an action and a target. */
const TARGETS = 2;
const NAME_CHARS = 120;

/** An action, any number of times in a row. Targets that attempts share are patterns where names differ: `src/*.ts`. */
export type Step = { action: string; key: string; targets: string[] };

/** Of the episodes that tell what they did. */
export function commonSteps(episodes: readonly Episode[]): Step[] {
  const logs = episodes.filter(({ action_log }) => action_log.length > 0);
  const runs = logs.map(({ action_log }) => runsOf(action_log).slice(0, COMPARED));
  const { typical, places } = consensusOf(runs, ({ key }) => key);
  const steps = typical.flatMap(({ action, key }, at): Step[] => {
    const same = places[at] ?? [];
    if (same.length < most(logs.length)) return [];
    const shared = sharedPlaces(
      same.map(({ targets }) => targets),
      nearlyAll(same.length),
    );
    return [{ action, key, targets: shared.slice(0, TARGETS) }];
  });
  return withoutRepeats(steps).slice(0, TOLD);
}

export function keyOf(action: string): string {
  return normaliseContent(action);
}

function runsOf(actions: readonly Action[]): Step[] {
  const runs: Step[] = [];
  for (const { action, target } of actions) {
    const key = keyOf(action);
    const targets = target === undefined ? [] : [clip(oneLine(target), NAME_CHARS)];
    const last = runs.at(-1);
    if (last?.key === key) last.targets.push(...targets);
    else runs.push({ action: clip(oneLine(action), NAME_CHARS), key, targets });
  }
  return runs;
}

/** "edit, test, edit, test" is "edit, test": how often it took differs. */
function withoutRepeats(steps: readonly Step[]): Step[] {
  const kept: Step[] = [];
  for (const step of steps) {
    kept.push(step);
    for (const length of [1, 2, 3]) {
      const last = kept.slice(-length).map(stepText).join();
      if (
        kept.length >= 2 * length &&
        last ===
          kept
            .slice(-2 * length, -length)
            .map(stepText)
            .join()
      )
        kept.splice(-length);
    }
  }
  return kept;
}

export function stepText({ action, targets }: Step): string {
  return targets.length === 0 ? action : `${action} ${targets.join(" and ")}`;
}
