// Renders the pages of the ontology as HTML: the overview, and one page for each term.
import { html } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";
import { CLASSES, INDIVIDUALS, NAMESPACE, PROPERTIES, type Term } from "../../ontology/terms.generated";
import { drawClassDiagram } from "./draw-class-diagram";
import { findTerm, listChildren, listRootClasses, type OntologyTerm } from "./find-term";
import { writeTermExample } from "./write-term-example";

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
