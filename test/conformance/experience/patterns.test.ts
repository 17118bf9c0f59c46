// Patterns and anti-patterns: what holds in general, where it comes from, and what it is linked with.
import { describe, expect, it } from "vitest";
import { allPages, ids, readMemory } from "../support/actions";
import { fresh } from "../support/client";
import { ISO_MS, JIDO, type Page, type Recalled, type Triple } from "../support/contract";
import { bodyOf, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";
import {
  antiPatternsOf,
  type Link,
  type Pattern,
  patternsOf,
  readPattern,
  statePattern,
  tellEpisode,
} from "./experience";

const kioku = serviceUnderTest();

type Fields = Record<string, unknown>;

const RULE = "Express route handlers require explicit return types in strict mode";

describe("a pattern", () => {
  it("is kept with everything that was said of it", async () => {
    const api = await kioku.tenant();
    const one = await tellEpisode(api, "Implement the todos endpoint");
    const two = await tellEpisode(api, "Implement the users endpoint");
    const said = {
      project_id: fresh("project"),
      pattern: RULE,
      category: "typescript",
      conditions: ["Using TypeScript strict mode", "Handler returns nothing"],
      correct_approach: "Add `: void` to the handler's signature",
      incorrect_approach: "Omitting the return type",
      confidence: 0.95,
      importance: 0.7,
      source_episodes: [one.id, two.id],
    };
    const answer = bodyOf(await api.post<Pattern>("/v1/patterns", said), 201);
    expect(answer).toMatchObject(said);
    expect(answer).toMatchObject({ status: "live", usage_count: 0, last_used: null, superseded_by: null });
    expect(answer.created_at).toMatch(ISO_MS);
    expect(await readPattern(api, answer.id)).toEqual(answer);
    expect(await patternsOf(api)).toEqual([answer]);
  });

  it("has defaults for everything but what it says", async () => {
    expect(await statePattern(kioku.api, fresh("Say little: "))).toMatchObject({
      ...{ project_id: null, conditions: [], correct_approach: null, incorrect_approach: null },
      ...{ confidence: 0.8, source_episodes: [], links: [], name: null },
    });
  });

  it.each([
    [0.79, "hypothesis"],
    [0.8, "discovery"],
    ["low", "hypothesis"],
    ["high", "discovery"],
  ])("of a confidence of %s is a %s", async (confidence, memory_type) => {
    expect(await statePattern(kioku.api, fresh("Sure or not: "), { confidence })).toMatchObject({
      memory_type,
    });
  });

  it("is a memory: found by recall, and derived from its episodes in the graph", async () => {
    const project_id = fresh("project");
    const { id: source } = await tellEpisode(kioku.api, "Implement the todos endpoint", { project_id });
    const { id } = await statePattern(kioku.api, RULE, { project_id, source_episodes: [source] });
    expect(await readMemory(kioku.api, id)).toMatchObject({ id, type: "discovery", project_id });
    const body = { project_id, query: "return types of handlers" };
    expect(ids(bodyOf(await kioku.api.post<Recalled>("/v1/recall", body), 200).memories)).toContain(id);
    const triples = bodyOf(await kioku.api.get<{ data: Triple[] }>(`/v1/memories/${id}/triples`), 200).data;
    const sources = triples.filter(({ predicate }) => predicate === `${JIDO}derivedFrom`);
    expect(sources).toHaveLength(1);
    expect(JSON.stringify(sources[0]?.object)).toContain(source);
  });

  it("is found by the name it was given, and another under that name takes its place", async () => {
    const name = fresh("sem");
    const first = await statePattern(kioku.api, "Retry twice", { id: name });
    expect(first.name).toBe(name);
    expect(await readPattern(kioku.api, name)).toEqual(first);
    const second = await statePattern(kioku.api, "Retry three times, with a pause", { id: name });
    expect(second.id).not.toBe(first.id);
    expect(await readPattern(kioku.api, name)).toEqual(second);
    expect(await readPattern(kioku.api, first.id)).toMatchObject({
      status: "superseded",
      superseded_by: second.id,
    });
  });

  it("keeps its name when it is superseded, so that whatever superseded it may be said again", async () => {
    const [old, name] = [fresh("sem"), fresh("sem")];
    const { id } = await statePattern(kioku.api, fresh("Return types may be omitted: "), { id: old });
    const body = {
      id: name,
      pattern: fresh("Return types are explicit: "),
      links: [{ to: old, relation: "supersedes" }],
    };
    const first = bodyOf(await kioku.api.post<Pattern>("/v1/patterns", body), 201);
    expect(await readPattern(kioku.api, old)).toMatchObject({ id, status: "superseded" });
    expect(bodyOf(await kioku.api.post<Pattern>("/v1/patterns", body), 200)).toMatchObject({
      id: first.id,
      links: [{ to: id, name: old, relation: "supersedes" }],
    });
  });

  it("leads by a name to the pattern of its own project", async () => {
    const name = fresh("sem");
    const [one, two] = [fresh("project"), fresh("project")];
    const own = await statePattern(kioku.api, "Retry twice", { id: name, project_id: one });
    await statePattern(kioku.api, "Retry twice", { id: name, project_id: two });
    const links = [{ to: name, relation: "elaborates" }];
    const linked = await statePattern(kioku.api, "Pause between retries", { project_id: one, links });
    expect(linked.links).toMatchObject([{ to: own.id }]);
  });

  it("said twice is one", async () => {
    const project_id = fresh("project");
    const first = await statePattern(kioku.api, RULE, { project_id });
    const again = await kioku.api.post<Pattern>("/v1/patterns", { pattern: RULE, project_id });
    expect(bodyOf(again, 200).id).toBe(first.id);
  });

  it.each<[string, Fields]>([
    ["pattern", {}],
    ["pattern", { pattern: " " }],
    ["pattern", { pattern: 7 }],
    ["id", { pattern: "a", id: "a b" }],
    ["project_id", { pattern: "a", project_id: "a b" }],
    ["category", { pattern: "a", category: 7 }],
    ["conditions", { pattern: "a", conditions: "always" }],
    ["confidence", { pattern: "a", confidence: "certain" }],
    ["importance", { pattern: "a", importance: 2 }],
    ["source_episodes", { pattern: "a", source_episodes: "ep-1" }],
    ["relation", { pattern: "a", links: [{ to: "b", relation: "resembles" }] }],
    ["what_fails", { pattern: "a", what_fails: "b" }],
    ["what_fails", { category: "anti-pattern" }],
  ])("is refused by the field %s: %j", async (field, body) => {
    const api = await kioku.tenant();
    expectProblem(await api.post("/v1/patterns", body), "invalid_request", field);
    expect(await patternsOf(api)).toEqual([]);
  });
});

describe("an anti-pattern", () => {
  it("says what fails, why, and how to prevent it", async () => {
    const api = await kioku.tenant();
    const said = {
      category: "anti-pattern",
      what_fails: "Deploying on Friday evening",
      why: "Nobody watches the rollout",
      prevention: "Deploy before noon",
    };
    const anti = bodyOf(await api.post<Pattern>("/v1/patterns", said), 201);
    expect(anti).toMatchObject(said);
    expect(anti.pattern).toMatch(/\S/);
    expect(await readPattern(api, anti.id)).toEqual(anti);
    expect(await antiPatternsOf(api)).toEqual([anti]);
  });

  it("is listed apart from the other categories", async () => {
    const api = await kioku.tenant();
    const anti = { category: "anti-pattern", what_fails: "Guessing" };
    const { id } = bodyOf(await api.post<Pattern>("/v1/patterns", anti), 201);
    const typed = await statePattern(api, RULE, { category: "typescript" });
    const other = await statePattern(api, "Small commits are reviewed sooner", { category: "process" });
    expect(ids(await antiPatternsOf(api))).toEqual([id]);
    expect(ids(await patternsOf(api, "?category=typescript"))).toEqual([typed.id]);
    expect(await patternsOf(api, "?category=poetry")).toEqual([]);
    expect(ids(await patternsOf(api))).toEqual(expect.arrayContaining([typed.id, other.id]));
  });
});

describe("the list of patterns", () => {
  it("gives every one once, in the same order, page by page", async () => {
    const api = await kioku.tenant();
    for (let n = 0; n < 5; n += 1) await statePattern(api, `Rule number ${n}`);
    const whole = bodyOf(await api.get<Page<Pattern>>("/v1/patterns"), 200);
    expect(whole.data).toHaveLength(5);
    for (const limit of [1, 2])
      expect(await allPages<Pattern>(api, "/v1/patterns", limit)).toEqual(whole.data);
    for (const query of ["limit=0", "limit=101"])
      expectProblem(await api.get(`/v1/patterns?${query}`), "invalid_request", "limit");
    expectProblem(await api.get("/v1/patterns?cursor=nonsense"), "invalid_request", "cursor");
  });
});

describe("links", () => {
  const linksOf = (id: string) => allPages<Link>(kioku.api, `/v1/links?of=${id}`);

  it("given with a pattern are found from both ends", async () => {
    const general = await statePattern(kioku.api, fresh("Handle errors: "));
    const links = [{ to: general.id, relation: "elaborates", strength: 0.4 }];
    const special = await statePattern(kioku.api, fresh("Handle timeouts: "), { links });
    expect(special.links).toEqual(links.map((link) => ({ ...link, name: null })));
    expect(await linksOf(special.id)).toEqual([expect.objectContaining({ ...links[0], direction: "out" })]);
    expect(await linksOf(general.id)).toEqual([
      expect.objectContaining({ from: special.id, relation: "elaborates", direction: "in" }),
    ]);
  });

  it("made afterwards show in the pattern", async () => {
    const one = await statePattern(kioku.api, fresh("Cache reads: "));
    const two = await statePattern(kioku.api, fresh("Never cache: "));
    const link = { from: one.id, to: two.id, relation: "contradicts", strength: 0.9 };
    bodyOf(await kioku.api.post("/v1/links", link), 201);
    const { from: _, ...shown } = link;
    expect((await readPattern(kioku.api, one.id)).links).toEqual([{ ...shown, name: null }]);
  });

  it("to nothing are refused, and nothing is kept", async () => {
    const api = await kioku.tenant();
    const links = [{ to: fresh("nobody"), relation: "related_to" }];
    expectProblem(await api.post("/v1/patterns", { pattern: RULE, links }), "not_found");
    expect(await patternsOf(api)).toEqual([]);
    const { id } = await statePattern(api, RULE);
    const relation = "supports";
    for (const ends of [
      { from: id, to: fresh("nobody") },
      { from: fresh("nobody"), to: id },
    ])
      expectProblem(await api.post("/v1/links", { ...ends, relation }), "not_found");
    expect(await allPages(api, `/v1/links?of=${id}`)).toEqual([]);
  });
});
