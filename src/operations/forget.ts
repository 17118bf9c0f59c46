// forget: removes a memory from recall, with a reason and an optional replacement. It stays readable by id.
import type { Owner } from "../domain/access";
import { type Result, unwrap } from "../platform/errors";
import type { Idempotency } from "../platform/idempotency";
import { ForgetAnswer, ForgetInput, ScopeIds } from "../schemas/memory";
import type { ForgetRequest, ForgetScope, Forgotten } from "../store/memories/forget-memories";
import { resolveOwner } from "./resolve-owner";
import type { Services } from "./services";
import { defineTool, type OperationReply, type OwnerIds } from "./tools/tool";

export async function forget(
  services: Services,
  owner: OwnerIds,
  input: ForgetInput,
  idempotency: Idempotency,
): Promise<OperationReply<ForgetAnswer>> {
  const started = services.now();
  // The answer repeats the reason.
  const { memory_id, reason, replacement_id } = services.gate.clean(input);
  const { session_id } = owner;
  const limits = {
    isLimit: owner.limit !== undefined,
    ...(owner.limit === undefined ? {} : { actor: "agent" as const }),
    binding: services.binding,
  };
  const request = { memory_id, reason: reason ?? null, replacement_id: replacement_id ?? null };
  const { already, memory_type } =
    (idempotency === null ? await forgetOwn(services, owner, request, limits) : null) ??
    unwrap(
      explainReach(
        await services.store.memories.forget(
          request,
          { ...limits, anyOf: await findForgettable(services, owner) },
          idempotency,
        ),
        owner,
      ),
    );
  services.later(services.indexing.wake());
  services.telemetry({
    event: "forget",
    status: "ok",
    tenant: services.tenant,
    session_id,
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
  { session_id, limit, ...named }: OwnerIds,
  request: ForgetRequest,
  limits: Omit<ForgetScope, "anyOf">,
): Promise<Forgotten | null> {
  const known = { session_id, ...named };
  const anyOf =
    limit === "tenant" || (limit === undefined && session_id === null)
      ? null
      : limit === undefined
        ? known
        : { session_id, [`${limit}_id`]: known[`${limit}_id`] };
  return store.memories.tryForget(request, { ...limits, anyOf });
}

/** Tells a model why it may not find a memory that exists. */
function explainReach<T>(result: Result<T>, { limit }: OwnerIds): Result<T> {
  if (result.ok || result.failure.code !== "not_found" || limit === undefined) return result;
  const { failure } = result;
  return {
    ok: false,
    failure: { ...failure, detail: `${failure.detail} The reach of this call is "${limit}".` },
  };
}

/** A session forgets what it can see, a model's call what is within its reach, and any other call what its key sees. */
async function findForgettable(services: Services, owner: OwnerIds): Promise<Partial<Owner> | null> {
  const { session_id, limit } = owner;
  if (limit === "tenant" || (limit === undefined && session_id === null)) return null;
  if (limit === undefined) return { session_id, ...(await resolveOwner(services, owner)) };
  return { session_id, [`${limit}_id`]: owner[`${limit}_id`] };
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
  ownerInput: ScopeIds,
  input: ForgetInput,
  output: ForgetAnswer,
  responses: { 200: "Forgotten" },
  storesKey: "tenant",
  servesBound: true,
  run: forget,
});
