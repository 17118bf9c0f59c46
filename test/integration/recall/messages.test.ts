// Recall of messages: found by the words of their neighbours, across sessions, and at once in their own session.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { SearchTarget } from "../../../src/memories/store/namespace";
import type { RecallRequest } from "../../../src/recall/search/search";
import { MESSAGE_BATCH_SIZE } from "../../../src/sessions/outbox";
import { asking, forgetModel, newSemanticTenant, type SemanticTenant, said } from "../semantic-support";
import { newTenant, type Tenant } from "../store/long-term-support";
import { freshId, sessionStub } from "../support";

beforeEach(forgetModel);

const byText: Partial<RecallRequest> = { mode: "text", sources: ["messages"], limit: 50 };
const find = (t: SemanticTenant, query: string, scope?: SearchTarget) => t.found(query, byText, scope);
const words = (count: number) => Array.from({ length: count }, (_, i) => `filler${i}`).join(" ");

/** Ids m1, m2, … from a position on. */
const conversation = (contents: readonly string[], from = 1) =>
  contents.map((content, i) => said(`m${from + i}`, content));

describe("a message is found by the words around it", () => {
  const contents = ["Alpha", "Bravo", "Charlie", "Delta", "Echo"];

  it("up to three messages away, nearer ones first, and by its own words best", async () => {
    const t = await newSemanticTenant();
    await t.say(conversation(contents));
    expect(await find(t, "alpha")).toEqual(["m1", "m2", "m3", "m4"]);
    expect(await find(t, "echo")).toEqual(["m5", "m4", "m3", "m2"]);
    expect((await find(t, "charlie")).slice(0, 3)).toEqual(["m3", "m4", "m2"]);
  });

  it("also by those of later messages", async () => {
    const t = await newSemanticTenant();
    await t.say(conversation(contents.slice(0, 1)));
    expect(await find(t, "bravo")).toEqual([]);
    for (let n = 2; n <= contents.length; n += 1) {
      const before = conversation(contents.slice(0, n - 1));
      await t.say(conversation(contents.slice(n - 1, n), n), { from: n, before });
    }
    const atOnce = await newSemanticTenant();
    await atOnce.say(conversation(contents));
    for (const query of contents) expect(await find(t, query)).toEqual(await find(atOnce, query));
  });

  it("once, however often it was sent", async () => {
    const t = await newSemanticTenant();
    await t.say(conversation(contents));
    const found = await find(t, "alpha", { kind: "tenant" });
    await t.say(conversation(contents));
    // Sent again in part, as after a crash between the write and its acknowledgement.
    await t.say(conversation(contents.slice(2), 3), { from: 3, before: conversation(contents.slice(0, 2)) });
    expect(await find(t, "alpha", { kind: "tenant" })).toEqual(found);
    const { results } = await env.DB.prepare(
      "SELECT count(*) AS n, count(DISTINCT position) AS positions FROM messages WHERE tenant = ?",
    )
      .bind(t.tenant)
      .all();
    expect(results).toEqual([{ n: 5, positions: 5 }]);
    expect(new Set((await t.waiting()).map(({ id }) => id)).size).toBe(5);
  });

  it("but not by those of a long message, nor when it is long itself", async () => {
    const t = await newSemanticTenant();
    await t.say(conversation([`Alpha ${words(60)}`, "Bravo", `Charlie ${words(120)}`, "Delta"]));
    expect(await find(t, "alpha")).toEqual(["m1"]);
    expect((await find(t, "bravo")).toSorted()).toEqual(["m1", "m2", "m4"]);
    expect(await find(t, "charlie")).toEqual(["m3"]);
  });

  it("nor by those of another session", async () => {
    const t = await newSemanticTenant();
    await t.say(conversation(["Alpha"]));
    await t.say(conversation(["Bravo"], 2), { from: 2, session_id: freshId("session") });
    expect(await find(t, "alpha", { kind: "tenant" })).toEqual(["m1"]);
    expect(await find(t, "bravo", { kind: "tenant" })).toEqual(["m2"]);
  });
});

describe("a name in the query", () => {
  const talk = [
    said("m1", "Anna, have you seen the harbour?", { name: "Ben" }),
    said("m2", words(121), { name: "Ben" }),
    said("m3", words(121), { name: "Ben" }),
    said("m4", words(121), { name: "Ben" }),
    said("m5", "I cooked soup", { name: "Anna" }),
  ];

  it("is not a search term: the speaker is a ranking signal", async () => {
    const t = await newSemanticTenant();
    await t.say(talk);
    const { hits } = await t.search.recall(
      { kind: "session", id: t.session },
      asking("What has Anna cooked?", byText),
    );
    expect(hits).toMatchObject([{ id: "m5", name: "Anna", signals: { speaker: expect.any(Number) } }]);
    expect((await find(t, "What has Anna cooked?", { kind: "tenant" })).toSorted()).toEqual(["m5"]);
  });

  it("is a search term when no other is left, or when no speaker has that name", async () => {
    const t = await newSemanticTenant();
    await t.say(talk);
    expect((await find(t, "Anna")).toSorted()).toEqual(["m1", "m5"]);
    const other = await newSemanticTenant();
    await other.say([said("m1", "Anna has cooked"), said("m2", words(121)), said("m3", words(121))]);
    expect(await find(other, "Anna soup")).toEqual(["m1"]);
  });

  it("counts as a speaker only within the scope", async () => {
    const t = await newSemanticTenant();
    const other = freshId("session");
    await t.say(talk);
    await t.say([said("x1", "Anna lives in Oslo")], { session_id: other });
    expect(await find(t, "Anna harvest", { kind: "session", id: other })).toEqual(["x1"]);
  });
});

describe("over HTTP", () => {
  let t: Tenant;
  beforeEach(async () => {
    t = await newTenant();
  });

  const say = async (session: string, messages: object[]) => {
    const { status, body } = await t.call("POST", `/v1/sessions/${session}/messages`, { messages });
    expect(status).toBe(201);
    return body;
  };
  const recall = async (path: string, body: object) => {
    const answer = await t.call("POST", path, { sources: ["messages"], mode: "text", limit: 50, ...body });
    expect(answer.status).toBe(200);
    return answer.body.memories as { id: string; kind: string; session_id: string; score: number }[];
  };
  const ids = (hits: readonly { id: string }[]) => hits.map(({ id }) => id);

  it("a message is found at once in its own session, and soon in other sessions of its agent", async () => {
    const agent_id = freshId("agent");
    const other = freshId("session");
    for (const id of [t.session, other]) await t.call("POST", "/v1/sessions", { id, agent_id });
    await say(t.session, [{ id: "m1", role: "user", name: "Anna", content: "The zeppelin lands at noon" }]);
    expect(await recall(`/v1/sessions/${t.session}/recall`, { query: "zeppelin" })).toMatchObject([
      { id: "m1", kind: "message", session_id: t.session, role: "user", name: "Anna" },
    ]);
    const elsewhere = { query: "zeppelin", scope: "session" };
    expect(await recall(`/v1/sessions/${other}/recall`, elsewhere)).toEqual([]);
    await vi.waitFor(async () =>
      expect(ids(await recall(`/v1/sessions/${other}/recall`, { query: "zeppelin" }))).toEqual(["m1"]),
    );
    expect(ids(await recall("/v1/recall", { query: "zeppelin", scope: "tenant" }))).toEqual(["m1"]);
  });

  it("more messages than one batch holds are all found, with their neighbours across batches", async () => {
    const count = MESSAGE_BATCH_SIZE * 2 + 20;
    const messages = Array.from({ length: count }, (_, i) => ({
      id: `m${i + 1}`,
      role: "user",
      content: `unique${i + 1}`,
    }));
    expect(await say(t.session, messages)).toMatchObject({ added: count });
    const at = MESSAGE_BATCH_SIZE;
    const path = `/v1/sessions/${t.session}/recall`;
    expect(ids(await recall(path, { query: `unique${count}` }))[0]).toBe(`m${count}`);
    // The last message of a batch is found by the first of the next, and vice versa.
    for (const n of [at, at + 1, 2 * at, 2 * at + 1]) {
      const around = [n - 3, n - 2, n - 1, n, n + 1, n + 2, n + 3].map((place) => `m${place}`);
      expect(ids(await recall(path, { query: `unique${n}` })).toSorted()).toEqual(around.toSorted());
    }
    const { results } = await env.DB.prepare(
      "SELECT count(*) AS n, min(position) AS first, max(position) AS last FROM messages WHERE tenant = ?",
    )
      .bind(t.tenant)
      .all();
    expect(results).toEqual([{ n: count, first: 1, last: count }]);
  });

  it("messages after a gap in their numbers are sent", async () => {
    await say(t.session, [{ id: "m1", role: "user", content: "The zeppelin lands" }]);
    await runInDurableObject(sessionStub(t.tenant, t.session), (_instance, { storage }) =>
      storage.sql.exec(
        `INSERT INTO messages (seq, id, role, content, timestamp, token_count, metadata)
          VALUES (500, 'm500', 'user', 'It stays', '2026-03-01T12:00:00.000Z', 2, '{}')`,
      ),
    );
    await say(t.session, [{ id: "m501", role: "assistant", content: "At noon" }]);
    await vi.waitFor(async () => {
      const { results } = await env.DB.prepare(
        "SELECT position FROM messages WHERE tenant = ? ORDER BY position",
      )
        .bind(t.tenant)
        .all<{ position: number }>();
      expect(results.map(({ position }) => position)).toEqual([1, 500, 501]);
    });
  });

  it("messages sent twice are stored once", async () => {
    const messages = [
      { id: "m1", role: "user", content: "The zeppelin lands" },
      { id: "m2", role: "user", content: "At noon" },
    ];
    await say(t.session, messages);
    const path = `/v1/sessions/${t.session}/recall`;
    const before = await recall(path, { query: "zeppelin" });
    expect(await say(t.session, messages)).toMatchObject({ added: 0, duplicates: 2 });
    expect(await recall(path, { query: "zeppelin" })).toEqual(before);
    expect(ids(before)).toEqual(["m1", "m2"]);
  });

  it("memories and messages share one ranking; a type filter matches only memories", async () => {
    await say(t.session, [{ id: "m1", role: "user", content: "The zeppelin lands" }]);
    const memory = await t.remember({ content: "The zeppelin is silver", type: "decision" });
    const path = `/v1/sessions/${t.session}/recall`;
    const both = { query: "zeppelin", sources: ["memories", "messages"] };
    expect(ids(await recall(path, both)).toSorted()).toEqual([memory, "m1"].toSorted());
    expect(ids(await recall(path, { ...both, type: "decision" }))).toEqual([memory]);
    expect(ids(await recall(path, { ...both, type: "decision", sources: ["messages"] }))).toEqual([]);
    const { body } = await t.call("POST", path, { query: "zeppelin", mode: "text" });
    expect(ids(body.memories)).toEqual([memory]);
  });

  it("messages are filtered by time, and listed newest first without a query", async () => {
    await say(
      t.session,
      [1, 2, 3].map((day) => ({
        id: `m${day}`,
        role: "user",
        content: "The zeppelin lands",
        timestamp: `2026-03-0${day}T12:00:00.000Z`,
      })),
    );
    const path = `/v1/sessions/${t.session}/recall`;
    const since = "2026-03-02T12:00:00.000Z";
    expect(ids(await recall(path, {}))).toEqual(["m3", "m2", "m1"]);
    expect(ids(await recall(path, { query: "zeppelin", since })).toSorted()).toEqual(["m2", "m3"]);
    expect(ids(await recall(path, { query: "zeppelin", until: since })).toSorted()).toEqual(["m1", "m2"]);
    expect(ids(await recall(path, { query: "zeppelin", mode: "hybrid", since, until: since }))).toEqual([
      "m2",
    ]);
  });

  it("an erased session's messages are not found", async () => {
    await say(t.session, [{ id: "m1", role: "user", content: "The zeppelin lands" }]);
    expect(ids(await recall(`/v1/sessions/${t.session}/recall`, { query: "zeppelin" }))).toEqual(["m1"]);
    expect((await t.call("DELETE", `/v1/sessions/${t.session}`)).status).toBe(200);
    for (const mode of ["text", "semantic", "hybrid"])
      expect(await recall("/v1/recall", { query: "zeppelin", scope: "tenant", mode })).toEqual([]);
    for (const table of ["messages", "messages_fts"])
      expect(
        (
          await env.DB.prepare(
            `SELECT count(*) AS n FROM ${table} WHERE rowid > (SELECT number << 33 FROM tenants WHERE tenant = ?1)
              AND rowid < (SELECT (number + 1) << 33 FROM tenants WHERE tenant = ?1)`,
          )
            .bind(t.tenant)
            .first<{ n: number }>()
        )?.n,
      ).toBe(0);
  });
});
