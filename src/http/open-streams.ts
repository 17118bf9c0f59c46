// Counts the open streams of each tenant in this isolate.
const streams = new Map<string, number>();

/** Counts a stream until the returned function is called. */
export function trackStream(tenant: string): () => void {
  streams.set(tenant, countStreams(tenant) + 1);
  let isOpen = true;
  return () => {
    if (!isOpen) return;
    isOpen = false;
    const left = countStreams(tenant) - 1;
    if (left > 0) streams.set(tenant, left);
    else streams.delete(tenant);
  };
}

export function countStreams(tenant: string): number {
  return streams.get(tenant) ?? 0;
}
