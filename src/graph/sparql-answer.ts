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
