// Recall of what was said at a time: the query names it, and `now` is the asker's clock.
import { beforeEach, describe, expect, it } from "vitest";
import { newTenant, type Tenant } from "../store/long-term-support";

let t: Tenant;
beforeEach(async () => {
  t = await newTenant();
});

const NOW = "2026-11-17T10:00:00+01:00";

/** Appends messages to the tenant's session, in order. */
async function say(messages: readonly { content: string; timestamp: string }[]): Promise<void> {
  for (const message of messages) {
    const { status } = await t.call("POST", `/v1/sessions/${t.session}/messages`, {
      messages: [{ role: "user", ...message }],
    });
    expect(status).toBe(201);
  }
}

async function ask(query: string, more: object = {}) {
  const { status, body } = await t.call("POST", "/v1/recall", {
    session_id: t.session,
    sources: ["messages"],
    query,
    now: NOW,
    ...more,
  });
  expect(status).toBe(200);
  return body;
}

const LUNCHES = [
  { content: "For lunch we had ramen", timestamp: "2026-05-12T12:00:00Z" },
  { content: "For lunch we had pizza", timestamp: "2026-11-02T12:00:00Z" },
  { content: "For lunch we had curry", timestamp: "2026-11-10T12:00:00Z" },
  { content: "For lunch we had soup", timestamp: "2026-11-16T12:00:00Z" },
];

describe("a time in the query", () => {
  it.each([
    ["What did we have for lunch yesterday?", "soup"],
    ["What did we have for lunch last Tuesday?", "curry"],
    ["What did we have for lunch two weeks ago?", "pizza"],
    ["What did we have for lunch in May?", "ramen"],
    ["What did we have for lunch last spring?", "ramen"],
    ["Lunch vor zwei Wochen?", "pizza"],
    ["Lunch im Mai?", "ramen"],
    ["lunch 先週の火曜日", "curry"],
    ["lunch 5月", "ramen"],
  ])("puts what was said then first: %s", async (query, dish) => {
    await say(LUNCHES);
    const { memories } = await ask(query);
    expect(memories[0].content).toBe(`For lunch we had ${dish}`);
    expect(memories[0].signals.date).toBe(0.2);
  });

  it("is told as a range that since and until take", async () => {
    await say(LUNCHES);
    const { time_ranges } = await ask("What did we have for lunch last Tuesday?");
    expect(time_ranges).toEqual([
      { text: "last Tuesday", since: "2026-11-09T23:00:00.000Z", until: "2026-11-10T22:59:59.999Z" },
    ]);
    const [{ since, until }] = time_ranges;
    const { memories } = await ask("What did we have for lunch?", { since, until });
    expect(memories.map(({ content }: { content: string }) => content)).toEqual(["For lunch we had curry"]);
  });

  it("is not mentioned in an answer to a query without one", async () => {
    await say(LUNCHES);
    expect(await ask("What did we have for lunch?")).not.toHaveProperty("time_ranges");
  });

  it("goes by when a memory became true", async () => {
    await t.remember({ content: "Ada visited the lighthouse", valid_from: "2026-11-10T09:00:00Z" });
    await t.remember({ content: "Bob visited the lighthouse", valid_from: "2026-10-01T09:00:00Z" });
    const { memories } = await ask("Who visited the lighthouse last week?", { sources: ["memories"] });
    expect(memories[0].content).toBe("Ada visited the lighthouse");
  });

  it("is found by the month's name in another language, without a word in common", async () => {
    await say(LUNCHES);
    const { memories } = await ask("Что было в мае?");
    expect(memories[0].content).toBe("For lunch we had ramen");
  });
});

describe("the asker's clock", () => {
  it("needs an offset", async () => {
    for (const now of ["2026-11-17", "2026-11-17T10:00:00", "yesterday", 5]) {
      const { status, body } = await t.call("POST", "/v1/recall", { query: "yesterday", now });
      expect(status).toBe(400);
      expect(body.detail).toContain("now");
      expect(body.detail).toContain("must be an ISO 8601 time such as 2026-01-31T12:00:00.000Z");
    }
  });

  it("is the service's own by default", async () => {
    const { body } = await t.call("POST", "/v1/recall", { query: "What happened yesterday?" });
    const [{ since }] = body.time_ranges;
    const days = (Date.now() - Date.parse(since)) / 86_400_000;
    expect(days).toBeGreaterThanOrEqual(1);
    expect(days).toBeLessThan(2.01);
  });
});
