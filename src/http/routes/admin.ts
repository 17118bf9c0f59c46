// Administration: rebuilding the read model and the vectors a page at a time, and checks of a running service.
import { wrapTime } from "hono/timing";
import { diagnose, HealthCheck } from "../../operations/administration/diagnose";
import { readIndexState, rebuildReadModel, reembed } from "../../operations/administration/manage-index";
import { compact } from "../../operations/erasure/compact";
import { failure } from "../../platform/errors";
import { Id, z } from "../../schemas/common";
import { VERSION } from "../../version";
import type { App } from "../app-context";
import { authenticate, authorise } from "../authenticate";
import { groupRoutes } from "../endpoint";
import { documentRoute } from "../openapi/document-route";
import { decodeCursor, encodeCursor } from "../pagination";

const TAG = "Administration";

const Index = z.enum(["embedded", "vectorize"]);

const IndexState = z
  .object({
    index: Index.nullable(),
    embedder: z.string().nullable(),
    dimensions: z.number().nullable(),
    made_with: z
      .object({ embedder: z.string(), dimensions: z.number(), index: Index })
      .nullable()
      .meta({ description: "The model that created the stored vectors; null if there are none" }),
    matches: z.boolean().meta({
      description: "False if the configured model differs: recall is lexical until everything is re-embedded",
    }),
    reembedding: z.boolean(),
    waiting: z
      .number()
      .meta({ description: "Number of memories, messages and items that are not indexed yet" }),
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
    body: z.object({}).strict(),
    example: { body: {} },
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
    body: z.object({}).strict(),
    example: { body: {} },
    responses: {
      200: {
        description: "What was done",
        schema: z.object({
          requested: z
            .boolean()
            .meta({ description: "Whether there had been an erasure since the last time" }),
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
