// Recall by meaning and by words together: what is found, in what order and why, and what is never found again.
import { describe, expect, it } from "vitest";
import { contents, forget, ids, newSession, recall, recallSaid, remember, say } from "../support/actions";
import { fresh } from "../support/client";
import type { MemoryReceipt, SessionReceipt } from "../support/contract";
import { bodyOf, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";

const kioku = serviceUnderTest();

const MODES = ["text", "semantic", "hybrid"];

/** A question, and what answers it without sharing a word with it. */
const PAIRS = [
  ["database", "We store everything in PostgreSQL"],
  ["physician appointment", "See the doctor on Tuesday"],
  ["favourite beverage", "User prefers espresso in the morning"],
  ["dietary restrictions", "The user is vegetarian and allergic to nuts"],
] as const;

const UNRELATED = ["The harbour lights were repaired", "Invoices are sent on Fridays"];

async function stocked(...texts: string[]): Promise<string> {
  const { id } = await newSession(kioku.api);
  for (const text of texts) await remember(kioku.api, id, text);
  return id;
}

describe("meaning", () => {
  it.each(
    PAIRS,
  )("finds by %j what shares no word with it, at once and for good: %s", async (query, content) => {
    const session = await stocked(...UNRELATED, content);
    const check = async () => {
      expect(contents(await recall(kioku.api, session, { query, mode: "semantic" }))[0]).toBe(content);
      expect(contents(await recall(kioku.api, session, { query, mode: "hybrid" }))).toEqual([content]);
      expect(contents(await recall(kioku.api, session, { query }))).toEqual([content]);
      expect(await recall(kioku.api, session, { query, mode: "text" })).toEqual([]);
    };
    await check();
    await kioku.indexed();
    await check();
  });

  it("finds a memory as soon as remember has answered, every time", async () => {
    const session = await stocked(...UNRELATED);
    const missed: string[] = [];
    for (const [query, content] of PAIRS) {
      for (const when of ["today", "yesterday", "last week", "in spring", "as before"]) {
        const { memory_id } = await remember(kioku.api, session, `${content}, ${when}`);
        const found = await recall(kioku.api, session, { query, mode: "semantic", limit: 50 });
        if (!ids(found).includes(memory_id)) missed.push(`${content}, ${when}`);
      }
    }
    expect(missed).toEqual([]);
  });

  it("brings nothing that has nothing to do with the question", async () => {
    const session = await stocked(...UNRELATED, ...PAIRS.map(([, content]) => content));
    for (const query of ["elephant", "xylophone lessons", "volcano eruption"])
      expect(await recall(kioku.api, session, { query }), query).toEqual([]);
  });

  it("keeps to the filters", async () => {
    const { id: session } = await newSession(kioku.api);
    const content = "We store everything in PostgreSQL";
    await remember(kioku.api, session, content, { type: "decision", confidence: 0.7 });
    for (const mode of ["semantic", "hybrid"]) {
      const found = (more: object) => recall(kioku.api, session, { query: "database", mode, ...more });
      expect(
        await found({ type: "decision", min_confidence: 0.7, since: "2020-01-01T00:00:00Z" }),
      ).toHaveLength(1);
      expect(await found({ type: "fact" })).toEqual([]);
      expect(await found({ min_confidence: 0.71 })).toEqual([]);
      expect(await found({ since: "2999-01-01T00:00:00Z" })).toEqual([]);
      expect(await found({ until: "2020-01-01T00:00:00Z" })).toEqual([]);
    }
  });

  it("keeps to the scope and the tenant", async () => {
    const agent_id = fresh("agent");
    const [mine, other] = [await newSession(kioku.api, { agent_id }), await newSession(kioku.api)];
    const { memory_id } = await remember(kioku.api, mine.id, "The database of the harbour is PostgreSQL");
    await kioku.indexed();
    const stranger = await kioku.tenant();
    const theirs = await newSession(stranger, { id: mine.id, agent_id });
    for (const mode of ["semantic", "hybrid"]) {
      const asked = { query: "database", mode, limit: 50 };
      expect(ids(await recall(kioku.api, mine.id, { ...asked, scope: "agent" }))).toEqual([memory_id]);
      expect(ids(await recall(kioku.api, other.id, { ...asked, scope: "tenant" }))).toContain(memory_id);
      expect(await recall(kioku.api, other.id, asked)).toEqual([]);
      for (const scope of ["session", "agent", "tenant"])
        expect(await recall(stranger, theirs.id, { ...asked, scope })).toEqual([]);
    }
  });
});

describe("each hit explains itself", () => {
  it.each([
    ["text", ["lexical"]],
    ["semantic", ["semantic"]],
    ["hybrid", ["lexical", "semantic"]],
  ])("in the mode %s by %j, recency and importance", async (mode, channels) => {
    const session = await stocked("The doctor is in on Tuesday");
    const [hit] = await recall(kioku.api, session, { query: "doctor", mode });
    expect(hit?.score).toBeGreaterThan(0);
    expect(hit?.signals).toMatchObject({ mode, recency: 1, importance: expect.any(Number) });
    for (const channel of ["lexical", "semantic"]) {
      if (!channels.includes(channel)) expect(hit?.signals).not.toHaveProperty(channel);
      else expect(hit?.signals[channel]).toBeGreaterThan(0);
    }
  });

  it("in the order of the score", async () => {
    const session = await stocked(
      "The doctor is in on Tuesday",
      "See the physician about the appointment",
      "A nurse called",
    );
    for (const mode of MODES) {
      const hits = await recall(kioku.api, session, { query: "physician appointment", mode });
      expect(hits[0]?.content).toBe("See the physician about the appointment");
      const scores = hits.map(({ score }) => score);
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    }
  });
});

describe("ranking", () => {
  it.each([
    ["ranking.semantic_weight", { semantic_weight: 2.1 }],
    ["ranking.semantic_weight", { semantic_weight: -0.1 }],
    ["ranking.semantic_weight", { semantic_weight: "high" }],
    ["ranking.user_prior", { user_prior: 1.1 }],
    ["ranking.fusion", { fusion: "magic" }],
    ["ranking.colour", { colour: "red" }],
    ["ranking", "rrf"],
  ])("refuses a bad %s, and names it: %j", async (path, ranking) => {
    const { id } = await newSession(kioku.api);
    const problem = expectProblem(
      await kioku.api.post(`/v1/sessions/${id}/recall`, { query: "tea", ranking }),
      "invalid_request",
    );
    expect(problem.errors).toEqual([{ path, message: expect.stringMatching(/\S/) }]);
  });

  it("by rank fusion finds the same, the best first", async () => {
    const session = await stocked("We store everything in PostgreSQL", "The database is backed up at night");
    const asked = { query: "database" };
    const weighted = await recall(kioku.api, session, asked);
    const fused = await recall(kioku.api, session, { ...asked, ranking: { fusion: "rrf" } });
    expect(ids(fused).sort()).toEqual(ids(weighted).sort());
    expect(fused[0]?.content).toBe("The database is backed up at night");
    expect(fused.map(({ score }) => score)).not.toEqual(weighted.map(({ score }) => score));
  });

  it("counts meaning as much as it is told to", async () => {
    const session = await stocked("We store everything in PostgreSQL");
    const score = async (semantic_weight: number) =>
      (await recall(kioku.api, session, { query: "database", ranking: { semantic_weight } }))[0]?.score ?? 0;
    const [none, some, more] = [await score(0), await score(1), await score(2)];
    expect(some).toBeGreaterThan(none);
    expect(more - some).toBeCloseTo(some - none, 3);
  });

  it("prefers what the user said, if told to", async () => {
    const { id: session } = await newSession(kioku.api);
    const said = (role: string) => ({ id: role, role, content: "The walrus is asleep" });
    await say(kioku.api, session, [said("user"), said("assistant")]);
    const hits = await recallSaid(kioku.api, session, { query: "walrus", ranking: { user_prior: 1 } });
    expect(ids(hits)).toEqual(["user", "assistant"]);
  });
});

describe("what is no longer true", () => {
  const CONTENT = "We store everything in PostgreSQL";

  /** By words and by meaning, in every mode. */
  async function found(session: string, more: object = {}): Promise<string[]> {
    const hits = await Promise.all(
      MODES.flatMap((mode) =>
        ["database", CONTENT].map((query) => recall(kioku.api, session, { query, mode, ...more })),
      ),
    );
    return [...new Set(ids(hits.flat()))].sort();
  }

  it.each([
    ["at once", async () => {}],
    ["once indexed", () => kioku.indexed()],
  ])("when forgotten %s is found by no call but one that asks for it", async (_when, wait) => {
    const session = await stocked(...UNRELATED);
    for (let n = 0; n < 5; n += 1) {
      const { memory_id } = await remember(kioku.api, session, `${CONTENT} ${n}`);
      await wait();
      expect(await found(session)).toContain(memory_id);
      await forget(kioku.api, session, memory_id);
      expect(await found(session)).not.toContain(memory_id);
      expect(await found(session, { include_superseded: true, limit: 50 })).toContain(memory_id);
    }
    await kioku.indexed();
    expect(await recall(kioku.api, session, { query: "database" })).toEqual([]);
    expect(await recall(kioku.api, session, { query: "database", include_superseded: true })).toHaveLength(5);
  });

  it("when superseded is found by no call but one that asks for it", async () => {
    const { id: session } = await newSession(kioku.api);
    const chain: string[] = [];
    for (const version of [16, 17, 18]) {
      const { memory_id } = await remember(kioku.api, session, `${CONTENT} ${version}`, { key: "store" });
      chain.push(memory_id);
      expect(await found(session)).toEqual([memory_id]);
    }
    await kioku.indexed();
    expect(await found(session)).toEqual(chain.slice(-1));
    expect(await found(session, { include_superseded: true })).toEqual(chain.toSorted());
  });

  it.each([
    ["at once", async () => {}],
    ["once indexed", () => kioku.indexed()],
  ])("when erased %s is found by none at all", async (_when, wait) => {
    const session = await stocked(...UNRELATED);
    const { memory_id } = await remember(kioku.api, session, CONTENT);
    await wait();
    bodyOf(await kioku.api.delete(`/v1/memories/${memory_id}`), 200);
    const everything = { include_superseded: true, min_confidence: 0, limit: 50 };
    expect(await found(session, everything)).not.toContain(memory_id);
    await kioku.indexed();
    expect(await found(session, everything)).not.toContain(memory_id);
  });
});

describe("the receipt of an erasure", () => {
  it("counts the memory's vector, once", async () => {
    const { memory_id } = await remember(kioku.api, fresh("session"), "Counted");
    await kioku.indexed();
    const path = `/v1/memories/${memory_id}`;
    expect(bodyOf(await kioku.api.delete<MemoryReceipt>(path), 200).deleted).toMatchObject({
      memories: 1,
      vectors: 1,
    });
    expectProblem(await kioku.api.delete(path), "not_found");
  });

  it("counts the vector of what was forgotten", async () => {
    const session = fresh("session");
    const { memory_id } = await remember(kioku.api, session, "Counted all the same");
    await forget(kioku.api, session, memory_id);
    await kioku.indexed();
    const receipt = bodyOf(await kioku.api.delete<MemoryReceipt>(`/v1/memories/${memory_id}`), 200);
    expect(receipt.deleted.vectors).toBe(1);
  });

  it.each([
    ["its messages", "", { messages: 4, memories: 0, vectors: 4 }],
    ["its messages and memories", "?memories=true", { messages: 4, memories: 3, vectors: 7 }],
  ])("of a session counts the vectors of %s", async (_what, query, deleted) => {
    const session = await stocked("One thing", "Another thing", "The third thing");
    const messages = ["Hello", "How are you?", "Well", "Goodbye"];
    await say(
      kioku.api,
      session,
      messages.map((content) => ({ role: "user", content })),
    );
    await kioku.indexed();
    const receipt = bodyOf(await kioku.api.delete<SessionReceipt>(`/v1/sessions/${session}${query}`), 200);
    expect(receipt.deleted).toMatchObject(deleted);
  });
});
