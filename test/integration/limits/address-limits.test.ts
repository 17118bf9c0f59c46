// Limits before authentication: by client address, and for keys that were refused just now.
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { FakeRateLimiter } from "../../fakes/rate-limiter";
import { ADMIN_KEY, callWith, freshId, newClient } from "../support";
import { countStatements, withSettings } from "./limits-support";

let addresses = 0;
function newAddress(): Record<string, string> {
  addresses += 1;
  return { "CF-Connecting-IP": `192.0.2.${addresses}` };
}

describe("a key that was refused", () => {
  it("costs no read of D1 when it is repeated, for some seconds", async () => {
    const { DB, count } = countStatements();
    const call = withSettings({ key: freshId("wrong") }, { DB });
    const first = await call("GET", "/v1/sessions");
    expect(first).toMatchObject({ status: 401, body: { code: "unauthorized" } });
    const reads = count();
    expect(reads).toBeGreaterThan(0);
    for (let i = 0; i < 5; i += 1) {
      const again = await call("GET", "/v1/sessions");
      expect(again.status).toBe(401);
      expect(again.body.detail).toBe(first.body.detail);
    }
    expect(count()).toBe(reads);
    vi.useFakeTimers({ now: Date.now() + 6_000, toFake: ["Date"] });
    try {
      await call("GET", "/v1/sessions");
    } finally {
      vi.useRealTimers();
    }
    expect(count()).toBeGreaterThan(reads);
  });

  it("is accepted at once when it is made, although it was guessed before", async () => {
    const tenant = freshId("tenant");
    const headers = { "Idempotency-Key": freshId() };
    const { body } = await callWith(ADMIN_KEY, "POST", "/v1/keys", { tenant }, headers);
    await callWith(ADMIN_KEY, "DELETE", `/v1/keys/${body.id}`);
    expect((await callWith(body.key, "GET", "/v1/sessions")).status).toBe(401);
    // The same secret is derived from the same call, once its record is gone.
    await env.DB.prepare("DELETE FROM operations WHERE tenant = ''").run();
    const again = await callWith(ADMIN_KEY, "POST", "/v1/keys", { tenant }, headers);
    expect(again.body.key).toBe(body.key);
    expect((await callWith(body.key, "GET", "/v1/sessions")).status).toBe(200);
  });
});

describe("a client address", () => {
  it("that sends many wrong keys is refused before they are looked up", async () => {
    const { DB, count } = countStatements();
    const settings = { DB, RATE_LIMIT_REFUSED: "3" };
    const address = newAddress();
    const guess = () =>
      withSettings({ key: freshId("guess") }, settings)("GET", "/v1/sessions", undefined, address);
    for (let i = 0; i < 3; i += 1) expect((await guess()).status).toBe(401);
    const reads = count();
    const refused = await guess();
    expect(refused).toMatchObject({ status: 429, body: { code: "rate_limited" } });
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect(count()).toBe(reads);
    const other = withSettings(await newClient(), settings);
    expect((await other("GET", "/v1/sessions", undefined, newAddress())).status).toBe(200);
  });

  it("may make so many calls a minute", async () => {
    const call = withSettings(await newClient(), { RATE_LIMIT_ADDRESS: "2" });
    const address = newAddress();
    const statuses = [];
    for (let i = 0; i < 3; i += 1)
      statuses.push((await call("GET", "/v1/sessions", undefined, address)).status);
    expect(statuses).toEqual([200, 200, 429]);
    expect((await call("GET", "/v1/sessions")).status).toBe(200);
  });
});

describe("the platform's rate limit, where it is bound", () => {
  it("counts by address before authentication, and by key after it", async () => {
    const [ADDRESS_LIMITER, KEY_LIMITER] = [new FakeRateLimiter(3), new FakeRateLimiter(2)];
    const { DB, count } = countStatements();
    const client = await newClient();
    const call = withSettings(client, { DB, ADDRESS_LIMITER, KEY_LIMITER });
    const address = newAddress();
    const read = () => call("GET", "/v1/sessions", undefined, address);
    expect([(await read()).status, (await read()).status]).toEqual([200, 200]);
    expect(await read()).toMatchObject({ status: 429, body: { code: "rate_limited" } });
    const reads = count();
    const refused = await read();
    expect(refused).toMatchObject({ status: 429, body: { detail: expect.stringContaining("address") } });
    expect(refused.headers.get("Retry-After")).toBe("60");
    expect(count()).toBe(reads);
    expect(ADDRESS_LIMITER.keys).toEqual([address["CF-Connecting-IP"]]);
    expect(KEY_LIMITER.keys).toHaveLength(1);
    for (const limiter of [ADDRESS_LIMITER, KEY_LIMITER]) limiter.reset();
    expect((await read()).status).toBe(200);
  });

  it("counts the addresses of an IPv6 network of 64 bits as one", async () => {
    const ADDRESS_LIMITER = new FakeRateLimiter(10);
    const call = withSettings(await newClient(), { ADDRESS_LIMITER });
    const addresses = [
      ...["2001:db8:0:1::1", "2001:0DB8:0000:0001:ffff:0:0:2", "2001:db8::1:0:0:0:3"],
      ...["2001:db8:0:2::1", "2001:db8::", "::1", "::ffff:192.0.2.250"],
    ];
    for (const address of addresses)
      await call("GET", "/v1/sessions", undefined, { "CF-Connecting-IP": address });
    const networks = ["2001:db8:0:1::/64", "2001:db8:0:2::/64", "2001:db8:0:0::/64", "0:0:0:0::/64"];
    expect(ADDRESS_LIMITER.keys).toEqual([...networks, "192.0.2.250"]);
  });
});
