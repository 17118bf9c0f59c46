// Projectors, which make memory of the thread: each entry once, on demand and by themselves.
import { describe, expect, it, vi } from "vitest";
import { ids, newSession, quietSession, recallSaid, say } from "../support/actions";
import { fresh } from "../support/client";
import { ISO_MS, type Task, type ThreadAppended } from "../support/contract";
import { bodyOf, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";
import { addTask, append, change, outcome, project, projectorsOf, readSpace, upsert } from "./cognition";

const kioku = serviceUnderTest();

const BUILT_IN = ["summary", "facts", "tasks", "vectors"];

type Fields = Record<string, unknown>;

function note(payload: unknown): { kind: string; payload: unknown } {
  return { kind: "note", payload };
}

function user(content: string): Fields {
  return { role: "user", content };
}

describe("projectors", () => {
  const talk = [
    user("The deploy port is 8443. We use PostgreSQL for the ledger."),
    { role: "assistant", content: "Understood." },
    user("TODO: renew the certificate"),
  ];
  /** Without an alarm, so that nothing runs but what is run. */
  async function spoken(): Promise<string> {
    const { id } = await quietSession(kioku.api);
    await say(kioku.api, id, talk);
    return id;
  }
  const coveredBy = async (session: string, name: string) =>
    (await projectorsOf(kioku.api, session)).find((one) => one.name === name)?.covered_seq;

  it("are the four built in, and have covered nothing of a new thread", async () => {
    const { id } = await quietSession(kioku.api);
    const projectors = await projectorsOf(kioku.api, id);
    expect(projectors.map(({ name }) => name).sort()).toEqual([...BUILT_IN].sort());
    for (const projector of projectors) {
      expect(projector).toMatchObject({ covered_seq: 0 });
      expect(projector).toHaveProperty("trigger");
    }
    expectProblem(await kioku.api.get(`/v1/sessions/${fresh("nobody")}/projectors`), "not_found");
  });

  it.each(BUILT_IN)("%s covers the thread once, and goes on where it was", async (name) => {
    const id = await spoken();
    expect(await project(kioku.api, id, name)).toEqual({ projected: 3, covers: { from: 1, to: 3 } });
    expect(await coveredBy(id, name)).toBe(3);
    for (const other of BUILT_IN.filter((one) => one !== name)) expect(await coveredBy(id, other)).toBe(0);
    const before = await readSpace(kioku.api, id, "world");
    expect((await project(kioku.api, id, name)).projected).toBe(0);
    expect(await readSpace(kioku.api, id, "world")).toEqual(before);
    await append(kioku.api, id, [note("One more"), note("And another")]);
    expect(await project(kioku.api, id, name)).toEqual({ projected: 2, covers: { from: 4, to: 5 } });
    expect(await coveredBy(id, name)).toBe(5);
  });

  it.each(BUILT_IN)("%s, run many times at once, covers every entry once", async (name) => {
    const id = await spoken();
    const runs = await Promise.all(Array.from({ length: 8 }, () => project(kioku.api, id, name)));
    expect(runs.reduce((sum, { projected }) => sum + projected, 0)).toBe(3);
    expect(await coveredBy(id, name)).toBe(3);
  });

  it("that nobody knows are a 404", async () => {
    const id = await spoken();
    for (const name of ["dreams", "constructor", "__proto__", "Summary"])
      expectProblem(
        await kioku.api.post(`/v1/sessions/${id}/projectors/${encodeURIComponent(name)}/run`),
        "not_found",
      );
    const nobody = `/v1/sessions/${fresh("nobody")}`;
    expectProblem(await kioku.api.post(`${nobody}/projectors/summary/run`), "not_found");
  });

  it("over an empty thread write nothing", async () => {
    const { id } = await quietSession(kioku.api);
    for (const name of BUILT_IN) expect((await project(kioku.api, id, name)).projected).toBe(0);
    expect((await readSpace(kioku.api, id, "world")).data).toEqual({});
  });

  it("keep a summary in world, with what it covers", async () => {
    type Range = { from: number; to: number };
    type Summary = {
      content: string;
      source: string;
      covers_seq: Range;
      text: string;
      covers: Range;
      projected_at: string;
    };
    const id = await spoken();
    const before = Date.now() - 1;
    await project(kioku.api, id, "summary");
    const { summary } = (await readSpace<{ summary: Summary }>(kioku.api, id, "world")).data;
    expect(summary).toMatchObject({
      content: expect.stringMatching(/\S/),
      source: "projector",
      covers_seq: { from: 1, to: 3 },
      text: summary.content,
      covers: { from: 1, to: 3 },
    });
    expect(summary.projected_at).toMatch(ISO_MS);
    expect(Date.parse(summary.projected_at)).toBeGreaterThan(before - 60_000);
    await say(kioku.api, id, [user("The office moves to Lisbon in May.")]);
    await project(kioku.api, id, "summary");
    const later = (await readSpace<{ summary: Summary }>(kioku.api, id, "world")).data.summary;
    expect(later.covers_seq).toEqual({ from: 1, to: 4 });
    expect(later.content).toContain("Lisbon");
    expect(later.projected_at >= summary.projected_at).toBe(true);
  });

  it("keep the facts of plain statements in world", async () => {
    const id = await spoken();
    await project(kioku.api, id, "facts");
    const { facts } = (await readSpace<Fields>(kioku.api, id, "world")).data;
    for (const stated of ["8443", "PostgreSQL"]) expect(JSON.stringify(facts)).toContain(stated);
  });

  it("make tasks of what is to be done, once, even when they are removed", async () => {
    const id = await spoken();
    const mine = await addTask(kioku.api, id, "My own task");
    await project(kioku.api, id, "tasks");
    const tasks = (await readSpace<Task[]>(kioku.api, id, "tasks")).data;
    const made = tasks.filter((task) => /renew the certificate/i.test(task.text));
    expect(made).toHaveLength(1);
    expect(made[0]).toMatchObject({ status: "open" });
    expect(ids(tasks)).toContain(mine.id);
    bodyOf(await kioku.api.delete(`/v1/sessions/${id}/tasks/${made[0]?.id}`), 204);
    await append(kioku.api, id, [note("Something else")]);
    await project(kioku.api, id, "tasks");
    expect((await readSpace<Task[]>(kioku.api, id, "tasks")).data.map(({ text }) => text)).not.toContain(
      made[0]?.text,
    );
  });

  it("put messages into the vector index, where recall finds them", async () => {
    const id = await spoken();
    expect((await project(kioku.api, id, "vectors")).projected).toBe(3);
    const found = await recallSaid(kioku.api, id, { query: "certificate renewal", mode: "semantic" });
    expect(found[0]).toMatchObject({ kind: "message", content: "TODO: renew the certificate" });
    expect(found[0]?.signals).toHaveProperty("semantic");
  });

  it("leave all else in world as it is, and raise its rev", async () => {
    const id = await spoken();
    await change(kioku.api, id, "world", [{ op: "put", key: "mine", value: { kept: [1, 2] } }]);
    const before = await readSpace(kioku.api, id, "world");
    await project(kioku.api, id, "summary");
    await project(kioku.api, id, "facts");
    const after = await readSpace<Fields>(kioku.api, id, "world");
    expect(after.data.mine).toEqual({ kept: [1, 2] });
    expect(after.rev).toBeGreaterThan(before.rev);
    const ops = [{ op: "put", key: "mine", value: 1 }];
    const path = `/v1/sessions/${id}/spaces/world/ops`;
    expectProblem(await kioku.api.post(path, { ops, expected_rev: before.rev }), "conflict");
  });

  it("do not stumble over what they find in world, or in the thread", async () => {
    const { id } = await quietSession(kioku.api);
    const ops = ["summary", "facts"].map((key) => ({ op: "put", key, value: "mine" }));
    await change(kioku.api, id, "world", ops);
    const payloads = [
      null,
      7,
      [],
      {},
      "TODO: text",
      { content: 7 },
      { role: [], content: "x", tool_calls: 1 },
    ];
    const kinds = ["message", "tool_call", "tool_result", "signal", "note"];
    await append(
      kioku.api,
      id,
      kinds.flatMap((kind) => payloads.map((payload) => ({ kind, payload }))),
    );
    for (const name of BUILT_IN)
      expect(await project(kioku.api, id, name)).toMatchObject({
        projected: 35,
        covers: { from: 1, to: 35 },
      });
  });

  it("run by themselves on the session's alarm", async () => {
    const { id } = await newSession(kioku.api, { promotion: { interval_ms: 1_000 } });
    await say(kioku.api, id, talk);
    await vi.waitFor(
      async () => {
        for (const name of BUILT_IN) expect(await coveredBy(id, name), name).toBeGreaterThanOrEqual(3);
      },
      { interval: 250 },
    );
    const world = await readSpace<Fields>(kioku.api, id, "world");
    expect(Object.keys(world.data)).toEqual(expect.arrayContaining(["summary", "facts"]));
  });

  it("run at once when a signal arrives, in the thread or as the answer to a directive", async () => {
    const { id } = await newSession(kioku.api, { promotion: { interval_ms: 3_600_000 } });
    await say(kioku.api, id, talk);
    await append(kioku.api, id, [
      { kind: "signal", payload: { type: "sensor.reading", data: { value: 22 } } },
    ]);
    await vi.waitFor(async () => {
      for (const name of ["facts", "tasks"]) expect(await coveredBy(id, name), name).toBe(4);
    });
    expect(Object.keys((await readSpace<Fields>(kioku.api, id, "world")).data)).toContain("facts");
    expect(await coveredBy(id, "summary")).toBe(0);
    const path = `/v1/sessions/${id}/projectors/summary`;
    bodyOf(await kioku.api.patch(path, { trigger: { signals: ["jido.memory.*"] } }), 200);
    await append(kioku.api, id, [{ kind: "signal", payload: { type: "sensor.reading" } }]);
    await outcome(kioku.api, id, upsert("inline", { a: 1 }));
    await vi.waitFor(async () => expect(await coveredBy(id, "summary")).toBe(6));
    expectProblem(
      await kioku.api.patch(path, { trigger: { signals: ["a b"] } }),
      "invalid_request",
      /signals/,
    );
  });

  it("run by themselves once many entries are new", async () => {
    const { id } = await newSession(kioku.api, { promotion: { interval_ms: 3_600_000 } });
    const entries = Array.from({ length: 500 }, (_, n) => note(`Entry ${n}`));
    bodyOf(await kioku.api.post<ThreadAppended>(`/v1/sessions/${id}/thread`, { entries }), 201);
    await vi.waitFor(async () => expect(await coveredBy(id, "summary")).toBe(500), { interval: 250 });
  });
});
