// API keys made under an Idempotency-Key: the answer is given again although the secret is stored nowhere.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ADMIN_KEY, type Answer, callWith, freshId } from "../integration/support";
import { breakBatches, mendD1 } from "./support";

let key: Record<string, string>;
beforeEach(() => {
  key = { "Idempotency-Key": freshId("key") };
});
afterEach(mendD1);

const make = (body: object, by = ADMIN_KEY) => callWith(by, "POST", "/v1/keys", body, key);

async function administrator(): Promise<{ tenant: string; secret: string }> {
  const tenant = freshId("tenant");
  const { body } = await callWith(ADMIN_KEY, "POST", "/v1/keys", {
    tenant,
    scopes: ["read", "write", "admin"],
  });
  return { tenant, secret: body.key };
}

describe("an API key made under an Idempotency-Key", () => {
  it("is not given to another tenant's administrator who happens to use the same one", async () => {
    const made: Answer[] = [await make({ tenant: freshId("tenant") })];
    for (const { tenant, secret } of [await administrator(), await administrator()])
      made.push(await make({ tenant }, secret));
    expect(made.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(made.map(({ body }) => body.key)).size).toBe(3);
  });

  it("works, and works for its own tenant", async () => {
    const [first, second] = [await administrator(), await administrator()];
    const path = `/v1/sessions/${freshId("session")}/remember`;
    const ofFirst = (await make({ tenant: first.tenant }, first.secret)).body.key;
    expect((await callWith(ofFirst, "POST", path, { content: "The vault is empty" })).status).toBe(201);
    const ofSecond = (await make({ tenant: second.tenant }, second.secret)).body.key;
    const { status, body } = await callWith(ofSecond, "POST", "/v1/recall", { query: "vault" });
    expect([status, body.count]).toEqual([200, 0]);
  });

  it("is answered as it is stored, however often it had to be asked for", async () => {
    const tenant = freshId("tenant");
    breakBatches({ moment: "after", matching: /INSERT INTO api_keys/ });
    expect((await make({ tenant })).status).toBe(503);
    mendD1();
    await new Promise((resolve) => setTimeout(resolve, 20));
    const { key: secret, ...info } = (await make({ tenant })).body;
    expect(secret).toMatch(/^kioku_/);
    expect((await callWith(ADMIN_KEY, "GET", `/v1/keys?tenant=${tenant}`)).body.data).toEqual([info]);
  });
});
