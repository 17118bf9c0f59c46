// What works, in words: in a sentence for a list, and in full.
import type { Episode } from "../../../schemas/episode";
import type { Attempts } from "./attempts";
import { commonPlaces } from "./common-paths";
import { commonErrors } from "./mistakes";
import { stepText } from "./steps";
import { capitalised, stopped } from "./wording";

/** How many of each a text names: the first few are what helps. */
const SENTENCE = { steps: 5, remedies: 2, places: 3 } as const;
const REMEDIES = 5;

/** There is always something to say, if only that the task comes up again. */
export function claimOf(attempts: Attempts): string {
  const { succeeded, steps, remedies } = attempts;
  const texts = (named: Attempts["remedies"]) => named.map(({ text }) => text);
  if (steps.length > 0) {
    const first = steps.slice(0, SENTENCE.steps).map(stepText).join(", then ");
    const more = steps.length > SENTENCE.steps ? ", …" : "";
    const works = `what ${succeeded ? "works" : "partly works"} is ${first}${more}`;
    return stopped([works, ...texts(remedies.filter(({ often }) => often)).slice(0, 1)].join("; "));
  }
  if (remedies.length > 0) return stopped(texts(remedies).slice(0, SENTENCE.remedies).join("; "));
  const [danger] = commonErrors(attempts);
  if (danger !== undefined) return stopped(`watch out for ${danger}`);
  const again = succeeded ? "that has been done before" : "that has only been done in part";
  return stopped(placeOf(attempts) ?? `a recurring task ${again}`);
}

/** What it leaves behind, else where it is done. */
function placeOf({ useful }: Attempts): string | null {
  const places = (filesOf: (episode: Episode) => string[]) =>
    commonPlaces(useful.map(filesOf)).slice(0, SENTENCE.places).join(", ");
  const made = places(({ artifacts_produced }) => artifacts_produced);
  if (made !== "") return `the result is ${made}`;
  const touched = places(({ files_modified, context }) => [...files_modified, ...context.files_involved]);
  return touched === "" ? null : `the work is in ${touched}`;
}

/** What to do, and what to do about errors on the way; empty when nothing is known. */
export function approachOf({ steps, remedies }: Attempts): string {
  const named = remedies.slice(0, REMEDIES).map(({ text }) => capitalised(text));
  const parts = [steps.map(stepText).join(", then "), ...named];
  return parts
    .filter((part) => part !== "")
    .map(stopped)
    .join(" ");
}
