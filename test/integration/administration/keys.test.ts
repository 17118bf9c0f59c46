// Keys: none exceeds or outlives its maker; rotation; the time of the last use.
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ADMIN_KEY, type Answer, callWith, freshId } from "../support";

afterEach(() => {
  vi.restoreAllMocks();
  delete env.KEY_MAX_LIFETIME_DAYS;
});

const HOUR_MS = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString();

async function makeKey(body: Record<string, unknown>, by = ADMIN_KEY): Promise<Answer> {
  return callWith(by, "POST", "/v1/keys", body);
}

async function makeAdministrator(more: Record<string, unknown> = {}) {
  const tenant = freshId("tenant");
  const { body } = await makeKey({ tenant, scopes: ["read", "admin"], ...more });
  return { tenant, id: body.id as string, key: body.key as string, expires_at: body.expires_at as string };
}

const rotate = (id: string, body: object, by = ADMIN_KEY, headers = {}) =>
  callWith(by, "POST", `/v1/keys/${id}/rotate`, body, headers);
const isOpen = async (key: string) => (await callWith(key, "GET", "/v1/keys/self")).status === 200;

describe("a key made by a tenant's administrator", () => {
  it("ends with its maker, and no later", async () => {
    const maker = await makeAdministrator({ expires_at: inHours(1) });
    const made = await makeKey({ tenant: maker.tenant, scopes: ["read"] }, maker.key);
    expect([made.status, made.body.expires_at]).toEqual([201, maker.expires_at]);
    const earlier = inHours(0.5);
    const short = { tenant: maker.tenant, scopes: ["read"], expires_at: earlier };
    expect((await makeKey(short, maker.key)).body.expires_at).toBe(earlier);
    const later = await makeKey(
      { tenant: maker.tenant, scopes: ["read"], expires_at: inHours(2) },
      maker.key,
    );
    expect([later.status, later.body.errors[0].path]).toEqual([403, "expires_at"]);
  });

  it("has no scope that its maker lacks", async () => {
    const maker = await makeAdministrator();
    const refused = await makeKey({ tenant: maker.tenant, scopes: ["read", "write"] }, maker.key);
    expect([refused.status, refused.body.errors]).toEqual([
      403,
      [{ path: "scopes", message: "cannot include write: this key has only read, admin" }],
    ]);
    expect((await makeKey({ tenant: maker.tenant, scopes: ["read", "admin"] }, maker.key)).status).toBe(201);
  });

  it("cannot be made by a bound key, nor for another tenant", async () => {
    const bound = await makeAdministrator({ bind: { user_id: "mia" } });
    expect((await makeKey({ tenant: bound.tenant, scopes: ["read"] }, bound.key)).status).toBe(404);
    const other = await makeAdministrator();
    expect((await makeKey({ tenant: bound.tenant, scopes: ["read"] }, other.key)).status).toBe(403);
  });
});

describe("KEY_MAX_LIFETIME_DAYS", () => {
  it("limits keys of the admin key, too", async () => {
    env.KEY_MAX_LIFETIME_DAYS = "1";
    const tenant = freshId("tenant");
    const { body } = await makeKey({ tenant });
    expect(Date.parse(body.expires_at)).toBeLessThanOrEqual(Date.now() + 24 * HOUR_MS);
    const long = await makeKey({ tenant, expires_at: inHours(25) });
    expect([long.status, long.body.errors[0].path]).toEqual([400, "expires_at"]);
    expect((await makeKey({ tenant, expires_at: inHours(23) })).status).toBe(201);
  });
});

describe("rotating a key", () => {
  it("gives a new one like it, while the old one works until the overlap ends", async () => {
    const tenant = freshId("tenant");
    const expires_at = inHours(5);
    const old = (await makeKey({ tenant, name: "laptop", bind: { user_id: "mia" }, expires_at })).body;
    const { status, body } = await rotate(old.id, { overlap_seconds: 3_600 });
    const { id: _, key: __, created_at: ___, ...same } = old;
    expect([status, body]).toEqual([201, expect.objectContaining(same)]);
    expect(body.id).not.toBe(old.id);
    expect([await isOpen(old.key), await isOpen(body.key)]).toEqual([true, true]);
    vi.spyOn(Date, "now").mockReturnValue(Date.now() + HOUR_MS + 1);
    expect([await isOpen(old.key), await isOpen(body.key)]).toEqual([false, true]);
  });

  it("ends the old one at once without an overlap", async () => {
    const old = (await makeKey({ tenant: freshId("tenant") })).body;
    const { body } = await rotate(old.id, {});
    expect([await isOpen(old.key), await isOpen(body.key)]).toEqual([false, true]);
    expect((await rotate(old.id, {})).status).toBe(409);
  });

  it("exceeds neither the key that rotates nor its end", async () => {
    const maker = await makeAdministrator({ expires_at: inHours(1) });
    const writer = (await makeKey({ tenant: maker.tenant })).body;
    expect((await rotate(writer.id, {}, maker.key)).status).toBe(403);
    expect(await isOpen(writer.key)).toBe(true);
    const reader = (await makeKey({ tenant: maker.tenant, scopes: ["read"] })).body;
    expect((await rotate(reader.id, { expires_at: inHours(2) }, maker.key)).status).toBe(403);
    expect((await rotate(reader.id, {}, maker.key)).body.expires_at).toBe(maker.expires_at);
    const self = await rotate(maker.id, {}, maker.key);
    expect([self.status, self.body.expires_at]).toEqual([201, maker.expires_at]);
  });

  it("does not know the keys of another tenant", async () => {
    const stranger = await makeAdministrator();
    const key = (await makeKey({ tenant: freshId("tenant"), scopes: ["read"] })).body;
    expect((await rotate(key.id, {}, stranger.key)).status).toBe(404);
    expect(await isOpen(key.key)).toBe(true);
  });

  it("happens once under an Idempotency-Key", async () => {
    const old = (await makeKey({ tenant: freshId("tenant") })).body;
    const header = { "Idempotency-Key": freshId("key") };
    const first = await rotate(old.id, {}, ADMIN_KEY, header);
    expect(await rotate(old.id, {}, ADMIN_KEY, header)).toMatchObject({ status: 201, body: first.body });
    expect((await callWith(ADMIN_KEY, "GET", `/v1/keys?tenant=${old.tenant}`)).body.data).toHaveLength(2);
  });
});

describe("the Idempotency-Key of another administrator", () => {
  const header = () => ({ "Idempotency-Key": freshId("key") });
  const create = (body: object, by: string, headers: Record<string, string>) =>
    callWith(by, "POST", "/v1/keys", body, headers);

  it("gives no secret of a key that one may not make or rotate", async () => {
    const owner = await makeAdministrator({ scopes: ["read", "write", "admin"] });
    const { tenant } = owner;
    const limited = (await makeKey({ tenant, scopes: ["read", "admin"], expires_at: inHours(1) })).body;
    const old = (await makeKey({ tenant, scopes: ["read", "write", "admin"] })).body;
    const rotation = header();
    const successor = await rotate(old.id, { overlap_seconds: 60 }, owner.key, rotation);
    expect(successor.status).toBe(201);
    const replayed = await rotate(old.id, { overlap_seconds: 60 }, limited.key, rotation);
    expect([replayed.status, replayed.body.key]).toEqual([403, undefined]);
    const creation = header();
    const body = { tenant, scopes: ["admin"] };
    const created = (await create(body, owner.key, creation)).body;
    expect(created.expires_at).toBeNull();
    const own = (await create(body, limited.key, creation)).body;
    expect(own.expires_at).toBe(limited.expires_at);
    expect(own.key).not.toBe(created.key);
    const bound = (await makeKey({ tenant, scopes: ["admin"], bind: { user_id: "mia" } })).body;
    expect((await create(body, bound.key, creation)).status).toBe(404);
    expect((await create(body, owner.key, creation)).body).toEqual(created);
  });

  it("is checked against the end that the key has by now, but for its own rotation", async () => {
    const { tenant, id, key } = await makeAdministrator();
    const creation = header();
    const body = { tenant, scopes: ["read"] };
    expect((await create(body, key, creation)).status).toBe(201);
    const rotation = header();
    const { body: successor } = await rotate(id, { overlap_seconds: 60 }, key, rotation);
    const refused = await create(body, key, creation);
    expect([refused.status, refused.body.errors[0].path]).toEqual([403, "expires_at"]);
    expect((await rotate(id, { overlap_seconds: 60 }, key, rotation)).body).toEqual(successor);
  });
});

describe("the last use of a key", () => {
  it("is listed, and written once in five minutes", async () => {
    const { tenant, key } = (await makeKey({ tenant: freshId("tenant") })).body;
    const readUse = async () =>
      (await callWith(ADMIN_KEY, "GET", `/v1/keys?tenant=${tenant}`)).body.data[0].last_used_at;
    expect(await readUse()).toBeNull();
    await isOpen(key);
    await vi.waitFor(async () => expect(await readUse()).not.toBeNull());
    const first = await readUse();
    const now = Date.now();
    const clock = vi.spyOn(Date, "now").mockReturnValue(now + 60_000);
    await isOpen(key);
    expect(await readUse()).toBe(first);
    clock.mockReturnValue(now + 6 * 60_000);
    await isOpen(key);
    await vi.waitFor(async () => expect(await readUse()).not.toBe(first));
  });
});
