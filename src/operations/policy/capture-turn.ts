// Captures a finished turn as an entry, once per request id. The turn is over by now, so a failure is reported in the
// response and never fails the call.

import { renderTurn } from "../../domain/policy/entry-memory";
import { hasLastingContent } from "../../domain/promotion/extract-candidates";
import { describeDefect, type FailureCode, FailureError, failure } from "../../platform/errors";
import { sha256Hex } from "../../platform/hash";
import type { Idempotency } from "../../platform/idempotency";
import type { TurnAnswer, TurnInput } from "../../schemas/policy";
import { requireCapability } from "../entities/require-capability";
import { hasOwner } from "../resolve-reach";
import type { Services } from "../services";
import type { EntryStore } from "./entry-store";
import {
  explainDisabledPolicy,
  loadTurnContext,
  resolveTurnNamespace,
  type TurnContext,
} from "./turn-context";

/** `transient` marks a failure that a repeated call may not meet. */
export type CaptureResult = TurnAnswer & { transient: boolean };

export type TurnCall = { sessionId: string; turn: TurnInput; idempotency: Idempotency };

export async function captureTurn(
  services: Services,
  entries: EntryStore,
  call: TurnCall,
): Promise<CaptureResult> {
  const started = services.now();
  const captured = await tryCapture(services, entries, call);
  services.telemetry({
    event: "capture",
    tenant: services.tenant,
    session_id: call.sessionId,
    duration_ms: services.now() - started,
    status: captured.captured ? "captured" : captured.transient ? "failed" : "skipped",
  });
  return captured;
}

async function tryCapture(
  services: Services,
  entries: EntryStore,
  { sessionId, turn, idempotency }: TurnCall,
): Promise<CaptureResult> {
  try {
    const turnContext = await loadTurnContext(services, sessionId, turn);
    requireSessionOrOwner(turnContext, sessionId);
    const lasting = isLastingTurn(turn);
    const reason = findSkipReason(turnContext, turn, lasting);
    if (reason !== null) return { captured: false, reason, transient: false };
    await requireCapability(services, "CanWriteMemory", {
      session_id: null,
      agent_id: turnContext.agent_id,
    });
    const namespace = resolveTurnNamespace(turnContext, { sessionId, context: turn.context });
    const { entry } = await entries.write({
      namespace,
      user_id: turnContext.user_id,
      agent_id: turnContext.agent_id,
      project_id: turnContext.project_id,
      session_id: sessionId,
      content: renderTurn(turn.input, turn.output),
      metadata: turnContext.policy.metadata,
      source: "conversation",
      lasting,
      op: await computeOperationId(services.tenant, sessionId, turn.request_id, idempotency),
    });
    const entry_ids = entry.parts ?? [entry.id];
    return { captured: true, entry_id: entry.id, entry_ids, transient: false };
  } catch (error) {
    // Invalid calls are rejected like any other.
    if (error instanceof FailureError && REJECTED_CODES.has(error.failure.code)) throw error;
    return { captured: false, reason: describeFailureReason(error), transient: true };
  }
}

const REJECTED_CODES: ReadonlySet<FailureCode> = new Set(["invalid_request", "not_found", "not_configured"]);

function describeFailureReason(error: unknown): string {
  if (error instanceof FailureError) return error.failure.detail;
  console.error(JSON.stringify({ event: "capture.error", ...describeDefect(error) }));
  return "The turn could not be captured. It is logged; sending the same turn again is safe.";
}

/** The first write creates a session, so it has to name whom the session belongs to. */
function requireSessionOrOwner(turnContext: TurnContext, sessionId: string): void {
  if (turnContext.session !== null || hasOwner(turnContext)) return;
  throw failure(
    "not_found",
    `Session not found: ${sessionId}. Create it with POST /v1/sessions, or give user_id, agent_id or project_id here.`,
  );
}

/** Returns why the policy skips a turn, or null. */
function findSkipReason(
  turnContext: TurnContext,
  { input, output }: TurnInput,
  lasting: boolean,
): string | null {
  const { policy } = turnContext;
  if (!policy.enabled) return explainDisabledPolicy(turnContext);
  if (policy.capture !== "conversation" && policy.capture !== "lasting")
    return `The policy's capture is "${policy.capture}": set it to "conversation" or "lasting" to have turns captured.`;
  if (`${input}${output}`.trim() === "") return "The turn is empty: input and output have no text.";
  return policy.capture === "lasting" && !lasting ? NOTHING_LASTING : null;
}

/** A stable code: callers expect most turns to be skipped. */
const NOTHING_LASTING = "nothing_lasting";

/** Whether either side of a turn says anything that promotion would keep. */
function isLastingTurn({ input, output }: TurnInput): boolean {
  return hasLastingContent(input) || hasLastingContent(output, "assistant");
}

/** Identifies a turn by its request id within the session, else by the call's idempotency key. */
async function computeOperationId(
  tenant: string,
  sessionId: string,
  requestId: string | undefined,
  idempotency: Idempotency,
): Promise<string> {
  if (requestId !== undefined) return sha256Hex(JSON.stringify(["turn", tenant, sessionId, requestId]));
  return idempotency === null ? crypto.randomUUID() : `${idempotency.op}:turn`;
}
