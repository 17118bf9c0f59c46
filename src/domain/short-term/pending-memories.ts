// PendingMemories: candidates that wait for promotion. Suggestions compete for room; decisions of the agent
// are never dropped.

import { LIMITS } from "../../limits";
import { fail, type Outcome, ok } from "../../platform/errors";
import type { PendingItem } from "../../schemas/session";
import { normaliseContent } from "../../text/memory-text";

export type Admitted = {
  items: PendingItem[];
  /** As each of them waits now: as given, or merged with one that already waited. */
  stored: PendingItem[];
  dropped: PendingItem[];
};

/** Takes candidates in; one that already waits gains instead. All or, when decisions have no room, none. */
export function admitAll(items: readonly PendingItem[], incoming: readonly PendingItem[]): Outcome<Admitted> {
  const waiting = new Map<string, PendingItem>();
  for (const item of [...items, ...incoming]) {
    const same = waiting.get(identityOf(item));
    waiting.set(identityOf(item), same === undefined ? item : merge(same, item));
  }
  const all = [...waiting.values()];
  const decisions = all.filter((item) => item.suggested_by === "agent");
  if (decisions.length > LIMITS.pendingAgent) return fail("limit_exceeded", FULL);
  const stored = incoming.map((item) => waiting.get(identityOf(item)) ?? item);
  return ok({ ...withinLimit(all), stored });
}

const FULL =
  `${LIMITS.pendingAgent} decisions of the agent already wait for promotion, none is dropped: ` +
  "wait for the next promotion, or POST /v1/sessions/{id}/promote, and send it again";

/** The implicit at or above the threshold, and every decision of the agent. */
export function ready(items: readonly PendingItem[], threshold: number): PendingItem[] {
  return items.filter((item) => item.suggested_by === "agent" || item.importance_score >= threshold);
}

function identityOf(item: PendingItem): string {
  return `${item.suggested_by} ${item.memory_type} ${normaliseContent(item.content)}`;
}

function merge(waiting: PendingItem, again: PendingItem): PendingItem {
  return {
    ...waiting,
    confidence: Math.max(waiting.confidence, again.confidence),
    importance_score: Math.max(waiting.importance_score, again.importance_score),
    evidence: [...new Set([...waiting.evidence, ...again.evidence])].slice(0, LIMITS.evidenceItems),
    rationale: waiting.rationale ?? again.rationale,
    topic_key: again.topic_key ?? waiting.topic_key,
    access_count: waiting.access_count + 1,
  };
}

/** Past the limit the lowest scores leave; of equal ones, the one that has waited longest. */
function withinLimit(items: PendingItem[]): { items: PendingItem[]; dropped: PendingItem[] } {
  const implicit = items.filter((item) => item.suggested_by === "implicit");
  const over = implicit.length - LIMITS.pendingImplicit;
  if (over <= 0) return { items, dropped: [] };
  const dropped = implicit.sort((a, b) => a.importance_score - b.importance_score).slice(0, over);
  const leaving = new Set(dropped);
  return { items: items.filter((item) => !leaving.has(item)), dropped };
}
