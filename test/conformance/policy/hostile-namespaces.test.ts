// Names that would reach somebody else's memory if they were taken for more than a name, wherever one is given.
import { describe, expect, it } from "vitest";
import { contents, newSession } from "../support/actions";
import { type Client, fresh } from "../support/client";
import type { Entry, Page } from "../support/contract";
import { bodyOf, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";
import { entriesOf, entriesPath, note, preflight, setPolicy } from "./policy";

const kioku = serviceUnderTest();

const FORGED: [string, unknown][] = [
  ["another agent's", "agent:victim"],
  ["a session's", "agent:victim:session:s1"],
  ["a team's session's", "team:session:s1"],
  ["no name", ""],
  ["white space", " "],
  ["a pattern", "%"],
  ["a pattern of an agent", "agent:%"],
  ["a glob", "*"],
  ["padded", " team"],
  ["with a line break", "team\n"],
  ["a quote", "' OR '1'='1"],
  ["a NUL", "team\u0000"],
  ["not Latin", "\uff54eam"],
  ["very long", "n".repeat(10_000)],
  ["an object", { name: "team" }],
  ["a list", ["team"]],
  ["true", true],
  ["null", null],
];

describe.each(FORGED)("a namespace that is %s", (_name, value) => {
  async function inhabited(): Promise<Client> {
    const api = await kioku.tenant();
    await newSession(api, { id: "s1" });
    await note(api, "victim", "A secret of the agent");
    await note(api, "victim", "A secret of the team", { namespace: "team" });
    bodyOf(await api.patch("/v1/sessions/s1", { policy: { scope: "session" } }), 200);
    await note(api, "victim", "A secret of the session", { session_id: "s1" });
    await note(api, "victim", "A secret of the team's session", { session_id: "s1", namespace: "team" });
    return api;
  }

  it("is refused in a policy and in an entry, by its field", async () => {
    const api = await inhabited();
    if (value !== null)
      expectProblem(
        await api.put("/v1/agents/thief/policy", { namespace: value }),
        "invalid_request",
        "namespace",
      );
    const entry = { agent_id: "thief", session_id: "s2", content: "Planted", namespace: value };
    expectProblem(await api.post("/v1/entries", entry), "invalid_request", "namespace");
  });

  it("is refused in a context, by its key, whatever the call", async () => {
    const api = await inhabited();
    for (const scope of ["agent", "session"]) {
      await setPolicy(api, "thief", { scope, namespace: { context: "tenant_id" }, capture: "conversation" });
      const context = { tenant_id: value };
      const calls: [string, Record<string, unknown>][] = [
        ["/v1/sessions/s2/preflight", { input: "secret", agent_id: "thief" }],
        ["/v1/sessions/s2/turns", { input: "Plant", output: "Planted", agent_id: "thief" }],
        ["/v1/entries", { content: "Planted", agent_id: "thief", session_id: "s2" }],
      ];
      for (const [path, body] of calls) {
        const answer = await api.post(path, { ...body, context });
        expectProblem(answer, "invalid_request", "tenant_id");
        expect(answer.text).not.toContain("A secret");
      }
    }
    for (const name of ["agent:victim", "team", "agent:thief"])
      expect(JSON.stringify(await entriesOf(api, name))).not.toContain("Plant");
  });

  it("lists nothing of another tenant, nor more than its name says", async () => {
    if (typeof value !== "string") return;
    const [api, stranger] = [await inhabited(), await kioku.tenant()];
    for (const client of [api, stranger]) {
      const answer = await client.get<Page<Entry>>(entriesPath(value));
      if (answer.status === 400) expectProblem(answer, "invalid_request", "namespace");
      else {
        const entries = bodyOf(answer, 200).data;
        if (client === stranger) expect(entries).toEqual([]);
        for (const { namespace } of entries) expect(`${namespace}:`.startsWith(`${value}:`)).toBe(true);
      }
    }
  });
});

describe("a namespace from the context", () => {
  const calls: [string, Record<string, unknown>][] = [
    ["preflight", { input: "Hi" }],
    ["turns", { input: "Hi", output: "Hello" }],
  ];

  it("that is missing is a 400 that names the key", async () => {
    const agent = fresh("agent");
    await setPolicy(kioku.api, agent, { namespace: { context: "tenant_id" }, capture: "conversation" });
    const { id } = await newSession(kioku.api, { agent_id: agent });
    for (const context of [undefined, {}, { tenant: "acme" }, { "tenant_id ": "acme" }]) {
      for (const [call, body] of calls) {
        const answer = await kioku.api.post(`/v1/sessions/${id}/${call}`, { ...body, context });
        expectProblem(answer, "invalid_request", "tenant_id");
      }
      const entry = { agent_id: agent, content: "Whose?", context };
      expectProblem(await kioku.api.post("/v1/entries", entry), "invalid_request", "tenant_id");
    }
  });

  it.each([
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "length",
  ])("is never what every object has: %s", async (key) => {
    const agent = fresh("agent");
    await setPolicy(kioku.api, agent, { namespace: { context: key }, capture: "conversation" });
    const { id } = await newSession(kioku.api, { agent_id: agent });
    for (const [call, body] of calls)
      expectProblem(
        await kioku.api.post(`/v1/sessions/${id}/${call}`, { ...body, context: {} }),
        "invalid_request",
        key,
      );
  });

  it("that the policy does not ask for is not looked at", async () => {
    const agent = fresh("agent");
    const { id } = await newSession(kioku.api, { agent_id: agent });
    const entry = await note(kioku.api, agent, "Own", {
      context: { tenant_id: "agent:victim", namespace: {} },
    });
    expect(entry.namespace).toBe(`agent:${agent}`);
    const { memory } = await preflight(kioku.api, id, { context: { tenant_id: ["%"], agent_id: "victim" } });
    expect(contents(memory.entries)).toEqual(["Own"]);
  });
});

describe("listing entries", () => {
  it("takes no empty namespace for all of them", async () => {
    expectProblem(await kioku.api.get("/v1/entries?namespace="), "invalid_request", "namespace");
  });

  it.each([
    ...[
      "nobody",
      "agent:",
      "agent:a b",
      "agent:a:session:",
      "agent:a:session:b c",
      ":session:s1",
      "agent:a:b",
    ],
    ...["team:session:a:session:b", "agent:%:session:%", "agent:_:session:_", "_", "a_b%", "team:session:"],
  ])("of %j is empty or refused by its field, and never all there is", async (name) => {
    const api = await kioku.tenant();
    for (const agent of ["a", "ab", "aXb", "s1"]) {
      await note(api, agent, `Of ${agent}`);
      await note(api, agent, `Of ${agent} in a team`, { namespace: "team" });
    }
    const answer = await api.get<Page<Entry>>(entriesPath(name));
    if (answer.status === 200) expect(answer.body).toEqual({ data: [], next_cursor: null });
    else expectProblem(answer, "invalid_request", "namespace");
  });
});
