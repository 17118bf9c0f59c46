// Webhooks: where the events of a tenant are sent, and what became of each delivery.

import type { App } from "../../http/app-context";
import { groupRoutes } from "../../http/endpoint";
import { decodeCursor, toPage } from "../../http/pagination";
import { PageQuery, pageSchema, z } from "../../kernel/common";
import { createWebhook, deleteWebhook, getWebhook, listDeliveries, retryDelivery } from "./manage-webhooks";
import { CreatedWebhook, DeliveryStatus, Webhook, WebhookCreate, WebhookDelivery } from "./webhook-schemas";

const Position = z.object({ seq: z.number() });

export function webhookRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: "Webhooks", stage: "store" });

  routes.post("/v1/webhooks", "createWebhook", {
    returnsSecret: true,
    summary: "Create a webhook",
    description:
      "Events are sent as CloudEvents in JSON, with ids and no content. The header `Kioku-Signature: t=<unix seconds>," +
      "v1=<hex>` signs `<t>.<body>` with HMAC-SHA256 and the secret.",
    quota: { exempt: "A tenant has few webhooks, by a limit of their own." },
    audit: { action: "webhook.create" },
    body: WebhookCreate,
    responses: { 201: { description: "The webhook. Its secret is not shown again", schema: CreatedWebhook } },
    handle: async ({ c, services, body, idempotency, nameTarget }) => {
      const created = await createWebhook(c.env, services, body, idempotency);
      nameTarget(`webhooks/${created.id}`);
      return created;
    },
  });

  routes.get("/v1/webhooks", "listWebhooks", {
    summary: "List webhooks, oldest first",
    audit: { export: "export.webhooks" },
    responses: { 200: { description: "All webhooks, without their secrets", schema: pageSchema(Webhook) } },
    handle: async ({ services }) => ({ data: await services.store.webhooks.list(), next_cursor: null }),
  });

  routes.get("/v1/webhooks/{id}", "getWebhook", {
    summary: "Read a webhook",
    responses: { 200: { description: "The webhook, without its secret", schema: Webhook } },
    handle: ({ services, params: { id } }) => getWebhook(services, id),
  });

  routes.delete("/v1/webhooks/{id}", "deleteWebhook", {
    summary: "Delete a webhook and its deliveries",
    audit: { action: "webhook.delete" },
    handle: ({ services, params: { id } }) => deleteWebhook(services, id),
  });

  routes.get("/v1/webhooks/{id}/deliveries", "listWebhookDeliveries", {
    summary: "List the deliveries of a webhook, newest first",
    description:
      "`status=dead` lists those that failed for good. Settled deliveries are listed for seven days.",
    audit: { export: "export.deliveries" },
    query: PageQuery.extend({ status: DeliveryStatus.optional() }),
    responses: { 200: { description: "Deliveries", schema: pageSchema(WebhookDelivery) } },
    handle: async ({ services, params: { id }, query: { status, limit, cursor } }) => {
      const after = decodeCursor(Position, cursor)?.seq ?? null;
      const found = await listDeliveries(services, id, { status, limit: limit + 1, after });
      const { data, next_cursor } = toPage(found, limit, ({ seq }) => ({ seq }));
      return { data: data.map(({ seq: _, ...delivery }) => delivery), next_cursor };
    },
  });

  routes.post("/v1/webhooks/{id}/deliveries/{delivery_id}/retry", "retryWebhookDelivery", {
    summary: "Send a dead delivery again",
    quota: { exempt: "It changes a status." },
    audit: { action: "webhook.retry" },
    responses: { 202: { description: "The delivery, pending again", schema: WebhookDelivery } },
    handle: ({ services, params }) => retryDelivery(services, params),
  });
}
