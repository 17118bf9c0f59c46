// The operations of `@modelcontextprotocol/server-memory`, over Kioku's memory: its names, its descriptions, its inputs
// and its answers, down to their text.
import { failure } from "../../platform/errors";
import type { z } from "../../schemas/common";
import {
  EntitiesCreated,
  GraphDeleted,
  GraphInputs,
  KnowledgeGraph,
  ObservationResults,
  RelationsCreated,
} from "../../schemas/knowledge-graph";
import { ScopeIds } from "../../schemas/memory";
import type { Services } from "../services";
import { defineTool, type Target, type Tool } from "../tools/tool";
import { matching, named } from "./select-subgraph";

/** Whose graph a call is about: an agent's, a project's, the tenant's own without either. */
export const GraphOwnerIds = ScopeIds.pick({ agent_id: true, project_id: true });

export type GraphTool = Tool & {
  name: keyof typeof GraphInputs;
  /** The answer as the text that a model reads. */
  tell: (body: object) => string;
};

type Definition<N extends keyof typeof GraphInputs, B extends object> = {
  name: N;
  title: string;
  description: string;
  kind: "reads" | "adds" | "deletes";
  output: z.ZodObject;
  answer: string;
  run: (graph: ReturnType<Services["store"]["graph"]>, input: GraphInputs[N]) => Promise<B>;
  tell: (body: B) => string;
};

const SCOPE = { reads: "read", adds: "write", deletes: "write" } as const;
const ANNOTATIONS = {
  reads: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  adds: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  deletes: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
};

function graphTool<N extends keyof typeof GraphInputs, B extends object>({
  kind,
  answer,
  run,
  tell,
  ...definition
}: Definition<N, B>): GraphTool {
  const tool = defineTool({
    ...definition,
    scope: SCOPE[kind],
    annotations: ANNOTATIONS[kind],
    belongs: GraphOwnerIds,
    input: GraphInputs[definition.name],
    answers: { 200: answer },
    async run(services, target, input) {
      // Checked by the schema of that name: TypeScript does not follow the name from one table to the other.
      const body = await run(graphOf(services, target), input as GraphInputs[N]);
      if (kind !== "reads") services.later(services.store.wakeIndexer());
      return { status: 200, body };
    },
  });
  return { ...tool, tell } as unknown as GraphTool;
}

function graphOf({ store }: Services, { agent_id, project_id }: Target) {
  if (agent_id !== null && project_id !== null)
    throw failure(
      "invalid_request",
      "project_id: cannot be given beside agent_id, each has a graph of its own. Leave one of them out.",
      { errors: [{ path: "project_id", message: "cannot be given beside agent_id: leave one of them out" }] },
    );
  return store.graph({ agent_id, project_id });
}

const asJson = (value: unknown) => JSON.stringify(value, null, 2);
const deleted = (message: string) => ({ success: true, message });
const message = ({ message }: { message: string }) => message;

export const GRAPH_TOOLS: readonly GraphTool[] = [
  graphTool({
    name: "create_entities",
    title: "Create Entities",
    description: "Create multiple new entities in the knowledge graph",
    kind: "adds",
    output: EntitiesCreated,
    answer: "The entities whose names were new",
    run: async (graph, { entities }) => ({ entities: await graph.createEntities(entities) }),
    tell: ({ entities }) => asJson(entities),
  }),
  graphTool({
    name: "create_relations",
    title: "Create Relations",
    description:
      "Create multiple new relations between entities in the knowledge graph. Relations should be in active voice",
    kind: "adds",
    output: RelationsCreated,
    answer: "The relations that were new",
    run: async (graph, { relations }) => ({ relations: await graph.createRelations(relations) }),
    tell: ({ relations }) => asJson(relations),
  }),
  graphTool({
    name: "add_observations",
    title: "Add Observations",
    description: "Add new observations to existing entities in the knowledge graph",
    kind: "adds",
    output: ObservationResults,
    answer: "For each entity, what was new",
    run: async (graph, { observations }) => ({ results: await graph.addObservations(observations) }),
    tell: ({ results }) => asJson(results),
  }),
  graphTool({
    name: "delete_entities",
    title: "Delete Entities",
    description: "Delete multiple entities and their associated relations from the knowledge graph",
    kind: "deletes",
    output: GraphDeleted,
    answer: "None of them is there",
    async run(graph, { entityNames }) {
      await graph.deleteEntities(entityNames);
      return deleted("Entities deleted successfully");
    },
    tell: message,
  }),
  graphTool({
    name: "delete_observations",
    title: "Delete Observations",
    description: "Delete specific observations from entities in the knowledge graph",
    kind: "deletes",
    output: GraphDeleted,
    answer: "None of them is there",
    async run(graph, { deletions }) {
      await graph.deleteObservations(deletions);
      return deleted("Observations deleted successfully");
    },
    tell: message,
  }),
  graphTool({
    name: "delete_relations",
    title: "Delete Relations",
    description: "Delete multiple relations from the knowledge graph",
    kind: "deletes",
    output: GraphDeleted,
    answer: "None of them is there",
    async run(graph, { relations }) {
      await graph.deleteRelations(relations);
      return deleted("Relations deleted successfully");
    },
    tell: message,
  }),
  graphTool({
    name: "read_graph",
    title: "Read Graph",
    description: "Read the entire knowledge graph",
    kind: "reads",
    output: KnowledgeGraph,
    answer: "The graph, in the order in which it was made",
    run: (graph) => graph.read(),
    tell: asJson,
  }),
  graphTool({
    name: "search_nodes",
    title: "Search Nodes",
    description: "Search for nodes in the knowledge graph based on a query",
    kind: "reads",
    output: KnowledgeGraph,
    answer: "The entities that have the query in them, and their relations",
    run: async (graph, { query }) => matching(await graph.read(), query),
    tell: asJson,
  }),
  graphTool({
    name: "open_nodes",
    title: "Open Nodes",
    description: "Open specific nodes in the knowledge graph by their names",
    kind: "reads",
    output: KnowledgeGraph,
    answer: "The entities of these names, and their relations",
    run: async (graph, { names }) => named(await graph.readAround(names), names),
    tell: asJson,
  }),
];

export function findGraphTool(name: string): GraphTool | undefined {
  return GRAPH_TOOLS.find((tool) => tool.name === name);
}
