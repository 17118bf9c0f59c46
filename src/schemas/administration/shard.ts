// The databases of a service, and moves of tenants between them, on the wire.

import { z } from "../common";
import { addExample } from "../examples";

export const ShardMove = z
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
