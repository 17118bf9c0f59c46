// Creates and deletes webhooks, and retries their dead deliveries.

import { type Bindings, readSettings } from "../../kernel/env";
import { type FailureError, failure, fieldFailure, unwrap } from "../../kernel/errors";
import { hmacHex, randomHex } from "../../kernel/hash";
import type { Idempotency } from "../../kernel/idempotency";
import type { Services } from "../../services/services";
import { checkWebhookAddress } from "./check-address";
import type { DeliveryPage } from "./webhook-repository";
import type { CreatedWebhook, Webhook, WebhookCreate, WebhookDelivery } from "./webhook-schemas";

/** Creates a webhook. This response is the only one that contains its secret. */
export async function createWebhook(
  env: Bindings,
  { tenant, store, now }: Services,
  { url, events, secret }: WebhookCreate,
  idempotency: Idempotency,
): Promise<CreatedWebhook> {
  const problem = checkWebhookAddress(url, readSettings(env).webhookAllowPrivate);
  if (problem !== null) throw fieldFailure("url", problem);
  // With an idempotency key both are derived from it, so that a repeated call returns them without a stored response.
  const derive = async (name: string) =>
    idempotency === null
      ? randomHex(32)
      : hmacHex(env.ADMIN_KEY ?? "", JSON.stringify([name, tenant, idempotency.op, idempotency.fingerprint]));
  const webhook: Webhook = {
    id: `wh_${(await derive("webhook")).slice(0, 24)}`,
    url,
    events: [...new Set(events)],
    created_at: new Date(now()).toISOString(),
    failing_since: null,
    disabled_at: null,
  };
  const used = secret ?? `whsec_${await derive("webhook secret")}`;
  return { ...unwrap(await store.webhooks.create(webhook, used, idempotency)), secret: used };
}

export async function getWebhook({ store }: Services, id: string): Promise<Webhook> {
  const webhook = await store.webhooks.find(id);
  if (webhook === null) throw webhookNotFound(id);
  return webhook;
}

/** Deletes a webhook. Nothing is sent to it from then on, but for an attempt that is under way. */
export async function deleteWebhook({ store }: Services, id: string): Promise<void> {
  if (!(await store.webhooks.delete(id))) throw webhookNotFound(id);
}

export async function listDeliveries(
  services: Services,
  id: string,
  page: DeliveryPage,
): Promise<(WebhookDelivery & { seq: number })[]> {
  await getWebhook(services, id);
  return services.store.webhooks.listDeliveries(id, page);
}

export async function retryDelivery(
  { store }: Services,
  { id, delivery_id }: { id: string; delivery_id: string },
): Promise<WebhookDelivery> {
  const isRetried = await store.webhooks.retry(id, delivery_id);
  const delivery = await store.webhooks.findDelivery(id, delivery_id);
  if (delivery === null) throw failure("not_found", `Delivery not found: ${delivery_id} of webhook ${id}.`);
  if (!isRetried)
    throw failure(
      "conflict",
      `Delivery ${delivery_id} is ${delivery.status}: only a dead one can be retried.`,
    );
  return delivery;
}

function webhookNotFound(id: string): FailureError {
  return failure("not_found", `Webhook not found: ${id}. GET /v1/webhooks lists them.`);
}
