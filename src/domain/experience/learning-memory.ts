// Learnings as memories, and back: a lesson with its trigger, root cause, fix and prevention. A learning with a known
// trigger and cause counts as another occurrence, and its fix and prevention replace the older ones.

import { EXPERIENCE } from "../../limits";
import { sha256Hex } from "../../platform/hash";
import type { Memory, NewMemory } from "../../schemas/memory";
import type { Learning, LearningCreate } from "../../schemas/pattern";
import { DISCOVERY_CONFIDENCE } from "../../schemas/pattern";
import { normaliseContent } from "../../text/normalise-text";
import { raiseConfidence } from "./pattern-memory";

/** Computes the topic key of a learning: two with the same trigger and root cause are one. */
export async function computeLearningKey({ trigger, root_cause }: LearningCreate): Promise<string> {
  const parts = [normaliseContent(trigger), normaliseContent(root_cause)];
  return `learning:${(await sha256Hex(JSON.stringify(parts))).slice(0, 32)}`;
}

export type OwnedLearning = LearningCreate & { user_id: string | null };

/** Creates the memory of a learning that is not stored yet. */
export function toLearningMemory(input: OwnedLearning, key: string, now: string): NewMemory {
  return {
    type: "lesson_learned",
    content: renderLearning(input),
    confidence: DISCOVERY_CONFIDENCE,
    importance: EXPERIENCE.defaultImportance,
    source_type: "agent",
    rationale: null,
    session_id: null,
    user_id: input.user_id,
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

/** Renders one statement that is complete in a list of memories. */
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

/** Returns a stored learning after another occurrence: more confident, with the sources of both. */
export function recordRecurrence(memory: Memory, input: LearningCreate, now: string): Memory {
  const { trigger = [], cause = [] } = memory.properties;
  const first = { ...input, trigger: trigger[0] ?? input.trigger, root_cause: cause[0] ?? input.root_cause };
  return {
    ...memory,
    content: renderLearning(first),
    confidence: raiseConfidence(memory.confidence),
    evidence: [...new Set([...memory.evidence, ...input.evidence])].slice(0, EXPERIENCE.sourcesPerPattern),
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

/** Reads a learning from its memory. */
export function toLearning(memory: Memory): Learning {
  const read = (name: string) => memory.properties[name]?.[0] ?? "";
  return {
    id: memory.id,
    trigger: read("trigger"),
    root_cause: read("cause"),
    fix: read("fix"),
    prevention: read("prevention"),
    evidence: memory.evidence,
    project_id: memory.project_id,
    occurrences: readOccurrences(memory),
    confidence: memory.confidence,
    importance: memory.importance,
    created_at: memory.timestamp,
    last_seen: read("lastSeen") || memory.timestamp,
  };
}
