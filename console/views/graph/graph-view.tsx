// The graph around a node: memories, sessions, agents, episodes and their relations, expanded on demand.
import { useEffect, useMemo, useState } from "preact/hooks";
import { EmptyState, ErrorNote, Loading } from "../../components/feedback";
import { SelectField } from "../../components/fields";
import { formatQuantity, shorten } from "../../state/format";
import { describeError, useLoad } from "../../state/load";
import { route, toHref } from "../../state/router";
import { useConnection } from "../../state/sign-in";
import { GraphCanvas } from "./graph-canvas";
import { type GraphEdge, type GraphNode, isNodeName, readNeighbours } from "./read-neighbours";

export function GraphView() {
  const { kioku } = useConnection();
  const [, given] = route.value.path;
  const newest = useLoad(() => kioku.memories.list().page({ limit: 1 }), []);
  const id = given ?? (newest.value?.data[0] && `memory_${newest.value.data[0].id}`);
  return (
    <>
      <h1>Graph</h1>
      {id !== undefined && !isNodeName(id) ? (
        <EmptyState title="The address names no node" />
      ) : id !== undefined ? (
        <Explorer key={id} start={id} />
      ) : newest.value === undefined ? (
        <Loading what="the graph" />
      ) : (
        <EmptyState title="There is no graph yet">
          <p>
            It grows with the memories. <a href={toHref(["memories"])}>Store the first one.</a>
          </p>
        </EmptyState>
      )}
    </>
  );
}

type Graph = { nodes: ReadonlyMap<string, GraphNode>; edges: ReadonlyMap<string, GraphEdge> };

function Explorer({ start }: { start: string }) {
  const { kioku } = useConnection();
  const [graph, setGraph] = useState<Graph>({ nodes: new Map(), edges: new Map() });
  const [selected, setSelected] = useState(start);
  const [predicate, setPredicate] = useState("");
  const [error, setError] = useState<string | null>(null);
  const [truncated, setTruncated] = useState<readonly string[]>([]);

  // The relations of a node are read when it is selected.
  useEffect(() => {
    const controller = new AbortController();
    setError(null);
    readNeighbours(kioku, selected, controller.signal).then(
      ({ nodes, edges, isTruncated }) => {
        setGraph((known) => ({
          nodes: new Map([...nodes.map((node) => [node.id, node] as const), ...known.nodes]),
          edges: new Map([
            ...known.edges,
            ...edges.map((edge) => [`${edge.from} ${edge.predicate} ${edge.to}`, edge] as const),
          ]),
        }));
        if (isTruncated) setTruncated((ids) => [...ids, selected]);
      },
      (caught: unknown) => {
        if (!controller.signal.aborted) setError(describeError(caught));
      },
    );
    return () => controller.abort();
  }, [selected]);

  const predicates = [...new Set([...graph.edges.values()].map((edge) => edge.predicate))].sort();
  const edges = useMemo(
    () => [...graph.edges.values()].filter((edge) => predicate === "" || edge.predicate === predicate),
    [graph, predicate],
  );
  const nodes = useMemo(() => {
    const shown = new Set([selected, start, ...edges.flatMap(({ from, to }) => [from, to])]);
    return [...graph.nodes.values()].filter(({ id }) => shown.has(id));
  }, [graph, edges, selected]);
  const node = graph.nodes.get(selected);
  return (
    <>
      <div class="inline-form">
        <SelectField
          label="Relations"
          value={predicate}
          options={[["", "all"], ...predicates]}
          change={setPredicate}
        />
        <p class="soft" role="status">
          {formatQuantity(nodes.length, "node")}, {formatQuantity(edges.length, "relation")}
        </p>
      </div>
      {error !== null && <ErrorNote message={error} />}
      <div class="columns columns-session">
        <GraphCanvas nodes={nodes} edges={edges} selected={selected} select={setSelected} />
        <div>
          {node !== undefined && <NodePanel node={node} edges={edges} graph={graph} select={setSelected} />}
          {truncated.includes(selected) && <p class="soft">It has more relations than are shown.</p>}
        </div>
      </div>
    </>
  );
}

type NodePanelProps = {
  node: GraphNode;
  edges: readonly GraphEdge[];
  graph: Graph;
  select: (id: string) => void;
};

/** The selected node and its relations as text, for those who cannot use the picture. */
function NodePanel({ node, edges, graph, select }: NodePanelProps) {
  const relations = edges.flatMap(({ from, to, predicate }) => {
    if (from === node.id) return [{ text: `${predicate} →`, other: to }];
    return to === node.id ? [{ text: `← ${predicate}`, other: from }] : [];
  });
  const name = node.id.slice(node.kind.length + 1);
  const view = VIEWS[node.kind];
  return (
    <>
      <h2>{node.label}</h2>
      <p class="meta">
        <span class="label">{node.kind}</span>
        {view !== undefined && <a href={toHref([view, decodeURIComponent(name)])}>Open</a>}
      </p>
      <ul class="plain graph-relations">
        {relations.map(({ text, other }) => (
          <li key={`${text} ${other}`}>
            <span class="soft">{text}</span>{" "}
            <button type="button" class="link" onClick={() => select(other)}>
              {shorten(graph.nodes.get(other)?.label ?? other, 80)}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The views of nodes by their kind. */
const VIEWS: Readonly<Record<string, string>> = { memory: "memories", session: "sessions", user: "users" };
