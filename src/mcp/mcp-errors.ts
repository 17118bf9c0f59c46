// Converts failures to MCP responses. A failed tool call is a result that the model reads; any other failure is a
// protocol error.
import { type CallToolResult, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { reportDefect } from "../http/problem-details";
import { describeFailure } from "../operations/tools/execute-tool-call";
import { FAILURES, type Failure, FailureError } from "../platform/errors";

export function toFailure(error: unknown, requestId: string): Failure {
  return error instanceof FailureError ? error.failure : reportDefect(error, requestId);
}

export function toToolError(failure: Failure): CallToolResult {
  const body = { error: describeFailure(failure), code: failure.code };
  return { isError: true, content: [{ type: "text", text: JSON.stringify(body) }] };
}

/** Runs a request other than a tool call, and converts its failure to a protocol error. */
export async function withProtocolErrors<T>(requestId: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    const failure = toFailure(error, requestId);
    const isServerError = FAILURES[failure.code].status >= 500;
    throw new ProtocolError(
      isServerError ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams,
      describeFailure(failure),
    );
  }
}
