// forget: removes a memory from recall, with a reason and an optional replacement. It stays readable by id.

import { resolveOwner } from "../calls/call-access";
import { defineTool, type OperationReply } from "../calls/tool";
import type { Access, Owner } from "../kernel/access";
import { OwnerIds, type Scope } from "../kernel/common";
import { type Result, unwrap } from "../kernel/errors";
import type { Idempotency } from "../kernel/idempotency";
import type { Services } from "../services/services";
import { ForgetAnswer, ForgetInput } from "./memory-schemas";
import type { ForgetLimits, ForgetRequest, Forgotten } from "./store/forget-memories";

export async function forget(
  services: Services,
  access: Access,
  input: ForgetInput,
  idempotency: Idempotency,
): Promise<OperationReply<ForgetAnswer>> {
  const started = services.now();
  // The answer repeats the reason.
  const { memory_id, reason, replacement_id } = services.gate.clean(input);
  const { owner, scope, binding } = access;
  const limits = {
    isLimit: scope !== null,
    ...(scope === null ? {} : { actor: "agent" as const }),
    binding,
  };
  const request = { memory_id, reason: reason ?? null, replacement_id: replacement_id ?? null };
  const { already, memory_type } =
    (idempotency === null ? await forgetOwn(services, access, request, limits) : null) ??
    unwrap(
      explainScope(
        await services.store.memories.forget(
          request,
          { ...limits, anyOf: await findForgettable(services, access) },
          idempotency,
        ),
        scope,
      ),
    );
  services.later(services.indexing.wake());
  services.telemetry({
    event: "forget",
    status: "ok",
    tenant: services.tenant,
    session_id: owner.session_id,
    duration_ms: services.now() - started,
    memory_id,
    memory_type,
    has_replacement: replacement_id !== undefined,
    has_reason: reason !== undefined,
  });
  return {
    status: 200,
    body: {
      forgotten: true,
      memory_id,
      message: already
        ? `Memory ${memory_id} was already superseded or forgotten`
        : `Memory ${memory_id} has been superseded`,
      ...(reason === undefined ? {} : { reason }),
      ...(replacement_id === undefined ? {} : { replacement_id }),
    },
  };
}

/**
 * Forgets a memory that the call may forget whatever else its session sees: one of the session itself, or of the owner that
 * the call names. Returns null if it is none of them, or anything else is in the way.
 */
function forgetOwn(
  { store }: Services,
  { owner, scope }: Access,
  request: ForgetRequest,
  limits: Omit<ForgetLimits, "anyOf">,
): Promise<Forgotten | null> {
  const { session_id } = owner;
  const anyOf =
    scope === "tenant" || (scope === null && session_id === null)
      ? null
      : scope === null
        ? owner
        : { session_id, [`${scope}_id`]: owner[`${scope}_id`] };
  return store.memories.tryForget(request, { ...limits, anyOf });
}

/** Tells a model why it may not find a memory that exists. */
function explainScope<T>(result: Result<T>, scope: Scope | null): Result<T> {
  if (result.ok || result.failure.code !== "not_found" || scope === null) return result;
  const { failure } = result;
  return {
    ok: false,
    failure: { ...failure, detail: `${failure.detail} The reach of this call is "${scope}".` },
  };
}

/** A session forgets what it can see, a model's call what is within its reach, and any other call what its key sees. */
async function findForgettable(services: Services, { owner, scope }: Access): Promise<Partial<Owner> | null> {
  const { session_id } = owner;
  if (scope === "tenant" || (scope === null && session_id === null)) return null;
  if (scope === null) return { session_id, ...(await resolveOwner(services, owner)) };
  return { session_id, [`${scope}_id`]: owner[`${scope}_id`] };
}

export const forgetTool = defineTool({
  name: "forget",
  title: "Forget",
  description:
    "Mark a memory as superseded (soft delete). It stays for provenance but is no longer recalled. Use it when " +
    "information is outdated or wrong; name the memory that replaces it if there is one.",
  scope: "write",
  capability: "CanWriteMemory",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  ownerInput: OwnerIds,
  input: ForgetInput,
  output: ForgetAnswer,
  responses: { 200: "Forgotten" },
  storesKey: "tenant",
  servesBound: true,
  run: forget,
});
