// Renders patterns, lessons, skills and episodes at each level of detail, as data and as an item of a Markdown list. The
// data contain no more than the text, so that a response is as short as its prompt. Stored text is escaped: it fills
// lines and cannot start one.

import type { SourceType } from "../../kernel/common";
import { clip } from "../../language/normalise-text";
import type { Memory } from "../../memories/memory-schemas";
import { escapeText } from "../../recall/prompts/render-prompt";
import { nameForeignSource, renderSourceLabel } from "../../trust/source-rank";
import type { Action, Episode, EpisodeError } from "../episodes/episode-schemas";
import type { Learning, Pattern } from "../patterns/pattern-schemas";
import type { StoredSkill } from "../skills/skill-schemas";
import type {
  DetailLevel,
  PrimedEpisode,
  PrimedLesson,
  PrimedPattern,
  PrimedSkill,
} from "./briefing-schemas";

/** An entry of the response without its level and score. */
type RenderedEntry<Primed> = Omit<Primed, "layer" | "score">;

/** Characters of one text: an index line takes about 20 tokens besides its id, a gist of two or three texts about 100. */
const TEXT_CHARS: Readonly<Record<DetailLevel, number>> = {
  index: 64,
  timeline: 120,
  full: Number.POSITIVE_INFINITY,
};
/** Steps at full detail; the episode itself has the whole log. */
const LISTED_STEPS = 20;
/** Sources at full detail; the pattern itself may have thousands. */
const LISTED_SOURCES = 20;

export function renderPattern(pattern: Pattern, level: DetailLevel): RenderedEntry<PrimedPattern> {
  const clipText = createClip(level);
  const { id, name, category, memory_type, confidence, conditions, incorrect_approach, source_episodes } =
    pattern;
  const label = { mark: name ?? id, source: pattern.source_type };
  const title = clipText(pattern.pattern);
  const source = pattern.source_type === undefined ? {} : { source_type: pattern.source_type };
  const named = { id, name, pattern: title, category, memory_type, confidence, ...source };
  if (level === "index") return { ...named, text: renderItem(label, title) };
  const correct_approach = clipNullable(pattern.correct_approach, clipText);
  const gist = [renderDetail("Do", correct_approach)];
  if (level === "timeline") return { ...named, correct_approach, text: renderItem(label, title, gist) };
  const sources = `${pluralise(source_episodes.length, "episode")}, confidence ${confidence}`;
  const text = renderItem(label, title, [
    renderDetail("When", conditions),
    ...gist,
    renderDetail("Do not", incorrect_approach),
    renderDetail("Category", category),
    renderDetail("Known from", sources),
  ]);
  const first = source_episodes.slice(0, LISTED_SOURCES);
  return { ...named, conditions, correct_approach, incorrect_approach, source_episodes: first, text };
}

/** Renders a fact or a decision of the project. */
export function renderFact(memory: Memory, level: DetailLevel): RenderedEntry<PrimedPattern> {
  const { id, type: memory_type, confidence, source_type: source } = memory;
  const pattern = createClip(level)(memory.content);
  const named = {
    ...{ id, name: null, pattern, category: memory_type, memory_type, confidence },
    ...nameForeignSource(source),
  };
  const title = `${memory_type.replaceAll("_", " ")}: ${pattern}`;
  const why = level === "full" ? [renderDetail("Why", memory.rationale)] : [];
  return { ...named, text: renderItem({ mark: id, source }, title, why) };
}

export function renderLesson(lesson: Pattern | Learning, level: DetailLevel): RenderedEntry<PrimedLesson> {
  const clipText = createClip(level);
  const { kind, fails, why, fix, ...rest } = toLesson(lesson);
  const { id, confidence } = lesson;
  const name = "trigger" in lesson ? null : lesson.name;
  const label = { mark: name ?? id, source: lesson.source_type };
  const what_fails = clipText(fails);
  const source = lesson.source_type === undefined ? {} : { source_type: lesson.source_type };
  const named = { id, kind, name, what_fails, confidence, ...source };
  if (level === "index") return { ...named, text: renderItem(label, what_fails) };
  const prevention = clipNullable(rest.prevention, clipText);
  const gist = renderDetail("Prevention", prevention);
  if (level === "timeline") return { ...named, prevention, text: renderItem(label, what_fails, [gist]) };
  return {
    ...named,
    why,
    prevention,
    text: renderItem(label, what_fails, [renderDetail("Why", why), gist, renderDetail("Fix", fix)]),
  };
}

/** The common fields of an anti-pattern and a learning. */
type Lesson = Pick<PrimedLesson, "kind"> & {
  fails: string;
  why: string | null;
  prevention: string | null;
  fix: string | null;
};

function toLesson(lesson: Pattern | Learning): Lesson {
  if ("trigger" in lesson) {
    const { trigger, root_cause, prevention, fix } = lesson;
    return { kind: "learning", fails: trigger, why: root_cause, prevention, fix };
  }
  const { pattern, what_fails, why, prevention } = lesson;
  return {
    kind: "anti_pattern",
    fails: what_fails ?? pattern,
    why: why ?? null,
    prevention: prevention ?? null,
    fix: null,
  };
}

export function renderSkill(skill: StoredSkill, level: DetailLevel): RenderedEntry<PrimedSkill> {
  const clipText = createClip(level);
  const { slug, memory_id, prerequisites, steps, common_errors, exit_criteria, instructions } = skill;
  const mark = `skill: ${slug}`;
  const name = clipText(skill.name);
  const named = { id: memory_id, slug, name };
  if (level === "index") return { ...named, text: renderItem({ mark }, name) };
  const description = clipText(skill.description);
  const gist = renderDetail("What", description);
  if (level === "timeline") return { ...named, description, text: renderItem({ mark }, name, [gist]) };
  const text = renderItem({ mark }, name, [
    gist,
    renderDetail("First", prerequisites),
    renderDetail("Instructions", instructions === undefined ? null : `read_skill or GET /v1/skills/${slug}`),
    ...steps.map((step, index) => renderDetail(`Step ${index + 1}`, step)),
    ...common_errors.map(({ error, fix }) => renderDetail("Error", `${error}: ${fix}`)),
    renderDetail("Done when", exit_criteria),
  ]);
  return { ...named, description, steps, text };
}

export function renderEpisode(episode: Episode, level: DetailLevel): RenderedEntry<PrimedEpisode> {
  const clipText = createClip(level);
  const { id, outcome, timestamp, context, summary, action_log } = episode;
  const goal = clipText(context.goal);
  const named = { id, goal, outcome, timestamp };
  if (level === "index") return { ...named, text: renderItem({ mark: id }, `${goal} (${outcome})`) };
  const dated = `${goal} (${outcome}, ${timestamp.slice(0, 10)})`;
  if (level === "timeline") {
    const errors_encountered = selectOneError(episode.errors_encountered).map((error) => ({
      type: clipText(error.type),
      message: clipText(error.message),
      resolution: clipNullable(error.resolution, clipText),
    }));
    return {
      ...named,
      errors_encountered,
      text: renderItem({ mark: id }, dated, errors_encountered.map(renderError)),
    };
  }
  const { errors_encountered } = episode;
  const more = action_log.length - LISTED_STEPS;
  const steps = action_log.slice(0, LISTED_STEPS).map(renderAction);
  const text = renderItem({ mark: id }, dated, [
    renderDetail("Constraints", context.constraints),
    renderDetail("Summary", summary),
    renderDetail("Steps", more > 0 ? [...steps, `and ${pluralise(more, "more step")}`] : steps),
    ...errors_encountered.map(renderError),
    renderDetail("Made", episode.artifacts_produced),
    renderDetail("Changed", episode.files_modified),
    renderDetail("Commit", episode.git_commit),
  ]);
  return { ...named, errors_encountered, summary, text };
}

/** Selects the one error of a gist: the first with a resolution, or else the first. */
function selectOneError(errors: readonly EpisodeError[]): readonly EpisodeError[] {
  const resolved = errors.filter(({ resolution }) => resolution !== null);
  return [...resolved, ...errors].slice(0, 1);
}

function renderError({ type, message, resolution }: EpisodeError): string | null {
  const text = message === "" ? type : `${type}: ${message}`;
  return renderDetail("Error", resolution === null ? text : `${text} → ${resolution}`);
}

function renderAction({ action, target, result, error }: Action): string {
  const end = [result, error].filter((part) => part !== undefined).join(": ");
  return [action, target, end === "" ? undefined : `(${end})`].filter((part) => part !== undefined).join(" ");
}

function createClip(level: DetailLevel): (text: string) => string {
  return (text) => clip(text, TEXT_CHARS[level]);
}

function clipNullable(text: string | null, clipText: (text: string) => string): string | null {
  return text === null ? null : clipText(text);
}

function pluralise(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Renders a nested list item; null if the value is empty. */
function renderDetail(label: string, value: string | readonly string[] | null): string | null {
  const text = escapeText([value ?? []].flat().join("; "));
  return text === "" ? null : `  - ${label}: ${text}`;
}

/** What stands before the title of an item: its id or name, and its source if that is neither the user nor the agent. */
type ItemLabel = { mark: string; source?: SourceType | undefined };

function renderItem(
  { mark, source }: ItemLabel,
  title: string,
  details: readonly (string | null)[] = [],
): string {
  const lines = details.filter((line) => line !== null);
  return [`- [${escapeText(mark)}] ${renderSourceLabel(source)}${escapeText(title)}`, ...lines].join("\n");
}
