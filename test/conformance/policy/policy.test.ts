// An agent's memory policy: its defaults, what is refused and why, and what a session changes of it.
import { describe, expect, it } from "vitest";
import { newSession, readSession } from "../support/actions";
import { fresh } from "../support/client";
import type { Policy, Session } from "../support/contract";
import { bodyOf, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";
import { DEFAULTS, note, preflight, readPolicy, setPolicy, takeTurn } from "./policy";

const kioku = serviceUnderTest();

const WHOLE: Policy = {
  enabled: false,
  scope: "session",
  namespace: { context: "tenant_id" },
  capture: "conversation",
  inject: "context",
  max_entries: 8,
  metadata: { owner: "support", nested: { list: [1, null, "two"] } },
  experience: true,
};

/** Fields of a policy, and values each does not take. */
const WRONG: [string, unknown[]][] = [
  ["enabled", ["yes", 1, null]],
  ["scope", ["tenant", "", 7, null, ["agent"]]],
  ["capture", ["always", true, null]],
  ["inject", ["prompt", {}, null]],
  ["max_entries", [-1, 1.5, "5", null, 1_000_000]],
  ["metadata", ["text", 7, ["list"]]],
  ["experience", ["yes", 1, null]],
  ["namespace", ["", "a b", "%", 7, true, [], {}, { context: 7 }, { context: "" }, { key: "tenant_id" }]],
];
const WRONG_ROWS = WRONG.flatMap(([field, values]) =>
  values.map((value) => [field, value] as [string, unknown]),
);

describe("an agent's policy", () => {
  it("is the defaults when nobody has set one", async () => {
    expect(await readPolicy(kioku.api, fresh("agent"))).toEqual(DEFAULTS);
  });

  it("is the defaults for true, and off for false", async () => {
    const agent = fresh("agent");
    expect(await setPolicy(kioku.api, agent, true)).toEqual(DEFAULTS);
    expect(await readPolicy(kioku.api, agent)).toEqual(DEFAULTS);
    expect(await setPolicy(kioku.api, agent, false)).toEqual({ ...DEFAULTS, enabled: false });
    expect(await readPolicy(kioku.api, agent)).toEqual({ ...DEFAULTS, enabled: false });
  });

  it("is kept whole", async () => {
    const agent = fresh("agent");
    expect(await setPolicy(kioku.api, agent, WHOLE)).toEqual(WHOLE);
    expect(await readPolicy(kioku.api, agent)).toEqual(WHOLE);
  });

  it.each(Object.entries(WHOLE))("has the defaults around %s alone", async (field, value) => {
    const agent = fresh("agent");
    expect(await setPolicy(kioku.api, agent, { [field]: value })).toEqual({ ...DEFAULTS, [field]: value });
  });

  it("is replaced, and nothing of the one before shows through", async () => {
    const agent = fresh("agent");
    await setPolicy(kioku.api, agent, WHOLE);
    await setPolicy(kioku.api, agent, { capture: "off" });
    expect(await readPolicy(kioku.api, agent)).toEqual({ ...DEFAULTS, capture: "off" });
    await setPolicy(kioku.api, agent, WHOLE);
    await setPolicy(kioku.api, agent, true);
    expect(await readPolicy(kioku.api, agent)).toEqual(DEFAULTS);
    await setPolicy(kioku.api, agent, {});
    expect(await readPolicy(kioku.api, agent)).toEqual(DEFAULTS);
  });

  it("can be put as it was got", async () => {
    const agent = fresh("agent");
    for (const policy of [true, WHOLE, { namespace: "team" }]) {
      await setPolicy(kioku.api, agent, policy as Record<string, unknown>);
      const got = await readPolicy(kioku.api, agent);
      expect(await setPolicy(kioku.api, agent, got)).toEqual(got);
    }
  });

  it("is of one agent of one tenant", async () => {
    const [agent, other, stranger] = [fresh("agent"), fresh("agent"), await kioku.tenant()];
    await setPolicy(kioku.api, agent, WHOLE);
    expect(await readPolicy(kioku.api, other)).toEqual(DEFAULTS);
    expect(await readPolicy(stranger, agent)).toEqual(DEFAULTS);
    await setPolicy(stranger, agent, false);
    expect(await readPolicy(kioku.api, agent)).toEqual(WHOLE);
  });

  it("is the last one of many put at once, whole", async () => {
    const agent = fresh("agent");
    const given = Array.from({ length: 10 }, (_, n) => ({ max_entries: n + 1, metadata: { n: n + 1 } }));
    await Promise.all(given.map((policy) => setPolicy(kioku.api, agent, policy)));
    const { max_entries, metadata } = await readPolicy(kioku.api, agent);
    expect(metadata).toEqual({ n: max_entries });
  });

  it("is read with a read key and set with a write key", async () => {
    const [agent, reader] = [fresh("agent"), await kioku.tenant({ scopes: ["read"] })];
    expect(await readPolicy(reader, agent)).toEqual(DEFAULTS);
    expectProblem(await reader.put(`/v1/agents/${agent}/policy`, false), "forbidden");
    expect(await readPolicy(reader, agent)).toEqual(DEFAULTS);
  });
});

describe("a wrong policy", () => {
  it.each(WRONG_ROWS)("is refused for its %s: %j, which is named", async (field, value) => {
    const agent = fresh("agent");
    await setPolicy(kioku.api, agent, { max_entries: 3 });
    expectProblem(
      await kioku.api.put(`/v1/agents/${agent}/policy`, { [field]: value }),
      "invalid_request",
      field,
    );
    expect(await readPolicy(kioku.api, agent)).toEqual({ ...DEFAULTS, max_entries: 3 });
  });

  it("names every field that is wrong", async () => {
    const body = { scope: "all", capture: "all", max_entries: "all" };
    const answer = await kioku.api.put(`/v1/agents/${fresh("agent")}/policy`, body);
    for (const field of Object.keys(body)) expectProblem(answer, "invalid_request", field);
  });

  it("is refused for a misspelled field, which is named", async () => {
    const answer = await kioku.api.put(`/v1/agents/${fresh("agent")}/policy`, { max_entrys: 5 });
    expect(JSON.stringify(expectProblem(answer, "invalid_request"))).toContain("max_entrys");
  });

  it.each(["yes", 7, null, [], [true]])("is refused when it is %j", async (body) => {
    const agent = fresh("agent");
    expectProblem(await kioku.api.put(`/v1/agents/${agent}/policy`, body), "invalid_request");
    expect(await readPolicy(kioku.api, agent)).toEqual(DEFAULTS);
  });

  it("is refused when there is none, or it is no JSON", async () => {
    const path = `/v1/agents/${fresh("agent")}/policy`;
    expectProblem(await kioku.api.call("PUT", path), "invalid_request");
    for (const raw of ["{", "True", "{'scope':'agent'}"])
      expectProblem(await kioku.api.call("PUT", path, { raw }), "invalid_request");
  });

  it.each(["a b", "a:b", "x".repeat(129), "é"])("is refused for the agent %j", async (agent) => {
    const path = `/v1/agents/${encodeURIComponent(agent)}/policy`;
    expectProblem(await kioku.api.put(path, true), "invalid_request", "agent_id");
    expectProblem(await kioku.api.get(path), "invalid_request", "agent_id");
  });
});

describe("a session's own policy", () => {
  /** What a turn of the session would go by. */
  async function inForce(session: string): Promise<Partial<Policy>> {
    const { enabled, scope, inject, capture } = (await preflight(kioku.api, session)).memory;
    return { enabled, scope, inject, capture } as Partial<Policy>;
  }
  const DEFAULT = { enabled: true, scope: "agent", inject: "instructions", capture: "manual" };

  it("is the agent's when it has none, as soon as that changes", async () => {
    const agent_id = fresh("agent");
    const { id } = await newSession(kioku.api, { agent_id });
    expect(await inForce(id)).toEqual(DEFAULT);
    await setPolicy(kioku.api, agent_id, { scope: "session", inject: "context", capture: "conversation" });
    expect(await inForce(id)).toEqual({
      enabled: true,
      scope: "session",
      inject: "context",
      capture: "conversation",
    });
    await setPolicy(kioku.api, agent_id, false);
    expect(await inForce(id)).toMatchObject({ enabled: false });
  });

  it("wins over the agent's where it says something, from the start", async () => {
    const agent_id = fresh("agent");
    await setPolicy(kioku.api, agent_id, { scope: "session", capture: "conversation" });
    const made = await newSession(kioku.api, { agent_id, policy: { inject: "context", capture: "off" } });
    expect(made.policy).toMatchObject({ inject: "context", capture: "off" });
    expect(await inForce(made.id)).toEqual({
      enabled: true,
      scope: "session",
      inject: "context",
      capture: "off",
    });
    const other = await newSession(kioku.api, { agent_id });
    expect(await inForce(other.id)).toMatchObject({ inject: "instructions", capture: "conversation" });
  });

  it("is changed by PATCH, for the next call", async () => {
    const agent_id = fresh("agent");
    const { id } = await newSession(kioku.api, { agent_id });
    const patch = { policy: { capture: "conversation", scope: "session" } };
    bodyOf(await kioku.api.patch<Session>(`/v1/sessions/${id}`, patch), 200);
    expect((await readSession(kioku.api, id)).policy).toMatchObject(patch.policy);
    expect(await inForce(id)).toMatchObject(patch.policy);
    expect(await takeTurn(kioku.api, id, "Hi", "Hello")).toMatchObject({ captured: true });
  });

  it("switches memory off and on for the session alone", async () => {
    const agent_id = fresh("agent");
    await note(kioku.api, agent_id, "The agent knows this");
    const [off, on] = [
      await newSession(kioku.api, { agent_id, policy: false }),
      await newSession(kioku.api, { agent_id }),
    ];
    expect((await preflight(kioku.api, off.id)).memory).toMatchObject({ enabled: false, entries: [] });
    expect((await preflight(kioku.api, on.id)).memory.entries).toHaveLength(1);
    bodyOf(await kioku.api.patch(`/v1/sessions/${off.id}`, { policy: true }), 200);
    expect((await preflight(kioku.api, off.id)).memory.entries).toHaveLength(1);
    await setPolicy(kioku.api, agent_id, false);
    expect(await inForce(on.id)).toMatchObject({ enabled: false });
    expect(await inForce(off.id)).toMatchObject({ enabled: true });
  });

  it.each(WRONG_ROWS)("is refused for its %s: %j, which is named", async (field, value) => {
    const named = new RegExp(`policy.*${field}`);
    const id = fresh("session");
    const body = { policy: { [field]: value } };
    expectProblem(await kioku.api.post("/v1/sessions", { id, ...body }), "invalid_request", named);
    expectProblem(await kioku.api.get(`/v1/sessions/${id}`), "not_found");
    const before = await newSession(kioku.api);
    expectProblem(await kioku.api.patch(`/v1/sessions/${before.id}`, body), "invalid_request", named);
    expect(await readSession(kioku.api, before.id)).toEqual(before);
  });

  it("is refused for a misspelled field, and when it is no policy", async () => {
    for (const policy of [{ max_entrys: 5 }, "yes", 7, [true]]) {
      expectProblem(await kioku.api.post("/v1/sessions", { policy }), "invalid_request", /policy/);
    }
  });
});
