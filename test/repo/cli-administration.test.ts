// `kioku` and what administrators do, against the built service.
import { describe, expect, it, vi } from "vitest";
import { fresh } from "../conformance/support/client";
import { fakeEmbeddings } from "../conformance/support/embeddings";
import { ownServer } from "../conformance/support/http-service";
import { commandUnderTest, findUnusedAddress } from "./cli-under-test";
import { kioku, type Outcome } from "./kioku-command";

const { getFolder, settings, cli, admin, json, remember } = commandUnderTest();

describe("metrics", () => {
  it("are a table by project, agent or day, with the total", async () => {
    await cli(["prime", "Deploy a worker", "--project", "metered"]);
    const { out } = await cli(["metrics", "--days", "2", "--by", "day"]);
    expect(out).toMatch(/^ +episodes +success +p50 s/);
    expect(out.trimEnd().split("\n")).toHaveLength(4);
    expect(out).toMatch(/^total /m);
    expect(await json(["metrics", "--days", "2"])).toMatchObject({
      window: { days: 2 },
      total: { episodes: 0 },
    });
    expect((await kioku(["metrics", "--by", "week"])).err).toContain("--by must be project, agent, day");
  });
});

describe("a key", () => {
  it("is bound to an owner, and the list shows to whom", async () => {
    const tenant = fresh("tenant");
    const made = await admin(["keys", "create", tenant, "--user", "anna", "--project", "shop"]);
    expect(made.err).toContain("(read, write), bound to user anna, project shop. It is not shown again.");
    await admin(["keys", "create", tenant, "--agent", "ada"]);
    const listed = await admin(["keys", "list", "--tenant", tenant]);
    expect(listed.out).toMatch(/read,write +user anna, project shop /);
    expect(listed.out).toMatch(/read,write +agent ada /);
    const bound = settings(made.out.trim());
    expect(await kioku(["remember", "Anna likes tea"], bound)).toMatchObject({ code: 0 });
    expect((await kioku(["recall", "tea"], bound)).out).toContain("Anna likes tea");
    const refused = await kioku(["remember", "x", "--user", "bob"], bound);
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("user_id") });
  });

  it("is printed once, alone, when it is made; listed without its secret; and ends when it is deleted", async () => {
    const tenant = fresh("tenant");
    const made = await admin(["keys", "create", tenant, "--name", "laptop", "--scopes", "read"]);
    expect(made).toMatchObject({ code: 0, out: expect.stringMatching(/^kioku_[0-9a-f]{64}\n$/) });
    const key = made.out.trim();
    const id = /^key_\w+/.exec(made.err)?.[0] ?? "";
    const listed = await admin(["keys", "list", "--tenant", tenant]);
    expect(listed.out).toMatch(new RegExp(`${id} +${tenant} +laptop +read `));
    expect(listed.out).not.toContain(key);
    const refused = await kioku(["remember", "x"], settings(key));
    expect(refused).toMatchObject({ code: 1, out: "", err: expect.stringContaining("It has: read.") });
    expect(await admin(["keys", "delete", id])).toMatchObject({ code: 0, out: `Deleted ${id}\n` });
    const log = await admin(["audit", "--tenant", tenant, "--action", "key", "--format", "csv"]);
    const [head, ...rows] = log.out.trimEnd().split("\n");
    expect(head).toBe("at,action,key_id,target,outcome,code,request_id,count");
    expect(rows.map((row) => row.split(",").slice(1, 5).join(" "))).toEqual([
      `key.delete admin keys/${id} ok`,
      `key.create admin keys/${id} ok`,
    ]);
    const page = await admin(["audit", "--tenant", tenant, "--limit", "1"]);
    expect(page.out).toContain(`keys/${id}`);
    expect(page.err).toContain("There are more");
    const none = await admin(["audit", "--until", "2020-01-01T00:00:00Z"]);
    expect(none.err).toBe("There are no records. With the admin key, add --tenant <id>.\n");
    const ended = await kioku(["recall", "x"], settings(key));
    expect(ended).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringMatching(/^kioku: This key is not known.*\n$/),
    });
    expect(ended.err + refused.err).not.toContain(key);
  });
});

describe("a privacy policy", () => {
  it("is set for the tenant and a project by a key that may, shown to others, and cleared", async () => {
    const tenant = fresh("tenant");
    const keyWith = async (scopes: string) =>
      settings((await admin(["keys", "create", tenant, "--scopes", scopes])).out.trim());
    const [admins, agents] = [await keyWith("read,write,admin"), await keyWith("read,write")];
    const set = await kioku(["privacy", "set", "--email", "mask", "--national-id", "refuse"], admins);
    expect(set).toMatchObject({
      code: 0,
      out: expect.stringMatching(/email +mask\n[\s\S]*national_id +refuse/),
    });
    await kioku(["privacy", "set", "--project", "shop", "--mode", "strict", "--email", "allow"], admins);
    const shop = await kioku(["privacy", "--project", "shop"], agents);
    expect(shop).toEqual(await kioku(["privacy", "show", "--project", "shop"], agents));
    expect(shop.out).toMatch(/mode +strict\nemail +allow\n[\s\S]*national_id +refuse/);
    expect(await kioku(["privacy", "set", "--email", "allow"], agents)).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /lacks the scope "admin".*kioku keys create <tenant> --scopes read,write,admin/,
      ),
    });
    expect(await kioku(["privacy", "clear", "shop"], admins)).toMatchObject({ code: 0 });
    const { out } = await kioku(["privacy", "show", "--project", "shop", "--json"], agents);
    expect(JSON.parse(out)).toMatchObject({ privacy: "standard", personal_data: { email: "mask" } });
    const wrong = await kioku(["privacy", "set", "--email", "hide"], admins);
    expect(wrong).toMatchObject({
      code: 2,
      err: expect.stringContaining("--email must be allow, mask, refuse"),
    });
  });
});

describe("a webhook", () => {
  it("is created with its secret alone on stdout, listed, followed and deleted", async () => {
    const created = await cli([
      "webhooks",
      "create",
      "https://127.0.0.1.example/hook",
      "--events",
      "memory.created",
    ]);
    expect(created, created.err).toMatchObject({ code: 0, out: expect.stringMatching(/^\S{16,}\n$/) });
    const id = /^wh_\w+/.exec(created.err)?.[0] ?? "";
    const listed = await cli(["webhooks", "list"]);
    expect(listed.out).toMatch(new RegExp(`${id} +https://127.0.0.1.example/hook +memory.created`));
    expect(listed.out).not.toContain(created.out.trim());
    await remember("A webhook tells of this");
    const deliveries = await vi.waitFor(async () => {
      const page = await json<{ data: { id: string; attempts: number }[] }>(["webhooks", "deliveries", id]);
      expect(page.data[0]?.attempts).toBeGreaterThan(0);
      return page.data;
    });
    const none = await cli(["webhooks", "deliveries", id, "--status", "delivered"]);
    expect(none).toMatchObject({ code: 0, out: "", err: "There are no such deliveries.\n" });
    const retried = await cli(["webhooks", "retry", id, deliveries[0]?.id ?? ""]);
    expect(retried).toMatchObject({
      code: 1,
      err: expect.stringContaining("only a dead one can be retried"),
    });
    expect(await cli(["webhooks", "delete", id])).toMatchObject({ code: 0, out: `Deleted ${id}\n` });
    expect((await cli(["webhooks", "create", "https://a.example/"])).err).toContain("--events is missing");
  });
});

describe("doctor", () => {
  const own = ownServer();
  const embeddings = fakeEmbeddings();

  function doctor(env: Record<string, string>, ...args: string[]): Promise<Outcome> {
    return kioku(["doctor", ...args], { cwd: getFolder(), env: { KIOKU_URL: own.api.url(""), ...env } });
  }
  const keys = () => ({ KIOKU_API_KEY: own.api.key ?? "", KIOKU_ADMIN_KEY: own.admin.key ?? "" });
  const line = (outcome: Outcome, name: string) =>
    new RegExp(`^(ok|warn|fail) +${name} .*$`, "m").exec(outcome.out)?.[0];

  it("finds nothing wrong with a service that is well", async () => {
    const found = await doctor(keys());
    expect(found).toMatchObject({ code: 0, err: "" });
    expect(found.out).not.toMatch(/^(warn|fail)/m);
    for (const name of ["service", "key", "migrations", "embedder", "vectors", "vector queue", "cron"])
      expect(line(found, name), name).toMatch(/^ok/);
    const { status, checks } = JSON.parse((await doctor(keys(), "--json")).out);
    expect(status).toBe("ok");
    expect(checks).toContainEqual({
      name: "migrations",
      status: "ok",
      detail: expect.any(String),
      fix: null,
    });
  });

  it("says what the key may do, and that more takes the admin key", async () => {
    const found = await doctor({ KIOKU_API_KEY: own.api.key ?? "" });
    expect(found.code).toBe(0);
    expect(line(found, "key")).toMatch(/^ok .*may read, write$/);
    expect(found.out).toMatch(/^warn +inside .*\n +→ Set KIOKU_ADMIN_KEY/m);
    const wrong = await doctor({ KIOKU_API_KEY: "kioku_wrong" });
    expect(wrong.code).toBe(1);
    expect(line(wrong, "key")).toMatch(/^fail .*not known/);
  });

  it("finds a service that is down", async () => {
    const found = await doctor({ ...keys(), KIOKU_URL: await findUnusedAddress() });
    expect(found.code).toBe(1);
    expect(found.out).toMatch(/^fail +service .*\n +→ Start the service.*\n$/);
  });

  it("finds vectors of another embedder, with the command that mends it", async () => {
    await own.api.post("/v1/remember", { content: "Soon of no use", project_id: "p" });
    await own.indexed();
    await own.restart(embeddings.settings());
    const found = await doctor(keys());
    expect(found.code).toBe(1);
    expect(line(found, "embedder")).toMatch(/^ok .*4 dimensions/);
    expect(found.out).toMatch(/^fail +vectors .*512 dimensions.*4 dimensions.*\n +→ Run npm run reembed/m);
  });
});
