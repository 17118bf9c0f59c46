// Keys, the audit log, databases, and what a tenant stores.

import { addExample, boundedText, Id, PageQuery, Time, UserId, z } from "../../kernel/common";
import { FAILURE_CODES } from "../../kernel/errors";
import { KEYS } from "../../kernel/limits";
import { AUDIT_OUTCOMES } from "../../kernel/tables";

const KEY_SCOPES = ["read", "write", "admin"] as const;
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

export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

export const AuditRecord = z
  .object({
    at: z.string(),
    action: z.string().meta({
      description: "What was called, such as `key.create`; of another refused call, its operation id",
    }),
    key_id: z.string().meta({ description: "The id of the key; `admin` for the admin key" }),
    target: z.string().nullable().meta({ description: "The path of what it was called on" }),
    outcome: z.enum(AUDIT_OUTCOMES).meta({
      description: "`unknown` if the service stopped during the call, which may have taken effect",
    }),
    code: z.enum(FAILURE_CODES).nullable().meta({
      description: "The error code of a refused or failed call",
    }),
    request_id: z.string().meta({ description: "The X-Request-Id of the call, or of the first of several" }),
    count: z.number().meta({
      description: "Refused calls and bulk reads are counted by key, action and minute: at least this many",
    }),
  })
  .openapi("AuditRecord");
export type AuditRecord = z.infer<typeof AuditRecord>;
addExample(AuditRecord, {
  at: "2026-11-17T09:30:00.000Z",
  action: "memory.erase",
  key_id: "key_f57b2c6f9a1c7c2d275d12ac",
  target: "memories/b924eb2b8ea1f386820e4e58919566bf",
  outcome: "ok",
  code: null,
  request_id: "6f0c6c1e-7b1e-4b52-9a55-0d5f6a0f3a11",
  count: 1,
});

export const AuditQuery = PageQuery.extend({
  since: Time.optional(),
  until: Time.optional(),
  action: z
    .string()
    .regex(/^[A-Za-z0-9_.]{1,64}$/, "must be an action such as key.create, or its first part, such as key")
    .optional(),
  tenant: Id.optional().meta({
    description: "For the admin key: whose records. Without it, those of calls that concern all tenants",
  }),
});
export type AuditQuery = z.infer<typeof AuditQuery>;

const ShardMove = z
  .object({
    tenant: z.string(),
    source: z.string(),
    target: z.string(),
    step: z.enum(["prepare", "copy", "index", "catch_up", "switch", "delete"]),
    copied: z.number().meta({ description: "Rows copied so far" }),
    started_at: z.string(),
  })
  .openapi("ShardMove");

export const ShardReport = z
  .object({
    shards: z.array(
      z.object({
        name: z.string().meta({ description: "The name of the binding" }),
        bytes: z.number().meta({ description: "The size of the database" }),
        capacity: z.number().meta({ description: "The most that a database holds, in bytes" }),
        tenants: z.number(),
        largest: z
          .array(z.object({ tenant: z.string(), text_bytes: z.number() }))
          .meta({ description: "The tenants with the most text, largest first" }),
      }),
    ),
    moves: z.array(ShardMove).meta({ description: "Moves that are not finished" }),
    suggestions: z
      .array(z.object({ tenant: z.string(), from: z.string(), to: z.string(), bytes: z.number() }))
      .meta({ description: "Moves that would relieve a database that is filling up" }),
  })
  .openapi("ShardReport");
addExample(ShardReport, {
  shards: [
    {
      name: "DB",
      bytes: 7_900_000_000,
      capacity: 10_000_000_000,
      tenants: 212,
      largest: [{ tenant: "acme", text_bytes: 310_000_000 }],
    },
    { name: "DB_1", bytes: 1_200_000, capacity: 10_000_000_000, tenants: 0, largest: [] },
  ],
  moves: [],
  suggestions: [{ tenant: "acme", from: "DB", to: "DB_1", bytes: 1_610_000_000 }],
});

export const TenantMoveRequest = z
  .object({
    shard: z.string().meta({ description: "The database to move to, by its binding: DB, DB_1 and so on" }),
  })
  .strict();
addExample(TenantMoveRequest, { shard: "DB_1" });

export const TenantMoveProgress = z
  .object({
    finished: z.boolean(),
    move: ShardMove.nullable().meta({ description: "How far it is; null once it is finished" }),
  })
  .openapi("TenantMoveProgress");
addExample(TenantMoveProgress, {
  finished: false,
  move: {
    tenant: "acme",
    source: "DB",
    target: "DB_1",
    step: "copy",
    copied: 48_200,
    started_at: "2026-11-17T09:30:00.000Z",
  },
});

const Quota = z.number().nullable().openapi({ description: "null: no limit" });

export const Usage = z
  .object({
    memories: z.number().openapi({ description: "Stored memories, superseded and forgotten ones included" }),
    messages: z.number().openapi({ description: "Messages that recall searches" }),
    sessions: z.number(),
    episodes: z.number(),
    bytes: z.number().openapi({
      description:
        "UTF-8 bytes of the texts of memories, messages, episodes and items, without indexes, and of what sessions store",
    }),
    streams: z.number().openapi({ description: "Open streams of signals, as far as this isolate knows" }),
    limits: z
      .object({
        memories: Quota,
        messages: Quota,
        sessions: Quota,
        episodes: Quota,
        bytes: Quota,
        streams: Quota,
      })
      .openapi({ description: "The quotas: a write beyond one is refused with `limit_exceeded`" }),
  })
  .openapi("Usage");
export type Usage = z.infer<typeof Usage>;
