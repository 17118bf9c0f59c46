// What sequences have in common: the one that is most like the others, and what these have in place of its items.

/** How many of `count` make a thing common to all: one in four may be otherwise. */
export function countNearlyAll(count: number): number {
  return Math.ceil((count * 3) / 4);
}

/** How many make it the usual thing: one in three may be otherwise. */
export function countMost(count: number): number {
  return Math.ceil((count * 2) / 3);
}

/** Half of `count`, but not one by itself. */
export function countHalf(count: number): number {
  return Math.max(Math.min(2, count), Math.ceil(count / 2));
}

export type Consensus<T> = {
  /** The sequence whose items are most nearly those that most have; the first of equals. */
  typical: readonly T[];
  /** For each of its items those that the sequences have in its place, in their order. */
  alignedItems: T[][];
};

export function findConsensus<T>(
  sequences: readonly (readonly T[])[],
  keyOf: (item: T) => string,
): Consensus<T> {
  const numbers = new Map<string, number>();
  const numberOf = (item: T) => {
    const key = keyOf(item);
    const number = numbers.get(key) ?? numbers.size;
    numbers.set(key, number);
    return number;
  };
  const keyed = sequences.map((items) => ({ items, keys: items.map(numberOf) }));
  const having = new Map<number, number>();
  for (const { keys } of keyed) {
    for (const key of new Set(keys)) having.set(key, (having.get(key) ?? 0) + 1);
  }
  // What most have speaks for a sequence, what few have against it.
  const scores = keyed.map(({ keys }) =>
    [...new Set(keys)].reduce((sum, key) => sum + 2 * (having.get(key) ?? 0) - sequences.length, 0),
  );
  const chosen = keyed[scores.indexOf(Math.max(...scores))];
  if (chosen === undefined) return { typical: [], alignedItems: [] };
  const places: T[][] = chosen.items.map(() => []);
  for (const { items, keys } of keyed) {
    for (const [at, other] of findCommonSubsequence(chosen.keys, keys)) {
      places[at]?.push(...items.slice(other, other + 1));
    }
  }
  return { typical: chosen.items, alignedItems: places };
}

/** Pairs of indices of the longest common subsequence. */
function findCommonSubsequence(a: readonly number[], b: readonly number[]): [number, number][] {
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  const length = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] =
        a[i] === b[j] ? length(i + 1, j + 1) + 1 : Math.max(length(i + 1, j), length(i, j + 1));
    }
  }
  const pairs: [number, number][] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      pairs.push([i, j]);
      i += 1;
      j += 1;
    } else if (length(i + 1, j) >= length(i, j + 1)) i += 1;
    else j += 1;
  }
  return pairs;
}

/** What nearly all of the lists share, or else half of them. */
export function findCommonPaths(lists: readonly (readonly string[])[]): string[] {
  const common = findSharedPaths(lists, countNearlyAll(lists.length));
  return common.length > 0 ? common : findSharedPaths(lists, countHalf(lists.length));
}

/** What at least `least` of the lists share: the narrowest first, then what most share. */
export function findSharedPaths(lists: readonly (readonly string[])[], least: number): string[] {
  const found: string[] = [];
  let open = lists.map((paths) => [...new Set(paths)].map(listPathPatterns));
  for (let level = 0; level < LEVELS; level += 1) {
    const counts = new Map<string, number>();
    for (const paths of open) {
      for (const place of new Set(paths.flatMap((places) => places[level] ?? [])))
        counts.set(place, (counts.get(place) ?? 0) + 1);
    }
    const shared = [...counts].filter(([, count]) => count >= least);
    shared.sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
    const names = new Set(shared.map(([place]) => place));
    found.push(...names);
    open = open.map((paths) => paths.filter((places) => !names.has(places[level] ?? "")));
  }
  return found;
}

/** A path, or a name with an extension. */
export function isFilePath(target: string): boolean {
  return /^[^\s]*(?:\/[^\s]*|\w\.[a-z]\w*)$/i.test(target);
}

const LEVELS = 4;
const PATH = /^(?!\w+:\/\/)[^\s]+\/[^\s/]+$/;
const EXTENSION = /(?:\.(?:test|spec|stories|config|generated|d))?\.\w+$/;

/** From the narrowest to the widest. What is no path has no place but its own name. */
function listPathPatterns(path: string): string[] {
  if (!PATH.test(path)) return [path];
  const [folder, name] = splitPath(path);
  const [parent] = splitPath(folder.slice(0, -1));
  const [extension = ""] = EXTENSION.exec(name) ?? [];
  const wide = parent === "" ? [] : [`${parent}**/*${extension}`];
  return [path, `${folder}*${extension}`, `${parent}*/${name}`, ...wide];
}

/** The folder with its slash, and the name. */
function splitPath(path: string): [string, string] {
  const end = path.lastIndexOf("/") + 1;
  return [path.slice(0, end), path.slice(end)];
}
