// Episodes: found by recall like memories, in whatever index they are, and gone without a trace when they are erased.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { nearestIn } from "../indexing/support";
import { ADMIN_KEY, callWith, freshId, untilIndexed } from "../support";
import { daysAgo, ids, newExperience, type Tenant } from "./support";

const LONG = 128;
const longId = () => freshId("ep").padEnd(LONG, "x");
const GOAL = "Repair the zebra crossing of the harbour";

/** How many rows of a tenant name an id anywhere. */
async function traces(tenant: string, id: string): Promise<number> {
  const count = async (table: string, columns: string) => {
    const { results } = await env.DB.prepare(
      `SELECT count(*) AS n FROM ${table} WHERE tenant = ? AND instr(${columns}, ?) > 0`,
    )
      .bind(tenant, id)
      .all<{ n: number }>();
    return results[0]?.n ?? 0;
  };
  const counts = await Promise.all([
    count("triples", "subject || ' ' || object"),
    count("memories", "evidence || ' ' || properties || ' ' || content"),
    count("episodes", "id"),
    count("operations", "response"),
  ]);
  return counts.reduce((sum, n) => sum + n, 0);
}

/** What a project's object keeps of texts. */
function vectorsKept({ tenant, project_id }: Tenant): Promise<number> {
  return runInDurableObject(env.PROJECTS.getByName(`${tenant}/${project_id}`), (_instance, { storage }) => {
    const tables = storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'vectors'").toArray();
    if (tables.length === 0) return 0;
    return storage.sql.exec<{ n: number }>("SELECT count(*) AS n FROM vectors").one().n;
  });
}

const erase = (home: Tenant, id: string) => home.call("DELETE", `/v1/episodes/${id}`);

describe("an episode that is erased", () => {
  it.each([
    ["a short id", () => freshId("ep")],
    ["the longest id", longId],
  ])("leaves nothing of itself behind (%s)", async (_, newId) => {
    const home = await newExperience();
    const [id, other] = [newId(), newId()];
    await home.tell(GOAL, { id, errors_encountered: [{ type: "Paint shortage" }] });
    await home.tell(GOAL, { id: other });
    const { created } = await home.consolidate();
    const stated = await home.state("Crossings are repaired at night", { source_episodes: [id, other] });
    const learning = await home.learn({ evidence: [id] });
    await home.link(stated.id, "example_of", id);
    await home.link(id, "contradicts", other);
    const key = { "Idempotency-Key": freshId("key") };
    await home.call("POST", "/v1/prime", { goal: GOAL, project_id: home.project_id }, key);
    await untilIndexed(home.tenant);
    const own = await env.DB.prepare("SELECT count(*) AS n FROM triples WHERE tenant = ? AND subject = ?")
      .bind(home.tenant, `jido:evidence_${id}`)
      .first<number>("n");
    const { status, body } = await erase(home, id);
    expect(status).toBe(200);
    // Four memories rest on it, and one is an example of it.
    expect(body.deleted).toEqual({ episodes: 1, vectors: 1, links: 5, triples: own });
    expect(await traces(home.tenant, id)).toBe(0);
    const { episodes_words: words } = await home.readModel();
    expect(JSON.stringify(words)).not.toContain("paint");
    const left = await nearestIn(home.tenant, GOAL, "episode");
    expect(left).toHaveLength(1);
    expect((await home.pattern(created[0])).source_episodes).toEqual([other]);
    expect((await home.pattern(stated.id)).source_episodes).toEqual([other]);
    const { body: lessons } = await home.call("GET", "/v1/learnings");
    expect(lessons.data).toMatchObject([{ id: learning.id, evidence: [] }]);
    expect((await home.call("GET", `/v1/episodes/${id}`)).status).toBe(404);
    expect((await erase(home, id)).status).toBe(404);
    await home.expectRebuilt();
  });

  it("leaves no vector with its project", async () => {
    const home = await newExperience();
    const id = await home.tell(GOAL);
    await home.consolidate();
    expect(await vectorsKept(home)).toBe(1);
    await erase(home, id);
    expect(await vectorsKept(home)).toBe(0);
  });

  it("has no vector to erase before it is indexed", async () => {
    const home = await newExperience();
    const id = await home.tell(GOAL);
    await env.DB.prepare("DELETE FROM vector_queue WHERE tenant = ?").bind(home.tenant).run();
    expect((await erase(home, id)).body.deleted).toMatchObject({ episodes: 1, links: 0 });
    expect(await nearestIn(home.tenant, GOAL, "episode")).toEqual([]);
  });

  it("does not touch evidence of its name that is not its own", async () => {
    const [home, neighbour] = [await newExperience(), await newExperience()];
    const id = longId();
    for (const each of [home, neighbour])
      await each.state("Crossings are repaired at night", { source_episodes: [id] });
    expect((await erase(home, id)).status).toBe(404);
    expect((await home.patterns())[0].source_episodes).toEqual([id]);
    await home.tell(GOAL, { id });
    await neighbour.tell(GOAL, { id });
    const before = await neighbour.readModel();
    expect((await erase(home, id)).status).toBe(200);
    expect(await neighbour.readModel()).toEqual(before);
    expect((await neighbour.patterns())[0].source_episodes).toEqual([id]);
  });

  it("may be told again under its id, as if it had never been", async () => {
    const home = await newExperience();
    const id = await home.tell(GOAL, { id: freshId("ep") });
    await home.prime(GOAL);
    await erase(home, id);
    expect(await home.tell("Paint the lighthouse", { id })).toBe(id);
    expect(await home.episode(id)).toMatchObject({
      usage_count: 0,
      context: { goal: "Paint the lighthouse" },
    });
  });
});

describe("recall of episodes", () => {
  const WORDS = { query: "zebra crossing", mode: "text" };
  const MEANING = { query: "mend the pedestrian crossing at the port", mode: "semantic" };

  async function told() {
    const home = await newExperience();
    const agent_id = freshId("agent");
    const id = await home.tell(GOAL, { id: longId(), agent: agent_id });
    await home.tell("Translate the novel into Finnish", { project_id: freshId("project"), agent: "other" });
    const { project_id } = home;
    const scopes = {
      project: { project_id },
      agent: { agent_id, project_id: undefined },
      tenant: { scope: "tenant" },
    };
    const find = (scope: keyof typeof scopes, body: object) =>
      home.recall({ sources: ["episodes"], ...scopes[scope], ...body });
    return { home, id, find };
  }

  it.each([
    "project",
    "agent",
    "tenant",
  ] as const)("finds them by words and by meaning, at once and once indexed (%s)", async (scope) => {
    const { home, id, find } = await told();
    for (const indexed of [false, true]) {
      if (indexed) await untilIndexed(home.tenant);
      for (const query of [WORDS, MEANING, { query: GOAL }]) {
        const [first] = await find(scope, query);
        expect(first, JSON.stringify([indexed, query])).toMatchObject({ id, kind: "episode", content: GOAL });
      }
    }
  });

  it("finds none where there is none: in a session, in another project, of another tenant", async () => {
    const { home } = await told();
    const stranger = await newExperience();
    const sources = ["episodes"];
    expect(await home.recall({ ...WORDS, sources, project_id: freshId("project") })).toEqual([]);
    expect(await home.recall({ ...WORDS, sources, project_id: undefined, agent_id: "nobody" })).toEqual([]);
    expect(await stranger.recall({ ...WORDS, sources, scope: "tenant" })).toEqual([]);
    const session_id = freshId("session");
    await home.call("POST", "/v1/sessions", { id: session_id });
    const { body } = await home.call("POST", `/v1/sessions/${session_id}/recall`, { ...WORDS, sources });
    expect(body.count).toBe(0);
  });

  it("finds none that was archived, unless it is asked for what no longer holds", async () => {
    const { home, id, find } = await told();
    await untilIndexed(home.tenant);
    expect(await home.maintain(daysAgo(-60))).toMatchObject({ archived: 1, ids: { archived: [id] } });
    const everything = async () => {
      for (const query of [WORDS, MEANING]) expect(ids(await find("project", query))).toEqual([]);
    };
    await everything();
    await untilIndexed(home.tenant);
    await everything();
    expect(await home.episode(id)).toMatchObject({ archived: true });
    expect(ids(await find("project", { ...WORDS, include_superseded: true }))).toEqual([id]);
  });

  it("finds them beside memories and messages, each once", async () => {
    const { home, id } = await told();
    const { id: pattern } = await home.state("A zebra crossing is repaired at night");
    const found = await home.recall({
      query: "zebra crossing",
      sources: ["memories", "episodes", "messages"],
    });
    expect(ids(found).toSorted()).toEqual([id, pattern].toSorted());
  });

  it("finds them again once everything was embedded anew", async () => {
    const { home, id, find } = await told();
    await untilIndexed(home.tenant);
    const before = await nearestIn(home.tenant, GOAL, "episode");
    await env.DB.prepare("UPDATE vector_state SET embedder = 'another'").run();
    expect(await nearestIn(home.tenant, GOAL, "episode")).toEqual(before);
    for (let finished = false; !finished; ) {
      const { status, body } = await callWith(ADMIN_KEY, "POST", "/v1/admin/reembed", {});
      expect(status).toBe(200);
      finished = body.finished;
    }
    await untilIndexed(home.tenant);
    expect(await nearestIn(home.tenant, GOAL, "episode")).toEqual(before);
    expect(ids(await find("project", MEANING))).toContain(id);
  });
});

describe("the longest id", () => {
  it("is referred to, kept while it is, and archived once it is not", async () => {
    const home = await newExperience();
    const [id, lonely] = [longId(), longId()];
    const old = { timestamp: daysAgo(90) };
    await home.tell(GOAL, { id, ...old });
    await home.tell("Translate the novel into Finnish", { id: lonely, ...old });
    const pattern = await home.state("Crossings are repaired at night", { source_episodes: [id] });
    expect(await home.maintain()).toMatchObject({ archived: 1, ids: { archived: [lonely] } });
    await home.call("DELETE", `/v1/memories/${pattern.id}`);
    expect(await home.maintain()).toMatchObject({ archived: 1, ids: { archived: [id] } });
    expect(await home.episode(id)).toMatchObject({ archived: true });
    await home.expectRebuilt();
  });
});
