// Sessions: made, read, listed, changed, paused, closed, erased.
import { describe, expect, it } from "vitest";
import {
  ids,
  newSession,
  propose,
  quietSession,
  readSession,
  recall,
  remember,
  say,
} from "../support/actions";
import { fresh } from "../support/client";
import { ID, ISO_MS, type Page, type Recalled, type Session, type Transition } from "../support/contract";
import { bodyOf, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";

const kioku = serviceUnderTest();

async function list(query: string): Promise<Session[]> {
  return bodyOf(await kioku.api.get<Page<Session>>(`/v1/sessions?limit=100&${query}`), 200).data;
}

describe("making a session", () => {
  it("answers 201 with every default", async () => {
    const id = fresh("session");
    const session = bodyOf(await kioku.api.post<Session>("/v1/sessions", { id }), 201);
    expect(session).toMatchObject({
      id,
      status: "active",
      agent_id: null,
      project_id: null,
      continues: null,
      ended_at: null,
      token_budget: { total: 32_000, conversation: 20_000, context: 12_000 },
      promotion: {
        ...{ enabled: true, interval_ms: 30_000, threshold: 0.6, max_per_run: 20 },
        ...{ runs: 0, total_promoted: 0, last_run: null, next_run: null },
      },
      counts: { messages: 0, tokens: 0, context: 0, pending: 0, memories: 0 },
      metadata: {},
    });
    expect(session).toHaveProperty("policy");
    expect(session.created_at).toMatch(ISO_MS);
    expect(await readSession(kioku.api, id)).toEqual(session);
  });

  it("takes an empty body, or none, and gives an id", async () => {
    const one = bodyOf(await kioku.api.post<Session>("/v1/sessions", {}), 201);
    const two = bodyOf(await kioku.api.post<Session>("/v1/sessions"), 201);
    expect(one.id).toMatch(ID);
    expect(two.id).toMatch(ID);
    expect(one.id).not.toBe(two.id);
  });

  it("keeps what it is given", async () => {
    const earlier = await newSession(kioku.api);
    const given = {
      id: fresh("session"),
      agent_id: fresh("agent"),
      project_id: fresh("project"),
      continues: earlier.id,
      token_budget: { total: 16_000, conversation: 9_000, context: 5_000 },
      promotion: { enabled: false, interval_ms: 5_000, threshold: 0.75, max_per_run: 3 },
      metadata: { team: "blue", nested: { list: [1, null, "two"] } },
    };
    expect(bodyOf(await kioku.api.post<Session>("/v1/sessions", given), 201)).toMatchObject(given);
    expect(await readSession(kioku.api, given.id)).toMatchObject(given);
  });

  it("answers 409 for an id that is taken, and leaves the first as it is", async () => {
    const first = await newSession(kioku.api, { metadata: { n: 1 } });
    expectProblem(await kioku.api.post("/v1/sessions", { id: first.id, metadata: { n: 2 } }), "conflict");
    expect(await readSession(kioku.api, first.id)).toEqual(first);
  });

  it("lets exactly one of many callers make the same id", async () => {
    const id = fresh("session");
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => kioku.api.post("/v1/sessions", { id })),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([
      201,
      ...Array.from({ length: 9 }, () => 409),
    ]);
  });

  it.each([
    ["interval_ms", { promotion: { interval_ms: 999 } }],
    ["interval_ms", { promotion: { interval_ms: 3_600_001 } }],
    ["threshold", { promotion: { threshold: 1.01 } }],
    ["threshold", { promotion: { threshold: -0.01 } }],
    ["max_per_run", { promotion: { max_per_run: 0 } }],
    ["enabled", { promotion: { enabled: "yes" } }],
    ["total", { token_budget: { total: 999, conversation: 500, context: 400 } }],
    ["total", { token_budget: { total: 200_001, conversation: 500, context: 400 } }],
    ["metadata", { metadata: "text" }],
  ])("refuses a bad %s: %j", async (field, body) => {
    const id = fresh("session");
    expectProblem(await kioku.api.post("/v1/sessions", { id, ...body }), "invalid_request", field);
    expectProblem(await kioku.api.get(`/v1/sessions/${id}`), "not_found");
  });

  it.each([1_000, 3_600_000])("accepts the promotion interval %i", async (interval_ms) => {
    expect((await newSession(kioku.api, { promotion: { interval_ms } })).promotion.interval_ms).toBe(
      interval_ms,
    );
  });
});

describe("an unknown session", () => {
  it.each([
    "",
    "/messages",
    "/context",
    "/context/framework",
    "/pending",
  ])("is a 404 to read at %j", async (part) => {
    expectProblem(await kioku.api.get(`/v1/sessions/${fresh("nobody")}${part}`), "not_found");
  });

  it.each(["recall", "assemble"])("is empty to %s, and is not made by it", async (call) => {
    const id = fresh("nobody");
    const { memories } = bodyOf(
      await kioku.api.post<{ memories: unknown[] }>(`/v1/sessions/${id}/${call}`, { query: "anything" }),
      200,
    );
    expect(memories).toEqual([]);
    expectProblem(await kioku.api.get(`/v1/sessions/${id}`), "not_found");
  });

  it.each(["promote", "pause", "resume", "close"])("is a 404 to %s, and is not made by it", async (call) => {
    const id = fresh("nobody");
    expectProblem(await kioku.api.post(`/v1/sessions/${id}/${call}`, {}), "not_found");
    expectProblem(await kioku.api.get(`/v1/sessions/${id}`), "not_found");
  });

  it("is a 404 to delete", async () => {
    expectProblem(await kioku.api.delete(`/v1/sessions/${fresh("nobody")}`), "not_found");
  });

  it.each([
    [
      "messages",
      (id: string) =>
        kioku.api.post(`/v1/sessions/${id}/messages`, { messages: [{ role: "user", content: "Hi" }] }),
      201,
    ],
    [
      "context",
      (id: string) => kioku.api.put(`/v1/sessions/${id}/context/framework`, { value: "Hono" }),
      200,
    ],
    [
      "pending",
      (id: string) => kioku.api.post(`/v1/sessions/${id}/pending`, { content: "A", memory_type: "fact" }),
      201,
    ],
    ["remember", (id: string) => kioku.api.post(`/v1/sessions/${id}/remember`, { content: "A" }), 201],
  ])("is made by the first write: %s", async (_name, write, status) => {
    const id = fresh("session");
    bodyOf(await write(id), status);
    expect(await readSession(kioku.api, id)).toMatchObject({
      id,
      status: "active",
      token_budget: { total: 32_000 },
    });
    expectProblem(await kioku.api.post("/v1/sessions", { id }), "conflict");
  });
});

describe("listing sessions", () => {
  it("filters by agent, project and status", async () => {
    const [agent_id, project_id] = [fresh("agent"), fresh("project")];
    const both = await newSession(kioku.api, { agent_id, project_id });
    const agentOnly = await newSession(kioku.api, { agent_id });
    const closed = await newSession(kioku.api, { agent_id });
    bodyOf(await kioku.api.post(`/v1/sessions/${closed.id}/close`), 200);
    expect(ids(await list(`agent_id=${agent_id}`)).sort()).toEqual([both.id, agentOnly.id, closed.id].sort());
    expect(ids(await list(`project_id=${project_id}`))).toEqual([both.id]);
    expect(ids(await list(`agent_id=${agent_id}&status=closed`))).toEqual([closed.id]);
    expect(ids(await list(`agent_id=${agent_id}&status=active`)).sort()).toEqual(
      [both.id, agentOnly.id].sort(),
    );
    expect(await list(`agent_id=${fresh("agent")}`)).toEqual([]);
  });
});

describe("changing a session", () => {
  it("changes what is named and nothing else", async () => {
    const before = await newSession(kioku.api, { agent_id: fresh("agent"), metadata: { a: 1 } });
    const at = `/v1/sessions/${before.id}`;
    const changed = bodyOf(await kioku.api.patch<Session>(at, { promotion: { threshold: 0.8 } }), 200);
    expect(changed.promotion).toEqual({ ...before.promotion, threshold: 0.8 });
    expect(changed).toMatchObject({
      agent_id: before.agent_id,
      metadata: { a: 1 },
      token_budget: before.token_budget,
    });
    const budget = { total: 64_000, conversation: 40_000, context: 20_000 };
    expect(bodyOf(await kioku.api.patch<Session>(at, { token_budget: budget }), 200).token_budget).toEqual(
      budget,
    );
    expect(bodyOf(await kioku.api.patch<Session>(at, { metadata: { b: 2 } }), 200).metadata).toMatchObject({
      b: 2,
    });
    expect(await readSession(kioku.api, before.id)).toMatchObject({
      token_budget: budget,
      promotion: { threshold: 0.8 },
    });
  });

  it("refuses all of a change when a part of it is bad", async () => {
    const before = await newSession(kioku.api);
    const bad = { metadata: { changed: true }, promotion: { interval_ms: 5 } };
    expectProblem(await kioku.api.patch(`/v1/sessions/${before.id}`, bad), "invalid_request", "interval_ms");
    expect(await readSession(kioku.api, before.id)).toEqual(before);
  });
});

describe("erasing a session", () => {
  it("takes it off the list", async () => {
    const agent_id = fresh("agent");
    const [gone, kept] = [
      await newSession(kioku.api, { agent_id }),
      await newSession(kioku.api, { agent_id }),
    ];
    expectProblem(
      await kioku.api.delete(`/v1/sessions/${gone.id}?memories=maybe`),
      "invalid_request",
      "memories",
    );
    bodyOf(await kioku.api.delete(`/v1/sessions/${gone.id}`), 200);
    expect(ids(await list(`agent_id=${agent_id}`))).toEqual([kept.id]);
  });

  it("erases its short-term memory, says how much, and leaves its memories", async () => {
    const session = await quietSession(kioku.api);
    const at = `/v1/sessions/${session.id}`;
    await say(
      kioku.api,
      session.id,
      [1, 2, 3].map((n) => ({ role: "user", content: `message ${n}` })),
    );
    for (const key of ["framework", "project_root"])
      bodyOf(await kioku.api.put(`${at}/context/${key}`, { value: key }), 200);
    await propose(kioku.api, session.id, "A candidate", { importance_score: 0.1 });
    const kept = await remember(kioku.api, session.id, "This outlives its session");
    await kioku.indexed();
    const receipt = bodyOf(await kioku.api.delete(at), 200);
    expect(receipt).toMatchObject({
      deleted: { messages: 3, context: 2, pending: 1, memories: 0, vectors: 3 },
    });
    expectProblem(await kioku.api.get(at), "not_found");
    expectProblem(await kioku.api.get(`${at}/messages`), "not_found");
    bodyOf(await kioku.api.get(`/v1/memories/${kept.memory_id}`), 200);
    expectProblem(await kioku.api.delete(at), "not_found");
  });

  it("erases its memories too when asked, the forgotten ones with them", async () => {
    const session = await newSession(kioku.api);
    const stored = [];
    for (const n of [1, 2, 3])
      stored.push(await remember(kioku.api, session.id, `Erase me ${n}`, { evidence: ["e1"] }));
    const first = stored[0]?.memory_id;
    bodyOf(await kioku.api.post(`/v1/sessions/${session.id}/forget`, { memory_id: first }), 200);
    await kioku.indexed();
    const answer = await kioku.api.delete<{ deleted: Record<string, number> }>(
      `/v1/sessions/${session.id}?memories=true`,
    );
    const { deleted } = bodyOf(answer, 200);
    expect(deleted).toMatchObject({ messages: 0, context: 0, pending: 0, memories: 3, vectors: 3 });
    expect(deleted.triples).toBeGreaterThanOrEqual(3 * 8);
    for (const one of stored)
      expectProblem(await kioku.api.get(`/v1/memories/${one.memory_id}`), "not_found");
    for (const mode of ["text", "semantic", "hybrid"]) {
      const asked = { query: "Erase", mode, include_superseded: true, limit: 50 };
      const { memories } = bodyOf(await kioku.api.post<Recalled>("/v1/recall", asked), 200);
      for (const one of stored) expect(ids(memories)).not.toContain(one.memory_id);
    }
  });

  it("leaves other sessions alone", async () => {
    const [one, other] = [await newSession(kioku.api), await newSession(kioku.api)];
    await remember(kioku.api, one.id, "Shared words in one");
    const kept = await remember(kioku.api, other.id, "Shared words in other");
    bodyOf(await kioku.api.delete(`/v1/sessions/${one.id}?memories=true`), 200);
    expect(ids(await recall(kioku.api, other.id, { query: "shared words" }))).toEqual([kept.memory_id]);
  });

  it("frees the id for a new session that starts from nothing", async () => {
    const session = await newSession(kioku.api, { metadata: { old: true } });
    await say(kioku.api, session.id, [{ role: "user", content: "Old words" }]);
    bodyOf(await kioku.api.delete(`/v1/sessions/${session.id}`), 200);
    const again = bodyOf(await kioku.api.post<Session>("/v1/sessions", { id: session.id }), 201);
    expect(again).toMatchObject({ metadata: {}, counts: { messages: 0, tokens: 0 } });
  });

  it("works on a closed session", async () => {
    const session = await newSession(kioku.api);
    await say(kioku.api, session.id, [{ role: "user", content: "Before the end" }]);
    bodyOf(await kioku.api.post<Transition>(`/v1/sessions/${session.id}/close`), 200);
    expect(bodyOf(await kioku.api.delete(`/v1/sessions/${session.id}`), 200)).toMatchObject({
      deleted: { messages: 1 },
    });
  });
});
