// POST /v1/memories/batch: one result per item, few writes, once per idempotency key.
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { COMMIT, readSql } from "../../faults/support";
import { newTenant, type Tenant } from "../store/long-term-support";
import { ADMIN_KEY, callWith, newClient } from "../support";

let kioku: Tenant;

beforeEach(async () => {
  kioku = await newTenant();
});

const send = (memories: unknown, headers: Record<string, string> = {}) =>
  kioku.call("POST", "/v1/memories/batch", { memories }, headers);

describe("a batch", () => {
  it("answers every item in order, and stores the good ones", async () => {
    const { status, body } = await send([
      { content: "Of a project", project_id: "shop", tags: ["a"] },
      { content: "", project_id: "shop" },
      { content: "Of a session", session_id: "s", agent_id: "ada" },
      "nonsense",
      { content: "Of a task", type: "task", properties: { nothing: "x" }, project_id: "shop" },
      { content: "Of a project", project_id: "shop", tags: ["b"] },
      { content: "Of another session", session_id: "t" },
      { content: "Unknown field", project_id: "shop", contents: "x" },
    ]);
    expect(status).toBe(200);
    const written = { remembered: true, memory_id: expect.any(String), deduplicated: false, superseded: [] };
    const refused = (path: string) => ({
      error: {
        code: "invalid_request",
        detail: expect.any(String),
        errors: [{ path, message: expect.any(String) }],
      },
    });
    expect(body.results).toEqual([
      written,
      refused("content"),
      written,
      refused(""),
      refused("properties.nothing"),
      { ...written, deduplicated: true },
      written,
      refused("contents"),
    ]);
    expect((await kioku.memory(body.results[0].memory_id)).tags).toEqual(["a", "b"]);
    expect(await kioku.memory(body.results[2].memory_id)).toMatchObject({ session_id: "s", agent_id: "ada" });
    expect(await kioku.liveIds()).toHaveLength(3);
  });

  it("names what its items supersede, in order", async () => {
    const { body } = await send([
      { content: "Maria lives in Paris", user_id: "mia", project_id: "shop" },
      { content: "Maria lives in Rome", user_id: "mia", project_id: "shop" },
    ]);
    expect(body.results[1].superseded).toEqual([body.results[0].memory_id]);
  });

  it("is stored once per idempotency key, and refuses the key for another body", async () => {
    const items = [
      { content: "One", project_id: "shop" },
      { content: "Two", session_id: "s" },
    ];
    const once = { "Idempotency-Key": "once" };
    const first = await send(items, once);
    expect((await send(items, once)).body).toEqual(first.body);
    expect((await send(items.slice(1), once)).status).toBe(409);
    expect((await kioku.memory(first.body.results[0].memory_id)).access_count).toBe(0);
    const again = await send(items);
    expect(again.body.results.map(({ deduplicated }: { deduplicated: boolean }) => deduplicated)).toEqual([
      true,
      true,
    ]);
  });

  it("reports a closed session to its own items only", async () => {
    await kioku.call("POST", "/v1/sessions", { id: "s" });
    await kioku.call("POST", "/v1/sessions/s/close");
    const { body } = await send([
      { content: "Too late", session_id: "s" },
      { content: "In time", session_id: "t" },
    ]);
    expect(body.results[0].error.code).toBe("conflict");
    expect(body.results[1].remembered).toBe(true);
  });

  it("reports another user than the session's to that item only", async () => {
    const { body } = await send([
      { content: "Of Mia", session_id: "s", user_id: "mia" },
      { content: "Of Ben", session_id: "s", user_id: "ben" },
      { content: "Of Mia, too", session_id: "s" },
    ]);
    expect(body.results.map((result: object) => "remembered" in result)).toEqual([true, false, true]);
    expect(body.results[1].error.errors).toEqual([{ path: "user_id", message: expect.any(String) }]);
    expect((await kioku.memory(body.results[2].memory_id)).user_id).toBe("mia");
  });

  it.each([
    [[]],
    ["nonsense"],
    [undefined],
    [Array.from({ length: 501 }, () => ({}))],
  ])("of %o is refused as a whole", async (memories) => {
    const { status, body } = await send(memories);
    expect([status, body.errors[0].path]).toEqual([400, "memories"]);
  });

  it("needs the scope to write", async () => {
    const reader = await newClient(["read"], kioku.tenant);
    const body = { memories: [{ content: "One", project_id: "shop" }] };
    expect((await reader.call("POST", "/v1/memories/batch", body)).status).toBe(403);
  });

  it("without an owner goes to the default project", async () => {
    const { body } = await send([{ content: "Of nobody" }]);
    expect(await kioku.memory(body.results[0].memory_id)).toMatchObject({ project_id: "default" });
  });

  it("of a bound key belongs to its owner, and names no other", async () => {
    const bind = { user_id: "mia" };
    const created = await callWith(ADMIN_KEY, "POST", "/v1/keys", { tenant: kioku.tenant, bind });
    await kioku.call("POST", "/v1/sessions", { id: "of-ben", user_id: "ben" });
    const items = [
      { content: "Mine" },
      { content: "Not mine", user_id: "ben" },
      { content: "Not mine", session_id: "of-ben" },
    ];
    const body = { memories: items };
    const { results } = (await callWith(created.body.key, "POST", "/v1/memories/batch", body)).body;
    expect((await kioku.memory(results[0].memory_id)).user_id).toBe("mia");
    expect(results.slice(1).map(({ error }: { error: { code: string } }) => error.code)).toEqual([
      "forbidden",
      "not_found",
    ]);
  });

  it("of 500 new memories takes ten writes", async () => {
    const items = Array.from({ length: 500 }, (_, i) => ({
      content: `Invoice ${i} was paid`,
      project_id: "shop",
      metadata: { number: i },
    }));
    const database = Object.getPrototypeOf(env.DB.withSession()) as D1Database;
    const batch = vi.spyOn(database, "batch");
    const { body } = await send(items);
    // The indexer, which begins before the last write, has batches of its own.
    const writes = batch.mock.calls.filter(([list]) => list.some((one) => COMMIT.test(readSql(one))));
    batch.mockRestore();
    expect(body.results.every(({ remembered }: { remembered: boolean }) => remembered)).toBe(true);
    expect(writes).toHaveLength(10);
    expect((await kioku.call("GET", "/v1/memories?limit=100")).body.data).toHaveLength(100);
  });
});
