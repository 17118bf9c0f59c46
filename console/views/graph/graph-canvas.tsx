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

/** The time of a layout grows with the square of its nodes: a larger graph gets fewer, faster cooling iterations. */
const LARGE_GRAPH = 150;
const QUICK_LAYOUT = { numIter: 180, coolingFactor: 0.962 };

/** The relations of a node with more neighbours have no labels. */
const LABELLED_RELATIONS = 16;

/** Labels are as large on the screen as in the text beside them, whatever the zoom: in pixels. */
const LABEL_SIZE = 11;
const LABEL_WIDTH = 120;
const LABEL_HEIGHT = 32;
/** In characters. A word, such as a long id, does not wrap. */
const LABEL_LENGTH = 28;
const WORD_LENGTH = 17;

/** From so many relations on, the label of a node matters more than its neighbours. */
const HUB_DEGREE = 6;

/** Cytoscape adds a style element, which the page's policy refuses, unless an element has this id. */
const STYLE_ELEMENT = "__________cytoscape_stylesheet";

/** The colours of nodes by their kind; others are as grey as evidence. */
export const NODE_TONES: Readonly<Record<string, string>> = {
  memory: "accent",
  session: "good",
  user: "boost",
  agent: "warn",
  project: "danger",
  // Episodes, messages and references.
  evidence: "line-strong",
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
    core.on("zoom pan resize layoutstop", () => labelNodes(core));
    core.on("mouseover", "node", ({ target }) => target.addClass("named"));
    core.on("mouseout", "node", ({ target }) => target.removeClass("named"));
    core.on("tap", "node", ({ target }) => choose.current(target.id()));
    graph.current = core;
    return () => {
      core.removeAllListeners();
      core.destroy();
    };
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
        .map(({ id, kind, label }) => ({
          data: { id, kind, label: shorten(label, /\s/.test(label) ? LABEL_LENGTH : WORD_LENGTH) },
        })),
      ...edges
        .filter((edge) => isNew(nameEdge(edge)))
        .map((edge) => ({
          data: { id: nameEdge(edge), source: edge.from, target: edge.to, label: edge.predicate },
        })),
    ]);
    core.elements().removeClass("selected near far");
    const chosen = core.getElementById(selected).addClass("selected");
    const near = chosen.closedNeighborhood();
    if (near.nodes().length <= LABELLED_RELATIONS) near.edges().addClass("near");
    if (chosen.nonempty()) core.elements().difference(near).addClass("far");
    if (added.empty()) labelNodes(core);
    else
      core
        .layout({
          name: "cose",
          animate: false,
          // Labels are wider than their nodes.
          padding: LABEL_WIDTH / 2,
          nodeRepulsion: () => 60_000,
          idealEdgeLength: () => 70,
          ...(core.nodes().length > LARGE_GRAPH ? QUICK_LAYOUT : {}),
        })
        .run();
  }, [nodes, edges, selected, theme.value]);

  return <div ref={element} id={STYLE_ELEMENT} class="graph-canvas" role="img" aria-label="Graph" />;
}

/** Shows the labels that cover no other label, nor a node unless they are of a hub: of the selected node, of its neighbours, then of those with the most relations. */
function labelNodes(core: cytoscape.Core): void {
  // A layout may end after the view was left.
  if (core.destroyed()) return;
  const rank = (node: cytoscape.NodeSingular) =>
    (node.hasClass("selected") ? 2e6 : node.hasClass("far") ? 0 : 1e6) + node.degree(false);
  const nodes = core.nodes().toArray() as cytoscape.NodeSingular[];
  const places = nodes.map((node) => node.renderedPosition());
  const taken: { x: number; y: number }[] = [];
  core.batch(() => {
    for (const node of nodes.sort((a, b) => rank(b) - rank(a))) {
      const { x, y } = node.renderedPosition();
      const isHub = node.degree(false) >= HUB_DEGREE;
      const isFree =
        taken.every((other) => Math.abs(other.x - x) > LABEL_WIDTH || Math.abs(other.y - y) > LABEL_HEIGHT) &&
        (isHub ||
          places.every(
            (other) =>
              Math.abs(other.x - x) > LABEL_WIDTH / 2 || other.y <= y || other.y - y > LABEL_HEIGHT + 8,
          ));
      const isLabelled = isFree || node.hasClass("selected");
      if (isLabelled) taken.push({ x, y });
      node.toggleClass("labelled", isLabelled);
    }
    core.nodes().style({
      "font-size": LABEL_SIZE / core.zoom(),
      "text-max-width": `${(LABEL_WIDTH - 8) / core.zoom()}px`,
    });
  });
}

function nameEdge({ from, to, predicate }: GraphEdge): string {
  return `${from} ${predicate} ${to}`;
}

function createStyle(element: HTMLElement): cytoscape.StylesheetJson {
  const read = (name: string) => readColour(element, name);
  const kinds = Object.entries(NODE_TONES).map(([kind, tone]) => ({
    selector: `node[kind = "${kind}"]`,
    style: { "background-color": read(tone) },
  }));
  return [
    {
      selector: "node",
      style: {
        color: read("text"),
        "background-color": read("line-strong"),
        width: 16,
        height: 16,
        "text-valign": "bottom",
        "text-margin-y": 4,
        "text-wrap": "wrap",
        "text-background-color": read("surface"),
        "text-background-opacity": 0.8,
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
      style: { width: 24, height: 24, "border-width": 3, "border-color": read("text"), "z-index": 10 },
    },
    { selector: ".far", style: { opacity: 0.45 } },
    { selector: "node.labelled", style: { label: "data(label)" } },
    { selector: "node.named", style: { label: "data(label)", opacity: 1, "z-index": 10 } },
  ] as cytoscape.StylesheetJson;
}
