// PromotionEngine: which of a session's short-term memory becomes long-term memory, most deserving first.
import type { MemoryType, PendingItem, SourceType, Weights } from "../../schemas/session";
import { type Access, statsOf } from "../short-term/access-log";
import { ready } from "../short-term/pending-memories";
import { contextContent, contextTopic, fingerprint, type StoredItem } from "../short-term/working-context";
import { importance } from "./importance-scorer";

export type Candidate = {
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
};

/** What a run chooses from. */
export type Promotable = {
  context: readonly StoredItem[];
  pending: readonly PendingItem[];
  log: readonly Access[];
};

export type Terms = { threshold: number; now: number; weights: Weights };

/** Everything that deserves promotion now; the caller takes as many as one run may. */
export function evaluate({ context, pending, log }: Promotable, terms: Terms): Candidate[] {
  return [
    ...ready(pending, terms.threshold).map(fromPending),
    ...context.flatMap((item) => fromContext(item, log, terms)),
  ].sort(byDesert);
}

/** An item's importance now: use as the access log knows it, or as the item itself does. */
export function importanceOf(
  item: StoredItem,
  log: readonly Access[],
  now: number,
  weights?: Weights,
): number {
  const { count, last } = statsOf(log, contextTopic(item.key));
  return importance(
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

function fromPending(item: PendingItem): Candidate {
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
  };
}

/** Who a context item comes from, once it is a memory. */
export const SOURCES = { explicit: "user", tool: "tool", inferred: "agent" } as const;

/** At most one candidate: none without a type, none for a value that is a memory already. */
function fromContext(item: StoredItem, log: readonly Access[], terms: Terms): Candidate[] {
  const print = fingerprint(item.value);
  if (item.suggested_type === null || print === item.promoted) return [];
  const score = importanceOf(item, log, terms.now, terms.weights);
  if (score < terms.threshold) return [];
  return [
    {
      origin: { kind: "context", key: item.key, fingerprint: print },
      content: contextContent(item),
      memory_type: item.suggested_type,
      confidence: item.confidence,
      source_type: SOURCES[item.source],
      evidence: [],
      rationale: null,
      importance_score: score,
      // A later value was not yet true when the key was first seen.
      created_at: item.promoted === null ? item.first_seen : item.last_accessed,
      topic_key: contextTopic(item.key),
    },
  ];
}

function byDesert(a: Candidate, b: Candidate): number {
  return (
    b.importance_score - a.importance_score ||
    compare(a.created_at, b.created_at) ||
    compare(a.content, b.content)
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
