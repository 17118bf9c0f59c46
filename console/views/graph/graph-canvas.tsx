// Draws nodes and relations with Cytoscape. The picture is an addition: the panel beside it has the same as text.
import cytoscape from "cytoscape";
import { useEffect, useRef } from "preact/hooks";
import { shorten } from "../../state/format";
import { readColour } from "../../state/read-colour";
import { theme } from "../../state/theme";
import type { GraphEdge, GraphNode } from "./read-neighbours";

type GraphCanvasProps = {
  nodes: readonly GraphNode[];
  edges: readonly GraphEdge[];
  selected: string;
  select: (id: string) => void;
};

/** Labels of more nodes than this overlap: the others appear on zooming in, or under the pointer. */
const LABELLED_NODES = 16;

/** Cytoscape adds a style element, which the page's policy refuses, unless an element has this id. */
const STYLE_ELEMENT = "__________cytoscape_stylesheet";

const TONES: Readonly<Record<string, string>> = {
  memory: "accent",
  session: "good",
  user: "boost",
  agent: "warn",
  project: "danger",
};

export function GraphCanvas({ nodes, edges, selected, select }: GraphCanvasProps) {
  const element = useRef<HTMLDivElement>(null);
  const graph = useRef<cytoscape.Core | null>(null);
  const choose = useRef(select);
  choose.current = select;

  useEffect(() => {
    if (element.current === null) return;
    const core = cytoscape({
      container: element.current,
      style: createStyle(element.current),
      maxZoom: 2,
    });
    core.on("mouseover", "node", ({ target }) => target.addClass("named"));
    core.on("mouseout", "node", ({ target }) => target.removeClass("named"));
    core.on("tap", "node", ({ target }) => choose.current(target.id()));
    graph.current = core;
    return () => core.destroy();
  }, [theme.value]);

  useEffect(() => {
    const core = graph.current;
    if (core === null) return;
    const wanted = new Set([...nodes.map(({ id }) => id), ...edges.map(nameEdge)]);
    core
      .elements()
      .filter((one) => !wanted.has(one.id()))
      .remove();
    const isNew = (id: string) => core.getElementById(id).empty();
    const added = core.add([
      ...nodes
        .filter(({ id }) => isNew(id))
        .map(({ id, kind, label }) => ({ data: { id, kind, label: shorten(label, 28) } })),
      ...edges
        .filter((edge) => isNew(nameEdge(edge)))
        .map((edge) => ({
          data: { id: nameEdge(edge), source: edge.from, target: edge.to, label: edge.predicate },
        })),
    ]);
    core.elements().removeClass("selected near far quiet");
    const chosen = core.getElementById(selected).addClass("selected");
    const near = chosen.closedNeighborhood();
    if (near.nodes().length <= LABELLED_NODES) near.addClass("near");
    if (core.nodes().length > LABELLED_NODES) {
      core.nodes().difference(chosen).addClass("quiet");
      core.elements().difference(near).addClass("far");
    }
    if (added.nonempty())
      core
        .layout({ name: "cose", animate: false, nodeRepulsion: () => 60_000, idealEdgeLength: () => 70 })
        .run();
  }, [nodes, edges, selected, theme.value]);

  return <div ref={element} id={STYLE_ELEMENT} class="graph-canvas" role="img" aria-label="Graph" />;
}

function nameEdge({ from, to, predicate }: GraphEdge): string {
  return `${from} ${predicate} ${to}`;
}

function createStyle(element: HTMLElement): cytoscape.StylesheetJson {
  const read = (name: string) => readColour(element, name);
  const kinds = Object.entries(TONES).map(([kind, tone]) => ({
    selector: `node[kind = "${kind}"]`,
    style: { "background-color": read(tone) },
  }));
  return [
    {
      selector: "node",
      style: {
        label: "data(label)",
        color: read("text"),
        "background-color": read("line-strong"),
        width: 16,
        height: 16,
        "font-size": 10,
        "text-valign": "bottom",
        "text-margin-y": 4,
        "text-wrap": "wrap",
        "text-max-width": "110px",
      },
    },
    ...kinds,
    {
      selector: "edge",
      style: {
        width: 1,
        "line-color": read("line-strong"),
        "target-arrow-color": read("line-strong"),
        "target-arrow-shape": "triangle",
        "arrow-scale": 0.7,
        "curve-style": "bezier",
        opacity: 0.6,
      },
    },
    {
      selector: "edge.near",
      style: {
        label: "data(label)",
        color: read("soft"),
        opacity: 1,
        "font-size": 8,
        "text-rotation": "autorotate",
        "text-background-color": read("surface"),
        "text-background-opacity": 1,
      },
    },
    {
      selector: "node.selected",
      style: { width: 24, height: 24, "border-width": 3, "border-color": read("text") },
    },
    { selector: ".far", style: { opacity: 0.4 } },
    { selector: "node.quiet", style: { "min-zoomed-font-size": 14 } },
    { selector: "node.near", style: { "min-zoomed-font-size": 0 } },
    {
      selector: "node.named",
      style: {
        opacity: 1,
        "min-zoomed-font-size": 0,
        "font-size": 14,
        "z-index": 10,
        "text-background-color": read("surface"),
        "text-background-opacity": 1,
      },
    },
  ] as cytoscape.StylesheetJson;
}
