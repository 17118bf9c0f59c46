// D1 fails before, in the middle of, or after a write. Whatever was acknowledged stays, whatever waits is
// written once when D1 is back.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Client, freshId } from "../integration/support";
import {
  alarmOf,
  breakBatches,
  COMMIT,
  expectWrittenOnce,
  failuresOfD1,
  MOMENTS,
  memoriesOf,
  mendD1,
  newSession,
  nextRunOf,
  objectsOf,
  offer,
  outboxOf,
  runAlarm,
  type TestSession,
  untilProjected,
} from "./support";

let client: Client;
let id: string;
let path: string;
let stub: TestSession["stub"];
/** Where the session's clock stands: ahead, so that alarms wait for the test. */
let now: number;

beforeEach(async () => {
  ({ client, id, path, stub, now } = await newSession());
});
afterEach(mendD1);

const nextRun = () => nextRunOf({ client, path });
const alarm = async () => {
  now = await runAlarm(stub);
};

describe.each(MOMENTS)("D1 failing %s a commit", (moment) => {
  it("of an alarm's promotion loses no candidate and doubles none", async () => {
    await offer(client, id, "The database is SQLite");
    await offer(client, id, "The deploys are on Mondays");
    breakBatches({ moment, matching: COMMIT });
    await alarm();
    expect(failuresOfD1()).toBe(1);
    const during = await client.call("GET", `${path}/pending`);
    expect(during.body.data).toHaveLength(2);
    expect(await nextRun()).toBe(now + 2_000);
    mendD1();
    await alarm();
    await expectWrittenOnce({ client, path, stub }, ["The database is SQLite", "The deploys are on Mondays"]);
    await untilProjected(stub);
    expect(await nextRun()).toBeNull();
    expect(await alarmOf(stub)).toBeNull();
  });

  it("of a promotion on demand answers 503 and the alarm makes it good", async () => {
    await offer(client, id, "The api is versioned");
    breakBatches({ moment, matching: COMMIT });
    const answer = await client.call("POST", `${path}/promote`);
    expect(answer).toMatchObject({ status: 503, body: { code: "unavailable" } });
    expect(answer.headers.get("Retry-After")).not.toBeNull();
    mendD1();
    await alarm();
    await expectWrittenOnce({ client, path, stub }, ["The api is versioned"]);
    expect((await client.call("GET", path)).body.promotion.total_promoted).toBe(1);
  });

  it("of a promotion on demand lets the call be sent again, which promotes what waits", async () => {
    await offer(client, id, "The logs are kept for a week");
    breakBatches({ moment, matching: COMMIT });
    expect((await client.call("POST", `${path}/promote`)).status).toBe(503);
    mendD1();
    const again = await client.call("POST", `${path}/promote`);
    expect(again).toMatchObject({ status: 200, body: { remaining: 0 } });
    await expectWrittenOnce({ client, path, stub }, ["The logs are kept for a week"]);
  });

  it("of a close answers 503, and the session closes when it is sent again", async () => {
    await offer(client, id, "The queue is at least once", { importance_score: 0.5 });
    breakBatches({ moment, matching: COMMIT });
    expect(await client.call("POST", `${path}/close`)).toMatchObject({
      status: 503,
      body: { code: "unavailable" },
    });
    expect((await client.call("GET", path)).body.counts.pending).toBe(1);
    mendD1();
    expect(await client.call("POST", `${path}/close`)).toMatchObject({
      status: 200,
      body: { status: "closed" },
    });
    await expectWrittenOnce({ client, path, stub }, ["The queue is at least once"]);
    expect(await objectsOf(client.tenant, `jido:session_${id}`, "jido:hasStatus")).toEqual(["jido:Closed"]);
  });

  it("of a remember answers 503, and the alarm writes it once", async () => {
    breakBatches({ moment, matching: COMMIT });
    const answer = await client.call("POST", `${path}/remember`, { content: "The cache is warm" });
    expect(answer).toMatchObject({ status: 503, body: { code: "unavailable" } });
    expect(JSON.stringify(answer.body)).not.toMatch(/cache|INSERT|D1_ERROR/);
    expect(await outboxOf(stub)).toBe(1);
    mendD1();
    await alarm();
    await expectWrittenOnce({ client, path, stub }, ["The cache is warm"]);
  });

  it("outside any session answers 503, and the same key writes it once", async () => {
    const body = { content: "The style guide is short", agent_id: freshId("agent") };
    const key = { "Idempotency-Key": freshId("key") };
    breakBatches({ moment, matching: COMMIT });
    expect((await client.call("POST", "/v1/remember", body, key)).status).toBe(503);
    mendD1();
    expect((await client.call("POST", "/v1/remember", body, key)).status).toBe(201);
    expect(await memoriesOf(client.tenant)).toMatchObject([{ content: body.content, access_count: 0 }]);
  });

  it("of an erasure erases nothing by half, and the alarm carries it on", async () => {
    await client.call("POST", `${path}/remember`, { content: "The token is secret" });
    breakBatches({ moment, matching: /DELETE FROM memories/ });
    expect((await client.call("DELETE", `${path}?memories=true`)).status).toBe(503);
    const left = (await memoriesOf(client.tenant)).length;
    expect(left).toBe(moment === "after" ? 0 : 1);
    expect((await client.call("GET", path)).status).toBe(404);
    mendD1();
    await alarm();
    expect(await memoriesOf(client.tenant)).toEqual([]);
    expect(await objectsOf(client.tenant, `jido:session_${id}`, "rdf:type")).toEqual([]);
    expect(await alarmOf(stub)).toBeNull();
  });
});

describe("an erasure that D1 interrupted", () => {
  it("is finished by the same call sent again, with its receipt", async () => {
    await client.call("POST", `${path}/remember`, { content: "The token is secret" });
    breakBatches({ moment: "before" });
    expect((await client.call("DELETE", `${path}?memories=true`)).status).toBe(503);
    mendD1();
    const again = await client.call("DELETE", `${path}?memories=true`);
    expect(again).toMatchObject({ status: 200, body: { deleted: { memories: 1 } } });
    expect(await memoriesOf(client.tenant)).toEqual([]);
  });
});

describe.each(MOMENTS)("D1 failing %s the capture of a turn", (moment) => {
  it.each([
    ["short", "Hello, Alex.", 1],
    ["long", `Hello, Alex. ${"x".repeat(5_000)}`, 3],
  ])("never fails a %s turn, says so, and is made good once, whole", async (_length, output, parts) => {
    const agent = freshId("agent");
    await client.call("PUT", `/v1/agents/${agent}/policy`, { capture: "conversation" });
    // A new participant would have the session registered again, which also finds the memory that was committed.
    await client.call("PATCH", path, { participating_agents: [agent] });
    const turn = { agent_id: agent, input: "My name is Alex.", output, request_id: "r1" };
    breakBatches({ moment, matching: COMMIT });
    const { status, body } = await client.call("POST", `${path}/turns`, turn);
    expect({ status, body }).toEqual({
      status: 200,
      body: { captured: false, reason: expect.stringContaining("safe") },
    });
    expect(failuresOfD1()).toBeGreaterThan(0);
    mendD1();
    await alarm();
    const again = await client.call("POST", `${path}/turns`, turn);
    expect(again.body).toEqual({
      captured: true,
      entry_id: again.body.entry_ids[0],
      entry_ids: Array.from({ length: parts }, () => expect.any(String)),
    });
    const { body: entries } = await client.call("GET", `/v1/entries?namespace=agent:${agent}`);
    expect(entries.data).toMatchObject([
      { id: again.body.entry_id, content: `User: My name is Alex.\nAssistant: ${output}` },
    ]);
    expect(await outboxOf(stub)).toBe(0);
  });
});
