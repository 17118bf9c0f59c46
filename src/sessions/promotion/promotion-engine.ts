// PromotionEngine: selects the short-term memory of a session that becomes long-term memory, most important first.

import type { SourceType } from "../../kernel/common";
import { compareText } from "../../language/normalise-text";
import type { ImportanceParts, MemoryActivity } from "../../memories/memory-fields";
import type { MemoryType } from "../../ontology/generated/terms.generated";
import { CONTEXT_SOURCE_TYPES } from "../../trust/source-rank";
import type { ImportanceWeights, PendingItem } from "../session-schemas";
import { getAccessStats, type LoggedAccess } from "../short-term/access-log";
import { selectReady } from "../short-term/pending-memories";
import {
  fingerprintValue,
  renderContextItem,
  type StoredItem,
  toContextTopic,
} from "../short-term/working-context";
import { computeImportanceParts, sumImportance } from "./importance-scorer";

export type PromotionCandidate = {
  origin: { kind: "pending"; id: string } | { kind: "context"; key: string; fingerprint: string };
  content: string;
  memory_type: MemoryType;
  confidence: number;
  source_type: SourceType;
  evidence: string[];
  rationale: string | null;
  importance_score: number;
  created_at: string;
  /** A new memory of the same topic supersedes the one before it. */
  topic_key: string | null;
  /** Ids of memories that this one supersedes. */
  supersedes: string[];
  /** How it came to be a candidate. */
  activity: MemoryActivity;
};

/** The short-term memory that a run selects from. */
export type Promotable = {
  context: readonly StoredItem[];
  pending: readonly PendingItem[];
  log: readonly LoggedAccess[];
};

type PromotionTerms = { threshold: number; now: number; weights: ImportanceWeights };

/** Returns all candidates at or above the threshold; the caller limits how many one run promotes. */
export function evaluate({ context, pending, log }: Promotable, terms: PromotionTerms): PromotionCandidate[] {
  return [
    ...selectReady(pending, terms.threshold).map(fromPending),
    ...context.flatMap((item) => fromContext(item, log, terms)),
  ].sort(compareCandidates);
}

export function computeItemImportance(
  item: StoredItem,
  log: readonly LoggedAccess[],
  now: number,
  weights?: ImportanceWeights,
): number {
  return sumImportance(computeItemImportanceParts(item, log, now, weights));
}

/** Computes an item's importance from the access log, or from its own counters if the log has no access. */
function computeItemImportanceParts(
  item: StoredItem,
  log: readonly LoggedAccess[],
  now: number,
  weights?: ImportanceWeights,
): ImportanceParts {
  const { count, last } = getAccessStats(log, toContextTopic(item.key));
  return computeImportanceParts(
    {
      lastAccessed: last ?? Date.parse(item.last_accessed),
      accessCount: count > 0 ? count : item.access_count,
      confidence: item.confidence,
      type: item.suggested_type,
    },
    now,
    weights,
  );
}

function fromPending(item: PendingItem): PromotionCandidate {
  return {
    origin: { kind: "pending", id: item.id },
    content: item.content,
    memory_type: item.memory_type,
    confidence: item.confidence,
    source_type: item.source_type,
    evidence: item.evidence,
    rationale: item.rationale,
    importance_score: item.importance_score,
    created_at: item.created_at,
    topic_key: item.topic_key,
    supersedes: item.supersedes ?? [],
    activity: {
      kind: "promotion",
      ...(item.importance_parts && { importance_parts: item.importance_parts }),
      ...(item.extracted_by !== undefined && { extracted_by: item.extracted_by }),
    },
  };
}

/** Returns at most one candidate: none without a type, none for a value that was promoted before. */
function fromContext(
  item: StoredItem,
  log: readonly LoggedAccess[],
  terms: PromotionTerms,
): PromotionCandidate[] {
  const fingerprint = fingerprintValue(item.value);
  if (item.suggested_type === null || fingerprint === item.promoted) return [];
  const parts = computeItemImportanceParts(item, log, terms.now, terms.weights);
  const score = sumImportance(parts);
  if (score < terms.threshold) return [];
  return [
    {
      origin: { kind: "context", key: item.key, fingerprint },
      content: renderContextItem(item),
      memory_type: item.suggested_type,
      confidence: item.confidence,
      source_type: CONTEXT_SOURCE_TYPES[item.source],
      evidence: [],
      rationale: null,
      importance_score: score,
      // A later value was not yet true when the key was first seen.
      created_at: item.promoted === null ? item.first_seen : item.last_accessed,
      topic_key: toContextTopic(item.key),
      supersedes: [],
      activity: { kind: "promotion", importance_parts: parts, context_key: item.key },
    },
  ];
}

function compareCandidates(a: PromotionCandidate, b: PromotionCandidate): number {
  return (
    b.importance_score - a.importance_score ||
    compareText(a.created_at, b.created_at) ||
    compareText(a.content, b.content)
  );
}
