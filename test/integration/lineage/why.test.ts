// GET /v1/memories/{id}/why: what a memory rests on, which activity made it, what it replaced, and what rests on it.
import { env } from "cloudflare:workers";
import Parser from "n3/src/N3Parser.js";
import { beforeAll, describe, expect, it } from "vitest";
import { ADMIN_KEY, type Client, callWith, freshId, newClient } from "../support";

let kioku: Client;
beforeAll(async () => {
  kioku = await newClient();
});

async function remember(body: object): Promise<string> {
  const { status, body: answer } = await kioku.call("POST", "/v1/remember", body);
  expect(status).toBe(201);
  return answer.memory_id;
}

async function why(id: string, client = kioku) {
  const { status, body } = await client.call("GET", `/v1/memories/${id}/why`);
  expect(status).toBe(200);
  return body;
}

async function findKeyId(): Promise<string> {
  const { body } = await callWith(ADMIN_KEY, "GET", `/v1/keys?tenant=${kioku.tenant}`);
  return body.data[0].id;
}

describe("the activity", () => {
  it("of a remembered memory names the call's key, with and without a session", async () => {
    const key_id = await findKeyId();
    for (const owner of [{ user_id: freshId("user") }, { session_id: freshId("session") }]) {
      const id = await remember({
        ...owner,
        content: "The dunning run starts on day 15",
        rationale: "Agreed in March",
      });
      const { memory, activity } = await why(id);
      expect(activity).toMatchObject({ kind: "remember", key_id, importance: null });
      expect(memory).toMatchObject({ id, rationale: "Agreed in March", status: "live" });
    }
  });

  it("of a promotion has the score with its parts, the extraction, and the message in its own words", async () => {
    const session = freshId("session");
    const said = "We decided to use PostgreSQL for the order service.";
    await kioku.call("POST", `/v1/sessions/${session}/messages`, {
      messages: [{ id: "m1", role: "user", name: "Mia", content: said }],
    });
    const { body } = await kioku.call("POST", `/v1/sessions/${session}/promote`, {});
    const [promoted] = body.promoted;
    const { activity, sources } = await why(promoted.memory_id);
    expect(activity).toMatchObject({ kind: "promotion", key_id: null, extracted_by: "rules" });
    const { recency, frequency, confidence, salience } = activity.importance.parts;
    expect(recency + frequency + confidence + salience).toBeCloseTo(activity.importance.score, 10);
    expect(activity.importance.score).toBeCloseTo(promoted.importance_score, 10);
    expect(sources).toEqual([
      expect.objectContaining({
        kind: "message",
        id: "m1",
        session_id: session,
        role: "user",
        name: "Mia",
        content: said,
      }),
    ]);
  });

  it("of a promoted context item names its key", async () => {
    const session = freshId("session");
    for (let i = 0; i < 10; i += 1)
      await kioku.call("PUT", `/v1/sessions/${session}/context/region`, {
        value: "eu-west",
        source: "explicit",
        confidence: 1,
        memory_type: "decision",
      });
    const { body } = await kioku.call("POST", `/v1/sessions/${session}/promote`, {});
    const { activity } = await why(body.promoted[0].memory_id);
    expect(activity).toMatchObject({ kind: "promotion", context_key: "region" });
  });

  it("of an entry, a turn and a learning is of that kind", async () => {
    const agent_id = freshId("agent");
    await kioku.call("PUT", `/v1/agents/${agent_id}/policy`, { enabled: true, capture: "conversation" });
    const entry = await kioku.call("POST", "/v1/entries", { agent_id, content: "Prefers short answers" });
    expect((await why(entry.body.id)).activity.kind).toBe("entry");
    const session = freshId("session");
    await kioku.call("POST", "/v1/sessions", { id: session, agent_id });
    const turn = await kioku.call("POST", `/v1/sessions/${session}/turns`, {
      input: "I live in Porto",
      output: "Noted",
    });
    expect((await why(turn.body.entry_id)).activity.kind).toBe("turn");
    const { body: pattern } = await kioku.call("POST", "/v1/learnings", {
      trigger: "Deploys failed on Friday",
      root_cause: "The cache was cold",
      prevention: "Warm the cache",
      fix: "Deploy before noon",
      project_id: freshId("project"),
    });
    expect((await why(pattern.id)).activity.kind).toBe("learning");
  });

  it("is unknown if it is not recorded", async () => {
    const id = await remember({ user_id: freshId("user"), content: "An old statement" });
    await env.DB.prepare("UPDATE memories SET activity = NULL WHERE tenant = ? AND id = ?")
      .bind(kioku.tenant, id)
      .run();
    expect((await why(id)).activity).toMatchObject({ kind: "unknown", key_id: null });
  });

  it("survives a rebuild of the read model", async () => {
    const id = await remember({ user_id: freshId("user"), content: "A statement that is rebuilt" });
    const before = await why(id);
    let cursor: string | null = null;
    do {
      const { body } = await callWith(
        ADMIN_KEY,
        "POST",
        "/v1/admin/rebuild",
        cursor === null ? {} : { cursor },
      );
      cursor = body.next_cursor;
    } while (cursor !== null);
    expect(await why(id)).toEqual(before);
  });
});

describe("the sources", () => {
  it("are resolved: memories, episodes, and documents as they were named", async () => {
    const project_id = freshId("project");
    const { body: episode } = await kioku.call("POST", "/v1/episodes", {
      project_id,
      context: { goal: "Speed up the build" },
      outcome: "success",
      timestamp: "2026-03-02T09:00:00.000Z",
    });
    const origin = await remember({ project_id, content: "The build takes nine minutes" });
    const id = await remember({
      project_id,
      content: "Caching halves the build",
      evidence: [`memory:${origin}`, episode.id, "docs/build.md"],
    });
    const { sources } = await why(id);
    expect(sources).toEqual([
      expect.objectContaining({ kind: "memory", id: origin, content: "The build takes nine minutes" }),
      expect.objectContaining({ kind: "episode", id: episode.id, goal: "Speed up the build" }),
      { kind: "reference", reference: "docs/build.md" },
    ]);
    expect((await why(origin)).derived.map((one: { id: string }) => one.id)).toEqual([id]);
  });

  it("lose what was erased: no quotation of it is left", async () => {
    const session = freshId("session");
    const said = "We decided to paint the bike shed green.";
    await kioku.call("POST", `/v1/sessions/${session}/messages`, {
      messages: [{ id: "m1", role: "user", content: said }],
    });
    const { body } = await kioku.call("POST", `/v1/sessions/${session}/promote`, {});
    const id = body.promoted[0].memory_id;
    await kioku.call("DELETE", `/v1/sessions/${session}`);
    const lineage = await why(id);
    expect(lineage.sources.every(({ kind }: { kind: string }) => kind === "reference")).toBe(true);
    expect(JSON.stringify(lineage.sources)).not.toContain("bike shed");
  });

  it("outside of a key's binding are counted, not shown", async () => {
    const [user_id, other] = [freshId("user"), freshId("user")];
    const secret = await remember({ user_id: other, content: "Another user's secret plan" });
    const id = await remember({ user_id, content: "A conclusion", evidence: [`memory:${secret}`] });
    const { body } = await callWith(ADMIN_KEY, "POST", "/v1/keys", {
      tenant: kioku.tenant,
      bind: { user_id },
    });
    const { status, body: lineage } = await callWith(body.key, "GET", `/v1/memories/${id}/why`);
    expect(status).toBe(200);
    expect(lineage).toMatchObject({ sources: [], hidden: 1 });
    expect((await callWith(body.key, "GET", `/v1/memories/${secret}/why`)).status).toBe(404);
    expect((await callWith(body.key, "GET", `/v1/memories/${secret}/impact`)).status).toBe(404);
  });
});

describe("supersession", () => {
  it("has its reason on both sides: a key, another value, a change, a caller's choice", async () => {
    const user_id = freshId("user");
    const first = await remember({ user_id, key: "office", content: "The office is in Lisbon" });
    const second = await remember({ user_id, key: "office", content: "The office is in Porto" });
    expect((await why(second)).supersedes).toEqual([
      expect.objectContaining({ id: first, reason: "key", note: null }),
    ]);
    expect((await why(first)).superseded_by).toMatchObject({ id: second, reason: "key" });

    const rome = await remember({ user_id, content: "Maria lives in Rome" });
    const paris = await remember({ user_id, content: "Maria lives in Paris" });
    expect((await why(paris)).supersedes).toEqual([
      expect.objectContaining({ id: rome, reason: "statement" }),
    ]);

    const { body: changed } = await kioku.call("PATCH", `/v1/memories/${paris}`, {
      content: "Maria lives in Lyon",
    });
    const lyon = await why(changed.id);
    expect(lyon.activity.kind).toBe("change");
    expect(lyon.supersedes).toEqual([expect.objectContaining({ id: paris, reason: "change" })]);

    const old = await remember({ user_id, content: "Standup is at nine" });
    const replacement = await remember({ user_id, content: "There is no standup" });
    await kioku.call("POST", "/v1/forget", {
      user_id,
      memory_id: old,
      replacement_id: replacement,
      reason: "Cancelled",
    });
    expect((await why(old)).superseded_by).toMatchObject({
      id: replacement,
      reason: "named",
      note: "Cancelled",
    });
  });

  it("does not apply to a memory that was only forgotten", async () => {
    const user_id = freshId("user");
    const id = await remember({ user_id, content: "Lunch is at one" });
    await kioku.call("POST", "/v1/forget", { user_id, memory_id: id, reason: "No longer true" });
    expect(await why(id)).toMatchObject({ superseded_by: null, forgotten: { reason: "No longer true" } });
  });
});

describe("in PROV-O", () => {
  const PROV = "http://www.w3.org/ns/prov#";

  it("is the same lineage as Turtle, N-Triples and JSON-LD", async () => {
    const [user_id, agent_id] = [freshId("user"), freshId("agent")];
    const origin = await remember({ user_id, content: "The build takes nine minutes" });
    const id = await remember({
      user_id,
      agent_id,
      key: "build",
      content: "Caching helps",
      evidence: [`memory:${origin}`],
    });
    const revised = await remember({
      user_id,
      agent_id,
      key: "build",
      content: "Caching halves the build",
      evidence: [`memory:${origin}`],
    });
    const read = async (type: string) => {
      const { headers, body } = await kioku.call("GET", `/v1/memories/${revised}/why`, undefined, {
        Accept: type,
      });
      expect(headers.get("Content-Type")).toBe(`${type}; charset=utf-8`);
      return body;
    };
    const quads = new Parser().parse(await read("text/turtle"));
    const has = (subject: string, predicate: string, object: string) =>
      quads.some(
        (quad) =>
          quad.subject.value.endsWith(subject) &&
          quad.predicate.value === PROV + predicate &&
          quad.object.value.endsWith(object),
      );
    expect(has(`memory_${revised}`, "wasDerivedFrom", `memory_${origin}`)).toBe(true);
    expect(has(`memory_${revised}`, "wasGeneratedBy", `activity_${revised}`)).toBe(true);
    expect(has(`memory_${revised}`, "wasRevisionOf", `memory_${id}`)).toBe(true);
    expect(has(`memory_${id}`, "wasInvalidatedBy", `activity_${revised}`)).toBe(true);
    expect(has(`activity_${revised}`, "used", `memory_${origin}`)).toBe(true);
    expect(has(`agent_${agent_id}`, "actedOnBehalfOf", `user_${user_id}`)).toBe(true);
    expect(has(`memory_${revised}`, "wasAttributedTo", `user_${user_id}`)).toBe(true);
    expect(has(`memory_${revised}`, "value", "Caching halves the build")).toBe(true);
    const lines = new Parser().parse(await read("application/n-triples"));
    expect(lines.length).toBe(quads.length);
    const nodes = (await read("application/ld+json")) as { "@id": string }[];
    expect(nodes.map((node) => node["@id"])).toContain(`https://jido.ai/ontology#memory_${origin}`);
  });
});

describe("impact", () => {
  it("lists what rests on a memory, through every step, with the path and the support that is left", async () => {
    const user_id = freshId("user");
    const base = await remember({ user_id, content: "The sensor is accurate" });
    const near = await remember({ user_id, content: "The tank is full", evidence: [`memory:${base}`] });
    const far = await remember({ user_id, content: "No delivery is needed", evidence: [near, "invoice 17"] });
    const supported = await remember({ user_id, content: "The plant can run" });
    await kioku.call("POST", "/v1/links", { from: base, to: supported, relation: "supports" });
    const { status, body } = await kioku.call("GET", `/v1/memories/${base}/impact`);
    expect(status).toBe(200);
    const byId = new Map(body.data.map((one: { id: string }) => [one.id, one]));
    expect([...byId.keys()].toSorted()).toEqual([near, far, supported].toSorted());
    expect(byId.get(near)).toMatchObject({
      path: [{ from: base, relation: "derivedFrom" }],
      other_support: 0,
    });
    expect(byId.get(far)).toMatchObject({
      path: [
        { from: base, relation: "derivedFrom" },
        { from: near, relation: "derivedFrom" },
      ],
      other_support: 1,
    });
    expect(byId.get(supported)).toMatchObject({ path: [{ from: base, relation: "supports" }] });
    expect(body).toMatchObject({ memory_id: base, hidden: 0, truncated: false });
  });

  it("ends in a circle, and says when a chain is longer than it follows", async () => {
    const user_id = freshId("user");
    const [a, b] = [
      await remember({ user_id, content: "A holds" }),
      await remember({ user_id, content: "B holds" }),
    ];
    await kioku.call("POST", "/v1/links", { from: a, to: b, relation: "supports" });
    await kioku.call("POST", "/v1/links", { from: b, to: a, relation: "supports" });
    const circle = await kioku.call("GET", `/v1/memories/${a}/impact`);
    expect(circle.body.data.map((one: { id: string }) => one.id)).toEqual([b]);

    let last = await remember({ user_id, content: "Link 0 of a chain" });
    const first = last;
    for (let i = 1; i <= 12; i += 1)
      last = await remember({ user_id, content: `Link ${i} of a chain`, evidence: [last] });
    const { body } = await kioku.call("GET", `/v1/memories/${first}/impact`);
    expect(body.data).toHaveLength(10);
    expect(body.truncated).toBe(true);
  });

  it("is a 404 for an unknown memory", async () => {
    const id = "0".repeat(32);
    expect((await kioku.call("GET", `/v1/memories/${id}/why`)).status).toBe(404);
    expect((await kioku.call("GET", `/v1/memories/${id}/impact`)).status).toBe(404);
  });
});
