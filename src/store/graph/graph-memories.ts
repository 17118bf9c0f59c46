// Entities, observations and relations as memories, and back. Each says in its content what a reader of recall
// understands; its properties hold what the graph is made of again, to the letter.
import { sha256Hex } from "../../platform/hash";
import { parseJson } from "../../platform/json";
import type { GraphEntity, GraphRelation, KnowledgeGraph } from "../../schemas/knowledge-graph";
import type { NewMemory } from "../../schemas/memory";

/** Whose graph it is: an agent's, a project's, or the tenant's own when there is neither. */
export type GraphOwner = { agent_id: string | null; project_id: string | null };

/** A memory to be, with the key by which the graph knows it. */
export type GraphItem = { key: string; memory: NewMemory };

/** As told by an agent that decided to keep it. */
const CONFIDENCE = 0.8;

export function getGraphName({ agent_id, project_id }: GraphOwner): string {
  if (agent_id !== null) return `agent:${agent_id}`;
  return project_id === null ? "tenant" : `project:${project_id}`;
}

export function createGraphKeys(owner: GraphOwner) {
  const graph = getGraphName(owner);
  const key = async (...parts: (string | number)[]) =>
    (await sha256Hex(JSON.stringify([graph, ...parts]))).slice(0, 32);
  return {
    /** Entities of one name share it. */
    entity: (name: string) => key("entity", name),
    observation: (name: string, copy: number, text: string) => key("observation", name, copy, text),
    relation: ({ from, to, relationType }: GraphRelation) => key("relation", from, to, relationType),
  };
}

/** An entity, then its observations. `copy` counts the entities of one name that were given at once. */
export async function toEntityItems(
  owner: GraphOwner,
  { name, entityType, observations }: GraphEntity,
  copy: number,
  at: string,
): Promise<GraphItem[]> {
  const key = await createGraphKeys(owner).entity(name);
  const properties = { nodeName: [name], nodeType: [entityType], ...copyOf(copy) };
  const entity = item(owner, key, `${name} (${entityType})`, properties, at);
  return [entity, ...(await toObservationItems(owner, name, copy, observations, at))];
}

export async function toObservationItems(
  owner: GraphOwner,
  name: string,
  copy: number,
  texts: readonly string[],
  at: string,
): Promise<GraphItem[]> {
  const keys = createGraphKeys(owner);
  const properties = { aboutNode: [await keys.entity(name)], ...copyOf(copy) };
  return Promise.all(
    texts.map(async (text) =>
      item(owner, await keys.observation(name, copy, text), lead(name) + text, properties, at),
    ),
  );
}

export async function toRelationItem(owner: GraphOwner, relation: GraphRelation, at: string) {
  const { from, to, relationType } = relation;
  const properties = { relationFrom: [from], relationTo: [to], relationType: [relationType] };
  const key = await createGraphKeys(owner).relation(relation);
  return item(owner, key, `${from} ${relationType} ${to}`, properties, at);
}

/** What an observation begins with as a memory: whom it is about. */
function lead(name: string): string {
  return `${name}: `;
}

function copyOf(copy: number): Record<string, string[]> {
  return copy === 0 ? {} : { nodeCopy: [`${copy}`] };
}

function item(
  owner: GraphOwner,
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

/** What of a row says what it is in a graph. */
export type GraphRow = { content: string; properties: string };

/** The graph that rows make, in their order. An observation of an entity that is not among them is left out. */
export function buildGraph(rows: readonly GraphRow[]): KnowledgeGraph {
  const read = rows.map(({ content, properties }) => ({ content, ...ownOf(properties) }));
  const nodes = new Map<string, GraphEntity>();
  const relations: GraphRelation[] = [];
  for (const { graphKey = "", nodeCopy, nodeName, nodeType = "", ...relation } of read) {
    const { relationFrom, relationTo = "", relationType = "" } = relation;
    if (nodeName !== undefined)
      nodes.set(place(graphKey, nodeCopy), { name: nodeName, entityType: nodeType, observations: [] });
    else if (relationFrom !== undefined) relations.push({ from: relationFrom, to: relationTo, relationType });
  }
  for (const { content, aboutNode, nodeCopy } of read) {
    const node = aboutNode === undefined ? undefined : nodes.get(place(aboutNode, nodeCopy));
    node?.observations.push(content.slice(lead(node.name).length));
  }
  return { entities: [...nodes.values()], relations };
}

type Own = Partial<
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

function ownOf(properties: string): Own {
  const entries = Object.entries(parseJson<Record<string, string[]>>(properties));
  return Object.fromEntries(entries.map(([name, [value]]) => [name, value]));
}

function place(key: string, copy = "0"): string {
  return `${key} ${copy}`;
}
