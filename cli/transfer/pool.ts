// Maps items concurrently, to hide the latency of a remote service.

/** Concurrent calls: enough to hide latency, few enough not to delay other clients. */
const CONCURRENCY = 8;

/** Yields the results in the order of the items. */
export async function* mapConcurrently<T, R>(
  items: AsyncIterable<T> | Iterable<T>,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const under: Promise<R>[] = [];
  try {
    for await (const item of items) {
      under.push(work(item));
      const first = under.length < CONCURRENCY ? undefined : under.shift();
      if (first !== undefined) yield await first;
    }
    for (let first = under.shift(); first !== undefined; first = under.shift()) yield await first;
  } finally {
    // After a failure, waits for the calls in flight and ignores their results.
    await Promise.allSettled(under);
  }
}
