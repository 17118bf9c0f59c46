// A cluster of episodes as it is read: which attempts to learn from, what they did, what helped them.

import type { Episode } from "../../../schemas/episode";
import { clip } from "../../../text/memory-text";
import { groupErrors } from "./error-groups";
import { commonSteps, type Step } from "./steps";
import { oneLine, remedy } from "./wording";

/** Characters of a resolution within a text. */
const RESOLUTION_CHARS = 300;

export type Attempts = {
  all: readonly Episode[];
  failed: readonly Episode[];
  succeeded: boolean;
  /** Those that succeeded; where none did, those that did in part. */
  useful: readonly Episode[];
  /** What the useful ones did. */
  steps: readonly Step[];
  /** What helped against errors; `often` when half of those that did not fail met them. */
  remedies: readonly { text: string; often: boolean }[];
};

/** Of episodes in the order of time. */
export function attemptsOf(all: readonly Episode[]): Attempts {
  const having = (outcome: Episode["outcome"]) => all.filter((episode) => episode.outcome === outcome);
  const [success, failed] = [having("success"), having("failure")];
  const succeeded = success.length > 0;
  const useful = succeeded ? success : having("partial");
  return { all, failed, succeeded, useful, steps: commonSteps(useful), remedies: remediesOf(all) };
}

/** A resolution that did not save its attempt is none to follow. */
function remediesOf(all: readonly Episode[]): Attempts["remedies"] {
  const came = all.filter(({ outcome }) => outcome !== "failure");
  return groupErrors(came).flatMap(({ type, resolution, episodes }) => {
    if (resolution === null) return [];
    const text = remedy(type, clip(oneLine(resolution), RESOLUTION_CHARS));
    return [{ text, often: episodes.length * 2 >= came.length }];
  });
}
