// Handoffs: from agent to agent, taken by the first who acknowledges. http/kill.test.ts takes them across a crash.
import { describe, expect, it } from "vitest";
import { allPages, ids } from "../support/actions";
import { fresh } from "../support/client";
import { ID, ISO_MS } from "../support/contract";
import { bodyOf, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";
import { acknowledge, type Handoff, handOff, readHandoff } from "./handover";

const kioku = serviceUnderTest();

const HANDOFF = {
  from_agent: "eng-001-backend",
  to_agent: "qa-001-testing",
  timestamp: "2026-01-06T11:00:00Z",
  context: {
    what_was_done: "Implemented POST /api/todos endpoint",
    artifacts: ["src/routes/todos.ts"],
    git_state: "commit abc123",
    needs_testing: ["unit tests for validation", "contract tests"],
    known_issues: [],
    relevant_patterns: ["sem-001"],
  },
};
const PENDING = { status: "pending", acknowledged_by: null, acknowledged_at: null };

function once(): Record<string, string> {
  return { "idempotency-key": fresh("key") };
}

describe("a handoff", () => {
  it("is pending, and has what it was given and the rest by default", async () => {
    const id = fresh("handoff");
    const made = bodyOf(await kioku.api.post<Handoff>("/v1/handoffs", { id, ...HANDOFF }), 201);
    expect(made).toEqual({
      ...HANDOFF,
      ...PENDING,
      id,
      timestamp: "2026-01-06T11:00:00.000Z",
      project_id: null,
    });
    expect(await readHandoff(kioku.api, id)).toEqual(made);
    const small = await handOff(kioku.api, fresh("qa"));
    expect(small.id).toMatch(ID);
    expect(small.timestamp).toMatch(ISO_MS);
    expect(small.context).toMatchObject({ artifacts: [], git_state: null, known_issues: [] });
  });

  it("is the same one when it is sent again under its id, and another one under that id is a conflict", async () => {
    const body = { id: fresh("handoff"), ...HANDOFF };
    const made = bodyOf(await kioku.api.post<Handoff>("/v1/handoffs", body), 201);
    expect(bodyOf(await kioku.api.post<Handoff>("/v1/handoffs", body), 200)).toEqual(made);
    expectProblem(await kioku.api.post("/v1/handoffs", { ...body, to_agent: "qa-002" }), "conflict");
    expect(await readHandoff(kioku.api, body.id)).toEqual(made);
  });

  it("is made once under an Idempotency-Key", async () => {
    const [to_agent, key] = [fresh("qa"), once()];
    const first = await kioku.api.post<Handoff>("/v1/handoffs", { ...HANDOFF, to_agent }, key);
    const again = await kioku.api.post<Handoff>("/v1/handoffs", { ...HANDOFF, to_agent }, key);
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect(await allPages(kioku.api, `/v1/handoffs?to_agent=${to_agent}`)).toEqual([first.body]);
  });

  it("is listed for its receiver, newest first, by status", async () => {
    const [to_agent, project_id] = [fresh("qa"), fresh("project")];
    const at = (hour: number) => ({ timestamp: `2026-01-06T0${hour}:00:00Z` });
    const old = await handOff(kioku.api, to_agent, at(1));
    const young = await handOff(kioku.api, to_agent, { ...at(3), project_id });
    const middle = await handOff(kioku.api, to_agent, at(2));
    bodyOf(await acknowledge(kioku.api, middle.id, to_agent), 200);
    for (const [query, expected] of [
      ["", [young, middle, old]],
      ["&status=pending", [young, old]],
      ["&status=acknowledged", [middle]],
      [`&project_id=${project_id}`, [young]],
      [`&from_agent=${old.from_agent}`, [old]],
    ] as const) {
      const found = await allPages<Handoff>(kioku.api, `/v1/handoffs?to_agent=${to_agent}${query}`, 1);
      expect(ids(found), query).toEqual(ids([...expected]));
    }
    expectProblem(await kioku.api.get("/v1/handoffs?status=lost"), "invalid_request", "status");
  });

  it("is found by nobody but its tenant", async () => {
    const { id, to_agent } = await handOff(kioku.api, fresh("qa"));
    const stranger = await kioku.tenant();
    expectProblem(await stranger.get(`/v1/handoffs/${id}`), "not_found");
    expectProblem(await acknowledge(stranger, id, to_agent), "not_found");
    expect(await allPages(stranger, "/v1/handoffs")).toEqual([]);
    expect(await readHandoff(kioku.api, id)).toMatchObject(PENDING);
  });

  it.each([
    ["from_agent", { from_agent: undefined }],
    ["to_agent", { to_agent: "q a" }],
    ["context", { context: undefined }],
    ["what_was_done", { context: { artifacts: [] } }],
    ["needs_testing", { context: { ...HANDOFF.context, needs_testing: "all" } }],
    ["context", { context: { ...HANDOFF.context, log: "x".repeat(200_000) } }],
    ["timestamp", { timestamp: "noon" }],
    ["status", { status: "acknowledged" }],
  ])("is refused by its %s (%#)", async (field, more) => {
    const api = await kioku.tenant();
    expectProblem(await api.post("/v1/handoffs", { ...HANDOFF, ...more }), "invalid_request", field);
    expect(await allPages(api, "/v1/handoffs")).toEqual([]);
  });
});

describe("acknowledging", () => {
  it("is for the first; every later one is told who that was", async () => {
    const { id } = await handOff(kioku.api, fresh("qa"));
    const [winner, loser] = [fresh("winner"), fresh("loser")];
    const taken = bodyOf(await acknowledge(kioku.api, id, winner), 200);
    expect(taken).toMatchObject({ id, status: "acknowledged", acknowledged_by: winner });
    expect(taken.acknowledged_at).toMatch(ISO_MS);
    for (const agent of [loser, winner])
      expect(expectProblem(await acknowledge(kioku.api, id, agent), "conflict").detail).toContain(winner);
    expect(await readHandoff(kioku.api, id)).toEqual(taken);
  });

  it("has one winner of ten agents at once", async () => {
    const { id } = await handOff(kioku.api, fresh("qa"));
    const agents = Array.from({ length: 10 }, (_, n) => `racer-${n}`);
    const answers = await Promise.all(agents.map((agent) => acknowledge(kioku.api, id, agent)));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    const winner = won[0]?.body.acknowledged_by ?? "";
    for (const answer of answers.filter(({ status }) => status !== 200))
      expect(expectProblem(answer, "conflict").detail).toContain(winner);
    expect((await readHandoff(kioku.api, id)).acknowledged_by).toBe(winner);
  });

  it("is answered again under its Idempotency-Key, and with another body is a conflict", async () => {
    const { id } = await handOff(kioku.api, fresh("qa"));
    const key = once();
    const first = await acknowledge(kioku.api, id, "winner", key);
    const again = await acknowledge(kioku.api, id, "winner", key);
    expect([again.status, again.body]).toEqual([200, first.body]);
    expectProblem(await acknowledge(kioku.api, id, "loser", key), "conflict");
  });

  it("of nothing is a 404, and by nobody a 400", async () => {
    const { id } = await handOff(kioku.api, fresh("qa"));
    expectProblem(await acknowledge(kioku.api, fresh("handoff"), "qa"), "not_found");
    expectProblem(await kioku.api.post(`/v1/handoffs/${id}/acknowledge`, {}), "invalid_request", "agent_id");
    expect(await readHandoff(kioku.api, id)).toMatchObject(PENDING);
  });
});
