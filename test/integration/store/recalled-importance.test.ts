// What a recall does to a memory: its importance grows, at most once an hour, beside its row and its triples.
import { beforeEach, describe, expect, it } from "vitest";
import { recallAt } from "../usage-support";
import { newTenant, rebuild, type Tenant } from "./long-term-support";

let t: Tenant;
beforeEach(async () => {
  t = await newTenant();
});

async function keep(importance: number, content = "Zebras are striped"): Promise<string> {
  const [result] = await t.store().memories.commit([t.write({ content, importance })]);
  if (!result?.ok) throw new Error("The memory was not written");
  return result.value.memory_id;
}

/** The importance as a caller reads it, in the memory and in its triples, and as it is stored in its row. */
async function importanceOf(id: string): Promise<{ shown: unknown; triple: unknown; stored: unknown }> {
  const { memories } = await t.contents();
  const { body } = await t.call("GET", `/v1/memories/${id}/triples`);
  return {
    shown: (await t.memory(id)).importance,
    triple: body.data.find(({ predicate }: { predicate: string }) => predicate.endsWith("#importanceScore"))
      ?.object,
    stored: memories.find((memory) => memory.id === id)?.importance,
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
      await recallAt(t.tenant, [id], time);
      expect(await importanceOf(id), time).toEqual({
        shown: importance,
        triple: `${importance}`,
        stored: 0.5,
      });
    }
    expect(await t.memory(id)).toMatchObject({ access_count: 6, last_accessed: "2026-03-01T14:10:00.000Z" });
  });

  it("is counted, and does not lower anything, if the clock runs backwards", async () => {
    const id = await keep(0.5);
    await recallAt(t.tenant, [id], "2026-03-01T12:00:00.000Z");
    await recallAt(t.tenant, [id], "2026-03-01T09:00:00.000Z");
    expect(await importanceOf(id)).toMatchObject({ shown: 0.525 });
    expect(await t.memory(id)).toMatchObject({ access_count: 2, last_accessed: "2026-03-01T12:00:00.000Z" });
  });

  it.each([1, 0.9999, 0.99999999])("leaves the full importance %s as it is", async (importance) => {
    const id = await keep(importance);
    await recallAt(t.tenant, [id], "2026-03-02T12:00:00.000Z");
    expect(await importanceOf(id)).toEqual({
      shown: importance,
      triple: `${importance}`,
      stored: importance,
    });
  });

  it("changes no memory but those it returned", async () => {
    const [recalled, other] = [await keep(0.5), await keep(0.5, "Lions are not")];
    await recallAt(t.tenant, [recalled], "2026-03-02T12:00:00.000Z");
    expect(await importanceOf(other)).toEqual({ shown: 0.5, triple: "0.5", stored: 0.5 });
  });

  it("survives a rebuild, whatever the importance was", async () => {
    const starts = [0, 1e-7, 0.1, 1 / 3, 0.123456789, 0.65, 0.7, 0.9998];
    const made = await Promise.all(starts.map((start) => keep(start, `Zebra ${start}`)));
    for (const hour of ["01", "02", "03", "04"])
      await recallAt(t.tenant, made, `2026-03-02T${hour}:00:00.000Z`);
    const before = { contents: await t.contents(), memories: await Promise.all(made.map(t.memory)) };
    expect(before.memories.map(({ access_count }) => access_count)).toEqual(made.map(() => 4));
    await rebuild(t.tenant);
    expect(await t.contents()).toEqual(before.contents);
    expect(await Promise.all(made.map(t.memory))).toEqual(before.memories);
  });

  it("adds to an importance that is set afterwards", async () => {
    const id = await keep(0.5);
    await recallAt(t.tenant, [id], "2026-03-02T12:00:00.000Z");
    const { status } = await t.call("PATCH", `/v1/memories/${id}`, { importance: 0.2 });
    expect(status).toBe(200);
    expect(await importanceOf(id)).toEqual({ shown: 0.2, triple: "0.2", stored: 0.2 });
    await recallAt(t.tenant, [id], "2026-03-02T13:00:00.000Z");
    expect(await importanceOf(id)).toEqual({ shown: 0.24, triple: "0.24", stored: 0.2 });
    expect((await t.memory(id)).access_count).toBe(2);
  });

  it("is undone by setting the importance that the memory had before", async () => {
    const id = await keep(0.5);
    await recallAt(t.tenant, [id], "2026-03-02T12:00:00.000Z");
    expect((await t.call("PATCH", `/v1/memories/${id}`, { importance: 0.5 })).status).toBe(200);
    expect(await importanceOf(id)).toEqual({ shown: 0.5, triple: "0.5", stored: 0.5 });
  });

  it("stays when another field of the memory changes", async () => {
    const id = await keep(0.5);
    await recallAt(t.tenant, [id], "2026-03-02T12:00:00.000Z");
    expect((await t.call("PATCH", `/v1/memories/${id}`, { tags: ["striped"] })).status).toBe(200);
    expect(await importanceOf(id)).toEqual({ shown: 0.525, triple: "0.525", stored: 0.5 });
  });

  it("is not what remembering again is: that is counted and raises nothing", async () => {
    const id = await keep(0.5);
    await keep(0.5);
    expect(await importanceOf(id)).toMatchObject({ shown: 0.5 });
    expect((await t.memory(id)).access_count).toBe(1);
  });
});
