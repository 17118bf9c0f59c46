// Selects the namespaces that a LangGraph store lists.
import type { ListNamespacesOperation, MatchCondition } from "@langchain/langgraph-checkpoint";

export function selectNamespaces(
  all: readonly string[][],
  { matchConditions = [], maxDepth, limit, offset }: ListNamespacesOperation,
): string[][] {
  const matching = all
    .filter((namespace) => matchConditions.every((condition) => matches(namespace, condition)))
    .map((namespace) => namespace.slice(0, maxDepth));
  const unique = new Map(matching.map((namespace) => [JSON.stringify(namespace), namespace]));
  return [...unique.values()]
    .toSorted((a, b) => a.join(":").localeCompare(b.join(":")))
    .slice(offset ?? 0, limit === undefined ? undefined : (offset ?? 0) + limit);
}

function matches(namespace: readonly string[], { matchType, path }: MatchCondition): boolean {
  if (path.length > namespace.length) return false;
  const start = matchType === "prefix" ? 0 : namespace.length - path.length;
  return path.every((label, i) => label === "*" || label === namespace[start + i]);
}
