// Merges the same content, remembered again, into the memory that has it.

import { LIMITS } from "../../kernel/limits";
import { outranks, type SourceRanks } from "../../trust/source-rank";
import type { Memory, NewMemory } from "../memory-schemas";
import { isDerivedTopic } from "./memory-topics";

type MergeRules = {
  /** Whether the new properties replace the stored ones; otherwise they only fill gaps. */
  updates: boolean;
  ranks: SourceRanks;
};

/**
 * Returns the merged memory. From a source of equal rank: the higher confidence and importance, the evidence and tags of
 * both, the newest metadata. From a lower rank: the same object, since nothing may strengthen it. From a higher rank:
 * the memory becomes that source's own, with its ratings and its reasons.
 */
export function mergeContent(before: Memory, again: NewMemory, { updates, ranks }: MergeRules): Memory {
  if (outranks(ranks, before.source_type, again.source_type)) return before;
  const labels = {
    metadata: { ...before.metadata, ...again.metadata },
    tags: [...new Set([...before.tags, ...(again.tags ?? [])])].sort(),
  };
  if (outranks(ranks, again.source_type, before.source_type)) {
    const { source_type, confidence, importance, rationale, topic_key, evidence } = again;
    const properties = { ...before.properties, ...again.properties };
    return {
      ...before,
      source_type,
      confidence,
      importance,
      rationale,
      topic_key,
      evidence,
      properties,
      ...labels,
    };
  }
  return {
    ...before,
    confidence: Math.max(before.confidence, again.confidence),
    importance: Math.max(before.importance, again.importance),
    rationale: before.rationale ?? again.rationale,
    topic_key: mergeTopicKeys(before.topic_key, again.topic_key),
    // Existing evidence is never cut: a pattern may have more of it than one call may give.
    evidence: [...new Set([...before.evidence, ...again.evidence])].slice(
      0,
      Math.max(before.evidence.length, LIMITS.evidenceItems),
    ),
    properties: updates
      ? { ...before.properties, ...again.properties }
      : { ...again.properties, ...before.properties },
    ...labels,
  };
}

/** A key that the caller gives outweighs one derived from the content. */
function mergeTopicKeys(before: string | null, again: string | null): string | null {
  return isDerivedTopic(again) ? (before ?? again) : (again ?? before);
}
