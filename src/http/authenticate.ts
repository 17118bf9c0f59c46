// Who is calling: the admin key, or a key of a tenant, looked up by its hash on every call so that a deleted
// key stops working at once.
import { eq } from "drizzle-orm";
import { guarded, openDatabase } from "../platform/d1";
import { type FailureCode, type FailureError, failure } from "../platform/errors";
import { sha256Hex } from "../platform/hash";
import { parseJson } from "../platform/json";
import { apiKeys } from "../store/tables";
import type { AppContext, Caller, KeyScope } from "./context";

export async function authenticate(c: AppContext): Promise<Caller> {
  const header = c.req.header("Authorization") ?? "";
  const key = /^Bearer\s+(\S+)$/i.exec(header)?.[1];
  if (key === undefined) {
    throw refusal("unauthorized", "No key was given. Send the header Authorization: Bearer <key>.");
  }
  // Comparing hashes takes the same time wherever the keys differ.
  const [hash, adminHash] = await Promise.all([sha256Hex(key), sha256Hex(c.env.ADMIN_KEY ?? "")]);
  if (hash === adminHash) return { tenant: null, keyId: "admin", scopes: ["admin"] };

  const db = openDatabase(c.env.DB);
  const [row] = await guarded(() => db.orm.select().from(apiKeys).where(eq(apiKeys.hash, hash)));
  if (row === undefined) throw refusal("unauthorized", "This key is not known. It was deleted, or mistyped.");
  if (row.expires_at !== null && Date.parse(row.expires_at) <= Date.now()) {
    throw refusal("unauthorized", `This key expired at ${row.expires_at}. Make a new one.`);
  }
  return { tenant: row.tenant, keyId: row.id, scopes: parseJson<KeyScope[]>(row.scopes) };
}

export function authorise(caller: Caller, scope: KeyScope): void {
  if (caller.scopes.includes(scope)) return;
  if (caller.tenant === null) {
    throw refusal(
      "forbidden",
      "The admin key belongs to no tenant. Make a key for a tenant with POST /v1/keys and use that.",
    );
  }
  throw refusal("forbidden", `This key lacks the scope "${scope}". It has: ${caller.scopes.join(", ")}.`);
}

function refusal(code: FailureCode, detail: string): FailureError {
  return failure(code, detail);
}
