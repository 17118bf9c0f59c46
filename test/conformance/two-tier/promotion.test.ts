// Promotion: on demand, by alarm, on pause and on close; once per candidate and once per context value.
import { describe, expect, it, vi } from "vitest";
import {
  contents,
  memoriesOf,
  newSession,
  promote,
  propose,
  quietSession,
  readMemory,
  readSession,
  recall,
} from "../support/actions";
import { sleep } from "../support/client";
import { ISO_MS, type Memory, type Page, type Pending, type Transition } from "../support/contract";
import { bodyOf } from "../support/expectations";
import { serviceUnderTest } from "../support/service";

const kioku = serviceUnderTest();

async function waiting(session: string): Promise<string[]> {
  return contents(
    bodyOf(await kioku.api.get<Page<Pending>>(`/v1/sessions/${session}/pending?limit=100`), 200).data,
  );
}

async function put(session: string, key: string, body: Record<string, unknown>): Promise<void> {
  bodyOf(await kioku.api.put(`/v1/sessions/${session}/context/${key}`, body), 200);
}

/** A context item certain enough to be promoted at once. */
function framework(session: string, value: string): Promise<void> {
  return put(session, "framework", { value, source: "tool", confidence: 1 });
}

async function end(session: string, how: "pause" | "close"): Promise<Transition> {
  return bodyOf(await kioku.api.post<Transition>(`/v1/sessions/${session}/${how}`), 200);
}

async function history(memory: string): Promise<Memory[]> {
  return bodyOf(await kioku.api.get<{ data: Memory[] }>(`/v1/memories/${memory}/history`), 200).data;
}

const often = { interval: 250 };

describe("promotion on demand", () => {
  it("keeps what reaches the threshold, and whatever the agent decided", async () => {
    const { id } = await quietSession(kioku.api);
    await propose(kioku.api, id, "At the threshold", { importance_score: 0.6 });
    await propose(kioku.api, id, "Below the threshold", { importance_score: 0.59 });
    await propose(kioku.api, id, "Far above", { importance_score: 0.95, memory_type: "risk" });
    await propose(kioku.api, id, "Decided by the agent", { importance_score: 0.1, suggested_by: "agent" });
    const { promoted, remaining } = await promote(kioku.api, id);
    expect(remaining).toBe(1);
    expect(await waiting(id)).toEqual(["Below the threshold"]);
    expect(promoted).toHaveLength(3);
    const far = promoted.find((one) => one.memory_type === "risk");
    expect(far).toMatchObject({ importance_score: 0.95 });
    expect((await readMemory(kioku.api, far?.memory_id ?? "")).content).toBe("Far above");
  });

  it("takes the highest score first, whoever proposed it", async () => {
    const { id } = await quietSession(kioku.api);
    await propose(kioku.api, id, "Decided by the agent", { importance_score: 0.7, suggested_by: "agent" });
    for (const score of [0.6, 0.95])
      await propose(kioku.api, id, `Score ${score}`, { importance_score: score });
    const scores = (await promote(kioku.api, id)).promoted.map((one) => one.importance_score);
    expect(scores).toEqual([0.95, 0.7, 0.6]);
  });

  it("carries everything into the memory", async () => {
    const session = await quietSession(kioku.api, { agent_id: "scribe", project_id: "atlas" });
    const given = {
      confidence: 0.83,
      source_type: "user",
      evidence: ["e1", "e2"],
      rationale: "Because",
      importance_score: 0.9,
    };
    await propose(kioku.api, session.id, "Carried over", given);
    const [one] = (await promote(kioku.api, session.id)).promoted;
    const memory = await readMemory(kioku.api, one?.memory_id ?? "");
    expect(memory).toMatchObject({
      ...{
        content: "Carried over",
        type: "fact",
        confidence: 0.83,
        source_type: "user",
        rationale: "Because",
      },
      ...{ session_id: session.id, agent_id: "scribe", project_id: "atlas" },
    });
    expect([...memory.evidence].sort()).toEqual(["e1", "e2"]);
  });

  it("takes the best of a run and leaves the rest for the next", async () => {
    const { id } = await quietSession(kioku.api, { promotion: { max_per_run: 2 } });
    for (const score of [0.7, 0.9, 0.8, 0.65, 0.75])
      await propose(kioku.api, id, `Score ${score}`, { importance_score: score });
    const first = await promote(kioku.api, id);
    expect(first.promoted.map((one) => one.importance_score)).toEqual([0.9, 0.8]);
    expect(first.remaining).toBe(3);
    expect((await promote(kioku.api, id)).promoted.map((one) => one.importance_score)).toEqual([0.75, 0.7]);
    expect((await promote(kioku.api, id)).remaining).toBe(0);
    expect((await memoriesOf(kioku.api, id)).length).toBe(5);
  });

  it("promotes nothing twice", async () => {
    const { id } = await quietSession(kioku.api);
    for (const n of [1, 2, 3]) await propose(kioku.api, id, `Once ${n}`, { importance_score: 0.9 });
    const runs = await Promise.all(Array.from({ length: 5 }, () => promote(kioku.api, id)));
    expect(runs.reduce((sum, run) => sum + run.promoted.length, 0)).toBe(3);
    expect(await promote(kioku.api, id)).toEqual({ promoted: [], remaining: 0 });
    expect(contents(await memoriesOf(kioku.api, id)).sort()).toEqual(["Once 1", "Once 2", "Once 3"]);
  });

  it("counts itself in the session", async () => {
    const { id } = await quietSession(kioku.api);
    await propose(kioku.api, id, "Counted", { importance_score: 0.9 });
    await promote(kioku.api, id);
    const { promotion, counts } = await readSession(kioku.api, id);
    expect(promotion).toMatchObject({ runs: 1, total_promoted: 1 });
    expect(promotion.last_run).toMatch(ISO_MS);
    expect(counts).toMatchObject({ pending: 0, memories: 1 });
  });

  it("is found by recall as soon as it is answered", async () => {
    const { id } = await quietSession(kioku.api);
    await propose(kioku.api, id, "Zephyr is the staging cluster", { importance_score: 0.9 });
    await promote(kioku.api, id);
    expect(contents(await recall(kioku.api, id, { query: "zephyr" }))).toEqual([
      "Zephyr is the staging cluster",
    ]);
  });
});

describe("promotion by alarm", () => {
  it("comes by itself, once, and leaves no alarm behind", async () => {
    const { id } = await newSession(kioku.api, { promotion: { interval_ms: 1_000 } });
    await propose(kioku.api, id, "Promoted by the alarm", { importance_score: 0.9 });
    expect((await readSession(kioku.api, id)).promotion.next_run).toMatch(ISO_MS);
    await vi.waitFor(
      async () => expect(contents(await memoriesOf(kioku.api, id))).toEqual(["Promoted by the alarm"]),
      often,
    );
    await vi.waitFor(
      async () => expect((await readSession(kioku.api, id)).promotion.next_run).toBeNull(),
      often,
    );
    expect(await readSession(kioku.api, id)).toMatchObject({
      promotion: { total_promoted: 1 },
      counts: { pending: 0, memories: 1 },
    });
  });

  it("does not come when promotion is off", async () => {
    const { id } = await quietSession(kioku.api, { promotion: { interval_ms: 1_000 } });
    await propose(kioku.api, id, "Waits to be asked", { importance_score: 0.9 });
    expect((await readSession(kioku.api, id)).promotion.next_run).toBeNull();
    await sleep(2_500);
    expect(await waiting(id)).toEqual(["Waits to be asked"]);
    expect((await promote(kioku.api, id)).promoted).toHaveLength(1);
  });

  it("is not set for what can never be promoted", async () => {
    const { id } = await newSession(kioku.api, { promotion: { interval_ms: 1_000 } });
    await propose(kioku.api, id, "Stays below the threshold", { importance_score: 0.1 });
    await sleep(2_500);
    expect((await readSession(kioku.api, id)).promotion).toMatchObject({ next_run: null, total_promoted: 0 });
    expect(await waiting(id)).toEqual(["Stays below the threshold"]);
  });

  it("comes once promotion is turned on", async () => {
    const { id } = await quietSession(kioku.api);
    await propose(kioku.api, id, "Turned on later", { importance_score: 0.9 });
    bodyOf(
      await kioku.api.patch(`/v1/sessions/${id}`, { promotion: { enabled: true, interval_ms: 1_000 } }),
      200,
    );
    await vi.waitFor(
      async () => expect(contents(await memoriesOf(kioku.api, id))).toEqual(["Turned on later"]),
      often,
    );
  });
});

describe("promotion at the end", () => {
  it("of a pause uses the session's threshold and says how many", async () => {
    const { id } = await quietSession(kioku.api);
    await propose(kioku.api, id, "Good enough", { importance_score: 0.7 });
    await propose(kioku.api, id, "Not yet", { importance_score: 0.45 });
    expect(await end(id, "pause")).toMatchObject({
      status: "paused",
      promoted: 1,
      counts: { pending: 1, memories: 1 },
    });
    expect(await waiting(id)).toEqual(["Not yet"]);
  });

  it("of a close is generous: 0.4", async () => {
    const { id } = await quietSession(kioku.api, { promotion: { threshold: 0.9 } });
    for (const score of [0.4, 0.45, 0.39])
      await propose(kioku.api, id, `Score ${score}`, { importance_score: score });
    expect(await end(id, "close")).toMatchObject({ status: "closed", promoted: 2 });
    expect(contents(await memoriesOf(kioku.api, id)).sort()).toEqual(["Score 0.4", "Score 0.45"]);
  });

  it("of a close uses the session's threshold when that is lower", async () => {
    const { id } = await quietSession(kioku.api, { promotion: { threshold: 0.2 } });
    for (const score of [0.3, 0.1])
      await propose(kioku.api, id, `Score ${score}`, { importance_score: score });
    expect(await end(id, "close")).toMatchObject({ promoted: 1 });
    expect(contents(await memoriesOf(kioku.api, id))).toEqual(["Score 0.3"]);
  });
});

describe("a context value", () => {
  it("is promoted once, however often it is read or put", async () => {
    const { id } = await quietSession(kioku.api);
    await framework(id, "Phoenix");
    const [first] = (await promote(kioku.api, id)).promoted;
    expect(first?.memory_type).toBe("fact");
    for (let n = 0; n < 3; n += 1) bodyOf(await kioku.api.get(`/v1/sessions/${id}/context/framework`), 200);
    await framework(id, "Phoenix");
    expect((await promote(kioku.api, id)).promoted).toEqual([]);
    const [memory, ...others] = await memoriesOf(kioku.api, id);
    expect(others).toEqual([]);
    expect(memory).toMatchObject({ id: first?.memory_id, source_type: "tool", confidence: 1 });
    expect(memory?.content).toContain("Phoenix");
  });

  it("that changes supersedes what was promoted before, there and back", async () => {
    const { id } = await quietSession(kioku.api);
    const chain: string[] = [];
    for (const value of ["Phoenix", "Hono", "Phoenix"]) {
      await framework(id, value);
      const { promoted } = await promote(kioku.api, id);
      expect(promoted).toHaveLength(1);
      chain.push(...promoted.map((one) => one.memory_id));
    }
    const [first = "", second = "", third = ""] = chain;
    expect(new Set(chain).size).toBe(3);
    expect((await readMemory(kioku.api, first)).superseded_by).toBe(second);
    expect((await readMemory(kioku.api, second)).superseded_by).toBe(third);
    expect((await history(first)).map((memory) => memory.id)).toEqual(chain);
    expect((await memoriesOf(kioku.api, id)).map((memory) => memory.id)).toEqual([third]);
    expect((await readSession(kioku.api, id)).counts.memories).toBe(1);
  });

  it("of active_errors, or without a type, is never promoted", async () => {
    const { id } = await quietSession(kioku.api, { promotion: { threshold: 0 } });
    await put(id, "active_errors", { value: ["E1"], confidence: 1 });
    await put(id, "framework", { value: "Hono", source: "explicit", confidence: 1 });
    expect((await promote(kioku.api, id)).promoted).toEqual([]);
    expect(await end(id, "close")).toMatchObject({ promoted: 0 });
    expect(await memoriesOf(kioku.api, id)).toEqual([]);
  });
});
