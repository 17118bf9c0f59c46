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
  for (const content of FACTS)
    await client.call("POST", `/v1/sessions/${session}/remember`, { content, type: "fact" });
  await untilIndexed(client.tenant);
});

/** Calls once to warm the isolate, and once more under the trace. */
async function trace(call: () => Promise<Answer>, warm = true): Promise<{ answer: Answer; trips: Trips }> {
  if (warm) await call();
  const { result, trips } = await traceTrips(call);
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

  it("reading a memory: one", async () => {
    const { body } = await client.call("GET", "/v1/memories?limit=1");
    const id = body.data[0].id;
    expectTrips(await trace(() => client.call("GET", `/v1/memories/${id}`)), 1, 0);
  });
});
