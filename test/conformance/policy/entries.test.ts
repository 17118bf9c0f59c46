// Entries written by hand, and bodies that are refused by their field.
import { describe, expect, it } from "vitest";
import { ids } from "../support/actions";
import { type Client, fresh } from "../support/client";
import type { Turn } from "../support/contract";
import { expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";
import { agentWith, entriesOf, note, setPolicy } from "./policy";

const kioku = serviceUnderTest();

type Fields = Record<string, unknown>;

describe("writing an entry", () => {
  it("is a conflict while the agent's policy is off, and says so", async () => {
    const { agent } = await agentWith(kioku.api, false);
    const problem = expectProblem(
      await kioku.api.post("/v1/entries", { agent_id: agent, content: "Not kept" }),
      "conflict",
    );
    expect(problem.detail).toMatch(/policy|memory/i);
    await setPolicy(kioku.api, agent, true);
    expect(await entriesOf(kioku.api, `agent:${agent}`)).toEqual([]);
  });

  it.each(["manual", "conversation", "off"])("by hand works whatever is captured: %s", async (capture) => {
    const { agent } = await agentWith(kioku.api, { capture });
    const { id } = await note(kioku.api, agent, "Written by another system");
    expect(ids(await entriesOf(kioku.api, `agent:${agent}`))).toEqual([id]);
  });

  it("keeps metadata as it is, and gives none as an empty object", async () => {
    const agent = fresh("agent");
    const metadata = { kind: "preference", nested: { list: [1, null, "two"], "": "\u2028" } };
    const [one, two] = [
      await note(kioku.api, agent, "With", { metadata }),
      await note(kioku.api, agent, "Without"),
    ];
    expect([one.metadata, two.metadata]).toEqual([metadata, {}]);
    const entries = await entriesOf(kioku.api, `agent:${agent}`);
    expect(entries.find(({ id }) => id === one.id)).toEqual(one);
    expect(entries.find(({ id }) => id === two.id)).toEqual(two);
  });
});

describe("a bad body", () => {
  const turn = { input: "Hi", output: "Hello" };
  const rows: [string, string, unknown][] = [
    ["preflight", "input", {}],
    ["preflight", "input", { input: 7 }],
    ["preflight", "input", { input: ["hello"] }],
    ["preflight", "instructions", { input: "Hi", instructions: 7 }],
    ["preflight", "context", { input: "Hi", context: "tenant" }],
    ["preflight", "context", { input: "Hi", context: ["tenant"] }],
    ["preflight", "agent_id", { input: "Hi", agent_id: "a b" }],
    ["turns", "input", { output: "Hello" }],
    ["turns", "output", { input: "Hi" }],
    ["turns", "output", { ...turn, output: null }],
    ["turns", "context", { ...turn, context: [] }],
    ["turns", "agent_id", { ...turn, agent_id: 7 }],
  ];
  it.each(rows)("of %s names %s: %j", async (call, field, body) => {
    const { agent, session } = await agentWith(kioku.api, { capture: "conversation" });
    expectProblem(await kioku.api.post(`/v1/sessions/${session}/${call}`, body), "invalid_request", field);
    expect(await entriesOf(kioku.api, `agent:${agent}`)).toEqual([]);
  });

  const entries: [string, Fields][] = [
    ["agent_id", { content: "a" }],
    ["agent_id", { agent_id: "a b", content: "a" }],
    ["session_id", { agent_id: "a", session_id: "a b", content: "a" }],
    ["content", { agent_id: "a" }],
    ["content", { agent_id: "a", content: "  " }],
    ["content", { agent_id: "a", content: 7 }],
    ["content", { agent_id: "a", content: "x".repeat(2_001) }],
    ["metadata", { agent_id: "a", content: "a", metadata: "text" }],
  ];
  it.each(entries)("of an entry names %s: %j", async (field, body) => {
    const api: Client = await kioku.tenant();
    expectProblem(await api.post("/v1/entries", body), "invalid_request", field);
    expect(await entriesOf(api, "agent:a")).toEqual([]);
  });

  it("is refused for a misspelled field", async () => {
    const { agent, session } = await agentWith(kioku.api, { capture: "conversation" });
    const at = `/v1/sessions/${session}`;
    for (const [path, body] of [
      [`${at}/preflight`, { input: "Hi", instruction: "Be nice" }],
      [`${at}/turns`, { ...turn, requestid: "r1" }],
      ["/v1/entries", { agent_id: agent, content: "a", sesion_id: session }],
    ] as const)
      expectProblem(await kioku.api.post<Turn>(path, body), "invalid_request");
    expect(await entriesOf(kioku.api, `agent:${agent}`)).toEqual([]);
  });
});
