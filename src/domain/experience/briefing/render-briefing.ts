// What is told of a pattern, a lesson, a skill and an episode, layer by layer: as data, and as an item of a Markdown
// list. The data say no more than the text, so that an answer is as short as its prompt. What was stored is data:
// it fills lines, and never makes one.

import type {
  DetailLevel,
  PrimedEpisode,
  PrimedLesson,
  PrimedPattern,
  PrimedSkill,
} from "../../../schemas/briefing";
import type { Action, Episode, EpisodeError } from "../../../schemas/episode";
import type { Learning } from "../../../schemas/learning";
import type { Pattern } from "../../../schemas/pattern";
import type { Skill } from "../../../schemas/skill";
import { clip } from "../../../text/normalise-text";
import { escapeText } from "../../prompt/render-prompt";

/** What is told of a thing, without its score. */
export type RenderedEntry<Primed> = Omit<Primed, "layer" | "score">;

/** Characters of one text: an index line has about 20 tokens beside its id, a gist about 100 with two or three texts. */
const CHARS: Readonly<Record<DetailLevel, number>> = {
  index: 64,
  timeline: 120,
  full: Number.POSITIVE_INFINITY,
};
/** Steps that even a full account names: beyond these it is a log, which the episode itself has. */
const STEPS = 20;
/** Sources that it names: a pattern may have thousands, and is read by its id for them. */
const SOURCES = 20;

export function renderPattern(pattern: Pattern, layer: DetailLevel): RenderedEntry<PrimedPattern> {
  const cut = createClip(layer);
  const { id, category, memory_type, confidence, conditions, incorrect_approach, source_episodes } = pattern;
  const title = cut(pattern.pattern);
  const named = { id, pattern: title, category, memory_type, confidence };
  if (layer === "index") return { ...named, text: renderItem(id, title) };
  const correct_approach = clipNullable(pattern.correct_approach, cut);
  const gist = [renderDetail("Do", correct_approach)];
  if (layer === "timeline") return { ...named, correct_approach, text: renderItem(id, title, gist) };
  const sources = `${pluralise(source_episodes.length, "episode")}, confidence ${confidence}`;
  const text = renderItem(id, title, [
    renderDetail("When", conditions),
    ...gist,
    renderDetail("Do not", incorrect_approach),
    renderDetail("Category", category),
    renderDetail("Known from", sources),
  ]);
  const first = source_episodes.slice(0, SOURCES);
  return { ...named, conditions, correct_approach, incorrect_approach, source_episodes: first, text };
}

export function renderLesson(lesson: Pattern | Learning, layer: DetailLevel): RenderedEntry<PrimedLesson> {
  const cut = createClip(layer);
  const { kind, fails, why, fix, ...said } = toLesson(lesson);
  const { id, confidence } = lesson;
  const what_fails = cut(fails);
  const named = { id, kind, what_fails, confidence };
  if (layer === "index") return { ...named, text: renderItem(id, what_fails) };
  const prevention = clipNullable(said.prevention, cut);
  const gist = renderDetail("Prevention", prevention);
  if (layer === "timeline") return { ...named, prevention, text: renderItem(id, what_fails, [gist]) };
  return {
    ...named,
    why,
    prevention,
    text: renderItem(id, what_fails, [renderDetail("Why", why), gist, renderDetail("Fix", fix)]),
  };
}

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

export function renderSkill(skill: Skill, layer: DetailLevel): RenderedEntry<PrimedSkill> {
  const cut = createClip(layer);
  const { slug, memory_id, prerequisites, steps, common_errors, exit_criteria } = skill;
  const mark = `skill: ${slug}`;
  const name = cut(skill.name);
  const named = { id: memory_id, slug, name };
  if (layer === "index") return { ...named, text: renderItem(mark, name) };
  const description = cut(skill.description);
  const gist = renderDetail("What", description);
  if (layer === "timeline") return { ...named, description, text: renderItem(mark, name, [gist]) };
  const text = renderItem(mark, name, [
    gist,
    renderDetail("First", prerequisites),
    ...steps.map((step, index) => renderDetail(`Step ${index + 1}`, step)),
    ...common_errors.map(({ error, fix }) => renderDetail("Error", `${error}: ${fix}`)),
    renderDetail("Done when", exit_criteria),
  ]);
  return { ...named, description, steps, text };
}

export function renderEpisode(episode: Episode, layer: DetailLevel): RenderedEntry<PrimedEpisode> {
  const cut = createClip(layer);
  const { id, outcome, timestamp, context, summary, action_log } = episode;
  const goal = cut(context.goal);
  const named = { id, goal, outcome, timestamp };
  if (layer === "index") return { ...named, text: renderItem(id, `${goal} (${outcome})`) };
  const dated = `${goal} (${outcome}, ${timestamp.slice(0, 10)})`;
  if (layer === "timeline") {
    const errors_encountered = selectFirstResolved(episode.errors_encountered).map((error) => ({
      type: cut(error.type),
      message: cut(error.message),
      resolution: clipNullable(error.resolution, cut),
    }));
    return { ...named, errors_encountered, text: renderItem(id, dated, errors_encountered.map(renderError)) };
  }
  const { errors_encountered } = episode;
  const more = action_log.length - STEPS;
  const steps = action_log.slice(0, STEPS).map(renderAction);
  const text = renderItem(id, dated, [
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

/** One error is enough for a gist: the first that says what helped, if one does. */
function selectFirstResolved(errors: readonly EpisodeError[]): readonly EpisodeError[] {
  const resolved = errors.filter(({ resolution }) => resolution !== null);
  return [...resolved, ...errors].slice(0, 1);
}

function renderError({ type, message, resolution }: EpisodeError): string | null {
  const said = message === "" ? type : `${type}: ${message}`;
  return renderDetail("Error", resolution === null ? said : `${said} → ${resolution}`);
}

function renderAction({ action, target, result, error }: Action): string {
  const end = [result, error].filter((part) => part !== undefined).join(": ");
  return [action, target, end === "" ? undefined : `(${end})`].filter((part) => part !== undefined).join(" ");
}

function createClip(layer: DetailLevel): (text: string) => string {
  return (text) => clip(text, CHARS[layer]);
}

function clipNullable(text: string | null, cut: (text: string) => string): string | null {
  return text === null ? null : cut(text);
}

function pluralise(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Null where there is nothing to say. */
function renderDetail(label: string, said: string | readonly string[] | null): string | null {
  const text = escapeText([said ?? []].flat().join("; "));
  return text === "" ? null : `  - ${label}: ${text}`;
}

function renderItem(mark: string, title: string, details: readonly (string | null)[] = []): string {
  const lines = details.filter((line) => line !== null);
  return [`- [${escapeText(mark)}] ${escapeText(title)}`, ...lines].join("\n");
}
