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
