// What search reads of an item: the texts at the paths that LangGraph names fields by, as in `metadata.title`,
// `chapters[*].content`, `authors[0]` and `authors[-1]`.

export function textOf(value: unknown, paths: readonly string[]): string {
  return paths.flatMap((path) => at(value, path)).join("\n");
}

function at(value: unknown, path: string): string[] {
  if (path === "$") return [JSON.stringify(value)];
  const steps = path.match(/[^.[\]]+/g) ?? [];
  const found = steps.reduce<unknown[]>(
    (values, step) => values.flatMap((each) => stepInto(each, step)),
    [value],
  );
  return found.map((each) => (typeof each === "string" ? each : JSON.stringify(each)));
}

/** Nothing where there is nothing. */
function stepInto(value: unknown, step: string): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  if (step === "*") return Object.values(value);
  const next: unknown = Array.isArray(value)
    ? value.at(Number(step))
    : Object.entries(value).find(([name]) => name === step)?.[1];
  return next === undefined || next === null ? [] : [next];
}
