// The conformance suite of providers; providers.test.ts runs it for each.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Provider } from "../../../src/cognition/providers/provider";
import type { ProviderOptions } from "../../../src/cognition/runtime/thread-schemas";
import type { Json } from "../../../src/kernel/json";
import { COGNITION } from "../../../src/kernel/limits";
import { scaleCases } from "../../patience";
import { freshId } from "../support";

export type Owner = { tenant: string; session: string };

export type ProviderSubject = {
  /** Opens the provider of a session; all providers of one subject share their storage. */
  open: (owner: Owner, options?: ProviderOptions) => Provider;
  /** Completes the asynchronous work of the backend. */
  settled: () => Promise<void>;
};

/** Whether sessions of a tenant share a store by its name. */
export type Traits = { shares: boolean };

export function describeProvider(
  name: string,
  start: () => ProviderSubject | Promise<ProviderSubject>,
  { shares }: Traits,
): void {
  const owner = (): Owner => ({ tenant: freshId("tenant"), session: freshId("session") });

  async function setUp(options: ProviderOptions = {}) {
    const subject = await start();
    const me = owner();
    const provider = subject.open(me, options);
    const find = async (text: string, top_k = 10, from = provider) =>
      (await from.query({ text, top_k })).map(({ key }) => key);
    return { ...subject, me, provider, find };
  }

  describe(`${name}: items`, () => {
    it("that were put are returned in request order", async () => {
      const { provider } = await setUp();
      await provider.put([
        { key: "a", value: "amber" },
        { key: "b", value: "birch" },
        { key: "c", value: "cedar" },
      ]);
      expect(await provider.get(["c", "none", "a", "c"])).toEqual([
        { key: "c", value: "cedar" },
        { key: "a", value: "amber" },
      ]);
      expect(await provider.get(["none"])).toEqual([]);
    });

    it("that are put again are replaced, and not found by their old text", async () => {
      const { provider, find, settled } = await setUp();
      await provider.put([{ key: "a", value: "amber lantern" }]);
      await settled();
      await provider.put([{ key: "a", value: "violet meadow" }]);
      for (const moment of ["at once", "later"]) {
        expect(await provider.get(["a"]), moment).toEqual([{ key: "a", value: "violet meadow" }]);
        expect(await find("lantern"), moment).toEqual([]);
        expect(await find("meadow"), moment).toEqual(["a"]);
        await settled();
      }
    });

    it("with one key in one call are stored as the last of them", async () => {
      const { provider, find } = await setUp();
      await provider.put([
        { key: "a", value: "amber lantern" },
        { key: "a", value: "violet meadow" },
      ]);
      expect(await provider.get(["a"])).toEqual([{ key: "a", value: "violet meadow" }]);
      expect(await find("lantern")).toEqual([]);
    });

    it("may be any JSON, and are returned unchanged", async () => {
      const { provider } = await setUp();
      const values: Json[] = [
        "",
        "plain",
        0,
        -1.5e-7,
        9_007_199_254_740_991,
        true,
        false,
        null,
        [],
        {},
        [1, [null, { deep: ["er"] }]],
        { text: "said", nested: { "odd name ✓": 'ʼquoted" \\ and\nbroken' } },
      ];
      const items = values.map((value, i) => ({ key: `k${i}`, value }));
      await provider.put(items);
      expect(await provider.get(items.map(({ key }) => key))).toEqual(items);
    });

    it("may have keys and texts in any script", async () => {
      const { provider, find } = await setUp();
      const items = [
        { key: "日本語の鍵", value: "東京タワーは赤い" },
        { key: "'; DROP TABLE items; --", value: 'NEAR("x" *) AND : ^' },
        { key: "emoji 👩‍👩‍👧", value: "🙂🙃" },
        { key: "a/b?c=d#e %20", value: "crème brûlée" },
        { key: "Ключ", value: "Здравствуй дивный мир" },
      ];
      await provider.put(items);
      expect(await provider.get(items.map(({ key }) => key))).toEqual(items);
      expect(await find("Здравствуй")).toEqual(["Ключ"]);
      expect(await provider.delete(items.map(({ key }) => key))).toBe(items.length);
    });

    it("can be put and deleted by the hundred in one call", async () => {
      const { provider, find } = await setUp();
      const items = Array.from({ length: COGNITION.itemsPerDirective }, (_, i) => ({
        key: `k${i}`,
        value: `lantern ${"x".repeat(COGNITION.itemBytes - 100)}`,
      }));
      const keys = items.map(({ key }) => key);
      await provider.put(items);
      expect((await provider.get(keys)).map(({ key }) => key)).toEqual(keys);
      expect(await find("lantern", COGNITION.topK)).toHaveLength(COGNITION.topK);
      expect(await provider.delete(keys)).toBe(keys.length);
      expect(await find("lantern")).toEqual([]);
    });
  });

  describe(`${name}: queries`, () => {
    const LADDER = [
      { key: "k1", value: "amber" },
      { key: "k2", value: "amber harbour" },
      { key: "k3", value: "amber harbour lantern" },
      { key: "k4", value: "violet meadow" },
    ];

    it("return only matches, best first, with scores from 0 to 1", async () => {
      const { provider, settled } = await setUp();
      await provider.put(LADDER);
      for (const moment of ["at once", "later"]) {
        const matches = await provider.query({ text: "amber harbour lantern", top_k: 10 });
        expect(
          matches.map(({ key }) => key),
          moment,
        ).toEqual(["k3", "k2", "k1"]);
        expect(matches.map(({ value }) => value)).toEqual([
          "amber harbour lantern",
          "amber harbour",
          "amber",
        ]);
        const scores = matches.map(({ score }) => score);
        expect(scores).toEqual(scores.toSorted((a, b) => b - a));
        for (const score of scores) expect(score).toBeGreaterThan(0);
        for (const score of scores) expect(score).toBeLessThanOrEqual(1);
        expect(scores[0]).toBeGreaterThan(0.9);
        await settled();
      }
    });

    it("return at most top_k matches", async () => {
      const { provider, find } = await setUp();
      await provider.put(LADDER);
      expect(await find("amber harbour lantern", 1)).toEqual(["k3"]);
      expect(await find("amber harbour lantern", 2)).toEqual(["k3", "k2"]);
    });

    it.each(["giraffe", "?!", "🙂", "\u0301"])("without a match return nothing: %j", async (text) => {
      const { provider, find } = await setUp();
      expect(await find(text)).toEqual([]);
      await provider.put(LADDER);
      expect(await find(text)).toEqual([]);
    });

    it("search the values of objects and the words of keys", async () => {
      const { provider, find } = await setUp();
      await provider.put([
        { key: "k1", value: { id: 7, text: "amber harbour" } },
        { key: "k2", value: { place: { content: ["violet meadow"] }, degrees: 2250 } },
        { key: "favouriteDrink", value: true },
        { key: "opening_hours", value: null },
      ]);
      expect(await find("harbour")).toEqual(["k1"]);
      expect(await find("meadow")).toEqual(["k2"]);
      expect(await find("2250")).toEqual(["k2"]);
      expect(await find("drink")).toEqual(["favouriteDrink"]);
      expect(await find("opening hours")).toEqual(["opening_hours"]);
    });
  });

  describe(`${name}: a write`, () => {
    it("is seen by the next call, repeatedly", async () => {
      const { provider, find } = await setUp();
      for (const n of [1, 2, 3]) {
        await provider.put([{ key: `k${n}`, value: "lantern" }]);
        expect((await find("lantern")).toSorted()).toEqual(Array.from({ length: n }, (_, i) => `k${i + 1}`));
      }
      for (const n of [1, 2, 3]) {
        expect(await provider.delete([`k${n}`])).toBe(1);
        expect(await find("lantern")).toHaveLength(3 - n);
      }
    });

    it("is idempotent", async () => {
      const { provider, settled } = await setUp();
      const items = [
        { key: "a", value: "amber lantern" },
        { key: "b", value: "amber" },
      ];
      await provider.put(items);
      const found = await provider.query({ text: "amber", top_k: 5 });
      await provider.put(items);
      await settled();
      await provider.put(items);
      expect(await provider.get(["a", "b"])).toEqual(items);
      const again = await provider.query({ text: "amber", top_k: 5 });
      expect(again.map(({ key }) => key)).toEqual(found.map(({ key }) => key));
      expect(await provider.delete(["a", "none", "a"])).toBe(1);
      expect(await provider.delete(["a", "none", "a"])).toBe(0);
      expect(await provider.get(["a", "b"])).toEqual([{ key: "b", value: "amber" }]);
    });

    it("that deletes an item hides it at once and for good, until it is put again", async () => {
      const { provider, find, settled } = await setUp();
      await provider.put([
        { key: "a", value: "amber lantern" },
        { key: "b", value: "lantern" },
      ]);
      await settled();
      expect(await provider.delete(["a"])).toBe(1);
      for (const _ of ["at once", "later"]) {
        expect(await find("amber lantern")).toEqual(["b"]);
        expect(await provider.get(["a"])).toEqual([]);
        await settled();
      }
      await provider.put([{ key: "a", value: "amber lantern" }]);
      expect(await find("amber lantern")).toEqual(["a", "b"]);
    });

    it("leaves the state of a map, after any sequence of calls", async () => {
      const keys = ["k1", "k2", "k3", "k4"];
      const words = ["amber", "harbour", "lantern", "violet"];
      const word = fc.constantFrom(...words);
      const item = fc.record({
        key: fc.constantFrom(...keys),
        value: fc.array(word, { minLength: 1, maxLength: 3 }),
      });
      const call = fc.oneof(
        fc.record({ put: fc.array(item, { minLength: 1, maxLength: 4 }) }),
        fc.record({ delete: fc.subarray(keys, { minLength: 1 }) }),
        fc.constant({ settled: true }),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 6 }), word, async (calls, asked) => {
          const { provider, settled } = await setUp();
          const model = new Map<string, Json>();
          for (const each of calls) {
            if ("put" in each) {
              await provider.put(each.put);
              for (const { key, value } of each.put) model.set(key, value);
            } else if ("delete" in each) {
              expect(await provider.delete(each.delete)).toBe(
                each.delete.filter((key) => model.delete(key)).length,
              );
            } else await settled();
          }
          expect(await provider.get(keys)).toEqual(
            keys.flatMap((key) => (model.has(key) ? [{ key, value: model.get(key) }] : [])),
          );
          const found = (await provider.query({ text: asked, top_k: 10 })).map(({ key }) => key);
          const having = keys.filter((key) => (model.get(key) as string[] | undefined)?.includes(asked));
          expect(found.toSorted()).toEqual(having);
        }),
        { numRuns: scaleCases(12) },
      );
    });
  });

  describe(`${name}: stores`, () => {
    const item = (value: string) => ({ key: "a", value });

    it("of different sessions, tenants and names are separate", async () => {
      const { open, me, provider, find, settled } = await setUp();
      const others = [
        open({ ...me, session: freshId("session") }),
        open({ ...me, tenant: freshId("tenant") }),
        open(me, { index: "notes" }),
        open(me, { index: me.session }),
        open({ ...me, tenant: freshId("tenant") }, { index: "notes" }),
      ];
      await provider.put([item("lantern")]);
      for (const [i, other] of others.entries()) await other.put([item(`lantern ${1000 + i}`)]);
      for (const _ of ["at once", "later"]) {
        for (const [i, other] of others.entries()) {
          expect(await other.get(["a"])).toEqual([item(`lantern ${1000 + i}`)]);
          // The others would rank before it if they were searched.
          for (const top_k of [1, 10])
            expect(await other.query({ text: "lantern", top_k })).toMatchObject([
              { value: `lantern ${1000 + i}` },
            ]);
        }
        await settled();
      }
      for (const other of others) expect(await other.delete(["a"])).toBe(1);
      expect(await provider.get(["a"])).toEqual([item("lantern")]);
      expect(await find("lantern")).toEqual(["a"]);
    });

    it("outlive the provider that opened them", async () => {
      const { open, me, provider, find } = await setUp({ index: "notes" });
      await provider.put([item("lantern")]);
      const again = open(me, { index: "notes" });
      expect(await find("lantern", 5, again)).toEqual(["a"]);
    });

    it(`by name are ${shares ? "shared by a tenant's sessions" : "the session's own"}`, async () => {
      const { open, me, provider } = await setUp({ index: "notes" });
      await provider.put([item("lantern")]);
      const other = open({ ...me, session: freshId("session") }, { index: "notes" });
      expect(await other.get(["a"])).toEqual(shares ? [item("lantern")] : []);
      expect(await other.query({ text: "lantern", top_k: 5 })).toHaveLength(shares ? 1 : 0);
    });
  });
}
