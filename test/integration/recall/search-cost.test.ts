// What a search may cost: how many postings of the text index it reads, and whose.
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import type { SearchTarget } from "../../../src/memories/store/namespace";
import type { RecallRequest } from "../../../src/recall/search/search";
import { asking, forgetModel, newSemanticTenant, type SemanticTenant, said } from "../semantic-support";
import { freshId } from "../support";

beforeEach(forgetModel);

const byText: Partial<RecallRequest> = { mode: "text", sources: ["messages"], limit: 50 };
const find = (t: SemanticTenant, query: string, scope: SearchTarget = { kind: "tenant" }) =>
  t.found(query, byText, scope);
/** Apart from each other, so that no message is found by its neighbours. */
const say = async (t: SemanticTenant, contents: Record<string, string>, more: object = {}) => {
  for (const [id, content] of Object.entries(contents))
    await t.say([said(id, content)], { session_id: freshId("session"), ...more });
};
const some = (word: string, count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`${word}${i}`, `${word} number${i}`]));

describe("a budget of postings", () => {
  const TALK = {
    ...some("meadow", 12),
    ...some("harbour", 6),
    rare: "zeppelin alone",
    both: "zeppelin harbour",
    three: "zeppelin meadow",
  };

  it("rare terms select the rows, common ones only rank them, and the most common are left out", async () => {
    const t = await newSemanticTenant({ settings: { SEARCH_POSTINGS: "4" } });
    await say(t, TALK);
    const ids = await find(t, "zeppelin harbour meadow");
    expect(ids.toSorted()).toEqual(["both", "rare", "three"]);
    // "harbour" fits into three times the budget, "meadow" does not: it raises no row.
    expect(ids[0]).toBe("both");
    const { hits } = await t.search.recall({ kind: "tenant" }, asking("zeppelin harbour meadow", byText));
    const scores = new Map(hits.map(({ id, signals }) => [id, signals.lexical]));
    expect(scores.get("three")).toBeCloseTo(scores.get("rare") ?? 0, 1);
  });

  it("holds in a narrower scope and with a metadata filter, too", async () => {
    const t = await newSemanticTenant({ settings: { SEARCH_POSTINGS: "4" } });
    await say(t, TALK, { project_id: "lab" });
    expect((await find(t, "zeppelin harbour", { kind: "project", id: "lab" })).toSorted()).toEqual([
      "both",
      "rare",
      "three",
    ]);
    await Promise.all(
      [...Array(8).keys()].map((i) => t.keep(`harbour memory ${i}`, { metadata: { team: "blue" } })),
    );
    await t.keep("zeppelin memory", { metadata: { team: "blue" } });
    const filtered = await t.search.recall(
      { kind: "tenant" },
      asking("zeppelin harbour", { mode: "text", limit: 50, filter: { "metadata.team": "blue" } }),
    );
    expect(filtered.hits).toMatchObject([{ content: "zeppelin memory" }]);
  });

  it("a term that exceeds it alone finds its newest rows", async () => {
    const t = await newSemanticTenant({ settings: { SEARCH_POSTINGS: "4" } });
    await say(t, some("harbour", 10));
    expect((await find(t, "harbour")).toSorted()).toEqual(["harbour6", "harbour7", "harbour8", "harbour9"]);
  });

  it("is not reached by ordinary questions: every term selects rows", async () => {
    const t = await newSemanticTenant();
    await say(t, TALK);
    expect(await find(t, "zeppelin harbour meadow")).toHaveLength(21);
  });

  it("at 0 there is none", async () => {
    const t = await newSemanticTenant({ settings: { SEARCH_POSTINGS: "0" } });
    await say(t, some("harbour", 10));
    expect(await find(t, "harbour")).toHaveLength(10);
  });
});

describe("the number of a term's rows", () => {
  /** Counts the D1 rows that the batches of a binding read. */
  function countRows() {
    const count = { rows: 0 };
    const DB = new Proxy(env.DB, {
      get(d1, name) {
        const value: unknown = Reflect.get(d1, name, d1);
        if (typeof value !== "function") return value;
        if (name !== "batch") return value.bind(d1);
        return async (statements: D1PreparedStatement[]) => {
          const results = await d1.batch(statements);
          for (const { meta } of results) count.rows += meta.rows_read;
          return results;
        };
      },
    });
    return { count, DB };
  }
  const tell = (t: SemanticTenant, from: number, count: number, text: (i: number) => string) =>
    t.say(
      Array.from({ length: count }, (_, i) => said(`m${from + i}`, text(from + i))),
      { session_id: freshId("session") },
    );

  it("is estimated from a few: a search reads each matching row once", async () => {
    const { count, DB } = countRows();
    const t = await newSemanticTenant({ settings: { DB } });
    await tell(t, 0, 400, (i) => `harbour number${i}`);
    count.rows = 0;
    expect(await find(t, "harbour")).toHaveLength(50);
    // 400 matches, 128 samples, and 150 candidates twice: in their order, and their rows. Counting would read 272 more.
    expect(count.rows).toBeGreaterThan(400);
    expect(count.rows).toBeLessThan(1_000);
  });

  it("is counted if the estimates come near the budget: rows that lie together are not taken for more", async () => {
    const t = await newSemanticTenant({ settings: { SEARCH_POSTINGS: "100" } });
    await tell(t, 0, 70, (i) => `harbour number${i}`);
    await tell(t, 70, 200, (i) => `filler number${i}`);
    await say(t, { rare: "zeppelin alone" });
    // By their density, 70 rows at one end of 271 would be as many as the budget excludes.
    expect(await find(t, "zeppelin harbour")).toHaveLength(50);
  });
});

describe("beginnings and insides of words", () => {
  it("are looked for with the four longest unknown terms", async () => {
    const t = await newSemanticTenant();
    await say(t, {
      a: "aaaaaaaaone",
      b: "bbbbbbbone",
      c: "ccccccone",
      d: "dddddone",
      e: "eeeeone",
      f: "xxxaaaaaaaayyy",
    });
    const query = "aaaaaaaa bbbbbbb cccccc ddddd eeee";
    expect((await find(t, query)).toSorted()).toEqual(["a", "b", "c", "d"]);
    expect((await find(t, "eeee")).toSorted()).toEqual(["e"]);
  });

  it("are looked for in the first 4,000 characters of a text", async () => {
    const t = await newSemanticTenant();
    const filler = "filler ".repeat(600);
    await say(t, { near: `Datenbankverbindung ${filler}`, far: `${filler} Netzwerkverbindung` });
    expect(await find(t, "bankverbind")).toEqual(["near"]);
    expect(await find(t, "werkverbind")).toEqual([]);
  });
});

describe("the rows of other tenants", () => {
  it("are not read twice: FTS5 counts the rows of each term once more if it sorts by rank itself", async () => {
    const t = await newSemanticTenant();
    await t.keep("A zeppelin lands");
    const statements: string[] = [];
    const DB = new Proxy(env.DB, {
      get(d1, name) {
        const value: unknown = Reflect.get(d1, name, d1);
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => {
          if (name === "prepare") statements.push(String(args[0]));
          return Reflect.apply(value, d1, args);
        };
      },
    });
    const watched = await newSemanticTenant({ settings: { DB } });
    await watched.keep("A zeppelin lands");
    await watched.found("zeppelin", { mode: "text" }, { kind: "tenant" });
    const ranked = statements.filter((statement) => statement.includes("f.rank"));
    expect(ranked.length).toBeGreaterThan(0);
    for (const statement of ranked) {
      const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${statement}`)
        .bind(...Array.from(statement.matchAll(/\?/g), () => null))
        .all<{ detail: string }>();
      const scan = results.find(({ detail }) => /f VIRTUAL TABLE INDEX/.test(detail) && detail.includes("M"));
      // The flags of FTS5's plan: 32 is a sort by rank.
      const [, flags = "0"] = /INDEX (\d+):/.exec(scan?.detail ?? "") ?? [];
      expect(Number(flags) & 32).toBe(0);
    }
  });
});
