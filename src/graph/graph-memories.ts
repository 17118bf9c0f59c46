// Maps entities, observations and relations of a knowledge graph to memories and back. The content is readable for
// recall; the properties restore the graph exactly.
import type { Owner } from "../kernel/access";
import { sha256Hex } from "../kernel/hash";
import { parseJson } from "../kernel/json";
import type { NewMemory } from "../memories/memory-schemas";
import type { MemoryRow } from "../memories/store/memory-mapping";
import type { GraphEntity, GraphRelation, KnowledgeGraph } from "./knowledge-graph-schemas";

/** The owner of a graph: an agent, a project, or the tenant if both are null. */
export type GraphKey = Pick<Owner, "agent_id" | "project_id">;

/** A new memory with its key in the graph. */
export type GraphItem = { key: string; memory: NewMemory };

/** The confidence of a statement that an agent chose to store. */
const CONFIDENCE = 0.8;

export function getGraphName({ agent_id, project_id }: GraphKey): string {
  if (agent_id !== null) return `agent:${agent_id}`;
  return project_id === null ? "tenant" : `project:${project_id}`;
}

export function createGraphKeys(owner: GraphKey) {
  const graph = getGraphName(owner);
  const key = async (...parts: (string | number)[]) =>
    (await sha256Hex(JSON.stringify([graph, ...parts]))).slice(0, 32);
  return {
    /** Entities with the same name share a key. */
    entity: (name: string) => key("entity", name),
    observation: (name: string, copy: number, text: string) => key("observation", name, copy, text),
    relation: ({ from, to, relationType }: GraphRelation) => key("relation", from, to, relationType),
  };
}

/** Returns an entity, then its observations. `copy` numbers the entities with the same name in one call. */
export async function toEntityItems(
  owner: GraphKey,
  { name, entityType, observations }: GraphEntity,
  copy: number,
  at: string,
): Promise<GraphItem[]> {
  const key = await createGraphKeys(owner).entity(name);
  const properties = { nodeName: [name], nodeType: [entityType], ...toCopyProperty(copy) };
  const entity = toGraphItem(owner, key, `${name} (${entityType})`, properties, at);
  return [entity, ...(await toObservationItems(owner, name, copy, observations, at))];
}

export async function toObservationItems(
  owner: GraphKey,
  name: string,
  copy: number,
  texts: readonly string[],
  at: string,
): Promise<GraphItem[]> {
  const keys = createGraphKeys(owner);
  const properties = { aboutNode: [await keys.entity(name)], ...toCopyProperty(copy) };
  return Promise.all(
    texts.map(async (text) =>
      toGraphItem(owner, await keys.observation(name, copy, text), getPrefix(name) + text, properties, at),
    ),
  );
}

export async function toRelationItem(owner: GraphKey, relation: GraphRelation, at: string) {
  const { from, to, relationType } = relation;
  const properties = { relationFrom: [from], relationTo: [to], relationType: [relationType] };
  const key = await createGraphKeys(owner).relation(relation);
  return toGraphItem(owner, key, `${from} ${relationType} ${to}`, properties, at);
}

/** Returns the prefix of an observation's content, which names its entity. */
function getPrefix(name: string): string {
  return `${name}: `;
}

function toCopyProperty(copy: number): Record<string, string[]> {
  return copy === 0 ? {} : { nodeCopy: [`${copy}`] };
}

function toGraphItem(
  owner: GraphKey,
  key: string,
  content: string,
  properties: Record<string, string[]>,
  timestamp: string,
): GraphItem {
  return {
    key,
    memory: {
      type: "fact",
      content,
      confidence: CONFIDENCE,
      importance: 1,
      source_type: "agent",
      rationale: null,
      session_id: null,
      ...owner,
      topic_key: null,
      timestamp,
      valid_from: null,
      evidence: [],
      properties: { inGraph: [getGraphName(owner)], graphKey: [key], ...properties },
    },
  };
}

export type GraphRow = Pick<MemoryRow, "content" | "properties">;

/** Builds the graph of rows in their order. Observations of an entity that is not among the rows are left out. */
export function buildGraph(rows: readonly GraphRow[]): KnowledgeGraph {
  const read = rows.map(({ content, properties }) => ({ content, ...parseProperties(properties) }));
  const nodes = new Map<string, GraphEntity>();
  const relations: GraphRelation[] = [];
  for (const { graphKey = "", nodeCopy, nodeName, nodeType = "", ...relation } of read) {
    const { relationFrom, relationTo = "", relationType = "" } = relation;
    if (nodeName !== undefined)
      nodes.set(getNodeKey(graphKey, nodeCopy), { name: nodeName, entityType: nodeType, observations: [] });
    else if (relationFrom !== undefined) relations.push({ from: relationFrom, to: relationTo, relationType });
  }
  for (const { content, aboutNode, nodeCopy } of read) {
    const node = aboutNode === undefined ? undefined : nodes.get(getNodeKey(aboutNode, nodeCopy));
    node?.observations.push(content.slice(getPrefix(node.name).length));
  }
  return { entities: [...nodes.values()], relations };
}

type GraphProperties = Partial<
  Record<
    | "graphKey"
    | "nodeName"
    | "nodeType"
    | "nodeCopy"
    | "aboutNode"
    | "relationFrom"
    | "relationTo"
    | "relationType",
    string
  >
>;

function parseProperties(properties: string): GraphProperties {
  const entries = Object.entries(parseJson<Record<string, string[]>>(properties));
  return Object.fromEntries(entries.map(([name, [value]]) => [name, value]));
}

function getNodeKey(key: string, copy = "0"): string {
  return `${key} ${copy}`;
}
