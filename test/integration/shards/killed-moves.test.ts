// Runs of a move that die after any number of calls to a database. A call that a run dies in is applied, or it is not.

import { env } from "cloudflare:workers";
import { beforeAll, expect, it } from "vitest";
import { forgetPlacement } from "../../../src/kernel/databases/tenant-directory";
import { findMove } from "../../../src/kernel/databases/tenant-moves";
import type { Bindings } from "../../../src/kernel/env";
import { beginMove, continueMove } from "../../../src/owners/shards/move-tenant";
import { TENANT_TABLES } from "../../../src/owners/shards/tenant-tables";
import { freshId } from "../support";
import { buildWrite, countRows, openStore, prepareSecondDatabase, TWO } from "./support";

const NOW = "2026-03-01T12:00:00.000Z";
/** Longer than the lease of a run. */
const LEASE_MS = 11_000;

beforeAll(prepareSecondDatabase);

/** Returns bindings with which a number of calls succeed, and all later ones fail: the process is gone. */
function createDying(calls: number, appliesLast: boolean): Bindings {
  let left = calls;
  const call = async <T>(work: () => Promise<T>): Promise<T> => {
    left -= 1;
    if (left > 0) return work();
    if (left === 0 && appliesLast) await work();
    throw new Error("The process was killed");
  };
  const wrapStatement = (statement: D1PreparedStatement): object => ({
    statement,
    bind: (...values: unknown[]) => wrapStatement(statement.bind(...values)),
    all: () => call(() => statement.all()),
    run: () => call(() => statement.run()),
    first: (...column: [string]) => call(() => statement.first(...column)),
  });
  const wrap = (d1: D1Database) =>
    ({
      prepare: (text: string) => wrapStatement(d1.prepare(text)),
      batch: (statements: { statement: D1PreparedStatement }[]) =>
        call(() => d1.batch(statements.map(({ statement }) => statement))),
    }) as unknown as D1Database;
  return { ...TWO, DB: wrap(env.DB), DB_1: wrap(env.SPARE_DB) };
}

async function isOpen(tenant: string): Promise<boolean> {
  const states = await Promise.all(
    [env.DB, env.SPARE_DB].map((d1) =>
      d1.prepare("SELECT state FROM placements WHERE tenant = ?").bind(tenant).first<string>("state"),
    ),
  );
  return states.includes("open") || states[0] === null;
}

it.each([
  false,
  true,
])("no acknowledged write is lost or doubled (last call applied: %s)", async (applies) => {
  const tenant = freshId("tenant");
  const { store } = openStore(TWO, tenant);
  const written = new Set<string>();
  const write = async (content: string) => {
    await store.memories.commit([buildWrite(content)]);
    written.add(content);
  };
  await write("The ladder is in the shed");
  await beginMove(TWO, tenant, "DB_1", NOW);
  const killedIn = new Set<string>();
  let clock = Date.now();
  // A part of the move is begun again until no run of it has died, each after one call more than the last.
  for (let calls = 3; ; calls += 1) {
    clock += LEASE_MS;
    const now = () => clock;
    const hasDied = await continueMove(createDying(calls, applies), tenant, { now, until: 0 }).then(
      () => false,
      () => true,
    );
    const move = await findMove(TWO, tenant);
    if (move === null) break;
    if (hasDied) killedIn.add(move.step);
    else calls = 2;
    forgetPlacement(TWO, tenant);
    if (written.size < 40 && (await isOpen(tenant))) await write(`The ladder has ${written.size} rungs`);
  }
  expect([...killedIn]).toEqual(["prepare", "copy", "index", "catch_up", "switch", "delete"]);
  const { results } = await env.SPARE_DB.prepare("SELECT content FROM memories WHERE tenant = ?")
    .bind(tenant)
    .all<{ content: string }>();
  expect(results.map(({ content }) => content).toSorted()).toEqual([...written].toSorted());
  for (const { name } of TENANT_TABLES) expect(await countRows(env.DB, name, tenant)).toBe(0);
});
