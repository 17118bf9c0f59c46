// recall: what is found, how it is filtered and bounded, and that no query is syntax.
import { describe, expect, it, vi } from "vitest";
import {
  contents,
  forget,
  ids,
  memoriesOf,
  newSession,
  quietSession,
  readMemory,
  recall,
  recallSaid,
  remember,
  say,
} from "../support/actions";
import { fresh, inBatches, sleep } from "../support/client";
import type { Promotion } from "../support/contract";
import { bodyOf, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";

const kioku = serviceUnderTest();

function recallAt(session: string, body: unknown) {
  return kioku.api.post(`/v1/sessions/${session}/recall`, body);
}

async function stocked(...memories: [content: string, more?: Record<string, unknown>][]): Promise<string> {
  const session = (await newSession(kioku.api)).id;
  for (const [content, more] of memories) await remember(kioku.api, session, content, more);
  return session;
}

describe("recall", () => {
  it("finds a memory as soon as remember has answered, every time", async () => {
    const session = (await newSession(kioku.api)).id;
    for (let n = 0; n < 20; n += 1) {
      const { memory_id } = await remember(kioku.api, session, `The marker quokka${n} stands here`);
      const query = `quokka${n}`;
      expect(ids(await recall(kioku.api, session, { query, mode: "text" }))).toEqual([memory_id]);
      expect(ids(await recall(kioku.api, session, { query }))[0]).toBe(memory_id);
    }
  });

  it("shows every field of a hit", async () => {
    const { id: session } = await newSession(kioku.api, { agent_id: "scribe", project_id: "atlas" });
    const { memory_id } = await remember(kioku.api, session, "Zephyr is the staging cluster", {
      rationale: "Seen",
      confidence: 0.83,
    });
    const [hit] = await recall(kioku.api, session, { query: "zephyr" });
    expect(hit).toMatchObject({
      ...{
        id: memory_id,
        kind: "memory",
        content: "Zephyr is the staging cluster",
        type: "fact",
        confidence: 0.83,
      },
      ...{
        session_id: session,
        agent_id: "scribe",
        project_id: "atlas",
        source_type: "agent",
        rationale: "Seen",
      },
      ...{
        score: expect.any(Number),
        signals: expect.any(Object),
        superseded_by: null,
        access_count: expect.any(Number),
      },
    });
    expect(hit?.timestamp).toBe((await readMemory(kioku.api, memory_id)).timestamp);
  });

  it("finds words in any case and in another form", async () => {
    const session = await stocked(
      ["The deployment pipelines were migrated to Kubernetes"],
      ["Cats sleep a lot"],
    );
    for (const query of [
      "KUBERNETES",
      "pipeline",
      "deployments",
      "migrate",
      "where did we migrate the pipeline?",
    ]) {
      expect(contents(await recall(kioku.api, session, { query })), query).toEqual([
        "The deployment pipelines were migrated to Kubernetes",
      ]);
    }
  });

  it("ranks the better match first, by score", async () => {
    const session = await stocked(
      ["Redis caches pages"],
      ["Redis caches user sessions in Frankfurt"],
      ["Postgres stores orders"],
    );
    const hits = await recall(kioku.api, session, { query: "redis sessions frankfurt" });
    expect(hits[0]?.content).toBe("Redis caches user sessions in Frankfurt");
    const scores = hits.map((hit) => hit.score);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
  });

  it("is empty, and no error, when nothing matches", async () => {
    const session = await stocked(["Redis caches pages"]);
    expect(bodyOf(await recallAt(session, { query: "xylophone" }), 200)).toEqual({
      count: 0,
      confidence: "none",
      memories: [],
    });
    expect(await recall(kioku.api, (await newSession(kioku.api)).id)).toEqual([]);
  });

  it("without a query gives what there is", async () => {
    const session = await stocked(["One"], ["Two"], ["Three"]);
    expect(contents(await recall(kioku.api, session)).sort()).toEqual(["One", "Three", "Two"]);
    bodyOf(await kioku.api.post(`/v1/sessions/${session}/recall`), 200);
  });

  it.each(["text", "semantic", "hybrid"])("answers in the mode %s, and each hit says so", async (mode) => {
    const session = await stocked(["Redis caches pages"]);
    const hits = await recall(kioku.api, session, { query: "redis", mode });
    expect(hits.map((hit) => hit.signals.mode)).toEqual([mode]);
  });

  it("keeps sessions apart", async () => {
    const [one, two] = [await stocked(["Only in one"]), await stocked(["Only in two"])];
    expect(contents(await recall(kioku.api, one))).toEqual(["Only in one"]);
    expect(contents(await recall(kioku.api, two, { query: "only in one" }))).toEqual(["Only in two"]);
  });
});

describe("filters", () => {
  const typed: [string, Record<string, unknown>][] = [
    "fact",
    "decision",
    "architectural_decision",
    "coding_standard",
    "bug",
  ].map((type) => [`A ${type} about tea`, { type, rationale: "r" }]);

  it.each([
    ["fact", ["A fact about tea"]],
    ["decision", ["A architectural_decision about tea", "A decision about tea"]],
    ["architectural_decision", ["A architectural_decision about tea"]],
    ["convention", ["A coding_standard about tea"]],
    ["error", ["A bug about tea"]],
    ["risk", []],
  ])("by type: %s finds its subclasses too", async (type, expected) => {
    const session = await stocked(...typed);
    expect(contents(await recall(kioku.api, session, { type })).sort()).toEqual(expected);
    expect(contents(await recall(kioku.api, session, { type, query: "tea" })).sort()).toEqual(expected);
  });

  it("by type: all finds every type, as no type does", async () => {
    const session = await stocked(...typed);
    expect(await recall(kioku.api, session, { type: "all" })).toHaveLength(typed.length);
    expect(await recall(kioku.api, session)).toHaveLength(typed.length);
  });

  it("by confidence: 0.5 unless told, and exact", async () => {
    const session = await stocked(
      ["Sure", { confidence: 0.83 }],
      ["Half sure", { confidence: 0.5 }],
      ["Unsure", { confidence: 0.49 }],
    );
    const found = async (min_confidence?: number) =>
      contents(
        await recall(kioku.api, session, min_confidence === undefined ? {} : { min_confidence }),
      ).sort();
    expect(await found()).toEqual(["Half sure", "Sure"]);
    expect(await found(0)).toEqual(["Half sure", "Sure", "Unsure"]);
    expect(await found(0.83)).toEqual(["Sure"]);
    expect(await found(0.84)).toEqual([]);
  });

  it("by time: since and until read the timestamp, not valid_from", async () => {
    const session = await stocked(["Earlier", { valid_from: "2030-01-01T00:00:00Z" }]);
    await sleep(30);
    const between = new Date().toISOString();
    await sleep(30);
    await remember(kioku.api, session, "Later", { valid_from: "2020-01-01T00:00:00Z" });
    expect(contents(await recall(kioku.api, session, { since: between }))).toEqual(["Later"]);
    expect(contents(await recall(kioku.api, session, { until: between }))).toEqual(["Earlier"]);
    expect(await recall(kioku.api, session, { since: "2020-01-01T00:00:00+02:00" })).toHaveLength(2);
    expect(await recall(kioku.api, session, { since: between, until: between })).toEqual([]);
  });

  it("by supersession: forgotten ones only when asked for", async () => {
    const session = await stocked(["Port 9090 is open"]);
    const old = await remember(kioku.api, session, "Port 8080 is open");
    await forget(kioku.api, session, old.memory_id);
    expect(contents(await recall(kioku.api, session, { query: "port" }))).toEqual(["Port 9090 is open"]);
    const all = await recall(kioku.api, session, { query: "port", include_superseded: true });
    expect(contents(all).sort()).toEqual(["Port 8080 is open", "Port 9090 is open"]);
  });

  it.each([
    ["limit", { limit: 0 }],
    ["limit", { limit: 51 }],
    ["limit", { limit: 1.5 }],
    ["limit", { limit: "ten" }],
    ["min_confidence", { min_confidence: 1.1 }],
    ["min_confidence", { min_confidence: -0.1 }],
    ["type", { type: "poem" }],
    ["mode", { mode: "psychic" }],
    ["scope", { scope: "galaxy" }],
    ["since", { since: "yesterday" }],
    ["until", { until: "2026-13-45T00:00:00Z" }],
    ["sources", { sources: ["rumours"] }],
    ["include_superseded", { include_superseded: "maybe" }],
    ["query", { query: "x".repeat(1_001) }],
    ["query", { query: 7 }],
  ])("refuse a bad %s: %j", async (field, body) => {
    const session = await stocked(["Tea"]);
    expectProblem(await recallAt(session, body), "invalid_request", field);
  });
});

describe("limit", () => {
  it("is 10 unless told, and 1 to 50", async () => {
    const session = (await newSession(kioku.api)).id;
    const numbers = Array.from({ length: 55 }, (_, n) => n);
    await inBatches(numbers, 11, (n) => remember(kioku.api, session, `Tea number ${n}`));
    for (const query of [{}, { query: "tea" }]) {
      expect(await recall(kioku.api, session, query)).toHaveLength(10);
      for (const limit of [1, 3, 50])
        expect(await recall(kioku.api, session, { ...query, limit })).toHaveLength(limit);
    }
  });
});

describe("an access", () => {
  it("is recorded for every memory returned, and for no other", async () => {
    const session = await stocked(["Redis caches pages"], ["Cats sleep a lot"]);
    const counts = async () =>
      Object.fromEntries(
        (await memoriesOf(kioku.api, session)).map((memory) => [memory.content, memory.access_count]),
      );
    expect(await counts()).toEqual({ "Redis caches pages": 0, "Cats sleep a lot": 0 });
    for (let n = 0; n < 3; n += 1) await recall(kioku.api, session, { query: "redis" });
    await vi.waitFor(
      async () => expect(await counts()).toEqual({ "Redis caches pages": 3, "Cats sleep a lot": 0 }),
      { interval: 100 },
    );
    const [hit] = await recall(kioku.api, session, { query: "redis" });
    expect((await readMemory(kioku.api, hit?.id ?? fresh("none"))).last_accessed).toEqual(expect.any(String));
  });

  it("raises the importance of a memory that is not yet of the highest", async () => {
    const { id } = await quietSession(kioku.api);
    const pending = { content: "Redis caches pages", memory_type: "fact", importance_score: 0.6 };
    bodyOf(await kioku.api.post(`/v1/sessions/${id}/pending`, pending), 201);
    const { promoted } = bodyOf(await kioku.api.post<Promotion>(`/v1/sessions/${id}/promote`), 200);
    const memory = promoted[0]?.memory_id ?? fresh("none");
    expect((await readMemory(kioku.api, memory)).importance).toBe(0.6);
    const [first] = await recall(kioku.api, id, { query: "redis" });
    expect(first?.signals).toMatchObject({ importance: 0.6, access: 0 });
    await vi.waitFor(async () => expect((await readMemory(kioku.api, memory)).importance).toBe(0.62), {
      interval: 100,
    });
  });
});

describe("a part of a word", () => {
  it.each([
    ["phoen", "The project uses Phoenix 1.7"],
    ["userbyid", "Call getUserById before the update"],
    ["user_by_id", "Call getUserById before the update"],
    ["userById", "Call get_user_by_id before the update"],
    ["Datenbank", "Die Datenbankverbindung läuft über PgBouncer"],
  ])("finds: %j", async (query, content) => {
    const session = await stocked(
      [content],
      ["Invoices are sent on Fridays"],
      ["Ada is allergic to walnuts"],
    );
    for (const mode of ["text", "hybrid"])
      expect(contents(await recall(kioku.api, session, { query, mode }))[0], mode).toBe(content);
  });

  it("finds messages, too", async () => {
    const { id } = await newSession(kioku.api);
    await say(kioku.api, id, [{ role: "user", content: "Please call getUserById first" }]);
    expect(contents(await recallSaid(kioku.api, id, { query: "userbyid" }))).toEqual([
      "Please call getUserById first",
    ]);
  });
});

describe("a query about something unknown", () => {
  it.each(["k8s", "encryption", "asdfgh"])("has no hits: %j", async (query) => {
    const session = await stocked(
      ["The project uses Phoenix 1.7"],
      ["User prefers tabs over spaces"],
      ["Use ExUnit for tests"],
      ["Yes"],
      ["Ada is allergic to walnuts"],
    );
    for (const mode of ["text", "hybrid"])
      expect(await recall(kioku.api, session, { query, mode }), mode).toEqual([]);
    expect(contents(await recall(kioku.api, session, { query: "What must Ada not eat?" }))).toEqual([
      "Ada is allergic to walnuts",
    ]);
  });
});
