import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type BriefingItem,
  type BriefingList,
  fitToBudget,
  ITEMS_PER_LIST,
} from "../../../src/experience/briefing/detail-levels";
import { countTokens } from "../../../src/language/token-count";

const LISTS = ["patterns", "lessons", "skills", "episodes"] as const;

function item(
  list: BriefingList,
  id: string,
  score: number,
  words = 8,
  unweightedScore = score,
): BriefingItem {
  const texts = {
    index: `- [${id}] name`,
    timeline: `- [${id}] name${" gist".repeat(words)}`,
    full: `- [${id}] name${" gist".repeat(words)}\n  - More:${" all".repeat(words * 4)}`,
  };
  return { list, id, score, unweightedScore, texts };
}

const toldOf = (items: readonly BriefingItem[], budget: number) =>
  Object.fromEntries([...fitToBudget(items, budget).levels].map(([{ id }, layer]) => [id, layer]));

const anyItem = fc
  .record({
    list: fc.constantFrom(...LISTS),
    id: fc.stringMatching(/^[a-z]{1,6}$/),
    score: fc.constantFrom(0, 0.1, 0.5, 0.9),
    unweightedScore: fc.constantFrom(0, 0.5),
    texts: fc.tuple(
      fc.string({ unit: "binary", maxLength: 40 }),
      fc.string({ unit: "grapheme", maxLength: 120 }),
      fc.string({ unit: "binary", maxLength: 400 }),
    ),
  })
  .map(({ texts: [index, timeline, full], ...rest }) => ({ ...rest, texts: { index, timeline, full } }));
const anyItems = fc.array(anyItem, { maxLength: 30 });
const anyBudget = fc.oneof(fc.integer({ min: 50, max: 400 }), fc.integer({ min: 50, max: 32_000 }));

describe("detail levels", () => {
  it("with a limit are for the best of all lists, by weight, and for the best lesson in any case", () => {
    const items = [
      item("episodes", "e1", 0.9),
      item("episodes", "e2", 0.8),
      item("episodes", "e3", 0.7),
      item("patterns", "p1", 0.5),
      item("patterns", "p2", 0.4),
      item("lessons", "l1", 0, 8, 0.6),
    ];
    const select = (limit: number) => [...fitToBudget(items, 8_000, limit).levels.keys()].map(({ id }) => id);
    expect(select(1)).toEqual(["e1"]);
    expect(select(3)).toEqual(["e1", "e2", "l1"]);
    expect(select(5)).toEqual(["e1", "e2", "e3", "p1", "l1"]);
    expect(select(40)).toEqual(["e1", "e2", "e3", "p1", "p2", "l1"]);
  });

  it("never exceed a limit, and fill it if there are enough items", () => {
    fc.assert(
      fc.property(anyItems, fc.integer({ min: 1, max: 12 }), (items, limit) => {
        expect(fitToBudget(items, 32_000, limit).levels.size).toBe(Math.min(limit, items.length));
      }),
    );
  });

  it("are full for all items when the budget allows, each list under its heading", () => {
    const { levels, prompt, tokens } = fitToBudget(
      [item("episodes", "e1", 0.1, 1), item("patterns", "p2", 0.2, 1), item("patterns", "p1", 0.3, 1)],
      2_000,
    );
    expect([...levels.values()]).toEqual(["full", "full", "full"]);
    expect(prompt).toBe(
      [
        "## Relevant patterns",
        "- [p1] name gist",
        "  - More: all all all all",
        "- [p2] name gist",
        "  - More: all all all all",
        "",
        "## Similar episodes",
        "- [e1] name gist",
        "  - More: all all all all",
      ].join("\n"),
    );
    expect(tokens).toEqual({ used: countTokens(prompt), budget: 2_000, saved: 0 });
  });

  it("give each item an index line before any item gets more", () => {
    const items = [item("patterns", "a", 0.9), item("lessons", "b", 0.5), item("skills", "c", 0.1)];
    expect(toldOf(items, 42)).toEqual({ a: "timeline", b: "index", c: "index" });
  });

  it("rise for the best items first, all to a gist before one to full", () => {
    const items = [item("patterns", "a", 0.9), item("patterns", "b", 0.5), item("episodes", "c", 0.1)];
    const layers = [36, 46, 60, 90, 130, 200].map((budget) => toldOf(items, budget));
    expect(layers).toEqual([
      { a: "timeline", b: "index", c: "index" },
      { a: "timeline", b: "timeline", c: "index" },
      { a: "timeline", b: "timeline", c: "timeline" },
      { a: "full", b: "timeline", c: "timeline" },
      { a: "full", b: "full", c: "timeline" },
      { a: "full", b: "full", c: "full" },
    ]);
  });

  it("skip an item that does not fit and continue with the next", () => {
    const items = [item("patterns", "long", 0.9, 500), item("patterns", "short", 0.5, 2)];
    expect(toldOf(items, 100)).toEqual({ long: "index", short: "full" });
  });

  it("select the best five of a list, by score, then unweighted score, then id", () => {
    const items = ["d", "c", "b", "a"].map((id) => item("lessons", id, 0, 1, 0.5));
    const levels = toldOf([...items, item("lessons", "x", 0, 1, 0.9), item("lessons", "z", 0.1, 1)], 2_000);
    expect(Object.keys(levels)).toEqual(["z", "x", "a", "b", "c"]);
  });

  it("include items of weight 0, last", () => {
    const items = [
      item("lessons", "mistake", 0, 8, 0.9),
      item("patterns", "a", 0.1),
      item("skills", "b", 0.2),
    ];
    expect(toldOf(items, 2_000)).toHaveProperty("mistake", "full");
    expect(toldOf(items, 34)).toHaveProperty("mistake", "index");
    expect(toldOf(items, 22)).toEqual({ b: "index", a: "index" });
  });

  it("report the tokens saved against all candidates in full, including those beyond five", () => {
    const items = Array.from({ length: 12 }, (_, n) => item("patterns", `p${n}`, 1 - n / 20));
    const all = ["## Relevant patterns", ...items.map(({ texts }) => texts.full)].join("\n");
    const { tokens } = fitToBudget(items, 100);
    expect(tokens.saved).toBe(countTokens(all) - tokens.used);
  });

  it("give an empty prompt of no tokens without items", () => {
    expect(fitToBudget([], 2_000)).toEqual({
      levels: new Map(),
      prompt: "",
      tokens: { used: 0, budget: 2_000, saved: 0 },
    });
  });

  it("never exceed the budget and count the prompt exactly, for any texts", () => {
    fc.assert(
      fc.property(anyItems, anyBudget, (items, budget) => {
        const { levels, prompt, tokens } = fitToBudget(items, budget);
        expect(tokens.used).toBe(countTokens(prompt));
        expect(tokens.used).toBeLessThanOrEqual(budget);
        expect(tokens.saved).toBeGreaterThanOrEqual(0);
        expect(prompt === "").toBe(levels.size === 0);
        for (const [{ texts }, layer] of levels) expect(prompt).toContain(texts[layer]);
        for (const list of LISTS) {
          const those = [...levels.keys()].filter((one) => one.list === list);
          expect(those.length).toBeLessThanOrEqual(ITEMS_PER_LIST);
        }
      }),
    );
  });

  it("do not depend on the order of the candidates", () => {
    const distinct = fc.uniqueArray(anyItem, { selector: ({ id }) => id, maxLength: 20 });
    fc.assert(
      fc.property(distinct, anyBudget, (items, budget) => {
        const { prompt, tokens } = fitToBudget(items.toReversed(), budget);
        expect({ prompt, tokens }).toEqual({
          prompt: fitToBudget(items, budget).prompt,
          tokens: fitToBudget(items, budget).tokens,
        });
      }),
    );
  });
});
