// OAuth as its users meet it: the official MCP client registers, sends its user to the consent page in a real browser, and
// works with the tokens that it gets. One server and one browser for all.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchBrowser } from "../../scripts/lib/launch-browser";
import { startTestServer, type TestServer } from "../conformance/support/server";

const launched = await launchBrowser();
const reason = typeof launched === "string" ? `, skipped: ${launched}` : "";

let server: TestServer;
/** The client's own address. It remembers what it was called back with. */
let listener: Server;
let callbacks: URLSearchParams[] = [];
let redirectUrl: string;

beforeAll(async () => {
  server = await startTestServer({ oauth: true });
  listener = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", redirectUrl);
    if (pathname === "/callback") callbacks.push(searchParams);
    response.setHeader("Content-Type", "text/html").end("<h1>Back at the client</h1>");
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  redirectUrl = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/callback`;
});

afterAll(async () => {
  if (typeof launched !== "string") await launched.close();
  listener.close();
  await server.stop();
});

/** A client that keeps everything in memory, and tells where it would send its user. */
function createProvider(name = "Conformance"): OAuthClientProvider & { sentTo: URL | null } {
  const stored: Record<string, unknown> = {};
  const store = (name: string, value: unknown): void => {
    stored[name] = value;
  };
  return {
    sentTo: null,
    redirectUrl,
    clientMetadata: {
      client_name: name,
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    },
    state: () => "state-of-the-client",
    clientInformation: () => stored.client as never,
    saveClientInformation: (client) => store("client", client),
    tokens: () => stored.tokens as never,
    saveTokens: (tokens) => store("tokens", tokens),
    saveCodeVerifier: (verifier) => store("verifier", verifier),
    codeVerifier: () => stored.verifier as string,
    saveDiscoveryState: (discovery) => store("discovery", discovery),
    discoveryState: () => stored.discovery as never,
    invalidateCredentials: () => store("tokens", undefined),
    redirectToAuthorization(url) {
      this.sentTo = url;
    },
  };
}

/** Connects until the client needs its user, who consents and comes back. */
async function connect(
  provider: ReturnType<typeof createProvider>,
  answer: (url: URL) => Promise<URLSearchParams>,
) {
  const url = new URL(`${server.url}/mcp`);
  const first = new StreamableHTTPClientTransport(url, { authProvider: provider });
  const error = await new Client({ name: "conformance", version: "1.0.0" })
    .connect(first)
    .catch((thrown) => thrown);
  expect(error).toBeInstanceOf(UnauthorizedError);
  if (provider.sentTo === null) throw new Error("The client did not send its user anywhere");
  const callback = await answer(provider.sentTo);
  expect(callback.get("state")).toBe("state-of-the-client");
  await first.finishAuth(callback);
  const transport = new StreamableHTTPClientTransport(url, { authProvider: provider });
  const client = new Client({ name: "conformance", version: "1.0.0" });
  await client.connect(transport);
  return client;
}

/** Answers the page as a program does, which has no browser. */
async function consentByForm(url: URL, fields: Record<string, string>): Promise<URLSearchParams> {
  const page = await fetch(url);
  const [cookie = ""] = (page.headers.get("Set-Cookie") ?? "").split(";");
  const [, handle = ""] = /name="handle" value="([^"]+)"/.exec(await page.text()) ?? [];
  const answer = await fetch(`${server.url}/oauth/authorize`, {
    method: "POST",
    redirect: "manual",
    headers: { Cookie: cookie },
    body: new URLSearchParams({ handle, decision: "allow", access: "write", bind: "key", ...fields }),
  });
  return new URL(answer.headers.get("Location") ?? "").searchParams;
}

describe("the official client", () => {
  it("registers, gets tokens with PKCE, calls tools, refreshes, and is refused when its connection is deleted", async () => {
    const provider = createProvider();
    const client = await connect(provider, (url) => {
      expect(url.searchParams.get("code_challenge_method")).toBe("S256");
      expect(url.searchParams.get("resource")).toBe(`${server.url}/mcp`);
      return consentByForm(url, { key: server.key });
    });
    const remembered = await client.callTool({
      name: "remember",
      arguments: { content: "We deploy on Mondays" },
    });
    expect(remembered.isError ?? false).toBe(false);

    // A token that has ended: the client refreshes it by itself.
    const tokens = await provider.tokens();
    if (tokens === undefined) throw new Error("There are no tokens");
    const [id = "", grant] = tokens.access_token.split(":");
    await provider.saveTokens({ ...tokens, access_token: `${id}:${grant}:ended` });
    const recalled = await client.callTool({ name: "recall", arguments: { query: "deploy" } });
    expect(JSON.stringify(recalled.structuredContent)).toContain("We deploy on Mondays");
    expect((await provider.tokens())?.refresh_token).not.toBe(tokens.refresh_token);

    provider.sentTo = null;
    const deleted = await fetch(`${server.url}/v1/keys/${id}`, {
      method: "DELETE",
      headers: { Authorization: `Bearer ${server.adminKey}` },
    });
    expect(deleted.status).toBe(204);
    await expect(client.callTool({ name: "recall", arguments: { query: "deploy" } })).rejects.toThrow();
    // Its user would have to consent again.
    expect(provider.sentTo).not.toBeNull();
    await client.close();
  });
});

describe.skipIf(typeof launched === "string")(`the consent page in a browser${reason}`, () => {
  async function openPage(
    url: URL | string,
    options: { width?: number; theme?: "light" | "dark"; page?: Page } = {},
  ): Promise<{ page: Page; problems: string[] }> {
    if (typeof launched === "string") throw new Error(launched);
    const { width = 1_280, theme = "light" } = options;
    const context = options.page?.context();
    const page = await (
      context ?? (await launched.newContext({ viewport: { width, height: 800 }, colorScheme: theme }))
    ).newPage();
    const problems: string[] = [];
    page.on("pageerror", ({ message }) => problems.push(message));
    page.on("console", (message) => {
      if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
        problems.push(message.text());
    });
    await page.goto(String(url));
    return { page, problems };
  }

  const waitForCallback = async (page: Page) => {
    await page.getByRole("heading", { name: "Back at the client" }).waitFor();
    const callback = callbacks.pop();
    callbacks = [];
    if (callback === undefined) throw new Error("The client was not called back");
    return callback;
  };

  it("connects a client for one user by keyboard, after a wrong key", async () => {
    const hostile = '<img src=x onerror="globalThis.hacked=1"> & Co';
    const client = await connect(createProvider(hostile), async (url) => {
      const { page, problems } = await openPage(url, { width: 360, theme: "dark" });
      await page.getByRole("heading", { name: hostile }).waitFor();
      await page.evaluate(axe.source);
      const { violations } = (await page.evaluate("axe.run()")) as { violations: { id: string }[] };
      expect(violations.map(({ id }) => id)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360);

      await page.getByLabel("Your Kioku key").focus();
      await page.keyboard.type("kioku_mistyped");
      await page.keyboard.press("Enter");
      await page.getByRole("alert").getByText("This key is not known").waitFor();
      expect(await page.getByLabel("Your Kioku key").inputValue()).toBe("");

      await page.getByLabel("Your Kioku key").focus();
      await page.keyboard.type(server.key);
      await page.keyboard.press("Tab");
      await page.keyboard.press("Tab");
      // The radio buttons of "It sees", from the first to the second.
      await page.keyboard.press("ArrowDown");
      await page.getByLabel("User id").waitFor();
      await page.keyboard.press("Tab");
      await page.keyboard.type("anna@example.com");
      await page.keyboard.press("Enter");
      const callback = await waitForCallback(page);
      expect(problems).toEqual([]);
      expect(await page.evaluate("globalThis.hacked")).toBeUndefined();
      await page.context().close();
      return callback;
    });
    await client.callTool({ name: "remember", arguments: { content: "Anna drinks tea" } });
    await client.close();
    const mine = await fetch(`${server.url}/v1/users/anna@example.com`, {
      headers: { Authorization: `Bearer ${server.key}` },
    });
    expect(await mine.text()).toContain("Anna drinks tea");
  });

  it("offers the keys of the consoles that are signed in in other tabs, by tenant", async () => {
    const created = await fetch(`${server.url}/v1/keys`, {
      method: "POST",
      headers: { Authorization: `Bearer ${server.adminKey}`, "Content-Type": "application/json" },
      body: JSON.stringify({ tenant: "other-tenant" }),
    });
    const { key: otherKey } = (await created.json()) as { key: string };
    const self = await fetch(`${server.url}/v1/keys/self`, {
      headers: { Authorization: `Bearer ${server.key}` },
    });
    const { tenant } = (await self.json()) as { tenant: string };
    const client = await connect(createProvider(), async (url) => {
      const { page: consolePage } = await openPage(`${server.url}/#key=${server.key}`);
      await consolePage.getByRole("heading", { name: "Home" }).waitFor();
      const { page: otherPage } = await openPage(`${server.url}/#key=${otherKey}`, { page: consolePage });
      await otherPage.getByRole("heading", { name: "Home" }).waitFor();
      const { page, problems } = await openPage(url, { page: consolePage });
      await page.getByRole("button", { name: "Use the key of tenant other-tenant", exact: true }).click();
      expect(await page.getByLabel("Your Kioku key").inputValue()).toBe(otherKey);
      await page.getByRole("button", { name: `Use the key of tenant ${tenant}`, exact: true }).click();
      expect(await page.getByLabel("Your Kioku key").inputValue()).toBe(server.key);
      expect(page.url()).not.toContain("kioku_");
      await page.getByRole("button", { name: "Allow" }).click();
      const callback = await waitForCallback(page);
      expect(problems).toEqual([]);
      await page.context().close();
      return callback;
    });
    expect((await client.listTools()).tools.length).toBeGreaterThan(5);
    await client.close();
  });

  it("makes a connection that the console lists, to revoke and not to rotate", async () => {
    const client = await connect(createProvider("Listed app"), (url) =>
      consentByForm(url, { key: server.key }),
    );
    const { page, problems } = await openPage(`${server.url}/#key=${server.adminKey}`);
    const rows = page.getByRole("row");
    const connection = rows.filter({ hasText: "Listed app" });
    await connection.waitFor();
    expect(await connection.textContent()).toContain("connected by OAuth");
    expect(await connection.getByRole("button").allTextContents()).toEqual(["Revoke"]);
    expect(await rows.filter({ hasText: "local" }).first().getByRole("button").allTextContents()).toEqual([
      "Rotate",
      "Revoke",
    ]);
    expect(problems).toEqual([]);
    await page.context().close();
    await client.close();
  });

  it("takes a denial without a key", async () => {
    const provider = createProvider();
    const error = await connect(provider, async (url) => {
      const { page } = await openPage(url);
      await page.getByRole("button", { name: "Deny" }).click();
      const callback = await waitForCallback(page);
      expect(callback.get("error")).toBe("access_denied");
      await page.context().close();
      return callback;
    }).catch((thrown: Error) => thrown);
    expect(String(error)).toContain("access_denied");
  });
});
