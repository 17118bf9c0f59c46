// The database of a new tenant: the one with the most room.
import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { placeNewTenant } from "../../../src/kernel/databases/place-tenant";
import { locateTenant, readPlacement } from "../../../src/kernel/databases/tenant-directory";
import type { Bindings } from "../../../src/kernel/env";
import { beginMove } from "../../../src/owners/shards/move-tenant";
import { freshId } from "../support";
import { buildWrite, countRows, finishMove, openStore, prepareSecondDatabase, TWO } from "./support";

const NOW = Date.parse("2026-03-01T12:00:00.000Z");
const MINUTE = 60_000;

beforeAll(prepareSecondDatabase);

/** A database that is said to have a size. */
function sized(d1: D1Database, bytes: number): D1Database {
  const prepare = (text: string) => {
    const statement = d1.prepare(text);
    if (text !== "SELECT 1") return statement;
    return { run: async () => ({ meta: { size_after: bytes } }) };
  };
  return Object.assign(Object.create(d1), { prepare, batch: d1.batch.bind(d1) }) as D1Database;
}

let bindings: Bindings;
beforeEach(() => {
  bindings = { ...TWO, DB: sized(env.DB, 5_000_000), DB_1: sized(env.SPARE_DB, 3_500_000) };
});

async function place(tenant: string, now = NOW): Promise<string> {
  await placeNewTenant(bindings, tenant, now);
  return (await readPlacement(bindings, tenant)).shard;
}

describe("a new tenant", () => {
  it("begins in the smallest database, and is written there", async () => {
    const tenant = freshId("tenant");
    expect(await place(tenant)).toBe("DB_1");
    await openStore(bindings, tenant).store.memories.commit([buildWrite("The bell is in the tower")]);
    expect(await countRows(env.SPARE_DB, "memories", tenant)).toBe(1);
    expect(await countRows(env.DB, "memories", tenant)).toBe(0);
  });

  it("has the number that DB assigned, so that it can be moved", async () => {
    const tenant = freshId("tenant");
    await place(tenant);
    const read = (d1: D1Database) =>
      d1.prepare("SELECT number FROM tenants WHERE tenant = ?").bind(tenant).first<number>("number");
    await openStore(bindings, tenant).store.memories.commit([buildWrite("The bell is of bronze")]);
    expect(await read(env.SPARE_DB)).toBe(await read(env.DB));
    await beginMove(bindings, tenant, "DB", new Date(NOW).toISOString());
    await finishMove(bindings, tenant);
    expect(await countRows(env.DB, "memories", tenant)).toBe(1);
    expect(await countRows(env.SPARE_DB, "memories", tenant)).toBe(0);
  });

  it("is found there by an isolate that looked for it before it was placed", async () => {
    const tenant = freshId("tenant");
    const other = { ...bindings, DB: Object.create(env.DB) as D1Database };
    expect((await locateTenant(other, tenant)).shard).toBe("DB");
    await place(tenant);
    await openStore(other, tenant).store.memories.commit([buildWrite("The bell rings at noon")]);
    expect(await countRows(env.SPARE_DB, "memories", tenant)).toBe(1);
    expect(await countRows(env.DB, "memories", tenant)).toBe(0);
  });

  it("counts for a megabyte until the databases are measured again, so that new ones are spread", async () => {
    const shards: string[] = [];
    for (let n = 0; n < 4; n += 1) shards.push(await place(freshId("tenant"), NOW + n * MINUTE));
    expect(shards).toEqual(["DB_1", "DB_1", "DB", "DB_1"]);
    expect(await place(freshId("tenant"), NOW + 11 * MINUTE)).toBe("DB_1");
  });

  it("is in one place if two calls place it at the same time", async () => {
    const tenant = freshId("tenant");
    const other = { ...TWO, DB: sized(env.DB, 1), DB_1: sized(env.SPARE_DB, 2) };
    const third = { ...TWO, DB: sized(env.DB, 2), DB_1: sized(env.SPARE_DB, 1) };
    await Promise.all([other, third, bindings].map((each) => placeNewTenant(each, tenant, NOW)));
    const { shard, epoch } = await readPlacement(TWO, tenant);
    expect({ shard, epoch }).toEqual({ shard: "DB_1", epoch: 1 });
    await openStore(TWO, tenant).store.memories.commit([buildWrite("The bell is silent")]);
    expect(await countRows(env.SPARE_DB, "memories", tenant)).toBe(1);
  });

  it("can be moved to where a call has failed to place it", async () => {
    const tenant = freshId("tenant");
    let calls = 0;
    // The call ends between its batches: the other database has a placement, and the directory has none.
    const batch = (statements: D1PreparedStatement[]) => {
      calls += 1;
      return calls === 1 ? env.DB.batch(statements) : Promise.reject(new Error("D1_ERROR: down"));
    };
    const dying = { ...bindings, DB: Object.assign(sized(env.DB, 5_000_000), { batch }) };
    await expect(placeNewTenant(dying, tenant, NOW)).rejects.toThrow();
    const left = "SELECT epoch, state FROM placements WHERE tenant = ?";
    expect(await env.SPARE_DB.prepare(left).bind(tenant).first()).toEqual({ epoch: 1, state: "open" });
    expect((await readPlacement(TWO, tenant)).shard).toBe("DB");
    await openStore(TWO, tenant).store.memories.commit([buildWrite("The bell is heavy")]);
    await beginMove(TWO, tenant, "DB_1", new Date(NOW).toISOString());
    await finishMove(TWO, tenant);
    expect((await readPlacement(TWO, tenant)).shard).toBe("DB_1");
    expect(await countRows(env.SPARE_DB, "memories", tenant)).toBe(1);
    expect(await countRows(env.DB, "memories", tenant)).toBe(0);
  });

  it("is not placed elsewhere while it moves", async () => {
    const tenant = freshId("tenant");
    const { DB_1 } = bindings;
    // The move begins between the batches of the call.
    const batch = async (statements: D1PreparedStatement[]) => {
      const results = await env.SPARE_DB.batch(statements);
      await beginMove(TWO, tenant, "DB_1", new Date(NOW).toISOString());
      return results;
    };
    bindings = { ...bindings, DB_1: Object.assign(DB_1 as D1Database, { batch }) };
    expect(await place(tenant)).toBe("DB");
    await finishMove(TWO, tenant);
    expect((await readPlacement(TWO, tenant)).shard).toBe("DB_1");
  });

  it("is not moved from where it has been before", async () => {
    const tenant = freshId("tenant");
    expect(await place(tenant)).toBe("DB_1");
    // The directory was read before the tenant was placed.
    const prepare = (text: string) =>
      text.startsWith("SELECT shard, epoch FROM tenant_shards")
        ? { bind: () => ({ first: async () => null }) }
        : env.DB.prepare(text);
    const DB = Object.assign(Object.create(env.DB), { prepare, batch: env.DB.batch.bind(env.DB) });
    await expect(beginMove({ ...TWO, DB }, tenant, "DB_1", "")).rejects.toThrow("has just moved");
  });

  it("does not begin in a database that does not answer", async () => {
    const broken = {
      prepare: () => ({ run: () => Promise.reject(new Error("D1_ERROR: down")) }),
    } as unknown as D1Database;
    bindings = { ...bindings, DB_1: broken };
    expect(await place(freshId("tenant"))).toBe("DB");
  });
});

describe("a tenant stays where it is", () => {
  it("if it has stored something, or has a key", async () => {
    const [writer, holder] = [freshId("tenant"), freshId("tenant")];
    await openStore(TWO, writer).store.memories.commit([buildWrite("The gate is open")]);
    await env.DB.prepare(
      "INSERT INTO api_keys (id, tenant, hash, scopes, created_at) VALUES (?, ?, ?, '[]', '')",
    )
      .bind(freshId("key"), holder, freshId("hash"))
      .run();
    expect(await place(writer)).toBe("DB");
    expect(await place(holder)).toBe("DB");
  });
});

it("with one database nothing is read", async () => {
  const untouched = new Proxy({} as D1Database, {
    get: () => {
      throw new Error("The database was used");
    },
  });
  await placeNewTenant({ ...env, DB: untouched }, freshId("tenant"), NOW);
});
