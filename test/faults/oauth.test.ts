// OAuth while KV or D1 does not answer: nobody is told that the connection has ended, and what was begun can be repeated.
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from "vitest";
import { WRITE_INTERVAL_MS } from "../../src/http/oauth/oauth-server";
import {
  authorize,
  callTool,
  connect,
  consent,
  exchange,
  type OAuthAnswer,
  readPage,
  refresh,
  register,
  requestToken,
  send,
  submit,
} from "../integration/oauth/oauth-support";
import { newClient, skipWaits } from "../integration/support";
import { breakBatches, mendD1 } from "./support";

const { OAUTH_KV } = env;
const mendKv = () => {
  if (OAUTH_KV !== undefined) env.OAUTH_KV = OAUTH_KV;
};
let waits: MockInstance<typeof scheduler.wait>;
beforeEach(() => {
  waits = skipWaits(WRITE_INTERVAL_MS);
});
afterEach(() => {
  vi.restoreAllMocks();
  mendKv();
  mendD1();
});

/** Refuses one kind of call, as KV does when the limit of the day is used up; or the first few of them. */
function breakKv(method: "get" | "put" | "delete", times = Number.POSITIVE_INFINITY): void {
  if (OAUTH_KV === undefined) throw new Error("OAUTH_KV is not bound");
  let left = times;
  env.OAUTH_KV = new Proxy(OAUTH_KV, {
    get(target, property) {
      const value = Reflect.get(target, property);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        if (property === method && left > 0) {
          left -= 1;
          return Promise.reject(new Error("KV failed: 429 Too Many Requests"));
        }
        return Reflect.apply(value, target, args);
      };
    },
  });
}

const works = async (token: string) => (await callTool(token, "recall", { query: "x" })).status;
const readOutcome = ({ status, body }: OAuthAnswer) => [status, body.code, body.error];
const UNAVAILABLE = [503, "unavailable", "temporarily_unavailable"];

describe("KV that does not answer", () => {
  it("makes tokens unavailable, which end nothing", async () => {
    const { key } = await newClient();
    const { client, tokens } = await connect(key);
    const code = await consent(client, key);
    breakKv("get");
    expect(await works(tokens.access_token)).toBe(503);
    expect(readOutcome(await exchange(client, code))).toEqual(UNAVAILABLE);
    expect(readOutcome(await refresh(client, tokens.refresh_token))).toEqual(UNAVAILABLE);
    expect(readOutcome(await requestToken(client, { token: tokens.refresh_token }))).toEqual(UNAVAILABLE);
    expect(await works(key)).toBe(200);
    breakKv("put");
    expect(readOutcome(await refresh(client, tokens.refresh_token))).toEqual(UNAVAILABLE);
    expect(readOutcome(await exchange(client, code))).toEqual(UNAVAILABLE);
    mendKv();
    expect(await works(tokens.access_token)).toBe(200);
    expect((await refresh(client, tokens.refresh_token)).status).toBe(200);
    expect((await exchange(client, code)).status).toBe(200);
  });

  it("takes a write a second later: the exchange of a code follows its consent at once", async () => {
    const { key } = await newClient();
    const { body: client } = await register();
    const code = await consent(client, key);
    breakKv("put", 1);
    const { status, body: tokens } = await exchange(client, code);
    expect(status).toBe(200);
    expect(WRITE_INTERVAL_MS).toBeGreaterThan(1_000);
    expect(waits).toHaveBeenCalledWith(WRITE_INTERVAL_MS);
    expect(await works(tokens.access_token)).toBe(200);
  });

  it("refuses a registration with an error that a page of any origin can read", async () => {
    breakKv("put");
    expect(readOutcome(await register())).toEqual(UNAVAILABLE);
    const { headers } = await send("/oauth/register", {
      method: "POST",
      headers: { Origin: "http://localhost:6274", "Content-Type": "application/json" },
      body: JSON.stringify({ redirect_uris: ["http://localhost:6274/"], token_endpoint_auth_method: "none" }),
    });
    expect(headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(Number(headers.get("Retry-After"))).toBeGreaterThan(0);
  });

  it("is explained to a person on a page, before and after consent", async () => {
    const { key } = await newClient();
    const { body: client } = await register();
    for (const method of ["get", "put", "delete"] as const) {
      mendKv();
      const page = await readPage(await authorize(client));
      breakKv(method);
      const answers = [
        await submit(page, { key }),
        ...(method === "delete" ? [] : [await authorize(client)]),
      ];
      for (const answer of answers) {
        expect([method, answer.status, answer.headers.get("Content-Type")]).toEqual([
          method,
          503,
          "text/html; charset=utf-8",
        ]);
        expect(await answer.text()).toContain("The store of OAuth did not answer");
      }
    }
  });
});

it("D1 that does not answer leaves the refresh token as it was", async () => {
  const { key } = await newClient();
  const { client, tokens } = await connect(key);
  breakBatches({ moment: "before", matching: /UPDATE api_keys/ });
  expect(readOutcome(await refresh(client, tokens.refresh_token))).toEqual(UNAVAILABLE);
  mendD1();
  expect((await refresh(client, tokens.refresh_token)).status).toBe(200);
});
