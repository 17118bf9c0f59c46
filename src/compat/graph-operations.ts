// The operations of `@modelcontextprotocol/server-memory` on Kioku's memory, with its names, descriptions, inputs and
// result texts.

import { defineTool, type Tool } from "../calls/tool";
import {
  EntitiesCreated,
  GraphDeleted,
  GraphInputs,
  KnowledgeGraph,
  ObservationResults,
  RelationsCreated,
} from "../graph/knowledge-graph-schemas";
import type { Owner } from "../kernel/access";
import { OwnerIds, type z } from "../kernel/common";
import { failure } from "../kernel/errors";
import type { Services } from "../services/services";

/** The owner of a graph: an agent, a project, or the tenant without either. */
export const GraphOwnerIds = OwnerIds.pick({ agent_id: true, project_id: true });

/** The action of a deletion in the audit log. */
export const GRAPH_ERASE = "graph.erase";

export type GraphTool = Tool & {
  name: keyof typeof GraphInputs;
  /** Whether it erases what it is given. */
  erases: boolean;
  /** Renders the result as text for a model. */
  render: (body: object) => string;
};

type GraphToolDefinition<N extends keyof typeof GraphInputs, B extends object> = {
  name: N;
  title: string;
  description: string;
  kind: "reads" | "adds" | "deletes";
  output: z.ZodObject;
  response: string;
  run: (graph: ReturnType<Services["store"]["graph"]>, input: GraphInputs[N]) => Promise<B>;
  render: (body: B) => string;
};

const SCOPE = { reads: "read", adds: "write", deletes: "write" } as const;
const ANNOTATIONS = {
  reads: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  adds: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  deletes: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
};

function defineGraphTool<N extends keyof typeof GraphInputs, B extends object>({
  kind,
  response,
  run,
  render,
  ...definition
}: GraphToolDefinition<N, B>): GraphTool {
  const tool = defineTool({
    ...definition,
    scope: SCOPE[kind],
    ...(kind === "adds" && { quota: ["memories", "bytes"] as const }),
    capability: kind === "reads" ? "CanQueryMemory" : "CanWriteMemory",
    annotations: ANNOTATIONS[kind],
    ownerInput: GraphOwnerIds,
    input: GraphInputs[definition.name],
    responses: { 200: response },
    async run(services, { owner }, input) {
      // Validated by the schema of the same name; TypeScript cannot relate the two.
      const body = await run(openGraph(services, owner), input as GraphInputs[N]);
      if (kind !== "reads") services.later(services.indexing.wake());
      return { status: 200, body };
    },
  });
  return { ...tool, erases: kind === "deletes", render } as unknown as GraphTool;
}

function openGraph({ store }: Services, { agent_id, project_id }: Owner) {
  if (agent_id !== null && project_id !== null)
    throw failure(
      "invalid_request",
      "project_id: cannot be given beside agent_id, each has a graph of its own. Leave one of them out.",
      { errors: [{ path: "project_id", message: "cannot be given beside agent_id: leave one of them out" }] },
    );
  return store.graph({ agent_id, project_id });
}

const renderJson = (value: unknown) => JSON.stringify(value, null, 2);
const confirmDeletion = (message: string) => ({ success: true, message });
const renderMessage = ({ message }: { message: string }) => message;

export const GRAPH_TOOLS: readonly GraphTool[] = [
  defineGraphTool({
    name: "create_entities",
    title: "Create Entities",
    description: "Create multiple new entities in the knowledge graph",
    kind: "adds",
    output: EntitiesCreated,
    response: "The entities that were created",
    run: async (graph, { entities }) => ({ entities: await graph.createEntities(entities) }),
    render: ({ entities }) => renderJson(entities),
  }),
  defineGraphTool({
    name: "create_relations",
    title: "Create Relations",
    description:
      "Create multiple new relations between entities in the knowledge graph. Relations should be in active voice",
    kind: "adds",
    output: RelationsCreated,
    response: "The relations that were created",
    run: async (graph, { relations }) => ({ relations: await graph.createRelations(relations) }),
    render: ({ relations }) => renderJson(relations),
  }),
  defineGraphTool({
    name: "add_observations",
    title: "Add Observations",
    description: "Add new observations to existing entities in the knowledge graph",
    kind: "adds",
    output: ObservationResults,
    response: "The observations that were added, per entity",
    run: async (graph, { observations }) => ({ results: await graph.addObservations(observations) }),
    render: ({ results }) => renderJson(results),
  }),
  defineGraphTool({
    name: "delete_entities",
    title: "Delete Entities",
    description: "Delete multiple entities and their associated relations from the knowledge graph",
    kind: "deletes",
    output: GraphDeleted,
    response: "Deleted; unknown ones are ignored",
    async run(graph, { entityNames }) {
      await graph.deleteEntities(entityNames);
      return confirmDeletion("Entities deleted successfully");
    },
    render: renderMessage,
  }),
  defineGraphTool({
    name: "delete_observations",
    title: "Delete Observations",
    description: "Delete specific observations from entities in the knowledge graph",
    kind: "deletes",
    output: GraphDeleted,
    response: "Deleted; unknown ones are ignored",
    async run(graph, { deletions }) {
      await graph.deleteObservations(deletions);
      return confirmDeletion("Observations deleted successfully");
    },
    render: renderMessage,
  }),
  defineGraphTool({
    name: "delete_relations",
    title: "Delete Relations",
    description: "Delete multiple relations from the knowledge graph",
    kind: "deletes",
    output: GraphDeleted,
    response: "Deleted; unknown ones are ignored",
    async run(graph, { relations }) {
      await graph.deleteRelations(relations);
      return confirmDeletion("Relations deleted successfully");
    },
    render: renderMessage,
  }),
  defineGraphTool({
    name: "read_graph",
    title: "Read Graph",
    description: "Read the entire knowledge graph",
    kind: "reads",
    output: KnowledgeGraph,
    response: "The graph, in order of creation",
    run: (graph) => graph.read(),
    render: renderJson,
  }),
  defineGraphTool({
    name: "search_nodes",
    title: "Search Nodes",
    description: "Search for nodes in the knowledge graph based on a query",
    kind: "reads",
    output: KnowledgeGraph,
    response: "The matching entities and their relations",
    run: async (graph, { query }) => searchGraph(await graph.read(), query),
    render: renderJson,
  }),
  defineGraphTool({
    name: "open_nodes",
    title: "Open Nodes",
    description: "Open specific nodes in the knowledge graph by their names",
    kind: "reads",
    output: KnowledgeGraph,
    response: "The named entities and their relations",
    run: async (graph, { names }) => selectNodes(await graph.readAround(names), names),
    render: renderJson,
  }),
];

export function findGraphTool(name: string): GraphTool | undefined {
  return GRAPH_TOOLS.find((tool) => tool.name === name);
}

/** Selects entities whose name, type or observations contain the query, ignoring case. */
function searchGraph(graph: KnowledgeGraph, query: string): KnowledgeGraph {
  const wanted = query.toLowerCase();
  const has = (text: string) => text.toLowerCase().includes(wanted);
  return selectSubgraph(
    graph,
    ({ name, entityType, observations }) => has(name) || has(entityType) || observations.some(has),
  );
}

/** Selects the entities with these names. */
function selectNodes(graph: KnowledgeGraph, names: readonly string[]): KnowledgeGraph {
  const wanted = new Set(names);
  return selectSubgraph(graph, ({ name }) => wanted.has(name));
}

/** Returns the selected entities and every relation with at least one end among them. */
function selectSubgraph(
  graph: KnowledgeGraph,
  isWanted: (entity: KnowledgeGraph["entities"][number]) => boolean,
): KnowledgeGraph {
  const entities = graph.entities.filter(isWanted);
  const names = new Set(entities.map(({ name }) => name));
  return { entities, relations: graph.relations.filter(({ from, to }) => names.has(from) || names.has(to)) };
}
