// Keys: made by the admin, shown once, scoped, ended by time or by deletion.
import { describe, expect, it, vi } from "vitest";
import { allPages, newSession, remember } from "../support/actions";
import { type Client, fresh, sleep } from "../support/client";
import { ID, ISO_MS, type Key } from "../support/contract";
import { bodyOf, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";

const kioku = serviceUnderTest();

async function newKey(body: Record<string, unknown>): Promise<Key> {
  return bodyOf(await kioku.admin.post<Key>("/v1/keys", body), 201);
}

/** The same service, with another key. */
function withKey(key: string | undefined): Pick<Client, "get"> {
  const headers = { authorization: `Bearer ${key}` };
  return { get: (path) => kioku.anonymous.get(path, headers) };
}

describe("making a key", () => {
  it("answers the key once, with the default scopes and no end", async () => {
    const tenant = fresh("tenant");
    const made = await newKey({ tenant, name: "laptop" });
    expect(made).toMatchObject({ tenant, scopes: ["read", "write"], expires_at: null });
    expect(made.id).toMatch(ID);
    expect((made.key ?? "").length).toBeGreaterThanOrEqual(20);
    bodyOf(await withKey(made.key).get("/v1/sessions"), 200);
  });

  it("never shows the key again", async () => {
    const tenant = fresh("tenant");
    const made = await newKey({ tenant });
    const answer = await kioku.admin.get("/v1/keys?limit=100");
    bodyOf(answer, 200);
    expect(answer.text).not.toContain(made.key);
    const listed = (await allPages<Key>(kioku.admin, "/v1/keys")).find((key) => key.id === made.id);
    expect(listed).toMatchObject({ id: made.id, tenant, scopes: ["read", "write"], expires_at: null });
    expect(listed).not.toHaveProperty("key");
  });

  it("makes another key every time", async () => {
    const tenant = fresh("tenant");
    const [one, two] = [await newKey({ tenant }), await newKey({ tenant })];
    expect(one.id).not.toBe(two.id);
    expect(one.key).not.toBe(two.key);
  });

  it("keeps the scopes and the end it is given", async () => {
    const expires = new Date(Date.now() + 3_600_000).toISOString();
    const made = await newKey({ tenant: fresh("tenant"), scopes: ["read"], expires_at: expires });
    expect(made).toMatchObject({ scopes: ["read"], expires_at: expires });
    expect(made.expires_at).toMatch(ISO_MS);
  });

  it("refuses bad input by field", async () => {
    expectProblem(await kioku.admin.post("/v1/keys", {}), "invalid_request", "tenant");
    expectProblem(await kioku.admin.post("/v1/keys", { tenant: "a b" }), "invalid_request", "tenant");
    const tenant = fresh("tenant");
    expectProblem(
      await kioku.admin.post("/v1/keys", { tenant, scopes: ["everything"] }),
      "invalid_request",
      "scopes",
    );
    expectProblem(
      await kioku.admin.post("/v1/keys", { tenant, expires_at: "soon" }),
      "invalid_request",
      "expires_at",
    );
    const all = await allPages<Key>(kioku.admin, "/v1/keys");
    expect(all.filter((key) => key.tenant === tenant)).toEqual([]);
  });

  it("is for the admin alone", async () => {
    const tenant = fresh("tenant");
    expectProblem(await kioku.api.post("/v1/keys", { tenant }), "forbidden");
    expectProblem(await kioku.api.get("/v1/keys"), "forbidden");
    expectProblem(await kioku.api.delete(`/v1/keys/${(await newKey({ tenant })).id}`), "forbidden");
    expectProblem(await kioku.anonymous.post("/v1/keys", { tenant }), "unauthorized");
  });
});

describe("a key that is not valid", () => {
  it.each([
    ["none", {}],
    ["a wrong one", { authorization: "Bearer wrong" }],
    ["an empty one", { authorization: "Bearer " }],
    ["another scheme", { authorization: "Basic d3Jvbmc6d3Jvbmc=" }],
    ["a very long one", { authorization: `Bearer ${"x".repeat(4_000)}` }],
  ])("is a 401: %s", async (_name, headers: Record<string, string>) => {
    expectProblem(await kioku.anonymous.get("/v1/sessions", headers), "unauthorized");
  });

  it("is a 401 with one character more or less than a good one", async () => {
    const made = await newKey({ tenant: fresh("tenant") });
    for (const key of [`${made.key}x`, (made.key ?? "").slice(0, -1), (made.key ?? "").toUpperCase()]) {
      expectProblem(await withKey(key).get("/v1/sessions"), "unauthorized");
    }
  });

  it("stops working at once when it is deleted", async () => {
    const made = await newKey({ tenant: fresh("tenant") });
    bodyOf(await withKey(made.key).get("/v1/sessions"), 200);
    bodyOf(await kioku.admin.delete(`/v1/keys/${made.id}`), 204);
    expectProblem(await withKey(made.key).get("/v1/sessions"), "unauthorized");
    expect((await allPages<Key>(kioku.admin, "/v1/keys")).some((key) => key.id === made.id)).toBe(false);
    expectProblem(await kioku.admin.delete(`/v1/keys/${made.id}`), "not_found");
  });

  it("leaves the tenant's other keys and its data alone when it is deleted", async () => {
    const tenant = fresh("tenant");
    const [kept, dropped] = [await kioku.tenant({ name: tenant }), await newKey({ tenant })];
    const session = await newSession(kept);
    bodyOf(await kioku.admin.delete(`/v1/keys/${dropped.id}`), 204);
    bodyOf(await kept.get(`/v1/sessions/${session.id}`), 200);
  });

  it("stops working when its time is over", async () => {
    // On a busy machine it may be over before it was used: then another is made.
    const made = await vi.waitFor(async () => {
      const expires_at = new Date(Date.now() + 2_000).toISOString();
      const key = await newKey({ tenant: fresh("tenant"), expires_at });
      bodyOf(await withKey(key.key).get("/v1/sessions"), 200);
      return key;
    });
    await sleep(2_200);
    expectProblem(await withKey(made.key).get("/v1/sessions"), "unauthorized");
  });
});

describe("scopes", () => {
  it("let a read-only key read, recall and assemble, and nothing else", async () => {
    const name = fresh("tenant");
    const owner = await kioku.tenant({ name });
    const reader = await kioku.tenant({ name, scopes: ["read"] });
    const session = await newSession(owner);
    const memory = await remember(owner, session.id, "The reader may see this");
    const at = `/v1/sessions/${session.id}`;
    bodyOf(await reader.get(at), 200);
    bodyOf(await reader.get(`/v1/memories/${memory.memory_id}`), 200);
    bodyOf(await reader.post(`${at}/recall`, {}), 200);
    bodyOf(await reader.post("/v1/recall", {}), 200);
    bodyOf(await reader.post(`${at}/assemble`, {}), 200);
    expectProblem(await reader.post(`${at}/remember`, { content: "no" }), "forbidden");
    expectProblem(await reader.delete(`/v1/memories/${memory.memory_id}`), "forbidden");
    expectProblem(await reader.delete(at), "forbidden");
  });

  it("do not let a read-only key write through a tool call", async () => {
    const name = fresh("tenant");
    const owner = await kioku.tenant({ name });
    const reader = await kioku.tenant({ name, scopes: ["read"] });
    const session = await newSession(owner);
    const call = { type: "tool_use", id: "c1", name: "remember", input: { content: "smuggled" } };
    await reader.post("/v1/tools/execute", { session_id: session.id, call });
    expect((await owner.post("/v1/recall", {})).text).not.toContain("smuggled");
  });

  it("do not let a write-only key read", async () => {
    const name = fresh("tenant");
    const writer = await kioku.tenant({ name, scopes: ["write"] });
    const session = await newSession(writer);
    const memory = await remember(writer, session.id, "The writer cannot see this");
    expectProblem(await writer.get(`/v1/sessions/${session.id}`), "forbidden");
    expectProblem(await writer.get("/v1/memories"), "forbidden");
    expectProblem(await writer.get(`/v1/memories/${memory.memory_id}`), "forbidden");
    expectProblem(await writer.post(`/v1/sessions/${session.id}/recall`, {}), "forbidden");
  });
});
