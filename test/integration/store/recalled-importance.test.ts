// What a recall does to a memory: its importance grows, at most once an hour, in the row and in the triples alike.
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { createLongTermMemory } from "../../../src/search/long-term-memory";
import { newTenant, rebuild, type Tenant } from "./long-term-support";

let t: Tenant;
beforeEach(async () => {
  t = await newTenant();
});

const storeAt = (time: string) => {
  const { store } = createLongTermMemory(env, t.tenant, { now: () => Date.parse(time) });
  return store.memories;
};

async function keep(importance: number, content = "Zebras are striped"): Promise<string> {
  const [result] = await t.store().memories.commit([t.write({ content, importance })]);
  if (result?.status !== "written") throw new Error("The memory was not written");
  return result.memory_id;
}

async function importanceOf(id: string): Promise<{ row: unknown; triple: string | undefined }> {
  const { memories, triples } = await t.contents();
  return {
    row: memories.find((memory) => memory.id === id)?.importance,
    triple: triples.find(
      ({ subject, predicate }) => subject === `jido:memory_${id}` && predicate === "jido:importanceScore",
    )?.object,
  };
}

describe("a recall", () => {
  it("raises the importance by a twentieth of what is missing: at first, then once per hour of the clock", async () => {
    const id = await keep(0.5);
    for (const [time, importance] of [
      ["2026-03-01T12:00:00.000Z", 0.525],
      ["2026-03-01T12:00:01.000Z", 0.525],
      ["2026-03-01T12:59:59.999Z", 0.525],
      ["2026-03-01T13:00:00.000Z", 0.54875],
      ["2026-03-01T13:30:00.000Z", 0.54875],
      ["2026-03-01T14:10:00.000Z", 0.571313],
    ] as const) {
      await storeAt(time).recordRecall([id]);
      expect(await importanceOf(id), time).toEqual({ row: importance, triple: `${importance}` });
    }
    expect(await t.memory(id)).toMatchObject({ access_count: 6, last_accessed: "2026-03-01T14:10:00.000Z" });
  });

  it("is counted, and does not lower anything, if the clock runs backwards", async () => {
    const id = await keep(0.5);
    await storeAt("2026-03-01T12:00:00.000Z").recordRecall([id]);
    await storeAt("2026-03-01T09:00:00.000Z").recordRecall([id]);
    expect(await importanceOf(id)).toMatchObject({ row: 0.525 });
    expect(await t.memory(id)).toMatchObject({ access_count: 2, last_accessed: "2026-03-01T12:00:00.000Z" });
  });

  it.each([1, 0.9999, 0.99999999])("leaves the full importance %s as it is", async (importance) => {
    const id = await keep(importance);
    await storeAt("2026-03-02T12:00:00.000Z").recordRecall([id]);
    expect(await importanceOf(id)).toEqual({ row: importance, triple: `${importance}` });
  });

  it("changes no memory but those it returned", async () => {
    const [recalled, other] = [await keep(0.5), await keep(0.5, "Lions are not")];
    await storeAt("2026-03-02T12:00:00.000Z").recordRecall([recalled]);
    expect(await importanceOf(other)).toEqual({ row: 0.5, triple: "0.5" });
  });

  it("survives a rebuild to the byte, whatever the importance was", async () => {
    const starts = [0, 1e-7, 0.1, 1 / 3, 0.123456789, 0.65, 0.7, 0.9998];
    const made = await Promise.all(starts.map((start) => keep(start, `Zebra ${start}`)));
    for (const hour of ["01", "02", "03", "04"])
      await storeAt(`2026-03-02T${hour}:00:00.000Z`).recordRecall(made);
    const before = await t.contents();
    await rebuild(t.tenant);
    expect(await t.contents()).toEqual(before);
    for (const id of made) {
      const { row, triple } = await importanceOf(id);
      expect(triple).toBe(`${row}`);
    }
  });

  it("that is concurrent raises it once", async () => {
    const id = await keep(0.5);
    const store = storeAt("2026-03-02T12:00:00.000Z");
    await Promise.all(Array.from({ length: 5 }, () => store.recordRecall([id])));
    expect(await importanceOf(id)).toEqual({ row: 0.525, triple: "0.525" });
    expect((await t.memory(id)).access_count).toBe(5);
  });

  it("is not what remembering again is: that is counted and raises nothing", async () => {
    const id = await keep(0.5);
    await keep(0.5);
    expect(await importanceOf(id)).toMatchObject({ row: 0.5 });
    expect((await t.memory(id)).access_count).toBe(1);
  });
});
