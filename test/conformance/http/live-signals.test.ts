// Signals as server-sent events and over a WebSocket, without loss or repetition for those who are cut off and come back.
import { describe, expect, it, vi } from "vitest";
import {
  answered,
  answerTo,
  busy,
  direct,
  numbersOf,
  outcome,
  signalsOf,
  upsert,
} from "../cognition/cognition";
import { newSession, quietSession } from "../support/actions";
import { type Client, fresh, sleep } from "../support/client";
import type { Key, Signal } from "../support/contract";
import { bodyOf } from "../support/expectations";
import { sharedServer } from "../support/http-service";
import { type Live, openEvents, openSocket } from "../support/live";

const kioku = sharedServer();

async function session(): Promise<string> {
  return (await quietSession(kioku.api)).id;
}

type Open = (client: Client, id: string, after: number) => Promise<Live>;

const WAYS: [string, Open, number][] = [
  [
    "server-sent events",
    (client, id, after) =>
      openEvents(client, `/v1/sessions/${id}/signals`, { "last-event-id": String(after) }),
    200,
  ],
  [
    "a WebSocket",
    (client, id, after) => openSocket(client, `/v1/sessions/${id}/signals?after=${after}`),
    101,
  ],
];

async function arrived(live: Live, count: number): Promise<void> {
  await vi.waitFor(() => expect(live.signals.length).toBeGreaterThanOrEqual(count), { interval: 10 });
}

describe.each(WAYS)("live, over %s", (_name, open, status) => {
  it("signals come as they happen, the same as in the list", async () => {
    const id = await session();
    await outcome(kioku.api, id, upsert("inline", { before: 1 }));
    const live = await open(kioku.api, id, 0);
    expect(live.status).toBe(status);
    await arrived(live, 1);
    const request = await direct(kioku.api, id, upsert("d1", { during: 1 }));
    await arrived(live, 2);
    expect(live.signals[1]?.data.request_id).toBe(request);
    await busy(kioku.api, id, 6);
    await arrived(live, 8);
    expect(live.signals).toEqual(await signalsOf(kioku.api, id));
    live.cut();
    await live.ended;
  });

  it("begins after the number given", async () => {
    const id = await session();
    await busy(kioku.api, id, 6);
    const signals = await answered(kioku.api, id, 6);
    const live = await open(kioku.api, id, signals[3]?.seq ?? 0);
    await arrived(live, 2);
    await outcome(kioku.api, id, upsert("inline", { more: 1 }));
    await arrived(live, 3);
    expect(live.signals).toEqual((await signalsOf(kioku.api, id)).slice(4));
    live.cut();
  });

  it("catches up with more than a page of the list", async () => {
    const id = await session();
    await busy(kioku.api, id, 130);
    const signals = await answered(kioku.api, id, 130);
    const live = await open(kioku.api, id, 0);
    await arrived(live, 130);
    live.cut();
    expect(numbersOf(live.signals)).toEqual(numbersOf(signals));
  });

  it("is cut and resumed again and again, and every signal comes once", async () => {
    const id = await session();
    const total = 30;
    const working = busy(kioku.api, id, total);
    const read: Signal[] = [];
    let cuts = 0;
    while (read.length < total) {
      const live = await open(kioku.api, id, read.at(-1)?.seq ?? 0);
      await arrived(live, 1);
      await sleep(cuts % 3);
      live.cut();
      // What comes between the cut and its end was lost on the way.
      read.push(...live.signals);
      await live.ended;
      cuts += 1;
    }
    await working;
    expect(cuts).toBeGreaterThan(1);
    expect(numbersOf(read)).toEqual(numbersOf(await answered(kioku.api, id, total)));
  });

  it("reaches every reader, and one that stays through all of it", async () => {
    const id = await session();
    const readers = await Promise.all(Array.from({ length: 5 }, () => open(kioku.api, id, 0)));
    await busy(kioku.api, id, 20);
    const signals = await answered(kioku.api, id, 20);
    for (const reader of readers) {
      await arrived(reader, 20);
      expect(reader.signals).toEqual(signals);
      reader.cut();
    }
  });

  it("carries large answers whole", async () => {
    const id = await session();
    const items = Object.fromEntries(
      Array.from({ length: 20 }, (_, n) => [`k${n}`, `Lighthouse ${n} é ${"x".repeat(8_000)}`]),
    );
    await outcome(kioku.api, id, upsert("inline", items));
    const live = await open(kioku.api, id, 0);
    const query = { type: "query", provider: "inline", query: { text: "lighthouse", top_k: 20 } };
    const answer = await answerTo(kioku.api, id, await direct(kioku.api, id, query));
    await arrived(live, 2);
    expect(live.signals.at(-1)).toEqual(answer);
    expect(answer.data.result).toHaveLength(20);
    live.cut();
  });

  it("is open to a key that may only read", async () => {
    const name = fresh("tenant");
    const [writer, reader] = [await kioku.tenant({ name }), await kioku.tenant({ name, scopes: ["read"] })];
    const { id } = await newSession(writer);
    await outcome(writer, id, upsert("inline", { a: 1 }));
    const live = await open(reader, id, 0);
    await arrived(live, 1);
    live.cut();
  });

  it("is closed to those without a key, to other tenants, and where there is no session", async () => {
    const id = await session();
    const refused: [Client, string, number][] = [
      [kioku.anonymous, id, 401],
      [await kioku.tenant(), id, 404],
      [kioku.api, fresh("nobody"), 404],
    ];
    for (const [client, at, wanted] of refused) {
      const live = await open(client, at, 0);
      live.cut();
      expect(live.status).toBe(wanted);
    }
    const wrong = await open(kioku.api.withKey("wrong"), id, 0);
    wrong.cut();
    expect(wrong.status).toBe(401);
  });

  it("shows nothing more to a key that was deleted, or has expired", async () => {
    const tenant = fresh("tenant");
    const writer = await kioku.tenant({ name: tenant });
    const { id } = await newSession(writer);
    const made = async (more: Record<string, unknown> = {}) =>
      bodyOf(await kioku.admin.post<Key>("/v1/keys", { tenant, scopes: ["read"], ...more }), 201);
    const streamOf = ({ key }: Key) => open(kioku.api.withKey(key ?? ""), id, 0);
    await outcome(writer, id, upsert("inline", { shown: 1 }));
    // On a busy machine a key may expire before its stream is open: then another is made.
    const { expires, expired } = await vi.waitFor(async () => {
      const expires_at = new Date(Date.now() + 3_000).toISOString();
      const stream = await streamOf(await made({ expires_at }));
      expect(stream.status).toBeLessThan(400);
      return { expires: Date.parse(expires_at), expired: stream };
    });
    const deleted = await made();
    const streams = [await streamOf(deleted), expired];
    for (const stream of streams) await arrived(stream, 1);
    bodyOf(await kioku.admin.delete(`/v1/keys/${deleted.id}`), 204);
    await sleep(Math.max(0, expires - Date.now() + 500));
    await outcome(writer, id, upsert("inline", { hidden: 1 }));
    await sleep(500);
    for (const stream of streams) {
      expect(stream.signals).toHaveLength(1);
      stream.cut();
    }
  });
});

describe("server-sent events", () => {
  it("have the headers of every answer, and are not kept by anybody on the way", async () => {
    const live = await openEvents(kioku.api, `/v1/sessions/${await session()}/signals`);
    live.cut();
    expect(live.headers.get("content-type")).toMatch(/^text\/event-stream/);
    expect(live.headers.get("cache-control")).toMatch(/no-cache|no-store/);
    expect(live.headers.get("x-request-id")).toMatch(/\S/);
    expect(live.headers.get("server-timing")).toMatch(/dur=[\d.]+/);
  });

  it("give their number as their id, so that browsers resume by themselves", async () => {
    const id = await session();
    await busy(kioku.api, id, 3);
    const signals = await answered(kioku.api, id, 3);
    const live = await openEvents(kioku.api, `/v1/sessions/${id}/signals?after=0`);
    await arrived(live, 3);
    live.cut();
    expect(live.lastId()).toBe(String(signals.at(-1)?.seq));
  });

  it("begin after Last-Event-ID even when the address says after", async () => {
    const id = await session();
    await busy(kioku.api, id, 4);
    const signals = await answered(kioku.api, id, 4);
    const headers = { "last-event-id": String(signals[2]?.seq) };
    const live = await openEvents(kioku.api, `/v1/sessions/${id}/signals?after=0`, headers);
    await arrived(live, 1);
    await sleep(100);
    live.cut();
    expect(live.signals).toEqual(signals.slice(3));
  });
});
