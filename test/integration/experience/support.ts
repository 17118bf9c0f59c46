// Helpers of the tests of experience: a tenant whose calls are over only when all that they set going is, and its
// read models of D1.

import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { createApp } from "../../../src/app";
import type { Bindings } from "../../../src/kernel/env";
import { DAY_MS } from "../../../src/kernel/time";
import { rebuild } from "../store/long-term-support";
import { type Answer, type Client, freshId, newClient } from "../support";

export const NOW = "2026-05-01T12:00:00.000Z";

/** A time so many days before noon. */
export function daysAgo(days: number, now = NOW): string {
  return new Date(Date.parse(now) - days * DAY_MS).toISOString();
}

/** Made once: it takes ten milliseconds, as long as many calls do. */
const app = createApp();

export type Tenant = Awaited<ReturnType<typeof newExperience>>;

/** A tenant with a project. `bindings` take the place of the Worker's, not of its objects'. */
export async function newExperience(bindings: Partial<Bindings> = {}, client?: Client) {
  const { tenant, key } = client ?? (await newClient());
  const project_id = freshId("project");

  async function call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const context = createExecutionContext();
    const request = new Request(`https://kioku.test${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const response = await app.fetch(request, { ...env, ...bindings }, context);
    const text = await response.text();
    await waitOnExecutionContext(context);
    const isJson = (response.headers.get("Content-Type") ?? "").includes("json");
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  }

  async function done(expected: number, method: string, path: string, body?: unknown) {
    const answer = await call(method, path, body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(expected);
    return answer.body;
  }

  return {
    tenant,
    project_id,
    call,
    /** An episode of the project, an hour before NOW; gives its id. */
    async tell(goal: string, more: object = {}): Promise<string> {
      const timestamp = daysAgo(1 / 24);
      const told = { project_id, context: { goal }, outcome: "success", timestamp, ...more };
      return (await done(201, "POST", "/v1/episodes", told)).id;
    },
    episode: (id: string) => done(200, "GET", `/v1/episodes/${id}`),
    /** A new pattern of the project. */
    state: (pattern: string, more: object = {}) =>
      done(201, "POST", "/v1/patterns", { pattern, project_id, ...more }),
    pattern: (id: string) => done(200, "GET", `/v1/patterns/${id}`),
    async patterns(query = "") {
      return (await done(200, "GET", `/v1/patterns?project_id=${project_id}&limit=100${query}`)).data;
    },
    learn: (more: object = {}) => done(201, "POST", "/v1/learnings", { ...LEARNED, project_id, ...more }),
    link: (from: string, relation: string, to: string) =>
      done(201, "POST", "/v1/links", { from, relation, to }),
    forget: (memory_id: string) => done(200, "POST", "/v1/forget", { memory_id }),
    consolidate: (more: object = {}) =>
      done(200, "POST", "/v1/consolidate", { project_id, now: NOW, ...more }),
    maintain: (now = NOW) => done(200, "POST", "/v1/maintenance", { project_id, now }),
    prime: (goal: string, more: object = {}) => done(200, "POST", "/v1/prime", { goal, project_id, ...more }),
    async recall(body: object) {
      return (await done(200, "POST", "/v1/recall", { project_id, ...body })).memories;
    },

    /** Rows as they are, without their numbers; and every word of the text indexes at its place. */
    readModel: () => readModel(tenant),
    /** The read models, thrown away and made anew of the triples alone, are what they were. */
    async expectRebuilt(): Promise<void> {
      const before = await readModel(tenant);
      for (const table of ["memories", "episodes"])
        await env.DB.prepare(`DELETE FROM ${table} WHERE tenant = ?`).bind(tenant).run();
      await rebuild(tenant);
      expect(await readModel(tenant)).toEqual(before);
    },
  };
}

export const LEARNED = {
  trigger: "The deploy hung",
  root_cause: "The lock was never released",
  fix: "Released the lock by hand",
  prevention: "Give every lock a time to live",
};

export function ids(things: readonly { id: string }[]): string[] {
  return things.map(({ id }) => id);
}

async function readModel(tenant: string) {
  const model: Record<string, unknown[]> = {};
  for (const table of ["memories", "episodes"]) {
    const { results } = await env.DB.prepare(`SELECT * FROM ${table} WHERE tenant = ? ORDER BY id`)
      .bind(tenant)
      .all<{
        seq: number;
        op?: string | null;
        activity?: string | null;
        recorded_at?: string | null;
        ended_at?: string | null;
      }>();
    // No triple states the operation and the activity that created a memory.
    model[table] = results.map(
      ({ seq: _seq, op: _op, activity: _activity, recorded_at: _recordedAt, ended_at: _endedAt, ...row }) =>
        row,
    );
    await env.DB.prepare(
      `CREATE VIRTUAL TABLE IF NOT EXISTS ${table}_words USING fts5vocab('${table}_fts', 'instance')`,
    ).run();
    const words = await env.DB.prepare(
      `SELECT m.id, v.col, v.offset, v.term FROM ${table}_words v CROSS JOIN ${table} m ON m.seq = v.doc
       WHERE m.tenant = ? ORDER BY m.id, v.col, v.offset`,
    )
      .bind(tenant)
      .all();
    model[`${table}_words`] = words.results;
  }
  return model;
}
