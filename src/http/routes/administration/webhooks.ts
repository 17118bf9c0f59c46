// Webhooks: where the events of a tenant are sent, and what became of each delivery.
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listDeliveries,
  retryDelivery,
} from "../../../operations/webhooks/manage-webhooks";
import {
  CreatedWebhook,
  DeliveryParams,
  DeliveryStatus,
  Webhook,
  WebhookCreate,
  WebhookDelivery,
  WebhookParams,
} from "../../../schemas/administration/webhook";
import { PageQuery, pageSchema, z } from "../../../schemas/common";
import type { App } from "../../app-context";
import { endpoint } from "../../endpoint";
import { decodeCursor, toPage } from "../../pagination";

const TAG = "Webhooks";
const Position = z.object({ seq: z.number() });

export function webhookRoutes(app: App): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/v1/webhooks",
      operationId: "createWebhook",
      returnsSecret: true,
      summary: "Create a webhook",
      description:
        "Events are sent as CloudEvents in JSON, with ids and no content. The header `Kioku-Signature: t=<unix seconds>," +
        "v1=<hex>` signs `<t>.<body>` with HMAC-SHA256 and the secret.",
      tag: TAG,
      scope: "write",
      quota: { exempt: "A tenant has few webhooks, by a limit of their own." },
      audit: { action: "webhook.create" },
      stage: "store",
      body: WebhookCreate,
      example: { body: { url: "https://example.com/kioku", events: ["memory.created"] } },
      responses: {
        201: {
          description: "The webhook. Its secret is not shown again",
          schema: CreatedWebhook,
          example: {
            ...WEBHOOK,
            secret: "whsec_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
          },
        },
      },
    },
    async ({ c, services, body, idempotency, nameTarget }) => {
      const created = await createWebhook(c.env, services, body, idempotency);
      nameTarget(`webhooks/${created.id}`);
      return c.json(created, 201);
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/webhooks",
      operationId: "listWebhooks",
      summary: "List webhooks, oldest first",
      tag: TAG,
      scope: "read",
      audit: { export: "export.webhooks" },
      stage: "store",
      responses: {
        200: {
          description: "All webhooks, without their secrets",
          schema: pageSchema(Webhook),
          example: { data: [WEBHOOK], next_cursor: null },
        },
      },
    },
    async ({ c, services }) => c.json({ data: await services.store.webhooks.list(), next_cursor: null }),
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/webhooks/{id}",
      operationId: "getWebhook",
      summary: "Read a webhook",
      tag: TAG,
      scope: "read",
      stage: "store",
      params: WebhookParams,
      responses: {
        200: { description: "The webhook, without its secret", schema: Webhook, example: WEBHOOK },
      },
    },
    async ({ c, services, params: { id } }) => c.json(await getWebhook(services, id)),
  );

  endpoint(
    app,
    {
      method: "delete",
      path: "/v1/webhooks/{id}",
      operationId: "deleteWebhook",
      summary: "Delete a webhook and its deliveries",
      tag: TAG,
      scope: "write",
      audit: { action: "webhook.delete" },
      stage: "store",
      params: WebhookParams,
      responses: { 204: { description: "Deleted", schema: null } },
    },
    async ({ c, services, params: { id } }) => {
      await deleteWebhook(services, id);
      return c.body(null, 204);
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/webhooks/{id}/deliveries",
      operationId: "listWebhookDeliveries",
      summary: "List the deliveries of a webhook, newest first",
      description:
        "`status=dead` lists those that failed for good. Settled deliveries are listed for seven days.",
      tag: TAG,
      scope: "read",
      audit: { export: "export.deliveries" },
      stage: "store",
      params: WebhookParams,
      query: PageQuery.extend({ status: DeliveryStatus.optional() }),
      responses: {
        200: {
          description: "Deliveries",
          schema: pageSchema(WebhookDelivery),
          example: { data: [DELIVERY], next_cursor: null },
        },
      },
    },
    async ({ c, services, params: { id }, query: { status, limit, cursor } }) => {
      const after = decodeCursor(Position, cursor)?.seq ?? null;
      const found = await listDeliveries(services, id, { status, limit: limit + 1, after });
      const { data, next_cursor } = toPage(found, limit, ({ seq }) => ({ seq }));
      return c.json({ data: data.map(({ seq: _, ...delivery }) => delivery), next_cursor });
    },
  );

  endpoint(
    app,
    {
      method: "post",
      path: "/v1/webhooks/{id}/deliveries/{delivery_id}/retry",
      operationId: "retryWebhookDelivery",
      summary: "Send a dead delivery again",
      tag: TAG,
      scope: "write",
      quota: { exempt: "It changes a status." },
      audit: { action: "webhook.retry" },
      stage: "store",
      params: DeliveryParams,
      responses: {
        202: { description: "The delivery, pending again", schema: WebhookDelivery, example: DELIVERY },
      },
    },
    async ({ c, services, params }) => c.json(await retryDelivery(services, params), 202),
  );
}

const WEBHOOK = {
  id: "wh_0123456789abcdef01234567",
  url: "https://example.com/kioku",
  events: ["memory.created"],
  created_at: "2026-11-17T09:30:00.000Z",
  failing_since: null,
  disabled_at: null,
};

const DELIVERY = {
  id: "evt_0123456789abcdef01234567_1",
  type: "memory.created",
  subject: "memories/b924eb2b8ea1f386820e4e58919566bf",
  time: "2026-11-17T09:31:00.000Z",
  status: "pending",
  attempts: 0,
  attempted_at: null,
  next_attempt_at: null,
  response_status: null,
  error: null,
};
