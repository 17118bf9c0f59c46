// Telemetry of calls of remember, recall and forget that fail. The tools themselves report those that succeed; every
// surface (HTTP routes, execute, MCP) reports its failures here, as some never reach the tool.
import { FAILURES, FailureError } from "../../platform/errors";
import type { Telemetry } from "../../platform/telemetry";
import { Id } from "../../schemas/common";

const REPORTED_TOOLS = ["remember", "recall", "forget"] as const;

type FailedCall = {
  tenant: string;
  tool: string;
  /** As the call names it: anything but an id is not reported, since it may be content. */
  session_id: unknown;
  started: number;
  error: unknown;
};

/** Emits the event of a failed call, with its error code. A call of another tool has none. */
export function reportFailedCall(
  telemetry: Telemetry,
  { tenant, tool, session_id, started, error }: FailedCall,
): void {
  const event = REPORTED_TOOLS.find((name) => name === tool);
  if (event === undefined) return;
  const code = error instanceof FailureError ? error.failure.code : "internal";
  telemetry({
    event,
    tenant,
    session_id: Id.safeParse(session_id).data ?? null,
    duration_ms: Date.now() - started,
    status: FAILURES[code].status >= 500 ? "failed" : "refused",
    code,
  });
}
