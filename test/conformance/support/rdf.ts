// Reads RDF answers with the n3 package.
import Parser from "n3/src/N3Parser.js";
import { JIDO } from "./contract";

type Term = { termType: string; value: string; datatype?: { value: string } };
export type Quad = { subject: Term; predicate: Term; object: Term };

export const RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";
export const SUBCLASS_OF = "http://www.w3.org/2000/01/rdf-schema#subClassOf";
export const OWL = "http://www.w3.org/2002/07/owl#";
export const XSD = "http://www.w3.org/2001/XMLSchema#";

export function parseRdf(text: string, format: "application/n-triples" | "text/turtle"): Quad[] {
  return new Parser({ format }).parse(text);
}

/** One line per quad, sorted: two graphs without blank nodes are the same when these are equal. */
export function canonical(quads: Quad[]): string[] {
  return quads
    .map((quad) =>
      [quad.subject.value, quad.predicate.value, quad.object.value, quad.object.datatype?.value ?? ""].join(
        " ",
      ),
    )
    .sort();
}

/** The objects of a property of the ontology. */
export function objectsOf(quads: Quad[], property: string): Term[] {
  return quads.filter((quad) => quad.predicate.value === `${JIDO}${property}`).map((quad) => quad.object);
}

/** The subject that is an instance of this class. */
export function subjectOf(quads: Quad[], className: string): string {
  const typed = quads.find(
    (quad) => quad.predicate.value === RDF_TYPE && quad.object.value === `${JIDO}${className}`,
  );
  return typed?.subject.value ?? "";
}
