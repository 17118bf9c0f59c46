import { beforeEach, describe, expect, it } from "vitest";
import { ADMIN_KEY, type Client, callWith, freshId, newClient } from "../support";

let client: Client;
beforeEach(async () => {
  client = await newClient();
});

async function open(body: object, by: Pick<Client, "call"> = client) {
  const id = freshId("session");
  const answer = await by.call("POST", "/v1/sessions", { id, ...body });
  return { ...answer, id };
}

async function memoryOf(id: string) {
  return (await client.call("GET", `/v1/sessions/${id}/memory`)).body;
}

async function worldOf(id: string) {
  return (await memoryOf(id)).spaces.world.data;
}

const SPACES = {
  world: { facts: { door: "open" } },
  tasks: [{ id: "t1", text: "Navigate to exit 3", status: "open" }],
  desires: { data: { goals: ["find_exit"] }, metadata: { by: "planner" } },
};

describe("a session", () => {
  it("starts with the spaces of its request, at rev 1", async () => {
    const { status, id } = await open({ spaces: SPACES });
    expect(status).toBe(201);
    expect(await memoryOf(id)).toMatchObject({
      rev: 1,
      spaces: {
        world: { rev: 1, data: SPACES.world },
        tasks: { rev: 1, data: SPACES.tasks },
        desires: { rev: 1, data: SPACES.desires.data, metadata: SPACES.desires.metadata },
      },
    });
  });

  it.each([
    [{ tasks: [{ id: "t1" }] }, 400, "spaces.tasks.data.0.text"],
    [{ world: [] }, 409, undefined],
    [{ "a b": {} }, 400, "spaces.a b"],
    [{ world: { data: 7 } }, 400, "spaces.world.data"],
  ])("is not created with invalid spaces: %j", async (spaces, status, path) => {
    const answer = await open({ spaces });
    expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([status, path]);
    expect((await client.call("GET", `/v1/sessions/${answer.id}`)).status).toBe(404);
  });

  it("that continues another starts from its spaces, which then differ", async () => {
    const { id: first } = await open({ spaces: SPACES });
    await client.call("PATCH", `/v1/sessions/${first}/memory`, { metadata: { plan: 7 } });
    const { id: second } = await open({ continues: first });
    expect(await memoryOf(second)).toMatchObject({
      rev: 1,
      metadata: { plan: 7 },
      spaces: {
        world: { rev: 1, data: SPACES.world },
        tasks: { rev: 1, data: SPACES.tasks },
        desires: { rev: 1, metadata: { by: "planner" } },
      },
    });
    await client.call("PUT", `/v1/sessions/${second}/spaces/world`, { data: { door: "closed" } });
    expect(await worldOf(first)).toEqual(SPACES.world);
    await client.call("DELETE", `/v1/sessions/${first}`);
    expect(await worldOf(second)).toEqual({ door: "closed" });
  });

  it("prefers its own spaces to inherited ones, by name, and may inherit none", async () => {
    const { id: first } = await open({ spaces: SPACES });
    const { id: second } = await open({ continues: first, spaces: { world: { mine: 1 } } });
    expect((await memoryOf(second)).spaces).toMatchObject({
      world: { data: { mine: 1 } },
      tasks: { data: SPACES.tasks },
    });
    const { id: third } = await open({ continues: first, inherit_spaces: false });
    expect((await memoryOf(third)).spaces).toEqual({
      tasks: { kind: "list", rev: 0, data: [], metadata: {} },
      world: { kind: "map", rev: 0, data: {}, metadata: {} },
    });
  });

  it("that continues an unknown or an erased session starts empty", async () => {
    const { id: gone } = await open({ spaces: SPACES });
    await client.call("DELETE", `/v1/sessions/${gone}`);
    for (const continues of [gone, freshId("unknown")]) {
      const { status, id } = await open({ continues });
      expect([status, await worldOf(id)]).toEqual([201, {}]);
    }
  });

  it("starts from a closed session, or from the agent's latest if it asks for it", async () => {
    const agent_id = freshId("agent");
    const { status: first, id: none } = await open({ agent_id, inherit_spaces: true });
    expect([first, await worldOf(none)]).toEqual([201, {}]);
    await open({ agent_id, spaces: { world: { n: 1 } } });
    const { id: latest } = await open({ agent_id, spaces: { world: { n: 2 } } });
    await open({ agent_id: freshId("agent"), spaces: { world: { n: 3 } } });
    await client.call("POST", `/v1/sessions/${latest}/close`, {});
    const { id } = await open({ agent_id, inherit_spaces: true });
    expect(await worldOf(id)).toEqual({ n: 2 });
    const { id: plain } = await open({ agent_id });
    expect(await worldOf(plain)).toEqual({});
    const refused = await open({ inherit_spaces: true });
    expect(refused.body).toMatchObject({ status: 400, errors: [{ path: "inherit_spaces" }] });
  });

  it("starts from a session by its id, which must exist", async () => {
    const { id: first } = await open({ spaces: SPACES });
    const { id } = await open({ spaces_from: first });
    expect(await worldOf(id)).toEqual(SPACES.world);
    expect((await open({ spaces_from: freshId("unknown") })).status).toBe(404);
    const both = await open({ spaces_from: first, inherit_spaces: false });
    expect(both.body).toMatchObject({ status: 400, errors: [{ path: "inherit_spaces" }] });
  });

  it("takes nothing of a person for another one", async () => {
    const agent_id = freshId("agent");
    const { id: anas } = await open({ agent_id, user_id: "ana", spaces: SPACES });
    expect(await worldOf((await open({ user_id: "ana", continues: anas })).id)).toEqual(SPACES.world);
    expect(await worldOf((await open({ continues: anas })).id)).toEqual(SPACES.world);
    expect(await worldOf((await open({ user_id: "ben", continues: anas })).id)).toEqual({});
    for (const user_id of ["ben", undefined])
      expect(await worldOf((await open({ agent_id, user_id, inherit_spaces: true })).id)).toEqual({});
    const refused = await open({ user_id: "ben", spaces_from: anas });
    expect(refused.body).toMatchObject({ status: 400, errors: [{ path: "spaces_from" }] });
  });

  it("of a bound key takes nothing from outside of its binding", async () => {
    const agent_id = freshId("agent");
    const { body } = await callWith(ADMIN_KEY, "POST", "/v1/keys", {
      tenant: client.tenant,
      bind: { agent_id },
    });
    const bound: Pick<Client, "call"> = { call: (...args) => callWith(body.key, ...args) };
    const { id: theirs } = await open({ agent_id: freshId("agent"), spaces: SPACES });
    for (const field of ["continues", "spaces_from"])
      expect((await open({ [field]: theirs }, bound)).status).toBe(404);
    const { id: own } = await open({ spaces: SPACES }, bound);
    for (const more of [{ continues: own }, { spaces_from: own }, { inherit_spaces: true }])
      expect(await worldOf((await open(more, bound)).id)).toEqual(SPACES.world);
  });

  it("of a bound key takes nothing from another project of its agent", async () => {
    const agent_id = freshId("agent");
    const bind = { agent_id, project_id: "mine" };
    const { body } = await callWith(ADMIN_KEY, "POST", "/v1/keys", { tenant: client.tenant, bind });
    const bound: Pick<Client, "call"> = { call: (...args) => callWith(body.key, ...args) };
    await open({ agent_id, project_id: "other", spaces: SPACES });
    expect(await worldOf((await open({ inherit_spaces: true }, bound)).id)).toEqual({});
  });

  it("of another tenant is unknown", async () => {
    const { id: theirs } = await open({ spaces: SPACES }, await newClient());
    expect((await open({ spaces_from: theirs })).status).toBe(404);
    expect(await worldOf((await open({ continues: theirs })).id)).toEqual({});
  });

  it("is created once with its spaces, however often the call is repeated", async () => {
    const { id: first } = await open({ spaces: SPACES });
    const body = { id: freshId("session"), continues: first };
    const key = { "Idempotency-Key": "k1" };
    const created = await client.call("POST", "/v1/sessions", body, key);
    await client.call("PUT", `/v1/sessions/${first}/spaces/world`, { data: { later: true } });
    const again = await client.call("POST", "/v1/sessions", body, key);
    expect(again.body).toEqual(created.body);
    expect(await worldOf(body.id)).toEqual(SPACES.world);
    expect((await memoryOf(body.id)).rev).toBe(1);
  });

  it("inherits projected values with the session that they are from", async () => {
    const { id: first } = await open({});
    const content = "Our staging server is Hetzner. Remind me to renew its certificate.";
    await client.call("POST", `/v1/sessions/${first}/messages`, { messages: [{ role: "user", content }] });
    for (const name of ["summary", "facts", "tasks"])
      await client.call("POST", `/v1/sessions/${first}/projectors/${name}/run`, {});
    const { id: second } = await open({ continues: first });
    const { world, tasks } = (await memoryOf(second)).spaces;
    expect(world.data).toMatchObject({
      summary: { session_id: first, content: expect.stringContaining("Hetzner") },
      facts: { "staging server": { session_id: first, source: "projector" } },
    });
    expect(tasks.data).toMatchObject([{ text: "Renew its certificate", session_id: first }]);
    await client.call("POST", `/v1/sessions/${second}/messages`, {
      messages: [{ role: "user", content: "The office moves to Lisbon in May." }],
    });
    await client.call("POST", `/v1/sessions/${second}/projectors/summary/run`, {});
    const { summary } = await worldOf(second);
    expect(summary).toMatchObject({
      content: expect.stringMatching(/Hetzner[\s\S]*Lisbon/),
      covers_seq: { from: 1, to: 1 },
    });
    expect(summary).not.toHaveProperty("session_id");
  });
});
