// What is told of a pattern, a lesson, a skill and an episode, layer by layer: as data, and as an item of a Markdown
// list. The data say no more than the text, so that an answer is as short as its prompt. What was stored is data:
// it fills lines, and never makes one.

import type {
  Layer,
  PrimedEpisode,
  PrimedLesson,
  PrimedPattern,
  PrimedSkill,
} from "../../../schemas/briefing";
import type { Action, Episode, EpisodeError } from "../../../schemas/episode";
import type { Learning } from "../../../schemas/learning";
import type { Pattern } from "../../../schemas/pattern";
import type { Skill } from "../../../schemas/skill";
import { clip } from "../../../text/memory-text";
import { escapeText } from "../../prompt/render-prompt";

/** What is told of a thing, without its score. */
export type Telling<Primed> = Omit<Primed, "layer" | "score">;

/** Characters of one text: an index line has about 20 tokens beside its id, a gist about 100 with two or three texts. */
const CHARS: Readonly<Record<Layer, number>> = {
  index: 64,
  timeline: 120,
  full: Number.POSITIVE_INFINITY,
};
/** Steps that even a full account names: beyond these it is a log, which the episode itself has. */
const STEPS = 20;
/** Sources that it names: a pattern may have thousands, and is read by its id for them. */
const SOURCES = 20;

export function tellPattern(pattern: Pattern, layer: Layer): Telling<PrimedPattern> {
  const cut = cutAt(layer);
  const { id, category, memory_type, confidence, conditions, incorrect_approach, source_episodes } = pattern;
  const title = cut(pattern.pattern);
  const named = { id, pattern: title, category, memory_type, confidence };
  if (layer === "index") return { ...named, text: item(id, title) };
  const correct_approach = cutOrNull(pattern.correct_approach, cut);
  const gist = [detail("Do", correct_approach)];
  if (layer === "timeline") return { ...named, correct_approach, text: item(id, title, gist) };
  const sources = `${plural(source_episodes.length, "episode")}, confidence ${confidence}`;
  const text = item(id, title, [
    detail("When", conditions),
    ...gist,
    detail("Do not", incorrect_approach),
    detail("Category", category),
    detail("Known from", sources),
  ]);
  const first = source_episodes.slice(0, SOURCES);
  return { ...named, conditions, correct_approach, incorrect_approach, source_episodes: first, text };
}

export function tellLesson(lesson: Pattern | Learning, layer: Layer): Telling<PrimedLesson> {
  const cut = cutAt(layer);
  const { kind, fails, why, fix, ...said } = lessonOf(lesson);
  const { id, confidence } = lesson;
  const what_fails = cut(fails);
  const named = { id, kind, what_fails, confidence };
  if (layer === "index") return { ...named, text: item(id, what_fails) };
  const prevention = cutOrNull(said.prevention, cut);
  const gist = detail("Prevention", prevention);
  if (layer === "timeline") return { ...named, prevention, text: item(id, what_fails, [gist]) };
  return {
    ...named,
    why,
    prevention,
    text: item(id, what_fails, [detail("Why", why), gist, detail("Fix", fix)]),
  };
}

type Lesson = Pick<PrimedLesson, "kind"> & {
  fails: string;
  why: string | null;
  prevention: string | null;
  fix: string | null;
};

function lessonOf(lesson: Pattern | Learning): Lesson {
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

export function tellSkill(skill: Skill, layer: Layer): Telling<PrimedSkill> {
  const cut = cutAt(layer);
  const { slug, memory_id, prerequisites, steps, common_errors, exit_criteria } = skill;
  const mark = `skill: ${slug}`;
  const name = cut(skill.name);
  const named = { id: memory_id, slug, name };
  if (layer === "index") return { ...named, text: item(mark, name) };
  const description = cut(skill.description);
  const gist = detail("What", description);
  if (layer === "timeline") return { ...named, description, text: item(mark, name, [gist]) };
  const text = item(mark, name, [
    gist,
    detail("First", prerequisites),
    ...steps.map((step, index) => detail(`Step ${index + 1}`, step)),
    ...common_errors.map(({ error, fix }) => detail("Error", `${error}: ${fix}`)),
    detail("Done when", exit_criteria),
  ]);
  return { ...named, description, steps, text };
}

export function tellEpisode(episode: Episode, layer: Layer): Telling<PrimedEpisode> {
  const cut = cutAt(layer);
  const { id, outcome, timestamp, context, summary, action_log } = episode;
  const goal = cut(context.goal);
  const named = { id, goal, outcome, timestamp };
  if (layer === "index") return { ...named, text: item(id, `${goal} (${outcome})`) };
  const dated = `${goal} (${outcome}, ${timestamp.slice(0, 10)})`;
  if (layer === "timeline") {
    const errors_encountered = mostTelling(episode.errors_encountered).map((error) => ({
      type: cut(error.type),
      message: cut(error.message),
      resolution: cutOrNull(error.resolution, cut),
    }));
    return { ...named, errors_encountered, text: item(id, dated, errors_encountered.map(errorDetail)) };
  }
  const { errors_encountered } = episode;
  const more = action_log.length - STEPS;
  const steps = action_log.slice(0, STEPS).map(stepText);
  const text = item(id, dated, [
    detail("Constraints", context.constraints),
    detail("Summary", summary),
    detail("Steps", more > 0 ? [...steps, `and ${plural(more, "more step")}`] : steps),
    ...errors_encountered.map(errorDetail),
    detail("Made", episode.artifacts_produced),
    detail("Changed", episode.files_modified),
    detail("Commit", episode.git_commit),
  ]);
  return { ...named, errors_encountered, summary, text };
}

/** One error is enough for a gist: the first that says what helped, if one does. */
function mostTelling(errors: readonly EpisodeError[]): readonly EpisodeError[] {
  const resolved = errors.filter(({ resolution }) => resolution !== null);
  return [...resolved, ...errors].slice(0, 1);
}

function errorDetail({ type, message, resolution }: EpisodeError): string | null {
  const said = message === "" ? type : `${type}: ${message}`;
  return detail("Error", resolution === null ? said : `${said} → ${resolution}`);
}

function stepText({ action, target, result, error }: Action): string {
  const end = [result, error].filter((part) => part !== undefined).join(": ");
  return [action, target, end === "" ? undefined : `(${end})`].filter((part) => part !== undefined).join(" ");
}

function cutAt(layer: Layer): (text: string) => string {
  return (text) => clip(text, CHARS[layer]);
}

function cutOrNull(text: string | null, cut: (text: string) => string): string | null {
  return text === null ? null : cut(text);
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Null where there is nothing to say. */
function detail(label: string, said: string | readonly string[] | null): string | null {
  const text = escapeText([said ?? []].flat().join("; "));
  return text === "" ? null : `  - ${label}: ${text}`;
}

function item(mark: string, title: string, details: readonly (string | null)[] = []): string {
  const lines = details.filter((line) => line !== null);
  return [`- [${escapeText(mark)}] ${escapeText(title)}`, ...lines].join("\n");
}
