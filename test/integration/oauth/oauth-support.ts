// An OAuth client that does each step by hand, so that tests can do it wrongly, and a person who consents.
import { exports } from "cloudflare:workers";
import { expect } from "vitest";

export const ORIGIN = "https://kioku.test";
export const CALLBACK = "https://client.example/callback";
export const VERIFIER = "a-verifier-of-enough-characters-for-pkce-0123456789";

export type OAuthClient = { client_id: string; client_secret?: string };
export type Tokens = { access_token: string; refresh_token: string; scope: string; expires_in: number };
// biome-ignore lint/suspicious/noExplicitAny: an answer is whatever the test says it is
export type OAuthAnswer = { status: number; body: any };

let calls = 0;

/** Each call has an address of its own, unless its headers name one: the limits of an address have tests of their own. */
export function send(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  calls += 1;
  if (!headers.has("CF-Connecting-IP")) headers.set("CF-Connecting-IP", `10.1.${calls >> 8}.${calls & 255}`);
  return sendWithoutAddress(path, { ...init, headers });
}

export function sendWithoutAddress(path: string, init: RequestInit = {}): Promise<Response> {
  const url = path.startsWith("http") ? path : `${ORIGIN}${path}`;
  return exports.default.fetch(url, { redirect: "manual", ...init });
}

async function read(response: Response): Promise<OAuthAnswer> {
  const text = await response.text();
  return { status: response.status, body: text.startsWith("{") ? JSON.parse(text) : text };
}

export async function register(metadata: object = {}): Promise<OAuthAnswer> {
  return read(
    await send("/oauth/register", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({
        client_name: "Test client",
        redirect_uris: [CALLBACK],
        token_endpoint_auth_method: "none",
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        ...metadata,
      }),
    }),
  );
}

async function challenge(verifier: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  return btoa(String.fromCharCode(...new Uint8Array(digest)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** Opens the consent page. An undefined parameter is left out. */
export async function authorize(
  client: OAuthClient,
  more: Record<string, string | undefined> = {},
): Promise<Response> {
  const parameters = {
    response_type: "code",
    client_id: client.client_id,
    redirect_uri: CALLBACK,
    scope: "read write",
    state: "the state",
    code_challenge: await challenge(VERIFIER),
    code_challenge_method: "S256",
    resource: `${ORIGIN}/mcp`,
    ...more,
  };
  const given = Object.entries(parameters).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return send(`/oauth/authorize?${new URLSearchParams(given)}`);
}

export type ConsentPage = { html: string; handle: string; cookie: string; headers: Headers; status: number };

export async function readPage(response: Response): Promise<ConsentPage> {
  const html = await response.text();
  const [, handle = ""] = /name="handle" value="([^"]+)"/.exec(html) ?? [];
  const [cookie = ""] = (response.headers.get("Set-Cookie") ?? "").split(";");
  return { html, handle, cookie, headers: response.headers, status: response.status };
}

/** Sends the form of the page. */
export function submit(
  { handle, cookie }: Pick<ConsentPage, "handle" | "cookie">,
  fields: Record<string, string>,
): Promise<Response> {
  return send("/oauth/authorize", {
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded", Cookie: cookie },
    body: new URLSearchParams({ handle, decision: "allow", access: "write", bind: "key", ...fields }),
  });
}

/** Returns the parameters that the client is called back with. */
export function readCallback(response: Response): URLSearchParams {
  const location = new URL(response.headers.get("Location") ?? "");
  expect(`${location.origin}${location.pathname}`).toBe(CALLBACK);
  return location.searchParams;
}

/** Consents with a key, and returns the authorization code. */
export async function consent(
  client: OAuthClient,
  key: string,
  fields: Record<string, string> = {},
  more: Record<string, string> = {},
): Promise<string> {
  const page = await readPage(await authorize(client, more));
  const answer = await submit(page, { key, ...fields });
  expect(answer.status).toBe(302);
  return readCallback(answer).get("code") ?? "";
}

export async function requestToken(
  client: OAuthClient,
  fields: Record<string, string>,
): Promise<OAuthAnswer> {
  return read(
    await send("/oauth/token", {
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ client_id: client.client_id, ...fields }),
    }),
  );
}

export function exchange(client: OAuthClient, code: string, more: Record<string, string> = {}) {
  const fields = { grant_type: "authorization_code", code, redirect_uri: CALLBACK, code_verifier: VERIFIER };
  return requestToken(client, { ...fields, ...more });
}

export function refresh(client: OAuthClient, refresh_token: string, more: Record<string, string> = {}) {
  return requestToken(client, { grant_type: "refresh_token", refresh_token, ...more });
}

/** Registers a client and lets a person with a key connect it. */
export async function connect(
  key: string,
  fields: Record<string, string> = {},
  more: Record<string, string> = {},
): Promise<{ client: OAuthClient; tokens: Tokens }> {
  const { body: client } = await register();
  const { status, body: tokens } = await exchange(client, await consent(client, key, fields, more));
  expect(status).toBe(200);
  return { client, tokens };
}

/** Calls a tool over MCP. */
export async function callTool(token: string | null, name: string, input: object, path = "/mcp") {
  const response = await send(path, {
    method: "POST",
    headers: {
      ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: input } }),
  });
  const { status, body } = await read(response);
  return { status, result: body.result, challenge: response.headers.get("WWW-Authenticate") ?? "" };
}
