// Two databases: a tenant moves while it is used, also through a power cut, and nothing that was acknowledged is lost.
import { describe, expect, it } from "vitest";
import { allPages } from "../support/actions";
import { type Client, fresh, sleep } from "../support/client";
import type { Memory, Remembered } from "../support/contract";
import { bodyOf } from "../support/expectations";
import { ownServer } from "../support/http-service";

const kioku = ownServer({ shards: 1 });

const WRITERS = 4;

type Progress = { finished: boolean; move: { step: string } | null };

/** Writes until it is told to stop or the service is gone. Gives the acknowledged contents by id. */
async function write(client: Client, worker: number, told: Map<string, string>, goesOn: () => boolean) {
  for (let n = 0; goesOn(); n += 1) {
    const content = `Crate ${worker}-${n} of ${fresh("load")} is in the warehouse`;
    try {
      const answer = await client.post<Remembered>(`/v1/sessions/load-${worker}/remember`, { content });
      if (answer.status === 201) told.set(answer.body.memory_id, content);
    } catch {
      return;
    }
  }
}

async function move(tenant: string, shard: string): Promise<void> {
  for (;;) {
    const { finished } = bodyOf(
      await kioku.admin.post<Progress>(`/v1/tenants/${tenant}/move`, { shard }),
      200,
    );
    if (finished) return;
    // The run that was killed has it for some seconds.
    await sleep(100);
  }
}

async function expectAll(client: Client, told: ReadonlyMap<string, string>): Promise<void> {
  const stored = await allPages<Memory>(client, "/v1/memories");
  const contents = stored.map(({ content }) => content);
  expect(new Set(contents).size).toBe(contents.length);
  const byId = new Map(stored.map(({ id, content }) => [id, content]));
  for (const [id, content] of told) expect(byId.get(id)).toBe(content);
}

/** Returns the databases that have rows of a tenant. */
async function findShards(tenant: string): Promise<string[]> {
  type Report = { shards: { name: string; largest: { tenant: string }[] }[] };
  const { shards } = bodyOf(await kioku.admin.get<Report>("/v1/admin/shards"), 200);
  return shards.filter(({ largest }) => largest.some((one) => one.tenant === tenant)).map(({ name }) => name);
}

/** Moves a tenant that has stored something to the other database, and returns its name. */
async function moveAway(tenant: string): Promise<string> {
  const target = await findOther(tenant);
  await move(tenant, target);
  return target;
}

async function findOther(tenant: string): Promise<string> {
  return (await findShards(tenant)).includes("DB_1") ? "DB" : "DB_1";
}

describe("new tenants", () => {
  it("are spread over the databases, and see nothing of each other there", async () => {
    const names = Array.from({ length: 6 }, () => fresh("tenant"));
    const clients = await Promise.all(names.map((name) => kioku.tenant({ name })));
    for (const [n, client] of clients.entries())
      bodyOf(await client.post("/v1/sessions/s/remember", { content: `The mast is ${n} metres high` }), 201);
    const shards = await Promise.all(names.map(findShards));
    expect(new Set(shards.flat())).toEqual(new Set(["DB", "DB_1"]));
    for (const [n, client] of clients.entries()) {
      const { memories } = bodyOf(
        await client.post<{ memories: Memory[] }>("/v1/recall", { query: "mast", scope: "tenant" }),
        200,
      );
      expect(memories.map(({ content }) => content)).toEqual([`The mast is ${n} metres high`]);
      const [{ id: own } = { id: "" }] = memories;
      for (const other of clients)
        expect((await other.get(`/v1/memories/${own}`)).status).toBe(other === client ? 200 : 404);
    }
  });
});

describe("a tenant that moves to another database", () => {
  it("is written and read throughout, and every acknowledged memory is there once", async () => {
    const name = fresh("tenant");
    const client = await kioku.tenant({ name });
    const neighbour = await kioku.tenant();
    const told = new Map<string, string>();
    let isMoving = true;
    const writing = Array.from({ length: WRITERS }, (_, worker) =>
      write(client, worker, told, () => isMoving),
    );
    await expect.poll(() => told.size).toBeGreaterThan(10);
    const target = await moveAway(name);
    isMoving = false;
    await Promise.all(writing);
    expect(await findShards(name)).toEqual([target]);
    await expectAll(client, told);
    const { memories } = bodyOf(
      await client.post<{ memories: Memory[] }>("/v1/recall", { query: "warehouse crate", scope: "tenant" }),
      200,
    );
    expect(memories).toHaveLength(10);
    expect(await allPages<Memory>(neighbour, "/v1/memories")).toEqual([]);
  });

  it("can be erased there, and a new tenant of its name begins with nothing", async () => {
    const name = fresh("tenant");
    const client = await kioku.tenant({ name });
    const content = "The anchor is rusty";
    bodyOf(await client.post("/v1/sessions/first/remember", { content }), 201);
    const target = await moveAway(name);
    bodyOf(await kioku.admin.delete(`/v1/tenants/${name}`), 200);
    expect((await client.get("/v1/memories")).status).toBe(401);
    const successor = await kioku.tenant({ name, scopes: ["read", "write", "admin"] });
    expect(await allPages<Memory>(successor, "/v1/memories")).toEqual([]);
    const records = await allPages<{ action: string }>(successor, "/v1/audit");
    expect(records.filter(({ action }) => action === "tenant.move")).toEqual([]);
    bodyOf(await successor.post("/v1/sessions/second/remember", { content: "The anchor is new" }), 201);
    const { memories } = bodyOf(
      await successor.post<{ memories: Memory[] }>("/v1/recall", { query: "anchor", scope: "tenant" }),
      200,
    );
    expect(memories.map((memory) => memory.content)).toEqual(["The anchor is new"]);
    const back = await moveAway(name);
    expect(back).not.toBe(target);
    expect(await findShards(name)).toEqual([back]);
    expect(await allPages<Memory>(successor, "/v1/memories")).toHaveLength(1);
  });

  it("has its users erased where it is, and those of others stay", async () => {
    const [name, other] = [fresh("tenant"), fresh("tenant")];
    const client = await kioku.tenant({ name });
    const neighbour = await kioku.tenant({ name: other });
    const write = (who: Client, user_id: string) =>
      who.post("/v1/memories/batch", { memories: [{ content: `The rope of ${user_id} is torn`, user_id }] });
    for (const user of ["mia", "ben"]) bodyOf(await write(client, user), 200);
    bodyOf(await write(neighbour, "mia"), 200);
    const target = await moveAway(name);
    bodyOf(await write(client, "zoe"), 200);
    bodyOf(await client.delete("/v1/users/mia"), 200);
    const list = async (who: Client) =>
      (await allPages<Memory>(who, "/v1/memories")).map(({ content }) => content).toSorted();
    expect(await list(client)).toEqual(["The rope of ben is torn", "The rope of zoe is torn"]);
    expect(await list(neighbour)).toEqual(["The rope of mia is torn"]);
    expect(await findShards(name)).toEqual([target]);
    await moveAway(name);
    expect(await list(client)).toEqual(["The rope of ben is torn", "The rope of zoe is torn"]);
  });

  it("must exist, and must not be there already", async () => {
    const name = fresh("tenant");
    const moveTo = (tenant: string, shard: string) =>
      kioku.admin.post(`/v1/tenants/${tenant}/move`, { shard });
    expect((await moveTo(name, "DB_1")).status).toBe(404);
    const client = await kioku.tenant({ name });
    bodyOf(await client.post("/v1/sessions/s/remember", { content: "The sail is white" }), 201);
    const target = await findOther(name);
    expect((await moveTo(name, target === "DB" ? "DB_1" : "DB")).status).toBe(409);
    expect((await moveTo(name, "DB_2")).status).toBe(422);
    expect((await moveTo(name, target)).status).toBe(200);
  });

  it("survives a power cut during the move", async () => {
    const name = fresh("tenant");
    const client = await kioku.tenant({ name });
    const told = new Map<string, string>();
    for (let n = 0; n < 150; n += 50) {
      const memories = Array.from({ length: 50 }, (_, i) => ({
        content: `Barrel ${n + i} is full`,
        agent_id: "ada",
      }));
      bodyOf(await client.post("/v1/memories/batch", { memories }), 200);
    }
    const writing = Array.from({ length: WRITERS }, (_, worker) => write(client, worker, told, () => true));
    await expect.poll(() => told.size).toBeGreaterThan(10);
    const target = await findOther(name);
    const cut = move(name, target).catch(() => null);
    await expect.poll(async () => (await findShards(name)).includes(target), { interval: 20 }).toBe(true);
    await kioku.kill9();
    await Promise.all([cut, ...writing]);
    await kioku.restart();
    await move(name, target).catch(() => null);
    expect(await findShards(name)).toEqual([target]);
    await expectAll(client, told);
    const key = bodyOf(
      await kioku.admin.post<{ id: string; key: string }>("/v1/keys", { tenant: name }),
      201,
    );
    const added = kioku.anonymous.withKey(key.key);
    expect((await added.get("/v1/memories")).status).toBe(200);
    bodyOf(await kioku.admin.delete(`/v1/keys/${key.id}`), 204);
    expect((await added.get("/v1/memories")).status).toBe(401);
  });
});
