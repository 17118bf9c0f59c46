// Servers with settings of their own: limits that are configured, and calls that are too many.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { forget, memoriesOf, remember } from "./actions";
import { type Client, connect, fresh } from "./client";
import { bodyOf, expectProblem } from "./expectations";
import { startTestServer } from "./server";
import { keyOf, type TestServer } from "./service";

let server: TestServer;

async function tenant(): Promise<Client> {
  const url = () => server.url;
  return connect(url, await keyOf(connect(url, server.adminKey), fresh("tenant")));
}

describe("a limit on the memories of a session", () => {
  beforeAll(async () => {
    server = await startTestServer({ env: { MAX_MEMORIES_PER_SESSION: "3" } });
  });
  afterAll(() => server.stop());

  it("refuses one more, drops none, and counts only live ones", async () => {
    const api = await tenant();
    const session = fresh("session");
    const path = `/v1/sessions/${session}/remember`;
    const { memory_id } = await remember(api, session, "One");
    for (const content of ["Two", "Three"]) await remember(api, session, content);
    expectProblem(await api.post(path, { content: "Four" }), "limit_exceeded");
    expect(await memoriesOf(api, session)).toHaveLength(3);
    bodyOf(await api.post(path, { content: "Two" }), 200);
    await forget(api, session, memory_id);
    await remember(api, session, "Four");
    await remember(api, fresh("session"), "Another session has its own limit");
  });
});

describe("a rate limit", () => {
  beforeAll(async () => {
    server = await startTestServer({ env: { RATE_LIMIT_WRITE: "5", RATE_LIMIT_READ: "8" } });
  });
  afterAll(() => server.stop());

  it("answers rate_limited with Retry-After, per key, for reads and writes apart", async () => {
    const [api, other] = [await tenant(), await tenant()];
    const writes = [];
    for (let n = 0; n < 12; n += 1) writes.push(await api.post("/v1/sessions", {}));
    const refused = writes.filter((answer) => answer.status !== 201);
    expect(refused.length).toBeGreaterThanOrEqual(2);
    for (const answer of refused) {
      expectProblem(answer, "rate_limited");
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    }
    bodyOf(await api.get("/v1/sessions"), 200);
    bodyOf(await other.post("/v1/sessions", {}), 201);
    const reads = [];
    for (let n = 0; n < 20; n += 1) reads.push((await api.get("/v1/sessions")).status);
    expect(reads).toContain(429);
  });
});
