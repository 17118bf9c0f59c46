import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { HealthCheck } from "../../src/administration/diagnose";
import { createApp } from "../../src/app";
import type { Bindings } from "../../src/kernel/env";
import { MIGRATIONS } from "../../src/kernel/tables";
import { FakeVectorize } from "../fakes/vectorize";
import { ADMIN_KEY, callWith, newClient } from "./support";

const DAY = 24 * 60 * 60 * 1_000;

const app = createApp();

async function ask(
  bindings: Partial<Record<keyof Bindings, unknown>> = {},
  key = ADMIN_KEY,
): Promise<Response> {
  return app.fetch(
    new Request("https://kioku.test/v1/admin/doctor", { headers: { Authorization: `Bearer ${key}` } }),
    { ...env, ...bindings } as unknown as Bindings,
    createExecutionContext(),
  );
}

/** The finding of one check. */
async function finding(
  name: string,
  bindings: Partial<Record<keyof Bindings, unknown>> = {},
): Promise<HealthCheck> {
  const answer = await ask(bindings);
  expect(answer.status).toBe(200);
  const { checks } = (await answer.json()) as { checks: HealthCheck[] };
  const found = checks.find((check) => check.name === name);
  if (found === undefined) throw new Error(`No check ${name} among ${checks.map((check) => check.name)}`);
  return found;
}

describe("the doctor", () => {
  it("finds a service well that is, and says the worst of what it found", async () => {
    const long = { ADMIN_KEY: "0123456789abcdef0123456789abcdef" };
    const answer = await ask(long, long.ADMIN_KEY);
    const { status, checks } = (await answer.json()) as { status: string; checks: HealthCheck[] };
    expect(checks.filter((check) => check.status !== "ok")).toEqual([]);
    expect(status).toBe("ok");
    expect(await (await ask()).json()).toMatchObject({ status: "warn" });
    expect(await (await ask({ EMBEDDER: "oracle" })).json()).toMatchObject({ status: "fail" });
  });

  it("is for the holder of ADMIN_KEY alone", async () => {
    expect((await ask({}, "wrong")).status).toBe(401);
    const { key } = await newClient(["admin"]);
    expect((await ask({}, key)).status).toBe(403);
    expect((await ask({ ADMIN_KEY: undefined })).status).toBe(503);
  });

  it("knows the migrations of the folder, and names those that were not applied", async () => {
    expect(MIGRATIONS).toEqual(env.TEST_MIGRATIONS.map(({ name }) => name));
    const newest = MIGRATIONS.at(-1) ?? "";
    const row = await env.DB.prepare("SELECT * FROM d1_migrations WHERE name = ?").bind(newest).first();
    await env.DB.prepare("DELETE FROM d1_migrations WHERE name = ?").bind(newest).run();
    expect(await finding("migrations")).toMatchObject({
      status: "fail",
      detail: `Not applied: ${newest}`,
      fix: expect.stringContaining("migrations apply"),
    });
    const add = env.DB.prepare("INSERT INTO d1_migrations (id, name) VALUES (?, ?)");
    await env.DB.batch([add.bind(row?.id, newest), add.bind(9_999, "9999_later.sql")]);
    expect(await finding("migrations")).toMatchObject({
      status: "warn",
      detail: expect.stringContaining("9999"),
    });
    await env.DB.prepare("DELETE FROM d1_migrations WHERE id = 9999").run();
    expect(await finding("migrations")).toMatchObject({ status: "ok", fix: null });
  });

  it.each([
    ["settings", { RATE_LIMIT_READ: "many" }, "RATE_LIMIT_READ"],
    ["embedder", { EMBEDDER: "oracle" }, "EMBEDDER must be"],
    ["language model", { LANGUAGE_MODEL: "oracle" }, "LANGUAGE_MODEL must be"],
    ["bindings", { INDEXER: undefined, ASSETS: undefined }, "INDEXER, ASSETS"],
  ])("answers with wrong %s, and looks at the rest all the same", async (name, bindings, detail) => {
    expect(await finding(name, bindings)).toMatchObject({
      status: "fail",
      detail: expect.stringContaining(detail),
      fix: expect.stringMatching(/\S/),
    });
    expect(await finding("migrations", bindings)).toMatchObject({ status: "ok" });
  });

  it("answers without a database, and shows nothing of its errors", async () => {
    const DB = {
      prepare: () => {
        throw new Error("D1_ERROR: secret: SQLITE_ERROR");
      },
    };
    const answer = await ask({ DB });
    expect(answer.status).toBe(200);
    const text = await answer.text();
    expect(text).not.toMatch(/secret|SQLITE/);
    expect(await finding("migrations", { DB })).toMatchObject({ status: "fail" });
    expect(await finding("embedder", { DB })).toMatchObject({ status: "ok" });
  });

  it("says of an embedder that is off that recall is by words alone", async () => {
    expect(await finding("embedder", { EMBEDDER: "none" })).toMatchObject({
      status: "warn",
      detail: expect.stringContaining("words alone"),
    });
  });

  it("finds a Vectorize index of other dimensions", async () => {
    expect(await finding("vectorize", { VECTORIZE: new FakeVectorize({ dimensions: 512 }) })).toMatchObject({
      status: "ok",
    });
    expect(await finding("vectorize", { VECTORIZE: new FakeVectorize({ dimensions: 768 }) })).toMatchObject({
      status: "fail",
      detail: expect.stringMatching(/768.*512/),
    });
  });

  it("finds a cron that does not run, by what it has left", async () => {
    expect(await finding("cron")).toMatchObject({ status: "ok" });
    const { call } = await newClient();
    await call("POST", "/v1/sessions", { id: "old" });
    await env.DB.prepare("UPDATE sessions SET updated_at = ? WHERE id = 'old'")
      .bind(new Date(Date.now() - 2 * DAY).toISOString())
      .run();
    expect(await finding("cron")).toMatchObject({ status: "warn", fix: expect.stringContaining("crons") });
  });

  it("finds what the index was given in vain", async () => {
    expect(await finding("vector queue")).toMatchObject({ status: "ok" });
    const entry =
      "INSERT INTO vector_queue (tenant, kind, seq, id, due_at, attempts) VALUES ('t', 'memory', 1, 'x', ?, 9)";
    await env.DB.prepare(entry)
      .bind(Date.now() + DAY)
      .run();
    expect(await finding("vector queue")).toMatchObject({
      status: "warn",
      detail: expect.stringContaining("1 of 1"),
    });
    await env.DB.prepare("DELETE FROM vector_queue").run();
  });
});

describe("the key that calls", () => {
  it("is told its tenant and its scopes, and nothing of its secret", async () => {
    const { tenant, key, call } = await newClient(["read"]);
    const { status, body } = await call("GET", "/v1/keys/self");
    expect(status).toBe(200);
    expect(body).toEqual({ id: expect.stringMatching(/^key_/), tenant, scopes: ["read"], bind: null });
    expect(JSON.stringify(body)).not.toContain(key);
    const { body: admin } = await callWith(ADMIN_KEY, "GET", "/v1/keys/self");
    expect(admin).toEqual({ id: "admin", tenant: null, scopes: ["admin"], bind: null });
  });
});
