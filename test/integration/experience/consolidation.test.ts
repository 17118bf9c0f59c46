// From episodes to patterns, and what people do to patterns in between: forgetting, superseding, contradicting, saying
// the same.
import { describe, expect, it } from "vitest";
import { freshId, untilIndexed } from "../support";
import { daysAgo, ids, NOW, newExperience, type Tenant } from "./support";

const ORDERS = "Implement the orders endpoint of the shop";
const USERS = "Implement the users endpoint of the shop";
const LOGIN = "Fix the flaky login test of the web client";

/** So many attempts at one thing; gives their ids. */
async function attempts(home: Tenant, goal: string, count: number, more: object = {}): Promise<string[]> {
  return Promise.all(Array.from({ length: count }, () => home.tell(goal, more)));
}

/** The one pattern that a consolidation makes. */
async function made(home: Tenant) {
  const { created } = await home.consolidate();
  expect(created).toHaveLength(1);
  return home.pattern(created[0]);
}

const NOTHING = { created: [], updated: [], anti_patterns: [], merged: [] };
const error = (type: string) => ({ outcome: "failure", errors_encountered: [{ type, message: `${type}!` }] });

describe("a pattern that was forgotten", () => {
  it("does not come back from the same episodes, nor from similar ones", async () => {
    const home = await newExperience();
    await attempts(home, ORDERS, 2);
    const pattern = await made(home);
    await home.forget(pattern.id);
    expect(await home.consolidate()).toMatchObject({ clusters: 1, ...NOTHING });
    await attempts(home, ORDERS, 1);
    expect(await home.consolidate()).toMatchObject({ episodes: 3, ...NOTHING });
    await attempts(home, `${ORDERS}, please`, 3, { timestamp: daysAgo(-2) });
    expect(await home.consolidate({ now: daysAgo(-2.1) })).toMatchObject({ episodes: 3, ...NOTHING });
    expect(await home.patterns()).toEqual([]);
    expect(await home.pattern(pattern.id)).toMatchObject({ status: "forgotten", confidence: 0.7 });
  });

  it("does not come back as a lesson either", async () => {
    const home = await newExperience();
    await home.tell("Restore the backup", error("Disk full"));
    const { anti_patterns } = await home.consolidate();
    await home.forget(anti_patterns[0]);
    await home.tell("Copy the archive", error("disk  full"));
    expect(await home.consolidate()).toMatchObject(NOTHING);
  });

  it("is nothing to another project", async () => {
    const home = await newExperience();
    await attempts(home, ORDERS, 2);
    await home.forget((await made(home)).id);
    const project_id = freshId("project");
    await attempts(home, ORDERS, 2, { project_id });
    expect((await home.consolidate({ project_id })).created).toHaveLength(1);
  });
});

describe("a pattern that was superseded", () => {
  it("passes what is new to its successor, and nothing else", async () => {
    const home = await newExperience();
    const told = await attempts(home, ORDERS, 2);
    const old = await made(home);
    const better = await home.state("Endpoints of the shop begin with their contract", { confidence: 0.8 });
    await home.link(better.id, "supersedes", old.id);
    expect(await home.consolidate()).toMatchObject(NOTHING);
    const [three] = await attempts(home, ORDERS, 1);
    expect(await home.consolidate()).toMatchObject({ ...NOTHING, updated: [better.id] });
    expect(await home.pattern(better.id)).toMatchObject({ confidence: 0.85, source_episodes: [three] });
    const { confidence, source_episodes } = await home.pattern(old.id);
    expect([confidence, ...source_episodes.toSorted()]).toEqual([0.7, ...told.toSorted()]);
    expect(await home.consolidate()).toMatchObject(NOTHING);
    await home.expectRebuilt();
  });

  it("passes it along a chain, and not at all when the chain ends in a forgotten one", async () => {
    const home = await newExperience();
    await attempts(home, ORDERS, 2);
    const first = await made(home);
    const second = await home.state("Endpoints of the shop begin with their contract");
    await home.link(second.id, "supersedes", first.id);
    const third = await home.state("Contracts come first in the shop");
    await home.link(third.id, "supersedes", second.id);
    await attempts(home, ORDERS, 1);
    expect(await home.consolidate()).toMatchObject({ updated: [third.id] });
    await home.forget(third.id);
    await attempts(home, ORDERS, 1);
    expect(await home.consolidate()).toMatchObject(NOTHING);
  });

  it("makes two kinds of error one lesson, which gains once by both", async () => {
    const home = await newExperience();
    await home.tell("Restore the backup", error("Disk full"));
    await home.tell("Copy the archive", error("No space left"));
    const { anti_patterns } = await home.consolidate();
    const lessons = await Promise.all(anti_patterns.map(home.pattern));
    const [full, space] = ["Disk full", "No space left"].map((what) =>
      lessons.find(({ what_fails }) => what_fails === what),
    );
    await home.link(full.id, "supersedes", space.id);
    const one = await home.tell("Move the archive", error("Disk full"));
    const two = await home.tell("Move the pictures", error("No space left"));
    const both = await home.tell("Sort the music", {
      ...error("Disk full"),
      errors_encountered: [{ type: "Disk full" }, { type: "No space left" }],
    });
    expect(await home.consolidate()).toMatchObject({ ...NOTHING, updated: [full.id] });
    const after = await home.pattern(full.id);
    expect(after.confidence).toBeCloseTo(full.confidence + 0.05, 9);
    expect(after.source_episodes.toSorted()).toEqual([...full.source_episodes, one, two, both].toSorted());
    expect(await home.consolidate()).toMatchObject(NOTHING);
    await home.expectRebuilt();
  });
});

describe("patterns that say nearly the same", () => {
  const RULE = "Express route handlers _ explicit return types in strict mode";

  it("are merged: sources and uses add up, the others are superseded, none is deleted", async () => {
    const home = await newExperience();
    const weak = await home.state(RULE.replace("_", "need"), {
      ...{ confidence: 0.82, source_episodes: ["ep-1", "ep-2"] },
    });
    const strong = await home.state(RULE.replace("_", "require"), {
      ...{ confidence: 0.91, source_episodes: ["ep-2", "ep-3"] },
    });
    const other = await home.state("Deploys before noon are watched");
    await home.prime(RULE.replace("_", "need"), { now: daysAgo(-300) });
    const before = await Promise.all([weak.id, strong.id].map(home.pattern));
    expect(before.map(({ usage_count }) => usage_count)).toEqual([1, 1]);
    await home.recall({ query: RULE.replace("_", "need"), limit: 1 });
    expect(await home.consolidate()).toMatchObject({ merged: [weak.id] });
    const kept = await home.pattern(strong.id);
    expect(kept).toMatchObject({
      ...{ status: "live", confidence: 0.91, usage_count: 3 },
      source_episodes: ["ep-2", "ep-3", "ep-1"],
    });
    expect(kept.links).toEqual([{ to: weak.id, name: null, relation: "supersedes", strength: 1 }]);
    expect(await home.pattern(weak.id)).toMatchObject({ status: "superseded", superseded_by: strong.id });
    expect(ids(await home.patterns()).toSorted()).toEqual([strong.id, other.id].toSorted());
    expect(await home.consolidate()).toMatchObject({ merged: [] });
    await home.expectRebuilt();
  });

  it("give the one that stays the time of their last use", async () => {
    const home = await newExperience();
    const weak = await home.state(RULE.replace("_", "need"), { confidence: 0.82 });
    await home.prime(RULE.replace("_", "need"), { now: daysAgo(-300) });
    const strong = await home.state(RULE.replace("_", "require"), { confidence: 0.91 });
    expect(await home.maintain()).toMatchObject({ ids: { merged: [weak.id] } });
    expect(await home.pattern(strong.id)).toMatchObject({ usage_count: 1, last_used: daysAgo(-300) });
    await home.expectRebuilt();
  });

  it("are not merged while somebody says that they contradict each other", async () => {
    const home = await newExperience();
    const one = await home.state(RULE.replace("_", "need"));
    const two = await home.state(RULE.replace("_", "require"));
    await home.link(two.id, "contradicts", one.id);
    expect(await home.consolidate()).toMatchObject({ merged: [] });
    expect(await home.maintain()).toMatchObject({ merged: 0 });
    for (const { id } of [one, two]) expect(await home.pattern(id)).toMatchObject({ status: "live" });
    const { body } = await home.call("GET", `/v1/contradictions?project_id=${home.project_id}`);
    await home.call("DELETE", `/v1/links/${body.data[0].id}`);
    expect(await home.consolidate()).toMatchObject({ merged: [expect.any(String)] });
  });
});

describe("a hypothesis", () => {
  /** Whether it is found as one type and not as the other, by words and by meaning. */
  async function expectRecalledAs(home: Tenant, id: string, type: string, other: string): Promise<void> {
    for (const mode of ["text", "semantic", "hybrid"]) {
      const found = { query: ORDERS, mode, min_confidence: 0 };
      expect(ids(await home.recall({ ...found, type })), mode).toEqual([id]);
      expect(await home.recall({ ...found, type: other }), mode).toEqual([]);
    }
  }

  it("becomes a discovery at 0.8, with the same id, and is recalled as one", async () => {
    const home = await newExperience();
    await attempts(home, ORDERS, 2);
    const { id, memory_type, confidence } = await made(home);
    expect([memory_type, confidence]).toEqual(["hypothesis", 0.7]);
    await untilIndexed(home.tenant);
    await expectRecalledAs(home, id, "hypothesis", "discovery");
    await attempts(home, ORDERS, 3);
    expect(await home.consolidate()).toMatchObject({ ...NOTHING, updated: [id] });
    expect(await home.pattern(id)).toMatchObject({ memory_type: "hypothesis", confidence: 0.75 });
    await attempts(home, ORDERS, 1);
    expect(await home.consolidate()).toMatchObject({ ...NOTHING, updated: [id] });
    expect(await home.pattern(id)).toMatchObject({ memory_type: "discovery", confidence: 0.8 });
    await expectRecalledAs(home, id, "discovery", "hypothesis");
    await untilIndexed(home.tenant);
    await expectRecalledAs(home, id, "discovery", "hypothesis");
    await home.expectRebuilt();
  });

  it("that has become a discovery is the same pattern when it is stated again, with whatever confidence", async () => {
    const home = await newExperience();
    await attempts(home, ORDERS, 2);
    const { id, pattern } = await made(home);
    for (const confidence of [0.9, 0.7, 0.95]) {
      const said = { pattern, project_id: home.project_id, confidence };
      const { status, body } = await home.call("POST", "/v1/patterns", said);
      expect([status, body.id]).toEqual([200, id]);
      expect(body).toMatchObject({ memory_type: "discovery", confidence: Math.max(0.9, confidence) });
    }
  });

  it("that has become a discovery leaves room for a memory of its words", async () => {
    const home = await newExperience();
    const { project_id } = home;
    const { id, pattern } = await home.state("Small commits are reviewed sooner", { confidence: 0.7 });
    await home.call("POST", "/v1/patterns", { pattern, project_id, confidence: 0.9 });
    const again = { content: pattern, project_id, type: "hypothesis" };
    const first = await home.call("POST", "/v1/remember", again);
    expect(first.status).toBe(201);
    expect(first.body.memory_id).not.toBe(id);
    expect(await home.call("POST", "/v1/remember", again)).toMatchObject({
      status: 200,
      body: { memory_id: first.body.memory_id },
    });
  });

  it("that takes a name when it becomes a discovery takes the place of who had it", async () => {
    const home = await newExperience();
    const { project_id } = home;
    const former = await home.state("Reviews take a day", { id: "sem-1" });
    const { id, pattern } = await home.state("Small commits are reviewed sooner", { confidence: 0.7 });
    await home.call("POST", "/v1/patterns", { pattern, project_id, confidence: 0.9, id: "sem-1" });
    expect(await home.pattern("sem-1")).toMatchObject({ id, name: "sem-1", memory_type: "discovery" });
    expect(await home.pattern(former.id)).toMatchObject({ status: "superseded", superseded_by: id });
  });
});

describe("evidence", () => {
  it("of more than fifty episodes survives a remember of the same words", async () => {
    const home = await newExperience();
    const source_episodes = Array.from({ length: 80 }, (_, n) => `ep-${n}`);
    const { id, pattern } = await home.state("Small commits are reviewed sooner", { source_episodes });
    const said = { content: pattern, project_id: home.project_id, type: "discovery", evidence: ["ep-new"] };
    expect((await home.call("POST", "/v1/remember", said)).body.memory_id).toBe(id);
    const after = (await home.pattern(id)).source_episodes;
    expect(after.slice(0, 80)).toEqual(source_episodes);
    await home.expectRebuilt();
  });

  it("of a new pattern is whole, although a memory said the same before", async () => {
    const [probe, home] = [await newExperience(), await newExperience()];
    await attempts(probe, ORDERS, 55);
    const { pattern } = await made(probe);
    const type = "discovery";
    await home.call("POST", "/v1/remember", { content: pattern, project_id: home.project_id, type });
    const told = await attempts(home, ORDERS, 55);
    const { created } = await home.consolidate();
    expect((await home.pattern(created[0])).source_episodes.toSorted()).toEqual(told.toSorted());
    expect(await home.consolidate()).toMatchObject(NOTHING);
    await home.expectRebuilt();
  });

  it("is not counted twice where two windows overlap", async () => {
    const home = await newExperience();
    const early = await attempts(home, ORDERS, 2, { timestamp: daysAgo(1.5) });
    const middle = await attempts(home, ORDERS, 2, { timestamp: daysAgo(0.8) });
    const late = await attempts(home, ORDERS, 2, { timestamp: daysAgo(0.1) });
    const { created } = await home.consolidate({ now: daysAgo(0.7) });
    expect(await home.pattern(created[0])).toMatchObject({ confidence: 0.9 });
    expect(await home.consolidate()).toMatchObject({ episodes: 4, ...NOTHING, updated: created });
    const { confidence, source_episodes } = await home.pattern(created[0]);
    expect(confidence).toBe(0.95);
    expect(source_episodes.toSorted()).toEqual([...early, ...middle, ...late].toSorted());
    expect(await home.consolidate({ since: daysAgo(5) })).toMatchObject({ episodes: 6, ...NOTHING });
  });

  it("of three hundred episodes of one theme makes one pattern, as certain as a pattern begins", async () => {
    const home = await newExperience();
    const told: string[] = [];
    for (let n = 0; n < 300; n += 20)
      told.push(...(await Promise.all(Array.from({ length: 20 }, () => home.tell(ORDERS)))));
    const { created, clusters, ...rest } = await home.consolidate();
    expect([created.length, clusters, rest.episodes]).toEqual([1, 1, 300]);
    const pattern = await home.pattern(created[0]);
    expect(pattern).toMatchObject({ confidence: 0.95, memory_type: "discovery" });
    expect(pattern.source_episodes.toSorted()).toEqual(told.toSorted());
    expect(await home.consolidate()).toMatchObject({ episodes: 300, ...NOTHING });
    await home.expectRebuilt();
  });
});

describe("a consolidation", () => {
  it("mixes neither tenants nor projects", async () => {
    const [one, two] = [await newExperience(), await newExperience()];
    const project_id = freshId("project");
    await attempts(one, ORDERS, 1);
    await attempts(one, ORDERS, 1, { project_id });
    await attempts(one, ORDERS, 1, { project_id: null });
    await attempts(two, ORDERS, 1, { project_id: one.project_id });
    expect(await one.consolidate()).toMatchObject({ episodes: 1, clusters: 0, ...NOTHING });
    await attempts(one, ORDERS, 1);
    const { created } = await one.consolidate();
    expect(created).toHaveLength(1);
    expect((await two.call("GET", `/v1/patterns/${created[0]}`)).status).toBe(404);
    expect(await one.consolidate({ project_id })).toMatchObject({ episodes: 1, ...NOTHING });
    expect(await two.consolidate({ project_id: one.project_id })).toMatchObject({ episodes: 1, ...NOTHING });
  });

  it("makes of each theme its own pattern", async () => {
    const home = await newExperience();
    await attempts(home, ORDERS, 2);
    await attempts(home, LOGIN, 2);
    const { created, clusters } = await home.consolidate();
    expect([created.length, clusters]).toEqual([2, 2]);
    await attempts(home, USERS, 1);
    await attempts(home, LOGIN, 1);
    const { updated } = await home.consolidate();
    expect(updated.length).toBeGreaterThan(0);
    expect(await home.patterns()).toHaveLength(2);
  });

  it("that is only tried says what it would do, and does nothing", async () => {
    const home = await newExperience();
    await attempts(home, ORDERS, 2);
    await home.tell("Restore the backup", error("Disk full"));
    const before = await home.readModel();
    const tried = await home.consolidate({ dry_run: true });
    expect(tried).toMatchObject({ dry_run: true, episodes: 3 });
    expect(await home.readModel()).toEqual(before);
    expect(await home.consolidate()).toEqual({ ...tried, dry_run: false });
  });

  it("takes what is dated up to its clock, and not what comes after it", async () => {
    const home = await newExperience();
    await attempts(home, ORDERS, 2, { timestamp: NOW });
    await attempts(home, ORDERS, 2, { timestamp: daysAgo(-0.1) });
    expect(await home.consolidate()).toMatchObject({ episodes: 2 });
    expect(await home.consolidate({ since: NOW, now: undefined })).toMatchObject({ episodes: 4 });
  });
});
