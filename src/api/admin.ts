// For whoever runs the service: rebuilding the read model from the triples, a page at a time.
import { failure } from "../errors";
import { LIMITS } from "../limits";
import { openDatabase } from "../long-term/database";
import { rebuildPage } from "../long-term/rebuild";
import { Id, z } from "../schemas/common";
import { type App, endpoint } from "./endpoint";
import { decodeCursor, encodeCursor } from "./paging";

const Cursor = z.object({ tenant: z.string(), subject: z.string() });

export function adminRoutes(app: App): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/v1/admin/rebuild",
      summary: "Rebuild the read model from the triples, one page a call",
      description: "Call it again with next_cursor until that is null. The service answers throughout.",
      tag: "Administration",
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
      if (caller.tenant !== null && caller.tenant !== body.tenant) {
        throw failure("forbidden", "This key may rebuild its own tenant only: name it in `tenant`.");
      }
      const after = decodeCursor(Cursor, body.cursor ?? undefined);
      const page = { tenant: body.tenant ?? null, after, limit: LIMITS.rebuildPage };
      const { rebuilt, skipped, next } = await c.var.timing.measure("store", () =>
        rebuildPage(openDatabase(c.env.DB), page),
      );
      return c.json({ rebuilt, skipped, next_cursor: next === null ? null : encodeCursor(next) });
    },
  );
}
