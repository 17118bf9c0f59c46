// Serialises RDF/JS quads as Turtle, TriG, N-Triples, N-Quads or expanded JSON-LD.
// The parts of n3 without its streams, which a Worker cannot load.

import type { Quad, Term } from "n3";
import DataFactory from "n3/src/N3DataFactory.js";
import Writer from "n3/src/N3Writer.js";
import { expandIri, PREFIXES, type Triple } from "./triples";

export const QUAD_SYNTAXES = [
  "text/turtle",
  "application/n-triples",
  "application/trig",
  "application/n-quads",
  "application/ld+json",
] as const;
export type QuadSyntax = (typeof QUAD_SYNTAXES)[number];

const RDF = PREFIXES.rdf;
const XSD_STRING = `${PREFIXES.xsd}string`;

/** Turtle and N-Triples have no named graphs: the graph of each quad is left out. */
export async function serialiseQuads(quads: readonly Quad[], syntax: QuadSyntax): Promise<string> {
  switch (syntax) {
    case "text/turtle":
      return writeWithN3(quads.map(removeGraph), { format: syntax, prefixes: { ...PREFIXES } });
    case "application/trig":
      return writeWithN3(quads, { format: syntax, prefixes: { ...PREFIXES } });
    case "application/n-triples":
      return writeWithN3(quads.map(removeGraph), { format: syntax });
    case "application/n-quads":
      return writeWithN3(quads, { format: syntax });
    case "application/ld+json":
      return JSON.stringify(toJsonLd(quads));
  }
}

function removeGraph({ subject, predicate, object }: Quad): Quad {
  return DataFactory.quad(subject, predicate, object);
}

function writeWithN3(
  quads: readonly Quad[],
  options: { format: string; prefixes?: Record<string, string> },
): Promise<string> {
  return new Promise((resolve, reject) => {
    const writer = new Writer(options);
    writer.addQuads([...quads]);
    writer.end((error, result) => (error ? reject(error) : resolve(result)));
  });
}

type JsonLdNode = { "@id": string; [key: string]: unknown };

/** Returns expanded JSON-LD, which readers parse without loading a context. */
function toJsonLd(quads: readonly Quad[]): JsonLdNode[] {
  const graphs = Map.groupBy(quads, ({ graph }) => (graph.termType === "DefaultGraph" ? "" : toId(graph)));
  const nodes = toNodes(graphs.get("") ?? []);
  for (const [id, members] of graphs) {
    if (id === "") continue;
    const node = nodes.get(id) ?? { "@id": id };
    nodes.set(id, { ...node, "@graph": [...toNodes(members).values()] });
  }
  return [...nodes.values()];
}

function toNodes(quads: readonly Quad[]): Map<string, JsonLdNode> {
  const nodes = new Map<string, JsonLdNode>();
  for (const { subject, predicate, object } of quads) {
    const id = toId(subject);
    const node = nodes.get(id) ?? { "@id": id };
    nodes.set(id, node);
    const isType = predicate.value === `${RDF}type` && object.termType !== "Literal";
    const key = isType ? "@type" : predicate.value;
    const value = isType ? toId(object) : toValue(object);
    const values = node[key];
    if (Array.isArray(values)) values.push(value);
    else node[key] = [value];
  }
  return nodes;
}

function toValue(term: Term) {
  if (term.termType !== "Literal") return { "@id": toId(term) };
  if (term.language !== "") return { "@value": term.value, "@language": term.language };
  const datatype = term.datatype.value;
  return datatype === XSD_STRING ? { "@value": term.value } : { "@value": term.value, "@type": datatype };
}

function toId(term: Term): string {
  return term.termType === "BlankNode" ? `_:${term.value}` : term.value;
}

// Serialises triples as N-Triples, Turtle, JSON-LD, or plain JSON with full IRIs.
// The part of n3 without its streams, which a Worker cannot load.

export const SYNTAXES = [
  "application/json",
  "application/n-triples",
  "text/turtle",
  "application/ld+json",
] as const;
export type Syntax = (typeof SYNTAXES)[number];

export async function serialiseTriples(triples: readonly Triple[], syntax: Syntax): Promise<string> {
  if (syntax === "application/json") return JSON.stringify({ data: triples.map(toFullIris) });
  return serialiseQuads(triples.map(toQuad), syntax);
}

/** Returns a triple with full IRIs. */
export function toQuad({ subject, predicate, object, datatype }: Triple): Quad {
  const { namedNode, literal, quad } = DataFactory;
  const value = datatype === "" ? namedNode(expandIri(object)) : literal(object, toLiteralType(datatype));
  return quad(namedNode(expandIri(subject)), namedNode(expandIri(predicate)), value);
}

/** Returns the language of a datatype such as `@en`, else the datatype. */
function toLiteralType(datatype: string) {
  return datatype.startsWith("@") ? datatype.slice(1) : DataFactory.namedNode(expandIri(datatype));
}

function toFullIris({ subject, predicate, object, datatype }: Triple) {
  return {
    subject: expandIri(subject),
    predicate: expandIri(predicate),
    object: datatype === "" ? expandIri(object) : object,
    ...(datatype === "" ? {} : { datatype: expandIri(datatype) }),
  };
}
