// Messages: the window over the conversation, duplicates, and calls that are all or nothing.
import { describe, expect, it } from "vitest";
import { allPages, contents, ids, newSession, quietSession, readSession, say } from "../support/actions";
import { fresh } from "../support/client";
import { ID, ISO_MS, type Message, type MessagesAdded, type Page, type Pending } from "../support/contract";
import { bodyOf, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";

const kioku = serviceUnderTest();
const SMALL = { total: 2_000, conversation: 1_000, context: 500 };

function user(content: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { role: "user", content, ...more };
}

function conversation(session: string): Promise<Message[]> {
  return allPages<Message>(kioku.api, `/v1/sessions/${session}/messages`);
}

describe("adding messages", () => {
  it("answers what was added and how full the window is", async () => {
    const session = fresh("session");
    const added = await say(kioku.api, session, [
      user("Hello there"),
      { role: "assistant", content: "Hello" },
    ]);
    expect(added).toMatchObject({ added: 2, duplicates: 0, evicted: 0, tokens: { max: 20_000 } });
    expect(added.tokens.used).toBeGreaterThan(0);
    expect((await readSession(kioku.api, session)).counts).toMatchObject({
      messages: 2,
      tokens: added.tokens.used,
    });
  });

  it("keeps every field", async () => {
    const session = fresh("session");
    const sent = {
      id: fresh("message"),
      role: "assistant",
      name: "Ada",
      content: "",
      timestamp: "2026-01-31T13:00:00.5+01:00",
      tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: "{}" } }],
      metadata: { model: "m", nested: [1, { a: null }] },
    };
    await say(kioku.api, session, [sent]);
    expect(await conversation(session)).toMatchObject([{ ...sent, timestamp: "2026-01-31T12:00:00.500Z" }]);
  });

  it("gives an id and a time to those without", async () => {
    const session = fresh("session");
    await say(kioku.api, session, [user("one"), user("two")]);
    const [one, two] = await conversation(session);
    expect(one?.id).toMatch(ID);
    expect(one?.timestamp).toMatch(ISO_MS);
    expect(one?.id).not.toBe(two?.id);
  });

  it("takes all four roles", async () => {
    const session = fresh("session");
    const roles = ["user", "assistant", "system", "tool"];
    await say(
      kioku.api,
      session,
      roles.map((role) => ({ role, content: role })),
    );
    expect((await conversation(session)).map((message) => message.role)).toEqual(roles);
  });

  it("lists them in the order they arrived, whatever their timestamps", async () => {
    const session = fresh("session");
    await say(kioku.api, session, [user("first", { timestamp: "2026-03-01T00:00:00Z" })]);
    await say(kioku.api, session, [user("second", { timestamp: "2020-01-01T00:00:00Z" }), user("third")]);
    expect(contents(await conversation(session))).toEqual(["first", "second", "third"]);
  });

  it("keeps each call's messages together and in order when calls come at once", async () => {
    const session = (await newSession(kioku.api)).id;
    const calls = Array.from({ length: 20 }, (_, call) => [0, 1, 2, 3, 4].map((n) => user(`${call}:${n}`)));
    await Promise.all(calls.map((messages) => say(kioku.api, session, messages)));
    const order = contents(await conversation(session));
    expect(new Set(order).size).toBe(100);
    for (let at = 0; at < order.length; at += 5) {
      const call = order[at]?.split(":")[0];
      expect(order.slice(at, at + 5)).toEqual([0, 1, 2, 3, 4].map((n) => `${call}:${n}`));
    }
  });
});

describe("a call that is refused", () => {
  const bad: [string, RegExp, Record<string, unknown>][] = [
    ["an unknown role", /messages.*\b3\b.*role/, { role: "robot", content: "x" }],
    ["no role", /messages.*\b3\b.*role/, { content: "x" }],
    ["no content", /messages.*\b3\b.*content/, { role: "user" }],
    ["content that is not text", /messages.*\b3\b.*content/, { role: "user", content: 7 }],
    ["a bad id", /messages.*\b3\b.*id/, user("x", { id: "a b" })],
    ["a bad timestamp", /messages.*\b3\b.*timestamp/, user("x", { timestamp: "yesterday" })],
    ["32 KB and one byte", /messages.*\b3\b.*content/, user("x".repeat(32_769))],
    ["32 KB of characters but more bytes", /messages.*\b3\b.*content/, user("é".repeat(16_385))],
  ];
  it.each(bad)("for one message with %s adds none and makes no session", async (_name, path, message) => {
    const session = fresh("session");
    const messages = [user("a"), user("b"), user("c"), message, user("d")];
    expectProblem(
      await kioku.api.post(`/v1/sessions/${session}/messages`, { messages }),
      "invalid_request",
      path,
    );
    expectProblem(await kioku.api.get(`/v1/sessions/${session}`), "not_found");
  });

  it("has no messages at all", async () => {
    expectProblem(
      await kioku.api.post(`/v1/sessions/${fresh("s")}/messages`, { messages: [] }),
      "invalid_request",
      "messages",
    );
    expectProblem(
      await kioku.api.post(`/v1/sessions/${fresh("s")}/messages`, {}),
      "invalid_request",
      "messages",
    );
  });
});

describe("limits of a call", () => {
  const many = (count: number) => Array.from({ length: count }, (_, n) => user(`m${n}`));

  it("are 500 messages, and one more is refused whole", async () => {
    const session = fresh("session");
    const path = `/v1/sessions/${session}/messages`;
    expectProblem(await kioku.api.post(path, { messages: many(501) }), "invalid_request", "messages");
    expectProblem(await kioku.api.get(`/v1/sessions/${session}`), "not_found");
    expect(bodyOf(await kioku.api.post<MessagesAdded>(path, { messages: many(500) }), 201).added).toBe(500);
    expect(contents(await conversation(session))).toEqual(contents(many(500) as { content: string }[]));
  });

  it("are 32 KB a message", async () => {
    const session = fresh("session");
    const content = "x".repeat(32_768);
    await say(kioku.api, session, [user(content)]);
    expect(contents(await conversation(session))).toEqual([content]);
  });
});

describe("a message id", () => {
  it("is added once, and counted as a duplicate afterwards", async () => {
    const session = fresh("session");
    const id = fresh("message");
    await say(kioku.api, session, [user("the first words", { id })]);
    const again = await say(kioku.api, session, [user("other words", { id }), user("new")]);
    expect(again).toMatchObject({ added: 1, duplicates: 1 });
    expect(contents(await conversation(session))).toEqual(["the first words", "new"]);
  });

  it("is added once within one call", async () => {
    const session = fresh("session");
    const id = fresh("message");
    expect(await say(kioku.api, session, [user("a", { id }), user("b", { id })])).toMatchObject({
      added: 1,
      duplicates: 1,
    });
    expect(contents(await conversation(session))).toEqual(["a"]);
  });

  it("is added once when sent many times at once", async () => {
    const session = (await newSession(kioku.api)).id;
    const id = fresh("message");
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => say(kioku.api, session, [user("a", { id })])),
    );
    expect(answers.reduce((sum, answer) => sum + answer.added, 0)).toBe(1);
    expect(ids(await conversation(session))).toEqual([id]);
  });

  it("is still known after its message left the window", async () => {
    const session = await quietSession(kioku.api, { token_budget: SMALL });
    const id = fresh("message");
    await say(kioku.api, session.id, [user("early", { id, token_count: 300 })]);
    await say(kioku.api, session.id, [user("big", { token_count: 900 })]);
    expect(ids(await conversation(session.id))).not.toContain(id);
    expect(await say(kioku.api, session.id, [user("early", { id, token_count: 10 })])).toMatchObject({
      added: 0,
      duplicates: 1,
    });
  });

  it("belongs to its session alone", async () => {
    const id = fresh("message");
    for (const session of [fresh("session"), fresh("session")]) {
      expect(await say(kioku.api, session, [user("a", { id })])).toMatchObject({ added: 1, duplicates: 0 });
    }
  });
});

describe("the window", () => {
  const sized = (content: string) => user(content, { token_count: 300 });

  it("lets the oldest messages go and counts them", async () => {
    const { id } = await quietSession(kioku.api, { token_budget: SMALL });
    expect(await say(kioku.api, id, ["a", "b", "c"].map(sized))).toMatchObject({
      evicted: 0,
      tokens: { max: 1_000 },
    });
    const more = await say(kioku.api, id, [sized("d")]);
    expect(more).toMatchObject({ added: 1, evicted: 1 });
    expect(more.tokens.used).toBeLessThanOrEqual(1_000);
    expect(contents(await conversation(id))).toEqual(["b", "c", "d"]);
    expect((await readSession(kioku.api, id)).counts).toMatchObject({
      messages: 3,
      tokens: more.tokens.used,
    });
  });

  it("counts evictions within one call", async () => {
    const { id } = await quietSession(kioku.api, { token_budget: SMALL });
    expect(await say(kioku.api, id, [..."abcdefghij"].map(sized))).toMatchObject({ added: 10, evicted: 7 });
    expect(contents(await conversation(id))).toEqual(["h", "i", "j"]);
  });

  it("takes a message larger than itself and keeps it alone", async () => {
    const { id } = await quietSession(kioku.api, { token_budget: SMALL });
    await say(kioku.api, id, ["a", "b"].map(sized));
    expect(await say(kioku.api, id, [user("huge", { token_count: 5_000 })])).toMatchObject({
      added: 1,
      evicted: 2,
    });
    expect(contents(await conversation(id))).toEqual(["huge"]);
  });

  it("hands what leaves it to the pending memories", async () => {
    const { id } = await quietSession(kioku.api, { token_budget: SMALL });
    const content = "We decided to use PostgreSQL for the ledger because it needs transactions.";
    await say(kioku.api, id, [user(content, { token_count: 300 }), user("next", { token_count: 900 })]);
    const pending = bodyOf(await kioku.api.get<Page<Pending>>(`/v1/sessions/${id}/pending`), 200);
    expect(contents(pending.data).join("\n")).toContain("PostgreSQL");
  });
});
