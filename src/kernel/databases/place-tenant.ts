// Chooses the database of a new tenant: the one with the most room.
import { sql } from "drizzle-orm";
import type { Bindings } from "../env";
import { logDefect } from "../errors";
import { MINUTE_MS } from "../time";
import { openDatabase, readAll, runBatch, sanitiseErrors, WriteConflict } from "./d1";
import {
  type DatabaseShard,
  getShard,
  HOME_SHARD,
  hasShards,
  listShards,
  type ShardName,
} from "./shard-bindings";
import { assertThat, ensureTenant } from "./statements";
import { forgetPlacement } from "./tenant-directory";

// Which tenants there are: those with keys, and those that have stored something.

/** `DB` has the keys and the number of every tenant. */
export async function isKnownTenant(env: Bindings, tenant: string): Promise<boolean> {
  const rows = await readAll(
    openDatabase(env.DB),
    sql`SELECT 1 FROM api_keys WHERE tenant = ${tenant} UNION ALL SELECT 1 FROM tenants WHERE tenant = ${tenant} LIMIT 1`,
  );
  return rows.length > 0;
}

/** Lists tenants in order, whatever database they are in. */
export async function listTenants(
  env: Bindings,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const rows = await readAll<{ tenant: string }>(
    openDatabase(env.DB),
    sql`SELECT tenant FROM tenants WHERE tenant > ${after} ORDER BY tenant LIMIT ${limit}`,
  );
  return rows.map(({ tenant }) => tenant);
}

/** How long an isolate remembers how full the databases are. */
const REMEMBERED_MS = 10 * MINUTE_MS;
/** What a new tenant counts for until then, so that many new ones do not all go to the same database. */
const NEW_TENANT_BYTES = 1_000_000;

type Measurement = { at: number; bytes: Map<ShardName, number> };

const measurements = new WeakMap<D1Database, Measurement>();

/** Gives a tenant that is not known yet a database, before its first key is made. With one database it does nothing. */
export async function placeNewTenant(env: Bindings, tenant: string, now: number): Promise<void> {
  if (!hasShards(env) || (await isKnownTenant(env, tenant))) return;
  const shard = await chooseShard(env, now);
  if (shard === HOME_SHARD) return;
  const home = openDatabase(env.DB);
  // Numbers are assigned by `DB` for all databases.
  const [, numbers] = await runBatch(home, [
    ensureTenant(tenant),
    sql`SELECT number FROM tenants WHERE tenant = ${tenant}`,
  ]);
  const [{ number }] = numbers as [{ number: number }];
  try {
    await runBatch(openDatabase(getShard(env, shard)), [
      sql`INSERT INTO tenants (tenant, number) VALUES (${tenant}, ${number}) ON CONFLICT (tenant) DO NOTHING`,
      sql`INSERT INTO placements (tenant, epoch, state) VALUES (${tenant}, 1, 'open') ON CONFLICT DO NOTHING`,
    ]);
    // If this call ends here, the placement stays behind without a meaning: the directory leads nobody to it.
    await runBatch(home, [
      // Another call may have made a key meanwhile, with which the tenant writes to where it was placed by that call.
      assertThat(sql`NOT EXISTS (SELECT 1 FROM api_keys WHERE tenant = ${tenant})
        AND NOT EXISTS (SELECT 1 FROM tenant_shards WHERE tenant = ${tenant})
        AND NOT EXISTS (SELECT 1 FROM tenant_moves WHERE tenant = ${tenant})`),
      sql`INSERT INTO placements (tenant, epoch, state) VALUES (${tenant}, 0, 'moved')`,
      sql`INSERT INTO tenant_shards (tenant, shard, epoch) VALUES (${tenant}, ${shard}, 1)`,
    ]);
  } catch (error) {
    if (!(error instanceof WriteConflict)) throw error;
  }
  forgetPlacement(env, tenant);
}

/** Returns the smallest database, and counts the new tenant to it. */
async function chooseShard(env: Bindings, now: number): Promise<ShardName> {
  const { bytes } = await measureShards(env, now);
  const [shard = HOME_SHARD] = [...bytes.keys()].toSorted(
    (a, b) => (bytes.get(a) ?? 0) - (bytes.get(b) ?? 0),
  );
  bytes.set(shard, (bytes.get(shard) ?? 0) + NEW_TENANT_BYTES);
  return shard;
}

async function measureShards(env: Bindings, now: number): Promise<Measurement> {
  const known = measurements.get(env.DB);
  if (known !== undefined && now >= known.at && now < known.at + REMEMBERED_MS) return known;
  const sizes = await Promise.all(listShards(env).map(measureShard));
  const measured = { at: now, bytes: new Map(sizes.flat()) };
  measurements.set(env.DB, measured);
  return measured;
}

/** Returns no size for a database that does not answer: no tenant begins there. */
async function measureShard({ name, d1 }: DatabaseShard): Promise<[ShardName, number][]> {
  try {
    const { meta } = await sanitiseErrors(() => d1.prepare("SELECT 1").run());
    return [[name, meta.size_after]];
  } catch (error) {
    logDefect("placement.error", error);
    return [];
  }
}
