// Telemetry in the server's own log: what happened, where and how long it took; never what was said.
import { beforeAll, describe, expect, it, vi } from "vitest";
import { note, preflight, setPolicy, takeTurn } from "../policy/policy";
import { forget, promote, propose, quietSession, recall, remember, say } from "../support/actions";
import { bodyOf } from "../support/expectations";
import { ownServer } from "../support/http-service";
import { connectMcp, failing } from "../surfaces/mcp";

const SECRET = "unmistakable";
const kioku = ownServer();
let session: string;

type Event = Record<string, unknown>;

/** The events of the session so far, oldest first. */
function events(name: string): Event[] {
  return kioku
    .output()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Event)
    .filter((event) => event.event === name && event.session_id === session);
}

beforeAll(async () => {
  const { api } = kioku;
  session = (await quietSession(api)).id;
  const { memory_id } = await remember(api, session, `${SECRET} fact`, {
    type: "risk",
    rationale: SECRET,
    evidence: [SECRET],
  });
  await recall(api, session, { query: SECRET, type: "risk" });
  await forget(api, session, memory_id, { reason: SECRET });
  await propose(api, session, `${SECRET} candidate`, { importance_score: 0.9 });
  await promote(api, session);
  await say(api, session, [{ role: "user", content: `${SECRET} message` }]);
  bodyOf(await api.put(`/v1/sessions/${session}/context/framework`, { value: SECRET }), 200);
  bodyOf(await api.post(`/v1/sessions/${session}/assemble`, { query: SECRET }), 200);
  await api.post(`/v1/sessions/${session}/remember`, { content: SECRET, type: SECRET });
  const call = { name: "forget", arguments: { memory_id: SECRET, reason: SECRET } };
  bodyOf(await api.post("/v1/tools/execute", { session_id: session, call }), 200);
  await using mcp = await connectMcp(api);
  await failing(mcp, "recall", { session_id: session, query: SECRET, limit: 0 });
  const agent_id = "scribe";
  await setPolicy(api, agent_id, { capture: "conversation", metadata: { note: SECRET } });
  await note(api, agent_id, `${SECRET} entry`, { session_id: session });
  await takeTurn(api, session, `${SECRET} question`, `${SECRET} answer`, { agent_id, request_id: SECRET });
  await preflight(api, session, { agent_id, input: SECRET, instructions: SECRET, context: { note: SECRET } });
});

describe("telemetry", () => {
  const names = [
    "remember",
    "recall",
    "forget",
    "promotion.triggered",
    "promotion.completed",
    "context.assembled",
    "preflight",
    "capture",
  ];
  it.each(names)("has an event for %s, with its session and duration", async (name) => {
    await vi.waitFor(() => expect(events(name).length).toBeGreaterThan(0));
    const duration = Object.entries(events(name)[0] ?? {}).find(([field]) => field.startsWith("duration"));
    expect(duration?.[1]).toEqual(expect.any(Number));
  });

  it("says the type, the number of results, and whether there was a reason or a replacement", async () => {
    await vi.waitFor(() => expect(events("forget").length).toBeGreaterThan(0));
    expect(Object.values(events("remember")[0] ?? {})).toContain("risk");
    expect(events("recall")[0]).toMatchObject({
      result_count: 1,
      has_query: true,
      mode: "hybrid",
      scope: "session",
    });
    expect(events("forget")[0]).toMatchObject({ has_reason: true, has_replacement: false });
  });

  it.each([
    ["remember", "invalid_request"],
    ["forget", "not_found"],
    ["recall", "invalid_request"],
  ])("has an event for a refused %s, once, with its code", async (name, code) => {
    const refused = () => events(name).filter(({ status }) => status !== "ok");
    await vi.waitFor(() => expect(refused()).toHaveLength(1));
    expect(refused()).toMatchObject([{ status: "refused", code, duration_ms: expect.any(Number) }]);
  });

  it("never holds what was said", async () => {
    await vi.waitFor(() => expect(events("context.assembled").length).toBe(1));
    expect(kioku.output()).not.toContain(SECRET);
  });
});
