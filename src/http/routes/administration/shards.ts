// The databases of the service, and moves of tenants between them, for the holder of ADMIN_KEY.
import { moveTenant, reportShards } from "../../../operations/administration/manage-shards";
import { failure } from "../../../platform/errors";
import { ShardReport, TenantMoveProgress, TenantMoveRequest } from "../../../schemas/administration/shard";
import { Id, z } from "../../../schemas/common";
import type { App, Caller } from "../../app-context";
import { groupRoutes } from "../../endpoint";

export function shardRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: "Administration", stage: "store" });

  routes.get("/v1/admin/shards", "getShards", {
    summary: "See how full the databases are, and which tenants to move",
    description: "For ADMIN_KEY alone. A service with one database has one shard, `DB`.",
    scope: "admin",
    responses: {
      200: {
        description: "The databases, the moves in progress and suggested moves",
        schema: ShardReport,
        example: {
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
        },
      },
    },
    handle: async ({ c, caller }) => {
      requireOperator(caller);
      return await reportShards(c.env);
    },
  });

  routes.post("/v1/tenants/{tenant}/move", "moveTenant", {
    summary: "Move a tenant to another database, while it is used",
    description:
      "For ADMIN_KEY alone. Repeat the call until `finished` is true: each one continues the move, and so does the cron " +
      "job. The tenant is read and written throughout; its writes wait for a moment at the end.",
    scope: "admin",
    audit: { action: "tenant.move" },
    params: z.object({ tenant: Id }),
    body: TenantMoveRequest,
    example: { body: { shard: "DB_1" } },
    responses: {
      200: {
        description: "How far the move is",
        schema: TenantMoveProgress,
        example: {
          finished: false,
          move: {
            tenant: "acme",
            source: "DB",
            target: "DB_1",
            step: "copy",
            copied: 48_200,
            started_at: "2026-11-17T09:30:00.000Z",
          },
        },
      },
    },
    handle: async ({ c, caller, params: { tenant }, body: { shard } }) => {
      requireOperator(caller);
      return await moveTenant(c.env, tenant, shard);
    },
  });
}

function requireOperator({ tenant }: Caller): void {
  if (tenant !== null)
    throw failure("forbidden", "Only ADMIN_KEY may manage databases: they have all tenants.");
}
