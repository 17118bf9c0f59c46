// Work on many things, some at a time: a service far away answers one call after the other too slowly.

/** Calls under way at once: enough to hide the way there, few enough that nobody else waits. */
const WIDTH = 8;

/** Results in the order of the items. */
export async function* pooled<T, R>(
  items: AsyncIterable<T> | Iterable<T>,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const under: Promise<R>[] = [];
  try {
    for await (const item of items) {
      under.push(work(item));
      const first = under.length < WIDTH ? undefined : under.shift();
      if (first !== undefined) yield await first;
    }
    for (let first = under.shift(); first !== undefined; first = under.shift()) yield await first;
  } finally {
    // One has failed: what the others come to is nobody's concern any more.
    await Promise.allSettled(under);
  }
}
