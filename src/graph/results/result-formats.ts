// The media types of answers, by the form of the query, and the serialiser of each. The first of each list is the default.

import type { Quad, Quad_Object, Quad_Subject, Term } from "n3";
import DataFactory from "n3/src/N3DataFactory.js";
import { QUAD_SYNTAXES, type QuadSyntax, serialiseQuads } from "../../ontology/quad-syntax";
import type { BooleanAnswer, GraphAnswer, SolutionsAnswer, SparqlAnswer } from "../sparql-answer";
import { createBlankNodeLabels, toSparqlCsv, toSparqlJson, toSparqlTsv, toSparqlXml } from "./sparql-results";

// Serialises the graphs of CONSTRUCT and DESCRIBE.
// The part of n3 without its streams, which a Worker cannot load.

export function serialiseGraph(quads: readonly Quad[], syntax: QuadSyntax): Promise<string> {
  const label = createBlankNodeLabels();
  const relabel = <T extends Term>(term: T) =>
    term.termType === "BlankNode" ? DataFactory.blankNode(label(term)) : term;
  const relabelled = quads.map(({ subject, predicate, object, graph }) =>
    DataFactory.quad(relabel(subject) as Quad_Subject, predicate, relabel(object) as Quad_Object, graph),
  );
  return serialiseQuads(relabelled, syntax);
}

type Serialiser<A> = (answer: A) => string | Promise<string>;
type Serialisers<A> = ReadonlyMap<string, Serialiser<A>>;

const toJson = (answer: SolutionsAnswer | BooleanAnswer) => JSON.stringify(toSparqlJson(answer));

const BOOLEAN_FORMATS: Serialisers<BooleanAnswer> = new Map([
  ["application/sparql-results+json", toJson],
  ["application/sparql-results+xml", toSparqlXml],
  ["application/json", toJson],
]);

const SOLUTION_FORMATS: Serialisers<SolutionsAnswer> = new Map([
  ["application/sparql-results+json", toJson],
  ["application/sparql-results+xml", toSparqlXml],
  ["text/csv", toSparqlCsv],
  ["text/tab-separated-values", toSparqlTsv],
  ["application/json", toJson],
]);

const GRAPH_FORMATS: Serialisers<GraphAnswer> = new Map(
  QUAD_SYNTAXES.map((syntax) => [syntax, ({ quads }: GraphAnswer) => serialiseGraph(quads, syntax)]),
);

/** The media types by the kind of the answer. */
export const RESULT_TYPES = {
  solutions: [...SOLUTION_FORMATS.keys()],
  boolean: [...BOOLEAN_FORMATS.keys()],
  graph: [...GRAPH_FORMATS.keys()],
} as const satisfies Record<SparqlAnswer["kind"], readonly string[]>;

/** Serialises an answer as one of the media types of its kind. */
export async function serialiseAnswer(answer: SparqlAnswer, type: string): Promise<string> {
  const text = serialise(answer, type);
  if (text === undefined) throw new TypeError(`No serialiser for an answer of kind ${answer.kind}: ${type}`);
  return text;
}

function serialise(answer: SparqlAnswer, type: string): string | Promise<string> | undefined {
  switch (answer.kind) {
    case "solutions":
      return SOLUTION_FORMATS.get(type)?.(answer);
    case "boolean":
      return BOOLEAN_FORMATS.get(type)?.(answer);
    case "graph":
      return GRAPH_FORMATS.get(type)?.(answer);
  }
}
