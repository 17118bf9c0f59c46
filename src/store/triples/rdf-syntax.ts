// Serialises triples as N-Triples, Turtle, JSON-LD, or plain JSON with full IRIs.
import type { Quad } from "n3";
// The parts of n3 without its streams, which a Worker cannot load.
import DataFactory from "n3/src/N3DataFactory.js";
import Writer from "n3/src/N3Writer.js";
import type { Triple } from "./triples";
import { expandIri, PREFIXES } from "./triples";

export const SYNTAXES = [
  "application/json",
  "application/n-triples",
  "text/turtle",
  "application/ld+json",
] as const;
export type Syntax = (typeof SYNTAXES)[number];

export async function serialiseTriples(triples: readonly Triple[], syntax: Syntax): Promise<string> {
  switch (syntax) {
    case "application/n-triples":
      return writeWithN3(triples, { format: "N-Triples" });
    case "text/turtle":
      return writeWithN3(triples, { format: "Turtle", prefixes: { ...PREFIXES } });
    case "application/ld+json":
      return JSON.stringify(toJsonLd(triples));
    case "application/json":
      return JSON.stringify({ data: triples.map(toFullIris) });
  }
}

/** Returns a triple with full IRIs. */
export function toQuad({ subject, predicate, object, datatype }: Triple): Quad {
  const { namedNode, literal, quad } = DataFactory;
  const value =
    datatype === "" ? namedNode(expandIri(object)) : literal(object, namedNode(expandIri(datatype)));
  return quad(namedNode(expandIri(subject)), namedNode(expandIri(predicate)), value);
}

function writeWithN3(
  triples: readonly Triple[],
  options: { format: string; prefixes?: Record<string, string> },
): Promise<string> {
  return new Promise((resolve, reject) => {
    const writer = new Writer(options);
    writer.addQuads(triples.map(toQuad));
    writer.end((error, result) => (error ? reject(error) : resolve(result)));
  });
}

function toFullIris({ subject, predicate, object, datatype }: Triple) {
  return {
    subject: expandIri(subject),
    predicate: expandIri(predicate),
    object: datatype === "" ? expandIri(object) : object,
    ...(datatype === "" ? {} : { datatype: expandIri(datatype) }),
  };
}

/** Returns expanded JSON-LD, which readers parse without loading a context. */
function toJsonLd(triples: readonly Triple[]) {
  const nodes = new Map<string, Record<string, unknown[] | string>>();
  for (const { subject, predicate, object, datatype } of triples) {
    const id = expandIri(subject);
    const node = nodes.get(id) ?? { "@id": id };
    nodes.set(id, node);
    const isType = predicate === "rdf:type";
    const key = isType ? "@type" : expandIri(predicate);
    const value = isType
      ? expandIri(object)
      : datatype === ""
        ? { "@id": expandIri(object) }
        : { "@value": object, "@type": expandIri(datatype) };
    const values = node[key];
    if (Array.isArray(values)) values.push(value);
    else node[key] = [value];
  }
  return [...nodes.values()];
}
