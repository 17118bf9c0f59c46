// The types of a query and of its answer. Terms are those of RDF/JS.
import type { BlankNode, Literal, NamedNode, Quad } from "n3";

export type RdfTerm = NamedNode | BlankNode | Literal;

/** A solution mapping: the terms of the variables that are bound, by the variables' names. */
export type Solution = ReadonlyMap<string, RdfTerm>;

export type SparqlRequest = {
  query: string;
  /** The base of relative IRIs. */
  base?: string | undefined;
  /** The protocol's `default-graph-uri` and `named-graph-uri`: they replace FROM and FROM NAMED. */
  defaultGraphs?: readonly string[] | undefined;
  namedGraphs?: readonly string[] | undefined;
  /** Whether subclasses, sub-properties and inverse properties are followed. True unless it is set. */
  infer?: boolean | undefined;
  /** When what is read was known, and when it was true. Now without them. */
  as_of?: string | undefined;
  valid_at?: string | undefined;
};

export type SparqlLimits = {
  /** Solutions, or triples, of an answer and of each intermediate result. */
  rows: number;
  milliseconds: number;
  /** The estimated rows that the statements of a query may read. */
  work: number;
};

export type SparqlAnswer =
  | { kind: "solutions"; variables: string[]; solutions: Solution[] }
  | { kind: "boolean"; value: boolean }
  | { kind: "graph"; quads: Quad[] };

/** How an answer came about. */
export type SparqlExplanation = {
  /** The number of SQL statements. */
  statements: number;
  /** Whether one statement answered the query, without an operator in JavaScript. */
  whollyInSql: boolean;
};

// The ways in which a query fails. The caller maps them to responses.

/** The query is malformed. Lines and columns start at 1. */
export class SparqlSyntaxError extends Error {
  override readonly name = "SparqlSyntaxError";
  readonly line: number;
  readonly column: number;

  constructor(message: string, { line, column }: { line: number; column: number }) {
    super(message);
    this.line = line;
    this.column = column;
  }
}

/** The request is a SPARQL update, which is not a query. */
export class SparqlUpdateError extends Error {
  override readonly name = "SparqlUpdateError";
}

/** The query is valid but is not run. `detail` says why, and what to bind or to change. */
export class QueryRefused extends Error {
  override readonly name = "QueryRefused";
  readonly detail: string;

  constructor(detail: string) {
    super(detail);
    this.detail = detail;
  }
}

/** The query ran into a limit of rows or time. `detail` names the limit and the fix. */
export class QueryTooExpensive extends Error {
  override readonly name = "QueryTooExpensive";
  readonly detail: string;

  constructor(detail: string) {
    super(detail);
    this.detail = detail;
  }
}

// The kinds of answers: SELECT has solutions, ASK a boolean, CONSTRUCT and DESCRIBE a graph.

export type SolutionsAnswer = Extract<SparqlAnswer, { kind: "solutions" }>;
export type BooleanAnswer = Extract<SparqlAnswer, { kind: "boolean" }>;
export type GraphAnswer = Extract<SparqlAnswer, { kind: "graph" }>;
