// forget: takes a memory out of recall, with its reason and what replaces it; it stays readable by id.
import { unwrap } from "../platform/errors";
import { ForgetAnswer, ForgetInput, ScopeIds } from "../schemas/memory";
import { resolve } from "./recall";
import { defineTool } from "./tools/tool";

export const forget = defineTool({
  name: "forget",
  title: "Forget",
  description:
    "Mark a memory as superseded (soft delete). It stays for provenance but is no longer recalled. Use it when " +
    "information is outdated or wrong; name the memory that replaces it if there is one.",
  scope: "write",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  belongs: ScopeIds,
  input: ForgetInput,
  output: ForgetAnswer,
  answers: { 200: "Forgotten" },
  async run(services, target, input, idempotency) {
    const started = services.now();
    const { memory_id, reason, replacement_id } = input;
    const { session_id, agent_id, project_id } = await resolve(services, target);
    const reach = session_id === null ? "tenant" : { session_id, agent_id, project_id };
    const request = { memory_id, reason: reason ?? null, replacement_id: replacement_id ?? null };
    const { already, memory_type } = unwrap(await services.store.forget(request, reach, idempotency));
    services.later(services.store.wakeIndexer());
    services.telemetry({
      event: "forget",
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
  },
});
