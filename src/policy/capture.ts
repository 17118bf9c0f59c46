// After the model: the finished turn becomes an entry, once. Whatever goes wrong with that is told, and never fails
// the turn, which is over by now.
import { describeDefect, FailureError } from "../errors";
import { sha256Hex } from "../hash";
import type { TurnAnswer, TurnInput } from "../schemas/policy";
import type { Services } from "../services";
import type { Idempotency } from "../session/rpc";
import { offHint, type TurnSetting, turnNamespace, turnSetting } from "./setting";
import type { MemoryStore, WriteEntry } from "./store";
import { turnText } from "./turn";

/** `passing` marks a failure that a repeated call may not meet again. */
export type Captured = TurnAnswer & { passing: boolean };

export async function captureTurn(
  services: Services,
  entries: MemoryStore,
  sessionId: string,
  turn: TurnInput,
  idempotency: Idempotency,
): Promise<Captured> {
  const started = services.now();
  const setting = await turnSetting(services, sessionId, turn.agent_id);
  const skipped = reasonNot(setting, turn);
  if (skipped !== null) {
    report(services, sessionId, started, "skipped");
    return { captured: false, reason: skipped, passing: false };
  }
  const namespace = turnNamespace(setting, { sessionId, context: turn.context });
  const op = await operationOf(services.tenant, sessionId, turn.request_id, idempotency);
  return write(services, entries, started, {
    namespace,
    agent_id: setting.agent_id,
    session_id: sessionId,
    content: turnText(turn.input, turn.output),
    metadata: setting.policy.metadata,
    source: "conversation",
    op,
  });
}

/** Why a turn is not to be captured at all. */
function reasonNot({ agent_id, policy }: TurnSetting, { input, output }: TurnInput): string | null {
  if (!policy.enabled) return offHint(agent_id);
  if (policy.capture !== "conversation")
    return `The policy's capture is "${policy.capture}": set it to "conversation" to have turns captured.`;
  return `${input}${output}`.trim() === "" ? "Nothing was said: input and output are empty." : null;
}

/** A turn is known by its request id within its session; else by the call's own key, if it has one. */
async function operationOf(
  tenant: string,
  sessionId: string,
  requestId: string | undefined,
  idempotency: Idempotency,
): Promise<string> {
  if (requestId !== undefined) return sha256Hex(JSON.stringify(["turn", tenant, sessionId, requestId]));
  return idempotency === null ? crypto.randomUUID() : `${idempotency.op}:turn`;
}

async function write(
  services: Services,
  entries: MemoryStore,
  started: number,
  request: WriteEntry & { session_id: string },
): Promise<Captured> {
  try {
    const { entry } = await entries.write(request);
    report(services, request.session_id, started, "captured");
    return { captured: true, entry_id: entry.id, passing: false };
  } catch (error) {
    report(services, request.session_id, started, "failed");
    if (error instanceof FailureError)
      return { captured: false, reason: error.failure.detail, passing: true };
    console.error(JSON.stringify({ event: "capture.error", ...describeDefect(error) }));
    const reason = "The turn could not be captured. It is logged; sending the same turn again is safe.";
    return { captured: false, reason, passing: true };
  }
}

function report(
  { telemetry, tenant, now }: Services,
  session_id: string,
  started: number,
  status: "captured" | "skipped" | "failed",
): void {
  telemetry({ event: "capture", tenant, session_id, duration_ms: now() - started, status });
}
