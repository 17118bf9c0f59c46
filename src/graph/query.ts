// Runs SPARQL 1.1 queries over the graph of a tenant.

import type { Quad } from "n3";
import { Algebra } from "sparqlalgebrajs";
import type { CompileInput } from "./compile/compile-context";
import { constructGraph, makeDescription, readDescription } from "./evaluate/build-graph";
import { refuseExcessiveWork } from "./evaluate/estimate-work";
import { Evaluation } from "./evaluate/evaluation";
import type { GraphSource } from "./graph-source";
import { createInference, type Inference } from "./inference";
import { loadOntology, type OntologyGraph } from "./ontology-graph";
import { type ParsedQuery, parseQuery, type QueryDataset } from "./parse-query";
import { variable } from "./rdf-terms";
import type { RdfTerm, SparqlAnswer, SparqlExplanation, SparqlLimits, SparqlRequest } from "./sparql-answer";
import { encodeIri } from "./stored-terms";

export type {
  RdfTerm,
  Solution,
  SparqlAnswer,
  SparqlExplanation,
  SparqlLimits,
  SparqlRequest,
} from "./sparql-answer";

export const SPARQL_LIMITS: SparqlLimits = { rows: 50_000, milliseconds: 10_000, work: 1_000_000 };

/** Answers a query, or throws one of the errors of sparql-answer.ts. */
export async function runQuery(
  source: GraphSource,
  request: SparqlRequest,
  limits: SparqlLimits = SPARQL_LIMITS,
  /** Without push-down, SQL only finds the triples of single patterns: tests compare the two ways. */
  { pushDown = true }: { pushDown?: boolean } = {},
): Promise<SparqlAnswer & { explain: SparqlExplanation }> {
  const query = parseQuery(request.query, request.base);
  const scope = createScope(source, request, query.dataset);
  await refuseExcessiveWork(query.operation, scope, limits);
  const evaluation = new Evaluation(limits, { base: query.base, pushDown });
  const answer = await answerForm(query, scope, evaluation);
  return { ...answer, explain: evaluation.explanation };
}

async function answerForm(
  query: ParsedQuery,
  scope: CompileInput,
  evaluation: Evaluation,
): Promise<SparqlAnswer> {
  const { operation, variables, template } = query;
  switch (query.form) {
    case "select":
      return { kind: "solutions", variables, solutions: await evaluation.evaluate(operation, scope) };
    case "ask": {
      const first: Algebra.Slice = { type: Algebra.types.SLICE, input: operation, start: 0, length: 1 };
      return { kind: "boolean", value: (await evaluation.evaluate(first, scope)).length > 0 };
    }
    case "construct": {
      const solutions = await evaluation.evaluate(operation, scope);
      const quads = constructGraph(
        template,
        solutions,
        () => evaluation.nextLabel(),
        (size, work) => evaluation.checkSize(size, work),
      );
      return { kind: "graph", quads };
    }
    case "describe":
      return { kind: "graph", quads: await describeTerms(query, scope, evaluation) };
  }
}

/** Returns the triples of the described subjects, and of the blank nodes in them. */
async function describeTerms(
  { operation, described }: ParsedQuery,
  scope: CompileInput,
  evaluation: Evaluation,
): Promise<Quad[]> {
  const names = described.filter(({ termType }) => termType === "Variable").map(({ value }) => value);
  const found = names.length === 0 ? [] : await evaluation.evaluate(operation, scope);
  const terms = [
    ...described.filter(({ termType }) => termType !== "Variable").map((term) => term as RdfTerm),
    ...found.flatMap((solution) => names.flatMap((name) => solution.get(name) ?? [])),
  ];
  const wanted = new Map(
    terms.filter(({ termType }) => termType !== "Literal").map((term) => [term.id, term]),
  );
  const quads: Quad[] = [];
  let next = [...wanted.values()];
  while (next.length > 0) {
    const pattern = makeDescription(next, { s: variable("s"), p: variable("p"), o: variable("o") });
    const { quads: more, blanks } = readDescription(
      await evaluation.evaluate(pattern, { ...scope, inference: null }),
    );
    quads.push(...more);
    evaluation.checkSize(quads.length);
    next = blanks.filter(({ id }) => !wanted.has(id));
    for (const blank of next) wanted.set(blank.id, blank);
  }
  return quads;
}

const inferences = new WeakMap<OntologyGraph, Inference>();

/** Returns what follows from an ontology, computed once. */
function findInference(ontology: OntologyGraph): Inference {
  const known = inferences.get(ontology) ?? createInference(ontology);
  inferences.set(ontology, known);
  return known;
}

/** The dataset of the request replaces that of the query (SPARQL 1.1 Protocol, section 2.1.4). */
function createScope(source: GraphSource, request: SparqlRequest, stated: QueryDataset): CompileInput {
  const { defaultGraphs = [], namedGraphs = [] } = request;
  const isRequested = defaultGraphs.length > 0 || namedGraphs.length > 0;
  const dataset = isRequested ? { default: defaultGraphs, named: namedGraphs } : stated;
  const ontology = loadOntology(source.added);
  return {
    source,
    clocks: { as_of: request.as_of, valid_at: request.valid_at },
    graph: dataset === null ? { kind: "default" } : { kind: "merge", names: dataset.default.map(encodeIri) },
    named: dataset === null ? null : dataset.named.map(encodeIri),
    inference: request.infer === false ? null : findInference(ontology),
    ontology: source.ontology ? ontology : null,
  };
}
