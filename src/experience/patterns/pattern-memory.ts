// Patterns as memories, and back. A pattern is a discovery, or a hypothesis while its confidence is low; an
// anti-pattern is a lesson learned.

import { readPatternName, toPatternTopicKey } from "../../facts/topics/topic-key";
import { EXPERIENCE } from "../../kernel/limits";
import { getMemoryStatus, type Memory, type NewMemory } from "../../memories/memory-schemas";
import { nameForeignSource } from "../../trust/source-rank";
import { renderAntiPattern } from "./anti-patterns";
import type { NewPattern } from "./extract-pattern";
import {
  ANTI_PATTERN,
  DISCOVERY_CONFIDENCE,
  PATTERN_TYPES,
  type Pattern,
  type PatternCreate,
} from "./pattern-schemas";

type PatternType = Pattern["memory_type"];

/** Confidence that a pattern or learning gains when new evidence confirms it, and the confidence it never exceeds. */
const CONFIDENCE_GAIN = 0.05;
export const MAX_CONFIDENCE = 0.99;

/** Returns the memory type of a pattern. */
export function selectPatternType(category: string, confidence: number): PatternType {
  if (category === ANTI_PATTERN) return "lesson_learned";
  return confidence >= DISCOVERY_CONFIDENCE ? "discovery" : "hypothesis";
}

/** Raises a confidence for new evidence. A confidence above the maximum, which a caller may post, stays. */
export function raiseConfidence(confidence: number): number {
  // Rounded, so that 0.7 + 0.05 + 0.05 is 0.8.
  const raised = Math.round((confidence + CONFIDENCE_GAIN) * 1e6) / 1e6;
  return Math.max(confidence, Math.min(MAX_CONFIDENCE, raised));
}

/** The fields of a pattern, posted by a caller or extracted by consolidation. */
type PatternParts = {
  project_id: string | null;
  category: string;
  /** An anti-pattern without a statement gets one composed of its failure, cause and prevention. */
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
  /** The user of experience without a project; by default it belongs to nobody. */
  user_id?: string | null;
  usage?: { count: number; last: string };
};

/** Creates the memory of a pattern. */
export function toPatternMemory(parts: PatternParts): NewMemory {
  const { category, confidence, correct_approach, incorrect_approach, name, theme, why, usage } = parts;
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
    content:
      parts.pattern ??
      renderAntiPattern({
        what_fails: incorrect_approach ?? "",
        why: why ?? "",
        prevention: correct_approach,
      }),
    confidence,
    importance: parts.importance,
    source_type: "agent",
    rationale: null,
    session_id: null,
    user_id: parts.user_id ?? null,
    agent_id: null,
    project_id: parts.project_id,
    ...(usage !== undefined && { access_count: usage.count, last_accessed: usage.last }),
    topic_key: name === undefined ? null : toPatternTopicKey(name),
    timestamp: parts.timestamp,
    valid_from: null,
    evidence: parts.source_episodes.slice(0, EXPERIENCE.sourcesPerPattern),
    properties: Object.fromEntries(Object.entries(properties).filter(([, values]) => values.length > 0)),
  };
}

/** Reads the parts of a posted pattern. The fields specific to anti-patterns take precedence over the general ones. */
export function toPatternParts(input: PatternCreate, now: string): PatternParts {
  const anti = input.category === ANTI_PATTERN;
  // A pattern that was used last at some time was used at least once.
  const count = Math.max(input.usage_count, input.last_used === null ? 0 : 1);
  return {
    ...input,
    name: input.id,
    timestamp: now,
    ...(count > 0 && { usage: { count, last: input.last_used ?? now } }),
    ...(anti && {
      incorrect_approach: input.what_fails ?? input.incorrect_approach,
      correct_approach: input.prevention ?? input.correct_approach,
      why: input.why ?? null,
    }),
  };
}

/** Returns whether a memory is a pattern. A category alone is not enough: other types may have one. */
export function isPattern({ type, properties }: Memory): boolean {
  return properties.category !== undefined && (PATTERN_TYPES as readonly string[]).includes(type);
}

/** Reads a pattern from its memory. */
export function toPattern(memory: Memory, links: Pattern["links"]): Pattern {
  const { properties } = memory;
  const read = (name: string) => properties[name]?.[0] ?? null;
  const category = read("category") ?? "general";
  const correct = read("correctApproach");
  const incorrect = read("incorrectApproach");
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
      why: read("cause"),
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
    ...nameForeignSource(memory.source_type),
  };
}

/** New evidence for a known pattern. Stored as part of a consolidation step: the field names are a stored format. */
export type PatternGain = {
  episodes: readonly string[];
  /** When the newest of the episodes took place. */
  at: string;
  /** For an anti-pattern: its cause, empty if unknown, and its prevention. */
  lesson: { why: string; prevention: string | null } | null;
  /** For any other pattern: the one that the same episodes would give. */
  found: Pick<NewPattern, "pattern" | "conditions" | "correct_approach" | "incorrect_approach"> | null;
};

/** Returns a pattern with new evidence, or null if nothing changes. The confidence rises once per call. */
export function strengthenPattern(
  memory: Memory,
  { episodes, at, lesson, found }: PatternGain,
): Memory | null {
  const known = new Set(memory.evidence);
  const fresh = [...new Set(episodes)].filter((id) => !known.has(id));
  const grown = addEvidence(memory, fresh, at);
  const outnumbered = grown !== memory && fresh.length > memory.evidence.length;
  const changed =
    lesson === null
      ? // Known episodes fill no fields: a pattern that was merged into this one has contributed already.
        fillMissingFields(grown, grown === memory ? null : found)
      : completeAntiPattern(grown, lesson, { overwrite: outnumbered });
  return changed === memory ? null : changed;
}

/**
 * Adds sources as long as all of them fit; a pattern with the most sources allowed stays as it is. New evidence also
 * counts as one use.
 */
function addEvidence(memory: Memory, fresh: readonly string[], at: string): Memory {
  if (fresh.length === 0 || memory.evidence.length + fresh.length > EXPERIENCE.sourcesPerPattern)
    return memory;
  const confidence = raiseConfidence(memory.confidence);
  const category = memory.properties.category?.[0] ?? "general";
  return {
    ...memory,
    confidence,
    type: selectPatternType(category, confidence),
    evidence: [...memory.evidence, ...fresh],
    access_count: memory.access_count + 1,
    last_accessed: at,
  };
}

/** Fills the fields that an extracted pattern lacks; with a first correct approach, its statement is rewritten. */
function fillMissingFields(memory: Memory, found: PatternGain["found"]): Memory {
  // Only consolidation sets a theme; patterns without one were posted and keep their wording.
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

/** Sets the cause and prevention of an anti-pattern where they are unknown, or replaces them with `overwrite`. */
function completeAntiPattern(
  memory: Memory,
  { why, prevention }: { why: string; prevention: string | null },
  { overwrite }: { overwrite: boolean },
): Memory {
  const { properties } = memory;
  const [what_fails] = properties.incorrectApproach ?? [];
  if (what_fails === undefined) return memory;
  const [cause = why] = overwrite && why !== "" ? [why] : (properties.cause ?? []);
  const [advice = prevention] =
    overwrite && prevention !== null ? [prevention] : (properties.correctApproach ?? []);
  if (cause === (properties.cause?.[0] ?? "") && advice === (properties.correctApproach?.[0] ?? null))
    return memory;
  const changed = { cause: toValues(cause), correctApproach: toValues(advice) };
  return {
    ...memory,
    properties: {
      ...properties,
      ...Object.fromEntries(Object.entries(changed).filter(([, values]) => values.length > 0)),
    },
    content: renderAntiPattern({ what_fails, why: cause, prevention: advice }),
  };
}

/**
 * Follows supersessions from a pattern to the live one; null if that was forgotten, which must not come back. `passed`
 * holds the sources of the superseded patterns, which are not new evidence.
 */
export function findStandingPattern(
  id: string,
  byId: ReadonlyMap<string, Memory>,
): { standing: Memory | null; passed: ReadonlySet<string> } {
  const passed = new Set<string>();
  const seen = new Set<string>();
  for (let at = byId.get(id); at !== undefined && !seen.has(at.id); ) {
    if (getMemoryStatus(at) === "live") return { standing: at, passed };
    seen.add(at.id);
    for (const source of at.evidence) passed.add(source);
    at = at.superseded_by === null ? undefined : byId.get(at.superseded_by);
  }
  return { standing: null, passed };
}

function toValues(value: string | null | undefined): string[] {
  return value ? [value] : [];
}
