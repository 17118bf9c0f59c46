// The graph around a node: memories, sessions, agents, episodes and their relations, expanded on demand.
import { useEffect, useMemo, useState } from "preact/hooks";
import { CodeBlock } from "../../components/code-block";
import { EmptyState, ErrorNote, Loading } from "../../components/feedback";
import { SelectField } from "../../components/fields";
import { formatQuantity, shorten } from "../../state/format";
import { describeError, useLoad } from "../../state/load";
import { route, toHref } from "../../state/router";
import { useConnection } from "../../state/sign-in";
import { GraphCanvas } from "./graph-canvas";
import { GraphLegend, nameKind } from "./graph-legend";
import { type GraphEdge, type GraphNode, isNodeName, readNeighbours } from "./read-neighbours";

export function GraphView() {
  const { kioku, key } = useConnection();
  const rememberCommand = `curl -sS ${location.origin}/v1/remember \\
  -H 'Authorization: Bearer ${key}' \\
  -d '{"content":"The project uses Phoenix 1.7","type":"fact","project_id":"shop"}'`;
  const [, given] = route.value.path;
  const newest = useLoad(() => kioku.memories.list().page({ limit: 1 }), []);
  const id = given ?? (newest.value?.data[0] && `memory_${newest.value.data[0].id}`);
  return (
    <>
      <h1>Graph</h1>
      {id !== undefined && !isNodeName(id) ? (
        <EmptyState title="The address names no node">
          <p>
            It ends with the kind and the id of one, such as <code>#/graph/project_shop</code>. A memory links
            to its own.
          </p>
        </EmptyState>
      ) : id !== undefined ? (
        <Explorer key={id} start={id} />
      ) : newest.error !== null ? (
        <ErrorNote message={newest.error} retry={newest.reload} />
      ) : newest.value === undefined ? (
        <Loading what="the graph" />
      ) : (
        <EmptyState title="There is no graph yet">
          <p>It grows with the memories. Store the first one:</p>
          <CodeBlock code={rememberCommand} label="Store a memory" />
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
  const [attempt, setAttempt] = useState(0);

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
  }, [selected, attempt]);

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
          {node === undefined && error === null
            ? "Loading the relations…"
            : `${formatQuantity(nodes.length, "node")}, ${formatQuantity(edges.length, "relation")}`}
        </p>
      </div>
      {error !== null && <ErrorNote message={error} retry={() => setAttempt(attempt + 1)} />}
      <div class="columns columns-session">
        <div>
          <GraphCanvas nodes={nodes} edges={edges} selected={selected} select={setSelected} />
          <GraphLegend hint="Drag to move, scroll to zoom, click a node to expand it." />
        </div>
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
  const relations = new Map<string, string[]>();
  for (const { from, to, predicate } of edges) {
    if (from !== node.id && to !== node.id) continue;
    const text = from === node.id ? `${predicate} →` : `← ${predicate}`;
    relations.set(text, [...(relations.get(text) ?? []), from === node.id ? to : from]);
  }
  const view = node.isEpisode ? "experience" : VIEWS[node.kind];
  return (
    <>
      <h2>{shorten(node.label, 240)}</h2>
      <p class="meta">
        <span class="label">{nameKind(node)}</span>
        {view !== undefined && <a href={toHref([view, node.name])}>Open</a>}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <div class="graph-relations" role="region" aria-label="Neighbours" tabIndex={0}>
        {[...relations].map(([text, others]) => (
          <div key={text}>
            <h3>
              {text} <span class="soft">{others.length}</span>
            </h3>
            <ul class="plain">
              {others.map((other) => (
                <li key={other}>
                  <button type="button" class="link" onClick={() => select(other)}>
                    {shorten(graph.nodes.get(other)?.label ?? other, 80)}
                  </button>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
    </>
  );
}

/** The views of nodes by their kind. */
const VIEWS: Readonly<Record<string, string>> = { memory: "memories", session: "sessions", user: "users" };
