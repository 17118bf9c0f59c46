// For whoever runs the service: rebuilding the read model from the triples, and the vectors from the texts, a page
// at a time.

import { reembedPage } from "../../indexing/reembed";
import { LIMITS } from "../../limits";
import { openDatabase } from "../../platform/d1";
import { failure } from "../../platform/errors";
import { Id, z } from "../../schemas/common";
import { rebuildPage } from "../../store/triples/rebuild-read-model";
import { countQueue } from "../../store/vectors/vector-queue";
import { readVectorState, sameModel } from "../../store/vectors/vector-state";
import { indexerOf, indexOf, modelOf } from "../../vectors/semantic-services";
import type { Caller } from "../context";
import { type App, endpoint } from "../endpoint";
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
      summary: "Rebuild the read model from the triples, one page a call",
      description: "Call it again with next_cursor until that is null. The service answers throughout.",
      tag: TAG,
      scope: "admin",
      body: z.object({ tenant: Id.optional(), cursor: z.string().nullish() }).strict(),
      answers: {
        200: {
          description: "How many memories this page rebuilt",
          schema: z.object({ rebuilt: z.number(), skipped: z.number(), next_cursor: z.string().nullable() }),
        },
      },
    },
    async ({ c, caller, body }) => {
      const tenant = ownTenant(caller, body.tenant);
      const after = decodeCursor(Cursor, body.cursor ?? undefined);
      const page = { tenant, after, limit: LIMITS.rebuildPage };
      const { rebuilt, skipped, next } = await c.var.timing.measure("store", () =>
        rebuildPage(openDatabase(c.env.DB), page),
      );
      return c.json({ rebuilt, skipped, next_cursor: next === null ? null : encodeCursor(next) });
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/admin/index",
      summary: "The vector index: what its vectors are made with, and what waits to be embedded",
      tag: TAG,
      scope: "admin",
      query: z.object({ tenant: Id.optional() }),
      answers: { 200: { description: "Its state", schema: IndexState } },
    },
    async ({ c, caller, query }) => {
      const db = openDatabase(c.env.DB);
      const model = modelOf(c.env);
      const tenant = ownTenant(caller, query.tenant);
      const [state, waiting] = await c.var.timing.measure("store", () =>
        Promise.all([readVectorState(db), countQueue(db, tenant)]),
      );
      return c.json({
        index: model?.index ?? null,
        embedder: model?.name ?? null,
        dimensions: model?.dimensions ?? null,
        made_with: state && { embedder: state.name, dimensions: state.dimensions, index: state.index },
        matches: state === null || model === null || sameModel(state, model),
        reembedding: state?.progress != null,
        waiting,
      });
    },
  );

  endpoint(
    app,
    {
      method: "post",
      path: "/v1/admin/reembed",
      summary: "Embed everything anew, one page a call",
      description:
        "Call it again until `finished`. It goes on where the last call ended, and recall answers throughout.",
      tag: TAG,
      scope: "admin",
      body: z.object({}).strict(),
      answers: {
        200: {
          description: "How far it has come",
          schema: z.object({ done: z.number(), total: z.number(), finished: z.boolean() }),
        },
      },
    },
    async ({ c, caller }) => {
      if (caller.tenant !== null)
        throw failure("forbidden", "Only ADMIN_KEY may re-embed: it is for all tenants.");
      const model = modelOf(c.env);
      if (model === null)
        throw failure(
          "unprocessable",
          "No embedder is configured (EMBEDDER=none): there is nothing to embed with.",
        );
      const page = await c.var.timing.measure("vectors", () =>
        reembedPage(openDatabase(c.env.DB), model, {
          drain: (tenant) => indexerOf(c.env, tenant).drain(tenant),
          // Vectorize lists no ids; there each vector is replaced under its own id.
          clear: async (tenant, left) => {
            if (left.index === "embedded") await indexOf(c.env, tenant, left).clear();
          },
        }),
      );
      return c.json(page);
    },
  );
}

/** A tenant's own admin key sees its own tenant; ADMIN_KEY sees all, or the one it names. */
function ownTenant(caller: Caller, tenant: string | undefined): string | null {
  if (caller.tenant !== null && caller.tenant !== tenant) {
    throw failure("forbidden", "This key may act on its own tenant only: name it in `tenant`.");
  }
  return tenant ?? null;
}
