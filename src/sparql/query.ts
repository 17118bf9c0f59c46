// Runs SPARQL 1.1 queries over the graph of a tenant.
import type { GraphSource } from "./graph-source";
import type { SparqlAnswer, SparqlExplanation, SparqlLimits, SparqlRequest } from "./sparql-answer";

export type { RdfTerm, Solution, SparqlAnswer, SparqlExplanation, SparqlLimits, SparqlRequest } from "./sparql-answer";

/** The interface of the engine: answers a query, or throws one of the errors of sparql-errors.ts. */
export type RunQuery = (
  source: GraphSource,
  request: SparqlRequest,
  limits?: SparqlLimits,
) => Promise<SparqlAnswer & { explain: SparqlExplanation }>;
