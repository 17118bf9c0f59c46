// A pattern as a memory, and back: what holds in general is a discovery, or a hypothesis while little speaks for it;
// what to avoid is a lesson learned. Pure.

import { EXPERIENCE } from "../limits";
import { nameIn, nameKey } from "../long-term/pattern-name";
import { statusOf } from "../long-term/rows";
import { ANTI_PATTERN, type Pattern, type PatternCreate } from "../schemas/experience";
import type { Memory, NewMemory } from "../schemas/memory";
import { antiPatternText } from "./anti-patterns";

type PatternType = Pattern["memory_type"];

export function typeFor(category: string, confidence: number): PatternType {
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

export function toMemory(parts: PatternParts): NewMemory {
  const { category, confidence, correct_approach, incorrect_approach, name, theme, why } = parts;
  const one = (value: string | null | undefined) => (value ? [value] : []);
  const properties = {
    category: [category],
    theme: one(theme),
    condition: [...new Set(parts.conditions)],
    correctApproach: one(correct_approach),
    incorrectApproach: one(incorrect_approach),
    cause: one(why),
  };
  return {
    type: typeFor(category, confidence),
    content: parts.pattern ?? textOf({ incorrect_approach, why, correct_approach }),
    confidence,
    importance: parts.importance,
    source_type: "agent",
    rationale: null,
    session_id: null,
    agent_id: null,
    project_id: parts.project_id,
    topic_key: name === undefined ? null : nameKey(name),
    timestamp: parts.timestamp,
    valid_from: null,
    evidence: [...parts.source_episodes],
    properties: Object.fromEntries(Object.entries(properties).filter(([, values]) => values.length > 0)),
  };
}

function textOf(parts: {
  incorrect_approach: string | null;
  why?: string | null | undefined;
  correct_approach: string | null;
}): string {
  return antiPatternText({
    what_fails: parts.incorrect_approach ?? "",
    why: parts.why ?? "",
    prevention: parts.correct_approach,
  });
}

/** What a caller posts. Of an anti-pattern, its own three fields come before the general ones. */
export function partsOf(input: PatternCreate, now: string): PatternParts {
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

export function toPattern(memory: Memory, links: Pattern["links"]): Pattern {
  const { properties } = memory;
  const one = (name: string) => properties[name]?.[0] ?? null;
  const category = one("category") ?? "general";
  const correct = one("correctApproach");
  const incorrect = one("incorrectApproach");
  return {
    id: memory.id,
    name: nameIn(memory.topic_key),
    project_id: memory.project_id,
    memory_type: memory.type as PatternType,
    status: statusOf(memory),
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

/** The same pattern with more episodes behind it: more certain, once for all that are new, and known as what it now is. */
export function withEvidence(memory: Memory, episodes: readonly string[]): Memory | null {
  const known = new Set(memory.evidence);
  const fresh = episodes.filter((id) => !known.has(id));
  if (fresh.length === 0 || memory.evidence.length + fresh.length > EXPERIENCE.sources) return null;
  const { gain, mostConfident } = EXPERIENCE;
  // Rounded, because .7 + .05 + .05 shall be .8.
  const raised = Math.round((memory.confidence + gain) * 1e6) / 1e6;
  const confidence = Math.max(memory.confidence, Math.min(mostConfident, raised));
  const category = memory.properties.category?.[0] ?? "general";
  return {
    ...memory,
    confidence,
    type: typeFor(category, confidence),
    evidence: [...memory.evidence, ...fresh],
  };
}

/** An anti-pattern that learns why something fails, or what prevents it, if that was not known. */
export function completed(
  memory: Memory,
  { why, prevention }: { why: string; prevention: string | null },
): Memory {
  const { properties } = memory;
  const cause = properties.cause ?? (why === "" ? [] : [why]);
  const correctApproach = properties.correctApproach ?? (prevention === null ? [] : [prevention]);
  if (cause === properties.cause && correctApproach === properties.correctApproach) return memory;
  const added = Object.fromEntries(
    Object.entries({ cause, correctApproach }).filter(([, values]) => values.length > 0),
  );
  const [what] = properties.incorrectApproach ?? [];
  if (Object.keys(added).every((name) => name in properties) || what === undefined) return memory;
  return {
    ...memory,
    properties: { ...properties, ...added },
    content: antiPatternText({
      what_fails: what,
      why: cause[0] ?? "",
      prevention: correctApproach[0] ?? null,
    }),
  };
}
