// API keys: created, listed and deleted by an administrator, and read by their holder. The audit log of their calls, and
// what their tenant stores.

import type { App } from "../../http/app-context";
import { groupRoutes } from "../../http/endpoint";
import { CreationPosition, decodeCursor, toPage } from "../../http/pagination";
import { countStreams } from "../../http/rate-limit";
import { isBound } from "../../kernel/access";
import { Id, PageQuery, pageSchema, z } from "../../kernel/common";
import type { Bindings } from "../../kernel/env";
import { readField } from "../../kernel/json";
import { COGNITION } from "../../kernel/limits";
import { readAuditLog } from "../audit-log";
import { QUOTA_KINDS } from "../quotas";
import {
  ApiKey,
  AuditQuery,
  AuditRecord,
  CreatedKey,
  KeyCreate,
  KeyRotate,
  OwnKey,
  Usage,
} from "./administration-schemas";
import { createKey, deleteKey, findTenantOfKey, listKeys, rotateKey } from "./manage-keys";

export function keyRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: "Keys" });

  routes.post("/v1/keys", "createKey", {
    summary: "Create a key for a tenant",
    description:
      "A tenant's administrator makes keys of that tenant with the scopes and the end of its own key at most. " +
      "Without `expires_at`, the key ends with the key that made it.",
    scope: "admin",
    audit: { action: "key.create" },
    body: KeyCreate,
    responses: { 201: { description: "The key. Its secret is not shown again", schema: CreatedKey } },
    handle: async ({ c, caller, body, idempotency, nameTarget }) => {
      const created = await createKey(c.env, caller, body, idempotency);
      nameTarget(`keys/${created.id}`);
      return created;
    },
  });

  routes.post("/v1/keys/{id}/rotate", "rotateKey", {
    summary: "Replace a key by a new one",
    description:
      "The new key has the tenant, name, scopes, binding and end of the old one. The old one works until the overlap " +
      "ends.",
    scope: "admin",
    audit: { action: "key.rotate", tenant: findAuditedTenant },
    body: KeyRotate,
    responses: { 201: { description: "The new key. Its secret is not shown again", schema: CreatedKey } },
    handle: ({ c, caller, params: { id }, body, idempotency }) =>
      rotateKey(c.env, caller, { id, ...body }, idempotency),
  });

  routes.get("/v1/keys", "listKeys", {
    summary: "List keys",
    scope: "admin",
    query: PageQuery.extend({ tenant: Id.optional() }),
    responses: {
      200: { description: "Keys, oldest first, without their secrets", schema: pageSchema(ApiKey) },
    },
    handle: async ({ c, caller, query: { tenant, limit, cursor } }) => {
      const after = decodeCursor(CreationPosition, cursor);
      const keys = await listKeys(c.env, caller, tenant, { limit: limit + 1, after });
      return toPage(keys, limit, ({ created_at, id }) => ({ created_at, id }));
    },
  });

  routes.delete("/v1/keys/{id}", "deleteKey", {
    summary: "Delete a key",
    description:
      "Calls that read or write the database refuse it at once. Calls that a session answers alone refuse it within 10 seconds.",
    scope: "admin",
    audit: { action: "key.delete", tenant: findAuditedTenant },
    handle: ({ c, caller, params: { id } }) => deleteKey(c.env, caller, id),
  });

  routes.get("/v1/keys/self", "getOwnKey", {
    summary: "Read the tenant and the scopes of the key of this request",
    scope: "any",
    bound: "open",
    responses: { 200: { description: "The key, without its secret", schema: OwnKey } },
    handle: ({ caller: { keyId, tenant, scopes, binding } }) => ({
      id: keyId,
      tenant,
      scopes: [...scopes],
      bind: isBound(binding) ? binding : null,
    }),
  });
}

/** The deletion of a key by the admin key is recorded for the tenant of the key. */
function findAuditedTenant(env: Bindings, { params }: { params: unknown }): Promise<string | null> {
  return findTenantOfKey(env, String(readField(params, "id")));
}

const Position = z.object({ at: z.string(), id: z.number() });

export function auditRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: "Administration" });

  routes.get("/v1/audit", "listAudit", {
    summary: "Read the audit log: who did what, newest first",
    description:
      "Keys, erasures, policy changes, administration, bulk reads and refused calls. Never content. An `action` such as " +
      "`key` includes `key.create`, `key.rotate` and `key.delete`.",
    scope: "admin",
    stage: "store",
    query: AuditQuery,
    responses: { 200: { description: "Records, newest first", schema: pageSchema(AuditRecord) } },
    handle: async ({ c, caller, query: { limit, cursor, ...filter } }) => {
      const after = decodeCursor(Position, cursor);
      const records = await readAuditLog(c.env, caller, filter, { limit: limit + 1, after });
      const { data, next_cursor } = toPage(records, limit, ({ at, id }) => ({ at, id }));
      return { data: data.map(({ id: _, ...record }) => record), next_cursor };
    },
  });
}

export function usageRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: "Usage" });

  routes.get("/v1/usage", "getUsage", {
    summary: "Read what the tenant stores, and its quotas",
    description: "The counts are those of the moment at which the call was authenticated.",
    looksUpKey: true,
    responses: { 200: { description: "The usage", schema: Usage, example: USAGE_EXAMPLE } },
    handle: async ({ services: { tenant, usage, quotas } }) => {
      const limits = Object.fromEntries(QUOTA_KINDS.map((kind) => [kind, quotas[kind] || null]));
      return {
        ...usage,
        streams: countStreams(tenant),
        limits: { ...limits, streams: COGNITION.streamsPerTenant },
      };
    },
  });
}

const USAGE_EXAMPLE = {
  memories: 1_204,
  messages: 5_310,
  sessions: 87,
  episodes: 12,
  bytes: 1_904_220,
  streams: 2,
  limits: {
    memories: 1_000_000,
    messages: 2_000_000,
    sessions: 200_000,
    episodes: 200_000,
    bytes: 1_000_000_000,
    streams: COGNITION.streamsPerTenant,
  },
};
