// Episodes: told in full or in short, each once, listed by what they were.
import { describe, expect, it } from "vitest";
import { allPages, ids } from "../support/actions";
import { fresh } from "../support/client";
import { ID, ISO_MS, type Page } from "../support/contract";
import { bodyOf, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";
import { type Episode, episodesOf, readEpisode, tellEpisode } from "./experience";

const kioku = serviceUnderTest();

type Fields = Record<string, unknown>;

/** With every field of the seed, and those beside them. */
const whole = (id: string): Fields => ({
  id,
  task_id: "task-042",
  project_id: fresh("project"),
  timestamp: "2026-01-06T10:30:00.000Z",
  duration_seconds: 342.5,
  agent: "eng-001-backend",
  context: {
    phase: "development",
    goal: "Implement POST /api/todos endpoint",
    constraints: ["No third-party deps", "< 200ms response"],
    files_involved: ["src/routes/todos.ts", "src/db/todos.ts"],
  },
  action_log: [
    { t: 0, action: "read_file", target: "openapi.yaml" },
    {
      t: 120,
      action: "run_test",
      result: "fail",
      error: "missing return type",
      attempt: { nested: [1, null] },
    },
    { t: 180, action: "run_test", result: "pass" },
  ],
  outcome: "success",
  errors_encountered: [
    {
      type: "TypeScript compilation",
      message: "Missing return type annotation",
      resolution: "Added explicit :void to route handler",
    },
    { type: "Lint", message: "", resolution: null },
  ],
  artifacts_produced: ["src/routes/todos.ts", "tests/todos.test.ts"],
  files_read: ["openapi.yaml"],
  files_modified: ["src/routes/todos.ts"],
  git_commit: "abc123",
  tokens_used: 18_230,
  importance: 0.83,
});

describe("an episode", () => {
  it("is kept with everything that was told of it", async () => {
    const told = whole(fresh("ep"));
    const answer = bodyOf(await kioku.api.post<Episode>("/v1/episodes", told), 201);
    expect(answer).toMatchObject(told);
    expect(answer).toMatchObject({ archived: false, summarised: false, summary: null, usage_count: 0 });
    expect(await readEpisode(kioku.api, answer.id)).toEqual(answer);
  });

  it("needs a goal and an outcome, and has defaults for the rest", async () => {
    const told = { context: { goal: "Find the slow query" }, outcome: "partial" };
    const episode = bodyOf(await kioku.api.post<Episode>("/v1/episodes", told), 201);
    expect(episode.id).toMatch(ID);
    expect(episode.timestamp).toMatch(ISO_MS);
    expect(episode).toMatchObject({
      context: { goal: "Find the slow query", phase: null, constraints: [], files_involved: [] },
      outcome: "partial",
      project_id: "default",
      agent: null,
      action_log: [],
      errors_encountered: [],
      files_read: [],
      files_modified: [],
      importance: 0.5,
    });
    expect(await readEpisode(kioku.api, episode.id)).toEqual(episode);
  });

  it("keeps its time in UTC, whatever the clock it was told by", async () => {
    const told = { timestamp: "2026-01-06T12:30:00+02:00" };
    const { timestamp } = await tellEpisode(kioku.api, "Look at the clock", told);
    expect(timestamp).toBe("2026-01-06T10:30:00.000Z");
  });

  it("told twice under one id is one", async () => {
    const told = whole(fresh("ep"));
    const first = bodyOf(await kioku.api.post<Episode>("/v1/episodes", told), 201);
    expect(bodyOf(await kioku.api.post<Episode>("/v1/episodes", told), 200)).toEqual(first);
    expect(await episodesOf(kioku.api, String(told.project_id))).toEqual([first]);
  });

  it("told at once by many is one", async () => {
    const told = whole(fresh("ep"));
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => kioku.api.post<Episode>("/v1/episodes", told)),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array<number>(7).fill(200), 201]);
    expect(await episodesOf(kioku.api, String(told.project_id))).toHaveLength(1);
  });

  it("told otherwise under the same id is a conflict, and stays what it was", async () => {
    const told = whole(fresh("ep"));
    const first = bodyOf(await kioku.api.post<Episode>("/v1/episodes", told), 201);
    for (const other of [
      { outcome: "failure" },
      { context: { goal: "Something else" } },
      { importance: 0.1 },
    ])
      expectProblem(await kioku.api.post("/v1/episodes", { ...told, ...other }), "conflict");
    expect(await readEpisode(kioku.api, first.id)).toEqual(first);
  });

  it("is read any number of times without being used", async () => {
    const first = await tellEpisode(kioku.api, "Read me");
    for (let n = 0; n < 3; n += 1) expect(await readEpisode(kioku.api, first.id)).toEqual(first);
  });

  it.each<[string, Fields]>([
    ["outcome", { outcome: undefined }],
    ["outcome", { outcome: "great" }],
    ["outcome", { outcome: "Success" }],
    ["context", { context: undefined }],
    ["goal", { context: {} }],
    ["goal", { context: { goal: "  " } }],
    ["goal", { context: { goal: 7 } }],
    ["constraints", { context: { goal: "a", constraints: "none" } }],
    ["id", { id: "a b" }],
    ["project_id", { project_id: "a/b" }],
    ["timestamp", { timestamp: "yesterday" }],
    ["timestamp", { timestamp: "2026-01-06" }],
    ["duration_seconds", { duration_seconds: -1 }],
    ["action_log", { action_log: "ran" }],
    ["action", { action_log: [{ t: 0 }] }],
    ["type", { errors_encountered: [{ message: "no type" }] }],
    ["files_read", { files_read: [7] }],
    ["tokens_used", { tokens_used: -1 }],
    ["tokens_used", { tokens_used: 1.5 }],
    ["importance", { importance: 1.1 }],
    ["importance", { importance: "high" }],
  ])("is refused by the field %s: %j", async (field, wrong) => {
    const project_id = fresh("project");
    const body = { project_id, context: { goal: "a" }, outcome: "success", ...wrong };
    expectProblem(await kioku.api.post("/v1/episodes", body), "invalid_request", field);
    expect(await episodesOf(kioku.api, project_id)).toEqual([]);
  });

  it("is refused for a misspelled field, at any depth", async () => {
    const project_id = fresh("project");
    const good = { project_id, context: { goal: "a" }, outcome: "success" };
    for (const wrong of [
      { outcom: "success" },
      { context: { goal: "a", phases: "development" } },
      { errors_encountered: [{ type: "a", fix: "b" }] },
    ])
      expectProblem(await kioku.api.post("/v1/episodes", { ...good, ...wrong }), "invalid_request");
    expect(await episodesOf(kioku.api, project_id)).toEqual([]);
  });
});

describe("the list of episodes", () => {
  async function several() {
    const project = fresh("project");
    const made: Episode[] = [];
    for (const [n, outcome] of ["success", "failure", "partial", "success", "failure"].entries())
      made.push(
        await tellEpisode(kioku.api, `Attempt ${n}`, {
          ...{ project_id: project, outcome, timestamp: `2026-01-0${n + 1}T12:00:00.000Z` },
        }),
      );
    await tellEpisode(kioku.api, "Of another project", { project_id: fresh("project") });
    return { project, made };
  }

  it("is that of a project", async () => {
    const { project, made } = await several();
    expect(ids(await episodesOf(kioku.api, project)).sort()).toEqual(ids(made).sort());
  });

  it("takes an outcome and a time", async () => {
    const { project } = await several();
    const goals = async (query: string) =>
      (await episodesOf(kioku.api, project, query)).map(({ context }) => context.goal).sort();
    expect(await goals("&outcome=failure")).toEqual(["Attempt 1", "Attempt 4"]);
    expect(await goals("&since=2026-01-03T00:00:00.000Z")).toEqual(["Attempt 2", "Attempt 3", "Attempt 4"]);
    expect(await goals("&since=2026-01-03T00:00:00.000Z&outcome=success")).toEqual(["Attempt 3"]);
    expect(await goals("&since=2026-02-01T00:00:00.000Z")).toEqual([]);
    expect(await goals("&since=2026-01-03")).toEqual(await goals("&since=2026-01-03T00:00:00.000Z"));
  });

  it.each([1, 2, 3])("gives every one once, in the same order, %i at a time", async (limit) => {
    const { project } = await several();
    const path = `/v1/episodes?project_id=${project}`;
    const whole = bodyOf(await kioku.api.get<Page<Episode>>(path), 200);
    expect(whole.next_cursor).toBeNull();
    expect(await allPages<Episode>(kioku.api, path, limit)).toEqual(whole.data);
  });

  it.each([
    ["outcome", "outcome=great"],
    ["since", "since=yesterday"],
    ["project_id", "project_id=a%20b"],
    ["limit", "limit=0"],
    ["limit", "limit=101"],
    ["cursor", "cursor=nonsense"],
  ])("refuses a bad %s: %s", async (field, query) => {
    expectProblem(await kioku.api.get(`/v1/episodes?${query}`), "invalid_request", field);
  });
});
