// API keys: made, listed and deleted by an administrator. A key is shown once and kept as its hash.
import { and, asc, eq, gt, or, type SQL, sql } from "drizzle-orm";
import { batch, guarded, openDatabase, retryRaces } from "../../platform/d1";
import { FailureError, failure, invalidField, unwrap } from "../../platform/errors";
import { hmacHex, randomHex, sha256Hex } from "../../platform/hash";
import { parseJson } from "../../platform/json";
import { Id, PageQuery, pageOf, Time, text, z } from "../../schemas/common";
import { readOperation } from "../../store/applied-operations";
import { recordOperations } from "../../store/memories/memory-statements";
import { apiKeys } from "../../store/tables";
import { type Caller, KEY_SCOPES, type KeyScope } from "../context";
import { type App, endpoint } from "../endpoint";
import { decodeCursor, toPage } from "../pagination";

const Scopes = z.array(z.enum(KEY_SCOPES)).min(1);

const KeyCreate = z
  .object({
    tenant: Id,
    name: text(1, 128).optional(),
    scopes: Scopes.default(["read", "write"]),
    expires_at: Time.optional(),
  })
  .strict()
  .openapi("KeyCreate");

const KeyInfo = z
  .object({
    id: z.string(),
    tenant: z.string(),
    name: z.string().nullable(),
    scopes: Scopes,
    created_at: z.string(),
    expires_at: z.string().nullable(),
  })
  .openapi("Key");
type KeyInfo = z.infer<typeof KeyInfo>;

const KeyCreated = KeyInfo.extend({ key: z.string().openapi({ description: "Shown this once" }) }).openapi(
  "KeyCreated",
);

const Cursor = z.object({ created_at: z.string(), id: z.string() });
const TAG = "Keys";

export function keyRoutes(app: App): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/v1/keys",
      summary: "Make a key for a tenant",
      tag: TAG,
      scope: "admin",
      body: KeyCreate,
      answers: { 201: { description: "The key, shown this once", schema: KeyCreated } },
    },
    async ({ c, caller, body, idempotency }) => {
      const { tenant, name, scopes, expires_at } = body;
      mayManage(caller, tenant);
      if (expires_at !== undefined && Date.parse(expires_at) <= Date.now()) {
        throw new FailureError(
          invalidField("expires_at", "is in the past: give a time to come, or leave it out").failure,
        );
      }
      const db = openDatabase(c.env.DB);
      // With an idempotency key the secret follows from it, so that a repeated answer needs no stored secret;
      // from who asks and what for, too, so that nobody else can come to the same one.
      const secret =
        idempotency === null
          ? randomHex(32)
          : await hmacHex(
              c.env.ADMIN_KEY ?? "",
              JSON.stringify(["key", tenantOf(caller), idempotency.op, idempotency.fingerprint]),
            );
      const key = `kioku_${secret}`;
      const hash = await sha256Hex(key);
      const info: KeyInfo = {
        id: `key_${hash.slice(0, 24)}`,
        tenant,
        name: name ?? null,
        scopes,
        created_at: new Date().toISOString(),
        expires_at: expires_at ?? null,
      };
      const stored = await retryRaces(async () => {
        const earlier =
          idempotency === null ? null : await readOperation<KeyInfo>(db, tenantOf(caller), idempotency);
        if (earlier !== null) return unwrap(earlier);
        await batch(db, [
          sql`INSERT INTO api_keys (id, tenant, name, hash, scopes, created_at, expires_at)
            VALUES (${info.id}, ${tenant}, ${info.name}, ${hash}, ${JSON.stringify(scopes)}, ${info.created_at}, ${info.expires_at})`,
          ...(idempotency === null
            ? []
            : [
                recordOperations(
                  tenantOf(caller),
                  [{ ...idempotency, response: JSON.stringify(info) }],
                  info.created_at,
                ),
              ]),
        ]);
        return info;
      });
      return c.json({ ...stored, key }, 201);
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/keys",
      summary: "List keys",
      tag: TAG,
      scope: "admin",
      query: PageQuery.extend({ tenant: Id.optional() }),
      answers: { 200: { description: "Keys, oldest first, without their secrets", schema: pageOf(KeyInfo) } },
    },
    async ({ c, caller, query }) => {
      if (query.tenant !== undefined) mayManage(caller, query.tenant);
      const tenant = caller.tenant ?? query.tenant;
      const after = decodeCursor(Cursor, query.cursor);
      const conditions: (SQL | undefined)[] = [];
      if (tenant !== undefined) conditions.push(eq(apiKeys.tenant, tenant));
      if (after !== null) {
        const sameTime = and(eq(apiKeys.created_at, after.created_at), gt(apiKeys.id, after.id));
        conditions.push(or(gt(apiKeys.created_at, after.created_at), sameTime));
      }
      const db = openDatabase(c.env.DB);
      const rows = await guarded(() =>
        db.orm
          .select()
          .from(apiKeys)
          .where(and(...conditions))
          .orderBy(asc(apiKeys.created_at), asc(apiKeys.id))
          .limit(query.limit + 1),
      );
      const keys: KeyInfo[] = rows.map(({ hash: _hash, scopes, ...row }) => ({
        ...row,
        scopes: parseJson<KeyScope[]>(scopes),
      }));
      return c.json(toPage(keys, query.limit, ({ created_at, id }) => ({ created_at, id })));
    },
  );

  endpoint(
    app,
    {
      method: "delete",
      path: "/v1/keys/{id}",
      summary: "Delete a key; it stops working at once",
      tag: TAG,
      scope: "admin",
      params: z.object({ id: Id }),
      answers: { 204: { description: "Deleted", schema: null } },
    },
    async ({ c, caller, params }) => {
      const db = openDatabase(c.env.DB);
      const mine = caller.tenant === null ? undefined : eq(apiKeys.tenant, caller.tenant);
      const deleted = await guarded(() =>
        db.orm
          .delete(apiKeys)
          .where(and(eq(apiKeys.id, params.id), mine))
          .returning({ id: apiKeys.id }),
      );
      if (deleted.length === 0) throw failure("not_found", `Key not found: ${params.id}`);
      return c.body(null, 204);
    },
  );
}

/** A tenant's own administrator manages the keys of that tenant alone, and sees no other. */
function mayManage(caller: Caller, tenant: string): void {
  if (caller.tenant === null || caller.tenant === tenant) return;
  throw failure("forbidden", "This key manages the keys of its own tenant only.");
}

/** The holder of ADMIN_KEY keeps its idempotency keys apart from every tenant's. */
function tenantOf(caller: Caller): string {
  return caller.tenant ?? "";
}
