// What holds for every call of experience: bodies refused by their field, unknown things, other tenants, keys that may
// only read, and keys of idempotency.
import { describe, expect, it } from "vitest";
import { allPages, ids } from "../support/actions";
import { type Client, fresh } from "../support/client";
import { bodyOf, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";
import {
  type Consolidated,
  type Episode,
  episodesOf,
  LEARNED,
  type Learning,
  learn,
  type Pattern,
  patternsOf,
  prime,
  readPattern,
  statePattern,
  tellEpisode,
} from "./experience";

const kioku = serviceUnderTest();

type Fields = Record<string, unknown>;

const GOAL = "Write the letter of resignation";
const NOW = "2026-01-31T12:00:00.000Z";
const RECENT = "2026-01-31T11:00:00.000Z";
const GOOD: [string, Fields][] = [
  ["/v1/episodes", { context: { goal: GOAL }, outcome: "success" }],
  ["/v1/patterns", { pattern: "Letters are short" }],
  ["/v1/learnings", LEARNED],
  ["/v1/consolidate", { project_id: "p" }],
  ["/v1/maintenance", { project_id: "p" }],
  ["/v1/prime", { goal: GOAL }],
];
const LISTS = ["/v1/episodes", "/v1/patterns", "/v1/learnings"];

async function listed(api: Client): Promise<unknown[]> {
  return (await Promise.all(LISTS.map((path) => allPages(api, path)))).flat();
}

describe("a bad body", () => {
  it.each(GOOD)("of %s is refused for a misspelled field", async (path, body) => {
    const api = await kioku.tenant();
    expectProblem(await api.post(path, { ...body, projectid: "p" }), "invalid_request");
    expect(await listed(api)).toEqual([]);
  });

  it.each<[string, string, Fields]>([
    ["consolidate", "project_id", {}],
    ["consolidate", "project_id", { project_id: "a b" }],
    ["consolidate", "since", { project_id: "p", since: "yesterday" }],
    ["consolidate", "now", { project_id: "p", now: 7 }],
    ["consolidate", "dry_run", { project_id: "p", dry_run: "yes" }],
    ["maintenance", "project_id", {}],
    ["maintenance", "project_id", { project_id: null }],
    ["maintenance", "now", { project_id: "p", now: "later" }],
  ])("of %s names %s: %j", async (call, field, body) => {
    expectProblem(await kioku.api.post(`/v1/${call}`, body), "invalid_request", field);
  });

  it.each(GOOD)("of %s that is no object is refused", async (path) => {
    for (const raw of ["", "[]", "7", "{", '"text"'])
      expectProblem(await kioku.api.call("POST", path, { raw }), "invalid_request");
  });
});

describe("somebody else's", () => {
  it.each(["/v1/episodes", "/v1/patterns"])("and nobody's are a 404: %s", async (path) => {
    expectProblem(await kioku.api.get(`${path}/${fresh("nobody")}`), "not_found");
    const body = GOOD.find(([at]) => at === path)?.[1];
    const made = bodyOf(await kioku.api.post<{ id: string }>(path, body), 201);
    bodyOf(await kioku.api.get(`${path}/${made.id}`), 200);
    expectProblem(await (await kioku.tenant()).get(`${path}/${made.id}`), "not_found");
  });

  it("experience is neither listed, prepared, consolidated nor linked to", async () => {
    const [owner, stranger, project_id] = [await kioku.tenant(), await kioku.tenant(), fresh("project")];
    for (const n of [1, 2])
      await tellEpisode(owner, `${GOAL}, draft ${n}`, { project_id, timestamp: RECENT, importance: 0.9 });
    const { id } = await statePattern(owner, "Letters of resignation are short", { project_id });
    await learn(owner, { project_id });
    expect(await listed(stranger)).toEqual([]);
    for (const where of [{ project_id }, {}]) {
      const { relevant_patterns, avoid_these, similar_episodes } = await prime(stranger, GOAL, where);
      expect([...relevant_patterns, ...avoid_these, ...similar_episodes]).toEqual([]);
    }
    const run = await stranger.post<Consolidated>("/v1/consolidate", { project_id, now: NOW });
    expect(bodyOf(run, 200)).toMatchObject({ episodes: 0, created: [] });
    const links = [{ to: id, relation: "supports" }];
    expectProblem(await stranger.post("/v1/patterns", { pattern: "Mine", links }), "not_found");
    expect(await episodesOf(owner, project_id)).toHaveLength(2);
  });

  it("ids may be the same as one's own, and both keep theirs", async () => {
    const [one, two, id] = [await kioku.tenant(), await kioku.tenant(), fresh("same")];
    for (const [api, word] of [
      [one, "one"],
      [two, "two"],
    ] as const) {
      await tellEpisode(api, `Goal of ${word}`, { id });
      await statePattern(api, `Rule of ${word}`, { id });
    }
    for (const [api, word] of [
      [one, "one"],
      [two, "two"],
    ] as const) {
      const episode = bodyOf(await api.get<Episode>(`/v1/episodes/${id}`), 200);
      expect(episode.context.goal).toBe(`Goal of ${word}`);
      expect((await readPattern(api, id)).pattern).toBe(`Rule of ${word}`);
    }
  });
});

describe("a key that may only read", () => {
  it("primes and lists, and changes nothing", async () => {
    const name = fresh("tenant");
    const [writer, reader] = [await kioku.tenant({ name }), await kioku.tenant({ name, scopes: ["read"] })];
    const { id } = await statePattern(writer, "Letters of resignation are short");
    const episode = await tellEpisode(writer, GOAL);
    const { relevant_patterns } = await prime(reader, GOAL);
    expect(ids(relevant_patterns)).toContain(id);
    for (const path of [...LISTS, `/v1/patterns/${id}`, `/v1/episodes/${episode.id}`])
      bodyOf(await reader.get(path), 200);
    for (const [path, body] of GOOD.filter(([at]) => at !== "/v1/prime"))
      expectProblem(await reader.post(path, body), "forbidden");
    expect(ids(await patternsOf(writer))).toEqual([id]);
  });
});

describe("the same Idempotency-Key", () => {
  const key = () => ({ "idempotency-key": fresh("key") });

  it("tells an episode once", async () => {
    const [once, project_id] = [key(), fresh("project")];
    const body = { context: { goal: GOAL }, outcome: "success", project_id };
    const first = bodyOf(await kioku.api.post<Episode>("/v1/episodes", body, once), 201);
    expect(bodyOf(await kioku.api.post<Episode>("/v1/episodes", body, once), 201)).toEqual(first);
    expectProblem(await kioku.api.post("/v1/episodes", { ...body, outcome: "failure" }, once), "conflict");
    expect(ids(await episodesOf(kioku.api, project_id))).toEqual([first.id]);
  });

  it("tells an episode once to callers at once", async () => {
    const [once, project_id] = [key(), fresh("project")];
    const body = { context: { goal: GOAL }, outcome: "success", project_id };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => kioku.api.post<Episode>("/v1/episodes", body, once)),
    );
    expect(new Set(answers.map((answer) => bodyOf(answer, 201).id)).size).toBe(1);
    expect(await episodesOf(kioku.api, project_id)).toHaveLength(1);
  });

  it("states a pattern once, and answers 201 again", async () => {
    const [once, project_id] = [key(), fresh("project")];
    const body = { pattern: "Said once", project_id };
    const first = bodyOf(await kioku.api.post<Pattern>("/v1/patterns", body, once), 201);
    expect(bodyOf(await kioku.api.post<Pattern>("/v1/patterns", body, once), 201)).toEqual(first);
  });

  it("counts an occurrence once", async () => {
    const [api, once] = [await kioku.tenant(), key()];
    const first = bodyOf(await api.post<Learning>("/v1/learnings", LEARNED, once), 201);
    expect(bodyOf(await api.post<Learning>("/v1/learnings", LEARNED, once), 201)).toEqual(first);
    expect(await allPages<Learning>(api, "/v1/learnings")).toMatchObject([{ id: first.id, occurrences: 1 }]);
  });

  it("gives a consolidation's report again", async () => {
    const [api, once, project_id] = [await kioku.tenant(), key(), fresh("project")];
    for (const n of [1, 2]) await tellEpisode(api, `${GOAL}, draft ${n}`, { project_id, timestamp: RECENT });
    const body = { project_id, now: NOW };
    const first = bodyOf(await api.post<Consolidated>("/v1/consolidate", body, once), 200);
    expect(first.created).toHaveLength(1);
    expect(bodyOf(await api.post<Consolidated>("/v1/consolidate", body, once), 200)).toEqual(first);
  });
});
