// The ontology as triples in the form of the store, found by pattern.
import type { Quad } from "n3";
import Parser from "n3/src/N3Parser.js";
import { ONTOLOGY_TURTLE } from "../ontology/generated/turtle.generated";
import { encodeTerm, type StoredTerm } from "./stored-terms";

export type OntologyTriple = { subject: string; predicate: string; object: StoredTerm };

export type OntologyGraph = {
  readonly triples: readonly OntologyTriple[];
  /** Returns the triples that match the given parts. */
  readonly match: (pattern: {
    subject?: string;
    predicate?: string;
    object?: StoredTerm;
  }) => OntologyTriple[];
};

let builtIn: OntologyGraph | null = null;
const extended = new WeakMap<readonly Quad[], OntologyGraph>();

/** Returns the ontology with what a tenant's extensions add. Both are read once. */
export function loadOntology(added: readonly Quad[] = []): OntologyGraph {
  builtIn ??= createGraph(new Parser().parse(ONTOLOGY_TURTLE).map(encodeQuad));
  if (added.length === 0) return builtIn;
  const known = extended.get(added) ?? createGraph([...builtIn.triples, ...added.map(encodeQuad)]);
  extended.set(added, known);
  return known;
}

function encodeQuad({ subject, predicate, object }: Quad): OntologyTriple {
  return {
    subject: encodeTerm(subject).value,
    predicate: encodeTerm(predicate).value,
    object: encodeTerm(object),
  };
}

function createGraph(triples: readonly OntologyTriple[]): OntologyGraph {
  const byPredicate = Map.groupBy(triples, ({ predicate }) => predicate);
  return {
    triples,
    match: ({ subject, predicate, object }) =>
      (predicate === undefined ? triples : (byPredicate.get(predicate) ?? [])).filter(
        (triple) =>
          (subject === undefined || triple.subject === subject) &&
          (object === undefined ||
            (triple.object.value === object.value && triple.object.kind === object.kind)),
      ),
  };
}
