// Promotion runs: what deserves it goes from short-term to long-term memory, and says so.

import { PROMOTION } from "../../limits";
import type { Failure } from "../../platform/errors";
import type { PromotionTrigger } from "../../platform/telemetry";
import type { Promoted } from "../../schemas/session";
import type { SessionCore } from "../session-core";
import type { SessionRef } from "../session-record";
import { offerWindow } from "../short-term/conversation";
import { findSame } from "./find-near-duplicates";
import { candidatesOf, enqueueRun, toPromoted, waitingPromotions } from "./promotion-run";

/** What a run wrote, and why it could not write more. */
export type PromotionRun = { promoted: Promoted[]; refused: Failure | null };

/** One run: at most as many as one run may, each in the place of what said the same before. */
export async function promoteOnce(
  core: SessionCore,
  ref: SessionRef,
  threshold: number,
  trigger: PromotionTrigger,
): Promise<PromotionRun> {
  const { storage, telemetry } = core;
  const started = core.now();
  const session = core.existing(ref);
  const deserving = candidatesOf(storage, session, threshold, started).slice(
    0,
    session.record.promotion.max_per_run,
  );
  const about = { tenant: ref.tenant, session_id: ref.id, trigger };
  telemetry({ event: "promotion.triggered", ...about, duration_ms: 0, candidates: deserving.length });
  const { outbox, store, semantic } = core.services(ref);
  const same = await findSame({ store, semantic, ref }, deserving);
  const sent = storage.write(() => {
    // While that was looked up, another run may have taken some of them, and others may have gained evidence.
    const current = core.existing(ref);
    const waiting = waitingPromotions(storage);
    const left = new Map(
      candidatesOf(storage, current, threshold, started).map((one) => [JSON.stringify(one.origin), one]),
    );
    const still = same.flatMap(({ candidate: before, memories }) => {
      const candidate = left.get(JSON.stringify(before.origin));
      return candidate?.content === before.content ? [{ candidate, memories }] : [];
    });
    return [...waiting, ...enqueueRun(storage, outbox, current, still, started)];
  });
  const results = await core.settle(
    ref,
    sent.map(({ op }) => op),
  );
  const promoted = sent.flatMap((one, i) => {
    const result = results[i];
    return result === undefined || result === null ? [] : toPromoted(one, result);
  });
  const refusal = results.find((result) => result?.status === "rejected");
  storage.write(() => {
    const { record } = core.existing(ref);
    const blocked_until = refusal === undefined ? null : core.now() + PROMOTION.retryLastMs;
    if (record.blocked_until !== blocked_until) storage.saveRecord({ ...record, blocked_until });
  });
  telemetry({
    event: "promotion.completed",
    ...about,
    duration_ms: core.now() - started,
    promoted: promoted.length,
    remaining: core.existing(ref).pending.length,
  });
  return { promoted, refused: refusal?.status === "rejected" ? refusal.failure : null };
}

/** The last promotion of a session: from what its window still holds, too, and by a generous threshold. */
export async function promoteLast(
  core: SessionCore,
  ref: SessionRef,
  trigger: "close" | "abandon",
): Promise<number> {
  const memory = core.existing(ref);
  core.storage.write(() => offerWindow(core.storage, memory, core.now()));
  const threshold = Math.min(memory.record.promotion.threshold, PROMOTION.closeThreshold);
  return promoteAll(core, ref, threshold, trigger);
}

/** Runs until nothing more deserves it, or fits. */
export async function promoteAll(
  core: SessionCore,
  ref: SessionRef,
  threshold: number,
  trigger: PromotionTrigger,
): Promise<number> {
  let total = 0;
  for (;;) {
    const { promoted, refused } = await promoteOnce(core, ref, threshold, trigger);
    total += promoted.length;
    const left = candidatesOf(core.storage, core.existing(ref), threshold, core.now());
    if (left.length === 0 || promoted.length === 0 || refused !== null) return total;
  }
}
