// The limits on a tenant's reads of the database hold for every route that filters rows.
import { describe, expect, it } from "vitest";
import { newClient } from "../support";
import { slowDown, withSettings } from "./limits-support";

const LISTS: readonly [method: string, path: string, body?: object][] = [
  ["POST", "/v1/memories/search", { filter: { "metadata.team": "nobody" } }],
  ["GET", "/v1/memories"],
  ["GET", "/v1/namespaces"],
  ["GET", "/v1/entries"],
  ["POST", "/v1/entries/search", { filter: { "metadata.team": "nobody" } }],
  ["GET", "/v1/episodes"],
  ["GET", "/v1/users"],
  ["POST", "/v1/graph/read_graph", {}],
  ["POST", "/mem0/v3/memories/", { filters: { user_id: "mia" } }],
  ["GET", "/mem0/v1/entities/"],
];

describe("a list of filtered rows", () => {
  it.each(
    LISTS,
  )("%s %s spends the tenant's time of a minute, and is refused without any", async (...list) => {
    const client = await newClient();
    const settings = { READ_MS_PER_MINUTE: "50" };
    const [method, path, body] = list;
    const slow = withSettings(client, { ...settings, DB: slowDown(100) });
    expect((await slow(method, path, body)).status).toBe(200);
    const call = withSettings(client, settings);
    const refused = await call(method, path, body);
    expect(refused.status).toBe(429);
    expect(refused.body).toMatchObject({ code: "rate_limited" });
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect((await call("POST", "/v1/recall", { query: "anything" })).status).toBe(429);
  });
});
