// Captures a finished turn as an entry, once per request id. The turn is over by now, so a failure is reported in the
// response and never fails the call.

import { requireCapability } from "../calls/require-capability";
import { liftQuotas } from "../calls/run-idempotent";
import { hasLastingContent } from "../facts/extraction/extract-candidates";
import { hasOwner, toOwner } from "../kernel/access";
import { describeDefect, type FailureCode, FailureError, failure } from "../kernel/errors";
import { sha256Hex } from "../kernel/hash";
import type { Idempotency } from "../kernel/idempotency";
import type { Services } from "../services/services";
import { fingerprintSettings } from "../sessions/session-rpc";
import { renderTurn } from "./entry-memory";
import type { EntryStore } from "./entry-store";
import type { TurnAnswer, TurnInput } from "./policy-schemas";
import { selectEntryStore } from "./select-entry-store";
import {
  explainDisabledPolicy,
  findRecentContext,
  renewContext,
  resolveTurnNamespace,
  type TurnContext,
} from "./turn-context";

/** `transient` marks a failure that a repeated call may not meet. */
type CaptureResult = TurnAnswer & { transient: boolean };

type TurnCall = { sessionId: string; turn: TurnInput; idempotency: Idempotency };

/** A turn, its operation id, and the store that it is written to. */
type Capture = TurnCall & { op: string; entries: EntryStore };

export async function captureTurn(services: Services, call: TurnCall): Promise<CaptureResult> {
  const started = services.now();
  const captured = await tryCapture(services, call);
  services.telemetry({
    event: "capture",
    tenant: services.tenant,
    session_id: call.sessionId,
    duration_ms: services.now() - started,
    status: captured.captured ? "captured" : captured.transient ? "failed" : "skipped",
  });
  return captured;
}

async function tryCapture(services: Services, call: TurnCall): Promise<CaptureResult> {
  const { sessionId, turn } = call;
  try {
    const op = await computeOperationId(services.tenant, call);
    const open = await liftQuotas(services, { op, fingerprint: "" }, sessionId);
    const capture = { ...call, op, entries: selectEntryStore(open, turn.store) };
    // Most turns find the context of the last one unchanged. A context that is loaded now may change as well.
    const recent = findRecentContext(services, sessionId, toOwner(turn));
    const early = recent === undefined ? null : await captureInContext(services, capture, recent, true);
    if (early !== null) return early;
    for (let attempt = 1; attempt <= CONTEXT_ATTEMPTS; attempt += 1) {
      const turnContext = await renewContext(services, sessionId, toOwner(turn));
      const captured = await captureInContext(services, capture, turnContext, false);
      if (captured !== null) return captured;
    }
    throw failure("unavailable", "The session's settings keep changing. Send the same turn again.", {
      retryAfterSeconds: 1,
    });
  } catch (error) {
    // Invalid calls are rejected like any other.
    if (error instanceof FailureError && REJECTED_CODES.has(error.failure.code)) throw error;
    return { captured: false, reason: describeFailureReason(error), transient: true };
  }
}

const CONTEXT_ATTEMPTS = 3;

/** Captures a turn in its context. Returns null if the context may be outdated: the session's settings differ, or it skips the turn. */
async function captureInContext(
  services: Services,
  { sessionId, turn, op, entries }: Capture,
  turnContext: TurnContext,
  isRecent: boolean,
): Promise<CaptureResult | null> {
  const lasting = isLastingTurn(turn);
  const reason = findSkipReason(turnContext, turn, lasting);
  const { session } = turnContext;
  if (isRecent && (reason !== null || session === null || entries.capture === undefined)) return null;
  requireSessionOrOwner(turnContext, sessionId);
  if (reason !== null) return { captured: false, reason, transient: false };
  await requireCapability(services, "CanWriteMemory", {
    session_id: null,
    agent_id: turnContext.agent_id,
  });
  const write = {
    namespace: resolveTurnNamespace(turnContext, { sessionId, context: turn.context }),
    user_id: turnContext.user_id,
    agent_id: turnContext.agent_id,
    project_id: turnContext.project_id,
    session_id: sessionId,
    content: renderTurn(turn.input, turn.output),
    metadata: turnContext.policy.metadata,
    source: "conversation" as const,
    lasting,
    op,
  };
  if (session !== null && entries.capture !== undefined) {
    const captured = await entries.capture(write, fingerprintSettings(session));
    return captured && { captured: true, ...captured, transient: false };
  }
  const { entry } = await entries.write(write);
  return { captured: true, entry_id: entry.id, entry_ids: entry.parts ?? [entry.id], transient: false };
}

const REJECTED_CODES: ReadonlySet<FailureCode> = new Set([
  "invalid_request",
  "not_found",
  "not_configured",
  "unauthorized",
]);

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
  { sessionId, turn: { request_id }, idempotency }: TurnCall,
): Promise<string> {
  if (request_id !== undefined) return sha256Hex(JSON.stringify(["turn", tenant, sessionId, request_id]));
  return idempotency === null ? crypto.randomUUID() : `${idempotency.op}:turn`;
}
