// Records of the audit log: which key did what to what, and with what outcome. Never content.

import { FAILURE_CODES } from "../../platform/errors";
import { Id, PageQuery, Time, z } from "../common";
import { addExample } from "../examples";

/** `unknown`: the service stopped during the call, which may have taken effect. */
export const AUDIT_OUTCOMES = ["ok", "refused", "failed", "unknown"] as const;
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
