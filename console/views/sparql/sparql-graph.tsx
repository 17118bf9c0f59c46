// The triples of a CONSTRUCT or DESCRIBE as a picture.
import { useMemo, useState } from "preact/hooks";
import { formatQuantity } from "../../state/format";
import { GraphCanvas } from "../graph/graph-canvas";
import { GraphLegend } from "../graph/graph-legend";
import { type GraphEdge, toNode } from "../graph/read-neighbours";

/** More are in the Turtle, but too many for a picture. */
const DRAWN_EDGES = 500;

const BETWEEN_NODES = /^<[^>#]*#([^>]+)> <[^>#]*#([^>]+)> <[^>#]*#([^>]+)> \.$/;
const SUMMARY = /^<[^>#]*#([^>]+)> <[^>#]*#(?:summary|goal)> ("(?:[^"\\]|\\.)*")/;

export function SparqlGraph({ triples }: { triples: string }) {
  const { nodes, edges, total } = useMemo(() => toGraph(triples), [triples]);
  const [selected, setSelected] = useState("");
  if (edges.length === 0) return <p class="soft">The triples have no relations between nodes to draw.</p>;
  const label = nodes.find(({ id }) => id === selected)?.label;
  return (
    <>
      <p class="soft" role="status">
        {formatQuantity(nodes.length, "node")}, {formatQuantity(total, "relation")}
        {total > edges.length && `, of which the first ${edges.length} are drawn`}
        {label !== undefined && `. Selected: ${label}`}
      </p>
      <GraphCanvas nodes={nodes} edges={edges} selected={selected} select={setSelected} />
      <GraphLegend hint="Drag to move, scroll to zoom, click a node to see its relations." />
    </>
  );
}

/** Reads N-Triples: relations between nodes are edges, summaries are labels. */
function toGraph(triples: string) {
  const lines = triples.split("\n");
  const labels = new Map(
    lines.flatMap((line) => {
      const [, id, text] = SUMMARY.exec(line) ?? [];
      return id === undefined || text === undefined ? [] : [[id, parseLiteral(text)] as const];
    }),
  );
  const relations = lines.flatMap((line): GraphEdge[] => {
    const [, from, predicate, to] = BETWEEN_NODES.exec(line) ?? [];
    return from === undefined || predicate === undefined || to === undefined ? [] : [{ from, predicate, to }];
  });
  const edges = relations.slice(0, DRAWN_EDGES);
  const ids = new Set(edges.flatMap(({ from, to }) => [from, to]));
  return {
    nodes: [...ids].map((id) => toNode(id, labels.get(id), undefined)),
    edges,
    total: relations.length,
  };
}

/** Returns the text of a literal, whose escapes are those of JSON, but for those of eight digits. */
function parseLiteral(literal: string): string {
  try {
    return JSON.parse(literal) as string;
  } catch {
    return literal.slice(1, -1);
  }
}
