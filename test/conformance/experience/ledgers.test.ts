// Ledgers: one checkpoint per agent, with its history.
import { describe, expect, it } from "vitest";
import { fresh } from "../support/client";
import { ISO_MS } from "../support/contract";
import { bodyOf, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";
import { checkpoint, historyOf, type Ledger } from "./handover";

const kioku = serviceUnderTest();

const LEDGER = {
  last_checkpoint: "2026-01-06T10:00:00Z",
  tasks_completed: 12,
  current_task: "task-042",
  state: {
    files_modified: ["src/routes/todos.ts"],
    uncommitted_changes: true,
    last_git_commit: "abc123",
  },
  context: {
    tech_stack: ["express", "typescript", "sqlite"],
    patterns_learned: ["sem-001", "sem-005"],
    current_goal: "Implement CRUD for todos",
  },
};

describe("a ledger", () => {
  it("is read as it was written", async () => {
    const agent = fresh("eng");
    const put = await checkpoint(kioku.api, agent, { agent_id: agent, ...LEDGER });
    expect(put).toMatchObject({ ...LEDGER, agent_id: agent, last_checkpoint: "2026-01-06T10:00:00.000Z" });
    expect(bodyOf(await kioku.api.get<Ledger>(`/v1/ledgers/${agent}`), 200)).toEqual(put);
  });

  it("is as new as its newest checkpoint, and keeps those before", async () => {
    const agent = fresh("eng");
    for (const tasks_completed of [1, 2, 3]) await checkpoint(kioku.api, agent, { tasks_completed });
    const newest = bodyOf(await kioku.api.get<Ledger>(`/v1/ledgers/${agent}`), 200);
    expect(newest.tasks_completed).toBe(3);
    expect(newest.last_checkpoint).toMatch(ISO_MS);
    const history = await historyOf(kioku.api, agent, 2);
    expect(history.map(({ tasks_completed }) => tasks_completed)).toEqual([3, 2, 1]);
    expect(history[0]).toEqual(newest);
  });

  it("that is written again as it is has no more history", async () => {
    const agent = fresh("eng");
    const { last_checkpoint: _, ...told } = LEDGER;
    const first = await checkpoint(kioku.api, agent, told);
    expect(await checkpoint(kioku.api, agent, told)).toEqual(first);
    expect(await historyOf(kioku.api, agent)).toEqual([first]);
  });

  it("loses no checkpoint of writers at once", async () => {
    const agent = fresh("eng");
    const counts = Array.from({ length: 10 }, (_, n) => n + 1);
    await Promise.all(counts.map((tasks_completed) => checkpoint(kioku.api, agent, { tasks_completed })));
    const history = await historyOf(kioku.api, agent);
    expect(history.map(({ tasks_completed }) => tasks_completed).toSorted((a, b) => a - b)).toEqual(counts);
    expect(new Set(history.map(({ version }) => version)).size).toBe(10);
  });

  it("is found by nobody but its tenant, and not before it is written", async () => {
    const agent = fresh("eng");
    expectProblem(await kioku.api.get(`/v1/ledgers/${agent}`), "not_found");
    await checkpoint(kioku.api, agent, LEDGER);
    const stranger = await kioku.tenant();
    for (const path of [`/v1/ledgers/${agent}`, `/v1/ledgers/${agent}/history`])
      expectProblem(await stranger.get(path), "not_found");
  });

  it.each([
    ["tasks_completed", { tasks_completed: -1 }],
    ["current_task", { current_task: 42 }],
    ["state", { state: "busy" }],
    ["context", { context: [] }],
    ["context", { context: { note: "x".repeat(200_000) } }],
    ["last_checkpoint", { last_checkpoint: "noon" }],
    ["agent_id", { agent_id: "somebody-else" }],
    ["task", { task: "task-042" }],
  ])("is refused by its %s (%#)", async (field, body) => {
    const agent = fresh("eng");
    expectProblem(await kioku.api.put(`/v1/ledgers/${agent}`, body), "invalid_request", field);
    expectProblem(await kioku.api.get(`/v1/ledgers/${agent}`), "not_found");
  });
});
