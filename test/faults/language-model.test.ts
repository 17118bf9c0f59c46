// A language model that hangs, fails or lies: no call of a session waits for it, and its work is done in the end.
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { SessionObject } from "../../durable-objects/session";
import { installModel, type TestModel } from "../integration/language-model-support";
import type { Client } from "../integration/support";
import { alarmOf, memoriesOf, newSession, runAlarm, type TestSession } from "./support";

let client: Client;
let path: string;
let stub: TestSession["stub"];
let model: TestModel;

beforeEach(async () => {
  ({ client, path, stub } = await newSession());
  model = await installModel(stub);
});
afterEach(() => model.remove());

const DECISION = "We decided to use PostgreSQL for the ledger.";

const say = (...contents: string[]) =>
  client.call("POST", `${path}/messages`, {
    messages: contents.map((content) => ({ role: "user", content })),
  });

/** Runs the alarms that the session still holds. */
async function runAlarms(): Promise<void> {
  for (let n = 0; n < 10 && (await alarmOf(stub)) !== null; n += 1) await runAlarm(stub);
  expect(await alarmOf(stub)).toBeNull();
}

const summary = async () => (await client.call("GET", `${path}/spaces/world`)).body.data.summary;

describe("a session whose summary waits for a model that hangs", () => {
  let alarm: Promise<void>;

  beforeEach(async () => {
    await say(DECISION);
    model.hang();
    alarm = runInDurableObject<SessionObject, void>(stub, (instance) => instance.alarm());
    await vi.waitFor(() => expect(model.asked.length).toBeGreaterThan(0));
    await say("We agreed to name the service Kioku.");
  });

  it.each([
    ["pause", "paused"],
    ["close", "closed"],
  ])("ends at once on %s, and its alarm summarises what was left", async (end, status) => {
    const started = performance.now();
    const answer = await client.call("POST", `${path}/${end}`);
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(answer).toMatchObject({ status: 200, body: { status } });
    expect(await summary()).toBeUndefined();
    expect(await alarmOf(stub)).not.toBeNull();

    model.answer(() => "Ledger on PostgreSQL.");
    await alarm;
    model.answer(() => "Ledger on PostgreSQL, service named Kioku.");
    await runAlarms();
    expect(await summary()).toMatchObject({
      text: "Ledger on PostgreSQL, service named Kioku.",
      by: expect.stringContaining("workers-ai"),
    });
    expect((await client.call("GET", path)).body.status).toBe(status);
    expect((await memoriesOf(client.tenant)).map(({ content }) => content)).toContain(DECISION);
  });

  it("is erased at once, and the late answer changes nothing", async () => {
    const receipt = await client.call("DELETE", path);
    expect(receipt.status).toBe(200);
    model.answer(() => "Too late");
    await alarm;
    expect(await runDurableObjectAlarm(stub)).toBe(false);
    expect((await client.call("GET", path)).status).toBe(404);
  });
});
