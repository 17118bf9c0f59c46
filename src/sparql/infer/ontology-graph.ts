// The ontology as triples in the form of the store, found by pattern.
import Parser from "n3/src/N3Parser.js";
import { ONTOLOGY_TURTLE } from "../../ontology/turtle.generated";
import { encodeTerm, type StoredTerm } from "../terms/stored-terms";

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

let parsed: OntologyGraph | null = null;

/** Returns the ontology, which is parsed on first use. */
export function loadOntology(): OntologyGraph {
  parsed ??= parseOntology(ONTOLOGY_TURTLE);
  return parsed;
}

export function parseOntology(turtle: string): OntologyGraph {
  const triples = new Parser().parse(turtle).map(({ subject, predicate, object }) => ({
    subject: encodeTerm(subject).value,
    predicate: encodeTerm(predicate).value,
    object: encodeTerm(object),
  }));
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
