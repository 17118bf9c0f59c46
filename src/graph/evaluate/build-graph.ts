// The graphs of CONSTRUCT and DESCRIBE (SPARQL 1.1, sections 16.2 and 16.4).
import type { Quad, Term } from "n3";
import { Algebra } from "sparqlalgebrajs";
import { blankNode, quad } from "../rdf-terms";
import type { RdfTerm, Solution } from "../sparql-answer";
import type { SizeCheck } from "./solutions";

/** Instantiates a template with each solution. Triples that are incomplete or not RDF are left out. */
export function constructGraph(
  template: readonly Algebra.Pattern[],
  solutions: readonly Solution[],
  nextLabel: () => string,
  check: SizeCheck,
): Quad[] {
  const quads = new Map<string, Quad>();
  for (const [i, solution] of solutions.entries()) {
    check(quads.size, i * template.length);
    const blanks = new Map<string, RdfTerm>();
    for (const pattern of template) {
      const [subject, predicate, object] = [pattern.subject, pattern.predicate, pattern.object].map((term) =>
        instantiate(term as Term, solution, blanks, nextLabel),
      );
      if (subject === undefined || predicate === undefined || object === undefined) continue;
      if (subject.termType === "Literal" || predicate.termType !== "NamedNode") continue;
      addQuad(quads, quad(subject, predicate, object));
    }
  }
  check(quads.size);
  return [...quads.values()];
}

function addQuad(quads: Map<string, Quad>, added: Quad): void {
  quads.set(`${added.subject.id} ${added.predicate.id} ${added.object.id}`, added);
}

/** A blank node of the template is a new one in each solution. */
function instantiate(
  term: Term,
  solution: Solution,
  blanks: Map<string, RdfTerm>,
  nextLabel: () => string,
): RdfTerm | undefined {
  if (term.termType === "Variable") return solution.get(term.value);
  if (term.termType !== "BlankNode") return term as RdfTerm;
  const known = blanks.get(term.value) ?? blankNode(nextLabel());
  blanks.set(term.value, known);
  return known;
}

/** Returns the pattern of all triples of some subjects. */
export function makeDescription(
  subjects: readonly RdfTerm[],
  names: { s: Term; p: Term; o: Term },
): Algebra.Operation {
  const { types } = Algebra;
  const pattern = { type: types.PATTERN, subject: names.s, predicate: names.p, object: names.o } as unknown;
  return {
    type: types.JOIN,
    input: [
      {
        type: types.VALUES,
        variables: [names.s as never],
        bindings: subjects.map((subject) => ({ [`?${names.s.value}`]: subject as never })),
      },
      { type: types.BGP, patterns: [pattern as Algebra.Pattern] },
    ],
  };
}

/** Reads the triples of a description, and the blank nodes that they lead to. */
export function readDescription(solutions: readonly Solution[]): { quads: Quad[]; blanks: RdfTerm[] } {
  const quads = new Map<string, Quad>();
  const blanks = new Map<string, RdfTerm>();
  for (const solution of solutions) {
    const [subject, predicate, object] = [solution.get("s"), solution.get("p"), solution.get("o")];
    if (subject === undefined || predicate === undefined || object === undefined) continue;
    if (subject.termType === "Literal" || predicate.termType !== "NamedNode") continue;
    addQuad(quads, quad(subject, predicate, object));
    if (object.termType === "BlankNode") blanks.set(object.id, object);
  }
  return { quads: [...quads.values()], blanks: [...blanks.values()] };
}
