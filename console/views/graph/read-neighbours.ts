// Reads what a node of the graph is related to, by SPARQL.
import type { Kioku } from "kioku/client";
import { decodeSegment } from "../../state/router";

const NAMESPACE = "https://jido.ai/ontology#";

export type GraphNode = {
  /** The local name of its IRI, such as `memory_5c05…`. */
  id: string;
  /** The first part of the name: memory, session, agent, … */
  kind: string;
  /** The rest of the name, decoded: the id of the item. */
  name: string;
  label: string;
  /** Evidence is an episode, a message or a reference. */
  isEpisode: boolean;
};

export type GraphEdge = { from: string; to: string; predicate: string };

export type Neighbourhood = { nodes: GraphNode[]; edges: GraphEdge[]; isTruncated: boolean };

/** As many relations of a predicate and a direction: a project with thousands stays legible. */
const MOST_RELATIONS = 60;

/** A predicate that fills an answer is left out of the next one, so that the others are seen; so often. */
const MOST_ROUNDS = 4;

const NODE_NAME = /^[a-z_]+_(?:[\w.~-]|%[0-9A-F]{2})+$/;

/** Returns whether a text is the name of a node, and safe inside of a query. */
export function isNodeName(text: string): boolean {
  return NODE_NAME.test(text);
}

/** Reads the relations of a node by its name. */
export async function readNeighbours(kioku: Kioku, id: string, signal: AbortSignal): Promise<Neighbourhood> {
  const self = `<${NAMESPACE}${id}>`;
  const ask = async (query: string) => {
    const { results } = await kioku.sparql(
      { query: `PREFIX jido: <${NAMESPACE}>\n${query}`, infer: false },
      { signal },
    );
    return results?.bindings ?? [];
  };
  // The labels are read of the relations that are shown, and by one predicate each, which is faster than a path of two.
  const readRound = (pattern: string, seen: readonly string[]) =>
    ask(`SELECT ?predicate ?other ?summary ?goal WHERE {
  { SELECT ?predicate ?other WHERE {
    ${pattern} FILTER(isIRI(?other)${seen.map((iri) => ` && ?predicate != <${iri}>`).join("")})
  } LIMIT ${MOST_RELATIONS} }
  OPTIONAL { ?other jido:summary ?summary } OPTIONAL { ?other jido:goal ?goal }
}`);
  const readRelations = async (pattern: string) => {
    const rows = [];
    const seen = new Set<string>();
    for (let round = 1; ; round += 1) {
      const found = await readRound(pattern, [...seen]);
      rows.push(...found);
      if (found.length < MOST_RELATIONS) return { rows, isTruncated: round > 1 };
      if (round === MOST_ROUNDS) return { rows, isTruncated: true };
      for (const { predicate } of found) if (predicate !== undefined) seen.add(predicate.value);
    }
  };
  const [out, into, [own]] = await Promise.all([
    readRelations(`${self} ?predicate ?other .`),
    readRelations(`?other ?predicate ${self} .`),
    ask(
      `SELECT ?summary ?goal WHERE { OPTIONAL { ${self} jido:summary ?summary } OPTIONAL { ${self} jido:goal ?goal } } LIMIT 1`,
    ),
  ]);
  const nodes: GraphNode[] = [toNode(id, own?.summary?.value, own?.goal?.value)];
  const edges: GraphEdge[] = [];
  for (const [{ rows }, isOut] of [
    [out, true],
    [into, false],
  ] as const) {
    for (const { predicate, other, summary, goal } of rows) {
      const name = toLocalName(other?.value);
      const relation = toLocalName(predicate?.value);
      // Classes and individuals of the ontology are properties of a node rather than its neighbours.
      if (name === null || relation === null || !isNodeName(name)) continue;
      nodes.push(toNode(name, summary?.value, goal?.value));
      edges.push(
        isOut ? { from: id, to: name, predicate: relation } : { from: name, to: id, predicate: relation },
      );
    }
  }
  return { nodes, edges, isTruncated: out.isTruncated || into.isTruncated };
}

/** Only episodes have a goal. */
export function toNode(id: string, summary: string | undefined, goal: string | undefined): GraphNode {
  const [, kind = "node", encoded = id] = /^([a-z]+(?:_[a-z]+)*?)_(.+)$/.exec(id) ?? [];
  const name = decodeSegment(encoded);
  return { id, kind, name, label: summary ?? goal ?? shortenId(name), isEpisode: goal !== undefined };
}

/** Ids of 32 hexadecimal digits say nothing: their beginning is enough. */
function shortenId(id: string): string {
  return id.replace(/[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f-]{27}/, (hex) => hex.slice(0, 8));
}

function toLocalName(iri: string | undefined): string | null {
  return iri?.startsWith(NAMESPACE) ? iri.slice(NAMESPACE.length) : null;
}
