// Filters by metadata, tags, type and source: in recall, in POST /v1/memories/search and in the list.
import { beforeEach, describe, expect, it } from "vitest";
import { newTenant, type Tenant } from "../store/long-term-support";
import { untilIndexed } from "../support";

let kioku: Tenant;

beforeEach(async () => {
  kioku = await newTenant();
});

const MEMORIES = {
  plain: { content: "A note without labels" },
  web: { content: "A note of web", metadata: { team: "web", size: 2, open: true }, tags: ["red"] },
  app: { content: "A note of app", metadata: { team: "app", size: 10, open: false }, tags: ["red", "blue"] },
  texts: { content: "A note of texts", metadata: { size: "2", open: "true", one: 1 }, source_type: "user" },
  lists: { content: "A note of lists", metadata: { team: ["web", "ops"], at: "2026-01-02" } },
  odd: { content: "A note of odd keys", metadata: { 'a"b': 1, "x.y": "z", constructor: "c" } },
  decision: { content: "A note of a decision", type: "architectural_decision" },
} as const;
type Name = keyof typeof MEMORIES;
const ALL = Object.keys(MEMORIES) as Name[];

async function store(owner: object = { project_id: "shop" }): Promise<Map<string, Name>> {
  const names = new Map<string, Name>();
  for (const name of ALL) {
    const { body } = await kioku.call("POST", "/v1/remember", { ...MEMORIES[name], ...owner });
    names.set(body.memory_id, name);
  }
  return names;
}

const without = (...names: Name[]) => ALL.filter((name) => !names.includes(name)).sort();

describe("a filter", () => {
  it("finds the same memories in search and in recall, with and without a query", async () => {
    const names = await store();
    const cases: [object, Name[]][] = [
      [{}, ALL],
      [{ "metadata.team": "web" }, ["web", "lists"]],
      [{ "metadata.team": { $ne: "web" } }, without("web", "lists")],
      [{ "metadata.team": { $in: ["app", "ops"] } }, ["app", "lists"]],
      [{ "metadata.team": { $nin: ["app", "ops"] } }, without("app", "lists")],
      [{ "metadata.size": 2 }, ["web"]],
      [{ "metadata.size": "2" }, ["texts"]],
      [{ "metadata.size": { $gt: 2 } }, ["app"]],
      [{ "metadata.size": { $gte: 2, $lt: 10 } }, ["web"]],
      [{ "metadata.size": { $lte: 10 } }, ["web", "app"]],
      [{ "metadata.size": { $gte: "1" } }, ["texts"]],
      [{ "metadata.open": true }, ["web"]],
      [{ "metadata.open": "true" }, ["texts"]],
      [{ "metadata.one": true }, []],
      [{ "metadata.one": 1 }, ["texts"]],
      [{ "metadata.at": { $gt: "2026-01-01", $lt: "2026-02" } }, ["lists"]],
      [{ 'metadata.a"b': 1 }, ["odd"]],
      [{ "metadata.x.y": "z" }, ["odd"]],
      [{ "metadata.constructor": "c" }, ["odd"]],
      [{ tags: "red" }, ["web", "app"]],
      [{ tags: { $ne: "blue" } }, without("app")],
      [{ tags: { $in: ["blue", "green"] } }, ["app"]],
      [{ tags: "red", "metadata.team": { $ne: "app" } }, ["web"]],
      [{ type: "decision" }, ["decision"]],
      [{ type: { $ne: "decision" } }, without("decision")],
      [{ type: { $in: ["decision", "fact"] } }, ALL],
      [{ source_type: "user" }, ["texts"]],
      [{ source_type: { $nin: ["user", "agent"] } }, []],
      [{ "metadata.nowhere": { $ne: 1 } }, ALL],
    ];
    for (const [filter, expected] of cases) {
      const about = JSON.stringify(filter);
      const owner = { project_id: "shop", limit: 50 };
      const searched = await kioku.call("POST", "/v1/memories/search", { filter, ...owner });
      expect(toNames(searched.body.data, names), about).toEqual([...expected].sort());
      for (const query of [undefined, "note"]) {
        const recalled = await kioku.call("POST", "/v1/recall", { filter, query, ...owner });
        expect(toNames(recalled.body.memories, names), about).toEqual([...expected].sort());
      }
    }
  });

  it("matches no message and no episode", async () => {
    await kioku.call("POST", "/v1/sessions/s/messages", { messages: [{ role: "user", content: "A note" }] });
    await kioku.call("POST", "/v1/remember", { content: "A note", tags: ["red"], session_id: "s" });
    const sources = ["memories", "messages", "episodes"];
    const body = { query: "note", sources, scope: "session" };
    const all = await kioku.call("POST", "/v1/sessions/s/recall", body);
    const filtered = await kioku.call("POST", "/v1/sessions/s/recall", { ...body, filter: { tags: "red" } });
    expect(all.body.memories.map(({ kind }: { kind: string }) => kind)).toContain("message");
    expect(filtered.body.memories.map(({ kind }: { kind: string }) => kind)).toEqual(["memory"]);
  });

  it("names the operators in place of one that does not exist", async () => {
    const { body } = await kioku.call("POST", "/v1/memories/search", {
      filter: { "metadata.a": { $regex: "x" } },
    });
    expect(body.detail).toBe(
      "filter.metadata.a.$regex: is not an operator: use $ne, $in, $nin, $lt, $lte, $gt, $gte",
    );
  });

  it.each([
    [{ "metadata.a": { $regex: "x" } }, "filter.metadata.a.$regex"],
    [{ "metadata.a": {} }, "filter.metadata.a"],
    [{ "metadata.a": ["x"] }, "filter.metadata.a"],
    [{ "metadata.": 1 }, "filter.metadata."],
    [{ [`metadata.${"k".repeat(129)}`]: 1 }, `filter.metadata.${"k".repeat(129)}`],
    [{ content: "x" }, "filter.content"],
    [{ constructor: "x" }, "filter.constructor"],
    [{ tags: { $gt: "a" } }, "filter.tags"],
    [{ tags: 1 }, "filter.tags"],
    [{ type: "nonsense" }, "filter.type"],
    [{ source_type: { $in: ["nobody"] } }, "filter.source_type"],
    [{ "metadata.a": { $in: [] } }, "filter.metadata.a.$in"],
    [{ "metadata.a": { $in: Array.from({ length: 101 }, (_, i) => i) } }, "filter.metadata.a.$in"],
    [{ "metadata.a": { $lt: true } }, "filter.metadata.a.$lt"],
    [Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`metadata.k${i}`, i])), "filter"],
  ])("%o is refused by name", async (filter, path) => {
    for (const route of ["/v1/memories/search", "/v1/recall"]) {
      const { status, body } = await kioku.call("POST", route, { filter, project_id: "shop" });
      expect(status).toBe(400);
      expect(body.errors[0].path).toBe(path);
      expect(body.detail).toContain(path);
    }
  });

  it("may have as many conditions as the limit says, beside all else that a recall asks for", async () => {
    const metadata = Object.fromEntries(Array.from({ length: 16 }, (_, i) => [`k${i}`, i]));
    const id = await kioku.remember({ content: "A note", metadata, session_id: "s" });
    const filter = Object.fromEntries(
      Object.entries(metadata).map(([key, i]) => [`metadata.${key}`, { $in: [i] }]),
    );
    const body = {
      filter,
      query: "note",
      type: "fact",
      since: "2020-01-01T00:00:00Z",
      until: "2100-01-01T00:00:00Z",
      scope: "tenant",
    };
    const { body: answer } = await kioku.call("POST", "/v1/recall", body);
    expect(answer.memories[0].id).toBe(id);
  });
});

describe("POST /v1/memories/search", () => {
  it("lists live memories of the owner, newest first, page by page", async () => {
    const mine = { user_id: "mia", project_id: "shop", tags: ["red"] };
    const ids: string[] = [];
    for (const content of ["One", "Two", "Three"])
      ids.unshift((await kioku.call("POST", "/v1/remember", { content, ...mine })).body.memory_id);
    await kioku.call("POST", "/v1/remember", { content: "Four", ...mine, user_id: "ben" });
    await kioku.forget({ memory_id: ids[2] });
    const body = { filter: { tags: "red" }, user_id: "mia", limit: 1 };
    const first = (await kioku.call("POST", "/v1/memories/search", body)).body;
    const second = (await kioku.call("POST", "/v1/memories/search", { ...body, cursor: first.next_cursor }))
      .body;
    expect([first.data[0].id, second.data[0].id, second.next_cursor]).toEqual([ids[0], ids[1], null]);
    const all = await kioku.call("POST", "/v1/memories/search", {
      ...body,
      limit: 9,
      include_superseded: true,
    });
    expect(all.body.data.map(({ id }: { id: string }) => id)).toEqual(ids);
  });

  it("refuses a key without the scope, unknown fields and bad cursors", async () => {
    for (const body of [{ filters: {} }, { cursor: "nonsense" }, { limit: 101 }])
      expect((await kioku.call("POST", "/v1/memories/search", body)).status).toBe(400);
  });
});

it("GET /v1/memories filters by tag", async () => {
  const names = await store();
  const { body } = await kioku.call("GET", "/v1/memories?tag=blue");
  expect(toNames(body.data, names)).toEqual(["app"]);
});

describe("a selective filter in a large scope", () => {
  it("finds what shares no word with the query, although others are nearer in the index", async () => {
    const filler = Array.from({ length: 230 }, (_, i) =>
      kioku.write({ content: `The cat number ${i} sleeps on the sofa`, session_id: null, project_id: "zoo" }),
    );
    const labelled = kioku.write({
      content: "A kitten naps on a couch",
      session_id: null,
      project_id: "zoo",
      tags: ["rare"],
    });
    const results = await kioku.store().memories.commit([labelled, ...filler]);
    await kioku.call("POST", "/v1/remember", { content: "Wakes the indexer", project_id: "zoo" });
    await untilIndexed(kioku.tenant);
    const body = { query: "Where do cats sleep?", filter: { tags: "rare" }, project_id: "zoo" };
    const { body: answer } = await kioku.call("POST", "/v1/recall", body);
    const [first] = results;
    expect(answer.memories.map(({ id }: { id: string }) => id)).toEqual([
      first?.ok ? first.value.memory_id : "",
    ]);
  }, 60_000);
});

function toNames(found: { id: string }[], names: ReadonlyMap<string, Name>): (Name | undefined)[] {
  return found.map(({ id }) => names.get(id)).sort();
}
