// Until when the next run of each tenant's indexer cannot have begun, as far as this isolate knows. A write that commits
// before that time is read by the run, so that waking the indexer again would only cost a request.

/** Tenants with a window. The oldest are forgotten, which costs a request and nothing else. */
const MAX_WINDOWS = 1_000;

/** `until` is when the next run may begin, `ranAt` when the last one of this isolate began. */
const windows = new Map<string, { until: number; ranAt: number }>();

/** Records that the next run begins no earlier than `ms` after `sentAt`, when the indexer was asked. */
export function beginWakeWindow(tenant: string, sentAt: number, ms: number): void {
  const ranAt = windows.get(tenant)?.ranAt ?? 0;
  // A run that began meanwhile may have read the backlog before later writes.
  if (ranAt < sentAt) setWindow(tenant, { until: sentAt + ms, ranAt });
}

export function isInWakeWindow(tenant: string, now: number): boolean {
  return now < (windows.get(tenant)?.until ?? 0);
}

/** Ends the window when a run begins in this isolate. */
export function endWakeWindow(tenant: string, now: number): void {
  setWindow(tenant, { until: 0, ranAt: now });
}

function setWindow(tenant: string, window: { until: number; ranAt: number }): void {
  windows.delete(tenant);
  windows.set(tenant, window);
  for (const oldest of windows.keys()) {
    if (windows.size <= MAX_WINDOWS) break;
    windows.delete(oldest);
  }
}
