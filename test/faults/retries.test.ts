// What failed is tried again: soon, then less and less often, and only for as long as something waits. Meanwhile
// the session goes on in its own storage.
import { runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Client, freshId, sessionStub } from "../integration/support";
import {
  alarmOf,
  breakBatches,
  breakStatements,
  COMMIT,
  expectWrittenOnce,
  failuresOfD1,
  HOUR,
  MOMENTS,
  mendD1,
  newSession,
  nextRunOf,
  objectsOf,
  offer,
  outboxOf,
  REGISTRATION,
  runAlarm,
  setClock,
  type TestSession,
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

describe("retries", () => {
  it("wait twice as long after every failure, up to five minutes, and start over after a success", async () => {
    await offer(client, id, "The tests are slow");
    breakBatches({ moment: "before" });
    const waits: number[] = [];
    for (let attempt = 0; attempt < 10; attempt += 1) {
      await alarm();
      waits.push(((await nextRun()) ?? 0) - now);
    }
    expect(waits).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 300, 300].map((seconds) => seconds * 1_000));
    mendD1();
    await alarm();
    await expectWrittenOnce({ client, path, stub }, ["The tests are slow"]);
    await offer(client, id, "The tests are fast now");
    breakBatches({ moment: "before" });
    await alarm();
    expect(((await nextRun()) ?? 0) - now).toBe(2_000);
  });

  it("are not put off by what else is written meanwhile", async () => {
    await offer(client, id, "The build is green");
    breakBatches({ moment: "before" });
    await alarm();
    const due = await nextRun();
    expect(due).toBe(now + 2_000);
    for (const step of [500, 1_000, 1_500]) {
      await setClock(stub, now + step);
      await client.call("POST", `${path}/messages`, {
        messages: [{ role: "user", content: "Are you there?" }],
      });
    }
    expect(await nextRun()).toBe(due);
  });

  it("of a call that failed do not wait for the session's next promotion", async () => {
    await client.call("PATCH", path, { promotion: { interval_ms: 3_600_000 } });
    await offer(client, id, "The review is due");
    expect(await nextRun()).toBe(now + HOUR);
    breakBatches({ moment: "before" });
    expect((await client.call("POST", `${path}/remember`, { content: "The night is short" })).status).toBe(
      503,
    );
    expect(await nextRun()).toBe(now + 2_000);
  });

  it.each([
    ["another remember", () => client.call("POST", `${path}/remember`, { content: "The night is over" })],
    ["a close", () => client.call("POST", `${path}/close`)],
  ])("leave no alarm behind when %s has sent everything", async (_name, send) => {
    breakBatches({ moment: "before", matching: COMMIT });
    expect((await client.call("POST", `${path}/remember`, { content: "The night is long" })).status).toBe(
      503,
    );
    expect(await alarmOf(stub)).toBe(now + 2_000);
    mendD1();
    expect((await send()).status).toBeLessThan(300);
    expect(await outboxOf(stub)).toBe(0);
    expect(await alarmOf(stub)).toBeNull();
  });

  it("go on after a session was paused or closed, until the outbox is empty", async () => {
    breakBatches({ moment: "before", matching: COMMIT });
    expect((await client.call("POST", `${path}/remember`, { content: "The end is near" })).status).toBe(503);
    await client.call("POST", `${path}/close`);
    mendD1();
    if ((await outboxOf(stub)) > 0) await alarm();
    await expectWrittenOnce({ client, path, stub }, ["The end is near"]);
    expect(await alarmOf(stub)).toBeNull();
  });
});

describe("while D1 is down", () => {
  it("messages, context and candidates are acknowledged by the session's own storage", async () => {
    breakBatches({ moment: "before" });
    const messages = [{ role: "user", content: "Where do we stand?" }];
    expect((await client.call("POST", `${path}/messages`, { messages })).status).toBe(201);
    expect(
      (await client.call("PUT", `${path}/context/framework`, { value: "Hono", source: "tool" })).status,
    ).toBe(200);
    await offer(client, id, "The plan stands");
    mendD1();
    expect((await client.call("GET", path)).body.counts).toMatchObject({
      messages: 1,
      context: 1,
      pending: 1,
    });
  });

  it("a new session is made by its first write, and the registry catches up by the alarm", async () => {
    const other = freshId("session");
    const otherStub = sessionStub(client.tenant, other);
    await setClock(otherStub, now);
    breakBatches({ moment: "before" });
    const messages = [{ role: "user", content: "Hello" }];
    expect((await client.call("POST", `/v1/sessions/${other}/messages`, { messages })).status).toBe(201);
    expect(failuresOfD1()).toBeGreaterThan(0);
    mendD1();
    const listed = async () =>
      (await client.call("GET", "/v1/sessions")).body.data.map((session: { id: string }) => session.id);
    expect(await listed()).not.toContain(other);
    expect(await alarmOf(otherStub)).toBe(now + 2_000);
    expect(await runDurableObjectAlarm(otherStub)).toBe(true);
    expect(await listed()).toContain(other);
    expect(await objectsOf(client.tenant, `jido:session_${other}`, "jido:hasStatus")).toEqual([
      "jido:Active",
    ]);
    // What is left is the projectors' tick.
    expect(await alarmOf(otherStub)).toBe(now + 30_000);
  });

  it.each(
    MOMENTS,
  )("a status whose registration fails %s is told again, and told as it is by then", async (moment) => {
    breakBatches({ moment, matching: REGISTRATION });
    expect((await client.call("POST", `${path}/pause`)).body.status).toBe("paused");
    expect((await client.call("POST", `${path}/resume`)).body.status).toBe("active");
    expect((await client.call("POST", `${path}/pause`)).body.status).toBe("paused");
    expect(failuresOfD1()).toBe(3);
    mendD1();
    await alarm();
    expect(await objectsOf(client.tenant, `jido:session_${id}`, "jido:hasStatus")).toEqual(["jido:Paused"]);
    expect(await objectsOf(client.tenant, `jido:session_${id}`, "rdf:type")).toEqual(["jido:WorkSession"]);
  });

  it("every call answers 503 in the contract's shape when even the keys cannot be read", async () => {
    breakStatements({ moment: "before" });
    breakBatches({ moment: "before" });
    const answer = await client.call("GET", path);
    expect(answer).toMatchObject({ status: 503, body: { code: "unavailable", status: 503 } });
    expect(answer.headers.get("Content-Type")).toContain("application/problem+json");
  });
});
