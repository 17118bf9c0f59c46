// Helpers of the fault tests: a D1 that fails when told to, a session's clock, and what really is stored. The
// Worker runs in the test's isolate, so a patch of D1's prototypes reaches every binding of it.
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, vi } from "vitest";
import type { SessionObject } from "../../durable-objects/session";
import { type Client, freshId, newClient, sessionStub } from "../integration/support";

/** Before: nothing is done. During: D1 itself aborts in the middle. After: it is done, the answer is lost. */
export type Moment = "before" | "during" | "after";
export const MOMENTS: readonly Moment[] = ["before", "during", "after"];

export type Fault = {
  moment: Moment;
  /** Which batches, by the SQL of their statements; all of them by default. */
  matching?: RegExp;
  /** For the next so many calls; until `mendD1` by default. */
  times?: number;
};

/** The batch that writes memories, and the one that tells the registry of a session. */
export const COMMIT = /INSERT INTO (operations|memories) \(/;
export const REGISTRATION = /INSERT INTO sessions/;

type Stub = DurableObjectStub<SessionObject>;
type Query = (...args: unknown[]) => Promise<unknown>;
type StatementMethods = Record<"run" | "all" | "raw" | "first", Query>;

/** The prototype of D1's sessions, which the methods of the binding itself lead to as well. */
const database = Object.getPrototypeOf(env.DB.withSession()) as Pick<D1Database, "batch">;
const statements = Object.getPrototypeOf(env.DB.prepare("SELECT 1")) as StatementMethods;
const sound = {
  batch: database.batch,
  run: statements.run,
  all: statements.all,
  raw: statements.raw,
  first: statements.first,
};
let failures = 0;

function lost(): Error {
  failures += 1;
  return new Error("D1_ERROR: Network connection lost.");
}

export function readSql(statement: unknown): string {
  return (statement as { statement: string }).statement;
}

/** Makes batches fail. */
export function breakBatches({ moment, matching = /./, times = Number.POSITIVE_INFINITY }: Fault): void {
  let left = times;
  database.batch = async function batch<T>(this: D1Database, list: D1PreparedStatement[]) {
    if (left <= 0 || !list.some((statement) => matching.test(readSql(statement)))) {
      return sound.batch.call(this, list) as Promise<D1Result<T>[]>;
    }
    left -= 1;
    if (moment === "before") throw lost();
    if (moment === "during") {
      failures += 1;
      // Fails when it runs, not when it is prepared: the statements before it have been applied by then.
      const poison = this.prepare("INSERT INTO triples (tenant) VALUES (NULL)");
      return sound.batch.call(this, list.with(Math.floor(list.length / 2), poison)) as Promise<D1Result<T>[]>;
    }
    await sound.batch.call(this, list);
    throw lost();
  };
}

/** Makes single statements fail: what is read or written outside batches. */
export function breakStatements({ moment, matching = /./ }: Omit<Fault, "times">): void {
  for (const name of ["run", "all", "raw", "first"] as const) {
    statements[name] = async function query(this: D1PreparedStatement, ...args: unknown[]) {
      if (!matching.test(readSql(this))) return sound[name].apply(this, args);
      if (moment === "after") await sound[name].apply(this, args);
      throw lost();
    };
  }
}

/** Lets batches begin and never end. For tests that then kill the object; each one counts as a failure. */
export function stickBatches(matching: RegExp): void {
  database.batch = function batch<T>(this: D1Database, list: D1PreparedStatement[]) {
    if (!list.some((statement) => matching.test(readSql(statement)))) {
      return sound.batch.call(this, list) as Promise<D1Result<T>[]>;
    }
    failures += 1;
    return new Promise(() => undefined);
  };
}

/** Lets D1 work again. Every test file calls it after each test. */
export function mendD1(): void {
  database.batch = sound.batch;
  for (const name of ["run", "all", "raw", "first"] as const) statements[name] = sound[name];
  failures = 0;
}

/** How often D1 has failed since it was last sound: a fault that never struck proves nothing. */
export function failuresOfD1(): number {
  return failures;
}

/**
 * Sets the clock of a session's object and stops it. Alarms follow this clock, so an hour ahead is far enough
 * for none of them to go off by itself during a test. Lost when the object is evicted.
 */
export async function setClock(stub: Stub, at: number): Promise<void> {
  await runInDurableObject<SessionObject, void>(stub, (instance) => {
    instance.now = () => at;
  });
}

/** Ends the object at once, with whatever it was doing; its storage stays as last written. */
export async function kill(stub: Stub): Promise<void> {
  await runInDurableObject(stub, (_instance, state) => state.abort("killed by the test")).catch(
    () => undefined,
  );
}

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

export function alarmOf(stub: Stub): Promise<number | null> {
  return runInDurableObject(stub, (_instance, state) => state.storage.getAlarm());
}

/** Moves a session's clock to its alarm and runs it; gives the time. */
export async function runAlarm(stub: Stub): Promise<number> {
  const at = await alarmOf(stub);
  if (at === null) throw new Error("the session has no alarm");
  await setClock(stub, at);
  expect(await runDurableObjectAlarm(stub)).toBe(true);
  return at;
}

/** The signals of a session that a projector which they trigger has not covered. */
const UNCOVERED = `SELECT count(*) AS n FROM thread, json_each('["facts", "tasks"]') triggered
  WHERE thread.kind = 'signal' AND thread.seq > coalesce(
    (SELECT state ->> '$.covered_seq' FROM projectors WHERE name = triggered.value), 0)`;

/** Waits for the projectors that the signal of a promotion triggers: they run after the promotion has been answered. */
export async function untilProjected(stub: Stub): Promise<void> {
  await vi.waitFor(
    async () => {
      const uncovered = await runInDurableObject(stub, (_instance, state) =>
        state.storage.sql.exec<{ n: number }>(UNCOVERED).one(),
      );
      expect(uncovered.n).toBe(0);
    },
    { interval: 2 },
  );
}

/** When a session says that it will promote next. */
export async function nextRunOf({
  client,
  path,
}: Pick<TestSession, "client" | "path">): Promise<number | null> {
  const { next_run } = (await client.call("GET", path)).body.promotion;
  return next_run === null ? null : Date.parse(next_run);
}

/** How many entries wait in a session's outbox. */
export function outboxOf(stub: Stub): Promise<number> {
  return runInDurableObject(
    stub,
    (_instance, state) =>
      state.storage.sql.exec<{ n: number }>("SELECT count(*) AS n FROM outbox WHERE op <> ''").one().n,
  );
}

export type StoredMemory = {
  id: string;
  content: string;
  live: number;
  access_count: number;
  superseded_by: string | null;
  evidence: string;
};

/** The memories of a tenant as D1 holds them, by content, and each with its triples intact. */
export async function memoriesOf(tenant: string): Promise<StoredMemory[]> {
  const { results } = await env.DB.prepare(
    `SELECT id, content, live, superseded_by, evidence, access_count + coalesce((
        SELECT sum(e.value ->> 0) FROM usage_counts u, json_each(json(u.counts)) e
        WHERE u.tenant = m.tenant AND u.kind = 'memory' AND e.key = m.id), 0) AS access_count
     FROM memories m WHERE tenant = ? ORDER BY content, seq`,
  )
    .bind(tenant)
    .all<StoredMemory>();
  return results;
}

/** The objects of a subject's predicate, as stored. */
export async function objectsOf(tenant: string, subject: string, predicate: string): Promise<string[]> {
  const { results } = await env.DB.prepare(
    "SELECT object FROM triples WHERE tenant = ? AND subject = ? AND predicate = ? ORDER BY object",
  )
    .bind(tenant, subject, predicate)
    .all<{ object: string }>();
  return results.map(({ object }) => object);
}

/** Offers a candidate that deserves promotion, and gives it as it waits. */
export async function offer(client: Client, session: string, content: string, more: object = {}) {
  const { status, body } = await client.call("POST", `/v1/sessions/${session}/pending`, {
    content,
    memory_type: "fact",
    importance_score: 0.9,
    ...more,
  });
  if (status !== 201) throw new Error(`offering a candidate answered ${status}`);
  return body;
}

export type TestSession = { client: Client; id: string; path: string; stub: Stub; now: number };

/** A session of a tenant of its own, whose clock stands still, ahead of the real one. */
export async function newSession(ahead = HOUR): Promise<TestSession> {
  const client = await newClient();
  const id = freshId("session");
  const stub = sessionStub(client.tenant, id);
  const now = Date.now() + ahead;
  await setClock(stub, now);
  expect((await client.call("POST", "/v1/sessions", { id })).status).toBe(201);
  return { client, id, path: `/v1/sessions/${id}`, stub, now };
}

/**
 * Exactly these are the tenant's memories, each written once: a second write would show as an access or as a
 * second row. Read model and triples agree, and nothing waits any more.
 */
export async function expectWrittenOnce(
  { client, path, stub }: Pick<TestSession, "client" | "path" | "stub">,
  contents: readonly string[],
  { pending = 0 }: { pending?: number } = {},
): Promise<void> {
  const stored = await memoriesOf(client.tenant);
  expect(stored.map(({ content, access_count, live }) => ({ content, access_count, live }))).toEqual(
    contents.toSorted().map((content) => ({ content, access_count: 0, live: 1 })),
  );
  for (const { id, content } of stored) {
    expect(await objectsOf(client.tenant, `jido:memory_${id}`, "jido:summary")).toEqual([content]);
  }
  expect(await outboxOf(stub)).toBe(0);
  expect((await client.call("GET", path)).body.counts).toMatchObject({ memories: contents.length, pending });
}
