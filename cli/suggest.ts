// Finds the word that was meant by a misspelt one.

/** Returns the nearest word, if few letters differ or one begins with the other. */
export function findNearest(word: string, words: Iterable<string>): string | undefined {
  let nearest: { word: string; distance: number } | undefined;
  for (const candidate of words) {
    const distance = measureDistance(word, candidate);
    const isNear = distance <= Math.max(1, Math.floor(candidate.length / 3));
    const isPrefix = word !== "" && (candidate.startsWith(word) || word.startsWith(candidate));
    if ((isNear || isPrefix) && distance < (nearest?.distance ?? Number.POSITIVE_INFINITY))
      nearest = { word: candidate, distance };
  }
  return nearest?.word;
}

/** The edit distance: how many letters to insert, to remove, to replace, or to swap with the next one. */
function measureDistance(a: string, b: string): number {
  let previous: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwapped ? (previous[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      next.push(Math.min(replaced, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    previous = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
