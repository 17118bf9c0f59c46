// The handle on the object that delivers a tenant's webhooks.
import type { Bindings } from "../../kernel/env";

/** The RPC interface of a tenant's deliverer. */
export type DelivererRpc = {
  /** Schedules a run. */
  wake(tenant: string): Promise<void>;
};

export function getDeliverer(env: Bindings, tenant: string): DelivererRpc {
  // The binding is untyped; WebhookObject implements DelivererRpc.
  return env.WEBHOOKS.getByName(tenant) as unknown as DelivererRpc;
}
