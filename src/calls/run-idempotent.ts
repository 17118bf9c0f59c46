// Runs a call once per idempotency key. A call whose work is one write to one object or one D1 batch stores its key
// there; every other call stores its reply in D1 here. The steps of such a call are idempotent, so that a crash before
// the reply is stored only repeats them.
import type { Access, Owner } from "../kernel/access";
import { unwrap } from "../kernel/errors";
import { deriveStep, type Idempotency } from "../kernel/idempotency";
import type { JsonObject } from "../kernel/json";
import type { Repositories } from "../services/repositories";
import type { Services } from "../services/services";
import { listExceeded, requireQuota } from "../trust/quotas";
import { shortenAnswer } from "../trust/withhold-content";
import { bindToolCall, limitToScope, rejectBeyondScope } from "./call-access";
import { requireToolCapability } from "./require-capability";
import type { OperationReply, Tool } from "./tool";

/** `transient` marks a reply that a repeated call may not get again. It is not stored. */
export type IdempotentReply<T> = { status: 200 | 201; body: T; transient?: boolean };

/** Returns the stored reply of an earlier call with this key, or runs the work and stores its reply. */
export async function runIdempotent<T>(
  store: Repositories,
  idempotency: Idempotency,
  work: () => Promise<IdempotentReply<T>>,
  shorten: (body: T) => T = shortenAnswer,
): Promise<IdempotentReply<T>> {
  if (idempotency === null) return work();
  const earlier = await store.operations.find<IdempotentReply<T>>(idempotency);
  if (earlier !== null) return unwrap(earlier);
  const reply = await work();
  if (reply.transient !== true)
    await store.operations.save({ ...idempotency, response: { ...reply, body: shorten(reply.body) } });
  return reply;
}

type NamedCall = {
  owner: Required<Owner>;
  input: JsonObject;
  /** True if a model made the call: it stays within the reach of its session. */
  byModel?: boolean;
  /** True if the owner is fixed although the call names no session: its input stays within it. */
  isPinned?: boolean;
};

/**
 * Returns the access and the input of a tool call: within the binding of its key and, if a model made it, the reach of its
 * session. Throws if the call names another owner, or its agent lacks the capability.
 */
export async function admitToolCall(
  services: Services,
  tool: Tool,
  { owner, input, byModel = false, isPinned = false }: NamedCall,
): Promise<{ access: Access; input: JsonObject }> {
  const bound = await bindToolCall(services, tool, owner, input);
  const access = byModel ? await limitToScope(services, bound.access) : bound.access;
  if (isPinned || access.owner.session_id !== null) rejectBeyondScope(tool, access, bound.input);
  await requireToolCapability(services, tool, access.owner);
  return { access, input: bound.input };
}

type ToolRun = NamedCall & {
  idempotency: Idempotency;
  /** True if the key is bound to one session, as with a session in the path. */
  keyOfSession?: boolean;
};

/** Runs a tool once per idempotency key. */
export function runTool(
  services: Services,
  tool: Tool,
  { idempotency, keyOfSession = false, ...call }: ToolRun,
): Promise<OperationReply> {
  const run = async () => {
    const open = await liftQuotas(services, idempotency, call.owner.session_id);
    const { access, input } = await admitToolCall(services, tool, call);
    requireQuota(open.usage, open.quotas, tool.quota ?? []);
    return tool.run(open, access, input, deriveStep(idempotency, tool.name));
  };
  // A tool that only reads has nothing to do once, and stores nothing.
  const storesKey =
    tool.scope === "read" || tool.storesKey === "tenant" || (tool.storesKey === "session" && keyOfSession);
  return storesKey ? run() : runIdempotent(services.store, idempotency, run);
}

/**
 * Returns services without quotas for a call whose idempotency key is known, by itself or by one of its steps; otherwise
 * the same services. The key is only looked up if a quota is used up.
 */
export async function liftQuotas(
  services: Services,
  idempotency: Idempotency,
  sessionId: string | null,
): Promise<Services> {
  const { usage, quotas, store, session, tenant } = services;
  if (idempotency === null || listExceeded(usage, quotas).size === 0) return services;
  const { op } = idempotency;
  const isRepeated =
    (await store.operations.isKnown(op)) ||
    (sessionId !== null && unwrap(await session(sessionId).hasAnswered({ tenant, id: sessionId }, op)));
  return isRepeated ? services.withoutQuotas() : services;
}
