// Recall by parts of words and of identifiers, and its silence on subjects that nothing is known about.
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { RecallInput } from "../../../src/memories/memory-schemas";
import type { SearchTarget } from "../../../src/memories/store/namespace";
import type { RecallRequest } from "../../../src/recall/search/search";
import { newTenant, rebuild, type Tenant } from "../store/long-term-support";

const PHOENIX = "The project uses Phoenix 1.7";
const LOOKUP = "Call getUserById before the update";
const GERMAN = "Die Datenbankverbindung läuft über PgBouncer";
const SNAKE = "Set MAX_CONNECTIONS in the HTTPServer2 settings";
const UMLAUT = "ÜBERSETZUNGEN liegen im Ordner locales";
const ADA = "Ada is allergic to walnuts";
const STORE = [PHOENIX, LOOKUP, GERMAN, SNAKE, UMLAUT, ADA, "Invoices are sent on Fridays", "Yes"];

let t: Tenant;
beforeEach(async () => {
  t = await newTenant();
});

const keep = (contents: readonly string[], more: object = {}) =>
  t.store().memories.commit(contents.map((content) => t.write({ ...more, content })));

type Options = { scope?: SearchTarget } & Partial<RecallRequest>;

async function find(
  query: string,
  { scope = { kind: "session", id: t.session }, ...more }: Options = {},
): Promise<string[]> {
  const { hits } = await t
    .search()
    .recall(scope, { ...RecallInput.parse({ query }), sources: ["memories"], ...more });
  return hits.map(({ content }) => content);
}

describe.each(["text", "hybrid"] as const)("recall in mode %s finds by a part of a word", (mode) => {
  it.each([
    ["phoen", PHOENIX],
    ["PHOEN", PHOENIX],
    ["userbyid", LOOKUP],
    ["UserBy", LOOKUP],
    ["user by id", LOOKUP],
    ["get_user_by_id", LOOKUP],
    ["Datenbank", GERMAN],
    ["verbindung", GERMAN],
    ["bouncer", GERMAN],
    ["maxConnections", SNAKE],
    ["conn", SNAKE],
    ["httpserver", SNAKE],
    ["server", SNAKE],
    ["übersetz", UMLAUT],
    ["setzungen", UMLAUT],
    ["nuts", ADA],
  ])("%j", async (query, content) => {
    await keep(STORE);
    expect((await find(query, { mode }))[0]).toBe(content);
    expect((await find(query, { mode, scope: { kind: "tenant" } }))[0]).toBe(content);
  });
});

describe.each(["text", "hybrid"] as const)("recall in mode %s finds by a related word", (mode) => {
  it.each([
    ["allergy", ADA],
    ["allergies", ADA],
    ["Is there any nut allergy?", ADA],
    ["historic", "The family history is long"],
  ])("%j", async (query, content) => {
    await keep([...STORE, "The family history is long"]);
    expect((await find(query, { mode }))[0]).toBe(content);
  });

  it.each([
    ["Italy", "Names of books are set in italic"],
    ["policy", "She called the police"],
  ])("and not by one that only looks so: %j", async (query, content) => {
    await keep([content]);
    expect(await find(query, { mode })).toEqual([]);
  });
});

describe("a part of a word", () => {
  const inText = { mode: "text" } as const;

  it("counts only where no text has the word itself", async () => {
    await keep(["The data is safe", "The database is fast"]);
    expect(await find("data", inText)).toEqual(["The data is safe"]);
    expect(await find("databa", inText)).toEqual(["The database is fast"]);
    expect(await find("data", { ...inText, since: "2999-01-01T00:00:00.000Z" })).toEqual([]);
  });

  it("is looked for although a memory that is not visible has the word", async () => {
    await keep(["The data is safe"], { confidence: 0.2 });
    await keep(["The database is fast"]);
    expect(await find("data", inText)).toEqual(["The database is fast"]);
  });

  it("has at least three letters, within a word four, and is no number", async () => {
    await keep(["Phoenix", "Competition 12345"]);
    for (const query of ["ph", "pet", "123", "2345"]) expect(await find(query, inText), query).toEqual([]);
    expect(await find("pho", inText)).toEqual(["Phoenix"]);
    expect(await find("peti", inText)).toEqual(["Competition 12345"]);
  });

  it("is none of an inflected word: pets are not Peter", async () => {
    await keep(["Peter is here"]);
    expect(await find("pets", inText)).toEqual([]);
    expect(await find("pete", inText)).toEqual(["Peter is here"]);
  });

  it("ranks after a whole word, and counts by its share of the query", async () => {
    await keep([
      "The Datenbankverbindung is pooled",
      "Postgres is pooled",
      "Postgres with Datenbankverbindung",
    ]);
    expect(await find("Postgres verbindung", inText)).toEqual([
      "Postgres with Datenbankverbindung",
      expect.any(String),
      expect.any(String),
    ]);
  });

  it("within a word is found in the newest rows only, at its beginning in all of them", async () => {
    await keep([GERMAN]);
    await keep(Array.from({ length: 500 }, (_, i) => `Unrelated note ${i}`));
    for (const scope of [{ kind: "session", id: t.session }, { kind: "tenant" }] as const) {
      expect(await find("verbindung", { ...inText, scope })).toEqual([]);
      expect(await find("Datenbank", { ...inText, scope })).toEqual([GERMAN]);
    }
  });

  it("keeps to the scope, the filters and the tenant", async () => {
    await keep([GERMAN]);
    const stranger = await newTenant();
    const elsewhere = { ...inText, scope: { kind: "session", id: "another" } as const };
    for (const query of ["Datenbank", "verbindung"]) {
      expect(await find(query, elsewhere)).toEqual([]);
      expect(await find(query, { ...inText, type: "decision" })).toEqual([]);
      expect(await find(query, { ...inText, filter: { tags: "none" } })).toEqual([]);
      const { hits } = await stranger.search().recall({ kind: "tenant" }, RecallInput.parse({ query }));
      expect(hits).toEqual([]);
    }
  });

  it("of a message is found in its own text", async () => {
    const said = [LOOKUP, "Sure", GERMAN, "Thanks"];
    const messages = said.map((content, i) => ({ id: `m${i}`, role: "user", content }));
    await t.call("POST", `/v1/sessions/${t.session}/messages`, { messages });
    for (const [query, content] of [
      ["userbyid", LOOKUP],
      ["Datenbank", GERMAN],
      ["verbindung", GERMAN],
    ]) {
      for (const mode of ["text", "hybrid"]) {
        const asked = { query, mode, sources: ["messages"] };
        const { body } = await t.call("POST", `/v1/sessions/${t.session}/recall`, asked);
        expect(body.memories[0]?.content, `${query} in ${mode}`).toBe(content);
      }
    }
  });
});

describe("a text that is indexed without the parts of its identifiers", () => {
  beforeEach(async () => {
    await keep([PHOENIX, LOOKUP]);
    await env.DB.prepare(
      `INSERT OR REPLACE INTO memories_fts (rowid, scope, content, rationale)
      SELECT m.seq, '', m.content, '' FROM memories m WHERE m.tenant = ?`,
    )
      .bind(t.tenant)
      .run();
  });

  const inTenant = { mode: "text", scope: { kind: "tenant" } } as const;

  it("is found by whole words and parts of them; the rebuild adds the parts of identifiers", async () => {
    expect(await find("Phoenix", inTenant)).toEqual([PHOENIX]);
    expect(await find("phoen", inTenant)).toEqual([PHOENIX]);
    expect(await find("userbyid", inTenant)).toEqual([LOOKUP]);
    expect(await find("user", inTenant)).toEqual([LOOKUP]);
    expect(await find("id", inTenant)).toEqual([]);
    await rebuild(t.tenant);
    expect(await find("id", inTenant)).toEqual([LOOKUP]);
    expect(await find("userbyid", inTenant)).toEqual([LOOKUP]);
  });

  it("is indexed again by the rebuild, messages with their neighbours, too", async () => {
    const messages = [LOOKUP, "Why?", "The cache is cold"].map((content) => ({ role: "user", content }));
    await t.call("POST", `/v1/sessions/${t.session}/messages`, { messages });
    const recall = async (query: string) => {
      const asked = { query, mode: "text", sources: ["messages"] };
      const { body } = await t.call("POST", `/v1/sessions/${t.session}/recall`, asked);
      return body.memories.map(({ content }: { content: string }) => content);
    };
    const today = await recall("id");
    expect(today[0]).toBe(LOOKUP);
    expect(today).toHaveLength(3);
    await env.DB.prepare(
      `INSERT OR REPLACE INTO messages_fts (rowid, scope, content)
      SELECT m.seq, '', m.content FROM messages m WHERE m.tenant = ?`,
    )
      .bind(t.tenant)
      .run();
    expect(await recall("id")).toEqual([]);
    await rebuild(t.tenant);
    expect(await recall("id")).toEqual(today);
  });
});

describe("a query about something unknown", () => {
  beforeEach(() => keep(STORE));

  it.each([
    "k8s",
    "encryption",
    "asdfgh",
    "kubernetes",
    "GraphQL",
    "blockchain",
    "k8s cluster setup",
    "zebra",
  ])("has no hits: %j", async (query) => {
    for (const mode of ["text", "hybrid"] as const) expect(await find(query, { mode }), mode).toEqual([]);
  });

  it("has the related texts as hits of a semantic search, and no others", async () => {
    expect(await find("food allergies", { mode: "semantic" })).toContain(ADA);
    expect(await find("elephant", { mode: "semantic" })).toEqual([]);
  });

  it("does not silence a paraphrase, nor another form of a word", async () => {
    await keep(["Backups are encrypted at rest", "The team chose PostgreSQL over MySQL"]);
    expect(await find("What must Ada not eat?")).toEqual([ADA]);
    expect(await find("food allergies")).toEqual([ADA]);
    expect((await find("database"))[0]).toBe("The team chose PostgreSQL over MySQL");
    expect(await find("encryption")).toEqual(["Backups are encrypted at rest"]);
  });
});
