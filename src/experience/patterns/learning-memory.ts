// Learnings as memories, and back: a lesson with its trigger, root cause, fix and prevention. A learning with a known
// trigger and cause counts as another occurrence, and its fix and prevention replace the older ones.
import { sha256Hex } from "../../kernel/hash";
import { EXPERIENCE } from "../../kernel/limits";
import { normaliseContent } from "../../language/normalise-text";
import type { Memory, NewMemory } from "../../memories/memory-schemas";
import { nameForeignSource } from "../../trust/source-rank";
import { computeEvidence, type PatternEvidence, sortEpisodes } from "../episodes/episode-record";
import type { Episode } from "../episodes/episode-schemas";
import { computeErrorKey, groupErrors, weighError } from "./anti-patterns";
import { raiseConfidence } from "./pattern-memory";
import { DISCOVERY_CONFIDENCE, type Learning, type LearningCreate } from "./pattern-schemas";

// Extracts learnings from the errors that episodes resolved: the type of the error is the trigger, its message the
// cause, its resolution the fix and the prevention.

type ResolvedError = PatternEvidence & {
  trigger: string;
  root_cause: string;
  fix: string;
  prevention: string;
  /** When it occurred first; `timestamp` is the last time. */
  first_seen: string;
};

/** Extracts one learning for each type and message of a resolved error, from episodes in any order. */
export function extractResolvedErrors(episodes: readonly Episode[]): ResolvedError[] {
  const resolved = sortEpisodes(episodes).map((episode) => ({
    ...episode,
    errors_encountered: episode.errors_encountered.filter(({ resolution }) => resolution !== null),
  }));
  return groupErrors(resolved, computeErrorKey).flatMap(
    ({ type, message, resolution, episodes: affected }) =>
      resolution === null
        ? []
        : [
            {
              trigger: type,
              root_cause: message === "" ? type : message,
              fix: resolution,
              prevention: resolution,
              first_seen: affected[0]?.timestamp ?? "",
              ...computeEvidence(affected, weighError),
            },
          ],
  );
}

/** Computes the topic key of a learning: two with the same trigger and root cause are one. */
export async function computeLearningKey({
  trigger,
  root_cause,
}: Pick<LearningCreate, "trigger" | "root_cause">): Promise<string> {
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

type LessonTexts = Pick<LearningCreate, "trigger" | "root_cause" | "fix" | "prevention">;

function toProperties({ trigger, root_cause, fix, prevention }: LessonTexts) {
  return { trigger: [trigger], cause: [root_cause], fix: [fix], prevention: [prevention] };
}

/** Renders one statement that is complete in a list of memories. */
function renderLearning({ trigger, root_cause, fix, prevention }: LessonTexts): string {
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

/** Creates the memory of a learning from a resolved error. Every episode is an occurrence. */
export function toExtractedLearning(
  error: ResolvedError,
  owner: Pick<OwnedLearning, "project_id" | "user_id">,
  key: string,
): NewMemory {
  const { confidence, importance, source_episodes, first_seen, timestamp, ...lesson } = error;
  const evidence = source_episodes.slice(0, EXPERIENCE.sourcesPerPattern);
  const memory = toLearningMemory({ ...lesson, ...owner, evidence }, key, first_seen);
  return {
    ...memory,
    confidence,
    importance,
    properties: {
      ...memory.properties,
      occurrences: [String(source_episodes.length)],
      lastSeen: [timestamp],
    },
  };
}

/**
 * Returns a stored learning with the new episodes of the same error, or null if there are none. Its fix and prevention
 * change only if they were extracted, too: those that a caller gave say more than a resolution.
 */
export function confirmLearning(memory: Memory, again: NewMemory): Memory | null {
  const known = new Set(memory.evidence);
  const fresh = again.evidence.filter((id) => !known.has(id));
  if (fresh.length === 0 || memory.evidence.length + fresh.length > EXPERIENCE.sourcesPerPattern) return null;
  const before = toLearning(memory);
  const latest = toLearning({ ...memory, ...again });
  const isExtracted = before.fix === before.prevention;
  const { fix, prevention } = isExtracted ? latest : before;
  const lesson = { ...before, fix, prevention };
  return {
    ...memory,
    content: renderLearning(lesson),
    confidence: raiseConfidence(memory.confidence),
    evidence: [...memory.evidence, ...fresh],
    properties: {
      ...memory.properties,
      ...toProperties(lesson),
      occurrences: [String(before.occurrences + fresh.length)],
      lastSeen: [before.last_seen > latest.last_seen ? before.last_seen : latest.last_seen],
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
    ...nameForeignSource(memory.source_type),
  };
}
