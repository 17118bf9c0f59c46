// Serialises triples as N-Triples, Turtle, JSON-LD, or plain JSON with full IRIs.
import type { Quad } from "n3";
// The part of n3 without its streams, which a Worker cannot load.
import DataFactory from "n3/src/N3DataFactory.js";
import { serialiseQuads } from "./quad-syntax";
import { expandIri, type Triple } from "./triples";

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
