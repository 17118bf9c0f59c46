// From a cluster of episodes to a pattern: what the task is, when it comes up, what works, what does not. By rules
// alone, and without counts, so that the same episodes give the same text and more of them do not make it wrong.

import { EXPERIENCE, LIMITS } from "../../../limits";
import type { Episode } from "../../../schemas/episode";
import { ANTI_PATTERN } from "../../../schemas/pattern";
import { clip, collapseWhitespace, normaliseContent } from "../../../text/normalise-text";
import { computeEvidence, type PatternEvidence, sortEpisodes } from "../episode-record";
import { analyseAttempts, renderClaim, renderCorrectApproach, renderIncorrectApproach } from "./approach";
import { countHalf, findCommonPaths } from "./consensus";
import { extractTheme, haveCommonTheme } from "./theme";

export type NewPattern = PatternEvidence & {
  theme: string;
  pattern: string;
  category: string;
  conditions: string[];
  correct_approach: string | null;
  incorrect_approach: string | null;
  memory_type: "discovery" | "hypothesis";
};

/** Null when every attempt failed: then only its errors speak. And when the goals have nothing to do with each other. */
export function extractPattern(cluster: readonly Episode[]): NewPattern | null {
  const episodes = sortEpisodes(cluster);
  if (episodes.every(({ outcome }) => outcome === "failure")) return null;
  const goals = episodes.map(({ context }) => context.goal);
  if (!haveCommonTheme(goals)) return null;
  const theme = extractTheme(goals);
  const evidence = computeEvidence(episodes);
  const attempts = analyseAttempts(episodes);
  const within = (text: string) => clip(text, LIMITS.contentChars);
  const orNull = (text: string) => (text === "" ? null : within(text));
  return {
    ...evidence,
    theme,
    pattern: within(`${theme}${theme.includes(":") ? " –" : ":"} ${renderClaim(attempts)}`),
    category: selectCategory(episodes),
    conditions: listConditions(episodes),
    correct_approach: orNull(renderCorrectApproach(attempts)),
    incorrect_approach: orNull(renderIncorrectApproach(attempts)),
    memory_type: evidence.confidence >= EXPERIENCE.kept ? "discovery" : "hypothesis",
  };
}

/** More would tell of one episode, not of all. */
const CONSTRAINTS = 8;
const FILES = 4;

/** The phase, then constraints, then files, each as a phrase; what most share comes first. */
export function listConditions(episodes: readonly Episode[]): string[] {
  const least = countHalf(episodes.length);
  const phases = listCommonPhases(episodes).map((phase) => `During ${phase}`);
  const constraints = listSharedTexts(
    episodes.map(({ context }) => context.constraints),
    least,
  );
  const files = findCommonPaths(
    episodes.map(({ context, files_modified }) => [...context.files_involved, ...files_modified]),
  ).map((place) => `Working on ${place}`);
  const all = [...phases, ...constraints.slice(0, CONSTRAINTS), ...files.slice(0, FILES)];
  return all.map((condition) => clip(condition, EXPERIENCE.lineChars));
}

/** The language that most episodes are about, else their phase. */
export function selectCategory(episodes: readonly Episode[]): string {
  const languages = episodes.map(({ context, files_modified, artifacts_produced }) =>
    [...context.files_involved, ...files_modified, ...artifacts_produced].flatMap(
      (file) => detectLanguage(file) ?? [],
    ),
  );
  const [language] = listSharedTexts(languages, Math.floor(episodes.length / 2) + 1);
  const [phase] = listCommonPhases(episodes);
  const category = language ?? phase?.toLowerCase() ?? "general";
  return category === ANTI_PATTERN ? "general" : category;
}

function listCommonPhases(episodes: readonly Episode[]): string[] {
  return listSharedTexts(
    episodes.map(({ context }) => (context.phase === null ? [] : [context.phase])),
    countHalf(episodes.length),
  );
}

/** Texts that at least `least` of the lists have, as first written: those of most lists first, then by the alphabet. */
function listSharedTexts(lists: readonly (readonly string[])[], least: number): string[] {
  const counts = new Map<string, { text: string; count: number }>();
  for (const list of lists) {
    const texts = new Map(list.map((text) => [normaliseContent(text), collapseWhitespace(text)]));
    for (const [key, text] of texts) {
      counts.set(key, { text: counts.get(key)?.text ?? text, count: (counts.get(key)?.count ?? 0) + 1 });
    }
  }
  return [...counts]
    .filter(([, { count }]) => count >= least)
    .sort(([a, { count: m }], [b, { count: n }]) => n - m || (a < b ? -1 : 1))
    .map(([, { text }]) => text);
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  typescript: "ts tsx mts cts",
  javascript: "js jsx mjs cjs",
  python: "py pyi ipynb",
  go: "go",
  rust: "rs",
  java: "java",
  kotlin: "kt kts",
  scala: "scala",
  swift: "swift",
  csharp: "cs",
  cpp: "cc cpp cxx hpp",
  c: "c h",
  ruby: "rb",
  php: "php",
  elixir: "ex exs",
  dart: "dart",
  sql: "sql",
  shell: "sh bash zsh",
  terraform: "tf",
  css: "css scss less",
  html: "html",
  vue: "vue",
  svelte: "svelte",
};

const LANGUAGES = new Map(
  Object.entries(EXTENSIONS).flatMap(([language, endings]) =>
    endings.split(" ").map((ending) => [ending, language] as const),
  ),
);

export function detectLanguage(path: string): string | null {
  const [, ending = ""] = /\.(\w+)$/.exec(path) ?? [];
  return LANGUAGES.get(ending.toLowerCase()) ?? null;
}
