// Clocks jump: a machine's is set back, a session sleeps for days. Scores stay within bounds, alarms stay near,
// and who has gone away is marked abandoned and welcomed back.
import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sweep } from "../../src/administration/sweep";
import { RANKING_WEIGHTS } from "../../src/recall/search/rank-fusion";
import type { Client } from "../integration/support";
import {
  alarmOf,
  breakBatches,
  HOUR,
  MINUTE,
  memoriesOf,
  mendD1,
  newSession,
  objectsOf,
  offer,
  setClock,
  type TestSession,
  untilProjected,
} from "./support";

const DAY = 24 * HOUR;

let client: Client;
let id: string;
let path: string;
let stub: TestSession["stub"];
let now: number;

beforeEach(async () => {
  ({ client, id, path, stub, now } = await newSession(30 * DAY));
});
afterEach(mendD1);

const session = async () => (await client.call("GET", path)).body;
const status = () => objectsOf(client.tenant, `jido:session_${id}`, "jido:hasStatus");

describe("a clock that was set back", () => {
  it("never gives an importance over 1, nor a higher one than an access just now", async () => {
    const put = { value: "Hono", source: "tool", confidence: 1, memory_type: "decision" };
    for (let i = 0; i < 12; i += 1) await client.call("PUT", `${path}/context/framework`, put);
    const peek = async () =>
      (await client.call("GET", `${path}/context/framework?peek=true`)).body.importance;
    expect(await peek()).toBe(1);
    await setClock(stub, now - DAY);
    expect(await peek()).toBe(1);
    await client.call("PUT", `${path}/context/user_intent`, { value: "ship", confidence: 1 });
    for (const item of (await client.call("GET", `${path}/context`)).body.data)
      expect(item.importance).toBeLessThanOrEqual(1);
    const candidate = await client.call("POST", `${path}/pending`, {
      content: "Ship it",
      memory_type: "decision",
      confidence: 1,
    });
    expect(candidate.body.importance_score).toBeCloseTo(0.2 + 0.03 + 0.25 + 0.25);
    const { body } = await client.call("POST", `${path}/promote`);
    expect(body.promoted.length).toBeGreaterThan(0);
    for (const promoted of body.promoted) expect(promoted.importance_score).toBeLessThanOrEqual(1);
  });

  it("keeps the next promotion within one interval", async () => {
    await offer(client, id, "The first thing");
    expect(await alarmOf(stub)).toBe(now + 30_000);
    await setClock(stub, now - DAY);
    await offer(client, id, "The second thing");
    expect(await alarmOf(stub)).toBe(now - DAY + 30_000);
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    expect(await memoriesOf(client.tenant)).toHaveLength(2);
    await untilProjected(stub);
    expect(await alarmOf(stub)).toBeNull();
  });

  it("keeps the next retry within its back-off", async () => {
    breakBatches({ moment: "before" });
    expect((await client.call("POST", `${path}/remember`, { content: "The first thing" })).status).toBe(503);
    expect(await alarmOf(stub)).toBe(now + 2_000);
    await setClock(stub, now - DAY);
    await offer(client, id, "The second thing");
    expect(await alarmOf(stub)).toBeLessThanOrEqual(now - DAY + 5 * MINUTE);
  });

  it("abandons nobody", async () => {
    await setClock(stub, now - 10 * DAY);
    expect((await session()).status).toBe("active");
  });

  it("keeps the newest accesses: an old time never makes an item look older", async () => {
    await client.call("PUT", `${path}/context/framework`, { value: "Hono", source: "tool" });
    await setClock(stub, now - DAY);
    await client.call("GET", `${path}/context/framework`);
    await setClock(stub, now);
    const { body } = await client.call("GET", `${path}/context/framework?peek=true`);
    // Two accesses, the last of them just now by the clock that is right again.
    expect(body.importance).toBeCloseTo(0.2 + 0.3 * 0.2 + 0.25 * 0.7 + 0.25 * 0.7);
  });
});

describe("a clock that ran ahead", () => {
  it("never gives a recency over 1, nor hides what it wrote", async () => {
    await setClock(stub, now + 30 * DAY);
    await offer(client, id, "The comet comes back");
    await client.call("POST", `${path}/promote`);
    const { body } = await client.call("POST", `${path}/recall`, { query: "comet", mode: "text" });
    expect(body.memories).toHaveLength(1);
    expect(body.memories[0].signals.recency).toBe(1);
    const { lexical, recency, importance, length } = RANKING_WEIGHTS;
    const longest = lexical + recency + importance + length * body.memories[0].signals.length;
    expect(body.memories[0].score).toBeLessThanOrEqual(longest);
  });

  it("lets importance fall with time: half of recency after half an hour", async () => {
    await client.call("PUT", `${path}/context/framework`, { value: "Hono", source: "tool", confidence: 1 });
    const importance = async () =>
      (await client.call("GET", `${path}/context/framework?peek=true`)).body.importance;
    const fresh = await importance();
    await setClock(stub, now + 30 * MINUTE);
    expect(await importance()).toBeCloseTo(fresh - 0.1);
  });
});

describe("a session that nobody touches for a day", () => {
  it("is abandoned when it is next looked at, with its end, its triples and its last promotion", async () => {
    await offer(client, id, "Worth keeping at the end", { importance_score: 0.5 });
    await offer(client, id, "Not worth it", { importance_score: 0.3 });
    await setClock(stub, now + DAY);
    expect((await session()).status).toBe("active");
    const end = now + DAY + 1;
    await setClock(stub, end);
    expect(await session()).toMatchObject({
      status: "abandoned",
      ended_at: new Date(end).toISOString(),
      promotion: { next_run: null },
      counts: { pending: 1, memories: 1 },
    });
    expect(await status()).toEqual(["jido:Abandoned"]);
    expect(await objectsOf(client.tenant, `jido:session_${id}`, "jido:endedAt")).toEqual([
      new Date(end).toISOString(),
    ]);
    expect((await client.call("GET", "/v1/sessions?status=abandoned")).body.data).toMatchObject([{ id }]);
    expect(await alarmOf(stub)).toBeNull();
  });

  it("is abandoned by the sweep, without being looked at", async () => {
    await setClock(stub, now + DAY + 1);
    expect(await sweep(env, now + DAY + HOUR)).toMatchObject({ abandoned: 1 });
    expect(await status()).toEqual(["jido:Abandoned"]);
    expect((await client.call("GET", "/v1/sessions?status=abandoned")).body.data).toMatchObject([{ id }]);
    // Once told, it is not asked again.
    expect((await sweep(env, now + DAY + HOUR)).abandoned).toBe(0);
  });

  it("is revived by a write, and its end is taken back", async () => {
    await setClock(stub, now + 2 * DAY);
    expect((await session()).status).toBe("abandoned");
    const messages = [{ role: "user", content: "I am back" }];
    expect((await client.call("POST", `${path}/messages`, { messages })).status).toBe(201);
    expect(await session()).toMatchObject({ status: "active", ended_at: null });
    expect(await status()).toEqual(["jido:Active"]);
    expect(await objectsOf(client.tenant, `jido:session_${id}`, "jido:endedAt")).toEqual([]);
  });

  it("is revived by resume too, and a closed one stays closed", async () => {
    await setClock(stub, now + 2 * DAY);
    expect((await session()).status).toBe("abandoned");
    expect((await client.call("POST", `${path}/resume`)).body.status).toBe("active");
    await client.call("POST", `${path}/close`);
    await setClock(stub, now + 9 * DAY);
    expect((await session()).status).toBe("closed");
    expect(await status()).toEqual(["jido:Closed"]);
  });
});

describe("a session still in use", () => {
  it("is not abandoned by the sweep, which learns when it was last written", async () => {
    await setClock(stub, now + DAY);
    await client.call("PUT", `${path}/context/framework`, { value: "Hono" });
    const at = now + DAY + HOUR;
    await setClock(stub, at);
    const first = await sweep(env, at);
    expect(first.asked).toBeGreaterThanOrEqual(1);
    expect(await session()).toMatchObject({ status: "active", ended_at: null });
    expect(await status()).toEqual(["jido:Active"]);
    const row = await env.DB.prepare("SELECT updated_at FROM sessions WHERE tenant = ? AND id = ?")
      .bind(client.tenant, id)
      .first<{ updated_at: string }>();
    expect(row?.updated_at).toBe(new Date(now + DAY).toISOString());
  });

  it.each([
    ["reading an item of its context", () => client.call("GET", `${path}/context/framework`)],
    ["assembling its context", () => client.call("POST", `${path}/assemble`)],
  ])("counts %s as use", async (_name, use) => {
    await client.call("PUT", `${path}/context/framework`, { value: "Hono" });
    await setClock(stub, now + DAY - HOUR);
    expect((await use()).status).toBe(200);
    await setClock(stub, now + DAY + HOUR);
    expect((await session()).status).toBe("active");
  });
});
