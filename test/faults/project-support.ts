// Helpers of the tests of a project's object: a project whose clock stands still, a D1 that fails at one call, and what
// the project came to.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import type { ProjectObject } from "../../durable-objects/project";
import type { ConsolidateAnswer } from "../../src/experience/consolidation/consolidation-schemas";
import type { Bindings } from "../../src/kernel/env";
import { selectEmbedder } from "../../src/models/embedders/select-embedder";
import { newExperience } from "../integration/experience/support";
import {
  breakEmbedder,
  type IndexerStub,
  indexerStub,
  setIndexerClock,
} from "../integration/indexing/support";
import { freshId } from "../integration/support";
import { HOUR, readSql } from "./support";

export type ProjectStub = DurableObjectStub<ProjectObject>;
export type Project = Awaited<ReturnType<typeof newProject>>;

export const DAY = 24 * HOUR;

/** Ahead of the real time, so that no alarm goes off by itself; the same for all projects, which are compared. */
const START = Date.now() + HOUR;

export async function newProject() {
  const start = START;
  const home = await newExperience();
  const { tenant, project_id } = home;
  const ref = { tenant, id: project_id };
  // A stub is of no use any more once its object was killed.
  const object = () => env.PROJECTS.getByName(`${tenant}/${project_id}`) as unknown as ProjectStub;
  await setIndexerClock(indexerStub(tenant), start);
  const project = {
    ...home,
    ref,
    object,
    start,
    now: start,
    /** Sets the clock of the object, which an object that begins anew has forgotten. */
    async at(time: number): Promise<void> {
      project.now = time;
      await runInDurableObject(object(), (instance: ProjectObject) => {
        instance.now = () => time;
      });
    },
    /** Tells what happened, some hours before the beginning. */
    tellIt: (id: string, goal: string, more: object = {}, hoursAgo = 2) =>
      home.tell(goal, { id, timestamp: new Date(start - hoursAgo * HOUR).toISOString(), ...more }),
    /** Asks the object itself: no call of the Worker's own comes between. */
    run: (idempotency: Op | null = null, more: object = {}) =>
      object().consolidate(ref, { project_id, now: iso(start), dry_run: false, ...more }, idempotency),
    maintainAt: (time: number) => object().maintain(ref, { project_id, now: iso(time) }, null),
    alarm: () => runInDurableObject(object(), (_instance, state) => state.storage.getAlarm()),
    /** Moves the clock to the alarm and runs it; gives the time. */
    async ring(): Promise<number> {
      const at = await project.alarm();
      if (at === null) throw new Error("the project has no alarm");
      await project.at(at);
      expect(await runDurableObjectAlarm(object())).toBe(true);
      return at;
    },
    /** Ends the object at once, with whatever it was doing. */
    async kill(): Promise<void> {
      await runInDurableObject(object(), (_instance, state) => state.abort("killed by the test")).catch(
        () => undefined,
      );
      await project.at(project.now);
    },
    /** Lets the object begin anew, as it does after a while without calls. */
    async evict(): Promise<void> {
      await evictDurableObject(object());
      await project.at(project.now);
    },
    /** Lets something happen whenever the object embeds texts, which waits for it. `mendEmbedders` ends it. */
    async whileEmbedding(happens: () => Promise<void>): Promise<void> {
      const stub = object() as unknown as IndexerStub;
      const sound = await runInDurableObject(stub, (instance) => {
        const embedder = selectEmbedder((instance as unknown as { env: Bindings }).env);
        return { embed: embedder?.embed };
      });
      await breakEmbedder(stub, async (...given) => {
        await happens();
        return sound.embed?.(...given) ?? [];
      });
    },
    /** Gives the object other settings. */
    settings: (bindings: Partial<Bindings>) =>
      runInDurableObject(object(), (instance) => {
        Object.assign(instance, { env: { ...env, ...bindings } });
      }),
    /** What the memories and episodes say, but for ids, which depend on the tenant, and moments of the real time. */
    result: () => resultOf(tenant),
  };
  await project.at(start);
  return project;
}

export function iso(time: number): string {
  return new Date(time).toISOString();
}

export type Op = { op: string; fingerprint: string };

export const newOp = (): Op => ({ op: freshId("op"), fingerprint: "f" });

type Row = Record<string, unknown>;

/** The uses of a row: its own, and those that are counted beside it. */
const countUses = (alias: string, kind: string, column: string) =>
  `${alias}.${column} + coalesce((SELECT sum(c.value ->> 0) FROM usage_counts u, json_each(json(u.counts)) c
    WHERE u.tenant = ${alias}.tenant AND u.kind = '${kind}' AND c.key = ${alias}.id), 0)`;

async function resultOf(tenant: string) {
  const rows = async (query: string) => (await env.DB.prepare(query).bind(tenant).all<Row>()).results;
  return {
    memories:
      await rows(`SELECT m.type, m.content, m.confidence, round(m.importance, 3) AS importance, m.live,
        m.evidence, ${countUses("m", "memory", "access_count")} AS access_count, json_remove(m.properties, '$.lastSeen') AS properties, s.content AS successor,
        (SELECT count(*) FROM triples t WHERE t.tenant = m.tenant AND t.subject = 'jido:memory_' || m.id
          AND t.predicate <> 'jido:contradicts') AS triples
      FROM memories m LEFT JOIN memories s ON s.tenant = m.tenant AND s.id = m.superseded_by
      WHERE m.tenant = ? ORDER BY m.content, m.type, m.id`),
    episodes:
      await rows(`SELECT id, importance, summary, ${countUses("e", "episode", "usage_count")} AS usage_count, decayed_at, live,
        (SELECT count(*) FROM triples t WHERE t.tenant = e.tenant AND t.subject = 'jido:evidence_' || e.id) AS triples
      FROM episodes e WHERE tenant = ? ORDER BY id`),
    // The direction of a symmetric link depends on the ids.
    contradictions:
      await rows(`SELECT min(a.content, b.content) AS one, max(a.content, b.content) AS other FROM triples t
      JOIN memories a ON a.tenant = t.tenant AND t.subject = 'jido:memory_' || a.id
      JOIN memories b ON b.tenant = t.tenant AND t.object = 'jido:memory_' || b.id
      WHERE t.tenant = ? AND t.predicate = 'jido:contradicts' ORDER BY one`),
    links: await rows("SELECT object FROM triples WHERE tenant = ? AND predicate = 'jido:linkRelation'"),
    proposals: await rows("SELECT slug, body, status FROM skill_proposals WHERE tenant = ? ORDER BY slug"),
  };
}

/** A report without ids, which depend on the tenant. */
export function counts(answer: ConsolidateAnswer) {
  return Object.fromEntries(
    Object.entries(answer).map(([name, value]) => [name, Array.isArray(value) ? value.length : value]),
  );
}

type Query = (...args: unknown[]) => Promise<unknown>;
type Methods = Record<"run" | "all" | "raw" | "first", Query>;

/** Before: nothing is done. After: it is done, the answer is lost. Stuck: it is done, and no answer ever comes. */
export type Accident = "before" | "after" | "stuck";

const WRITE = /\b(INSERT|UPDATE|DELETE)\b/;

/**
 * Lets one call of D1 fail, the n-th from now on. `mendD1` ends it. After counts only calls that write: a read whose
 * answer is lost is a read that failed.
 */
export function breakCall(n: number, accident: Accident): { struck: () => boolean; stuck: () => boolean } {
  const database = Object.getPrototypeOf(env.DB.withSession()) as { batch: Query };
  const statements = Object.getPrototypeOf(env.DB.prepare("SELECT 1")) as Methods;
  let calls = 0;
  let stuck = false;
  const through = (sound: Query): Query =>
    async function call(this: unknown, ...args: unknown[]) {
      const statements = Array.isArray(args[0]) ? args[0] : [this];
      if (accident === "after" && !statements.some((statement) => WRITE.test(readSql(statement))))
        return sound.apply(this, args);
      calls += 1;
      if (calls !== n) return sound.apply(this, args);
      if (accident !== "before") await sound.apply(this, args);
      if (accident === "stuck") {
        stuck = true;
        await new Promise(() => undefined);
      }
      throw new Error("D1_ERROR: Network connection lost.");
    };
  database.batch = through(database.batch);
  for (const name of ["run", "all", "raw", "first"] as const) statements[name] = through(statements[name]);
  return { struck: () => calls >= n, stuck: () => stuck };
}
