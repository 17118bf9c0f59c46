// Servers with settings of their own: a limit on the memories of a session, no embedder, a wrong one.
import { describe, expect, it, vi } from "vitest";
import { agentWith, entriesOf, takeTurn } from "../policy/policy";
import {
  contents,
  forget,
  ids,
  memoriesOf,
  promote,
  propose,
  quietSession,
  recall,
  remember,
  say,
} from "../support/actions";
import { fresh } from "../support/client";
import type { IndexState, Recalled, SessionReceipt } from "../support/contract";
import { bodyOf, expectProblem } from "../support/expectations";
import { ownServer } from "../support/http-service";

describe("a limit on the memories of a session", () => {
  const kioku = ownServer({ env: { MAX_MEMORIES_PER_SESSION: "2" } });

  it("refuses one more, drops none, and counts only live ones", async () => {
    const { api } = kioku;
    const session = fresh("session");
    const path = `/v1/sessions/${session}/remember`;
    const { memory_id } = await remember(api, session, "One");
    await remember(api, session, "Two");
    expectProblem(await api.post(path, { content: "Three" }), "limit_exceeded");
    expect(await memoriesOf(api, session)).toHaveLength(2);
    bodyOf(await api.post(path, { content: "Two" }), 200);
    await forget(api, session, memory_id);
    await remember(api, session, "Three");
    await remember(api, fresh("session"), "Another session has its own limit");
  });

  it("never fails the turn of a capture, is told and logged, and succeeds when it is sent again with room", async () => {
    const { api } = kioku;
    const { agent, session } = await agentWith(api, { capture: "conversation" });
    const { entry_id = "" } = await takeTurn(api, session, "One", "Done");
    await takeTurn(api, session, "Two", "Done");
    const third = () => takeTurn(api, session, "Three, a secret", "Done", { request_id: "r3" });
    for (const turn of [await third(), await third()])
      expect(turn).toEqual({ captured: false, reason: expect.stringMatching(/\S/) });
    expect(await entriesOf(api, `agent:${agent}`)).toHaveLength(2);
    await vi.waitFor(() => expect(kioku.output()).toMatch(/"event":"capture[^\n]*fail/));
    expect(kioku.output()).not.toContain("secret");
    await forget(api, session, entry_id);
    expect(await third()).toMatchObject({ captured: true });
    expect(contents(await entriesOf(api, `agent:${agent}`)).sort()).toEqual([
      "User: Three, a secret\nAssistant: Done",
      "User: Two\nAssistant: Done",
    ]);
  });

  it("keeps nothing of a long turn that has no room", async () => {
    const { api } = kioku;
    const { agent, session } = await agentWith(api, { capture: "conversation" });
    const long = () => takeTurn(api, session, "why ".repeat(1_000), "Because.", { request_id: "r1" });
    expect(await long()).toEqual({ captured: false, reason: expect.stringContaining("takes 3") });
    expect(await entriesOf(api, `agent:${agent}`)).toEqual([]);
    expect(await memoriesOf(api, session)).toEqual([]);
  });
});

describe("a service without an embedder", () => {
  const kioku = ownServer({ env: { EMBEDDER: "none" } });

  it("answers by text, and says so whenever meaning was asked for", async () => {
    const { api } = kioku;
    const session = fresh("session");
    const { memory_id } = await remember(api, session, "We store everything in PostgreSQL");
    await say(api, session, [{ id: "m1", role: "user", content: "PostgreSQL it is" }]);
    for (const mode of ["text", "semantic", "hybrid"]) {
      const asked = { query: "postgresql", mode, sources: ["memories", "messages"] };
      const found = bodyOf(await api.post<Recalled>(`/v1/sessions/${session}/recall`, asked), 200);
      expect(ids(found.memories).sort()).toEqual([memory_id, "m1"].sort());
      for (const { signals } of found.memories) expect(signals).toMatchObject({ mode: "text" });
      if (mode === "text") expect(found).not.toHaveProperty("degraded");
      else expect(found.degraded).toMatch(/text/);
    }
    expect(await recall(api, session, { query: "database" })).toEqual([]);
  });

  it("promotes, forgets and erases as ever, and counts no vectors", async () => {
    const { api } = kioku;
    const session = (await quietSession(api)).id;
    await propose(api, session, "The walrus is asleep", { importance_score: 0.9 });
    expect((await promote(api, session)).promoted).toHaveLength(1);
    const { memory_id } = await remember(api, session, "The walrus is awake");
    await forget(api, session, memory_id);
    expect(contents(await recall(api, session, { query: "walrus" }))).toEqual(["The walrus is asleep"]);
    const receipt = bodyOf(await api.delete<SessionReceipt>(`/v1/sessions/${session}?memories=true`), 200);
    expect(receipt.deleted).toMatchObject({ memories: 2, vectors: 0 });
  });

  it("has no index to show, and nothing to embed with", async () => {
    const state = bodyOf(await kioku.admin.get<IndexState>("/v1/admin/index"), 200);
    expect(state).toMatchObject({ embedder: null, dimensions: null, made_with: null, reembedding: false });
    expectProblem(await kioku.admin.post("/v1/admin/reembed", {}), "unprocessable");
  });
});

describe("a service with a wrong embedder", () => {
  const kioku = ownServer({ env: { EMBEDDER: "oracle" } });

  it("names the setting and what it takes, in its log and in every answer that needs it", async () => {
    bodyOf(await kioku.anonymous.get("/health"), 200);
    const answers = [
      await kioku.api.post("/v1/sessions", {}),
      await kioku.api.post(`/v1/sessions/${fresh("session")}/remember`, { content: "Lost?" }),
      await kioku.api.post("/v1/recall", { query: "anything" }),
      await kioku.admin.get("/v1/admin/index"),
    ];
    for (const answer of answers)
      expect(expectProblem(answer, "not_configured").detail).toMatch(
        /EMBEDDER must be .*"none", is "oracle"/,
      );
    await vi.waitFor(() => expect(kioku.output()).toMatch(/kioku: EMBEDDER must be/));
  });
});
