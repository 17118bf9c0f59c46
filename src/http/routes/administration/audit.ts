// The audit log, as a tenant's administrator reads it.
import { readAuditLog } from "../../../operations/administration/read-audit-log";
import { AuditQuery, AuditRecord } from "../../../schemas/administration/audit-record";
import { pageSchema, z } from "../../../schemas/common";
import type { App } from "../../app-context";
import { groupRoutes } from "../../endpoint";
import { decodeCursor, toPage } from "../../pagination";

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
    responses: {
      200: {
        description: "Records, newest first",
        schema: pageSchema(AuditRecord),
        example: { data: [RECORD], next_cursor: null },
      },
    },
    handle: async ({ c, caller, query: { limit, cursor, ...filter } }) => {
      const after = decodeCursor(Position, cursor);
      const records = await readAuditLog(c.env, caller, filter, { limit: limit + 1, after });
      const { data, next_cursor } = toPage(records, limit, ({ at, id }) => ({ at, id }));
      return { data: data.map(({ id: _, ...record }) => record), next_cursor };
    },
  });
}

const RECORD = {
  at: "2026-11-17T09:30:00.000Z",
  action: "memory.erase",
  key_id: "key_f57b2c6f9a1c7c2d275d12ac",
  target: "memories/b924eb2b8ea1f386820e4e58919566bf",
  outcome: "ok",
  code: null,
  request_id: "6f0c6c1e-7b1e-4b52-9a55-0d5f6a0f3a11",
  count: 1,
};
