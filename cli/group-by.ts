// Groups items by a key: Map.groupBy, which Node 20 does not have.

export function groupBy<T>(items: Iterable<T>, toKey: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = toKey(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
