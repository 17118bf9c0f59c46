/** Returns an item that must exist: an index out of range is an error of the benchmark. */
export function getItem<T>(items: readonly T[], index: number): T {
  const item = items.at(index);
  if (item === undefined) throw new Error(`There is no item ${index} among ${items.length}`);
  return item;
}
