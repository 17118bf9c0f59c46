// A pattern as a memory, and back: what holds in general is a discovery, or a hypothesis while little speaks for it;
// what to avoid is a lesson learned. Pure.

import { EXPERIENCE } from "../../limits";
import type { Memory, NewMemory } from "../../schemas/memory";
import { ANTI_PATTERN, PATTERN_TYPES, type Pattern, type PatternCreate } from "../../schemas/pattern";
import { getMemoryStatus } from "../memory-status";
import { renderAntiPattern } from "./extraction/anti-patterns";
import type { NewPattern } from "./extraction/extract-pattern";

type PatternType = Pattern["memory_type"];

export function selectPatternType(category: string, confidence: number): PatternType {
  if (category === ANTI_PATTERN) return "lesson_learned";
  return confidence >= EXPERIENCE.kept ? "discovery" : "hypothesis";
}

export type PatternParts = {
  project_id: string | null;
  category: string;
  /** Of an anti-pattern, made of what fails, why and the prevention. */
  pattern?: string | undefined;
  theme?: string | undefined;
  conditions: readonly string[];
  correct_approach: string | null;
  incorrect_approach: string | null;
  why?: string | null | undefined;
  confidence: number;
  importance: number;
  source_episodes: readonly string[];
  timestamp: string;
  name?: string | undefined;
};

export function toPatternMemory(parts: PatternParts): NewMemory {
  const { category, confidence, correct_approach, incorrect_approach, name, theme, why } = parts;
  const properties = {
    category: [category],
    theme: toValues(theme),
    condition: [...new Set(parts.conditions)],
    correctApproach: toValues(correct_approach),
    incorrectApproach: toValues(incorrect_approach),
    cause: toValues(why),
  };
  return {
    type: selectPatternType(category, confidence),
    content: parts.pattern ?? renderParts({ incorrect_approach, why, correct_approach }),
    confidence,
    importance: parts.importance,
    source_type: "agent",
    rationale: null,
    session_id: null,
    agent_id: null,
    project_id: parts.project_id,
    topic_key: name === undefined ? null : toPatternTopicKey(name),
    timestamp: parts.timestamp,
    valid_from: null,
    evidence: parts.source_episodes.slice(0, EXPERIENCE.sources),
    properties: Object.fromEntries(Object.entries(properties).filter(([, values]) => values.length > 0)),
  };
}

function renderParts(parts: {
  incorrect_approach: string | null;
  why?: string | null | undefined;
  correct_approach: string | null;
}): string {
  return renderAntiPattern({
    what_fails: parts.incorrect_approach ?? "",
    why: parts.why ?? "",
    prevention: parts.correct_approach,
  });
}

/** What a caller posts. Of an anti-pattern, its own three fields come before the general ones. */
export function toPatternParts(input: PatternCreate, now: string): PatternParts {
  const anti = input.category === ANTI_PATTERN;
  return {
    ...input,
    name: input.id,
    timestamp: now,
    ...(anti && {
      incorrect_approach: input.what_fails ?? input.incorrect_approach,
      correct_approach: input.prevention ?? input.correct_approach,
      why: input.why ?? null,
    }),
  };
}

/** Other memories may have a category too, and are no patterns for that. */
export function isPattern({ type, properties }: Memory): boolean {
  return properties.category !== undefined && (PATTERN_TYPES as readonly string[]).includes(type);
}

export function toPattern(memory: Memory, links: Pattern["links"]): Pattern {
  const { properties } = memory;
  const one = (name: string) => properties[name]?.[0] ?? null;
  const category = one("category") ?? "general";
  const correct = one("correctApproach");
  const incorrect = one("incorrectApproach");
  return {
    id: memory.id,
    name: readPatternName(memory.topic_key),
    project_id: memory.project_id,
    memory_type: memory.type as PatternType,
    status: getMemoryStatus(memory),
    pattern: memory.content,
    category,
    conditions: properties.condition ?? [],
    correct_approach: correct,
    incorrect_approach: incorrect,
    ...(category === ANTI_PATTERN && {
      what_fails: incorrect ?? memory.content,
      why: one("cause"),
      prevention: correct,
    }),
    confidence: memory.confidence,
    importance: memory.importance,
    source_episodes: memory.evidence,
    usage_count: memory.access_count,
    last_used: memory.access_count > 0 ? memory.last_accessed : null,
    links,
    superseded_by: memory.superseded_by,
    created_at: memory.timestamp,
  };
}

/** What a run has to say of a pattern that is known: its episodes, and what they tell of it. */
export type PatternGain = {
  episodes: readonly string[];
  /** Of an anti-pattern. */
  lesson: { why: string; prevention: string | null } | null;
  /** Of a pattern that consolidation made. */
  found: Pick<NewPattern, "pattern" | "conditions" | "correct_approach" | "incorrect_approach"> | null;
};

/** The pattern with that; null when it says nothing new. More certain once, for all episodes that are new together. */
export function strengthenPattern(memory: Memory, { episodes, lesson, found }: PatternGain): Memory | null {
  const known = new Set(memory.evidence);
  const fresh = [...new Set(episodes)].filter((id) => !known.has(id));
  const grown = addEvidence(memory, fresh);
  // What most of the episodes say is what it says.
  const outvoted = fresh.length > memory.evidence.length;
  const told =
    lesson === null
      ? // Only by new episodes: those of a pattern that was merged into it have had their say.
        fillMissingFields(grown, grown === memory ? null : found)
      : completeAntiPattern(grown, lesson, { outvoted: outvoted && grown !== memory });
  return told === memory ? null : told;
}

function addEvidence(memory: Memory, fresh: readonly string[]): Memory {
  if (fresh.length === 0 || memory.evidence.length + fresh.length > EXPERIENCE.sources) return memory;
  const { gain, mostConfident } = EXPERIENCE;
  // Rounded, because .7 + .05 + .05 shall be .8.
  const raised = Math.round((memory.confidence + gain) * 1e6) / 1e6;
  const confidence = Math.max(memory.confidence, Math.min(mostConfident, raised));
  const category = memory.properties.category?.[0] ?? "general";
  return {
    ...memory,
    confidence,
    type: selectPatternType(category, confidence),
    evidence: [...memory.evidence, ...fresh],
  };
}

/** A pattern that consolidation made before anybody knew what works is told anew once that is known. */
function fillMissingFields(memory: Memory, found: PatternGain["found"]): Memory {
  const { theme, correctApproach, incorrectApproach, condition } = memory.properties;
  if (theme === undefined || found === null) return memory;
  const { correct_approach, incorrect_approach, conditions, pattern } = found;
  const added = Object.fromEntries(
    Object.entries({
      correctApproach: correctApproach ?? toValues(correct_approach),
      incorrectApproach: incorrectApproach ?? toValues(incorrect_approach),
      condition: condition ?? conditions,
    }).filter(([name, values]) => values.length > 0 && !(name in memory.properties)),
  );
  if (Object.keys(added).length === 0) return memory;
  return {
    ...memory,
    content: "correctApproach" in added ? pattern : memory.content,
    properties: { ...memory.properties, ...added },
  };
}

/** An anti-pattern that learns why something fails or what prevents it, if that was not known, or known of fewer. */
function completeAntiPattern(
  memory: Memory,
  { why, prevention }: { why: string; prevention: string | null },
  { outvoted }: { outvoted: boolean },
): Memory {
  const { properties } = memory;
  const [what] = properties.incorrectApproach ?? [];
  if (what === undefined) return memory;
  const [cause = why] = outvoted && why !== "" ? [why] : (properties.cause ?? []);
  const [advice = prevention] =
    outvoted && prevention !== null ? [prevention] : (properties.correctApproach ?? []);
  if (cause === (properties.cause?.[0] ?? "") && advice === (properties.correctApproach?.[0] ?? null))
    return memory;
  const told = { cause: toValues(cause), correctApproach: toValues(advice) };
  return {
    ...memory,
    properties: {
      ...properties,
      ...Object.fromEntries(Object.entries(told).filter(([, values]) => values.length > 0)),
    },
    content: renderAntiPattern({ what_fails: what, why: cause, prevention: advice }),
  };
}

function toValues(value: string | null | undefined): string[] {
  return value ? [value] : [];
}

const NAME_PREFIX = "pattern:";

export function toPatternTopicKey(name: string): string {
  return NAME_PREFIX + name;
}

/** Null for a topic of another kind, and for none. */
export function readPatternName(topicKey: string | null): string | null {
  return topicKey?.startsWith(NAME_PREFIX) ? topicKey.slice(NAME_PREFIX.length) : null;
}
