// Metrics over a rolling window: outcomes, time, tokens, retries and briefings, by project, agent and day.
import { describe, expect, it } from "vitest";
import { type Client, fresh } from "../support/client";
import { bodyOf, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";
import { daysBefore, prime, readPattern, statePattern, tellEpisode } from "./experience";

const kioku = serviceUnderTest();

type Numbers = {
  episodes: number;
  outcomes: Record<string, number>;
  success_rate: number | null;
  duration_seconds: { mean: number | null; p50: number | null; p95: number | null };
  tokens: { used: number; mean: number | null };
  retries: number;
  errors: number;
  prime: Record<string, number | null>;
};
type Answer = {
  window: { since: string; until: string; days: number };
  total: Numbers;
  by_project: (Numbers & { project_id: string | null })[];
  by_agent: (Numbers & { agent_id: string | null })[];
  by_day: (Numbers & { day: string })[];
  activity: { day: string; memories: number; messages: number; recalls: number | null }[];
};

async function readMetrics(api: Client, query = ""): Promise<Answer> {
  return bodyOf(await api.get<Answer>(`/v1/metrics${query}`), 200);
}

const NOW = new Date().toISOString();
const TODAY = NOW.slice(0, 10);

describe("metrics", () => {
  it("of a tenant without work are zeros and nulls, for every day", async () => {
    const { window, total, by_project, by_agent, by_day } = await readMetrics(await kioku.tenant());
    expect(window).toMatchObject({ days: 7, until: expect.stringMatching(/T00:00:00\.000Z$/) });
    expect(total).toEqual({
      episodes: 0,
      outcomes: { success: 0, partial: 0, failure: 0 },
      success_rate: null,
      duration_seconds: { mean: null, p50: null, p95: null },
      tokens: { used: 0, mean: null },
      retries: 0,
      errors: 0,
      prime: { calls: 0, with_patterns: 0, pattern_rate: null, patterns: 0, tokens_used: 0, tokens_saved: 0 },
    });
    expect([by_project, by_agent]).toEqual([[], []]);
    expect(by_day).toHaveLength(7);
    expect(by_day.at(-1)).toMatchObject({ day: new Date().toISOString().slice(0, 10), episodes: 0 });
  });

  it("count what was stored and recalled on each day", async () => {
    const api = await kioku.tenant();
    const content = "The lighthouse keeper drinks tea";
    await api.post("/v1/memories/batch", {
      memories: [{ content, project_id: "shop" }, { content: "The harbour is closed in winter" }],
    });
    await api.post("/v1/sessions/s/messages", {
      messages: [{ role: "user", content: "Hello", timestamp: daysBefore(NOW, 2) }],
    });
    await api.post("/v1/recall", { project_id: "shop", query: "Who drinks tea?" });
    await api.post("/v1/recall", { project_id: "shop", query: "quantum chromodynamics" });
    await expect
      .poll(async () => (await readMetrics(api, "?window_days=3")).activity)
      .toEqual([
        { day: daysBefore(NOW, 2).slice(0, 10), memories: 0, messages: 1, recalls: 0 },
        { day: daysBefore(NOW, 1).slice(0, 10), memories: 0, messages: 0, recalls: 0 },
        { day: TODAY, memories: 2, messages: 0, recalls: 1 },
      ]);
    expect((await readMetrics(api, "?window_days=1&project_id=shop")).activity).toEqual([
      { day: TODAY, memories: 1, messages: 0, recalls: null },
    ]);
  });

  it("count outcomes, time, tokens, retries and errors of the window", async () => {
    const api = await kioku.tenant();
    const shop = { project_id: "shop", timestamp: NOW };
    for (let n = 1; n <= 20; n += 1)
      await tellEpisode(api, `Job ${n}`, {
        ...shop,
        agent: n > 10 ? "ada" : "bob",
        outcome: n > 5 ? "success" : n > 1 ? "failure" : "partial",
        duration_seconds: n * 10,
        tokens_used: 100,
        task_id: n <= 3 ? "task-042" : `task-${n}`,
        timestamp: new Date(Date.parse(`${TODAY}T00:00:00.000Z`) + n).toISOString(),
        errors_encountered: n === 1 ? [{ type: "Timeout" }, { type: "Timeout", resolution: "Wait" }] : [],
      });
    await tellEpisode(api, "Without numbers", { project_id: "other", timestamp: NOW });
    await tellEpisode(api, "Long ago", { ...shop, timestamp: daysBefore(NOW, 8), task_id: "task-20" });
    const { total, by_project, by_agent, by_day } = await readMetrics(api);
    expect(total).toMatchObject({
      episodes: 21,
      outcomes: { success: 16, partial: 1, failure: 4 },
      success_rate: 0.7619,
      duration_seconds: { mean: 105, p50: 100, p95: 190 },
      tokens: { used: 2_000, mean: 100 },
      // Two more attempts at task-042, and one at the task that was begun before the window.
      retries: 3,
      errors: 2,
    });
    expect(by_project).toMatchObject([
      { project_id: "shop", episodes: 20 },
      { project_id: "other", episodes: 1, duration_seconds: { p50: null }, tokens: { used: 0, mean: null } },
    ]);
    expect(
      by_agent.map(({ agent_id, episodes, success_rate }) => [agent_id, episodes, success_rate]),
    ).toEqual([
      ["ada", 10, 1],
      ["bob", 10, 0.5],
      [null, 1, 1],
    ]);
    expect(by_day.map(({ day, episodes }) => [day, episodes]).at(-1)).toEqual([TODAY, 21]);
    expect((await readMetrics(api, "?window_days=9")).total).toMatchObject({ episodes: 22, retries: 3 });
    expect((await readMetrics(api, "?project_id=shop&agent_id=bob")).total).toMatchObject({
      episodes: 10,
      duration_seconds: { mean: 55, p50: 50, p95: 100 },
    });
    const before = await readMetrics(api, `?window_days=1&until=${daysBefore(NOW, 8)}`);
    expect(await readMetrics(api, `?window_days=1&until=${daysBefore(NOW, 8).slice(0, 10)}`)).toEqual(before);
    expect(before).toMatchObject({ total: { episodes: 1 }, window: { days: 1 } });
  });

  it("count briefings, the patterns in them and the tokens they saved", async () => {
    const api = await kioku.tenant();
    const project_id = "shop";
    await statePattern(api, "Deploy the shop to production only after the smoke tests", {
      project_id,
      category: "deployment",
      correct_approach: "Run the smoke tests first, then the whole suite, then deploy with the script",
    });
    const goal = "Deploy the shop to production";
    const briefings = [
      await prime(api, goal, { project_id, agent_id: "ada" }),
      await prime(api, goal, { project_id, agent_id: "ada", token_budget: 50 }),
      await prime(api, "Paint the fence of the garden", { project_id }),
    ];
    const saved = briefings.reduce((sum, { tokens }) => sum + tokens.saved, 0);
    const used = briefings.reduce((sum, { tokens }) => sum + tokens.used, 0);
    expect(saved).toBeGreaterThan(0);
    await expect
      .poll(async () => (await readMetrics(api)).total.prime)
      .toEqual({
        calls: 3,
        with_patterns: 2,
        pattern_rate: 0.6667,
        patterns: 2,
        tokens_used: used,
        tokens_saved: saved,
      });
    const { by_agent, by_project, by_day } = await readMetrics(api);
    expect(by_agent).toMatchObject([
      { agent_id: "ada", prime: { calls: 2, pattern_rate: 1 } },
      { agent_id: null, prime: { calls: 1, pattern_rate: 0 } },
    ]);
    expect(by_project).toMatchObject([{ project_id, episodes: 0, prime: { calls: 3 } }]);
    expect(by_day.at(-1)?.prime.calls).toBe(3);
    expect((await readMetrics(api, "?agent_id=ada")).total.prime.calls).toBe(2);
  });

  it("count nothing for a key that only reads", async () => {
    const name = fresh("tenant");
    const [api, reader] = [await kioku.tenant({ name }), await kioku.tenant({ name, scopes: ["read"] })];
    const { id } = await statePattern(api, "Deploy the shop only after the smoke tests", {
      project_id: "shop",
    });
    expect((await prime(reader, "Deploy the shop", { project_id: "shop" })).relevant_patterns).toHaveLength(
      1,
    );
    expect(await readPattern(api, id)).toMatchObject({ usage_count: 0 });
    await prime(api, "Deploy the shop", { project_id: "shop" });
    await expect.poll(async () => (await readPattern(api, id)).usage_count).toBe(1);
    await expect.poll(async () => (await readMetrics(reader)).total.prime.calls).toBe(1);
  });

  it("show a bound key only its own, and no key another tenant's", async () => {
    const name = fresh("tenant");
    const owner = await kioku.tenant({ name });
    for (const [agent, project_id] of [
      ["ada", "shop"],
      ["bob", "shop"],
      ["ada", "site"],
    ] as const)
      await tellEpisode(owner, `Job of ${agent}`, { agent, project_id, timestamp: NOW });
    expect((await readMetrics(await kioku.tenant())).total.episodes).toBe(0);
    const ada = await kioku.tenant({ name, bind: { agent_id: "ada" } });
    expect((await readMetrics(ada)).by_agent).toMatchObject([{ agent_id: "ada", episodes: 2 }]);
    expectProblem(await ada.get("/v1/metrics?agent_id=bob"), "forbidden");
    const shop = await kioku.tenant({ name, bind: { project_id: "shop" } });
    expect((await readMetrics(shop)).by_project).toMatchObject([{ project_id: "shop", episodes: 2 }]);
    const user = await kioku.tenant({ name, bind: { user_id: fresh("user") } });
    expectProblem(await user.get("/v1/metrics"), "not_found");
  });

  it.each([
    "window_days=0",
    "window_days=91",
    "window_days=week",
    "until=yesterday",
    "project_id=a%20b",
  ])("are refused: %s", async (query) => {
    expectProblem(await kioku.api.get(`/v1/metrics?${query}`), "invalid_request", query.split("=")[0] ?? "");
  });
});
