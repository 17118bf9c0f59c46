// PendingMemories: candidates for promotion. Implicit candidates compete for room; decisions of the agent are never
// dropped.

import { fail, ok, type Result } from "../../kernel/errors";
import { LIMITS } from "../../kernel/limits";
import { normaliseContent } from "../../language/normalise-text";
import { outranks, type SourceRanks } from "../../trust/source-rank";
import type { PendingItem } from "../session-schemas";

type AdmitResult = {
  items: PendingItem[];
  /** The incoming candidates as stored: as sent, or merged with an equal one. */
  stored: PendingItem[];
  dropped: PendingItem[];
};

/** Adds candidates, merging equal ones. Adds none of them when decisions exceed the limit. */
export function admitAll(
  items: readonly PendingItem[],
  incoming: readonly PendingItem[],
  ranks: SourceRanks,
): Result<AdmitResult> {
  const pending = new Map<string, PendingItem>();
  for (const item of [...items, ...incoming]) {
    const existing = pending.get(getIdentity(item));
    pending.set(getIdentity(item), existing === undefined ? item : mergePending(existing, item, ranks));
  }
  const all = [...pending.values()];
  const decisions = all.filter((item) => item.suggested_by === "agent");
  if (decisions.length > LIMITS.pendingAgent) return fail("limit_exceeded", FULL);
  const stored = incoming.map((item) => pending.get(getIdentity(item)) ?? item);
  return ok({ ...dropOverLimit(all), stored });
}

const FULL =
  `${LIMITS.pendingAgent} decisions of the agent already wait for promotion, none is dropped: ` +
  "wait for the next promotion, or POST /v1/sessions/{id}/promote, and send it again";

/** Returns every decision of the agent, and the implicit candidates at or above the threshold. */
export function selectReady(items: readonly PendingItem[], threshold: number): PendingItem[] {
  return items.filter((item) => item.suggested_by === "agent" || item.importance_score >= threshold);
}

function getIdentity(item: PendingItem): string {
  return `${item.suggested_by} ${item.memory_type} ${normaliseContent(item.content)}`;
}

/** Merges an equal candidate. Ratings are merged only between sources of one rank; otherwise the higher-ranked candidate stays. */
function mergePending(existing: PendingItem, incoming: PendingItem, ranks: SourceRanks): PendingItem {
  if (outranks(ranks, existing.source_type, incoming.source_type)) return existing;
  if (outranks(ranks, incoming.source_type, existing.source_type)) return { ...incoming, id: existing.id };
  return {
    ...existing,
    confidence: Math.max(existing.confidence, incoming.confidence),
    ...selectImportance(existing, incoming),
    evidence: [...new Set([...existing.evidence, ...incoming.evidence])].slice(0, LIMITS.evidenceItems),
    rationale: existing.rationale ?? incoming.rationale,
    topic_key: incoming.topic_key ?? existing.topic_key,
    ...mergeSupersedes(existing, incoming),
    access_count: existing.access_count + 1,
  };
}

/** Returns the higher importance, with its parts. */
function selectImportance(existing: PendingItem, incoming: PendingItem) {
  const { importance_score, importance_parts } =
    existing.importance_score >= incoming.importance_score ? existing : incoming;
  return { importance_score, importance_parts };
}

function mergeSupersedes(existing: PendingItem, incoming: PendingItem): Pick<PendingItem, "supersedes"> {
  const ids = [...new Set([...(existing.supersedes ?? []), ...(incoming.supersedes ?? [])])];
  return ids.length === 0 ? {} : { supersedes: ids };
}

/** Drops implicit candidates over the limit: the lowest scores first, the oldest of equal scores. */
function dropOverLimit(items: PendingItem[]): { items: PendingItem[]; dropped: PendingItem[] } {
  const implicit = items.filter((item) => item.suggested_by === "implicit");
  const over = implicit.length - LIMITS.pendingImplicit;
  if (over <= 0) return { items, dropped: [] };
  const dropped = implicit.sort((a, b) => a.importance_score - b.importance_score).slice(0, over);
  const isDropped = new Set(dropped);
  return { items: items.filter((item) => !isDropped.has(item)), dropped };
}
