// A write that is sent again, because its answer was lost, is applied once and gives its first result, whatever has
// happened to the memory since. The row of a new memory records the operation that created it.
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { newTenant, rebuild, type Tenant } from "./long-term-support";

let t: Tenant;
beforeEach(async () => {
  t = await newTenant();
});

/** More writes than an isolate remembers. */
const MORE_THAN_REMEMBERED = 2_100;

const FIRST = "The staging shop is reset every night";

/** Writes a memory, changes the store, and sends the same write again. */
async function repeatAfter(change: (id: string) => Promise<unknown>) {
  const write = t.write({ content: FIRST });
  const [first] = await t.store().memories.commit([write]);
  if (!first?.ok) throw new Error("The memory was not written");
  await change(first.value.memory_id);
  const before = await t.contents();
  const [again] = await t.store().memories.commit([write]);
  return { first, again, isUnchanged: JSON.stringify(await t.contents()) === JSON.stringify(before) };
}

const countOperations = async () =>
  (await env.DB.prepare("SELECT count(*) AS n FROM operations WHERE tenant = ?")
    .bind(t.tenant)
    .first<number>("n")) ?? 0;

describe("a write that is repeated", () => {
  it.each<[string, (id: string) => Promise<unknown>]>([
    ["at once", async () => undefined],
    ["after the memory was forgotten", (id) => t.forget({ memory_id: id })],
    [
      "after its content was changed",
      (id) => t.call("PATCH", `/v1/memories/${id}`, { content: "The staging shop is reset every week" }),
    ],
    ["after the memory was erased", (id) => t.call("DELETE", `/v1/memories/${id}`)],
    [
      "after the memory was erased, in an isolate that has written much since",
      async (id) => {
        await t.call("DELETE", `/v1/memories/${id}`);
        const other = await newTenant();
        const many = Array.from({ length: MORE_THAN_REMEMBERED }, (_, i) =>
          other.write({ content: `Till ${i}` }),
        );
        await other.store().memories.commit(
          many.map((write) => ({
            ...write,
            memory: { ...write.memory, session_id: null, agent_id: "ada" },
          })),
        );
      },
    ],
    ["after the read model was rebuilt", () => rebuild(t.tenant)],
    [
      "after another caller remembered the same",
      () => t.store().memories.commit([t.write({ content: FIRST })]),
    ],
  ])("%s has its first result and changes nothing", async (_when, change) => {
    const { first, again, isUnchanged } = await repeatAfter(change);
    expect(again).toEqual(first);
    expect(isUnchanged).toBe(true);
  });

  it("adds no row to the log of operations, unless its result does not follow from its memory", async () => {
    const write = t.write({ content: FIRST });
    await t.store().memories.commit([write]);
    expect(await countOperations()).toBe(0);
    const again = t.write({ content: FIRST });
    const [merged] = await t.store().memories.commit([again]);
    expect(merged).toMatchObject({ value: { deduplicated: true } });
    expect(await countOperations()).toBe(1);
    expect(await t.store().memories.commit([again])).toEqual([merged]);
  });

  it("is recognised in a batch with new ones", async () => {
    const [old, fresh] = [t.write({ content: FIRST }), t.write({ content: "The till is in the cellar" })];
    const [first] = await t.store().memories.commit([old]);
    expect(await t.store().memories.commit([old, fresh])).toMatchObject([
      { ...first },
      { value: { deduplicated: false } },
    ]);
  });
});
