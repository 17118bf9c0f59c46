// When a pattern applies: what most of its episodes have in common besides their goal.
import { EXPERIENCE } from "../../../limits";
import type { Episode } from "../../../schemas/episode";
import { ANTI_PATTERN } from "../../../schemas/pattern";
import { clip, normaliseContent } from "../../../text/memory-text";
import { commonPlaces } from "./common-paths";
import { half } from "./consensus";
import { languageOf } from "./file-language";
import { oneLine } from "./wording";

/** More would tell of one episode, not of all. */
const CONSTRAINTS = 8;
const FILES = 4;

/** The phase, then constraints, then files, each as a phrase; what most share comes first. */
export function conditionsOf(episodes: readonly Episode[]): string[] {
  const least = half(episodes.length);
  const phases = phasesOf(episodes).map((phase) => `During ${phase}`);
  const constraints = shared(
    episodes.map(({ context }) => context.constraints),
    least,
  );
  const files = commonPlaces(
    episodes.map(({ context, files_modified }) => [...context.files_involved, ...files_modified]),
  ).map((place) => `Working on ${place}`);
  const all = [...phases, ...constraints.slice(0, CONSTRAINTS), ...files.slice(0, FILES)];
  return all.map((condition) => clip(condition, EXPERIENCE.lineChars));
}

/** The language that most episodes are about, else their phase. */
export function categoryOf(episodes: readonly Episode[]): string {
  const languages = episodes.map(({ context, files_modified, artifacts_produced }) =>
    [...context.files_involved, ...files_modified, ...artifacts_produced].flatMap(
      (file) => languageOf(file) ?? [],
    ),
  );
  const [language] = shared(languages, Math.floor(episodes.length / 2) + 1);
  const [phase] = phasesOf(episodes);
  const category = language ?? phase?.toLowerCase() ?? "general";
  return category === ANTI_PATTERN ? "general" : category;
}

function phasesOf(episodes: readonly Episode[]): string[] {
  return shared(
    episodes.map(({ context }) => (context.phase === null ? [] : [context.phase])),
    half(episodes.length),
  );
}

/** Texts that at least `least` of the lists have, as first written: those of most lists first, then by the alphabet. */
function shared(lists: readonly (readonly string[])[], least: number): string[] {
  const counts = new Map<string, { text: string; count: number }>();
  for (const list of lists) {
    const texts = new Map(list.map((text) => [normaliseContent(text), oneLine(text)]));
    for (const [key, text] of texts) {
      counts.set(key, { text: counts.get(key)?.text ?? text, count: (counts.get(key)?.count ?? 0) + 1 });
    }
  }
  return [...counts]
    .filter(([, { count }]) => count >= least)
    .sort(([a, { count: m }], [b, { count: n }]) => n - m || (a < b ? -1 : 1))
    .map(([, { text }]) => text);
}
