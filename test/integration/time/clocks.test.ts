// The two clocks: as_of (what was known) and valid_at (what was true) on every call that reads memories.
import { env } from "cloudflare:workers";
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

async function patch(id: string, body: object): Promise<void> {
  const { status, body: answer } = await kioku.call("PATCH", `/v1/memories/${id}`, body);
  expect(status, JSON.stringify(answer)).toBe(200);
}

/** Returns a moment after everything that was answered and before everything that follows. */
async function mark(): Promise<string> {
  await scheduler.wait(3);
  const moment = new Date().toISOString();
  await scheduler.wait(3);
  return moment;
}

async function get(id: string, query = "", client = kioku) {
  return client.call("GET", `/v1/memories/${id}?${query}`);
}

async function list(query: string, client = kioku): Promise<string[]> {
  const { status, body } = await client.call("GET", `/v1/memories?${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data.map(({ id }: { id: string }) => id);
}

async function recall(body: object): Promise<{ id: string; status: string; confidence: number }[]> {
  const { status, body: answer } = await kioku.call("POST", "/v1/recall", body);
  expect(status, JSON.stringify(answer)).toBe(200);
  return answer.memories;
}

async function select(query: string, clocks: Record<string, string> = {}): Promise<string[]> {
  const { status, body } = await kioku.call("POST", "/v1/sparql", {
    query: `PREFIX jido: <https://jido.ai/ontology#> ${query}`,
    ...clocks,
  });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.results.bindings.map((row: Record<string, { value: string }>) =>
    Object.values(row)
      .map(({ value }) => value)
      .join(" "),
  );
}

async function readVersions(id: string): Promise<{ until: string; state: string; triples: string }[]> {
  const { results } = await env.DB.prepare("SELECT * FROM memory_versions WHERE tenant = ? AND memory_id = ?")
    .bind(kioku.tenant, id)
    .all<{ until: string; state: string; triples: string }>();
  return results;
}

describe("a supersession", () => {
  const user_id = freshId("user");
  let [berlin, vienna, before] = ["", "", ""];
  beforeAll(async () => {
    berlin = await remember({
      user_id,
      key: "address",
      content: "Ada lives in Berlin, Gartenweg 3",
      valid_from: "2026-01-01T00:00:00Z",
    });
    before = await mark();
    vienna = await remember({
      user_id,
      key: "address",
      content: "Ada lives in Vienna, Seilerstrasse 9",
      valid_from: "2026-03-01T00:00:00Z",
    });
  });

  it("is unknown before it is written, and holds from its own valid_from on", async () => {
    const march = "2026-03-03T00:00:00Z";
    const february = "2026-02-03T00:00:00Z";
    const owner = `user_id=${user_id}`;
    expect(await list(owner)).toEqual([vienna]);
    expect(await list(`${owner}&as_of=${before}`)).toEqual([berlin]);
    expect(await list(`${owner}&valid_at=${march}`)).toEqual([vienna]);
    expect(await list(`${owner}&valid_at=${february}`)).toEqual([berlin]);
    expect(await list(`${owner}&valid_at=${march}&as_of=${before}`)).toEqual([berlin]);
    expect(await list(`${owner}&valid_at=2025-12-31T00:00:00Z`)).toEqual([]);
    // There is no moment at which both were live.
    const { timestamp } = (await get(vienna)).body;
    expect(await list(`${owner}&as_of=${timestamp}`)).toEqual([vienna]);
    expect(await list(`${owner}&as_of=2099-01-01T00:00:00Z`)).toEqual([vienna]);
    expect(await list(`${owner}&as_of=2026-01-02T00:00:00Z&include_superseded=true`)).toEqual([]);
  });

  it.each(["text", "hybrid", "semantic"])("is unknown to a %s recall before it is written", async (mode) => {
    const find = async (clocks: object) =>
      (await recall({ user_id, query: "Where does Ada live?", mode, min_relevance: 0, ...clocks })).map(
        ({ id, status }) => [id, status],
      );
    expect(await find({})).toEqual([[vienna, "live"]]);
    expect(await find({ as_of: before })).toEqual([[berlin, "live"]]);
    expect(await find({ valid_at: "2026-02-03T00:00:00Z" })).toEqual([[berlin, "superseded"]]);
    expect(await find({ valid_at: "2026-03-01T00:00:00Z", as_of: before })).toEqual([[berlin, "live"]]);
  });

  it("is unknown to a recall without a query, and to a search by filter", async () => {
    expect(await recall({ user_id, as_of: before })).toMatchObject([{ id: berlin, status: "live" }]);
    const { body } = await kioku.call("POST", "/v1/memories/search", { user_id, as_of: before });
    expect(body.data).toMatchObject([{ id: berlin, status: "live", valid_until: null, superseded_by: null }]);
  });

  it("is a 404 by id before it is written, and outside of its validity", async () => {
    const unknown = await get(vienna, `as_of=${before}`);
    expect(unknown.status).toBe(404);
    expect(unknown.body.detail).toContain(`was not known as of ${before}`);
    const invalid = await get(berlin, "valid_at=2026-03-03T00:00:00Z");
    expect(invalid.status).toBe(404);
    expect(invalid.body.detail).toContain(
      "valid from 2026-01-01T00:00:00.000Z until 2026-03-01T00:00:00.000Z",
    );
    expect((await get(berlin, `as_of=${before}`)).body).toMatchObject({
      status: "live",
      superseded_by: null,
      valid_until: null,
      links: [],
    });
    expect((await get(vienna, `as_of=${await mark()}`)).body).toMatchObject({ supersedes: [berlin] });
    expect((await get("none", `as_of=${before}`)).status).toBe(404);
  });

  it("is in the history from the time of the write on", async () => {
    const { body: now } = await kioku.call("GET", `/v1/memories/${berlin}/history`);
    expect(now.data.map(({ id }: { id: string }) => id)).toEqual([berlin, vienna]);
    expect(now.data[0].ended_at > before).toBe(true);
    expect(now.data[1]).toMatchObject({ ended_at: null, versions: [] });
    const { body: then } = await kioku.call("GET", `/v1/memories/${berlin}/history?as_of=${before}`);
    expect(then.data).toMatchObject([{ id: berlin, status: "live", ended_at: null }]);
    const { body: valid } = await kioku.call(
      "GET",
      `/v1/memories/${berlin}/history?valid_at=2026-02-01T00:00:00Z`,
    );
    expect(valid.data).toMatchObject([{ id: berlin }]);
  });

  it("is in the graph from the time of the write on", async () => {
    const texts = `SELECT ?text { ?m jido:concernsUser ?user ; jido:summary ?text
      FILTER (CONTAINS(STR(?user), "${user_id}")) FILTER NOT EXISTS { ?m jido:supersededBy ?by } }`;
    expect(await select(texts)).toEqual(["Ada lives in Vienna, Seilerstrasse 9"]);
    expect(await select(texts, { as_of: before })).toEqual(["Ada lives in Berlin, Gartenweg 3"]);
    expect(await select(texts, { as_of: "2099-01-01T00:00:00Z" })).toEqual(await select(texts));
    const all = `SELECT ?text { ?m jido:concernsUser ?user ; jido:summary ?text FILTER (CONTAINS(STR(?user), "${user_id}")) }`;
    expect(await select(all, { valid_at: "2026-02-03T00:00:00Z" })).toEqual([
      "Ada lives in Berlin, Gartenweg 3",
    ]);
    expect(await select(all, { valid_at: "2026-03-03T00:00:00Z", as_of: before })).toEqual([
      "Ada lives in Berlin, Gartenweg 3",
    ]);
    expect(await select(`SELECT ?o { jido:memory_${berlin} jido:validUntil ?o }`, { as_of: before })).toEqual(
      [],
    );
  });

  it("is unknown to a bound key as well, which sees nothing else", async () => {
    const { body } = await callWith(ADMIN_KEY, "POST", "/v1/keys", {
      tenant: kioku.tenant,
      scopes: ["read"],
      bind: { user_id: freshId("other") },
    });
    const call: Client["call"] = (...request) => callWith(body.key, ...request);
    const other = { ...kioku, key: body.key, call };
    expect((await get(berlin, `as_of=${before}`, other)).status).toBe(404);
    expect(await list(`as_of=${before}`, other)).toEqual([]);
    const query = "PREFIX jido: <https://jido.ai/ontology#> SELECT ?m { ?m jido:summary ?text }";
    const graph = await call("POST", "/v1/sparql", { query, as_of: before });
    expect(graph.body.results.bindings).toEqual([]);
  });
});

describe("a change in place", () => {
  it("is seen from its time on: by id, in lists, filters, recall and history", async () => {
    const project_id = freshId("project");
    const id = await remember({
      project_id,
      type: "coding_standard",
      content: "Names of functions are verbs",
      confidence: 0.6,
      tags: ["draft"],
      metadata: { team: "web" },
      properties: { hasEnforcementLevel: "Advisory" },
    });
    const first = await mark();
    await patch(id, {
      confidence: 0.9,
      tags: ["final"],
      metadata: { team: "core" },
      properties: { hasEnforcementLevel: "Required" },
      valid_until: "2030-01-01T00:00:00Z",
    });
    const second = await mark();
    await patch(id, { importance: 0.9, content: "Names of FUNCTIONS are verbs" });
    const third = await mark();
    const early = { confidence: 0.6, tags: ["draft"], metadata: { team: "web" }, valid_until: null };
    expect((await get(id, `as_of=${first}`)).body).toMatchObject({
      ...early,
      content: "Names of functions are verbs",
      properties: { hasEnforcementLevel: ["Advisory"] },
    });
    expect((await get(id, `as_of=${second}`)).body).toMatchObject({
      confidence: 0.9,
      content: "Names of functions are verbs",
      valid_until: "2030-01-01T00:00:00.000Z",
      properties: { hasEnforcementLevel: ["Required"] },
    });
    expect((await get(id, `as_of=${third}`)).body).toMatchObject({
      importance: 0.9,
      content: "Names of FUNCTIONS are verbs",
    });
    const owner = `project_id=${project_id}`;
    expect(await list(`${owner}&tag=draft&as_of=${first}`)).toEqual([id]);
    expect(await list(`${owner}&tag=draft&as_of=${second}`)).toEqual([]);
    expect(await list(`${owner}&valid_at=2031-01-01T00:00:00Z&as_of=${first}`)).toEqual([id]);
    expect(await list(`${owner}&valid_at=2031-01-01T00:00:00Z`)).toEqual([]);
    const wanted = { project_id, query: "functions", min_confidence: 0.8 };
    expect(await recall({ ...wanted, as_of: first })).toEqual([]);
    expect(await recall({ ...wanted, as_of: second })).toMatchObject([{ id, confidence: 0.9 }]);
    const filter = { "metadata.team": "web" };
    expect(await recall({ project_id, filter, as_of: first })).toMatchObject([{ id, confidence: 0.6 }]);
    expect(await recall({ project_id, filter })).toEqual([]);
    const { body } = await kioku.call("GET", `/v1/memories/${id}/history`);
    const [{ versions, recorded_at }] = body.data;
    expect(versions).toMatchObject([early, { confidence: 0.9, importance: versions[1].importance }]);
    expect(versions[0].recorded_at).toBe(recorded_at);
    expect(versions[1].recorded_at).toBe(versions[0].recorded_until);
    expect(versions[0].recorded_until > first && versions[0].recorded_until < second).toBe(true);
    const { body: past } = await kioku.call("GET", `/v1/memories/${id}/history?as_of=${first}`);
    expect(past.data).toMatchObject([{ ...early, versions: [] }]);
    await kioku.call("POST", "/v1/forget", { memory_id: id });
    expect((await get(id, `as_of=${third}`)).body).toMatchObject({
      status: "live",
      forgotten_at: null,
      valid_until: "2030-01-01T00:00:00.000Z",
    });
    expect(await list(`${owner}&valid_at=2027-01-01T00:00:00Z`)).toEqual([]);
  });

  it("is seen from its time on in the graph, with what follows from it", async () => {
    const project_id = freshId("project");
    const type = "coding_standard";
    const id = await remember({ project_id, type, content: "Tabs are two wide", confidence: 0.6 });
    const other = await remember({ project_id, type, content: "Lines end with LF", confidence: 0.6 });
    const early = await mark();
    await kioku.call("POST", "/v1/links", { from: id, to: other, relation: "related_to" });
    await patch(id, { confidence: 0.9, properties: { violationConsequence: "a long tale ".repeat(40) } });
    const late = await mark();
    const certain = `SELECT ?text { ?m a jido:Convention ; jido:appliesToProject jido:project_${project_id} ;
      jido:summary ?text ; jido:confidenceValue ?c FILTER (?c > 0.8) }`;
    expect(await select(certain, { as_of: early })).toEqual([]);
    expect(await select(certain, { as_of: late })).toEqual(["Tabs are two wide"]);
    const level = `SELECT ?level ?importance { jido:memory_${id} jido:hasConfidence ?level ; jido:importanceScore ?importance }`;
    expect(await select(level, { as_of: early })).toMatchObject([expect.stringContaining("#Medium")]);
    expect(await select(level, { as_of: late })).toMatchObject([expect.stringContaining("#High")]);
    const related = `SELECT ?o { jido:memory_${id} jido:relatedTo ?o }`;
    expect(await select(related, { as_of: early })).toEqual([]);
    expect(await select(related, { as_of: late })).toHaveLength(1);
    // Two patterns of one subject, a path, and an operator that is evaluated in JavaScript.
    const steps = `SELECT ?to { jido:memory_${id} (jido:relatedTo|jido:supports)+ ?to }`;
    expect(await select(steps, { as_of: early })).toEqual([]);
    expect(await select(steps, { as_of: late })).toEqual(await select(steps));
    await patch(id, { properties: { violationConsequence: null } });
    const consequence = `SELECT ?o { jido:memory_${id} jido:violationConsequence ?o }`;
    expect(await select(consequence)).toEqual([]);
    expect(await select(consequence, { as_of: late })).toEqual(["a long tale ".repeat(40)]);
    expect(await select(consequence, { as_of: early })).toEqual([]);
  });

  it("by a repeated remember, a link or a lower source is a version as well", async () => {
    const project_id = freshId("project");
    const content = "The cache lives for an hour";
    const id = await remember({ project_id, content, confidence: 0.6 });
    const stated = await mark();
    await kioku.call("POST", "/v1/remember", { project_id, content, confidence: 0.6 });
    expect(await readVersions(id)).toHaveLength(0);
    await kioku.call("POST", "/v1/remember", { project_id, content, confidence: 0.9, evidence: ["a.md"] });
    const again = await mark();
    const weak = await remember({ project_id, content: "A page says so", source_type: "external_document" });
    await kioku.call("POST", "/v1/links", { from: id, to: weak, relation: "derived_from" });
    const lowered = await mark();
    const episode = await kioku.call("POST", "/v1/episodes", {
      project_id,
      context: { goal: "Measure" },
      outcome: "success",
    });
    const link = { from: id, to: episode.body.id, relation: "derived_from" };
    expect((await kioku.call("POST", "/v1/links", link)).status).toBe(201);
    const linked = await mark();
    const at = async (moment: string) => (await get(id, `as_of=${moment}`)).body;
    expect(await at(stated)).toMatchObject({ confidence: 0.6, evidence: [], source_type: "agent" });
    expect(await at(again)).toMatchObject({ confidence: 0.9, evidence: ["a.md"], source_type: "agent" });
    expect(await at(lowered)).toMatchObject({ evidence: ["a.md"], source_type: "external_document" });
    expect(await at(linked)).toMatchObject({ evidence: ["a.md", episode.body.id] });
    await patch(id, { tags: ["x"] });
    await kioku.call("DELETE", `/v1/episodes/${episode.body.id}`);
    expect(await at(linked)).toMatchObject({ evidence: ["a.md"] });
    expect(JSON.stringify(await readVersions(id))).not.toContain(episode.body.id);
  });

  it("is counted in bytes, and by a plain remember there is none", async () => {
    const id = await remember({ project_id: freshId("project"), content: "A fact that stays" });
    expect(await readVersions(id)).toEqual([]);
    const usage = async () => (await kioku.call("GET", "/v1/usage")).body.bytes;
    const before = await usage();
    await patch(id, { tags: ["one"] });
    const [version] = await readVersions(id);
    expect(await usage()).toBe(before + (version?.state.length ?? 0) + '"one"'.length);
    await kioku.call("DELETE", `/v1/memories/${id}`);
    const { body } = await kioku.call("GET", "/v1/usage");
    expect(body.bytes).toBeLessThan(before);
  });
});

describe("an end", () => {
  const moments = async (id: string, [live, ended]: [string, string]) => {
    const [then, now] = [(await get(id, `as_of=${live}`)).body, (await get(id, `as_of=${ended}`)).body];
    return [then, now].map(({ status, valid_until }) => [status, valid_until]);
  };
  const planned = "2030-01-01T00:00:00.000Z";

  it("by supersession, invalidation or deletion restores the planned end of validity before it", async () => {
    const project_id = freshId("project");
    const ids: string[] = [];
    for (const content of ["The gate opens at six", "The gate opens at seven", "The gate is closed"]) {
      const id = await remember({ project_id, key: content, content });
      await patch(id, { valid_until: planned });
      ids.push(id);
    }
    const [superseded = "", invalidated = "", forgotten = ""] = ids;
    const live = await mark();
    const by = await remember({
      project_id,
      key: "The gate opens at six",
      content: "The gate opens at five",
    });
    const link = { from: by, to: invalidated, relation: "contradicts" };
    await kioku.call("POST", "/v1/links", link);
    const { data } = (await kioku.call("GET", "/v1/contradictions")).body;
    const { status } = await kioku.call("POST", `/v1/contradictions/${data[0].id}/resolve`, {
      action: "invalidate",
      keep: by,
    });
    expect(status).toBe(200);
    await kioku.call("POST", "/v1/forget", { memory_id: forgotten });
    const ended = await mark();
    for (const [id, end] of [
      [superseded, "superseded"],
      [invalidated, "invalidated"],
      [forgotten, "forgotten"],
    ] as const) {
      const { valid_until } = (await get(id)).body;
      expect(valid_until).not.toBe(planned);
      expect(await moments(id, [live, ended])).toEqual([
        ["live", planned],
        [end, valid_until],
      ]);
      // Labels of what has ended change, too.
      await patch(id, { tags: ["old"] });
      expect(await moments(id, [live, ended])).toEqual([
        ["live", planned],
        [end, valid_until],
      ]);
    }
    expect(await list(`project_id=${project_id}&valid_at=2029-01-01T00:00:00Z`)).toEqual([by]);
    const shown = await select("SELECT ?end { ?m jido:validUntil ?end } ORDER BY ?end", { as_of: live });
    expect(shown.filter((end) => end === planned)).toHaveLength(3);
  });

  it("that is not recorded is estimated, and a rebuild leaves those that are known", async () => {
    const project_id = freshId("project");
    const key = "colour";
    const old = await remember({ project_id, key, content: "The door is red" });
    const gone = await remember({ project_id, content: "The door is heavy" });
    const live = await mark();
    await remember({ project_id, key, content: "The door is blue" });
    await kioku.call("POST", "/v1/forget", { memory_id: gone });
    const ended = await mark();
    await patch(old, { tags: ["old"] });
    const show = async () => [
      await list(`project_id=${project_id}&as_of=${live}`),
      await list(`project_id=${project_id}&as_of=${ended}`),
      (await kioku.call("GET", `/v1/memories/${old}/history`)).body,
    ];
    const known = await show();
    expect(known[0]).toEqual([gone, old]);
    expect(known[1]).toHaveLength(1);
    expect((await callWith(ADMIN_KEY, "POST", "/v1/admin/rebuild", { tenant: kioku.tenant })).status).toBe(
      200,
    );
    expect(await show()).toEqual(known);
    await env.DB.prepare("UPDATE memories SET ended_at = NULL WHERE tenant = ?").bind(kioku.tenant).run();
    expect((await show()).slice(0, 2)).toEqual(known.slice(0, 2));
  });
});

it("importance alone makes no version: it decays every week", async () => {
  const id = await remember({ content: "The kettle is blue" });
  await patch(id, { importance: 0.4 });
  expect(await readVersions(id)).toEqual([]);
});

it("a memory has the links of the time", async () => {
  const [from, to] = [await remember({ content: "Ice floats" }), await remember({ content: "Ice is light" })];
  const before = await mark();
  await kioku.call("POST", "/v1/links", { from, to, relation: "supports" });
  for (const [id, direction, other] of [
    [from, "out", to],
    [to, "in", from],
  ] as const) {
    const now = (await get(id, `as_of=${await mark()}`)).body;
    expect(now.links).toEqual([{ relation: "supports", direction, id: other }]);
    const then = (await get(id, `as_of=${before}`)).body;
    expect([then.links, then.properties]).toEqual([[], {}]);
  }
});

describe("an erasure", () => {
  it("removes what only a version says from the session of the memory", async () => {
    const session = freshId("session");
    const secret = "The vault is opened with 4711";
    const { body } = await kioku.call("POST", `/v1/sessions/${session}/remember`, {
      type: "convention",
      content: "Nobody opens the vault",
      properties: { violationConsequence: secret },
    });
    await kioku.call("PUT", `/v1/sessions/${session}/spaces/notes`, { data: { seen: secret } });
    await patch(body.memory_id, { properties: { violationConsequence: null } });
    await kioku.call("DELETE", `/v1/memories/${body.memory_id}`);
    const { body: space } = await kioku.call("GET", `/v1/sessions/${session}/spaces/notes`);
    expect(JSON.stringify(space)).not.toContain("4711");
  });

  it("erases versions, and what they say of erased memories", async () => {
    const project_id = freshId("project");
    const type = "task";
    const gone = await remember({ project_id, type, content: "Write the secret page" });
    const kept = await remember({
      project_id,
      type,
      content: "Write the index",
      properties: { dependsOn: gone },
    });
    const related = await mark();
    await patch(kept, { properties: { dependsOn: null } });
    await patch(gone, { metadata: { note: "unspeakable" } });
    await patch(gone, { metadata: { note: null } });
    expect(JSON.stringify(await readVersions(gone))).toContain("unspeakable");
    expect(JSON.stringify(await readVersions(kept))).toContain(gone);
    await kioku.call("DELETE", `/v1/memories/${gone}`);
    expect(await readVersions(gone)).toEqual([]);
    expect(JSON.stringify(await readVersions(kept))).not.toContain(gone);
    expect((await get(kept, `as_of=${related}`)).body).toMatchObject({
      content: "Write the index",
      properties: {},
    });
    expect((await kioku.call("GET", `/v1/memories/${kept}/history`)).status).toBe(200);
    expect((await get(gone, `as_of=${related}`)).status).toBe(404);
  });

  it("of a resource leaves it in no version", async () => {
    const file = freshId("file");
    const path = `/v1/resources/source_file/${file}`;
    await kioku.call("PUT", path, { project_id: "shop", properties: { filePath: "src/router.ts" } });
    const id = await remember({ content: "Routes are sorted", properties: { appliesToFile: file } });
    const stated = await mark();
    await patch(id, { tags: ["routes"] });
    expect(JSON.stringify(await readVersions(id))).toContain(file);
    expect((await kioku.call("DELETE", path)).status).toBe(200);
    expect(JSON.stringify(await readVersions(id))).not.toContain(file);
    expect((await get(id, `as_of=${stated}`)).body.properties).toEqual({});
    expect((await kioku.call("GET", `/v1/memories/${id}/history`)).status).toBe(200);
  });

  it("of a project, a user or a tenant leaves no version", async () => {
    const other = await newClient(["read", "write", "admin"]);
    const count = async () => {
      const row = await env.DB.prepare("SELECT count(*) AS n FROM memory_versions WHERE tenant = ?")
        .bind(other.tenant)
        .first<{ n: number }>();
      return row?.n;
    };
    for (const owner of [{ project_id: "p1" }, { user_id: "u1" }, { agent_id: "a1" }]) {
      const { body } = await other.call("POST", "/v1/remember", { ...owner, content: "It is erased" });
      await other.call("PATCH", `/v1/memories/${body.memory_id}`, { tags: ["x"] });
    }
    expect(await count()).toBe(3);
    await callWith(ADMIN_KEY, "DELETE", `/v1/tenants/${other.tenant}`);
    expect(await count()).toBe(0);
  });
});

describe("a bad time", () => {
  it.each(["as_of", "valid_at"])("in %s is a 400 that names it", async (name) => {
    const paths = [`/v1/memories?${name}=yesterday`, `/v1/memories/x?${name}=2026-13-01`];
    for (const path of [...paths, `/v1/memories/x/history?${name}=1`, `/v1/sparql?query=ASK{}&${name}=now`]) {
      const { status, body } = await kioku.call("GET", path);
      expect(status, path).toBe(400);
      expect(body.detail).toContain(name);
    }
    for (const path of ["/v1/recall", "/v1/memories/search"]) {
      const { status, body } = await kioku.call("POST", path, { [name]: "2026-03-03" });
      expect(status, path).toBe(400);
      expect(body.detail).toContain(`${name}: must be an ISO 8601 time`);
    }
  });
});
