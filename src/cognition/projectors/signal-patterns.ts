// Patterns of signal types, such as `jido.memory.result`: `*` stands for one word, `**` for any number of them.

/** Returns whether a pattern matches the type of a signal. An entry without a type is no signal. */
export function matchesSignal(patterns: readonly string[], type: string): boolean {
  if (type === "") return false;
  const words = type.split(".");
  return patterns.some((pattern) => matchesWords(pattern.split("."), words));
}

function matchesWords(pattern: readonly string[], words: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return words.length === 0;
  if (first === "**")
    return words.some((_, i) => matchesWords(rest, words.slice(i))) || matchesWords(rest, []);
  return words.length > 0 && (first === "*" || first === words[0]) && matchesWords(rest, words.slice(1));
}

/** Matches signals of all types. */
export const ANY_SIGNAL = "**";
