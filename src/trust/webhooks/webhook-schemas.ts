// Webhooks: where the events of a tenant are sent, and the deliveries of each.

import { addExample, z } from "../../kernel/common";
import { WEBHOOKS } from "../../kernel/limits";
import { DELIVERY_STATUSES, WEBHOOK_EVENTS } from "../../kernel/tables";

export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

const Events = z
  .array(z.enum(WEBHOOK_EVENTS, { error: `must be of: ${WEBHOOK_EVENTS.join(", ")}` }))
  .min(1)
  .max(WEBHOOK_EVENTS.length);

const SECRET_MESSAGE = "must be 16 to 256 visible ASCII characters: leave it out to have one made";

export const WebhookCreate = z
  .object({
    url: z.string().max(WEBHOOKS.urlChars).meta({
      description: "An https URL with a public host. Redirects are not followed",
    }),
    events: Events,
    secret: z
      .string()
      .regex(/^[\x21-\x7e]{16,256}$/, SECRET_MESSAGE)
      .optional()
      .meta({
        description: "Signs deliveries. Without it, one is made",
      }),
  })
  .strict()
  .openapi("WebhookCreate");
export type WebhookCreate = z.infer<typeof WebhookCreate>;
addExample(WebhookCreate, { url: "https://example.com/kioku", events: ["memory.created"] });

export const Webhook = z
  .object({
    id: z.string(),
    url: z.string(),
    events: z.array(z.enum(WEBHOOK_EVENTS)),
    created_at: z.string(),
    failing_since: z.string().nullable().meta({
      description: "Since when every attempt has failed; null if the last one succeeded",
    }),
    disabled_at: z.string().nullable().meta({
      description: "When it was disabled, after it had failed for days. A successful retry enables it",
    }),
  })
  .openapi("Webhook");
export type Webhook = z.infer<typeof Webhook>;
const WEBHOOK_EXAMPLE = addExample(Webhook, {
  id: "wh_0123456789abcdef01234567",
  url: "https://example.com/kioku",
  events: ["memory.created"],
  created_at: "2026-11-17T09:30:00.000Z",
  failing_since: null,
  disabled_at: null,
});

export const CreatedWebhook = Webhook.extend({
  secret: z.string().meta({ description: "Shown this once" }),
}).openapi("WebhookCreated");
export type CreatedWebhook = z.infer<typeof CreatedWebhook>;
addExample(CreatedWebhook, {
  ...WEBHOOK_EXAMPLE,
  secret: "whsec_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
});

export const DeliveryStatus = z.enum(DELIVERY_STATUSES, {
  error: `must be one of: ${DELIVERY_STATUSES.join(", ")}`,
});

export const WebhookDelivery = z
  .object({
    id: z.string().meta({ description: "The id of the event" }),
    type: z.enum(WEBHOOK_EVENTS),
    subject: z.string(),
    time: z.string(),
    status: DeliveryStatus.meta({ description: "`dead` after the last attempt: it can be retried" }),
    attempts: z.number(),
    attempted_at: z.string().nullable(),
    next_attempt_at: z.string().nullable(),
    response_status: z.number().nullable().meta({
      description: "Of the last attempt; null without a response",
    }),
    error: z.string().nullable().meta({ description: "Why the last attempt failed" }),
  })
  .openapi("WebhookDelivery");
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;
addExample(WebhookDelivery, {
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
});
