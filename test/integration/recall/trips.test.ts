// How many round trips an answer waits for, with a key that was used just now.
import { beforeAll, describe, expect, it } from "vitest";
import { type Answer, type Client, freshId, newClient, untilIndexed } from "../support";
import { type Trips, traceTrips } from "../trips-support";

let client: Client;
let session: string;
const agent = "coder";

const FACTS = [
  "The deployment of the billing service runs every Friday at noon",
  "Postgres 16 stores the invoices of all customers",
  "Mia prefers short answers without tables",
  "The staging cluster is rebuilt every night",
  "Refunds above 500 euros need a second signature",
];

beforeAll(async () => {
  client = await newClient();
  session = freshId("session");
  await client.call("POST", "/v1/sessions", { id: session, agent_id: agent });
  await client.call("PUT", `/v1/agents/${agent}/policy`, { capture: "conversation" });
  for (const content of FACTS)
    await client.call("POST", `/v1/sessions/${session}/remember`, { content, type: "fact" });
  await untilIndexed(client.tenant);
});

/** Work after the answers of earlier calls ends before the trace begins. */
const QUIET_MS = 500;

/** Calls twice: to warm the isolate, and under the trace. */
async function trace(call: () => Promise<Answer>): Promise<{ answer: Answer; trips: Trips }> {
  await call();
  await scheduler.wait(QUIET_MS);
  const { result, trips } = await traceTrips(call);
  // The time of the remembered key was just over.
  if (trips.names.some((name) => name.includes("api_keys"))) return trace(call);
  expect(result.status, JSON.stringify(result.body)).toBeLessThan(300);
  return { answer: result, trips };
}

const expectTrips = ({ trips }: { trips: Trips }, d1: number, object: number) =>
  expect(trips, trips.names.join("\n")).toMatchObject({ d1, object });

describe("round trips of a warm call", () => {
  it("text recall of an agent: one", async () => {
    const traced = await trace(() =>
      client.call("POST", "/v1/recall", { query: "billing deployment", agent_id: agent, mode: "text" }),
    );
    expect(traced.answer.body.count).toBeGreaterThan(0);
    expectTrips(traced, 1, 0);
  });

  it("hybrid recall of an agent: two, with the vector index beside", async () => {
    const traced = await trace(() =>
      client.call("POST", "/v1/recall", { query: "When is billing shipped?", agent_id: agent }),
    );
    expect(traced.answer.body.count).toBeGreaterThan(0);
    expectTrips(traced, 2, 0);
  });

  it("text recall in a session: one, with the session beside", async () => {
    const traced = await trace(() =>
      client.call("POST", `/v1/sessions/${session}/recall`, { query: "billing deployment", mode: "text" }),
    );
    expect(traced.answer.body.count).toBeGreaterThan(0);
    expectTrips(traced, 1, 0);
  });

  it("hybrid recall in a session: two, with the session and the vector index beside", async () => {
    const traced = await trace(() =>
      client.call("POST", `/v1/sessions/${session}/recall`, { query: "When is billing shipped?" }),
    );
    expect(traced.answer.body.count).toBeGreaterThan(0);
    expectTrips(traced, 2, 0);
  });

  it("assemble with a query: two, and the session", async () => {
    const traced = await trace(() =>
      client.call("POST", `/v1/sessions/${session}/assemble`, { query: "When is billing shipped?" }),
    );
    expect(traced.answer.body.memories.length).toBeGreaterThan(0);
    expectTrips(traced, 2, 1);
  });

  it("preflight: two, with the session beside", async () => {
    const traced = await trace(() =>
      client.call("POST", `/v1/sessions/${session}/preflight`, { input: "When is billing shipped?" }),
    );
    expect(traced.answer.body.memory.entries.length).toBeGreaterThan(0);
    expectTrips(traced, 2, 0);
  });

  it("a captured turn: one session call, with its commit", async () => {
    let turn = 0;
    const traced = await trace(() => {
      turn += 1;
      const input = `I moved to house number ${turn} in Lyon`;
      return client.call("POST", `/v1/sessions/${session}/turns`, { input, output: "Noted." });
    });
    expect(traced.answer.body.captured).toBe(true);
    expectTrips(traced, 1, 1);
  });

  it("prime: two", async () => {
    const project_id = "atlas";
    await client.call("POST", "/v1/memories/batch", {
      memories: [{ content: "Run the migrations before a deployment", type: "lesson_learned", project_id }],
    });
    await untilIndexed(client.tenant);
    const traced = await trace(() =>
      client.call("POST", "/v1/prime", { goal: "Deploy with migrations", project_id }),
    );
    expect(traced.answer.body.avoid_these.length).toBeGreaterThan(0);
    expectTrips(traced, 2, 0);
  });

  it("forget in a session: one", async () => {
    let number = 0;
    const remember = async (): Promise<string> => {
      number += 1;
      const content = `Rack ${number} is in hall B`;
      const { body } = await client.call("POST", `/v1/sessions/${session}/remember`, { content });
      return body.memory_id;
    };
    const ids = [await remember(), await remember(), await remember(), await remember()];
    const traced = await trace(() =>
      client.call("POST", `/v1/sessions/${session}/forget`, { memory_id: ids.pop(), reason: "moved" }),
    );
    expect(traced.answer.body.forgotten).toBe(true);
    expectTrips(traced, 1, 0);
  });

  it("a note in the working context: the session alone", async () => {
    const traced = await trace(() =>
      client.call("PUT", `/v1/sessions/${session}/context/active_file`, { value: "billing.ts" }),
    );
    expectTrips(traced, 0, 1);
  });

  it("reading a memory: one", async () => {
    const { body } = await client.call("GET", "/v1/memories?limit=1");
    const id = body.data[0].id;
    expectTrips(await trace(() => client.call("GET", `/v1/memories/${id}`)), 1, 0);
  });
});
