// Reads the terms and shapes that the Turtle documents of a tenant declare, consistent or not: find-extension-problems.ts
// checks them.
import type { Quad } from "n3";
import Parser from "n3/src/N3Parser.js";
import { toTermName } from "./extension-names";

export const RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
export const RDFS = "http://www.w3.org/2000/01/rdf-schema#";
export const OWL = "http://www.w3.org/2002/07/owl#";
export const SH = "http://www.w3.org/ns/shacl#";

export type ExtensionDocument = { name: string; version: number; turtle: string };

type DeclaredTerm = { label: string; comment: string; module: string };
type AddedClass = DeclaredTerm & { superclasses: string[] };
export type AddedProperty = DeclaredTerm & {
  kind: "object" | "datatype";
  domains: string[];
  ranges: string[];
  functional: boolean;
  symmetric: boolean;
  transitive: boolean;
  inverses: string[];
};
type AddedIndividual = DeclaredTerm & { classes: string[] };

/** The terms of all extensions of a tenant, by their names (`ext:Runbook`). */
export type AddedTerms = {
  quads: Quad[];
  classes: Map<string, AddedClass>;
  properties: Map<string, AddedProperty>;
  individuals: Map<string, AddedIndividual>;
  shapes: Set<string>;
  /** Classes of which no two have a member in common. */
  disjoint: string[][];
};

/** The line of a document that is not Turtle. */
export class TurtleSyntaxError extends Error {}

export function parseTurtle(turtle: string): Quad[] {
  try {
    return new Parser({ format: "text/turtle" }).parse(turtle);
  } catch (error) {
    throw new TurtleSyntaxError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

export function readExtensions(documents: readonly ExtensionDocument[]): AddedTerms {
  const parsed = documents.map(({ name, turtle }) => ({ module: name, quads: parseTurtle(turtle) }));
  const quads = parsed.flatMap((document) => document.quads);
  const bySubject = Map.groupBy(quads, ({ subject }) => subject.value);
  const terms: AddedTerms = {
    quads,
    classes: new Map(),
    properties: new Map(),
    individuals: new Map(),
    shapes: new Set(),
    disjoint: listDisjoint(quads, bySubject),
  };
  for (const { module, quads: own } of parsed)
    for (const { subject, predicate, object } of own) {
      if (predicate.value !== `${RDF}type` || subject.termType !== "NamedNode") continue;
      const name = toTermName(subject.value);
      const about = bySubject.get(subject.value) ?? [];
      const getAll = (iri: string) =>
        about.filter((quad) => quad.predicate.value === iri).map((quad) => quad.object);
      const names = (iri: string) => getAll(iri).map(({ value }) => toTermName(value));
      const types = getAll(`${RDF}type`).map(({ value }) => value);
      const described = {
        label: getAll(`${RDFS}label`)[0]?.value ?? "",
        comment: getAll(`${RDFS}comment`)[0]?.value ?? "",
        module,
      };
      switch (object.value) {
        case `${OWL}Class`:
          terms.classes.set(name, { ...described, superclasses: names(`${RDFS}subClassOf`) });
          break;
        case `${OWL}ObjectProperty`:
        case `${OWL}DatatypeProperty`:
          terms.properties.set(name, {
            ...described,
            kind: object.value === `${OWL}ObjectProperty` ? "object" : "datatype",
            domains: names(`${RDFS}domain`),
            ranges: names(`${RDFS}range`),
            functional: types.includes(`${OWL}FunctionalProperty`),
            symmetric: types.includes(`${OWL}SymmetricProperty`),
            transitive: types.includes(`${OWL}TransitiveProperty`),
            inverses: names(`${OWL}inverseOf`),
          });
          break;
        case `${OWL}NamedIndividual`:
          terms.individuals.set(name, {
            ...described,
            classes: types.filter((type) => type !== `${OWL}NamedIndividual`).map(toTermName),
          });
          break;
        case `${SH}NodeShape`:
        case `${SH}PropertyShape`:
          terms.shapes.add(name);
          break;
      }
    }
  return terms;
}

function listDisjoint(quads: readonly Quad[], bySubject: ReadonlyMap<string, Quad[]>): string[][] {
  return quads.flatMap(({ subject, predicate, object }) => {
    if (predicate.value === `${OWL}disjointWith`)
      return [[toTermName(subject.value), toTermName(object.value)]];
    if (predicate.value === `${OWL}members`) return [listItems(object.value, bySubject).map(toTermName)];
    return [];
  });
}

/** Returns the items of an RDF list. */
function listItems(head: string, bySubject: ReadonlyMap<string, Quad[]>): string[] {
  const items: string[] = [];
  const seen = new Set<string>();
  for (let cell = head; cell !== `${RDF}nil` && !seen.has(cell); ) {
    seen.add(cell);
    const about = bySubject.get(cell) ?? [];
    const get = (name: string) => about.find(({ predicate }) => predicate.value === RDF + name)?.object.value;
    const first = get("first");
    if (first !== undefined) items.push(first);
    cell = get("rest") ?? `${RDF}nil`;
  }
  return items;
}
