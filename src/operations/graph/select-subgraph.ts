// Which part of a knowledge graph is asked for. Pure.
import type { KnowledgeGraph } from "../../schemas/knowledge-graph";

/** Entities whose name, type or one of whose observations has the query in it, whatever its case. */
export function matching(graph: KnowledgeGraph, query: string): KnowledgeGraph {
  const wanted = query.toLowerCase();
  const has = (text: string) => text.toLowerCase().includes(wanted);
  return around(
    graph,
    ({ name, entityType, observations }) => has(name) || has(entityType) || observations.some(has),
  );
}

export function named(graph: KnowledgeGraph, names: readonly string[]): KnowledgeGraph {
  const wanted = new Set(names);
  return around(graph, ({ name }) => wanted.has(name));
}

/** Some entities, and the relations that at least one end of is among them. */
function around(
  graph: KnowledgeGraph,
  isWanted: (entity: KnowledgeGraph["entities"][number]) => boolean,
): KnowledgeGraph {
  const entities = graph.entities.filter(isWanted);
  const names = new Set(entities.map(({ name }) => name));
  return { entities, relations: graph.relations.filter(({ from, to }) => names.has(from) || names.has(to)) };
}
