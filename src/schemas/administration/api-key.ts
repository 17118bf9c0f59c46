// API keys of tenants, as administrators create and list them.

import { KEYS } from "../../limits";
import { boundedText, Id, Time, UserId, z } from "../common";
import { addExample } from "../examples";

export const KEY_SCOPES = ["read", "write", "admin"] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];

const Scopes = z.array(z.enum(KEY_SCOPES)).min(1);

const KeyBinding = z
  .object({ user_id: UserId.optional(), agent_id: Id.optional(), project_id: Id.optional() })
  .strict()
  .refine(
    (ids) => Object.values(ids).some((id) => id !== undefined),
    "must name a user_id, agent_id or project_id",
  )
  .meta({ description: "The key sees and writes only what belongs to all of these" });

export const KeyCreate = z
  .object({
    tenant: Id,
    name: boundedText(1, 128).optional(),
    scopes: Scopes.default(["read", "write"]),
    expires_at: Time.optional(),
    bind: KeyBinding.optional(),
  })
  .strict()
  .openapi("KeyCreate");
export type KeyCreate = z.infer<typeof KeyCreate>;
addExample(KeyCreate, {
  tenant: "acme",
  name: "ada in production",
  scopes: ["read", "write"],
  expires_at: "2099-12-31T23:59:59.000Z",
});

export const ApiKey = z
  .object({
    id: z.string(),
    kind: z.enum(["key", "connection"]).meta({
      description: "`connection` is the access of an OAuth client. It has no secret, and cannot be rotated",
    }),
    tenant: z.string(),
    name: z.string().nullable(),
    scopes: Scopes,
    created_at: z.string(),
    expires_at: z.string().nullable(),
    bind: KeyBinding.nullable(),
    created_by: z
      .string()
      .nullable()
      .meta({ description: "The id of the key that made it; `admin` for the admin key" }),
    last_used_at: z
      .string()
      .nullable()
      .meta({ description: "About when it was last used, to five minutes; null if it never was" }),
  })
  .openapi("Key");
export type ApiKey = z.infer<typeof ApiKey>;
const API_KEY_EXAMPLE = addExample(ApiKey, {
  id: "key_f57b2c6f9a1c7c2d275d12ac",
  kind: "key",
  tenant: "acme",
  name: "ada in production",
  scopes: ["read", "write"],
  created_at: "2026-11-16T09:00:00.000Z",
  expires_at: "2099-12-31T23:59:59.000Z",
  bind: null,
  created_by: "admin",
  last_used_at: "2026-11-17T08:15:00.000Z",
});

export const CreatedKey = ApiKey.extend({
  key: z.string().openapi({ description: "Shown this once" }),
}).openapi("KeyCreated");
export type CreatedKey = z.infer<typeof CreatedKey>;
addExample(CreatedKey, {
  ...API_KEY_EXAMPLE,
  key: "kioku_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
});

export const KeyRotate = z
  .object({
    overlap_seconds: z.int().min(0).max(KEYS.overlapSeconds).default(0).meta({
      description: "How long the old key still works. Without it, the old key stops as a deleted one does",
    }),
    expires_at: Time.optional().meta({ description: "Without it, the new key ends when the old one did" }),
  })
  .strict()
  .openapi("KeyRotate");
export type KeyRotate = z.infer<typeof KeyRotate>;
addExample(KeyRotate, { overlap_seconds: 3_600 });

export const OwnKey = z
  .object({
    id: z.string().meta({ description: "`admin` for the admin key" }),
    tenant: z.string().nullable().meta({ description: "Null for the admin key, which belongs to none" }),
    scopes: z.array(z.enum(KEY_SCOPES)),
    bind: KeyBinding.nullable(),
  })
  .openapi("OwnKey");
addExample(OwnKey, {
  id: API_KEY_EXAMPLE.id,
  tenant: API_KEY_EXAMPLE.tenant,
  scopes: API_KEY_EXAMPLE.scopes,
  bind: null,
});
