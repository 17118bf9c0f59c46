// Creates and deletes webhooks, and retries their dead deliveries.
import { type Bindings, readSettings } from "../../kernel/env";
import { type FailureError, failure, fieldFailure, unwrap } from "../../kernel/errors";
import { hmacHex, randomHex } from "../../kernel/hash";
import type { Idempotency } from "../../kernel/idempotency";
import type { Services } from "../../services/services";
import type { DeliveryPage } from "./webhook-repository";
import type { CreatedWebhook, Webhook, WebhookCreate, WebhookDelivery } from "./webhook-schemas";

// Checks the address of a webhook: https, and a public host. The URL parser has already turned decimal, hexadecimal and
// octal spellings of an IPv4 address into dotted ones. What a name resolves to is not visible to a Worker.

/** Names that only resolve inside a network, or on the machine itself. */
const PRIVATE_NAMES = [
  "localhost",
  "local",
  "internal",
  "intranet",
  "lan",
  "home",
  "corp",
  "private",
  "arpa",
];

/** Blocks of IPv4 addresses that are not public (IANA special-purpose registry), as [address, prefix length]. */
const RESERVED_IPV4: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
];

/** Returns what is wrong with the address of a webhook and how to fix it; null if nothing is. */
export function checkWebhookAddress(text: string, allowsPrivate: boolean): string | null {
  const url = URL.parse(text);
  if (url === null) return "must be a URL, such as https://example.com/hook";
  if (url.username !== "" || url.password !== "")
    return "must not contain a user name or a password: verify the signature instead";
  if (url.protocol !== "https:" && !(allowsPrivate && url.protocol === "http:"))
    return "must begin with https://";
  if (allowsPrivate) return null;
  if (url.port !== "") return "must have no port: deliveries go to port 443";
  return isPublicHost(url.hostname)
    ? null
    : "must be a public address: deliveries do not go to private or local networks";
}

function isPublicHost(hostname: string): boolean {
  if (hostname.startsWith("[")) return isPublicIpv6(hostname.slice(1, -1));
  const name = hostname.replace(/\.+$/, "").toLowerCase();
  const ipv4 = parseIpv4(name);
  if (ipv4 !== null) return isPublicIpv4(ipv4);
  const labels = name.split(".");
  return labels.length > 1 && !PRIVATE_NAMES.includes(labels.at(-1) ?? "");
}

/** Returns a dotted address as a number; null if it is a name. */
function parseIpv4(text: string): number | null {
  if (!/^\d+(\.\d+){3}$/.test(text)) return null;
  return text.split(".").reduce((address, part) => address * 256 + Number(part), 0);
}

function isPublicIpv4(address: number): boolean {
  return RESERVED_IPV4.every(([block, length]) => {
    const size = 2 ** (32 - length);
    return Math.floor(address / size) !== Math.floor((parseIpv4(block) ?? 0) / size);
  });
}

/**
 * Global unicast is 2000::/3. Within it, 2001::/23 (Teredo and others), 2001:db8::/32 (documentation) and 2002::/16 (6to4,
 * which embeds an IPv4 address) are not accepted; mapped and translated addresses lie outside it.
 */
function isPublicIpv6(address: string): boolean {
  // The URL parser has compressed the address: the first two groups are spelled out before any "::" of interest.
  const [first = 0, second = 0] = address.split(":").map((group) => Number.parseInt(group || "0", 16));
  if (first < 0x2000 || first > 0x3fff || first === 0x2002) return false;
  return first !== 0x2001 || (second >= 0x0200 && second !== 0x0db8);
}

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
