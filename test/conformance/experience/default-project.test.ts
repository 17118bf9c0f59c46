// Episodes without a project: they belong to the project `default`, and those of a user stay with that user.
import { describe, expect, it, vi } from "vitest";
import { ids, newSession } from "../support/actions";
import { fresh } from "../support/client";
import { bodyOf } from "../support/expectations";
import { serviceUnderTest } from "../support/service";
import {
  consolidate,
  daysBefore,
  episodesOf,
  maintain,
  patternsOf,
  prime,
  readEpisode,
  readPattern,
  statePattern,
  tellEpisode,
} from "./experience";

const kioku = serviceUnderTest();

const GOALS = ["vite", "zod", "hono"].map((name) => `Upgrade the npm package ${name}`);
const GOAL = "Upgrade the npm package drizzle";
const NOW = "2026-01-31T12:00:00.000Z";

describe("episodes without a project", () => {
  it("belong to the project default, and are consolidated there", async () => {
    const api = await kioku.tenant();
    const told = [];
    for (const goal of GOALS) told.push(await tellEpisode(api, goal));
    expect(told[0]).toMatchObject({ project_id: "default" });
    expect(ids(await episodesOf(api, "default")).sort()).toEqual(ids(told).sort());
    const { created } = await consolidate(api, { project_id: "default" });
    expect(created).toHaveLength(1);
    expect(await readPattern(api, created[0] ?? "")).toMatchObject({ project_id: "default" });
    for (const owner of [{}, { agent_id: "ada" }])
      expect(ids((await prime(api, GOAL, owner)).relevant_patterns)).toEqual(created);
  });

  it("are briefed to their own agent once each, though both the agent and the project have them", async () => {
    const api = await kioku.tenant();
    const agent_id = fresh("ada");
    const told = [];
    for (const goal of GOALS) told.push(await tellEpisode(api, goal, { agent: agent_id }));
    expect(ids((await prime(api, GOAL, { agent_id })).similar_episodes).sort()).toEqual(ids(told).sort());
    for (const { id } of told)
      await expect.poll(async () => (await readEpisode(api, id)).usage_count).toBe(1);
    const session = await newSession(api, { agent_id });
    bodyOf(await api.put(`/v1/sessions/${session.id}/context/current_task`, { value: GOAL }), 200);
    const page = bodyOf(await api.get<string>(`/v1/sessions/${session.id}/continuity`), 200);
    for (const { id } of told) expect(page.split(`[${id}]`), page).toHaveLength(2);
  });

  it("give evidence to a pattern without a project", async () => {
    const api = await kioku.tenant();
    const stated = await statePattern(api, "Upgrade the npm package after reading its changelog");
    for (const goal of GOALS) await tellEpisode(api, `${goal} after reading its changelog`);
    expect(await consolidate(api, { project_id: "default" })).toMatchObject({
      created: [],
      updated: [stated.id],
    });
    expect(await readPattern(api, stated.id)).toMatchObject({ usage_count: 1, confidence: 0.85 });
  });

  it("are consolidated when their task is finished", async () => {
    const api = await kioku.tenant();
    for (const goal of GOALS) await tellEpisode(api, goal, { consolidate: true });
    await vi.waitFor(async () => expect(await patternsOf(api)).toHaveLength(1), {
      timeout: 10_000,
      interval: 100,
    });
  });

  it("age", async () => {
    const api = await kioku.tenant();
    const { id } = await tellEpisode(api, GOAL, { timestamp: daysBefore(NOW, 40) });
    expect(await maintain(api, { project_id: "default", now: NOW })).toMatchObject({ archived: 1 });
    expect(await readEpisode(api, id)).toMatchObject({ archived: true });
  });
});

describe("episodes of users without a project", () => {
  it("stay with their user: no other user, and no key of another, learns from them", async () => {
    const name = fresh("tenant");
    const [ann, ben] = [fresh("ann"), fresh("ben")];
    const api = await kioku.tenant({ name });
    const keys = {
      ann: await kioku.tenant({ name, bind: { user_id: ann } }),
      ben: await kioku.tenant({ name, bind: { user_id: ben } }),
      everybody: await kioku.tenant({ name, bind: { project_id: "default" } }),
    };
    const told = [];
    for (const goal of GOALS) told.push(await tellEpisode(keys.ann, goal));
    for (const goal of GOALS.slice(0, 2)) await tellEpisode(api, goal, { user_id: ben });
    const { created } = await consolidate(api, { project_id: "default" });
    expect(created).toHaveLength(2);

    const [own] = ids((await prime(keys.ann, GOAL)).relevant_patterns);
    expect((await readPattern(api, own ?? "")).source_episodes.sort()).toEqual(ids(told).sort());
    expect(created).toContain(own);
    for (const other of [
      await prime(keys.ben, GOAL),
      await prime(api, GOAL, { user_id: ben }),
      await prime(api, GOAL, { user_id: ben, project_id: "default" }),
      await prime(api, GOAL, { agent_id: "ada" }),
      await prime(api, GOAL, { project_id: "default" }),
      await prime(keys.everybody, GOAL),
    ]) {
      expect(JSON.stringify(other)).not.toContain(own);
      for (const { id } of told) expect(JSON.stringify(other)).not.toContain(id);
    }
    expect(await episodesOf(keys.everybody, "default")).toEqual([]);
    expect((await keys.ben.get(`/v1/episodes/${told[0]?.id}`)).status).toBe(404);
    expect(await episodesOf(keys.ann, "default")).toHaveLength(GOALS.length);
  });
});

describe("a new phase", () => {
  it("consolidates the phase before it", async () => {
    const api = await kioku.tenant();
    const project_id = fresh("project");
    const tell = (goal: string, phase?: string) =>
      tellEpisode(api, goal, { project_id, context: { goal, phase } });
    for (const goal of GOALS) await tell(goal, "maintenance");
    await tell("Think about nothing in particular");
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(await patternsOf(api)).toEqual([]);
    await tell("Write the release notes", "release");
    await vi.waitFor(async () => expect(await patternsOf(api)).toHaveLength(1), {
      timeout: 10_000,
      interval: 100,
    });
  });
});
