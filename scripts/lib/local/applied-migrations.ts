// Lists the migrations that a local database has, without starting a runtime.
import { createHash, createHmac } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createVacuumClient } from "../compaction/vacuum-client.ts";

/** The namespace of the objects in which miniflare keeps D1 databases. */
const NAMESPACE = "miniflare-D1DatabaseObject";

/** Returns the migrations of each database by its id. A database that is new, or that cannot be read, has none. */
export async function listAppliedMigrations(
  persist: string,
  databaseIds: readonly string[],
): Promise<string[][]> {
  const thread = createVacuumClient();
  const list = async (id: string): Promise<string[]> => {
    const path = getDatabasePath(persist, id);
    if (!existsSync(path)) return [];
    const names = await thread.call("listMigrations", path).catch(() => []);
    return names as string[];
  };
  try {
    return await Promise.all(databaseIds.map(list));
  } finally {
    await thread.dispose();
  }
}

/** Returns the file of a local database. */
export function getDatabasePath(persist: string, databaseId: string): string {
  return join(persist, "v3/d1", NAMESPACE, `${computeObjectId(databaseId)}.sqlite`);
}

/** Computes the id of a named object as workerd does: two HMACs of 16 bytes each. */
function computeObjectId(name: string): string {
  const key = createHash("sha256").update(NAMESPACE).digest();
  const hash = (data: string | Buffer) => createHmac("sha256", key).update(data).digest().subarray(0, 16);
  const nameHash = hash(name);
  return Buffer.concat([nameHash, hash(nameHash)]).toString("hex");
}
