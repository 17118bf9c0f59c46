// Draws the class hierarchy as an SVG tree: a column for each level, a row for each leaf.
import { html, raw } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";
import { listChildren, listRootClasses } from "./find-term";

const COLUMN_WIDTH = 226;
const ROW_HEIGHT = 24;
const MARGIN = 12;
/** A box leaves room in its column for the lines to the next one. */
const BOX = { width: 190, height: 20 };

type Node = { name: string; column: number; row: number; children: Node[] };

export function drawClassDiagram(): HtmlEscapedString {
  const roots: Node[] = [];
  let rows = 0;
  for (const name of listRootClasses()) {
    const root = placeSubtree(name, 0, rows);
    roots.push(root);
    rows += countLeaves(root);
  }
  const nodes = roots.flatMap(listNodes);
  const width = MARGIN * 2 + (Math.max(...nodes.map(({ column }) => column)) + 1) * COLUMN_WIDTH;
  const height = MARGIN * 2 + rows * ROW_HEIGHT;
  const lines = nodes.flatMap((parent) => parent.children.map((child) => drawLine(parent, child)));
  return raw(
    `<svg class="diagram" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="group" aria-label="Class hierarchy">${[
      ...lines,
      ...nodes.map(drawBox),
    ].join("")}</svg>`,
  );
}

/** Places a class in the middle of its subclasses' rows. */
function placeSubtree(name: string, column: number, firstRow: number): Node {
  const children: Node[] = [];
  let row = firstRow;
  for (const child of listChildren(name)) {
    const node = placeSubtree(child, column + 1, row);
    children.push(node);
    row += countLeaves(node);
  }
  const [first] = children;
  const last = children.at(-1);
  return {
    name,
    column,
    row: first === undefined || last === undefined ? firstRow : (first.row + last.row) / 2,
    children,
  };
}

function countLeaves({ children }: Node): number {
  return children.length === 0 ? 1 : children.reduce((sum, child) => sum + countLeaves(child), 0);
}

function listNodes(node: Node): Node[] {
  return [node, ...node.children.flatMap(listNodes)];
}

function locate({ column, row }: Node) {
  return { x: MARGIN + column * COLUMN_WIDTH, y: MARGIN + row * ROW_HEIGHT };
}

function drawBox(node: Node): string {
  const { x, y } = locate(node);
  const text = html`<text x="${x + 8}" y="${y + 14}">${node.name}</text>`;
  return `<a href="/ontology/${node.name}"><rect x="${x}" y="${y}" width="${BOX.width}" height="${BOX.height}" rx="4"/>${text}</a>`;
}

function drawLine(parent: Node, child: Node): string {
  const from = locate(parent);
  const to = locate(child);
  const [startX, startY, endY] = [from.x + BOX.width, from.y + BOX.height / 2, to.y + BOX.height / 2];
  const middle = (startX + to.x) / 2;
  return `<path d="M${startX} ${startY}C${middle} ${startY} ${middle} ${endY} ${to.x} ${endY}"/>`;
}
