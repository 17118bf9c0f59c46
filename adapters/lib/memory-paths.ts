// Validates the paths of Anthropic's memory tool: all are under /memories, and none leads out of it.

export const ROOT = "/memories";

/** Resolves `.`, `..` and empty segments; throws for a path outside the root. */
export function normalisePath(given: string): string {
  if (given !== ROOT && !given.startsWith(`${ROOT}/`))
    throw new Error(`Path must start with ${ROOT}, got: ${given}`);
  if (/\p{Cc}|\p{Surrogate}/u.test(given))
    throw new Error("Path must not contain control characters or lone surrogates");
  const names: string[] = [];
  for (const name of given.slice(ROOT.length).split("/")) {
    if (name === "..") {
      if (names.pop() === undefined) throw new Error(`Path ${given} would escape ${ROOT} directory`);
    } else if (name !== "" && name !== ".") names.push(name);
  }
  return [ROOT, ...names].join("/");
}

/** Returns the parent directories of a path, without the root. */
export function listParents(path: string): string[] {
  const names = path
    .slice(ROOT.length + 1)
    .split("/")
    .slice(0, -1);
  return names.map((_, i) => [ROOT, ...names.slice(0, i + 1)].join("/"));
}
