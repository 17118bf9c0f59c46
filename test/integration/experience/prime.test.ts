// Before a task: what was told was of use, once each; and who is told what.
import { describe, expect, it, vi } from "vitest";
import { newTenant } from "../store/long-term-support";
import { freshId } from "../support";
import { usageStub } from "../usage-support";
import { daysAgo, ids, NOW, newExperience, type Tenant } from "./support";

const GOAL = "Implement the checkout endpoint";
const SKILL = {
  name: "Endpoint implementation",
  description: "How to implement an endpoint such as the checkout endpoint",
  steps: ["Read the contract", "Write the handler", "Test it"],
};
const LESSON = {
  trigger: "Implementing the checkout endpoint",
  root_cause: "There was no idempotency key",
};

type Told = { id: string; slug?: string };

async function told(home: Tenant, more: object = {}): Promise<Told[]> {
  const { relevant_patterns, avoid_these, applicable_skills, similar_episodes } = await home.prime(GOAL, {
    token_budget: 8_000,
    ...more,
  });
  return [...relevant_patterns, ...avoid_these, ...applicable_skills, ...similar_episodes];
}

/** Everything that can be told, each of an importance of its own. */
async function everything(home: Tenant) {
  const episode = await home.tell("Implement the payment endpoint", { importance: 0.6 });
  const pattern = await home.state("Endpoints such as the checkout endpoint check their input", {
    importance: 0.2,
  });
  const { body: anti } = await home.call("POST", "/v1/patterns", {
    ...{ project_id: home.project_id, category: "anti-pattern", importance: 0 },
    what_fails: "A checkout endpoint that trusts its input",
  });
  const learning = await home.learn(LESSON);
  const { body: skill } = await home.call("PUT", "/v1/skills/endpoint", SKILL);
  return { episode, pattern: pattern.id, anti: anti.id, learning: learning.id, skill: skill.memory_id };
}

async function usesOf(home: Tenant, { episode, ...memories }: Record<string, string>) {
  const uses: Record<string, { uses: number; importance: number; last: string | null }> = {};
  const { usage_count, importance, last_used } = await home.episode(episode ?? "");
  uses.episode = { uses: usage_count, importance, last: last_used };
  for (const [name, id] of Object.entries(memories)) {
    const { body } = await home.call("GET", `/v1/memories/${id}`);
    const last = body.access_count === 0 ? null : body.last_accessed;
    uses[name] = { uses: body.access_count, importance: body.importance, last };
  }
  return uses;
}

/** Waits until so many uses are stored, which happens after the answer. */
const untilCounted = (home: Tenant, count: number) =>
  vi.waitFor(async () => expect(await usageStub(home.tenant).listPending()).toHaveLength(count));

const lifted = (importance: number) => Math.round((importance + 0.05 * (1 - importance)) * 1e6) / 1e6;

describe("what is told before a task", () => {
  it("counts one use and matters more by a twentieth of what is missing, each time", async () => {
    const home = await newExperience();
    const all = await everything(home);
    const before = await usesOf(home, all);
    expect(ids(await told(home, { now: daysAgo(-400) })).toSorted()).toEqual(Object.values(all).toSorted());
    await untilCounted(home, 1);
    const once = await usesOf(home, all);
    for (const [name, { importance }] of Object.entries(before)) {
      expect(once[name], name).toMatchObject({ uses: 1, last: daysAgo(-400) });
      expect(once[name]?.importance, name).toBeCloseTo(lifted(importance), 12);
    }
    await told(home, { now: daysAgo(-401) });
    await untilCounted(home, 2);
    for (const [name, { importance }] of Object.entries(await usesOf(home, all)))
      expect(importance, name).toBeCloseTo(lifted(once[name]?.importance ?? 0), 12);
    await home.expectRebuilt();
  });

  it("is told to many at once, and every use counts", async () => {
    const home = await newExperience();
    const all = await everything(home);
    const { pattern: before } = await usesOf(home, all);
    const answers = await Promise.all(Array.from({ length: 12 }, () => told(home)));
    for (const answer of answers) expect(ids(answer)).toContain(all.pattern);
    await untilCounted(home, 12);
    const after = await usesOf(home, all);
    for (const name of Object.keys(all)) expect(after[name]?.uses, name).toBe(12);
    const twelve = Array.from({ length: 12 }).reduce<number>(lifted, before?.importance ?? 0);
    expect(after.pattern?.importance).toBeCloseTo(twelve, 12);
    await home.expectRebuilt();
  });

  it("is told although its episodes are as large as they may be", async () => {
    const home = await newExperience();
    const action_log = Array.from({ length: 380 }, (_, t) => ({
      t,
      action: "run",
      error: '"no" '.repeat(90),
    }));
    for (let n = 0; n < 5; n += 1) await home.tell(`${GOAL}, attempt ${n}`, { action_log });
    expect(await told(home)).toHaveLength(5);
  });

  it("stores nothing under an Idempotency-Key, and is counted each time", async () => {
    const home = await newExperience();
    const all = await everything(home);
    const key = { "Idempotency-Key": freshId("key") };
    const body = { goal: GOAL, project_id: home.project_id };
    for (const uses of [1, 2]) {
      expect((await home.call("POST", "/v1/prime", body, key)).status).toBe(200);
      await vi.waitFor(async () => expect((await usesOf(home, all)).pattern?.uses).toBe(uses));
    }
  });

  it("is not counted when it is only read, listed or recalled", async () => {
    const home = await newExperience();
    const all = await everything(home);
    await home.episode(all.episode);
    await home.pattern(all.pattern);
    await home.patterns();
    await home.call("GET", "/v1/skills/endpoint");
    await home.call("GET", `/v1/episodes?project_id=${home.project_id}`);
    await home.recall({ query: GOAL, sources: ["episodes"] });
    for (const { uses, last } of Object.values(await usesOf(home, all)))
      expect([uses, last]).toEqual([0, null]);
  });

  it("keeps what it gained when it is maintained, and declines from there", async () => {
    const home = await newExperience();
    const episode = await home.tell(GOAL, { importance: 0.5, timestamp: NOW });
    await told(home, { now: NOW });
    await untilCounted(home, 1);
    await home.maintain(daysAgo(-30));
    expect((await home.episode(episode)).importance).toBeCloseTo(lifted(0.5) * Math.exp(-0.1), 9);
  });
});

describe("who is told", () => {
  it("of shared learnings, patterns and skills: every project", async () => {
    const home = await newExperience();
    const shared = { project_id: null };
    const pattern = await home.state("Every checkout endpoint checks its input", shared);
    const learning = await home.learn({ ...LESSON, ...shared });
    const { body: skill } = await home.call("PUT", "/v1/skills/endpoint", SKILL);
    for (const project_id of [freshId("project"), freshId("project")])
      expect(ids(await told(home, { project_id })).toSorted()).toEqual(
        [pattern.id, learning.id, skill.memory_id].toSorted(),
      );
  });

  it("of a project's own: nobody in another one, and whoever asks without a project", async () => {
    const home = await newExperience();
    const { skill, ...own } = await everything(home);
    expect(ids(await told(home, { project_id: freshId("project") }))).toEqual([skill]);
    const everywhere = ids(await told(home, { project_id: undefined }));
    expect(everywhere.toSorted()).toEqual([skill, ...Object.values(own)].toSorted());
  });

  it("of an entry under a namespace: nobody, whatever it is", async () => {
    const tenant = await newTenant();
    const home = await newExperience({}, tenant);
    const content = "Every checkout endpoint checks its input";
    const entry = { agent_id: freshId("agent"), namespace: "customer-1", content };
    expect((await home.call("POST", "/v1/entries", entry)).status).toBe(201);
    const types = ["lesson_learned", "discovery", "skill"] as const;
    const under = {
      session_id: null,
      project_id: home.project_id,
      properties: { namespace: ["customer-1"] },
    };
    await tenant.store().memories.commit(types.map((type) => tenant.write({ ...under, type, content })));
    expect(await told(home)).toEqual([]);
    expect(await told(home, { project_id: undefined })).toEqual([]);
  });

  it("of what was forgotten, superseded or archived: nobody", async () => {
    const home = await newExperience();
    const { episode, pattern, anti, learning } = await everything(home);
    const better = await home.state("Endpoints such as the checkout endpoint check their input twice", {
      links: [{ to: pattern, relation: "supersedes" }],
    });
    for (const id of [anti, learning]) await home.forget(id);
    await home.maintain(daysAgo(-60));
    expect(await home.episode(episode)).toMatchObject({ archived: true });
    const now = ids(await told(home));
    expect(now).toContain(better.id);
    for (const id of [episode, pattern, anti, learning]) expect(now).not.toContain(id);
  });
});

describe("what hits lead to", () => {
  // Only a search with vectors prefetches its hits.
  it.each([
    ["prefetched", {}],
    ["not prefetched", { EMBEDDER: "none" }],
  ])("is told if they were %s: links, lessons of episodes, and the project's own skills", async (_, bindings) => {
    const home = await newExperience(bindings);
    const pattern = await home.state(`${GOAL}: check the input`);
    const linked = await home.state("Zod parses every body");
    await home.link(pattern.id, "supports", linked.id);
    const failed = await home.tell("Implement the checkout endpoint again", { outcome: "failure" });
    const lesson = await home.learn({ trigger: "Timeouts", root_cause: "No deadline" });
    await home.link(lesson.id, "derived_from", failed);
    const { body: shared } = await home.call("PUT", "/v1/skills/endpoint", SKILL);
    const { project_id } = home;
    const { body: own } = await home.call("PUT", "/v1/skills/endpoint", { ...SKILL, project_id });
    const { relevant_patterns, avoid_these, applicable_skills } = await home.prime(GOAL, {
      token_budget: 8_000,
    });
    expect(ids(relevant_patterns)).toEqual([pattern.id, linked.id]);
    expect(ids(avoid_these)).toEqual([lesson.id]);
    expect(ids(applicable_skills)).toEqual([own.memory_id]);
    expect(own.memory_id).not.toBe(shared.memory_id);
  });
});
