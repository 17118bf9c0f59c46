// Reads the statements of the ontology about a term: its concise bounded description.
import type { Quad, Term } from "n3";
// The parts of n3 without its streams, which a Worker cannot load.
import Parser from "n3/src/N3Parser.js";
import { NAMESPACE } from "../../ontology/terms.generated";
import { ONTOLOGY_TURTLE } from "../../ontology/turtle.generated";

let parsed: readonly Quad[] | undefined;

/** Returns all statements of the ontology. They are parsed on the first call and cached: they never change. */
export function readOntologyQuads(): readonly Quad[] {
  parsed ??= new Parser().parse(ONTOLOGY_TURTLE);
  return parsed;
}

/** Returns the statements with the term as their subject, and those of the blank nodes that they lead to or come from. */
export function readTermQuads(name: string): Quad[] {
  const quads = readOntologyQuads();
  const iri = NAMESPACE + name;
  const found = new Set<Quad>();
  const pending: Term[] = quads.flatMap(({ subject, object }) =>
    object.value === iri && subject.termType === "BlankNode" ? [subject] : [],
  );
  collect((subject) => subject.termType === "NamedNode" && subject.value === iri);
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    const { value } = node;
    collect((subject) => subject.termType === "BlankNode" && subject.value === value);
  }
  return [...found];

  function collect(isWanted: (subject: Term) => boolean): void {
    for (const quad of quads) {
      if (!isWanted(quad.subject) || found.has(quad)) continue;
      found.add(quad);
      if (quad.object.termType === "BlankNode") pending.push(quad.object);
    }
  }
}
