// Reads the state of the service's vector index, and waits until it is up to date.
import { setTimeout as wait } from "node:timers/promises";
import { type BenchmarkService, startService } from "./benchmark-servers.ts";
import type { Progress } from "./report/progress.ts";

const POLL_MS = 1_000;
/** An index without progress for this long is stuck. */
const STALLED_MS = 300_000;

/** The answer of GET /v1/admin/index, as far as it is used. */
export interface IndexState {
  embedder: string;
  dimensions: number;
  /** The kind of index. */
  index: string;
  /** How many texts wait to be embedded. */
  waiting: number;
}

/** Returns null when the service has no index. */
export async function readIndexState(
  service: Pick<BenchmarkService, "url" | "tenant" | "adminKey">,
): Promise<IndexState | null> {
  const { url, tenant, adminKey } = service;
  const answer = await fetch(`${url}/v1/admin/index?tenant=${encodeURIComponent(tenant)}`, {
    headers: { Authorization: `Bearer ${adminKey}` },
  });
  if (answer.status === 404) return null;
  if (!answer.ok) throw new Error(`GET /v1/admin/index answered ${answer.status}: ${await answer.text()}`);
  return answer.json<IndexState>();
}

/**
 * Waits until nothing waits to be embedded, and returns the index's state; null without an index or an admin key.
 * Zero must be seen twice: the last write may not have reached the queue yet.
 */
export async function waitForIndex(
  service: BenchmarkService,
  progress: Progress,
): Promise<IndexState | null> {
  if (service.adminKey === undefined) {
    progress.note("Without --admin-key nobody knows whether the index is up to date; not waiting.");
    return null;
  }
  progress.begin("Waiting for the index");
  let least = Number.POSITIVE_INFINITY;
  let moved = performance.now();
  for (let zeros = 0; ; ) {
    const index = await readIndexState(service);
    zeros = index?.waiting === 0 ? zeros + 1 : 0;
    if (index === null || zeros === 2) {
      progress.end();
      if (index === null) progress.note("This service has no GET /v1/admin/index; not waiting.");
      return index;
    }
    if (index.waiting < least) {
      least = index.waiting;
      moved = performance.now();
    }
    if (performance.now() - moved > STALLED_MS) throw new Error(`The index stands still at ${least} waiting`);
    progress.set(0, `${index.waiting} waiting`);
    await wait(POLL_MS);
  }
}

/** Reads the index of a new service, started over `folder`. */
export async function describeNewIndex(folder: string): Promise<IndexState> {
  const service = await startService(folder);
  const index = await readIndexState(service).finally(service.dispose);
  if (index === null) throw new Error("This service has no GET /v1/admin/index, and so no index to measure");
  return index;
}
