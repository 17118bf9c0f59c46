// The life of a session: pause, resume, close, and what each state lets callers do.
import { describe, expect, it, vi } from "vitest";
import {
  answerTo,
  change,
  direct,
  makeSpace,
  project,
  readContainer,
  wholeThread,
} from "../cognition/cognition";
import {
  contents,
  forget,
  newSession,
  propose,
  readSession,
  recall,
  remember,
  say,
} from "../support/actions";
import { sleep } from "../support/client";
import { ISO_MS, type Transition } from "../support/contract";
import { bodyOf, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";

const kioku = serviceUnderTest();

async function transition(session: string, to: "pause" | "resume" | "close"): Promise<Transition> {
  return bodyOf(await kioku.api.post<Transition>(`/v1/sessions/${session}/${to}`), 200);
}

describe("a paused session", () => {
  it("says so, and is active again after resume", async () => {
    const { id } = await newSession(kioku.api);
    expect(await transition(id, "pause")).toMatchObject({
      id,
      status: "paused",
      promoted: 0,
      ended_at: null,
    });
    expect((await readSession(kioku.api, id)).status).toBe("paused");
    expect(await transition(id, "resume")).toMatchObject({ id, status: "active" });
    expect((await readSession(kioku.api, id)).status).toBe("active");
  });

  it("takes reads and writes", async () => {
    const { id } = await newSession(kioku.api);
    await transition(id, "pause");
    await say(kioku.api, id, [{ role: "user", content: "While paused" }]);
    await propose(kioku.api, id, "A candidate while paused", { importance_score: 0.1 });
    await remember(kioku.api, id, "A memory while paused");
    bodyOf(await kioku.api.put(`/v1/sessions/${id}/context/framework`, { value: "Hono" }), 200);
    expect(contents(await recall(kioku.api, id))).toEqual(["A memory while paused"]);
    expect(await readSession(kioku.api, id)).toMatchObject({
      status: "paused",
      counts: { messages: 1, context: 1, pending: 1, memories: 1 },
    });
  });

  it("still carries out directives and projects on demand", async () => {
    const { id } = await newSession(kioku.api);
    await transition(id, "pause");
    const directive = { type: "upsert", provider: "d1", items: [{ key: "a", value: 1 }] };
    const answer = await answerTo(kioku.api, id, await direct(kioku.api, id, directive));
    expect(answer.data.status).toBe("ok");
    expect((await project(kioku.api, id, "summary")).projected).toBe(1);
  });

  it("holds no alarm, and promotes again once it is resumed", async () => {
    const { id } = await newSession(kioku.api, { promotion: { interval_ms: 1_000 } });
    await transition(id, "pause");
    await propose(kioku.api, id, "Waiting for the session to resume", { importance_score: 0.9 });
    expect((await readSession(kioku.api, id)).promotion.next_run).toBeNull();
    await sleep(2_500);
    expect((await readSession(kioku.api, id)).counts).toMatchObject({ pending: 1, memories: 0 });
    await transition(id, "resume");
    await vi.waitFor(
      async () =>
        expect((await readSession(kioku.api, id)).counts).toMatchObject({ pending: 0, memories: 1 }),
      { interval: 250 },
    );
  });
});

describe("a closed session", () => {
  it("says so, with its end", async () => {
    const { id } = await newSession(kioku.api);
    const closed = await transition(id, "close");
    expect(closed).toMatchObject({ id, status: "closed", promoted: 0 });
    expect(closed.ended_at).toMatch(ISO_MS);
    expect(await readSession(kioku.api, id)).toMatchObject({ status: "closed", ended_at: closed.ended_at });
  });

  it("may be closed again, which changes nothing", async () => {
    const { id } = await newSession(kioku.api);
    await propose(kioku.api, id, "Promoted by the first close", { importance_score: 0.9 });
    const first = await transition(id, "close");
    expect(first.promoted).toBe(1);
    const second = await transition(id, "close");
    expect(second).toMatchObject({ status: "closed", ended_at: first.ended_at, promoted: 0 });
    expect((await readSession(kioku.api, id)).counts.memories).toBe(1);
  });

  it("is not resumed", async () => {
    const { id } = await newSession(kioku.api);
    await transition(id, "close");
    expectProblem(await kioku.api.post(`/v1/sessions/${id}/resume`), "conflict");
    expect((await readSession(kioku.api, id)).status).toBe("closed");
  });

  const writes: [string, string, string, unknown][] = [
    ["messages", "POST", "/messages", { messages: [{ role: "user", content: "Too late" }] }],
    ["a context value", "PUT", "/context/framework", { value: "Too late" }],
    ["a pending memory", "POST", "/pending", { content: "Too late", memory_type: "fact" }],
    ["a memory", "POST", "/remember", { content: "Too late" }],
    ["a change", "PATCH", "", { metadata: { late: true } }],
    ["a space", "PUT", "/spaces/late", { data: {} }],
    ["a change of a space", "POST", "/spaces/world/ops", { ops: [{ op: "put", key: "late", value: 1 }] }],
    ["the deletion of a space", "DELETE", "/spaces/notes", undefined],
    ["a task", "POST", "/tasks", { text: "Too late" }],
    ["the completion of a task", "POST", "/tasks/t1/complete", undefined],
    ["the removal of a task", "DELETE", "/tasks/t1", undefined],
    ["another order of tasks", "PUT", "/tasks/order", { ids: ["t1"] }],
    ["an entry of the thread", "POST", "/thread", { entries: [{ kind: "note", payload: "Too late" }] }],
    ["a projection", "POST", "/projectors/summary/run", undefined],
    ["a directive", "POST", "/directives", { type: "delete", provider: "inline", keys: ["late"] }],
  ];
  it.each(writes)("refuses %s with a conflict", async (_name, method, part, body) => {
    const { id } = await newSession(kioku.api);
    await makeSpace(kioku.api, id, "notes", []);
    await change(kioku.api, id, "tasks", [
      { op: "append", item: { id: "t1", text: "Early", status: "open" } },
    ]);
    const closed = await transition(id, "close");
    const memory = await readContainer(kioku.api, id);
    const thread = await wholeThread(kioku.api, id);
    expectProblem(await kioku.api.call(method, `/v1/sessions/${id}${part}`, { body }), "conflict");
    expect((await readSession(kioku.api, id)).counts).toEqual(closed.counts);
    expect(await readContainer(kioku.api, id)).toEqual(memory);
    expect(await wholeThread(kioku.api, id)).toEqual(thread);
  });

  it("refuses a memory addressed to it in the body", async () => {
    const { id } = await newSession(kioku.api);
    await transition(id, "close");
    expectProblem(await kioku.api.post("/v1/remember", { session_id: id, content: "Too late" }), "conflict");
  });

  it("still answers the directives it had accepted", async () => {
    const { id } = await newSession(kioku.api);
    const directive = { type: "upsert", provider: "vector", items: [{ key: "a", value: "Early" }] };
    const requests = await Promise.all(Array.from({ length: 10 }, () => direct(kioku.api, id, directive)));
    await transition(id, "close");
    for (const request of requests) expect((await answerTo(kioku.api, id, request)).data.status).toBe("ok");
  });

  it("is still read, recalled and assembled", async () => {
    const { id } = await newSession(kioku.api);
    await say(kioku.api, id, [{ role: "user", content: "Before the end" }]);
    await remember(kioku.api, id, "Known before the end");
    await transition(id, "close");
    expect(contents(await recall(kioku.api, id, { query: "end" }))).toEqual(["Known before the end"]);
    const mind = ["memory", "spaces/world", "tasks", "thread", "projectors", "signals"];
    for (const list of ["messages", "context", "pending", ...mind])
      bodyOf(await kioku.api.get(`/v1/sessions/${id}/${list}`), 200);
    bodyOf(await kioku.api.post(`/v1/sessions/${id}/assemble`, {}), 200);
  });

  it("lets its memories be forgotten and erased", async () => {
    const { id } = await newSession(kioku.api);
    const one = await remember(kioku.api, id, "To be forgotten after the end");
    const two = await remember(kioku.api, id, "To be erased after the end");
    await transition(id, "close");
    await forget(kioku.api, id, one.memory_id);
    bodyOf(await kioku.api.delete(`/v1/memories/${two.memory_id}`), 200);
    expect(await recall(kioku.api, id)).toEqual([]);
  });
});
