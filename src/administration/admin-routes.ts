// Administration: rebuilding the read model and the vectors a page at a time, checks of a running service, its databases,
// and the moves and the erasure of tenants.

import { wrapTime } from "hono/timing";
import type { App, Caller } from "../http/app-context";
import { authenticate, authorise } from "../http/authenticate";
import { documentRoute } from "../http/document-route";
import { groupRoutes, openServices } from "../http/endpoint";
import { decodeCursor, encodeCursor } from "../http/pagination";
import { EmptyBody, Id, z } from "../kernel/common";
import { failure } from "../kernel/errors";
import { VERSION } from "../kernel/version";
import { compact } from "../owners/compact";
import { TenantReceipt } from "../owners/entities/entity-schemas";
import { eraseOwner, selectCounts } from "../owners/erase-owner";
import { moveTenant, reportShards } from "../owners/shards/manage-shards";
import { ShardReport, TenantMoveProgress, TenantMoveRequest } from "../trust/keys/administration-schemas";
import { diagnose, HealthCheck } from "./diagnose";
import { readIndexState, rebuildReadModel, reembed } from "./manage-index";

const TAG = "Administration";

const Index = z.enum(["embedded", "vectorize"]);

const IndexState = z
  .object({
    index: Index.nullable(),
    embedder: z.string().nullable(),
    dimensions: z.number().nullable(),
    made_with: z.object({ embedder: z.string(), dimensions: z.number(), index: Index }).nullable().meta({
      description: "The model that created the stored vectors; null if there are none",
    }),
    matches: z.boolean().meta({
      description: "False if the configured model differs: recall is lexical until everything is re-embedded",
    }),
    reembedding: z.boolean(),
    waiting: z.number().meta({
      description: "Number of memories, messages and items that are not indexed yet",
    }),
    reranker: z.string().nullable().meta({ description: "The reranker of recall; null if there is none" }),
  })
  .openapi("IndexState");

const Cursor = z.union([
  z.object({ tenant: z.string(), subject: z.string() }),
  z.object({ tenant: z.string(), session_id: z.string(), position: z.number() }),
]);

export function adminRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: TAG, stage: "store" });

  routes.post("/v1/admin/rebuild", "rebuild", {
    summary: "Rebuild the read model from the triples, one page per call",
    description:
      "Memories and episodes come first, then the text index of the messages. Repeat with `next_cursor` until it is " +
      "null. The service stays available.",
    scope: "admin",
    audit: { action: "admin.rebuild" },
    body: z.object({ tenant: Id.optional(), cursor: z.string().nullish() }).strict(),
    example: { body: { tenant: "acme" } },
    responses: {
      200: {
        description: "The numbers of memories and episodes rebuilt by this page, and of messages indexed",
        schema: z.object({
          rebuilt: z.number(),
          skipped: z.number(),
          messages: z.number(),
          next_cursor: z.string().nullable(),
        }),
        example: { rebuilt: 214, skipped: 0, messages: 480, next_cursor: null },
      },
    },
    handle: async ({ c, caller, body }) => {
      const page = { tenant: body.tenant, after: decodeCursor(Cursor, body.cursor ?? undefined) };
      const { next, ...counts } = await rebuildReadModel(c.env, caller, page);
      return { ...counts, next_cursor: next === null ? null : encodeCursor(next) };
    },
  });

  routes.get("/v1/admin/index", "getIndexState", {
    summary: "Read the state of the vector index: its model and its backlog",
    scope: "admin",
    query: z.object({ tenant: Id.optional() }),
    responses: {
      200: {
        description: "The state of the index",
        schema: IndexState,
        example: {
          index: "embedded",
          embedder: "use-lite-int8-1",
          dimensions: 512,
          made_with: { embedder: "use-lite-int8-1", dimensions: 512, index: "embedded" },
          matches: true,
          reembedding: false,
          waiting: 0,
          reranker: null,
        },
      },
    },
    handle: ({ c, caller, query: { tenant } }) => readIndexState(c.env, caller, tenant),
  });

  routes.post("/v1/admin/reembed", "reembed", {
    summary: "Re-embed everything, one page per call",
    description:
      "Repeat until `finished` is true. Each call continues the previous one, and recall stays available.",
    scope: "admin",
    audit: { action: "admin.reembed" },
    stage: "vectors",
    body: EmptyBody,
    responses: {
      200: {
        description: "The progress",
        schema: z.object({ done: z.number(), total: z.number(), finished: z.boolean() }),
        example: { done: 9, total: 13, finished: false },
      },
    },
    handle: ({ c, caller }) => reembed(c.env, caller),
  });
}

export function compactionRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: TAG });

  routes.post("/v1/admin/compact", "compact", {
    summary: "Remove what erasures have left in text indexes and local files, at once",
    description:
      "For ADMIN_KEY alone, since it covers all tenants. The cron job does the same within a minute. Local files are " +
      "those of a service that `npm start` serves. Repeat it while `finished` is false.",
    scope: "admin",
    audit: { action: "admin.compact" },
    stage: "store",
    body: EmptyBody,
    responses: {
      200: {
        description: "What was done",
        schema: z.object({
          requested: z.boolean().meta({
            description: "Whether there had been an erasure since the last time",
          }),
          finished: z.boolean(),
        }),
        example: { requested: true, finished: true },
      },
    },
    handle: async ({ c, caller }) => {
      if (caller.tenant !== null)
        throw failure("forbidden", "Only ADMIN_KEY may compact: it covers all tenants.");
      return await compact(c.env, { atOnce: true });
    },
  });
}

const PATH = "/v1/admin/doctor";

const Doctor = z
  .object({
    version: z.string(),
    status: HealthCheck.shape.status.meta({ description: "The worst status of all checks" }),
    checks: z.array(HealthCheck),
  })
  .openapi("Doctor");

export function doctorRoutes(app: App): void {
  documentRoute(app, {
    method: "get",
    path: PATH,
    operationId: "getDoctor",
    summary: "Check the service: bindings, migrations, settings, embedder, vectors, cron",
    description: "Read-only. Returns 200 even if a check fails: see `status`.",
    tag: "Administration",
    scope: "admin",
    responses: { 200: { description: "The results of the checks", schema: Doctor, example: HEALTH_REPORT } },
  });
  app.get(PATH, async (c) => {
    const caller = await wrapTime(c, "auth", authenticate(c));
    authorise(caller, "admin");
    if (caller.tenant !== null)
      throw failure("forbidden", "Only ADMIN_KEY may run these checks: they cover all tenants.");
    const checks = await wrapTime(c, "doctor", diagnose(c.env, Date.now()));
    const found = new Set(checks.map(({ status }) => status));
    const status = found.has("fail") ? "fail" : found.has("warn") ? "warn" : "ok";
    return c.json({ version: VERSION, status, checks });
  });
}

const HEALTH_REPORT = {
  version: "0.1.0",
  status: "fail",
  checks: [
    {
      name: "migrations",
      status: "fail",
      detail: "Not applied: 0005_experience.sql",
      fix: "Run npx wrangler d1 migrations apply kioku --remote (npm start does it for local data)",
    },
    { name: "embedder", status: "ok", detail: "use-lite-int8-1, 512 dimensions", fix: null },
  ],
};

export function shardRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: "Administration", stage: "store" });

  routes.get("/v1/admin/shards", "getShards", {
    summary: "See how full the databases are, and which tenants to move",
    description: "For ADMIN_KEY alone. A service with one database has one shard, `DB`.",
    scope: "admin",
    responses: {
      200: { description: "The databases, the moves in progress and suggested moves", schema: ShardReport },
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
    body: TenantMoveRequest,
    responses: { 200: { description: "How far the move is", schema: TenantMoveProgress } },
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

export function tenantRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: "Administration" });

  routes.delete("/v1/tenants/{tenant}", "deleteTenant", {
    summary: "Erase a tenant: its keys, and everything that is stored for it",
    description:
      "For ADMIN_KEY alone. The tenant's keys stop working first, so that nothing is written meanwhile. After a 503, " +
      "send the same call again: it continues where the first one stopped, and its receipt counts what it erased itself.",
    scope: "admin",
    audit: { action: "tenant.erase" },
    stage: "store",
    responses: { 200: { description: "The number of erased rows", schema: TenantReceipt } },
    handle: async ({ c, caller, params: { tenant } }) => {
      if (caller.tenant !== null) throw failure("forbidden", "Only ADMIN_KEY may erase a tenant.");
      const services = openServices(c, { ...caller, tenant });
      const erased = await eraseOwner(services, { kind: "tenant" });
      return { deleted: selectCounts(erased, TenantReceipt.shape.deleted.keyof().options) };
    },
  });
}
