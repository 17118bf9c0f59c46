// The audit log: what is recorded, for whom, and that nothing can fill, change or outlive it.
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { sweep } from "../../../src/administration/sweep";
import { sha256Hex } from "../../../src/kernel/hash";
import { breakBatches, mendD1 } from "../../faults/support";
import { ADMIN_KEY, callWith, freshId, newClient } from "../support";

afterEach(() => {
  mendD1();
  vi.restoreAllMocks();
});

const DAY_MS = 86_400_000;

type Entry = {
  at: string;
  action: string;
  key_id: string;
  target: string | null;
  outcome: string;
  code: string | null;
  request_id: string;
  count: number;
};

async function readLog(tenant: string, query = ""): Promise<Entry[]> {
  const { status, body } = await callWith(ADMIN_KEY, "GET", `/v1/audit?limit=100&tenant=${tenant}${query}`);
  expect(status).toBe(200);
  return body.data;
}

async function remember(client: Awaited<ReturnType<typeof newClient>>, content: string): Promise<string> {
  const { body } = await client.call("POST", "/v1/remember", { content, project_id: "shop" });
  return body.memory_id;
}

describe("the audit log", () => {
  it("records keys, erasures and changes of policy, with the request and never with content", async () => {
    const client = await newClient();
    const { tenant } = client;
    const memory = await remember(client, "The quarterly figures are pink");
    await client.call("POST", "/v1/sessions", { id: "checkout" });
    const erased = await client.call("DELETE", `/v1/memories/${memory}`);
    await client.call("DELETE", "/v1/sessions/checkout?memories=true");
    await client.call("PUT", "/v1/agents/ada/policy", { capture: "conversation" });
    await client.call("POST", "/v1/graph/delete_entities", { entityNames: ["Mia"] });
    const other = (await callWith(ADMIN_KEY, "POST", "/v1/keys", { tenant, name: "pink" })).body;
    await callWith(ADMIN_KEY, "POST", `/v1/keys/${other.id}/rotate`, {});
    await callWith(ADMIN_KEY, "DELETE", `/v1/keys/${other.id}`);
    await callWith(ADMIN_KEY, "POST", "/v1/admin/rebuild", { tenant });
    const log = (await readLog(tenant)).toReversed();
    const own = (await client.call("GET", "/v1/keys/self")).body.id;
    expect(log.map(({ action, key_id, target, outcome }) => [action, key_id, target, outcome])).toEqual([
      ["key.create", "admin", `keys/${own}`, "ok"],
      ["memory.erase", own, `memories/${memory}`, "ok"],
      ["session.erase", own, "sessions/checkout?memories=true", "ok"],
      ["policy.change", own, "agents/ada/policy", "ok"],
      ["graph.erase", own, "graph/delete_entities", "ok"],
      ["key.create", "admin", `keys/${other.id}`, "ok"],
      ["key.rotate", "admin", `keys/${other.id}/rotate`, "ok"],
      ["key.delete", "admin", `keys/${other.id}`, "ok"],
      ["admin.rebuild", "admin", "admin/rebuild", "ok"],
    ]);
    expect(log[1]?.request_id).toBe(erased.headers.get("X-Request-Id"));
    expect(JSON.stringify(log)).not.toMatch(/pink|kioku_/);
  });

  it("is read by the tenant's administrator alone, and only that of its tenant", async () => {
    const administrator = await newClient(["admin"]);
    const other = await newClient();
    const { status, body } = await administrator.call("GET", "/v1/audit");
    expect([status, body.data.length]).toEqual([200, 1]);
    expect((await administrator.call("GET", `/v1/audit?tenant=${other.tenant}`)).status).toBe(403);
    expect((await other.call("GET", "/v1/audit")).status).toBe(403);
    const bound = { tenant: other.tenant, scopes: ["admin"], bind: { user_id: "mia" } };
    const { key } = (await callWith(ADMIN_KEY, "POST", "/v1/keys", bound)).body;
    expect((await callWith(key, "GET", "/v1/audit")).status).toBe(404);
  });

  it("is filtered by action and time, and paged", async () => {
    const client = await newClient();
    const { tenant } = client;
    for (const id of ["a", "b", "c"]) {
      await client.call("POST", "/v1/sessions", { id });
      await client.call("DELETE", `/v1/sessions/${id}`);
    }
    expect(await readLog(tenant, "&action=session")).toHaveLength(3);
    expect(await readLog(tenant, "&action=session.erase")).toHaveLength(3);
    expect(await readLog(tenant, "&action=sess")).toHaveLength(0);
    expect(await readLog(tenant, `&until=${new Date(Date.now() - DAY_MS).toISOString()}`)).toHaveLength(0);
    expect(await readLog(tenant, `&since=${new Date(Date.now() - DAY_MS).toISOString()}`)).toHaveLength(4);
    const path = `/v1/audit?tenant=${tenant}&limit=2`;
    const first = (await callWith(ADMIN_KEY, "GET", path)).body;
    const second = (await callWith(ADMIN_KEY, "GET", `${path}&cursor=${first.next_cursor}`)).body;
    expect([...first.data, ...second.data]).toEqual(await readLog(tenant));
    expect(second.next_cursor).toBeNull();
    expect((await callWith(ADMIN_KEY, "GET", "/v1/audit?since=yesterday")).body.errors[0].path).toBe("since");
  });

  it("counts refused calls by key, action and minute, in a few rows", async () => {
    const reader = await newClient(["read"]);
    for (let call = 0; call < 16; call += 1)
      await reader.call("POST", "/v1/remember", { content: "The vault is open", project_id: "shop" });
    const refused = async () => (await readLog(reader.tenant)).filter(({ outcome }) => outcome === "refused");
    await vi.waitFor(async () => {
      const rows = await refused();
      expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(16);
      // Two, if a minute ended in between.
      expect(rows.length).toBeLessThanOrEqual(2);
      expect(rows[0]).toMatchObject({ action: "remember", code: "forbidden", target: "/v1/remember" });
    });
    // Whatever routes a key tries, its rows are few.
    const { body } = await callWith(null, "GET", "/openapi.json");
    const paths = Object.keys(body.paths).filter((path) => body.paths[path].post !== undefined);
    for (const path of paths) await reader.call("POST", path.replaceAll(/\{\w+\}/g, "x"), {});
    await vi.waitFor(async () =>
      expect((await refused()).some(({ action }) => action === "other")).toBe(true),
    );
    expect((await refused()).length).toBeLessThanOrEqual(2 * 21);
  });

  it("counts calls with an ended key, outside a binding, and erasures of what is not there", async () => {
    const tenant = freshId("tenant");
    const expires_at = new Date(Date.now() + 60_000).toISOString();
    const ended = (await callWith(ADMIN_KEY, "POST", "/v1/keys", { tenant, expires_at })).body;
    const bound = (await callWith(ADMIN_KEY, "POST", "/v1/keys", { tenant, bind: { user_id: "mia" } })).body;
    const client = await newClient(["read", "write"], tenant);
    const clock = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 61_000);
    expect((await callWith(ended.key, "GET", "/v1/sessions")).status).toBe(401);
    clock.mockRestore();
    expect((await callWith(bound.key, "GET", "/v1/users/alex")).status).toBe(404);
    for (const id of ["a", "b"]) expect((await client.call("DELETE", `/v1/users/${id}`)).status).toBe(404);
    await vi.waitFor(async () => {
      const log = await readLog(tenant);
      const find = (action: string) => log.find((entry) => entry.action === action);
      expect(find("authenticate")).toMatchObject({ key_id: ended.id, code: "unauthorized" });
      expect(find("getUser")).toMatchObject({ key_id: bound.id, outcome: "refused", code: "not_found" });
      expect(find("user.erase")).toMatchObject({
        outcome: "refused",
        code: "not_found",
        target: expect.stringMatching(/^users\/sha256-[0-9a-f]{32}$/),
      });
    });
  });

  it("counts the further pages of a list as an export", async () => {
    const client = await newClient();
    for (const content of ["One thing", "Another thing"]) await remember(client, content);
    const { body } = await client.call("GET", "/v1/memories?limit=1");
    expect(await readLog(client.tenant, "&action=export")).toEqual([]);
    await client.call("GET", `/v1/memories?limit=1&cursor=${body.next_cursor}`);
    await vi.waitFor(async () =>
      expect(await readLog(client.tenant, "&action=export")).toMatchObject([
        { action: "export.memories", target: "memories", outcome: "ok", count: 1 },
      ]),
    );
  });

  it("counts the further pages of searches and of mem0's lists as an export", async () => {
    const client = await newClient();
    for (const content of ["One thing", "Another thing"])
      await client.call("POST", "/v1/remember", { content, user_id: "mia" });
    const { body } = await client.call("POST", "/v1/memories/search", { filter: {}, limit: 1 });
    const list = (page: number) =>
      client.call("POST", `/mem0/v3/memories/?page=${page}&page_size=1`, { filters: { user_id: "mia" } });
    expect((await list(1)).status).toBe(200);
    expect(await readLog(client.tenant, "&action=export")).toEqual([]);
    await client.call("POST", "/v1/memories/search", { filter: {}, limit: 1, cursor: body.next_cursor });
    expect((await list(2)).status).toBe(200);
    await vi.waitFor(async () => {
      const log = await readLog(client.tenant, "&action=export.memories");
      expect(log.reduce((sum, { count }) => sum + count, 0)).toBe(2);
    });
  });

  it("has a hash in place of every name that may be a person's", async () => {
    const client = await newClient();
    const name = "mia@example.org";
    const namespace = `user:${name}`;
    const paths = [
      `/v1/users/${name}`,
      `/v1/namespaces/${encodeURIComponent(namespace)}`,
      `/mem0/v2/entities/user/${name}`,
      `/mem0/v1/memories?user_id=${name}&run_id=${name}`,
    ];
    for (const path of paths) {
      await client.call("POST", "/v1/remember", { content: "Likes tea", user_id: name });
      await client.call("DELETE", path);
    }
    await client.call("POST", "/v1/graph/delete_entities", { entityNames: [name] });
    const log = await readLog(client.tenant);
    expect(JSON.stringify(log)).not.toContain("mia");
    const hash = async (id: string) => `sha256-${(await sha256Hex(`${client.tenant}/${id}`)).slice(0, 32)}`;
    const targets = log.map(({ target }) => target);
    expect(targets).toContain(`namespaces/${await hash(namespace)}`);
    expect(targets).toContain(`mem0/v2/entities/user/${await hash(name)}`);
    expect(targets).toContain(`mem0/v1/memories?user_id=${await hash(name)}&run_id=${await hash(name)}`);
  });

  it("cannot be changed, only ended by its retention", async () => {
    const { tenant } = await newClient();
    const change = (sql: string) => env.DB.prepare(sql).bind(tenant).run();
    await expect(change("UPDATE audit_log SET key_id = 'me' WHERE tenant = ?")).rejects.toThrow(
      "append-only",
    );
    await expect(change("UPDATE audit_log SET outcome = 'failed' WHERE tenant = ?")).rejects.toThrow();
    await sweep(env, Date.now() + 364 * DAY_MS);
    expect(await readLog(tenant)).toHaveLength(1);
    await sweep(env, Date.now() + 366 * DAY_MS);
    expect(await readLog(tenant)).toEqual([]);
  });
});

describe("a record and its call", () => {
  it("both fail if the record cannot be written", async () => {
    const client = await newClient();
    const memory = await remember(client, "The quarterly figures are pink");
    breakBatches({ moment: "before", matching: /INSERT INTO audit_log/ });
    expect((await client.call("DELETE", `/v1/memories/${memory}`)).status).toBe(503);
    mendD1();
    expect((await client.call("GET", `/v1/memories/${memory}`)).status).toBe(200);
  });

  it("stay, as unknown, if the outcome cannot be written", async () => {
    const client = await newClient();
    const memory = await remember(client, "The quarterly figures are pink");
    breakBatches({ moment: "before", matching: /UPDATE audit_log/ });
    expect((await client.call("DELETE", `/v1/memories/${memory}`)).status).toBe(200);
    mendD1();
    expect(await readLog(client.tenant, "&action=memory")).toMatchObject([
      { outcome: "unknown", target: `memories/${memory}` },
    ]);
  });

  it("say that the call failed if the store failed during it", async () => {
    const client = await newClient();
    const memory = await remember(client, "The quarterly figures are pink");
    breakBatches({ moment: "before", matching: /DELETE FROM memories/ });
    expect((await client.call("DELETE", `/v1/memories/${memory}`)).status).toBe(503);
    mendD1();
    expect(await readLog(client.tenant, "&action=memory")).toMatchObject([
      { outcome: "failed", code: "unavailable" },
    ]);
  });
});

type DocumentedOperation = { "x-audit"?: string; "x-audit-exempt"?: string; security?: object };

async function listRoutes() {
  const { body } = await callWith(null, "GET", "/openapi.json");
  return Object.entries<Record<string, DocumentedOperation>>(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
}

describe("every list that is read page by page", () => {
  it("has an export in the audit log, or a reason to have none", async () => {
    const lists = (await listRoutes()).filter(
      ({ operation }) =>
        /"(next_cursor|next_seq|next)":/.test(JSON.stringify(operation)) &&
        JSON.stringify(operation.security).includes("read"),
    );
    expect(lists.length).toBeGreaterThan(20);
    const without = lists.filter(
      ({ operation }) =>
        operation["x-audit"]?.startsWith("export.") !== true && operation["x-audit-exempt"] === undefined,
    );
    expect(without.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });
});

describe("every route that deletes or administers", () => {
  it("has an action in the audit log, or a reason to have none", async () => {
    const routes = await listRoutes();
    const must = routes.filter(
      ({ path, method }) =>
        method === "delete" ||
        path.startsWith("/v1/graph/delete_") ||
        (method !== "get" && /^\/v1\/(keys|admin|webhooks|tenants|privacy)\b/.test(path)),
    );
    expect(must.length).toBeGreaterThan(15);
    const without = must.filter(
      ({ operation }) => operation["x-audit"] === undefined && operation["x-audit-exempt"] === undefined,
    );
    expect(without.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });
});
