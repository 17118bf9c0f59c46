// Extracts a pattern from a cluster of episodes: the theme, conditions, correct and incorrect approach. Rules only, no
// model: the same episodes give the same text. The text has no counts, so that more episodes do not make it wrong.
import { EXPERIENCE, LIMITS } from "../../kernel/limits";
import { clip, collapseWhitespace, normaliseContent } from "../../language/normalise-text";
import { computeEvidence, type PatternEvidence, sortEpisodes } from "../episodes/episode-record";
import type { Episode } from "../episodes/episode-schemas";
import { analyseAttempts, renderClaim, renderCorrectApproach, renderIncorrectApproach } from "./approach";
import { countHalf, extractTheme, findCommonPaths, haveCommonTheme } from "./consensus";
import { ANTI_PATTERN, DISCOVERY_CONFIDENCE } from "./pattern-schemas";

export type NewPattern = PatternEvidence & {
  theme: string;
  pattern: string;
  category: string;
  conditions: string[];
  correct_approach: string | null;
  incorrect_approach: string | null;
  memory_type: "discovery" | "hypothesis";
};

/** Returns null if every attempt failed, which leaves only anti-patterns, or if the goals have no common theme. */
export function extractPattern(cluster: readonly Episode[]): NewPattern | null {
  const episodes = sortEpisodes(cluster);
  if (episodes.every(({ outcome }) => outcome === "failure")) return null;
  const goals = episodes.map(({ context }) => context.goal);
  if (!haveCommonTheme(goals)) return null;
  const theme = extractTheme(goals);
  const evidence = computeEvidence(episodes);
  const attempts = analyseAttempts(episodes);
  const clipContent = (text: string) => clip(text, LIMITS.contentChars);
  const clipOrNull = (text: string) => (text === "" ? null : clipContent(text));
  return {
    ...evidence,
    theme,
    pattern: clipContent(`${theme}${theme.includes(":") ? " –" : ":"} ${renderClaim(attempts)}`),
    category: selectCategory(episodes),
    conditions: listConditions(episodes),
    correct_approach: clipOrNull(renderCorrectApproach(attempts)),
    incorrect_approach: clipOrNull(renderIncorrectApproach(attempts)),
    memory_type: evidence.confidence >= DISCOVERY_CONFIDENCE ? "discovery" : "hypothesis",
  };
}

/** Conditions of each kind: longer lists describe one episode, not the cluster. */
const MAX_CONSTRAINTS = 8;
const MAX_FILES = 4;

/** Lists the phases, constraints and files that the episodes share, each as a phrase, the most common first. */
function listConditions(episodes: readonly Episode[]): string[] {
  const least = countHalf(episodes.length);
  const phases = listCommonPhases(episodes).map((phase) => `During ${phase}`);
  const constraints = listSharedTexts(
    episodes.map(({ context }) => context.constraints),
    least,
  );
  const files = findCommonPaths(
    episodes.map(({ context, files_modified }) => [...context.files_involved, ...files_modified]),
  ).map((path) => `Working on ${path}`);
  const all = [...phases, ...constraints.slice(0, MAX_CONSTRAINTS), ...files.slice(0, MAX_FILES)];
  return all.map((condition) => clip(condition, EXPERIENCE.lineChars));
}

/** Selects the programming language of most episodes, or else their phase. */
function selectCategory(episodes: readonly Episode[]): string {
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

/** Lists the texts, as first written, of at least `least` lists: the most common first, then in alphabetical order. */
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

/** File extensions of each language. */
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

/** Detects the language of a file by its extension. */
function detectLanguage(path: string): string | null {
  const [, ending = ""] = /\.(\w+)$/.exec(path) ?? [];
  return LANGUAGES.get(ending.toLowerCase()) ?? null;
}
