// Learnings: lessons with what set them off, why, what put it right and what prevents it. The same thing learnt again
// is one more occurrence of the first, with the newest word on how to fix and prevent it.

import { EXPERIENCE } from "../../limits";
import { sha256Hex } from "../../platform/hash";
import type { Learning, LearningCreate } from "../../schemas/learning";
import type { Memory, NewMemory } from "../../schemas/memory";
import { normaliseContent } from "../../text/normalise-text";

/** What makes two learnings one: what was seen and why it happened. */
export async function computeLearningKey({ trigger, root_cause }: LearningCreate): Promise<string> {
  const parts = [normaliseContent(trigger), normaliseContent(root_cause)];
  return `learning:${(await sha256Hex(JSON.stringify(parts))).slice(0, 32)}`;
}

export function toLearningMemory(input: LearningCreate, key: string, now: string): NewMemory {
  return {
    type: "lesson_learned",
    content: renderLearning(input),
    confidence: EXPERIENCE.kept,
    importance: EXPERIENCE.importance,
    source_type: "agent",
    rationale: null,
    session_id: null,
    agent_id: null,
    project_id: input.project_id,
    topic_key: key,
    timestamp: now,
    valid_from: null,
    evidence: input.evidence,
    properties: { ...toProperties(input), occurrences: ["1"], lastSeen: [now] },
  };
}

function toProperties({ trigger, root_cause, fix, prevention }: LearningCreate) {
  return { trigger: [trigger], cause: [root_cause], fix: [fix], prevention: [prevention] };
}

/** One statement that stands alone where memories are listed. */
function renderLearning({ trigger, root_cause, fix, prevention }: LearningCreate): string {
  const parts = [
    `${withFullStop(trigger)} Cause: ${withFullStop(root_cause)}`,
    `Fix: ${withFullStop(fix)}`,
    `Prevention: ${withFullStop(prevention)}`,
  ];
  return parts.join(" ");
}

function withFullStop(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** The lesson met again. */
export function recordRecurrence(memory: Memory, input: LearningCreate, now: string): Memory {
  const { gain, mostConfident, sources } = EXPERIENCE;
  const { trigger = [], cause = [] } = memory.properties;
  const first = { ...input, trigger: trigger[0] ?? input.trigger, root_cause: cause[0] ?? input.root_cause };
  return {
    ...memory,
    content: renderLearning(first),
    confidence: Math.max(
      memory.confidence,
      Math.min(mostConfident, Math.round((memory.confidence + gain) * 1e6) / 1e6),
    ),
    evidence: [...new Set([...memory.evidence, ...input.evidence])].slice(0, sources),
    properties: {
      ...memory.properties,
      ...toProperties(first),
      occurrences: [String(readOccurrences(memory) + 1)],
      lastSeen: [now],
    },
  };
}

function readOccurrences({ properties }: Memory): number {
  return Number(properties.occurrences?.[0] ?? "1");
}

export function toLearning(memory: Memory): Learning {
  const one = (name: string) => memory.properties[name]?.[0] ?? "";
  return {
    id: memory.id,
    trigger: one("trigger"),
    root_cause: one("cause"),
    fix: one("fix"),
    prevention: one("prevention"),
    evidence: memory.evidence,
    project_id: memory.project_id,
    occurrences: readOccurrences(memory),
    confidence: memory.confidence,
    importance: memory.importance,
    created_at: memory.timestamp,
    last_seen: one("lastSeen") || memory.timestamp,
  };
}
