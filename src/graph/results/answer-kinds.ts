// The kinds of answers: SELECT has solutions, ASK a boolean, CONSTRUCT and DESCRIBE a graph.
import type { SparqlAnswer } from "../sparql-answer";

export type SolutionsAnswer = Extract<SparqlAnswer, { kind: "solutions" }>;
export type BooleanAnswer = Extract<SparqlAnswer, { kind: "boolean" }>;
export type GraphAnswer = Extract<SparqlAnswer, { kind: "graph" }>;
