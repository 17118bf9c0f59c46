// Derives a skill from a strong pattern: the steps that its successful episodes share, the errors they resolved, and
// how the last step ended.
import { EXPERIENCE, LIMITS } from "../../kernel/limits";
import { clip, collapseWhitespace, normaliseContent } from "../../language/normalise-text";
import { capitalise, stripEndPunctuation } from "../../language/sentences";
import type { Memory } from "../../memories/memory-schemas";
import { sortEpisodes } from "../episodes/episode-record";
import type { Episode } from "../episodes/episode-schemas";
import { groupErrors } from "../patterns/anti-patterns";
import { analyseAttempts, renderStep } from "../patterns/approach";
import type { CommonError, SkillFields } from "./skill-schemas";

/** A pattern proposes a skill from this confidence, number of episodes and number of common steps on. */
const MIN_CONFIDENCE = 0.9;
const MIN_EPISODES = 3;
const MIN_STEPS = 2;

const SLUG_CHARS = 56;
const LISTED_ERRORS = 5;

type SkillDraft = { slug: string; fields: SkillFields };

/** Returns the skill that a pattern and a cluster of its episodes suggest; null if the pattern is too weak for one. */
export function draftSkill(
  { confidence, evidence, properties, content }: Memory,
  cluster: readonly Episode[],
): SkillDraft | null {
  if (confidence < MIN_CONFIDENCE || evidence.length < MIN_EPISODES) return null;
  const { succeeded, useful, steps } = analyseAttempts(sortEpisodes(cluster));
  if (!succeeded || steps.length < MIN_STEPS) return null;
  const name = clip(
    stripEndPunctuation(collapseWhitespace(properties.theme?.[0] ?? content)),
    EXPERIENCE.lineChars,
  );
  const slug = toSlug(name);
  if (slug === "") return null;
  const last = steps.at(-1);
  return {
    slug,
    fields: {
      name,
      description: clip(content, LIMITS.contentChars),
      prerequisites: properties.condition ?? [],
      steps: steps.map((step) => capitalise(renderStep(step).replaceAll("_", " "))),
      common_errors: listResolvedErrors(useful),
      exit_criteria: last === undefined ? [] : listResults(useful, last.action),
    },
  };
}

function toSlug(name: string): string {
  const words = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-");
  // Cut at a word.
  const fitting = words.length <= SLUG_CHARS ? words : words.slice(0, SLUG_CHARS + 1).replace(/-[^-]*$/, "");
  return fitting.slice(0, SLUG_CHARS).replace(/^-+|-+$/g, "");
}

function listResolvedErrors(episodes: readonly Episode[]): CommonError[] {
  return groupErrors(episodes)
    .flatMap(({ type, message, resolution }) =>
      resolution === null
        ? []
        : [
            {
              error: clip(message === "" ? type : `${type} (${message})`, LIMITS.contentChars),
              fix: resolution,
            },
          ],
    )
    .slice(0, LISTED_ERRORS);
}

/** Lists the result with which most of the attempts ended their last step: "Run test: pass". */
function listResults(episodes: readonly Episode[], action: string): string[] {
  const key = normaliseContent(action);
  const results = episodes.flatMap(
    ({ action_log }) => action_log.findLast((one) => normaliseContent(one.action) === key)?.result ?? [],
  );
  const [first] = [...Map.groupBy(results, normaliseContent).values()].sort((a, b) => b.length - a.length);
  if (first?.[0] === undefined || first.length * 2 <= episodes.length) return [];
  return [`${capitalise(action.replaceAll("_", " "))}: ${first[0]}`];
}
