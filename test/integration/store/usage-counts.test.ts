// Uses of memories are stored by the tenant's usage object, one row each, and added to packed counts in D1 many at a time.
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { USAGE_FLUSH } from "../../../src/kernel/limits";
import { breakBatches, failuresOfD1, HOUR, kill, mendD1 } from "../../faults/support";
import { callWith, untilIndexed } from "../support";
import { readCounts, recallAt, usageStub } from "../usage-support";
import { NOON, newTenant, rebuild, type Tenant } from "./long-term-support";

const FLUSH = /INSERT INTO usage_flushes/;
const DAY = 24 * HOUR;

let t: Tenant;
beforeEach(async () => {
  t = await newTenant();
});
afterEach(mendD1);

const keep = (content: string) => t.remember({ content });

async function keepMany(count: number): Promise<string[]> {
  const writes = Array.from({ length: count }, (_, i) => t.write({ content: `Zebra ${i} is striped` }));
  const results = await t.store().memories.commit(writes);
  return results.map((result) => (result.ok ? result.value.memory_id : ""));
}

const use = (memories: readonly string[], at = NOON) =>
  usageStub(t.tenant).record(t.tenant, { at, memories: [...memories], episodes: [], raises: "hourly" });

/** Stops the clock of the usage object. */
const setNow = (at: number) =>
  runInDurableObject(usageStub(t.tenant), (usage) => {
    usage.now = () => at;
  });

const alarmOf = () => runInDurableObject(usageStub(t.tenant), (_usage, state) => state.storage.getAlarm());

/** Waits until uses that are counted after the answer have reached the object. */
async function untilPending(count: number): Promise<void> {
  await vi.waitFor(async () => expect(await usageStub(t.tenant).listPending()).toHaveLength(count));
}

/** Counts the rows that D1 reports as written. */
function watchD1(): { rows: number } {
  const written = { rows: 0 };
  const database = Object.getPrototypeOf(env.DB.withSession()) as Pick<D1Database, "batch">;
  const { batch } = database;
  database.batch = async function counting<T>(this: D1Database, list: D1PreparedStatement[]) {
    const results = (await batch.call(this, list)) as D1Result<T>[];
    for (const { meta } of results) written.rows += meta.rows_written;
    return results;
  };
  return written;
}

/** Counts the rows and alarms that the usage object writes. */
async function watchObject(): Promise<{ rows: number; alarms: number }> {
  const written = { rows: 0, alarms: 0 };
  await runInDurableObject(usageStub(t.tenant), (_usage, { storage }) => {
    const { sql, setAlarm } = storage;
    const { exec } = sql;
    Object.defineProperty(sql, "exec", {
      value: (query: string, ...values: unknown[]) => {
        const cursor = exec.call(sql, query, ...values);
        written.rows += cursor.rowsWritten;
        return cursor;
      },
    });
    Object.defineProperty(storage, "setAlarm", {
      value: (...args: unknown[]) => {
        written.alarms += 1;
        return Reflect.apply(setAlarm, storage, args);
      },
    });
  });
  return written;
}

describe("recalls", () => {
  it("write one row of the object each and none of D1, until a flush writes a few for all of them", async () => {
    const ids = await keepMany(60);
    await recallAt(t.tenant, ids, NOON);
    const [d1, object] = [watchD1(), await watchObject()];
    for (let i = 0; i < 30; i += 1) await use(ids.slice(i, i + 10));
    expect({ d1: d1.rows, ...object }).toEqual({ d1: 0, rows: 30, alarms: 0 });
    await usageStub(t.tenant).flush();
    // One bucket, the recalls of the day and the number of the last use in D1, and that number in the object.
    expect({ d1: d1.rows, ...object }).toEqual({ d1: 3, rows: 31, alarms: 0 });
    const { body } = await t.call("GET", `/v1/metrics?window_days=1&until=${NOON}`);
    expect(body.activity).toMatchObject([{ recalls: 31 }]);
    // The rows of flushed uses are written again.
    await use(ids.slice(0, 10));
    const slots = await runInDurableObject(usageStub(t.tenant), (_usage, { storage }) =>
      storage.sql.exec("SELECT count(*) AS n FROM uses").one(),
    );
    expect(slots).toEqual({ n: 30 });
  });

  it("over HTTP are counted after the answer, as one use of all hits", async () => {
    const ids = [await keep("Zebras are striped"), await keep("Zebras eat grass")];
    const { body } = await t.call("POST", "/v1/recall", { session_id: t.session, query: "zebras" });
    expect(body.memories).toHaveLength(2);
    await untilPending(1);
    const [pending] = await usageStub(t.tenant).listPending();
    expect(pending?.memories.toSorted()).toEqual(ids.toSorted());
    expect(await readCounts(t.tenant)).toEqual({});
  });

  it("are shown by id, in lists and in triples before they are flushed, and once afterwards", async () => {
    const id = await keep("Zebras are striped");
    const read = async () => {
      const { body: list } = await t.call("GET", `/v1/memories?session_id=${t.session}`);
      const { body: triples } = await t.call("GET", `/v1/memories/${id}/triples`);
      const find = (name: string) =>
        triples.data.flatMap(({ predicate, object }: { predicate: string; object: string }) =>
          predicate.endsWith(`#${name}`) ? object : [],
        );
      return {
        memory: (await t.memory(id)).access_count,
        list: list.data.map(({ access_count }: { access_count: number }) => access_count),
        triples: find("accessCount"),
        last: find("lastAccessed"),
      };
    };
    expect(await read()).toMatchObject({ memory: 0, list: [0], triples: ["0"] });
    await use([id]);
    const used = { memory: 1, list: [1], triples: ["1"], last: [NOON] };
    expect(await read()).toEqual(used);
    await usageStub(t.tenant).flush();
    expect(await read()).toEqual(used);
  });

  it("rank a memory that is used more before an equal one, once they are flushed", async () => {
    // In sessions of their own, so that neither is indexed in the context of the other.
    const first = await t.remember({ content: "Zebra one is striped", session_id: "s-1" });
    const second = await t.remember({ content: "Zebra two is striped", session_id: "s-2" });
    const recall = async () => {
      const query = { scope: "tenant", query: "striped", mode: "text" };
      const { body } = await t.call("POST", "/v1/recall", query);
      return body.memories.map(({ id, access_count }: { id: string; access_count: number }) => ({
        id,
        access_count,
      }));
    };
    expect((await recall()).map(({ id }: { id: string }) => id)).toEqual([second, first]);
    await untilPending(1);
    for (let i = 0; i < 40; i += 1) await use([first]);
    await usageStub(t.tenant).flush();
    expect(await recall()).toEqual([
      { id: first, access_count: 41 },
      { id: second, access_count: 1 },
    ]);
  });

  it("of one tenant are not those of another", async () => {
    const other = await newTenant();
    const id = await keep("Zebras are striped");
    await other.remember({ content: "Zebras are striped" });
    await recallAt(t.tenant, [id], NOON);
    await recallAt(other.tenant, [id], NOON);
    expect(Object.keys(await readCounts(t.tenant))).toEqual([id]);
    expect(await readCounts(other.tenant)).toEqual({});
  });
});

describe("a flush", () => {
  it("happens at once after many uses", async () => {
    const id = await keep("Zebras are striped");
    await Promise.all(Array.from({ length: USAGE_FLUSH.uses }, () => use([id])));
    await vi.waitFor(async () =>
      expect(await readCounts(t.tenant)).toEqual({ [id]: [USAGE_FLUSH.uses, NOON, null] }),
    );
  });

  it("happens after an hour; a few uses wait for a day", async () => {
    const id = await keep("Zebras are striped");
    // Ahead of the real clock, so that no alarm goes off by itself.
    const now = Date.now() + DAY;
    const at = new Date(now).toISOString();
    await setNow(now);
    for (let i = 0; i < USAGE_FLUSH.few; i += 1) await use([id], at);
    expect(await alarmOf()).toBe(now + HOUR);
    await runDurableObjectAlarm(usageStub(t.tenant));
    expect(await readCounts(t.tenant)).toEqual({ [id]: [USAGE_FLUSH.few, at, null] });

    await use([id], at);
    await runDurableObjectAlarm(usageStub(t.tenant));
    expect((await readCounts(t.tenant))[id]?.[0]).toBe(USAGE_FLUSH.few);
    expect(await alarmOf()).toBe(now + DAY);
    await setNow(now + DAY);
    await runDurableObjectAlarm(usageStub(t.tenant));
    expect((await readCounts(t.tenant))[id]?.[0]).toBe(USAGE_FLUSH.few + 1);
  });

  it("counts what was stored before the object was killed", async () => {
    const id = await keep("Zebras are striped");
    await use([id]);
    await kill(usageStub(t.tenant) as never);
    await use([id]);
    expect((await t.memory(id)).access_count).toBe(2);
    await usageStub(t.tenant).flush();
    expect((await readCounts(t.tenant))[id]?.[0]).toBe(2);
  });

  it.each([
    "before",
    "during",
    "after",
  ] as const)("that fails %s it is applied is repeated and counts once", async (moment) => {
    const id = await keep("Zebras are striped");
    await use([id]);
    breakBatches({ moment, matching: FLUSH, times: 1 });
    expect(await usageStub(t.tenant).flush()).toBe(false);
    expect(failuresOfD1()).toBe(1);
    mendD1();
    // A use between the two attempts belongs to the second.
    await use([id]);
    await usageStub(t.tenant).flush();
    expect((await readCounts(t.tenant))[id]?.[0]).toBe(2);
    expect((await t.memory(id)).access_count).toBe(2);
  });

  it("whose answer was lost, by an object that is then killed, is not applied twice", async () => {
    const id = await keep("Zebras are striped");
    await use([id]);
    breakBatches({ moment: "after", matching: FLUSH, times: 1 });
    expect(await usageStub(t.tenant).flush()).toBe(false);
    mendD1();
    await kill(usageStub(t.tenant) as never);
    await usageStub(t.tenant).flush();
    expect((await readCounts(t.tenant))[id]?.[0]).toBe(1);
    expect(await usageStub(t.tenant).listPending()).toEqual([]);
  });

  it("by the alarm is retried a minute after D1 did not answer", async () => {
    const id = await keep("Zebras are striped");
    const now = Date.now() + DAY;
    await setNow(now);
    await use([id]);
    breakBatches({ moment: "before", matching: FLUSH, times: 1 });
    await runDurableObjectAlarm(usageStub(t.tenant));
    expect(failuresOfD1()).toBe(1);
    mendD1();
    expect(await alarmOf()).toBe(now + USAGE_FLUSH.retryMs);
    await runDurableObjectAlarm(usageStub(t.tenant));
    expect((await readCounts(t.tenant))[id]?.[0]).toBe(1);
  });

  it("keeps counts that other writes add at the same time", async () => {
    const id = await keep("Zebras are striped");
    await Promise.all([
      keep("Zebras are striped"),
      recallAt(t.tenant, [id], NOON),
      keep("Zebras are striped"),
    ]);
    expect((await t.memory(id)).access_count).toBe(3);
  });
});

describe("counts", () => {
  it("of the row are kept, in the row and in the triples, and added to", async () => {
    const id = await keep("Zebras are striped");
    const subject = `jido:memory_${id}`;
    const old = "2026-01-01T00:00:00.000Z";
    await env.DB.batch([
      env.DB.prepare(
        "UPDATE memories SET access_count = 5, last_accessed = ?, importance = 0.6 WHERE tenant = ?",
      ).bind(old, t.tenant),
      env.DB.prepare(
        "UPDATE triples SET object = '0.6' WHERE tenant = ? AND predicate = 'jido:importanceScore'",
      ).bind(t.tenant),
      ...[
        ["jido:accessCount", "5", "xsd:integer"],
        ["jido:lastAccessed", old, "xsd:dateTime"],
      ].map((values) =>
        env.DB.prepare(
          "INSERT INTO triples (tenant, subject, predicate, object, datatype) VALUES (?, ?, ?, ?, ?)",
        ).bind(t.tenant, subject, ...values),
      ),
    ]);
    expect(await t.memory(id)).toMatchObject({ access_count: 5, last_accessed: old, importance: 0.6 });
    await recallAt(t.tenant, [id], NOON);
    const used = { access_count: 6, last_accessed: NOON, importance: 0.62 };
    expect(await t.memory(id)).toMatchObject(used);
    const { body } = await t.call("GET", `/v1/memories/${id}/triples`);
    const counts = body.data.filter(({ predicate }: { predicate: string }) =>
      predicate.endsWith("#accessCount"),
    );
    expect(counts.map(({ object }: { object: string }) => object)).toEqual(["6"]);
    await rebuild(t.tenant);
    expect(await t.memory(id)).toMatchObject(used);
  });

  it("survive a rebuild of rows that were lost", async () => {
    const ids = await keepMany(3);
    await recallAt(t.tenant, ids.slice(1), NOON);
    // Other rows have taken the numbers when the lost ones are rebuilt.
    await env.DB.prepare("DELETE FROM memories WHERE tenant = ?").bind(t.tenant).run();
    await keep("A lion came by");
    await env.DB.prepare("UPDATE memories SET seq = seq + 4096 WHERE tenant = ?").bind(t.tenant).run();
    await rebuild(t.tenant);
    const counts = await Promise.all(ids.map(async (id) => (await t.memory(id)).access_count));
    expect(counts).toEqual([0, 1, 1]);
    expect(Object.keys(await readCounts(t.tenant)).toSorted()).toEqual(ids.slice(1).toSorted());
  });

  it("of a repeated statement are written in the batch of the statement: three rows in all", async () => {
    await keep("Zebras are striped");
    await keep("Zebras are striped");
    await untilIndexed(t.tenant);
    const d1 = watchD1();
    await keep("Zebras are striped");
    expect(d1.rows).toBeLessThanOrEqual(3);
  });

  it("of an erased memory are erased, in D1 and in the uses that are not flushed", async () => {
    const [id, other] = [await keep("Zebras are striped"), await keep("Lions are not")];
    await recallAt(t.tenant, [id, other], NOON);
    await use([id, other]);
    expect((await t.call("DELETE", `/v1/memories/${id}`)).status).toBe(200);
    expect(Object.keys(await readCounts(t.tenant))).toEqual([other]);
    expect(await usageStub(t.tenant).listPending()).toMatchObject([{ memories: [other] }]);
    const stored = await runInDurableObject(usageStub(t.tenant), (_usage, { storage }) =>
      storage.sql.exec("SELECT use FROM uses").toArray(),
    );
    expect(JSON.stringify(stored)).not.toContain(id);
    expect((await t.memory(other)).access_count).toBe(2);
  });

  it("of a memory that was erased before its use was stored are not kept", async () => {
    const id = await keep("Zebras are striped");
    expect((await t.call("DELETE", `/v1/memories/${id}`)).status).toBe(200);
    await recallAt(t.tenant, [id], NOON);
    expect(await readCounts(t.tenant)).toEqual({});
    expect(await usageStub(t.tenant).listPending()).toEqual([]);
    const stored = await runInDurableObject(usageStub(t.tenant), (_usage, { storage }) =>
      storage.sql.exec("SELECT use FROM uses").toArray(),
    );
    expect(JSON.stringify(stored)).not.toContain(id);
  });

  it("of an erased tenant are erased with it, and a new tenant of its name starts anew", async () => {
    const id = await keep("Zebras are striped");
    await recallAt(t.tenant, [id], NOON);
    await use([id]);
    expect((await callWith("test-admin-key", "DELETE", `/v1/tenants/${t.tenant}`)).status).toBe(200);
    expect(await usageStub(t.tenant).listPending()).toEqual([]);
    for (const table of ["usage_counts", "usage_flushes"]) {
      const row = await env.DB.prepare(`SELECT count(*) AS n FROM ${table} WHERE tenant = ?`)
        .bind(t.tenant)
        .first();
      expect(row, table).toEqual({ n: 0 });
    }
  });
});
