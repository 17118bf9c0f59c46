// LangGraph's store on Kioku. What the package's own in-memory store does, this one does: one table, run on both.
import { type BaseStore, InMemoryStore, type Item, type Operation } from "@langchain/langgraph-checkpoint";
import { KiokuStore } from "kioku/langgraph";
import { describe, expect, it } from "vitest";
import { fresh } from "../support/client";
import { sharedServer } from "../support/http-service";
import { kiokuOf, outcomeOf } from "./adapters";

const service = sharedServer();
const open = (options = {}) =>
  new KiokuStore(kiokuOf(service.api), { project_id: fresh("store"), ...options });

/** Each takes an empty store and tells what it sees. */
const CASES: Record<string, (store: BaseStore) => Promise<unknown>> = {
  "gives back what was put": async (store) => {
    await store.put(["users", "ada"], "prefs", { theme: "dark", nested: { list: [1, null, "é", true] } });
    const item = await store.get(["users", "ada"], "prefs");
    return [item?.namespace, item?.key, item?.value];
  },
  "has nothing where nothing was put": async (store) => store.get(["users", "ada"], "prefs"),
  "keeps when an item was made, and moves when it was changed": async (store) => {
    await store.put(["a"], "k", { n: 1 });
    const first = await store.get(["a"], "k");
    const made = first?.createdAt.getTime() ?? Number.NaN;
    await new Promise((resolve) => setTimeout(resolve, 5));
    await store.put(["a"], "k", { n: 2 });
    const second = await store.get(["a"], "k");
    return [
      second?.value,
      second?.createdAt.getTime() === made,
      (second?.updatedAt.getTime() ?? Number.NaN) > made,
    ];
  },
  "tells values apart that differ in case, spaces or a full stop": async (store) => {
    for (const text of ["Tea", "tea", "tea.", "tea ", "Tea"]) await store.put(["a"], "k", { text });
    await store.put(["A"], "k", { text: "Tea" });
    await store.put(["a"], "K", { text: "Tea" });
    const items = await store.search(["a"]);
    return [items.map(({ key, value }) => [key, value]), (await store.get(["A"], "k"))?.value];
  },
  "deletes by a null, and by delete": async (store) => {
    await store.put(["a"], "k", { n: 1 });
    await store.put(["a"], "l", { n: 1 });
    await store.batch([{ namespace: ["a"], key: "k", value: null }]);
    await store.delete(["a"], "l");
    await store.delete(["a"], "never there");
    return [await store.get(["a"], "k"), await store.get(["a"], "l"), await store.search(["a"])];
  },
  "begins anew after a delete": async (store) => {
    await store.put(["a"], "k", { n: 1 });
    await store.delete(["a"], "k");
    await store.put(["a"], "k", { n: 1 });
    return (await store.get(["a"], "k"))?.value;
  },
  "refuses a namespace that is none": async (store) => [
    await outcomeOf(() => store.put([], "k", {})),
    await outcomeOf(() => store.put(["a.b"], "k", {})),
    await outcomeOf(() => store.put(["a", ""], "k", {})),
    await outcomeOf(() => store.put(["langgraph"], "k", {})),
  ],
  "takes keys and labels of any text": async (store) => {
    const names = ["a/b", "日本 語", 'quote " and \\', "line\nbreak", "👩‍👩‍👧", "..", "x".repeat(300)];
    for (const name of names) await store.put([name.replaceAll(".", "-"), "ns"], name, { name });
    return Promise.all(
      names.map(async (name) => (await store.get([name.replaceAll(".", "-"), "ns"], name))?.value),
    );
  },
  "keeps values of any length and any characters": async (store) => {
    const value = {
      text: `${"long words 👩 ".repeat(900)}`,
      odd: "\0 \ud800",
      empty: "",
      deep: [[{ a: {} }]],
    };
    await store.put(["a"], "k", value);
    await store.put(["a"], "k", { ...value, more: true });
    return (await store.get(["a"], "k"))?.value;
  },
  "searches a namespace with all below it": async (store) => {
    await store.put(["docs"], "one", { n: 1 });
    await store.put(["docs", "deep", "er"], "two", { n: 2 });
    await store.put(["other"], "three", { n: 3 });
    return [await keys(store, ["docs"]), await keys(store, ["docs", "deep"]), await keys(store, [])];
  },
  "filters by values and by operators": async (store) => {
    for (let n = 1; n <= 4; n += 1) await store.put(["a"], `k${n}`, { n, odd: n % 2 === 1, o: { a: 1 } });
    const filters = [
      { n: 2 },
      { odd: true, n: { $gt: 1 } },
      { n: { $gte: 2, $lt: 4 } },
      { n: { $ne: 2 } },
      { n: { $eq: 3 } },
      { n: { $lte: 1 } },
      { n: { $in: [1, 4] } },
      { n: { $nin: [1, 4] } },
      { missing: 1 },
      { o: { a: 1 } },
    ];
    return Promise.all(filters.map((filter) => keys(store, ["a"], { filter })));
  },
  "pages by limit and offset": async (store) => {
    for (let n = 1; n <= 12; n += 1) await store.put(["a"], `k${n}`, { n });
    return [
      (await store.search(["a"])).length,
      await keys(store, ["a"], { limit: 3 }),
      await keys(store, ["a"], { limit: 3, offset: 3 }),
      await keys(store, ["a"], { offset: 11 }),
      await keys(store, ["a"], { offset: 50 }),
    ];
  },
  "lists namespaces by prefix, suffix, depth and page": async (store) => {
    for (const path of ["a/b/c", "a/b/d", "a/x/c", "z"]) await store.put(path.split("/"), "k", { path });
    return [
      await store.listNamespaces(),
      await store.listNamespaces({ prefix: ["a", "b"] }),
      await store.listNamespaces({ suffix: ["c"] }),
      await store.listNamespaces({ prefix: ["a", "*", "c"] }),
      await store.listNamespaces({ prefix: ["a"], suffix: ["d"] }),
      await store.listNamespaces({ maxDepth: 2 }),
      await store.listNamespaces({ limit: 2, offset: 1 }),
    ];
  },
  "answers a batch in order, from what was there before it": async (store) => {
    await store.put(["a"], "k", { n: 1 });
    const operations: Operation[] = [
      { namespace: ["a"], key: "k" },
      { namespace: ["a"], key: "l", value: { n: 2 } },
      { namespacePrefix: ["a"] },
      { matchConditions: [], limit: 10, offset: 0 },
    ];
    const [item, put, found, namespaces] = (await store.batch(operations)) as unknown[];
    const values = [item, ...(found as unknown[])].map((each) => (each as Item).value);
    return [values, put ?? null, namespaces, (await store.get(["a"], "l"))?.value];
  },
  "takes the last of several puts of one item": async (store) => {
    await store.batch([1, 2, 3].map((n) => ({ namespace: ["a"], key: "k", value: { n } })));
    return (await store.get(["a"], "k"))?.value;
  },
};

async function keys(store: BaseStore, prefix: string[], options = {}): Promise<string[]> {
  return (await store.search(prefix, options)).map(({ key }) => key);
}

describe("what the package's own store does, Kioku's does", () => {
  it.each(Object.entries(CASES))("it %s", async (_, tell) => {
    expect(await tell(open())).toEqual(await tell(new InMemoryStore()));
  });
});

describe("what a store on memories does besides", () => {
  it("finds items by meaning and by words, best first, with a score", async () => {
    const store = open();
    await store.put(["users", "ada"], "food", { text: "Ada loves spicy ramen for dinner" });
    await store.put(["users", "ada"], "city", { text: "Ada lives in Lisbon" });
    await store.put(["users", "bob"], "food", { text: "Bob loves spicy ramen for dinner" });
    const found = await store.search(["users", "ada"], { query: "What does she like to eat? ramen" });
    expect(found.map(({ key }) => key)).toEqual(["food", "city"]);
    expect(found[0]?.namespace).toEqual(["users", "ada"]);
    expect(found[0]?.score).toBeGreaterThan(found[1]?.score ?? 0);
  });

  it("finds one user's items among those of many", async () => {
    const store = open();
    await store.batch(
      Array.from({ length: 60 }, (_, n) => ({
        namespace: ["users", `u${n}`],
        key: "drink",
        value: { text: "likes green tea in the morning" },
      })),
    );
    const found = await store.search(["users", "u7"], { query: "green tea in the morning" });
    expect(found.map(({ namespace }) => namespace)).toEqual([["users", "u7"]]);
    expect(found[0]?.score).toBeGreaterThan(0);
  });

  it("searches the fields that a put names, and no item that is not to be indexed", async () => {
    const store = open();
    const value = { title: "Zanzibar voyage", secret: "quixotic marmalade", list: [{ t: "obsidian" }] };
    await store.put(["docs"], "titled", value, ["title", "list[*].t"]);
    await store.put(["docs"], "hidden", value, false);
    const scored = async (query: string) =>
      (await store.search(["docs"], { query })).flatMap(({ key, score }) =>
        score === undefined ? [] : [key],
      );
    expect(await scored("Zanzibar")).toEqual(["titled"]);
    expect(await scored("obsidian")).toEqual(["titled"]);
    expect(await scored("quixotic marmalade")).toEqual([]);
  });

  it("finds what stands at the end of a long item", async () => {
    const store = open();
    await store.put(["docs"], "long", { text: `${"filler words only ".repeat(300)} cerulean platypus` });
    await store.put(["docs"], "short", { text: "nothing of the kind" });
    const [best] = await store.search(["docs"], { query: "cerulean platypus" });
    expect(best?.key).toBe("long");
  });

  it("shows its items to recall, and keeps what they said before as history", async () => {
    const kioku = kiokuOf(service.api);
    const agent_id = fresh("agent");
    const store = new KiokuStore(kioku, { agent_id });
    await store.put(["prefs"], "editor", { text: "prefers Emacs" });
    await store.put(["prefs"], "editor", { text: "prefers Neovim" });
    const { memories } = await kioku.recall({ agent_id, query: "Neovim" });
    expect(memories[0]?.content).toContain("prefers Neovim");
    const history = await kioku.memories.history(memories[0]?.id ?? "");
    expect(history.data.map(({ content }) => content.includes("Emacs"))).toEqual([true, false]);
  });

  it("leaves nothing of a deleted item, its history and its parts included", async () => {
    const kioku = kiokuOf(service.api);
    const agent_id = fresh("agent");
    const store = new KiokuStore(kioku, { agent_id });
    await store.put(["a"], "k", { text: "one ".repeat(2_000) });
    await store.put(["a"], "k", { text: "two ".repeat(2_000) });
    await store.delete(["a"], "k");
    const left = await kioku.memories.list({ agent_id, include_superseded: true }).page();
    expect(left.data).toEqual([]);
  });

  it("keeps the stores of two owners apart", async () => {
    const [one, two] = [open(), open({ project_id: undefined, session_id: fresh("s") })];
    await one.put(["a"], "k", { n: 1 });
    expect(await two.get(["a"], "k")).toBeNull();
    expect(await two.search([], { query: "n" })).toEqual([]);
  });

  it("says who must own it", () => {
    expect(() => new KiokuStore(kiokuOf(service.api), {})).toThrow(
      "session_id: is required, unless user_id, agent_id or project_id is given",
    );
  });
});
