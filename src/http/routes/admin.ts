// For whoever runs the service: rebuilding the read model from the triples, and the vectors from the texts, a page
// at a time.
import { wrapTime } from "hono/timing";
import { readIndexState, rebuildReadModel, reembed } from "../../operations/administration/manage-index";
import { diagnose, HealthCheck } from "../../operations/diagnose";
import { failure } from "../../platform/errors";
import { Id, z } from "../../schemas/common";
import { VERSION } from "../../version";
import type { App } from "../app-context";
import { authenticate, authorise } from "../authenticate";
import { endpoint } from "../endpoint";
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
      .meta({ description: "What the vectors were made with; null while there are none" }),
    matches: z
      .boolean()
      .meta({ description: "False: recall answers by text until everything is embedded anew" }),
    reembedding: z.boolean(),
    waiting: z
      .number()
      .meta({ description: "Memories, messages and items that the index does not show yet" }),
  })
  .openapi("IndexState");

const Cursor = z.object({ tenant: z.string(), subject: z.string() });

export function adminRoutes(app: App): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/v1/admin/rebuild",
      operationId: "rebuild",
      summary: "Rebuild the read model from the triples, one page a call",
      description: "Call it again with next_cursor until that is null. The service answers throughout.",
      tag: TAG,
      scope: "admin",
      stage: "store",
      body: z.object({ tenant: Id.optional(), cursor: z.string().nullish() }).strict(),
      example: { body: { tenant: "acme" } },
      responses: {
        200: {
          description: "How many memories this page rebuilt",
          schema: z.object({ rebuilt: z.number(), skipped: z.number(), next_cursor: z.string().nullable() }),
          example: { rebuilt: 214, skipped: 0, next_cursor: null },
        },
      },
    },
    async ({ c, caller, body }) => {
      const page = { tenant: body.tenant, after: decodeCursor(Cursor, body.cursor ?? undefined) };
      const { rebuilt, skipped, next } = await rebuildReadModel(c.env, caller, page);
      return c.json({ rebuilt, skipped, next_cursor: next === null ? null : encodeCursor(next) });
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/admin/index",
      operationId: "getIndexState",
      summary: "The vector index: what its vectors are made with, and what waits to be embedded",
      tag: TAG,
      scope: "admin",
      stage: "store",
      query: z.object({ tenant: Id.optional() }),
      responses: {
        200: {
          description: "Its state",
          schema: IndexState,
          example: {
            index: "embedded",
            embedder: "use-lite-int8-1",
            dimensions: 512,
            made_with: { embedder: "use-lite-int8-1", dimensions: 512, index: "embedded" },
            matches: true,
            reembedding: false,
            waiting: 0,
          },
        },
      },
    },
    async ({ c, caller, query: { tenant } }) => c.json(await readIndexState(c.env, caller, tenant)),
  );

  endpoint(
    app,
    {
      method: "post",
      path: "/v1/admin/reembed",
      operationId: "reembed",
      summary: "Embed everything anew, one page a call",
      description:
        "Call it again until `finished`. It goes on where the last call ended, and recall answers throughout.",
      tag: TAG,
      scope: "admin",
      stage: "vectors",
      body: z.object({}).strict(),
      example: { body: {} },
      responses: {
        200: {
          description: "How far it has come",
          schema: z.object({ done: z.number(), total: z.number(), finished: z.boolean() }),
          example: { done: 9, total: 13, finished: false },
        },
      },
    },
    async ({ c, caller }) => c.json(await reembed(c.env, caller)),
  );
}

const PATH = "/v1/admin/doctor";

const Doctor = z
  .object({
    version: z.string(),
    status: HealthCheck.shape.status.meta({ description: "The worst of all checks" }),
    checks: z.array(HealthCheck),
  })
  .openapi("Doctor");

export function doctorRoutes(app: App): void {
  documentRoute(app, {
    method: "get",
    path: PATH,
    operationId: "getDoctor",
    summary: "Check the service: bindings, migrations, settings, embedder, vectors, cron",
    description: "It only looks. It answers 200 also when something is wrong: see `status`.",
    tag: "Administration",
    scope: "admin",
    responses: { 200: { description: "What was found", schema: Doctor, example: GET_DOCTOR_RESPONSE } },
  });
  app.get(PATH, async (c) => {
    const caller = await wrapTime(c, "auth", authenticate(c));
    authorise(caller, "admin");
    if (caller.tenant !== null)
      throw failure("forbidden", "Only ADMIN_KEY may ask the doctor: it looks at all of the service.");
    const checks = await wrapTime(c, "doctor", diagnose(c.env, Date.now()));
    const found = new Set(checks.map(({ status }) => status));
    const status = found.has("fail") ? "fail" : found.has("warn") ? "warn" : "ok";
    return c.json({ version: VERSION, status, checks });
  });
}

const GET_DOCTOR_RESPONSE = {
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
