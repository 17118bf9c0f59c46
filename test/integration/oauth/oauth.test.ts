// OAuth for MCP clients: consent with a key, tokens that act as a key, and how they end.
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ADMIN_KEY, callWith, freshId, newClient } from "../support";
import {
  authorize,
  callTool,
  connect,
  consent,
  exchange,
  ORIGIN,
  readPage,
  refresh,
  register,
  requestToken,
  send,
  submit,
} from "./oauth-support";

const DAY_MS = 86_400_000;
const { OAUTH_KV } = env;
afterEach(() => {
  vi.restoreAllMocks();
  if (OAUTH_KV !== undefined) env.OAUTH_KV = OAUTH_KV;
  delete env.KEY_MAX_LIFETIME_DAYS;
});

const readJson = async (path: string) => (await send(path)).json<Record<string, unknown>>();
const works = async (token: string) => (await callTool(token, "recall", { query: "x" })).status;
const listKeys = async (tenant: string) =>
  (await callWith(ADMIN_KEY, "GET", `/v1/keys?tenant=${tenant}`)).body.data;
const listConnections = async (tenant: string) =>
  (await listKeys(tenant)).filter(({ name }: { name: string | null }) => name !== null);

describe("discovery", () => {
  it("leads a client from the 401 to the endpoints", async () => {
    const { status, challenge } = await callTool(null, "recall", { query: "x" });
    expect(status).toBe(401);
    expect(challenge).toBe(
      `Bearer resource_metadata="${ORIGIN}/.well-known/oauth-protected-resource/mcp", scope="read write"`,
    );
    expect(await readJson("/.well-known/oauth-protected-resource/mcp")).toMatchObject({
      resource: `${ORIGIN}/mcp`,
      authorization_servers: [ORIGIN],
      scopes_supported: ["read", "write"],
    });
    expect(await readJson("/.well-known/oauth-authorization-server")).toMatchObject({
      issuer: ORIGIN,
      authorization_endpoint: `${ORIGIN}/oauth/authorize`,
      token_endpoint: `${ORIGIN}/oauth/token`,
      registration_endpoint: `${ORIGIN}/oauth/register`,
      revocation_endpoint: `${ORIGIN}/oauth/token`,
      code_challenge_methods_supported: ["S256"],
      response_types_supported: ["code"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      scopes_supported: ["read", "write"],
    });
  });

  it("has no route without the KV namespace, and then accepts keys alone", async () => {
    const { key } = await newClient();
    const { tokens } = await connect(key);
    delete env.OAUTH_KV;
    for (const [method, path] of [
      ["GET", "/.well-known/oauth-authorization-server"],
      ["GET", "/.well-known/oauth-protected-resource/v1"],
      ["POST", "/oauth/register"],
      ["GET", "/oauth/authorize"],
      ["POST", "/oauth/authorize"],
      ["POST", "/oauth/token"],
      ["GET", "/oauth/consent.js"],
    ] as const)
      expect([path, (await send(path, { method })).status]).toEqual([path, 404]);
    expect(await works(tokens.access_token)).toBe(401);
    const { challenge } = await callTool(null, "recall", { query: "x" });
    expect(challenge).not.toContain("scope");
    expect(await readJson("/.well-known/oauth-protected-resource/mcp")).not.toHaveProperty(
      "authorization_servers",
    );
    expect(await works(key)).toBe(200);
  });

  it("needs https, or this machine", async () => {
    const path = "/.well-known/oauth-authorization-server";
    const remote = await send(`http://kioku.test${path}`);
    expect([remote.status, (await remote.json<{ detail: string }>()).detail]).toEqual([
      503,
      "OAuth needs https: use the https address of this service, or localhost.",
    ]);
    expect((await send(`http://127.0.0.1:8787${path}`)).status).toBe(200);
  });
});

describe("a connection", () => {
  it("acts as a key of its own, with its scopes, its name and its audit records", async () => {
    const { key, tenant } = await newClient();
    const { tokens } = await connect(key);
    expect(tokens).toMatchObject({ scope: "read write", expires_in: 3600, token_type: "bearer" });
    const { status, result } = await callTool(tokens.access_token, "remember", {
      content: "We deploy on Mondays",
    });
    expect([status, result.isError]).toEqual([200, undefined]);
    const [own, connection] = await listKeys(tenant);
    expect(connection).toMatchObject({
      name: "Test client (client.example)",
      tenant,
      scopes: ["read", "write"],
      bind: null,
      kind: "connection",
      created_by: own.id,
    });
    const days = (Date.parse(connection.expires_at) - Date.now()) / DAY_MS;
    expect(Math.round(days)).toBe(30);
    const { body } = await callWith(ADMIN_KEY, "GET", `/v1/audit?tenant=${tenant}`);
    expect(body.data).toContainEqual(
      expect.objectContaining({
        action: "oauth.connect",
        key_id: own.id,
        target: `keys/${connection.id}`,
        outcome: "ok",
      }),
    );
  });

  it("reads alone if the person chose so", async () => {
    const { key } = await newClient();
    const { tokens } = await connect(key, { access: "read" });
    expect(tokens.scope).toBe("read");
    expect(await works(tokens.access_token)).toBe(200);
    const refused = await callTool(tokens.access_token, "remember", { content: "x" });
    expect(refused.status).toBe(403);
    expect(refused.challenge).toContain('error="insufficient_scope", scope="write"');
  });

  it("is bound to the user or the project that the person chose", async () => {
    const { key } = await newClient();
    const anna = await connect(key, { bind: "user", user_id: "anna@example.com" });
    const written = await callTool(anna.tokens.access_token, "remember", { content: "Anna likes tea" });
    expect(written.status).toBe(200);
    const other = await connect(key, { bind: "user", user_id: "bert" });
    const found = await callTool(other.tokens.access_token, "recall", { query: "tea" });
    expect(found.result.structuredContent.memories ?? found.result.structuredContent.results).toEqual([]);
    const stray = await callTool(other.tokens.access_token, "recall", {
      query: "tea",
      user_id: "anna@example.com",
    });
    expect(JSON.stringify(stray.result)).toContain("forbidden");
    const project = await connect(key, { bind: "project", project_id: "shop" });
    const { body } = await callWith(key, "GET", "/v1/keys/self");
    expect(body.bind).toBeNull();
    expect(
      (await callTool(project.tokens.access_token, "remember", { content: "The shop sells tea" })).status,
    ).toBe(200);
    expect((await callWith(key, "GET", "/v1/memories?project_id=shop")).body.data).toHaveLength(1);
  });

  it("has rate limits of its own", async () => {
    const { key } = await newClient();
    const { tokens } = await connect(key);
    // The limit counts by the minute.
    vi.spyOn(Date, "now").mockReturnValue(Date.now());
    env.RATE_LIMIT_READ = "2";
    try {
      const statuses = [];
      for (let i = 0; i < 3; i += 1) statuses.push(await works(tokens.access_token));
      expect(statuses).toEqual([200, 200, 429]);
      expect(await works(key)).toBe(200);
    } finally {
      delete env.RATE_LIMIT_READ;
    }
  });

  it("for the HTTP API works there", async () => {
    const { key, tenant } = await newClient();
    const { tokens } = await connect(key, {}, { resource: `${ORIGIN}/v1` });
    const { status, body } = await callWith(tokens.access_token, "GET", "/v1/keys/self");
    expect([status, body.tenant, body.scopes]).toEqual([200, tenant, ["read", "write"]]);
    expect((await callWith(tokens.access_token, "GET", "/v1/keys")).status).toBe(403);
  });
});

describe("a token", () => {
  it("is refreshed, and the old refresh token ends with the first use of the new one", async () => {
    const { key } = await newClient();
    const { client, tokens } = await connect(key);
    const second = await refresh(client, tokens.refresh_token);
    expect(second.status).toBe(200);
    expect(await works(second.body.access_token)).toBe(200);
    expect((await refresh(client, second.body.refresh_token)).status).toBe(200);
    expect((await refresh(client, tokens.refresh_token)).body.error).toBe("invalid_grant");
  });

  it("is narrowed by a refresh, and never widened", async () => {
    const { key } = await newClient();
    const { client, tokens } = await connect(key);
    const narrow = await refresh(client, tokens.refresh_token, { scope: "read" });
    expect(narrow.body.scope).toBe("read");
    expect((await callTool(narrow.body.access_token, "remember", { content: "x" })).status).toBe(403);
    const reader = await connect(key, { access: "read" });
    const wide = await refresh(reader.client, reader.tokens.refresh_token, { scope: "read write" });
    expect(wide.body.scope ?? "read").toBe("read");
  });

  it("is refused at another resource, and with another client", async () => {
    const { key } = await newClient();
    const { tokens } = await connect(key);
    expect((await callTool(tokens.access_token, "read_graph", {}, "/mcp/graph")).status).toBe(401);
    expect((await callWith(tokens.access_token, "GET", "/v1/memories")).status).toBe(401);
    // Nor is it refused at its own after that.
    expect(await works(tokens.access_token)).toBe(200);
    const { body: stranger } = await register();
    expect((await refresh(stranger, tokens.refresh_token)).body.error).toBe("invalid_grant");
    const elsewhere = { resource: "https://evil.example/mcp" };
    const { body: client } = await register();
    expect((await authorize(client, elsewhere)).status).toBe(400);
    expect((await exchange(client, await consent(client, key), elsewhere)).body.error).toBe("invalid_target");
  });

  it("is no key: it opens no consent page and no other tenant", async () => {
    const { key } = await newClient();
    const { tokens } = await connect(key);
    const { body: client } = await register();
    const page = await readPage(await authorize(client));
    expect((await submit(page, { key: tokens.access_token })).status).toBe(401);
    const [, ...rest] = tokens.access_token.split(":");
    const other = await newClient();
    const { tokens: others } = await connect(other.key);
    expect(await works([others.access_token.split(":")[0], ...rest].join(":"))).toBe(401);
  });

  it("ends when its client revokes the refresh token, and then leaves no key behind", async () => {
    const { key, tenant } = await newClient();
    const { client, tokens } = await connect(key);
    const { body: stranger } = await register();
    expect((await requestToken(stranger, { token: tokens.refresh_token })).status).toBe(200);
    const [id = ""] = tokens.access_token.split(":");
    expect((await requestToken(stranger, { token: `${id}:another:secret` })).status).toBe(200);
    expect(await works(tokens.access_token)).toBe(200);
    expect((await requestToken(client, { token: tokens.refresh_token })).status).toBe(200);
    expect(await works(tokens.access_token)).toBe(401);
    expect(await listConnections(tenant)).toEqual([]);
    const { body } = await callWith(ADMIN_KEY, "GET", `/v1/audit?tenant=${tenant}`);
    expect(body.data).toContainEqual(
      expect.objectContaining({ action: "oauth.disconnect", key_id: id, outcome: "ok" }),
    );
  });

  it("ends with its connection", async () => {
    const { key, tenant } = await newClient();
    const { client, tokens } = await connect(key);
    const [connection] = await listConnections(tenant);
    await callWith(ADMIN_KEY, "DELETE", `/v1/keys/${connection.id}`);
    expect(await works(tokens.access_token)).toBe(401);
    const again = await refresh(client, tokens.refresh_token);
    expect([again.status, again.body]).toEqual([
      400,
      { error: "invalid_grant", error_description: "This connection has ended. Authorize again." },
    ]);
    expect(await works(key)).toBe(200);
  });

  it("ends with the key that consented, when that is deleted or rotated", async () => {
    for (const end of ["delete", "rotate"]) {
      const { key, tenant } = await newClient();
      const { client, tokens } = await connect(key);
      const [{ id }] = await listKeys(tenant);
      if (end === "delete") await callWith(ADMIN_KEY, "DELETE", `/v1/keys/${id}`);
      else await callWith(ADMIN_KEY, "POST", `/v1/keys/${id}/rotate`, {});
      expect([end, await works(tokens.access_token)]).toEqual([end, 401]);
      expect((await refresh(client, tokens.refresh_token)).body.error).toBe("invalid_grant");
    }
  });

  it("ends with the tenant, and with the user that it is bound to", async () => {
    const { key, tenant } = await newClient();
    const anna = await connect(key, { bind: "user", user_id: "anna" });
    const bert = await connect(key, { bind: "user", user_id: "bert" });
    await callTool(anna.tokens.access_token, "remember", { content: "Anna likes tea" });
    await callWith(key, "DELETE", "/v1/users/anna");
    expect(await works(anna.tokens.access_token)).toBe(401);
    expect(await works(bert.tokens.access_token)).toBe(200);
    await callWith(ADMIN_KEY, "DELETE", `/v1/tenants/${tenant}`);
    expect(await works(bert.tokens.access_token)).toBe(401);
    expect((await refresh(bert.client, bert.tokens.refresh_token)).body.error).toBe("invalid_grant");
  });

  it("ends with the key that was rotated, also if it is refreshed meanwhile", async () => {
    const { key, tenant } = await newClient();
    const { client, tokens } = await connect(key);
    const [{ id }] = await listKeys(tenant);
    await callWith(ADMIN_KEY, "POST", `/v1/keys/${id}/rotate`, { overlap_seconds: 3_600 });
    expect((await refresh(client, tokens.refresh_token)).status).toBe(200);
    const [old, connection] = await listKeys(tenant);
    expect(connection.expires_at).toBe(old.expires_at);
  });

  it("ends with the user or project that it is bound to, although nothing is stored of it", async () => {
    const { key, tenant } = await newClient();
    for (const kind of ["user", "project"]) {
      const { tokens } = await connect(key, { bind: kind, [`${kind}_id`]: "anna" });
      expect((await callWith(key, "DELETE", `/v1/${kind}s/anna`)).status).toBe(200);
      expect([kind, await works(tokens.access_token)]).toEqual([kind, 401]);
      expect((await callWith(key, "DELETE", `/v1/${kind}s/anna`)).status).toBe(404);
    }
    expect(await listConnections(tenant)).toEqual([]);
  });

  it("ends 30 days after its last refresh, and is never given if its client comes late", async () => {
    const { key, tenant } = await newClient();
    const { client, tokens } = await connect(key);
    const code = await consent(client, key);
    const start = Date.now();
    const clock = vi.spyOn(Date, "now").mockReturnValue(start + 11 * 60_000);
    expect((await exchange(client, code)).body.error).toBe("invalid_grant");
    clock.mockReturnValue(start + 29 * DAY_MS);
    expect((await refresh(client, tokens.refresh_token)).status).toBe(200);
    const [connection] = await listConnections(tenant);
    expect(Math.round((Date.parse(connection.expires_at) - start) / DAY_MS)).toBe(59);
  });

  it("does not outlive the key, nor the longest life of keys", async () => {
    const tenant = freshId("tenant");
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const { body } = await callWith(ADMIN_KEY, "POST", "/v1/keys", { tenant, expires_at });
    await connect(body.key);
    expect((await listConnections(tenant))[0].expires_at).toBe(expires_at);
    const short = await newClient();
    env.KEY_MAX_LIFETIME_DAYS = "1";
    await connect(short.key);
    const [{ created_at, expires_at: end }] = await listConnections(short.tenant);
    expect(Date.parse(end) - Date.parse(created_at)).toBe(DAY_MS);
  });
});
