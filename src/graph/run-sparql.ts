// Runs a SPARQL query over the tenant's graph, as one of the tenant's searches. Maps the engine's errors to failures.
import type { Binding } from "../kernel/access";
import { type FailureError, failure } from "../kernel/errors";
import type { Services } from "../services/services";
import { runQuery } from "./query";
import {
  QueryRefused,
  QueryTooExpensive,
  type SparqlAnswer,
  type SparqlExplanation,
  type SparqlRequest,
  SparqlSyntaxError,
  SparqlUpdateError,
} from "./sparql-answer";

/** Runs a query over what the binding shows: that of the caller's key, or a narrower one. */
export async function runSparql(
  { limitReads, openGraph }: Services,
  binding: Binding,
  request: SparqlRequest,
): Promise<SparqlAnswer & { explain: SparqlExplanation }> {
  try {
    return await limitReads(() => runQuery(openGraph(binding), request));
  } catch (error) {
    throw toFailureError(error);
  }
}

function toFailureError(error: unknown): unknown {
  if (error instanceof SparqlSyntaxError) {
    const { line, column } = error;
    const message = `line ${line}, column ${column}: ${error.message}`;
    return failure("invalid_request", `query: ${message}`, {
      errors: [{ path: "query", message }],
      line,
      column,
    });
  }
  if (error instanceof SparqlUpdateError) return refuseUpdate();
  if (error instanceof QueryRefused || error instanceof QueryTooExpensive)
    return failure("unprocessable", `query: ${error.detail}`, {
      errors: [{ path: "query", message: error.detail }],
    });
  return error;
}

/** Returns the failure of an update. Memories are written by calls that keep the triples and the indexes together. */
export function refuseUpdate(): FailureError {
  return failure(
    "method_not_allowed",
    "SPARQL updates are not supported: this endpoint only reads. Write with POST /v1/remember, PATCH /v1/memories/{id}, " +
      "POST /v1/links, POST /v1/episodes and PUT /v1/resources/{class}/{id}; delete with POST /v1/forget and " +
      "DELETE /v1/memories/{id}.",
    { allow: ["GET", "POST"] },
  );
}
