// Reads what a node of the graph is related to, by SPARQL.
import type { Kioku } from "kioku/client";

const NAMESPACE = "https://jido.ai/ontology#";

export type GraphNode = {
  /** The local name of its IRI, such as `memory_5c05…`. */
  id: string;
  /** The first part of the name: memory, session, agent, … */
  kind: string;
  label: string;
};

export type GraphEdge = { from: string; to: string; predicate: string };

export type Neighbourhood = { nodes: GraphNode[]; edges: GraphEdge[]; isTruncated: boolean };

/** As many relations in each direction: a project with thousands stays legible. */
const MOST_RELATIONS = 80;

const NODE_NAME = /^[a-z_]+_(?:[\w.~-]|%[0-9A-F]{2})+$/;

/** Returns whether a text is the name of a node, and safe inside of a query. */
export function isNodeName(text: string): boolean {
  return NODE_NAME.test(text);
}

/** Reads the relations of a node by its name. */
export async function readNeighbours(kioku: Kioku, id: string, signal: AbortSignal): Promise<Neighbourhood> {
  const self = `<${NAMESPACE}${id}>`;
  const ask = async (pattern: string) => {
    const query = `PREFIX jido: <${NAMESPACE}>
SELECT ?predicate ?other ?label WHERE { ${pattern} FILTER(isIRI(?other)) OPTIONAL { ?other jido:summary|jido:goal ?label } }
LIMIT ${MOST_RELATIONS}`;
    const { results } = await kioku.sparql({ query, infer: false }, { signal });
    return results?.bindings ?? [];
  };
  const [out, into, own] = await Promise.all([
    ask(`${self} ?predicate ?other .`),
    ask(`?other ?predicate ${self} .`),
    kioku.sparql(
      { query: `SELECT ?label WHERE { ${self} <${NAMESPACE}summary> ?label } LIMIT 1` },
      { signal },
    ),
  ]);
  const nodes: GraphNode[] = [toNode(id, own.results?.bindings[0]?.label?.value)];
  const edges: GraphEdge[] = [];
  for (const [rows, isOut] of [
    [out, true],
    [into, false],
  ] as const) {
    for (const { predicate, other, label } of rows) {
      const name = toLocalName(other?.value);
      const relation = toLocalName(predicate?.value);
      // Classes and individuals of the ontology are properties of a node rather than its neighbours.
      if (name === null || relation === null || !isNodeName(name)) continue;
      nodes.push(toNode(name, label?.value));
      edges.push(
        isOut ? { from: id, to: name, predicate: relation } : { from: name, to: id, predicate: relation },
      );
    }
  }
  return { nodes, edges, isTruncated: Math.max(out.length, into.length) === MOST_RELATIONS };
}

export function toNode(id: string, label: string | undefined): GraphNode {
  const [, kind = "node", name = id] = /^([a-z]+(?:_[a-z]+)*?)_(.+)$/.exec(id) ?? [];
  return { id, kind, label: label ?? shortenId(decodeURIComponent(name)) };
}

/** Ids of 32 hexadecimal digits say nothing: their beginning is enough. */
function shortenId(id: string): string {
  return id.replace(/[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f-]{27}/, (hex) => hex.slice(0, 8));
}

function toLocalName(iri: string | undefined): string | null {
  return iri?.startsWith(NAMESPACE) ? iri.slice(NAMESPACE.length) : null;
}
