// Users: listed, read as a profile, and filtered by in other lists.
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { ADMIN_KEY, callWith, freshId, newClient } from "../support";
import { fillUser, findInD1, newTenantOfUsers, userPath } from "./support";

const ANNA = "anna+test@example.com";
const BEN = "auth0|123";

describe("the list of users", () => {
  it("has everyone whom a session, a message, a memory or an episode names, by id", async () => {
    const client = await newClient();
    const start = new Date().toISOString();
    await client.call("POST", "/v1/sessions", { user_id: ANNA });
    await client.call("POST", "/v1/remember", { user_id: BEN, agent_id: "ada", content: "Ben rides a bike" });
    await client.call("POST", "/v1/episodes", {
      user_id: "carl",
      context: { goal: "Answer Carl" },
      outcome: "success",
    });
    await client.call("POST", "/v1/remember", { agent_id: "ada", content: "This concerns nobody" });
    const { status, body } = await client.call("GET", "/v1/users");
    expect(status).toBe(200);
    expect(body.next_cursor).toBeNull();
    expect(body.data).toMatchObject([
      { id: ANNA, counts: { sessions: 1, messages: 0, memories: 0 } },
      { id: BEN, counts: { sessions: 0, messages: 0, memories: 1 } },
      { id: "carl", counts: { sessions: 0, messages: 0, memories: 0 } },
    ]);
    for (const { first_seen, last_seen } of body.data) {
      expect(first_seen >= start).toBe(true);
      expect(last_seen >= first_seen).toBe(true);
    }
  });

  it("is paged by its cursor, each user once", async () => {
    const client = await newClient();
    const ids = ["a", "b", "b.c", "b@c", "z|1"];
    for (const user_id of ids)
      for (const content of ["One", "Two"])
        await client.call("POST", "/v1/remember", { user_id, agent_id: "ada", content });
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? "" : `&cursor=${cursor}`;
      const { body } = await client.call("GET", `/v1/users?limit=2${query}`);
      seen.push(...body.data.map(({ id }: { id: string }) => id));
      cursor = body.next_cursor;
    } while (cursor !== null);
    expect(seen).toEqual(ids.toSorted());
  });

  it("shows no user of another tenant", async () => {
    const [client, other] = [await newClient(), await newClient()];
    await other.call("POST", "/v1/remember", { user_id: ANNA, agent_id: "ada", content: "Elsewhere" });
    expect((await client.call("GET", "/v1/users")).body.data).toEqual([]);
    expect((await client.call("GET", userPath(ANNA))).status).toBe(404);
    expect((await client.call("DELETE", userPath(ANNA))).status).toBe(404);
    expect((await other.call("GET", userPath(ANNA))).status).toBe(200);
  });

  it("reads index entries of the listed users alone", async () => {
    const client = await newClient();
    await client.call("POST", "/v1/remember", { user_id: ANNA, agent_id: "ada", content: "Anna sings" });
    const plans: string[] = [];
    const prepare = env.DB.prepare.bind(env.DB);
    const database = Object.getPrototypeOf(env.DB.withSession()) as D1Database;
    const statements: { sql: string; params: unknown[] }[] = [];
    const spy = vi.spyOn(database, "prepare").mockImplementation((sql: string) => {
      const statement = prepare(sql);
      const bind = statement.bind.bind(statement);
      statement.bind = (...params: unknown[]) => {
        if (/found/.test(sql)) statements.push({ sql, params });
        return bind(...params);
      };
      return statement;
    });
    expect((await client.call("GET", "/v1/users")).body.data).toHaveLength(1);
    spy.mockRestore();
    expect(statements).toHaveLength(1);
    for (const { sql, params } of statements) {
      const { results } = await prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .bind(...params)
        .all<{ detail: string }>();
      plans.push(...results.map(({ detail }) => detail));
    }
    const reads = plans.filter((detail) => /\b(?:sessions|messages|memories|episodes)\b/.test(detail));
    expect(reads.length).toBeGreaterThan(0);
    for (const detail of reads) expect(detail).toMatch(/^SEARCH \w+ USING COVERING INDEX \w+_by_user/);
  });
});

describe("a key that is bound to a user", () => {
  it("lists, reads and erases that user alone", async () => {
    const client = await newClient();
    for (const user_id of [ANNA, BEN])
      await client.call("POST", "/v1/remember", { user_id, agent_id: "ada", content: "Likes tea" });
    const { body: bound } = await callWith(ADMIN_KEY, "POST", "/v1/keys", {
      tenant: client.tenant,
      bind: { user_id: ANNA },
    });
    const call = (method: string, path: string) => callWith(bound.key, method, path);
    expect((await call("GET", "/v1/users")).body.data).toMatchObject([{ id: ANNA }]);
    expect((await call("GET", userPath(ANNA))).status).toBe(200);
    expect((await call("GET", userPath(BEN))).status).toBe(404);
    expect((await call("DELETE", userPath(BEN))).status).toBe(404);
    expect((await call("DELETE", userPath(ANNA))).status).toBe(200);
    expect((await client.call("GET", "/v1/users")).body.data).toMatchObject([{ id: BEN }]);
  });

  it("sees no users if it is bound to an agent", async () => {
    const client = await newClient();
    await client.call("POST", "/v1/remember", { user_id: ANNA, agent_id: "ada", content: "Likes tea" });
    const { body: bound } = await callWith(ADMIN_KEY, "POST", "/v1/keys", {
      tenant: client.tenant,
      bind: { agent_id: "ada" },
    });
    expect((await callWith(bound.key, "GET", "/v1/users")).body.data).toEqual([]);
    expect((await callWith(bound.key, "GET", userPath(ANNA))).status).toBe(404);
  });
});

describe("a user of mem0's clients", () => {
  it("is listed, and erased with what was added through them", async () => {
    const { client, word } = await newTenantOfUsers();
    await client.call("POST", "/mem0/v3/memories/add/", {
      messages: [{ role: "user", content: `I live near ${word}` }],
      user_id: ANNA,
      infer: false,
    });
    expect((await client.call("GET", "/v1/users")).body.data).toMatchObject([
      { id: ANNA, counts: { memories: 1 } },
    ]);
    expect((await client.call("DELETE", userPath(ANNA))).body.deleted).toMatchObject({ memories: 1 });
    expect(await findInD1(client.tenant, word)).toEqual([]);
  });
});

describe("the profile of a user", () => {
  it.each([ANNA, BEN])("is found under the encoded id %s", async (id) => {
    const { client, word } = await newTenantOfUsers();
    await fillUser(client, id, word);
    await vi.waitFor(async () => {
      const { status, body } = await client.call("GET", userPath(id));
      expect(status).toBe(200);
      expect(body).toMatchObject({ id, counts: { sessions: 2, messages: 4, memories: 5 } });
    });
  });

  it("has facts and preferences apart, the most important first, and recent topics", async () => {
    const client = await newClient();
    const session = freshId("session");
    await client.call("POST", "/v1/sessions", { id: session, user_id: ANNA });
    const path = `/v1/sessions/${session}`;
    await client.call("POST", `${path}/messages`, {
      messages: [
        { role: "user", content: "Which guitar should I buy in Lisbon?" },
        { role: "user", content: "A guitar for Lisbon, then" },
      ],
    });
    const remember = (body: object) => client.call("POST", `${path}/remember`, body);
    await remember({ content: "Anna lives in Lisbon", confidence: 0.9 });
    await remember({ content: "Anna decided to learn the guitar", type: "decision" });
    await remember({ content: "Anna prefers mornings", type: "preference" });
    await remember({ content: "Anna may be left-handed", type: "assumption" });
    await vi.waitFor(async () => {
      const { body } = await client.call("GET", userPath(ANNA));
      expect(body.topics).toEqual(expect.arrayContaining(["Lisbon", "guitar"]));
      expect(body.facts.map(({ content }: { content: string }) => content)).toEqual([
        "Anna decided to learn the guitar",
        "Anna lives in Lisbon",
      ]);
      expect(body.preferences).toEqual([
        {
          id: expect.any(String),
          content: "Anna prefers mornings",
          type: "preference",
          confidence: expect.any(Number),
          timestamp: expect.any(String),
        },
      ]);
    });
  });

  it("leaves out what is superseded, forgotten, or a captured turn", async () => {
    const client = await newClient();
    const session = freshId("session");
    await client.call("POST", "/v1/sessions", {
      id: session,
      user_id: ANNA,
      agent_id: "ada",
      policy: { capture: "conversation" },
    });
    const path = `/v1/sessions/${session}`;
    await client.call("POST", `${path}/remember`, { content: "Anna's city is Rome", key: "city" });
    await client.call("POST", `${path}/remember`, { content: "Anna's city is Paris", key: "city" });
    const { body: gone } = await client.call("POST", `${path}/remember`, { content: "Anna owns a boat" });
    await client.call("POST", `${path}/forget`, { memory_id: gone.memory_id });
    const turn = { input: "Anna owns a horse", output: "Good to know" };
    expect((await client.call("POST", `${path}/turns`, turn)).body.captured).toBe(true);
    const { body } = await client.call("GET", userPath(ANNA));
    expect(body.facts.map(({ content }: { content: string }) => content)).toEqual(["Anna's city is Paris"]);
  });

  it("is a text for a prompt with Accept: text/markdown", async () => {
    const client = await newClient();
    await client.call("POST", "/v1/remember", { user_id: BEN, agent_id: "ada", content: "Ben\n# rides <b>" });
    const { status, headers, body } = await client.call("GET", userPath(BEN), undefined, {
      Accept: "text/markdown",
    });
    expect(status).toBe(200);
    expect(headers.get("Content-Type")).toBe("text/markdown; charset=utf-8");
    expect(body).toContain("## About the user auth0\\|123");
    expect(body).toContain("- Ben \\# rides \\<b\\>");
    for (const heading of ["### Facts", "### Preferences", "### Recent topics"])
      expect(body).toContain(heading);
  });

  it("does not exist for an unknown user, and no path can name the ids . and ..", async () => {
    const client = await newClient();
    expect((await client.call("GET", userPath("nobody"))).body).toMatchObject({
      status: 404,
      code: "not_found",
    });
    for (const user_id of [".", ".."]) {
      const { status, body } = await client.call("POST", "/v1/sessions", { user_id });
      expect(status).toBe(400);
      expect(body.errors[0].path).toBe("user_id");
    }
  });
});

describe("lists", () => {
  it("of sessions, memories, episodes and entries are filtered by user", async () => {
    const { client, word } = await newTenantOfUsers();
    await fillUser(client, ANNA, word);
    await fillUser(client, BEN, word);
    const user = `user_id=${encodeURIComponent(ANNA)}`;
    const paths = [
      ["/v1/sessions?", 2],
      ["/v1/memories?", 5],
      ["/v1/episodes?", 1],
      ["/v1/entries?namespace=agent:ada&", 5],
    ] as const;
    for (const [path, count] of paths) {
      const { body } = await client.call("GET", path + user);
      expect(body.data, path).toHaveLength(count);
      for (const item of body.data) expect(item.user_id, path).toBe(ANNA);
    }
  });

  it("of entries have the session's user by default", async () => {
    const client = await newClient();
    const session = freshId("session");
    await client.call("POST", "/v1/sessions", { id: session, user_id: ANNA, agent_id: "ada" });
    const { body } = await client.call("POST", "/v1/entries", {
      agent_id: "ada",
      session_id: session,
      content: "Anna asked twice",
    });
    expect(body.user_id).toBe(ANNA);
  });

  it("of entries have the same text of two users twice", async () => {
    const client = await newClient();
    const write = async (user_id: string) =>
      (await client.call("POST", "/v1/entries", { agent_id: "ada", user_id, content: "Likes tea" })).body.id;
    expect(await write(ANNA)).not.toBe(await write(BEN));
    expect(await write(ANNA)).toBe(await write(ANNA));
  });
});

describe("an episode", () => {
  it("recorded in a session has its user by default", async () => {
    const client = await newClient();
    const session = freshId("session");
    await client.call("POST", "/v1/sessions", { id: session, user_id: ANNA, project_id: "shop" });
    const { status } = await client.call("POST", "/v1/tools/execute", {
      session_id: session,
      call: {
        type: "tool_use",
        id: "call-1",
        name: "record_episode",
        input: { context: { goal: "Book a table" }, outcome: "success" },
      },
    });
    expect(status).toBe(200);
    const { body } = await client.call("GET", "/v1/episodes");
    expect(body.data).toMatchObject([{ user_id: ANNA }]);
  });
});
