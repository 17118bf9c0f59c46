// PATCH /v1/memories/{id}: changes in place, and successors.
import { beforeEach, describe, expect, it } from "vitest";
import { newTenant, rebuild, type Tenant } from "../store/long-term-support";

let kioku: Tenant;

beforeEach(async () => {
  kioku = await newTenant();
});

const patch = (id: string, body: object) => kioku.call("PATCH", `/v1/memories/${id}`, body);

async function expectRebuildable(): Promise<void> {
  const before = await kioku.contents();
  await rebuild(kioku.tenant);
  expect((await kioku.contents()).memories).toEqual(before.memories);
}

describe("a change in place", () => {
  it("sets ratings and validity, and takes an end of validity back", async () => {
    const id = await kioku.remember({ content: "The fair is open", confidence: 0.9 });
    const times = { valid_from: "2026-05-01T00:00:00.000Z", valid_until: "2099-06-01T00:00:00.000Z" };
    const { status, body } = await patch(id, { confidence: "low", importance: 0.25, ...times });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id,
      confidence: 0.3,
      importance: 0.25,
      ...times,
      superseded: [],
      supersedes: [],
    });
    expect(body).toEqual({ ...(await kioku.memory(id)), superseded: [] });
    expect((await patch(id, { valid_until: null })).body.valid_until).toBeNull();
    await expectRebuildable();
  });

  it("ends a validity once, however the memory ends", async () => {
    const until = { valid_until: "2099-06-01T00:00:00.000Z" };
    const forgotten = await kioku.remember({ content: "The fair is open" });
    const keyed = await kioku.remember({ content: "Opens at nine", key: "hours" });
    for (const id of [forgotten, keyed]) await patch(id, until);
    await kioku.forget({ memory_id: forgotten });
    await kioku.remember({ content: "Opens at ten", key: "hours" });
    for (const id of [forgotten, keyed]) expect((await kioku.memory(id)).valid_until < "2099").toBe(true);
    await expectRebuildable();
  });

  it("sets, keeps and removes properties", async () => {
    const properties = { hasTaskStatus: "Planned", assignedTo: ["ada", "bob"] };
    const id = await kioku.remember({ content: "Write the invoice", type: "task", properties });
    const done = await patch(id, { properties: { hasTaskStatus: "Completed" } });
    expect(done.body.properties).toEqual({
      hasTaskStatus: ["Completed"],
      assignedTo: ["ada", "bob"],
    });
    const removed = await patch(id, { properties: { assignedTo: null } });
    expect(removed.body.properties).toEqual({ hasTaskStatus: ["Completed"] });
    await expectRebuildable();
  });

  it("merges metadata by key, removes a null, and replaces tags", async () => {
    const id = await kioku.remember({
      content: "Labelled",
      metadata: { a: 1, b: "x" },
      tags: ["one", "two"],
    });
    const { body } = await patch(id, { metadata: { a: null, b: "y", c: ["z"] }, tags: ["three"] });
    expect(body).toMatchObject({ metadata: { b: "y", c: ["z"] }, tags: ["three"] });
    expect(body.metadata).not.toHaveProperty("a");
    const found = await kioku.call("POST", "/v1/memories/search", { filter: { "metadata.c": "z" } });
    expect(found.body.data[0].id).toBe(id);
    await expectRebuildable();
  });

  it("changes case and spacing of the content", async () => {
    const id = await kioku.remember({ content: "the port  is 80" });
    const { body } = await patch(id, { content: "The port is 80." });
    expect(body).toMatchObject({ id, content: "The port is 80.", superseded: [] });
    await expectRebuildable();
  });

  it("loses none of several concurrent changes", async () => {
    const id = await kioku.remember({ content: "Labelled" });
    const keys = ["a", "b", "c", "d", "e"];
    await Promise.all(keys.map((key) => patch(id, { metadata: { [key]: true } })));
    expect(Object.keys((await kioku.memory(id)).metadata).sort()).toEqual(keys);
  });
});

describe("another content or type", () => {
  const LABELS = { metadata: { team: "web" }, tags: ["red"], evidence: ["a.md"] };

  it("makes a successor with owner, provenance and labels", async () => {
    const owner = { session_id: "s", user_id: "mia", agent_id: "ada", project_id: "shop" };
    const first = {
      content: "The port is 80",
      rationale: "Seen",
      confidence: 0.6,
      source_type: "user",
      ...LABELS,
    };
    const id = await kioku.remember({ ...first, ...owner });
    const { status, body } = await patch(id, { content: "The port is 8080", confidence: 0.9 });
    expect(status).toBe(200);
    expect(body.id).not.toBe(id);
    expect(body).toMatchObject({
      ...first,
      ...owner,
      content: "The port is 8080",
      confidence: 0.9,
      supersedes: [id],
      superseded: [id],
      status: "live",
    });
    expect(await kioku.memory(id)).toMatchObject({ status: "superseded", superseded_by: body.id });
    expect(await kioku.history(body.id)).toEqual([id, body.id]);
    await expectRebuildable();
  });

  it("takes a validity of its own", async () => {
    const id = await kioku.remember({ content: "The fair is open" });
    const times = { valid_from: "2026-05-01T00:00:00.000Z", valid_until: "2099-06-01T00:00:00.000Z" };
    const { body } = await patch(id, { content: "The fair is shut", ...times });
    expect(body).toMatchObject({ content: "The fair is shut", ...times, superseded: [id] });
    await expectRebuildable();
  });

  it("keeps the key, so that the next value supersedes the successor", async () => {
    const id = await kioku.remember({ content: "The port is 80", key: "port" });
    const { body } = await patch(id, { content: "The port is 81" });
    expect(body.key).toBe("port");
    const next = await kioku.remember({ content: "The port is 82", key: "port" });
    expect(await kioku.liveIds()).toEqual([next]);
  });

  it("joins a memory that has the content already", async () => {
    const known = await kioku.remember({ content: "The port is 8080", tags: ["blue"] });
    const id = await kioku.remember({ content: "The door is shut", tags: ["red"] });
    const { body } = await patch(id, { content: "The port is 8080" });
    expect(body).toMatchObject({ id: known, superseded: [id], tags: ["blue", "red"] });
  });

  it("changes the type, and asks for the removal of properties that the new type lacks", async () => {
    const properties = { hasTaskStatus: "Planned" };
    const id = await kioku.remember({ content: "Write the invoice", type: "task", properties });
    const refused = await patch(id, { type: "fact" });
    expect(refused.status).toBe(400);
    expect(refused.body.errors[0].path).toBe("properties.hasTaskStatus");
    const { body } = await patch(id, { type: "fact", properties: { hasTaskStatus: null } });
    expect(body).toMatchObject({ type: "fact", properties: {}, superseded: [id] });
  });

  it("makes one successor when two changes race", async () => {
    const id = await kioku.remember({ content: "The port is 80" });
    const answers = await Promise.all([81, 82, 83].map((port) => patch(id, { content: `Use port ${port}` })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect(await kioku.liveIds()).toHaveLength(1);
  });
});

describe("a refusal", () => {
  it("of an unknown memory is a 404", async () => {
    for (const body of [{ importance: 1 }, { content: "Another" }])
      expect((await patch("0".repeat(32), body)).status).toBe(404);
  });

  it("of a memory that is not live names the live one; its labels may change", async () => {
    const id = await kioku.remember({ content: "The port is 80", key: "port" });
    const next = await kioku.remember({ content: "The port is 81", key: "port" });
    for (const body of [{ importance: 1 }, { content: "The port is 82" }, { tags: ["a"], confidence: 1 }]) {
      const { status, body: problem } = await patch(id, body);
      expect([status, problem.code]).toEqual([409, "conflict"]);
      expect(problem.detail).toContain(next);
    }
    expect((await patch(id, { tags: ["old"], metadata: { a: 1 } })).body).toMatchObject({
      id,
      tags: ["old"],
    });
  });

  it.each([
    [{ contents: "x" }, "contents"],
    [{ content: " " }, "content"],
    [{ importance: 2 }, "importance"],
    [{ type: "nonsense" }, "type"],
    [{ properties: { hasTaskStatus: "Completed" } }, "properties.hasTaskStatus"],
    [{ properties: { namespace: "x" } }, "properties.namespace"],
    [{ properties: { namespace: null } }, "properties.namespace"],
    [{ metadata: { a: {} } }, "metadata.a"],
    [{ valid_from: "2026-02-01T00:00:00Z", valid_until: "2026-01-01T00:00:00Z" }, "valid_until"],
  ])("of %o names %s", async (body, path) => {
    const id = await kioku.remember({ content: "A fact" });
    const answer = await patch(id, body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0].path).toBe(path);
  });

  it("of content that the service composes", async () => {
    const skill = { name: "Deploy", description: "How to deploy", steps: ["Push"] };
    await kioku.call("PUT", "/v1/skills/deploy", skill);
    const { body } = await kioku.call("GET", "/v1/memories?type=skill");
    expect((await patch(body.data[0].id, { content: "Something else" })).status).toBe(409);
  });

  it("of another tenant's memory is a 404", async () => {
    const id = await kioku.remember({ content: "A fact" });
    const other = await newTenant();
    expect((await other.call("PATCH", `/v1/memories/${id}`, { importance: 1 })).status).toBe(404);
  });
});
