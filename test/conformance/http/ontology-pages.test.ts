// The pages of the ontology: every term as HTML, Turtle and JSON-LD, open to all, without scripts.
import { Parser } from "n3";
import { describe, expect, it } from "vitest";
import { CLASSES, INDIVIDUALS, NAMESPACE, PROPERTIES } from "../../../src/ontology/generated/terms.generated";
import { expectProblem } from "../support/expectations";
import { sharedServer } from "../support/http-service";

const kioku = sharedServer();
const TERMS = [...Object.keys(CLASSES), ...Object.keys(PROPERTIES), ...Object.keys(INDIVIDUALS)];

const get = (path: string, accept = "text/html") => kioku.anonymous.get<string>(path, { Accept: accept });

describe("GET /ontology", () => {
  it("lists every term under the fragment of its IRI, with its definition", async () => {
    const { status, headers, text } = await get("/ontology");
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    const ids = [...text.matchAll(/<span id="(\w+)">/g)].map(([, id]) => id);
    expect(ids.toSorted()).toEqual(TERMS.toSorted());
    expect(text).toContain("A choice the project is committed to.");
  });

  it("draws every class once, as a link to its page", async () => {
    const { text } = await get("/ontology");
    const [diagram = ""] = /<svg[\s\S]*<\/svg>/.exec(text) ?? [];
    const drawn = [...diagram.matchAll(/<a href="\/ontology\/(\w+)">/g)].map(([, name]) => name);
    expect(drawn.toSorted()).toEqual(Object.keys(CLASSES).toSorted());
  });

  it("is the whole ontology as Turtle and as JSON-LD", async () => {
    const turtle = await get("/ontology", "text/turtle");
    expect(turtle.headers.get("content-type")).toBe("text/turtle; charset=utf-8");
    const quads = new Parser().parse(turtle.text);
    const subjects = new Set(quads.map(({ subject }) => subject.value));
    for (const term of TERMS) expect(subjects).toContain(NAMESPACE + term);
    const jsonLd = await get("/ontology.jsonld");
    const nodes = JSON.parse(jsonLd.text) as { "@id": string }[];
    for (const term of TERMS) expect(nodes.map((node) => node["@id"])).toContain(NAMESPACE + term);
    const count = nodes.reduce((sum, node) => sum + Object.values(node).flat().length - 1, 0);
    expect(count).toBe(quads.length);
  });
});

describe("GET /ontology/{term}", () => {
  it("describes a class: definition, place in the hierarchy, properties, memory type, example", async () => {
    const { text } = await get("/ontology/ArchitecturalDecision");
    expect(text).toContain("<h1>ArchitecturalDecision</h1>");
    expect(text).toContain(CLASSES.ArchitecturalDecision.comment);
    expect(text).toMatch(
      /Superclasses<\/th><td><a href="\/ontology\/Decision">Decision<\/a> › <a href="\/ontology\/MemoryItem">/,
    );
    expect(text).toContain('<a href="/ontology/hasAlternative">');
    expect(text).toContain("<code>architectural_decision</code>");
    expect(text).toContain("a jido:ArchitecturalDecision ;");
    expect(text).toContain("&quot;type&quot;:&quot;architectural_decision&quot;");
  });

  it("describes a property: domain, range, number of values, inverse", async () => {
    const { text } = await get("/ontology/supersededBy");
    expect(text).toMatch(/Domain<\/th><td><a href="\/ontology\/MemoryItem">/);
    expect(text).toMatch(/Values<\/th><td>at most one/);
    expect(text).toMatch(/Inverse<\/th><td><a href="\/ontology\/supersedes">/);
  });

  it("describes an individual: its class, and the properties that have it as a value", async () => {
    const { text } = await get("/ontology/ProjectScope");
    expect(text).toMatch(/Class<\/th><td><a href="\/ontology\/ConventionScope">/);
    expect(text).toMatch(/Value of<\/th><td><a href="\/ontology\/hasConventionScope">/);
    expect(text).toContain("jido:hasConventionScope jido:ProjectScope .");
  });

  it("is Turtle or JSON-LD by the Accept header or the file extension", async () => {
    const byHeader = await get("/ontology/Decision", "text/turtle;q=0.9, text/html;q=0.1");
    const byExtension = await get("/ontology/Decision.ttl");
    expect(byHeader.headers.get("content-type")).toBe("text/turtle; charset=utf-8");
    expect(byHeader.headers.get("vary")).toContain("Accept");
    expect(byExtension.text).toBe(byHeader.text);
    const subjects = new Set(new Parser().parse(byHeader.text).map(({ subject }) => subject.value));
    expect([...subjects]).toEqual([`${NAMESPACE}Decision`]);
    const jsonLd = await get("/ontology/Decision", "application/ld+json");
    expect(JSON.parse(jsonLd.text)).toEqual([expect.objectContaining({ "@id": `${NAMESPACE}Decision` })]);
  });

  it("includes the axioms that name the term through a blank node", async () => {
    const { text } = await get("/ontology/hasRepository.ttl");
    const objects = new Parser()
      .parse(text)
      .map(({ predicate, object }) => `${predicate.value} ${object.value}`);
    expect(objects).toContain(`http://www.w3.org/2000/01/rdf-schema#subPropertyOf ${NAMESPACE}partOfProject`);
  });

  it("answers 404 for an unknown term and for a path in its place", async () => {
    for (const path of [
      "/ontology/Decisions",
      "/ontology/Decision.rdf",
      "/ontology/constructor",
      "/ontology/%3Cb%3E",
    ])
      expectProblem(await get(path), "not_found");
  });
});

describe("the pages", () => {
  it("run no script and load nothing but their style sheet", async () => {
    for (const path of ["/ontology", "/ontology/Decision"]) {
      const { headers, text } = await get(path);
      const policy = headers.get("content-security-policy") ?? "";
      expect(policy).toContain("default-src 'none'; style-src 'self';");
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
      expect(text).not.toMatch(/<script|\son\w+=|<style|style=/);
      const loaded = [...text.matchAll(/<link[^>]+href="([^"]+)"/g)].map(([, address]) => address);
      expect(loaded).toEqual(["/ontology/page.css"]);
    }
    const style = await get("/ontology/page.css");
    expect(style.headers.get("content-type")).toBe("text/css; charset=utf-8");
    expect(style.text).not.toMatch(/@import|url\(/);
  });

  it("link to no page that is missing", async () => {
    const { text } = await get("/ontology");
    const { text: term } = await get("/ontology/MemoryItem");
    const linked = new Set(
      [...`${text}${term}`.matchAll(/href="\/ontology\/(\w+)"/g)].map(([, name = ""]) => name),
    );
    for (const name of linked) expect(TERMS).toContain(name);
  });
});
