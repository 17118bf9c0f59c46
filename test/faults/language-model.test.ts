// A language model that hangs, fails or lies: no call of a session waits for it, and its work is done in the end.
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { SessionObject } from "../../durable-objects/session";
import { type AskedModel, installModel, type TestModel } from "../integration/language-model-support";
import { type Client, sessionStub } from "../integration/support";
import { alarmOf, kill, memoriesOf, newSession, outboxOf, runAlarm, type TestSession } from "./support";

let client: Client;
let id: string;
let path: string;
let stub: TestSession["stub"];
let now: number;
let model: TestModel;

beforeEach(async () => {
  ({ client, id, path, stub, now } = await newSession());
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

describe("the extraction by a model", () => {
  const isExtraction = ({ messages }: AskedModel) =>
    messages[0]?.content.includes("lasting memories") === true;
  const extractions = () => model.asked.filter(isExtraction);
  const NOTHING = JSON.stringify({ memories: [] });
  const answerWith = (...memories: object[]) =>
    model.answer((request) =>
      isExtraction(request)
        ? JSON.stringify({
            memories: memories.map((memory) => ({
              action: "add",
              type: "fact",
              content: "The user was born in Lisbon.",
              confidence: 0.9,
              messages: ["m1"],
              supersedes: null,
              ...memory,
            })),
          })
        : "A summary.",
    );
  const ring = () => runInDurableObject<SessionObject, void>(stub, (instance) => instance.alarm());
  const stored = async () =>
    (await memoriesOf(client.tenant)).map(({ content, live }) => ({ content, live }));

  beforeEach(async () => {
    answerWith({});
    await say("born in Lisbon, me");
  });

  it("happens on the alarm, and not when messages are written, evicted, assembled or promoted on demand", async () => {
    await client.call("POST", `${path}/messages`, {
      messages: [{ role: "user", content: "Thanks!", token_count: 50_000 }],
    });
    await client.call("POST", `${path}/assemble`, {});
    expect((await client.call("POST", `${path}/promote`)).body).toEqual({ promoted: [], remaining: 0 });
    expect(model.asked).toEqual([]);
    expect(await alarmOf(stub)).toBeLessThanOrEqual(now);
    await runAlarms();
    expect(extractions()).toHaveLength(1);
    expect(await stored()).toEqual([{ content: "The user was born in Lisbon.", live: 1 }]);
    await client.call("POST", `${path}/close`);
    await runAlarms();
    expect(extractions()).toHaveLength(1);
  });

  it("is shared by alarms that are delivered at once", async () => {
    await Promise.all([ring(), ring(), ring()]);
    await runAlarms();
    expect(extractions()).toHaveLength(1);
    expect(await memoriesOf(client.tenant)).toMatchObject([{ access_count: 0 }]);
  });

  it("is repeated after the object was killed during a call, and stores its memories once", async () => {
    model.hang();
    const killed = ring().catch(() => undefined);
    await vi.waitFor(() => expect(extractions()).toHaveLength(1));
    await kill(stub);
    await killed;
    stub = sessionStub(client.tenant, id);
    model = await installModel(stub);
    answerWith({});
    await ring();
    await runAlarms();
    expect(extractions()).toHaveLength(1);
    expect(await memoriesOf(client.tenant)).toMatchObject([
      { content: "The user was born in Lisbon.", access_count: 0 },
    ]);
  });

  it("goes on when a memory that it supersedes was forgotten during the call", async () => {
    const { body } = await client.call("POST", `${path}/remember`, {
      content: "The user was born in Porto.",
    });
    model.hang();
    const alarm = ring();
    await vi.waitFor(() => expect(extractions()).toHaveLength(1));
    expect(extractions()[0]?.messages[1]?.content).toContain("[k1] fact: The user was born in Porto.");
    await client.call("POST", `${path}/forget`, { memory_id: body.memory_id });
    answerWith({ action: "supersede", supersedes: "k1" });
    await alarm;
    await runAlarms();
    expect(await memoriesOf(client.tenant)).toMatchObject([
      { content: "The user was born in Lisbon.", live: 1 },
      { content: "The user was born in Porto.", live: 0, superseded_by: null },
    ]);
    expect(await outboxOf(stub)).toBe(0);
  });

  it.each([
    { user_id: "mia" },
    { agent_id: "ada" },
  ])("is given no memory of another owner than the session's: %o", async (owner) => {
    await client.call("POST", `${path}/remember`, { content: "The user was born in Porto.", ...owner });
    await ring();
    expect(extractions()[0]?.messages[1]?.content).not.toContain("Porto");
  });

  it("is done by rules after the second failure, for the messages of that time", async () => {
    model.answer((request) => {
      if (isExtraction(request)) throw new Error("5007: No such model");
      return "A summary.";
    });
    await say(DECISION);
    await ring();
    expect(await stored()).toEqual([]);
    await say("We agreed to name the service Kioku.");
    await runAlarms();
    expect(await stored()).toContainEqual({ content: DECISION, live: 1 });
    model.answer((request) => (isExtraction(request) ? NOTHING : "A summary."));
    const asked = extractions().length;
    await say("And thanks");
    await runAlarms();
    expect(extractions().slice(asked)).toHaveLength(1);
    expect(extractions().at(-1)?.messages[1]?.content).toMatch(/New messages:\n\[m1\] \S+ user: And thanks$/);
  });

  it("sends no secret and no tool output, and covers long conversations in several calls", async () => {
    model.answer((request) => (isExtraction(request) ? NOTHING : "A summary."));
    await client.call("POST", `${path}/messages`, {
      messages: [
        { role: "tool", content: "The tool's output" },
        { role: "user", content: "My password is hunter2" },
        ...Array.from({ length: 60 }, (_, n) => ({ role: "user", content: `Point ${n}` })),
      ],
    });
    await ring();
    await runAlarms();
    const prompts = extractions().map(({ messages }) => messages[1]?.content ?? "");
    expect(prompts).toHaveLength(4);
    expect(prompts.join()).not.toMatch(/hunter2|tool's output/);
    for (let n = 0; n < 60; n += 1)
      expect(
        prompts.filter((prompt) => new RegExp(`\\] \\S+ user: Point ${n}$`, "m").test(prompt)),
      ).toHaveLength(1);
  });
});
