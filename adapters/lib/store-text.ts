// Extracts the searchable text of an item, at field paths in LangGraph's notation: `metadata.title`,
// `chapters[*].content`, `authors[0]`, `authors[-1]`.

export function extractText(value: unknown, paths: readonly string[]): string {
  return paths.flatMap((path) => extractAtPath(value, path)).join("\n");
}

function extractAtPath(value: unknown, path: string): string[] {
  if (path === "$") return [JSON.stringify(value)];
  const steps = path.match(/[^.[\]]+/g) ?? [];
  const found = steps.reduce<unknown[]>(
    (values, step) => values.flatMap((each) => stepInto(each, step)),
    [value],
  );
  return found.map((each) => (typeof each === "string" ? each : JSON.stringify(each)));
}

/** Returns the values of one step of a path; empty if there are none. */
function stepInto(value: unknown, step: string): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  if (step === "*") return Object.values(value);
  const next: unknown = Array.isArray(value)
    ? value.at(Number(step))
    : Object.entries(value).find(([name]) => name === step)?.[1];
  return next === undefined || next === null ? [] : [next];
}
