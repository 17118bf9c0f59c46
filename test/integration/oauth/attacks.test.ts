// What a hostile client, page or person tries with OAuth, and gets nothing from.
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ADMIN_KEY, callWith, freshId, newClient } from "../support";
import {
  authorize,
  CALLBACK,
  type ConsentPage,
  callTool,
  consent,
  exchange,
  type OAuthClient,
  readCallback,
  readPage,
  register,
  requestToken,
  send,
  sendWithoutAddress,
  submit,
  VERIFIER,
} from "./oauth-support";

afterEach(() => {
  vi.restoreAllMocks();
  delete env.RATE_LIMIT_REFUSED;
  delete env.RATE_LIMIT_WRITE;
});

/** Limits count by the minute: the clock stands still, so that none ends meanwhile. */
const stopClock = () => vi.spyOn(Date, "now").mockReturnValue(Date.now());

const countKeys = async (tenant: string): Promise<number> =>
  (await callWith(ADMIN_KEY, "GET", `/v1/keys?tenant=${tenant}&limit=100`)).body.data.length;

async function openPage(client?: OAuthClient): Promise<ConsentPage> {
  return readPage(await authorize(client ?? (await register()).body));
}

/** The message of the page. */
const readError = (html: string) => /role="alert"[^>]*>([^<]*)</.exec(html)?.[1]?.trim();

describe("a client", () => {
  it("registers no dangerous or insecure redirect address", async () => {
    for (const redirect of [
      "javascript:alert(1)",
      "data:text/html,x",
      "http://evil.example/callback",
      "https://user:pass@client.example/",
      `${CALLBACK}#fragment`,
    ]) {
      const { status, body } = await register({ redirect_uris: [redirect] });
      expect([redirect, status, body.error]).toEqual([redirect, 400, body.error]);
      expect(body.error).toMatch(/^invalid_(redirect_uri|client_metadata)$/);
    }
  });

  it("is sent nowhere but to a redirect address that it has registered", async () => {
    const { body: client } = await register();
    for (const redirect_uri of [
      "https://evil.example/callback",
      `${CALLBACK}/more`,
      `${CALLBACK}?more=1`,
      "https://client.example.evil.example/callback",
      "javascript:alert(1)",
      undefined,
    ]) {
      const refused = await authorize(client, { redirect_uri });
      expect([redirect_uri, refused.status, refused.headers.get("Location")]).toEqual([
        redirect_uri,
        400,
        null,
      ]);
      expect(readError(await refused.text())).toBe("Invalid redirect URI");
    }
    const unknown = await authorize({ client_id: "nobody" });
    expect([unknown.status, unknown.headers.get("Location")]).toEqual([400, null]);
  });

  it("must use PKCE with S256, also if it has a secret", async () => {
    const { body: open } = await register();
    const { body: secret } = await register({ token_endpoint_auth_method: "client_secret_post" });
    for (const client of [open, secret])
      for (const more of [
        { code_challenge: undefined, code_challenge_method: undefined },
        { code_challenge: VERIFIER, code_challenge_method: "plain" },
        { code_challenge: VERIFIER, code_challenge_method: undefined },
      ]) {
        const refused = await authorize(client, more);
        expect([refused.status, refused.headers.get("Location")]).toEqual([400, null]);
        expect(readError(await refused.text())).toMatch(/PKCE|code_challenge/);
      }
  });

  it("gets no redirect from a wrong request, which would send people anywhere, but on their own machine", async () => {
    const { body: client } = await register();
    const refused = await authorize(client, { response_type: "token" });
    expect([refused.status, refused.headers.get("Location")]).toEqual([400, null]);
    const redirect_uri = "http://127.0.0.1:3000/callback";
    const { body: local } = await register({ redirect_uris: [redirect_uri] });
    for (const [more, error] of [
      [{ response_type: "token" }, "unsupported_response_type"],
      [{ code_challenge: undefined, code_challenge_method: undefined }, "invalid_request"],
    ] as const) {
      const { status, headers } = await authorize(local, { redirect_uri, ...more });
      const location = new URL(headers.get("Location") ?? "");
      expect([status, location.host, location.searchParams.get("error")]).toEqual([
        302,
        "127.0.0.1:3000",
        error,
      ]);
      expect(location.searchParams.get("state")).toBe("the state");
    }
  });

  it("exchanges a code only with its verifier, its redirect address and its own id", async () => {
    const { key } = await newClient();
    const { body: client } = await register();
    const { body: stranger } = await register();
    const code = await consent(client, key);
    const wrong = { code_verifier: "another-verifier-of-enough-characters-0123456789" };
    expect((await exchange(client, code, wrong)).body.error).toBe("invalid_grant");
    expect((await exchange(client, code, { redirect_uri: "https://evil.example/" })).body.error).toBe(
      "invalid_grant",
    );
    expect((await exchange(stranger, code)).body.error).toBe("invalid_grant");
    const without = { grant_type: "authorization_code", code, redirect_uri: CALLBACK };
    expect((await requestToken(client, without)).status).toBe(400);
    expect((await exchange(client, code)).status).toBe(200);
  });

  it("uses a code once: a second use ends what the first one gave", async () => {
    const { key } = await newClient();
    const { body: client } = await register();
    const code = await consent(client, key);
    const { body: tokens } = await exchange(client, code);
    expect((await exchange(client, code)).body.error).toBe("invalid_grant");
    expect((await callTool(tokens.access_token, "recall", { query: "x" })).status).toBe(401);
  });

  it("gets no server error for overlong ids, codes and tokens", async () => {
    const { body: client } = await register();
    const long = "a".repeat(600);
    const token = `${long}:b:c`;
    expect((await callWith(token, "GET", "/v1/memories")).status).toBe(401);
    expect((await callTool(token, "recall", { query: "x" })).status).toBe(401);
    const unknown = await authorize({ client_id: long });
    expect([unknown.status, unknown.headers.get("Location")]).toEqual([400, null]);
    expect((await requestToken(client, { token })).status).toBe(200);
    expect((await requestToken(client, { grant_type: "refresh_token", refresh_token: token })).status).toBe(
      400,
    );
    expect((await exchange(client, token)).body.error).toBe("invalid_grant");
    expect((await exchange({ client_id: long }, "a:b:c")).body.error).toBe("invalid_client");
    const basic = await send("/oauth/token", {
      method: "POST",
      headers: { Authorization: `Basic ${btoa(`${long}:secret`)}` },
      body: new URLSearchParams({ grant_type: "refresh_token", refresh_token: "a:b:c" }),
    });
    expect(basic.status).toBe(401);
  });

  it("writes its name as text", async () => {
    const name = `<script>globalThis.hacked=1</script>"'><img src=x onerror=alert(1)>`;
    const { body: client } = await register({ client_name: name });
    const { html } = await openPage(client);
    expect(html).not.toContain("<script>globalThis");
    expect(html).not.toContain("<img");
    expect(html).toContain("&lt;script&gt;globalThis.hacked=1&lt;/script&gt;");
    const { key, tenant } = await newClient();
    expect((await exchange(client, await consent(client, key))).status).toBe(200);
    const { body } = await callWith(ADMIN_KEY, "GET", `/v1/keys?tenant=${tenant}`);
    expect(body.data.at(-1).name.length).toBeLessThan(128);
  });

  it("cannot push the host off the page with a long name", async () => {
    const { body: client } = await register({ client_name: "Claude ".repeat(1_000) });
    const { html } = await openPage(client);
    expect(html.length).toBeLessThan(10_000);
    expect(html).toContain("client.example");
  });

  it("cannot hide the host in the list of keys, nor turn the text around", async () => {
    const { key, tenant } = await newClient();
    const redirect_uri = `https://${"claude.ai.".repeat(12)}evil.example/callback`;
    const { body: client } = await register({
      client_name: `\u202eClaude\u0007\u2028${"😀".repeat(100)}`,
      redirect_uris: [redirect_uri],
    });
    const page = await readPage(await authorize(client, { redirect_uri }));
    for (const character of ["\u202e", "\u0007", "\u2028"]) expect(page.html).not.toContain(character);
    expect((await submit(page, { key })).status).toBe(302);
    const { body } = await callWith(ADMIN_KEY, "GET", `/v1/keys?tenant=${tenant}`);
    const { name } = body.data.at(-1);
    expect(name).toMatch(/^Claude😀+ \([a-z.]+claude\.ai\.evil\.example\)$/u);
    expect(name.length).toBeLessThanOrEqual(128);
  });

  it("registers no more than 8 KiB, for 60 days unless it is used", async () => {
    const { status, body } = await register({ client_name: "x".repeat(9_000) });
    expect([status, body.code]).toEqual([413, "payload_too_large"]);
    expect(body.detail).toMatch(/may have 8192 bytes, and has 9\d{3}/);
    const { body: client } = await register();
    const { keys = [] } = (await env.OAUTH_KV?.list({ prefix: `client:${client.client_id}` })) ?? {};
    const days = ((keys[0]?.expiration ?? Number.POSITIVE_INFINITY) - Date.now() / 1_000) / 86_400;
    expect(Math.round(days)).toBe(60);
  });

  it("is counted where no address is known, too", async () => {
    stopClock();
    const statuses = [];
    for (let i = 0; i < 11; i += 1)
      statuses.push((await sendWithoutAddress("/oauth/register", { method: "POST", body: "{" })).status);
    expect(statuses).toEqual([...Array(10).fill(400), 429]);
  });

  it("registers, and asks for pages, a limited number of times a minute", async () => {
    stopClock();
    const headers = { "CF-Connecting-IP": "192.0.2.77", "Content-Type": "application/json" };
    const body = JSON.stringify({ redirect_uris: [CALLBACK], token_endpoint_auth_method: "none" });
    const statuses = [];
    for (let i = 0; i < 11; i += 1)
      statuses.push((await send("/oauth/register", { method: "POST", headers, body })).status);
    expect(statuses).toEqual([...Array(10).fill(201), 429]);
    const pages = [];
    for (let i = 0; i < 31; i += 1) pages.push((await send("/oauth/authorize", { headers })).status);
    expect(pages).toEqual([...Array(30).fill(400), 429]);
    const refused = await send("/oauth/authorize", { headers });
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
  });
});

describe("the consent page", () => {
  it("runs no inline script, sends its form nowhere else, and cannot be framed or cached", async () => {
    const { headers, html, cookie, status } = await openPage();
    expect(status).toBe(200);
    expect(headers.get("Content-Security-Policy")).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; " +
        "frame-ancestors 'none'",
    );
    expect(headers.get("X-Frame-Options")).toBe("DENY");
    expect(headers.get("Cache-Control")).toBe("no-store");
    expect(headers.get("Referrer-Policy")).toBe("no-referrer");
    expect(headers.get("Set-Cookie")).toMatch(/^__Host-.*Secure; HttpOnly; SameSite=Lax/);
    expect(cookie).not.toBe("");
    expect(html).toContain("Test client");
    expect(html).toContain("client.example");
  });

  it("takes an answer only from the browser that was shown it, once", async () => {
    const { key, tenant } = await newClient();
    const page = await openPage();
    const other = await openPage();
    for (const forged of [
      { ...page, cookie: "" },
      { ...page, cookie: other.cookie },
      { ...page, handle: other.handle },
      { ...page, handle: "guessed" },
      { ...page, handle: "" },
    ]) {
      const refused = await submit(forged, { key });
      expect([refused.status, refused.headers.get("Location")]).toEqual([400, null]);
    }
    expect(await countKeys(tenant)).toBe(1);
    expect((await submit(page, { key })).status).toBe(302);
    expect((await submit(page, { key })).status).toBe(400);
    expect(await countKeys(tenant)).toBe(2);
  });

  it("ignores a redirect address in the form", async () => {
    const { key } = await newClient();
    const answer = await submit(await openPage(), { key, redirect_uri: "https://evil.example/" });
    const callback = readCallback(answer);
    expect(callback.get("state")).toBe("the state");
    expect(callback.get("iss")).toBe("https://kioku.test");
  });

  it("takes no other form than its own", async () => {
    const { handle, cookie } = await openPage();
    const json = await send("/oauth/authorize", {
      method: "POST",
      headers: { Cookie: cookie, "Content-Type": "application/json" },
      body: JSON.stringify({ handle, decision: "deny" }),
    });
    expect([json.status, readError(await json.text())]).toEqual([
      400,
      "Content-Type: must be application/x-www-form-urlencoded.",
    ]);
  });

  it("sends a denial back to the client", async () => {
    const callback = readCallback(await submit(await openPage(), { decision: "deny" }));
    expect(Object.fromEntries(callback)).toMatchObject({ error: "access_denied", state: "the state" });
    expect(callback.has("code")).toBe(false);
  });

  it("gives a browser a page that goes on to the client by itself, which no form-action blocks", async () => {
    const { key } = await newClient();
    const { handle, cookie } = await openPage();
    const answer = await send("/oauth/authorize", {
      method: "POST",
      headers: { Cookie: cookie, "Sec-Fetch-Mode": "navigate" },
      body: new URLSearchParams({ handle, decision: "allow", access: "read", bind: "key", key }),
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("Refresh")).toMatch(/^0; url=https:\/\/client\.example\/callback\?code=/);
  });

  it("says that a key is wrong, changes nothing, and can be answered again", async () => {
    const { key, tenant } = await newClient();
    const client = (await register()).body;
    const refused = await submit(await openPage(client), {
      key: `kioku_${"0".repeat(64)}`,
      bind: "user",
      user_id: "anna",
    });
    const again = await readPage(refused);
    expect(again.status).toBe(401);
    expect(readError(again.html)).toBe("This key is not known. It was deleted, or mistyped.");
    expect(again.html).not.toContain("kioku_0");
    expect(again.html).toContain('value="anna"');
    expect(await countKeys(tenant)).toBe(1);
    expect((await submit(again, { key })).status).toBe(302);
  });

  it("counts wrong keys as those of calls", async () => {
    stopClock();
    env.RATE_LIMIT_REFUSED = "2";
    const statuses = [];
    let page = await openPage();
    for (let i = 0; i < 3; i += 1) {
      const answer = await send("/oauth/authorize", {
        method: "POST",
        headers: { Cookie: page.cookie, "CF-Connecting-IP": "192.0.2.88" },
        body: new URLSearchParams({ handle: page.handle, decision: "allow", key: `kioku_wrong_${i}` }),
      });
      statuses.push(answer.status);
      page = await readPage(answer);
    }
    expect(statuses).toEqual([401, 401, 429]);
    expect(page.handle).toBe("");
  });

  it("is answered a limited number of times a minute", async () => {
    stopClock();
    const headers = { "CF-Connecting-IP": "192.0.2.99" };
    const body = new URLSearchParams({ handle: "guessed", decision: "allow" });
    const statuses = [];
    for (let i = 0; i < 31; i += 1)
      statuses.push((await send("/oauth/authorize", { method: "POST", headers, body })).status);
    expect(statuses).toEqual([...Array(30).fill(400), 429]);
  });

  it("gives no more than the key has", async () => {
    const tenant = freshId("tenant");
    const make = async (more: object) =>
      (await callWith(ADMIN_KEY, "POST", "/v1/keys", { tenant, ...more })).body.key as string;
    const reader = await make({ scopes: ["read"] });
    const writer = await make({ scopes: ["write"] });
    const bound = await make({ bind: { user_id: "anna" } });
    const client = (await register()).body;
    const refuse = async (fields: Record<string, string>) => {
      const answer = await submit(await openPage(client), fields);
      return [answer.status, readError(await answer.text())];
    };
    expect(await refuse({ key: reader, access: "write" })).toEqual([
      403,
      "This key lacks the scope write. It has: read. Choose less, or use another key.",
    ]);
    expect(await refuse({ key: writer, access: "read" })).toEqual([
      403,
      "This key lacks the scope read. It has: write. Choose less, or use another key.",
    ]);
    expect(await refuse({ key: bound, bind: "user", user_id: "bert" })).toEqual([
      403,
      "This key is bound to the user_id &quot;anna&quot;, and cannot give access to &quot;bert&quot;.",
    ]);
    expect((await refuse({ key: ADMIN_KEY }))[0]).toBe(403);
    expect(await refuse({ key: reader, access: "read", bind: "user", user_id: " " })).toEqual([
      400,
      "User id is missing: enter it, or choose everything that the key sees.",
    ]);
    expect((await refuse({ key: reader, access: "read", bind: "project", project_id: "a/b" }))[0]).toBe(400);
    expect((await refuse({ key: reader, access: "admin" }))[0]).toBe(400);
    expect(await countKeys(tenant)).toBe(3);

    const code = await consent(client, bound, { bind: "project", project_id: "shop" });
    const { body: tokens } = await exchange(client, code);
    expect(tokens.scope).toBe("read write");
    const { body } = await callWith(ADMIN_KEY, "GET", `/v1/keys?tenant=${tenant}`);
    expect(body.data.at(-1).bind).toEqual({ user_id: "anna", project_id: "shop" });
  });

  it("makes no more than 20 connections with a key", async () => {
    const { key, tenant } = await newClient();
    const { body: client } = await register();
    for (let i = 0; i < 20; i += 1) await consent(client, key);
    const refused = await submit(await openPage(client), { key });
    expect([refused.status, readError(await refused.text())]).toEqual([
      409,
      "This key has 20 connections, the most that a key may have. Delete one of them, or use another key.",
    ]);
    expect(await countKeys(tenant)).toBe(21);
    const { body } = await callWith(ADMIN_KEY, "GET", `/v1/keys?tenant=${tenant}`);
    await callWith(ADMIN_KEY, "DELETE", `/v1/keys/${body.data.at(-1).id}`);
    await consent(client, key);
  });

  it("counts consent as a write of the key", async () => {
    const { key } = await newClient();
    const { body: client } = await register();
    stopClock();
    env.RATE_LIMIT_WRITE = "1";
    await consent(client, key);
    expect((await submit(await openPage(client), { key })).status).toBe(429);
  });

  it("makes a connection that cannot be rotated into a key", async () => {
    const { key, tenant } = await newClient();
    const { body: client } = await register();
    await consent(client, key);
    const { body } = await callWith(ADMIN_KEY, "GET", `/v1/keys?tenant=${tenant}`);
    const { id } = body.data.at(-1);
    const rotated = await callWith(ADMIN_KEY, "POST", `/v1/keys/${id}/rotate`, {});
    expect([rotated.status, rotated.body.detail]).toEqual([
      409,
      `Key ${id} is a connection of an OAuth client and has no secret. Delete it and connect the client again.`,
    ]);
    expect(await countKeys(tenant)).toBe(2);
  });

  it("keeps no key and no token in KV", async () => {
    const { key } = await newClient();
    const { body: client } = await register();
    const { body: tokens } = await exchange(client, await consent(client, key));
    const { keys = [] } = (await env.OAUTH_KV?.list()) ?? {};
    expect(keys.length).toBeGreaterThan(2);
    const secrets = [key, tokens.access_token, tokens.refresh_token].map(
      (text) => text.split(":").at(-1) ?? "",
    );
    for (const { name } of keys) {
      const value = `${name} ${await env.OAUTH_KV?.get(name)}`;
      for (const secret of secrets) expect(value).not.toContain(secret);
    }
  });
});
