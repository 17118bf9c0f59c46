// Supersession by topic: the key that a caller gives, and the one derived from a single-valued statement.
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { RememberAnswer } from "../../../src/memories/memory-schemas";
import { newTenant, rebuild, type Tenant } from "../store/long-term-support";

let kioku: Tenant;

beforeEach(async () => {
  kioku = await newTenant();
});

async function remember(input: object, key?: string): Promise<RememberAnswer> {
  const { status, body } = await kioku.call(
    "POST",
    "/v1/remember",
    input,
    key === undefined ? {} : { "Idempotency-Key": key },
  );
  expect([200, 201]).toContain(status);
  return body;
}

describe("a key", () => {
  it("names what it supersedes, also to a repeated call", async () => {
    const first = await remember({ content: "The port is 80", key: "port", project_id: "shop" });
    const second = await remember({ content: "The port is 81", key: "port", project_id: "shop" }, "once");
    const again = await remember({ content: "The port is 81", key: "port", project_id: "shop" }, "once");
    expect(first.superseded).toEqual([]);
    expect(second.superseded).toEqual([first.memory_id]);
    expect(again).toEqual(second);
    expect(await kioku.memory(first.memory_id)).toMatchObject({ superseded_by: second.memory_id });
  });

  it("may begin with any character", async () => {
    const first = await remember({ content: "Aliases", key: "~/.bashrc", project_id: "shop" });
    const second = await remember({ content: "Prompt", key: "~/.bashrc", project_id: "shop" });
    expect(second.superseded).toEqual([first.memory_id]);
    expect((await kioku.memory(second.memory_id)).key).toBe("~/.bashrc");
  });

  it("names what it supersedes through a session, also to a repeated call", async () => {
    const input = { key: "port", session_id: "s" };
    const first = await remember({ content: "The port is 80", ...input });
    const second = await remember({ content: "The port is 81", ...input }, "once");
    expect(second.superseded).toEqual([first.memory_id]);
    expect(await remember({ content: "The port is 81", ...input }, "once")).toEqual(second);
  });

  it("keeps both with supersede false, and replaces both afterwards", async () => {
    const owner = { key: "port", project_id: "shop" };
    const first = await remember({ content: "Listens on 80", ...owner });
    const second = await remember({ content: "Listens on 81", ...owner, supersede: false });
    expect(second.superseded).toEqual([]);
    expect(await kioku.liveIds()).toHaveLength(2);
    const third = await remember({ content: "Listens on 82", ...owner });
    expect(third.superseded.sort()).toEqual([first.memory_id, second.memory_id].sort());
  });
});

describe("a derived topic", () => {
  it("supersedes the earlier value in another session of the user, once", async () => {
    const first = await remember({ content: "Maria lives in Paris", session_id: "a", user_id: "mia" });
    const second = await remember({ content: "Maria lives in Rome", session_id: "b", user_id: "mia" });
    expect(second.superseded).toEqual([first.memory_id]);
    expect(await kioku.liveIds()).toEqual([second.memory_id]);
    expect((await kioku.memory(second.memory_id)).key).toBeNull();
    const before = await kioku.contents();
    await rebuild(kioku.tenant);
    expect((await kioku.contents()).memories).toEqual(before.memories);
  });

  it.each([
    { owner: "agent", ids: { agent_id: "ada" } },
    { owner: "project", ids: { project_id: "shop" } },
  ])("reaches over the sessions of $owner", async ({ ids }) => {
    const first = await remember({ content: "Maria lives in Paris", session_id: "a", ...ids });
    const second = await remember({ content: "Maria lives in Rome", session_id: "b", ...ids });
    expect(second.superseded).toEqual([first.memory_id]);
  });

  it("keeps the same value of two sessions, in the same and in other words", async () => {
    await remember({ content: "Maria lives in Paris", session_id: "a", user_id: "mia" });
    const same = await remember({ content: "Maria lives in Paris", session_id: "b", user_id: "mia" });
    const worded = await remember({ content: "Maria lives in paris.", session_id: "c", user_id: "mia" });
    expect([same.superseded, worded.superseded]).toEqual([[], []]);
    expect(await kioku.liveIds()).toHaveLength(3);
    const moved = await remember({ content: "Maria lives in Rome", session_id: "c", user_id: "mia" });
    expect(moved.superseded).toHaveLength(3);
  });

  it("keeps the values of two users, of other subjects, and with supersede false", async () => {
    await remember({ content: "Maria lives in Paris", user_id: "mia", project_id: "shop" });
    for (const input of [
      { content: "Maria lives in Rome", user_id: "ben", project_id: "shop" },
      { content: "Ben lives in Rome", user_id: "mia", project_id: "shop" },
      { content: "Maria lives in Rome", user_id: "mia", project_id: "shop", supersede: false },
    ])
      expect((await remember(input)).superseded).toEqual([]);
    expect(await kioku.liveIds()).toHaveLength(4);
  });

  it.each([
    { agent_id: "ada" },
    { user_id: "mia" },
  ])("keeps the values of two projects of %o", async (owner) => {
    const shop = await remember({ content: "The database is Postgres", project_id: "shop", ...owner });
    const blog = await remember({ content: "The database is MySQL", project_id: "blog", ...owner });
    expect([shop.superseded, blog.superseded]).toEqual([[], []]);
    const changed = await remember({ content: "The database is SQLite", project_id: "shop", ...owner });
    expect(changed.superseded).toEqual([shop.memory_id]);
  });

  it("supersedes what a user said of themselves in another project", async () => {
    const first = await remember({ content: "I live in Paris", user_id: "mia", project_id: "shop" });
    const second = await remember({ content: "I live in Rome", user_id: "mia", project_id: "blog" });
    expect(second.superseded).toEqual([first.memory_id]);
  });

  it("does not take the place of the key that a caller gave", async () => {
    const input = { content: "Maria lives in Paris", project_id: "shop" };
    const first = await remember({ ...input, key: "home" });
    const again = await remember(input);
    expect(again).toMatchObject({ deduplicated: true, memory_id: first.memory_id });
    expect((await kioku.memory(first.memory_id)).key).toBe("home");
  });

  it("leaves one live memory when two values race", async () => {
    const values = ["Paris", "Rome", "Oslo", "Bern", "Kyiv"];
    await Promise.all(
      values.map((city) => remember({ content: `Maria lives in ${city}`, project_id: "shop" })),
    );
    expect(await kioku.liveIds()).toHaveLength(1);
  });
});

describe("promotion", () => {
  it("supersedes the earlier value of a statement", async () => {
    const first = await remember({ content: "Maria lives in Paris", session_id: "a", agent_id: "ada" });
    await kioku.call("POST", "/v1/sessions", { id: "b", agent_id: "ada" });
    const pending = { content: "Maria lives in Rome", memory_type: "fact", importance_score: 1 };
    await kioku.call("POST", "/v1/sessions/b/pending", pending);
    const { body } = await kioku.call("POST", "/v1/sessions/b/promote");
    const [promoted] = body.promoted;
    expect(await kioku.memory(first.memory_id)).toMatchObject({ superseded_by: promoted.memory_id });
  });

  it("supersedes no near-duplicate of a user in a session without one", async () => {
    await kioku.call("POST", "/v1/sessions", { id: "s" });
    const content = "The user prefers dark mode in the editor.";
    const own = await remember({ content, session_id: "s", user_id: "mia" });
    const pending = { content: "User prefers the dark mode in the editor", memory_type: "fact" };
    await kioku.call("POST", "/v1/sessions/s/pending", { ...pending, importance_score: 1 });
    const { body } = await kioku.call("POST", "/v1/sessions/s/promote");
    expect(body.promoted).toHaveLength(1);
    expect(await kioku.memory(own.memory_id)).toMatchObject({ status: "live" });
  });
});

describe("a list by key", () => {
  const list = async (query: string) =>
    (await kioku.call("GET", `/v1/memories?${query}`)).body.data.map(({ id }: { id: string }) => id);

  it("finds a memory of a user by its user, and by its session alone", async () => {
    const owner = { session_id: "s", user_id: "mia", project_id: "shop" };
    const { memory_id } = await remember({ content: "The port is 80", key: "port", ...owner });
    await remember({ content: "The port is 81", key: "port", user_id: "ben", project_id: "shop" });
    expect(await list("key=port&user_id=mia")).toEqual([memory_id]);
    expect(await list("key=port&session_id=s")).toEqual([memory_id]);
    expect(await list("key_prefix=po&user_id=mia")).toEqual([memory_id]);
  });

  it("reads the index of topics alone, whatever the size of the tenant", async () => {
    const database = Object.getPrototypeOf(env.DB.withSession()) as D1Database;
    const prepare = vi.spyOn(database, "prepare");
    await list("key=port");
    const query = prepare.mock.calls.map(([sql]) => sql).find((sql) => /topic_scope" = \?/.test(sql)) ?? "";
    prepare.mockRestore();
    const values = [...query.matchAll(/\?/g)].map(() => "x");
    const plan = await env.DB.prepare(`EXPLAIN QUERY PLAN ${query}`)
      .bind(...values)
      .all<{ detail: string }>();
    expect(plan.results.map(({ detail }) => detail)).toContainEqual(
      expect.stringContaining("memories_by_topic (tenant=? AND topic_scope=? AND topic_key=?)"),
    );
  });
});

describe("round trips", () => {
  it("a new statement with a derived topic takes one batch", async () => {
    const store = kioku.store();
    const memory = { content: "Maria lives in Paris", project_id: "shop", session_id: null };
    const batch = vi.spyOn(env.DB, "batch");
    await store.memories.commit([kioku.write({ ...memory, topic_key: "~fact:maria/home" })]);
    expect(batch).toHaveBeenCalledTimes(1);
    batch.mockRestore();
  });
});
