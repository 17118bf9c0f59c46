// The erasure of agents, projects and tenants: everything of theirs, true counts, and nothing of others.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { ADMIN_KEY, type Client, callWith, newClient, sessionStub, untilIndexed } from "../support";
import { findInD1, findInTextIndexes, newTenantOfUsers } from "../users/support";
import { fillOwner, send } from "./support";

const OTHER = { agent_id: "ben", project_id: "blog" };

let client: Client;
let word: string;

beforeEach(async () => {
  ({ client, word } = await newTenantOfUsers());
  await fillOwner(client, OTHER, "unrelated");
});

async function readOther() {
  const paths = [
    ...["memories", "sessions"].map((list) => `/v1/${list}?agent_id=${OTHER.agent_id}`),
    `/v1/episodes?project_id=${OTHER.project_id}`,
    ...[
      `/v1/agents/${OTHER.agent_id}`,
      `/v1/agents/${OTHER.agent_id}/policy`,
      `/v1/ledgers/${OTHER.agent_id}`,
    ],
    ...[`/v1/projects/${OTHER.project_id}`, `/v1/handoffs?to_agent=${OTHER.agent_id}`],
  ];
  const answers = [];
  for (const path of paths) answers.push((await client.call("GET", path)).body);
  return answers;
}

describe("an agent", () => {
  it("is erased from every store, with true counts, and other agents keep theirs", async () => {
    const owner = { agent_id: "ada", project_id: "shop" };
    const { session } = await fillOwner(client, owner, word);
    await untilIndexed(client.tenant);
    const before = await readOther();
    const { status, body } = await client.call("DELETE", "/v1/agents/ada");
    expect(status).toBe(200);
    expect(body.deleted).toMatchObject({
      ...{ sessions: 1, messages: 1, memories: 3, episodes: 1, vectors: 5 },
      ...{ ledgers: 1, handoffs: 1, policies: 1 },
    });
    expect(body.deleted.triples).toBeGreaterThan(20);
    // The project's own declaration and resource stay: they are the project's.
    const left = await findInD1(client.tenant, word);
    expect(new Set(left)).toEqual(new Set(["statements.key"]));
    expect(await findInTextIndexes(word)).toEqual([]);
    expect((await client.call("GET", `/v1/sessions/${session}`)).status).toBe(404);
    for (const path of ["/v1/agents/ada", "/v1/ledgers/ada"])
      expect((await client.call("GET", path)).status).toBe(404);
    expect((await client.call("DELETE", "/v1/agents/ada")).status).toBe(404);
    expect(await readOther()).toEqual(before);
  });
});

describe("a project", () => {
  it("is erased with its resources and its object, and agents keep their policies and ledgers", async () => {
    await fillOwner(client, { agent_id: "ada", project_id: "shop" }, word);
    await send(client, "POST", "/v1/consolidate", { project_id: "shop" });
    const before = await readOther();
    const { status, body } = await client.call("DELETE", "/v1/projects/shop");
    expect(status).toBe(200);
    expect(body.deleted).toMatchObject({ sessions: 1, messages: 1, episodes: 1, handoffs: 1, resources: 1 });
    expect(body.deleted.memories).toBeGreaterThanOrEqual(3);
    const left = new Set(await findInD1(client.tenant, word));
    expect(left).toEqual(new Set(["policies.policy", "ledgers.ledger", "statements.key"]));
    expect(await findInTextIndexes(word)).toEqual([]);
    const object = env.PROJECTS.getByName(`${client.tenant}/shop`);
    const tables = await runInDurableObject(object, (_instance, state) =>
      state.storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'vectors'").toArray(),
    );
    expect(tables).toEqual([]);
    expect((await client.call("DELETE", "/v1/projects/shop")).status).toBe(404);
    expect(await readOther()).toEqual(before);
  });
});

describe("a privacy policy", () => {
  const STRICT = { privacy: "strict" };

  it("goes with its project, unless the key could not change it", async () => {
    const admin = await newClient(["read", "write", "admin"], client.tenant);
    for (const project of ["shop", "blog"])
      await send(admin, "PUT", `/v1/projects/${project}/privacy`, STRICT);
    await send(client, "POST", "/v1/remember", { project_id: "shop", content: "Sells bread" });
    const { body: receipt } = await client.call("DELETE", "/v1/projects/shop");
    expect(receipt.deleted).toMatchObject({ memories: 1, privacy_policies: 0 });
    expect((await client.call("GET", "/v1/projects/shop/privacy")).body).toMatchObject(STRICT);
    expect((await client.call("DELETE", "/v1/projects/shop")).status).toBe(404);

    const { body } = await admin.call("DELETE", "/v1/projects/shop");
    expect(body.deleted).toMatchObject({ memories: 0, privacy_policies: 1 });
    const { results } = await env.DB.prepare("SELECT rules FROM privacy_policies WHERE tenant = ?")
      .bind(client.tenant)
      .all<{ rules: string }>();
    expect(results.map(({ rules }) => JSON.parse(rules))).toEqual([{ projects: { blog: STRICT } }]);
    expect((await admin.call("DELETE", "/v1/projects/shop")).status).toBe(404);
  });

  it("goes with its tenant, and so do those of all projects", async () => {
    const admin = await newClient(["read", "write", "admin"], client.tenant);
    for (const path of ["/v1/privacy", "/v1/projects/shop/privacy", "/v1/projects/blog/privacy"])
      await send(admin, "PUT", path, STRICT);
    const { body } = await callWith(ADMIN_KEY, "DELETE", `/v1/tenants/${client.tenant}`);
    expect(body.deleted.privacy_policies).toBe(3);
    expect(await findInD1(client.tenant, client.tenant)).toEqual([]);
  });
});

describe("a tenant", () => {
  it("is erased with its keys by the admin key alone, and other tenants keep everything", async () => {
    const neighbour = await newClient();
    await fillOwner(neighbour, OTHER, "neighbourly");
    const { session } = await fillOwner(client, { agent_id: "ada", project_id: "shop" }, word);
    await untilIndexed(client.tenant);
    const path = `/v1/tenants/${client.tenant}`;
    const ownAdmin = await newClient(["read", "write", "admin"], client.tenant);
    expect((await ownAdmin.call("DELETE", path)).status).toBe(403);
    const { status, body } = await callWith(ADMIN_KEY, "DELETE", path);
    expect(status).toBe(200);
    expect(body.deleted).toMatchObject({
      ...{ sessions: 2, messages: 2, memories: 6, episodes: 2, vectors: 10 },
      ...{ ledgers: 2, handoffs: 2, policies: 2, keys: 2 },
    });
    expect(await findInD1(client.tenant, client.tenant)).toEqual([]);
    expect(await findInTextIndexes(word)).toEqual([]);
    expect((await client.call("GET", "/v1/memories")).status).toBe(401);
    const stored = await runInDurableObject(sessionStub(client.tenant, session), (_instance, state) =>
      state.storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'messages'").toArray(),
    );
    expect(stored).toEqual([]);
    expect((await callWith(ADMIN_KEY, "DELETE", path)).status).toBe(404);
    // Only the record of the erasure itself is left, which no tenant of the same name can read.
    const namesake = await newClient(["admin"], client.tenant);
    const seen = (await namesake.call("GET", "/v1/audit")).body.data;
    expect(seen.map(({ action }: { action: string }) => action)).toEqual(["key.create"]);
    const { data } = (await callWith(ADMIN_KEY, "GET", "/v1/audit?action=tenant.erase&limit=100")).body;
    expect(data).toContainEqual(
      expect.objectContaining({ target: `tenants/${client.tenant}`, outcome: "ok" }),
    );
    expect((await neighbour.call("GET", "/v1/memories")).body.data).toHaveLength(3);
  });
});

describe("a ledger, a handoff and a policy", () => {
  it("are erased one by one, and a second time they are unknown", async () => {
    await fillOwner(client, { agent_id: "ada", project_id: "shop" }, word);
    const { data } = (await client.call("GET", "/v1/handoffs?to_agent=ada")).body;
    const receipts = {
      "/v1/ledgers/ada": { checkpoints: 1 },
      [`/v1/handoffs/${data[0].id}`]: { handoffs: 1 },
      "/v1/agents/ada/policy": { policies: 1 },
    };
    for (const [path, deleted] of Object.entries(receipts)) {
      expect(await client.call("DELETE", path)).toMatchObject({ status: 200, body: { deleted } });
      expect((await client.call("DELETE", path)).status).toBe(404);
    }
    // The stored reply to the handoff's Idempotency-Key quotes it.
    const left = await findInD1(client.tenant, word);
    for (const table of ["ledgers", "handoffs", "policies", "operations"])
      expect(left.filter((place) => place.startsWith(`${table}.`))).toEqual([]);
  });

  it("leave the stored replies to other calls, although they contain the id", async () => {
    const context = { what_was_done: "Fixed it" };
    const create = (id: string, to_agent: string) =>
      client.call(
        "POST",
        "/v1/handoffs",
        { id, from_agent: "zoe", to_agent, context },
        { "Idempotency-Key": id },
      );
    const ids = async () => {
      const statement =
        "SELECT response ->> '$.handoff.id' AS id FROM operations WHERE tenant = ? ORDER BY id";
      const { results } = await env.DB.prepare(statement).bind(client.tenant).all<{ id: string | null }>();
      return results.map(({ id }) => id).filter((id) => ["a", "b", "zo"].includes(id ?? ""));
    };
    await create("a", "b");
    await create("b", "a");
    await create("zo", "mo");
    expect((await client.call("DELETE", "/v1/handoffs/a")).status).toBe(200);
    expect(await ids()).toEqual(["b", "zo"]);
    expect((await client.call("DELETE", "/v1/agents/mo")).status).toBe(200);
    expect(await ids()).toEqual(["b"]);
    await create("o", "mo");
    expect((await client.call("DELETE", "/v1/agents/mo")).status).toBe(200);
    expect(await ids()).toEqual(["b"]);
  });
});
