// Renders the pages of the ontology as HTML: the overview, and one page for each term.

import { html, raw } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";
import {
  CLASSES,
  INDIVIDUALS,
  NAMESPACE,
  PROPERTIES,
  type Term,
} from "../ontology/generated/terms.generated";
import { findTerm, listChildren, listRootClasses, type OntologyTerm, writeTermExample } from "./find-term";

/** The style sheet of the ontology's pages. */
export const PAGE_STYLE = `:root {
  --text: #1b1f24; --soft: #57606a; --line: #d0d7de; --page: #fff; --box: #f6f8fa; --link: #0550ae;
}
@media (prefers-color-scheme: dark) {
  :root { --text: #e6edf3; --soft: #9aa4af; --line: #30363d; --page: #0d1117; --box: #161b22; --link: #79b8ff; }
}
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page); }
header { display: flex; gap: 1.5rem; padding: .75rem 1rem; border-bottom: 1px solid var(--line); }
main { max-width: 62rem; margin: 0 auto; padding: 0 1rem 3rem; }
a { color: var(--link); }
code, pre { font: .875em/1.5 ui-monospace, monospace; }
pre { padding: .75rem 1rem; overflow-x: auto; background: var(--box); border: 1px solid var(--line); border-radius: 6px; }
.kind { color: var(--soft); margin-bottom: 0; }
.definition { font-size: 1.125rem; margin-top: .25rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .375rem .75rem .375rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
th { white-space: nowrap; font-weight: 600; }
ul { padding-left: 1.25rem; }
li { margin: .25rem 0; }
:target { background: var(--box); outline: 2px solid var(--line); }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; }
.diagram rect { fill: var(--box); stroke: var(--line); }
.diagram path { fill: none; stroke: var(--line); }
.diagram text { fill: var(--link); font: 12px ui-monospace, monospace; }
.diagram a:hover rect, .diagram a:focus rect { stroke: var(--link); }
`;

// Draws the class hierarchy as an SVG tree: a column for each level, a row for each leaf.

const COLUMN_WIDTH = 226;
const ROW_HEIGHT = 24;
const MARGIN = 12;
/** A box leaves room in its column for the lines to the next one. */
const BOX = { width: 190, height: 20 };

type Node = { name: string; column: number; row: number; children: Node[] };

function drawClassDiagram(): HtmlEscapedString {
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

type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

export function renderOverview(): Html {
  const content = html`
    <p>Everything that Kioku stores is typed by this ontology. A memory has one of the classes below
      <a href="/ontology/MemoryItem">MemoryItem</a>; its properties are typed relations to other things and values.</p>
    <p>The same as data: <a href="/ontology.ttl">Turtle</a>, <a href="/ontology.jsonld">JSON-LD</a>, or
      <code>GET /ontology</code> with an <code>Accept</code> header. The namespace is <code>${NAMESPACE}</code>.</p>
    <h2 id="diagram">Diagram</h2>
    <div class="scroll" tabindex="0" role="region" aria-label="Diagram of the classes">${drawClassDiagram()}</div>
    <h2 id="classes">Classes</h2>
    ${renderTree(listRootClasses())}
    <h2 id="properties">Properties</h2>
    ${renderDefinitions(Object.entries(PROPERTIES))}
    <h2 id="individuals">Individuals</h2>
    ${renderDefinitions(Object.entries(INDIVIDUALS))}`;
  return renderLayout("The Kioku ontology", content);
}

export function renderTermPage(found: OntologyTerm): Html {
  const { name, term } = found;
  const example = writeTermExample(found);
  const content = html`
    <p class="kind">${describeKind(found)}</p>
    <p class="definition">${term.comment}</p>
    <table><tbody>${listFacts(found).map(([label, value]) => html`<tr><th scope="row">${label}</th><td>${value}</td></tr>`)}</tbody></table>
    <h2 id="example">Example</h2>
    <pre tabindex="0">${example.turtle}</pre>
    ${example.call === null ? "" : html`<p>Store one:</p><pre tabindex="0">${example.call}</pre>`}
    <p>As data: <a href="/ontology/${name}.ttl">Turtle</a>, <a href="/ontology/${name}.jsonld">JSON-LD</a>.</p>`;
  return renderLayout(name, content);
}

function describeKind(found: OntologyTerm): string {
  switch (found.kind) {
    case "class":
      return "Class";
    case "property":
      return found.term.kind === "object" ? "Object property" : "Datatype property";
    case "individual":
      return "Individual";
  }
}

/** Returns the rows of the term's table. */
function listFacts(found: OntologyTerm): [string, Html | string][] {
  const { name, term } = found;
  const facts: [string, Html | string][] = [
    ["IRI", html`<code>${NAMESPACE}${name}</code>`],
    ["Label", term.label],
  ];
  switch (found.kind) {
    case "class":
      if (found.memoryType !== null) facts.push(["Memory type", html`<code>${found.memoryType}</code>`]);
      facts.push(
        ["Superclasses", renderLinks(found.superclasses, " › ")],
        ["Subclasses", renderLinks(found.subclasses)],
        ["Individuals", renderLinks(found.individuals)],
        ["Properties", renderLinks(found.properties)],
        ["Inherited properties", renderLinks(found.inheritedProperties)],
        ["Value of", renderLinks(found.referringProperties)],
      );
      break;
    case "property":
      facts.push(
        ["Domain", renderLinks([found.term.domain])],
        [
          "Range",
          found.term.kind === "object"
            ? renderLinks([found.term.range])
            : html`<code>${found.term.range}</code>`,
        ],
        ["Values", found.term.functional ? "at most one" : "any number"],
        ["Inverse", renderLinks(found.inverse === null ? [] : [found.inverse])],
      );
      break;
    case "individual":
      facts.push(
        ["Class", renderLinks(found.term.classes)],
        ["Value of", renderLinks(found.referringProperties)],
      );
  }
  return [...facts, ["Module", term.module]];
}

function renderTree(names: readonly string[]): Html {
  return html`<ul class="tree">${names.map((name) => {
    const children = listChildren(name);
    return html`<li>${renderDefinition(name, CLASSES[name as keyof typeof CLASSES])}${children.length === 0 ? "" : renderTree(children)}</li>`;
  })}</ul>`;
}

function renderDefinitions(terms: readonly [string, Term][]): Html {
  return html`<ul>${terms.map(([name, term]) => html`<li>${renderDefinition(name, term)}</li>`)}</ul>`;
}

/** The IRI of a term is this page with its name as the fragment. */
function renderDefinition(name: string, { comment }: Term): Html {
  return html`<span id="${name}"><a href="/ontology/${name}"><code>${name}</code></a> ${comment}</span>`;
}

function renderLinks(names: readonly string[], separator = ", "): Html | string {
  if (names.length === 0) return "none";
  return html`${names.map((name, index) => html`${index === 0 ? "" : separator}${findTerm(name) === undefined ? name : html`<a href="/ontology/${name}">${name}</a>`}`)}`;
}

function renderLayout(title: string, content: Html): Html {
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${title} · Kioku ontology</title>
    <link rel="stylesheet" href="/ontology/page.css" />
  </head>
  <body>
    <header><a href="/ontology">Kioku ontology</a> <a href="/docs">API reference</a></header>
    <main>
      <h1>${title}</h1>
      ${content}
    </main>
  </body>
</html>
`;
}
