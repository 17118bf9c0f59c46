// What errors leave behind: an anti-pattern for each type, whatever became of the attempt, and a learning for each that
// was resolved.
import { describe, expect, it } from "vitest";
import { allPages } from "../support/actions";
import { type Client, fresh } from "../support/client";
import { bodyOf } from "../support/expectations";
import { serviceUnderTest } from "../support/service";
import { antiPatternsOf, consolidate, type Learning, prime, tellEpisode } from "./experience";

const kioku = serviceUnderTest();

const NOW = "2026-01-06T20:00:00.000Z";
const ERROR = {
  type: "TypeScript compilation",
  message: "Missing return type annotation",
  resolution: "Added explicit :void to route handler",
};

async function place() {
  const [api, project_id] = [await kioku.tenant(), fresh("project")];
  const tell = (goal: string, more: object = {}) =>
    tellEpisode(api, goal, {
      ...{ project_id, timestamp: "2026-01-06T10:30:00.000Z", errors_encountered: [ERROR] },
      ...more,
    });
  const run = () => consolidate(api, { project_id, now: NOW });
  return { api, project_id, tell, run };
}

function learningsOf(api: Client, query = ""): Promise<Learning[]> {
  return allPages<Learning>(api, `/v1/learnings${query}`);
}

describe("an error of a single episode", () => {
  it.each(["success", "partial", "failure"])("makes an anti-pattern, once: %s", async (outcome) => {
    const { api, tell, run } = await place();
    const { id } = await tell("Implement POST /api/todos endpoint", { outcome });
    expect((await run()).anti_patterns).toHaveLength(1);
    const found = await antiPatternsOf(api);
    expect(found).toMatchObject([
      {
        ...{ what_fails: ERROR.type, why: ERROR.message, prevention: ERROR.resolution },
        ...{ source_episodes: [id], usage_count: 0 },
      },
    ]);
    expect(await run()).toMatchObject({ anti_patterns: [], updated: [], learnings: [] });
    expect(await antiPatternsOf(api)).toEqual(found);
  });

  it("weighs more if the episode failed", async () => {
    const { api, tell, run } = await place();
    const met = (type: string, message: string, outcome: string) =>
      tell(`Met ${type}`, { outcome, errors_encountered: [{ type, message }] });
    await met("Lint", "An unused import in the router", "success");
    await met("Build", "The disk of the runner is full", "failure");
    await run();
    const found = new Map((await antiPatternsOf(api)).map((one) => [one.what_fails, one.confidence]));
    expect(found.get("Build")).toBeGreaterThan(found.get("Lint") ?? 1);
  });

  it("is warned of before the next such task", async () => {
    const { api, project_id, tell, run } = await place();
    await tell("Implement POST /api/todos endpoint");
    await run();
    const { avoid_these } = await prime(api, "Implement POST /api/users endpoint", { project_id });
    expect(avoid_these).toMatchObject([{ what_fails: ERROR.type, prevention: ERROR.resolution }]);
  });
});

describe("new evidence", () => {
  it("counts as one use of the pattern, and only new evidence does", async () => {
    const { api, tell, run } = await place();
    await tell("Implement POST /api/todos endpoint", { outcome: "failure" });
    await run();
    await tell("Write the release notes", { timestamp: "2026-01-06T11:00:00.000Z" });
    await tell("Draw the diagram", { timestamp: "2026-01-06T12:00:00.000Z" });
    expect((await run()).updated).toHaveLength(1);
    const used = { usage_count: 1, last_used: "2026-01-06T12:00:00.000Z", confidence: 0.65 };
    expect(await antiPatternsOf(api)).toMatchObject([used]);
    expect((await run()).updated).toEqual([]);
    expect(await antiPatternsOf(api)).toMatchObject([used]);
  });
});

describe("a resolved error", () => {
  it("is a learning, which a repetition updates", async () => {
    const { api, project_id, tell, run } = await place();
    const one = await tell("Implement POST /api/todos endpoint");
    const [id] = (await run()).learnings;
    expect(await learningsOf(api)).toMatchObject([
      {
        ...{ id, trigger: ERROR.type, root_cause: ERROR.message, fix: ERROR.resolution },
        ...{ prevention: ERROR.resolution, evidence: [one.id], occurrences: 1, project_id },
      },
    ]);
    const two = await tell("Draw the diagram", { timestamp: "2026-01-06T12:00:00.000Z" });
    expect((await run()).learnings).toEqual([id]);
    expect((await run()).learnings).toEqual([]);
    expect(await learningsOf(api)).toMatchObject([
      { id, occurrences: 2, evidence: [one.id, two.id], last_seen: two.timestamp },
    ]);
  });

  it("without a resolution is none", async () => {
    const { api, tell, run } = await place();
    await tell("Draw the diagram", { errors_encountered: [{ type: "Crash", message: "Broken pipe" }] });
    expect(await run()).toMatchObject({ learnings: [] });
    expect(await learningsOf(api)).toEqual([]);
  });

  it("confirms a learning that was posted, and leaves its prevention", async () => {
    const { api, project_id, tell, run } = await place();
    const posted = {
      ...{ trigger: ERROR.type, root_cause: ERROR.message, fix: "Added :void", project_id },
      prevention: "Lint for return types",
    };
    const { id } = bodyOf(await api.post<Learning>("/v1/learnings", posted), 201);
    await tell("Implement POST /api/todos endpoint");
    expect((await run()).learnings).toEqual([id]);
    expect(await learningsOf(api)).toMatchObject([{ id, occurrences: 2, prevention: posted.prevention }]);
  });

  it("that was forgotten does not return", async () => {
    const { api, tell, run } = await place();
    await tell("Implement POST /api/todos endpoint");
    const [memory_id] = (await run()).learnings;
    bodyOf(await api.post("/v1/forget", { memory_id }), 200);
    await tell("Draw the diagram");
    expect((await run()).learnings).toEqual([]);
    expect(await learningsOf(api)).toEqual([]);
  });
});

describe("the list of learnings", () => {
  it("is limited to a time by since and until", async () => {
    const { api, tell, run } = await place();
    await tell("Implement POST /api/todos endpoint");
    await run();
    const within = (query: string) => learningsOf(api, query).then(({ length }) => length);
    expect(await within("?since=2026-01-06T00:00:00Z&until=2026-01-07T00:00:00Z")).toBe(1);
    expect(await within("?since=2026-01-06&until=2026-01-06")).toBe(1);
    expect(await within("?since=2026-01-07T00:00:00Z")).toBe(0);
    expect(await within("?until=2026-01-06T00:00:00Z")).toBe(0);
    expect((await api.get("/v1/learnings?since=yesterday")).status).toBe(400);
  });
});
