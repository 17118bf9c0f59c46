// What forget promises, line by line.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Answer, type Client, eventsIn, freshId, newClient } from "../support";

// A tenant for each test: of memories with the same words, a recall shows one.
let client: Client;
beforeEach(async () => {
  client = await newClient();
});
afterEach(() => {
  vi.restoreAllMocks();
});

async function remember(session: string, content: string): Promise<string> {
  const { status, body } = await client.call("POST", `/v1/sessions/${session}/remember`, { content });
  expect(status).toBe(201);
  return body.memory_id;
}

/** A session of its own with these memories, and their ids. */
async function sessionWith<const T extends readonly string[]>(...contents: T) {
  const session = freshId("session");
  const ids = await Promise.all(contents.map((content) => remember(session, content)));
  return { session, ids: ids as { [K in keyof T]: string } };
}

function forget(session: string, input: object): Promise<Answer> {
  return client.call("POST", `/v1/sessions/${session}/forget`, input);
}

async function memory(id: string) {
  const { status, body } = await client.call("GET", `/v1/memories/${id}`);
  expect(status).toBe(200);
  return body;
}

async function recalled(session: string, input: object = {}): Promise<string[]> {
  const { body } = await client.call("POST", `/v1/sessions/${session}/recall`, input);
  return body.memories.map(({ id }: { id: string }) => id).sort();
}

async function expectLive(id: string) {
  expect(await memory(id)).toMatchObject({ status: "live", forgotten_at: null, superseded_by: null });
}

describe("forget", () => {
  it("marks a memory as superseded: a tombstone when there is no replacement", async () => {
    const { session, ids } = await sessionWith("The port is 80");
    const before = new Date().toISOString();
    expect((await forget(session, { memory_id: ids[0] })).status).toBe(200);
    const after = await memory(ids[0]);
    expect(after).toMatchObject({ status: "forgotten", superseded_by: null, content: "The port is 80" });
    expect(after.forgotten_at >= before && after.forgotten_at <= new Date().toISOString()).toBe(true);
    expect(after.valid_until).toBe(after.forgotten_at);
    const { body } = await client.call("GET", `/v1/sessions/${session}`);
    expect(body.counts.memories).toBe(0);
  });

  it("creates the supersededBy relation with a replacement_id", async () => {
    const { session, ids } = await sessionWith("Port 80 is open", "Port 443 is open");
    const [old, replacement] = ids;
    const { body } = await forget(session, { memory_id: old, replacement_id: replacement });
    expect(body.replacement_id).toBe(replacement);
    expect(await memory(old)).toMatchObject({ status: "superseded", superseded_by: replacement });
    expect(await memory(replacement)).toMatchObject({ status: "live", supersedes: [old] });
    const triples = await client.call("GET", `/v1/memories/${old}/triples`);
    expect(triples.body.data).toContainEqual({
      subject: `https://jido.ai/ontology#memory_${old}`,
      predicate: "https://jido.ai/ontology#supersededBy",
      object: `https://jido.ai/ontology#memory_${replacement}`,
    });
  });

  it("validates that memory_id exists, for this caller and in reach of this session", async () => {
    const { session } = await sessionWith("Mine");
    const elsewhere = await sessionWith("Of another session");
    expect((await forget(session, { memory_id: elsewhere.ids[0] })).status).toBe(404);
    await expectLive(elsewhere.ids[0]);
    const stranger = await newClient();
    const stolen = await stranger.call("POST", "/v1/forget", { memory_id: elsewhere.ids[0] });
    expect(stolen.status).toBe(404);
    await expectLive(elsewhere.ids[0]);
    for (const memory_id of ["", "not an id", "a".repeat(129), 7, undefined]) {
      const { status, body } = await forget(session, { memory_id });
      expect(status).toBe(400);
      expect(body.errors[0].path).toBe("memory_id");
    }
  });

  it("validates that replacement_id exists if it is provided: anywhere in the tenant, nowhere else", async () => {
    const { session, ids } = await sessionWith("The port is 80");
    const stranger = await newClient();
    const theirs = await stranger.call("POST", "/v1/remember", { content: "Theirs", agent_id: "a-1" });
    for (const replacement_id of [freshId("memory"), theirs.body.memory_id]) {
      expect((await forget(session, { memory_id: ids[0], replacement_id })).status).toBe(404);
    }
    const { status, body } = await forget(session, { memory_id: ids[0], replacement_id: "not an id" });
    expect(status).toBe(400);
    expect(body.errors[0].path).toBe("replacement_id");
    await expectLive(ids[0]);
    const elsewhere = await sessionWith("The port is 443");
    expect((await forget(session, { memory_id: ids[0], replacement_id: elsewhere.ids[0] })).status).toBe(200);
    expect((await memory(ids[0])).superseded_by).toBe(elsewhere.ids[0]);
  });

  it("answers a non-existent memory_id with a clear error", async () => {
    const { session } = await sessionWith("Something");
    const memory_id = freshId("memory");
    const { status, body } = await forget(session, { memory_id });
    expect(status).toBe(404);
    expect(body.code).toBe("not_found");
    expect(body.detail).toMatch(new RegExp(`^Memory not found: ${memory_id}\\. \\w`));
  });

  it("answers a non-existent replacement_id with a clear error", async () => {
    const { session, ids } = await sessionWith("Something");
    const replacement_id = freshId("memory");
    const { status, body } = await forget(session, { memory_id: ids[0], replacement_id });
    expect(status).toBe(404);
    expect(body.code).toBe("not_found");
    expect(body.detail).toMatch(new RegExp(`^Replacement memory not found: ${replacement_id}\\. \\w`));
  });

  it("stores the reason if one is provided", async () => {
    const { session, ids } = await sessionWith("The port is 80", "The host is local", "The user is root");
    const reason = 'Moved behind "nginx"; — 移動済み';
    const { body } = await forget(session, { memory_id: ids[0], reason });
    expect(body.reason).toBe(reason);
    expect((await memory(ids[0])).forget_reason).toBe(reason);
    const without = await forget(session, { memory_id: ids[1] });
    expect(without.body).not.toHaveProperty("reason");
    expect((await memory(ids[1])).forget_reason).toBeNull();
    expect((await forget(session, { memory_id: ids[2], reason: "x".repeat(1001) })).status).toBe(400);
    await expectLive(ids[2]);
  });

  it("returns a formatted success message", async () => {
    const { session, ids } = await sessionWith("The port is 80");
    const { status, body } = await forget(session, { memory_id: ids[0] });
    expect(status).toBe(200);
    expect(body).toEqual({
      forgotten: true,
      memory_id: ids[0],
      message: `Memory ${ids[0]} has been superseded`,
    });
  });

  it("answers a missing session id with a clear error", async () => {
    const { ids } = await sessionWith("The port is 80");
    const call = { type: "tool_use", id: "toolu_1", name: "forget", input: { memory_id: ids[0] } };
    const { status, body } = await client.call("POST", "/v1/tools/execute", { call });
    expect(status).toBe(400);
    expect(body.errors).toEqual([{ path: "session_id", message: expect.stringContaining("required") }]);
    await expectLive(ids[0]);
    const unknown = freshId("session");
    const nowhere = await forget(unknown, { memory_id: ids[0] });
    expect(nowhere.status).toBe(404);
    expect(nowhere.body.detail).toContain(ids[0]);
  });

  it("excludes forgotten memories from normal recall queries", async () => {
    const { session, ids } = await sessionWith("Port 80 is open", "Port 443 is open", "Port 22 is open");
    await forget(session, { memory_id: ids[0], replacement_id: ids[1] });
    await forget(session, { memory_id: ids[2] });
    for (const input of [{}, { query: "port" }, { type: "fact" }, { scope: "tenant", query: "port 80 22" }]) {
      const found = await recalled(session, { ...input, limit: 50 });
      expect(found).toContain(ids[1]);
      expect(found).not.toContain(ids[0]);
      expect(found).not.toContain(ids[2]);
    }
    const { body } = await client.call("GET", `/v1/memories?session_id=${session}`);
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([ids[1]]);
  });

  it("leaves forgotten memories retrievable with the include_superseded option", async () => {
    const { session, ids } = await sessionWith("Port 80 is open", "Port 443 is open", "Port 22 is open");
    await forget(session, { memory_id: ids[0], replacement_id: ids[1] });
    await forget(session, { memory_id: ids[2] });
    for (const query of [undefined, "port"]) {
      expect(await recalled(session, { query, include_superseded: true })).toEqual([...ids].sort());
    }
    const path = `/v1/memories?session_id=${session}&include_superseded=true`;
    expect((await client.call("GET", path)).body.data).toHaveLength(3);
  });

  it("emits a telemetry event with memory, has_replacement and has_reason", async () => {
    const { session, ids } = await sessionWith("Port 80 is open", "Port 443 is open");
    const log = vi.spyOn(console, "log");
    await forget(session, { memory_id: ids[0], replacement_id: ids[1] });
    await forget(session, { memory_id: ids[1], reason: "Gone too" });
    const event = {
      event: "forget",
      status: "ok",
      memory_type: "fact",
      tenant: client.tenant,
      session_id: session,
      duration_ms: expect.any(Number),
    };
    expect(eventsIn(log, "forget")).toEqual([
      { ...event, memory_id: ids[0], has_replacement: true, has_reason: false },
      { ...event, memory_id: ids[1], has_replacement: false, has_reason: true },
    ]);
  });

  it("says so when a memory is forgotten twice, and keeps the first reason and replacement", async () => {
    const { session, ids } = await sessionWith("Port 80 is open", "Port 443 is open", "Port 22 is open");
    await forget(session, { memory_id: ids[0], replacement_id: ids[1], reason: "First" });
    const first = await memory(ids[0]);
    const { status, body } = await forget(session, {
      memory_id: ids[0],
      replacement_id: ids[2],
      reason: "Second",
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ forgotten: true, message: expect.stringContaining("already") });
    expect(await memory(ids[0])).toEqual(first);
    expect((await memory(ids[2])).supersedes).toEqual([]);
  });

  it("refuses a memory as its own replacement, and a cycle of replacements", async () => {
    const { session, ids } = await sessionWith("One", "Two", "Three");
    const [one, two, three] = ids;
    const itself = await forget(session, { memory_id: one, replacement_id: one });
    expect(itself.status).toBe(409);
    expect(itself.body.detail).toContain(`Memory ${one} cannot replace itself`);
    await forget(session, { memory_id: one, replacement_id: two });
    await forget(session, { memory_id: two, replacement_id: three });
    const cycle = await forget(session, { memory_id: three, replacement_id: one });
    expect(cycle.status).toBe(409);
    expect(cycle.body.detail).toContain("cycle");
    await expectLive(three);
  });

  it("never closes a cycle, however two calls meet", async () => {
    for (let round = 0; round < 5; round += 1) {
      const { session, ids } = await sessionWith("One", "Two");
      const answers = await Promise.all([
        forget(session, { memory_id: ids[0], replacement_id: ids[1] }),
        forget(session, { memory_id: ids[1], replacement_id: ids[0] }),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      expect(await recalled(session)).toHaveLength(1);
    }
  });
});
