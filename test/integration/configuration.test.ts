import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { sweep } from "../../src/administration/sweep";
import { createApp } from "../../src/app";
import type { Bindings } from "../../src/kernel/env";
import { readSettings } from "../../src/kernel/env";
import { ADMIN_KEY, freshId, newClient } from "./support";

const app = createApp();

async function fetchWith(
  bindings: Partial<Bindings>,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  const { ADMIN_KEY: _admin, ...rest } = env;
  return app.fetch(
    new Request(`https://kioku.test${path}`, init),
    { ...rest, ...bindings },
    createExecutionContext(),
  );
}

describe("a service without an admin key", () => {
  it("refuses every call but /health, with 503 and the fix", async () => {
    for (const path of ["/v1/sessions", "/v1/keys", "/openapi.json", "/v1/memories/x"]) {
      const response = await fetchWith({}, path, { headers: { Authorization: "Bearer anything" } });
      expect(response.status, path).toBe(503);
      expect(await response.json()).toMatchObject({
        code: "not_configured",
        detail: expect.stringContaining("ADMIN_KEY"),
      });
    }
    expect(
      (await fetchWith({ ADMIN_KEY: "" }, "/v1/keys", { headers: { Authorization: "Bearer " } })).status,
    ).toBe(503);
    expect((await fetchWith({}, "/health")).status).toBe(200);
  });
});

describe("a database without migrations", () => {
  it("is named as the cause, with the command that mends it", async () => {
    const failing = {
      prepare: () => {
        throw new Error("D1_ERROR: no such table: api_keys: SQLITE_ERROR");
      },
    } as unknown as D1Database;
    const response = await fetchWith({ ADMIN_KEY, DB: failing }, "/v1/sessions", {
      headers: { Authorization: "Bearer k" },
    });
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({
      code: "not_configured",
      detail: expect.stringContaining("migrations apply"),
    });
  });
});

describe("a setting that is wrong", () => {
  it.each<[keyof Bindings, string]>([
    ["RATE_LIMIT_READ", "many"],
    ["MAX_MEMORIES_PER_SESSION", "-1"],
    ["EMBEDDER", "oracle"],
    ["SOURCE_RANKS", "user > tool"],
    ["EMBEDDING_DIMENSIONS", "12"],
  ])("is named in every answer that needs it, and costs no more than that: %s", async (name, value) => {
    const { key } = await newClient();
    const settings = { ADMIN_KEY, [name]: value } as object;
    const headers = { Authorization: `Bearer ${key}` };
    const response = await fetchWith(settings, "/v1/memories", { headers });
    expect(response.status).toBe(503);
    expect(response.headers.get("X-Request-Id")).not.toBeNull();
    expect(await response.json()).toMatchObject({
      code: "not_configured",
      detail: expect.stringContaining(name),
    });
    expect((await fetchWith(settings, "/health")).status).toBe(200);
  });
});

describe("rate limits", () => {
  it("count reads and writes of a key apart, and say when to come back", async () => {
    const { key } = await newClient();
    const { key: other } = await newClient();
    const limits = { ADMIN_KEY, RATE_LIMIT_READ: "3", RATE_LIMIT_WRITE: "1" };
    const read = (bearer: string) =>
      fetchWith(limits, "/v1/sessions", { headers: { Authorization: `Bearer ${bearer}` } });
    const write = () =>
      fetchWith(limits, `/v1/sessions/${freshId("s")}/remember`, {
        method: "POST",
        headers: { Authorization: `Bearer ${key}` },
        body: JSON.stringify({ content: "one" }),
      });
    expect([await read(key), await read(key), await read(key)].map(({ status }) => status)).toEqual([
      200, 200, 200,
    ]);
    const refused = await read(key);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ code: "rate_limited" });
    expect((await read(other)).status).toBe(200);
    expect((await write()).status).toBe(201);
    expect((await write()).status).toBe(429);
  });

  it("are off at 0, and a setting that is no number is an error, not a guess", () => {
    expect(readSettings({ ...env, RATE_LIMIT_READ: "0" }).rateLimit.read).toBe(0);
    expect(() => readSettings({ ...env, RATE_LIMIT_READ: "many" })).toThrow("RATE_LIMIT_READ");
  });
});

describe("the sweep", () => {
  it("drops applied operations after a week, and keeps younger ones", async () => {
    const day = 24 * 60 * 60 * 1_000;
    const now = Date.now();
    const insert = (op: string, at: number) =>
      env.DB.prepare(
        "INSERT INTO operations (tenant, op, fingerprint, response, created_at) VALUES ('t', ?, '', '{}', ?)",
      )
        .bind(op, new Date(at).toISOString())
        .run();
    await insert("old", now - 8 * day);
    await insert("young", now - 6 * day);
    await sweep(env, now);
    const { results } = await env.DB.prepare("SELECT op FROM operations WHERE tenant = 't'").all<{
      op: string;
    }>();
    expect(results.map(({ op }) => op)).toEqual(["young"]);
  });
});
