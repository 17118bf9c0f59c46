// Moves a tenant from one database to another while it is used. Every step can be repeated, and the step that is next is
// stored, so that a move that was killed is continued by whoever runs it next.
//
//   prepare   the target is emptied of an earlier attempt, and the source tracks changes from now on
//   copy      all rows, a page at a time
//   index     the text indexes of the target, and the vectors if it has a Vectorize index of its own
//   catch_up  the rows that have changed meanwhile, until few are left
//   switch    writes wait; the last changes are copied; the numbers of rows are compared; the directory changes
//   delete    the rows of the source, a page at a time

import { type SQL, sql } from "drizzle-orm";
import { requestCompaction } from "../../kernel/databases/compaction";
import { type Database, openDatabase, readAll, runBatch } from "../../kernel/databases/d1";
import {
  getShard,
  HOME_SHARD,
  hasSeveralIndexes,
  isShardName,
  type ShardName,
} from "../../kernel/databases/shard-bindings";
import { assertThat, ensureTenant, isAmong, type RowKey } from "../../kernel/databases/statements";
import { forgetPlacement, readPlacement } from "../../kernel/databases/tenant-directory";
import {
  findMove,
  MOVE_STEPS,
  type MoveRow,
  type TenantMove,
  toMove,
} from "../../kernel/databases/tenant-moves";
import type { Bindings } from "../../kernel/env";
import { failure, unavailable } from "../../kernel/errors";
import { findMovedIndexes, listVectorIds, type MovedIndexes } from "../../recall/index/tenant-vectors";
import { readVectorState, saveVectorState } from "../../recall/index/vector-state";
import { copyVectors, deleteVectors, showsVectors } from "../../recall/vectors/move-vectors";
import { getIndexer } from "../../recall/vectors/semantic-services";
import { isSameModel } from "../../recall/vectors/vector-index";
import { copyKeys } from "../../trust/keys/shard-keys";
import { type Copy, copyRows, listRowKeys } from "./copy-rows";
import { INDEXED_TABLES, indexRows, isIndexed, listFollowers } from "./index-rows";
import {
  deleteLeasedMove,
  type Lease,
  Overtaken,
  prolongLease,
  releaseLease,
  renewLease,
  takeLease,
} from "./move-lease";
import { findTenantTable, TENANT_TABLES, type TenantTable } from "./tenant-tables";
import { readChanges, removeChanges, startTracking, stopTracking } from "./track-changes";

/** The last key of a table that was copied, indexed or deleted, and the token of the last vectors that were copied. */
type Position = { table: string; after: RowKey; visibleAfter?: string };

type Run = Copy & {
  env: Bindings;
  home: Database;
  lease: Lease;
  move: TenantMove;
  epoch: number;
  position: Position | null;
  /** Null if the vectors stay where they are. */
  indexes: MovedIndexes | null;
};

/** Rows of a page. A batch for the tenant waits for one page at most. */
const PAGE_ROWS = 200;
/** Changes that are few enough to be copied while writes wait. */
const FEW_CHANGES = 50;
/** Rows of more memories and messages are not counted while writes wait: that would take too long. */
const MAX_COMPARED_ROWS = 50_000;
/** How often an index is asked whether it shows the vectors that were copied to it. */
const VISIBILITY_POLL_MS = 500;

/** Begins a move, or returns the one that was begun. Throws if the tenant is there, or another tenant is leaving. */
export async function beginMove(
  env: Bindings,
  tenant: string,
  target: ShardName,
  now: string,
): Promise<TenantMove> {
  const home = openDatabase(env.DB);
  const begun = await findMove(env, tenant);
  if (begun !== null && begun.target === target) return begun;
  if (begun !== null)
    throw failure("conflict", `Tenant ${tenant} is being moved to ${begun.target}. Let that finish first.`);
  getShard(env, target);
  const { shard: source, epoch } = await readPlacement(env, tenant);
  if (source === target) throw failure("conflict", `Tenant ${tenant} is in ${target} already.`);
  await assertNotReembedding(env, source, target);
  const inserted = await readAll(
    home,
    sql`INSERT INTO tenant_moves (tenant, source, target, epoch, step, copied, started_at, leased_until)
      SELECT ${tenant}, ${source}, ${target}, ${epoch + 1}, 'prepare', 0, ${now}, 0
      WHERE NOT EXISTS (SELECT 1 FROM tenant_moves WHERE source = ${source} OR tenant = ${tenant})
        AND coalesce((SELECT epoch FROM tenant_shards WHERE tenant = ${tenant}), 0) = ${epoch} RETURNING tenant`,
  );
  if (inserted.length === 0)
    throw failure(
      "conflict",
      `Another tenant is being moved out of ${source}, or this one has just moved. One moves at a time: try again later.`,
    );
  // Again: it may have begun meanwhile without seeing the move.
  await assertNotReembedding(env, source, target).catch(async (error: unknown) => {
    await runBatch(home, [sql`DELETE FROM tenant_moves WHERE tenant = ${tenant} AND step = 'prepare'`]);
    throw error;
  });
  return { tenant, source, target, step: "prepare", copied: 0, started_at: now };
}

/** Re-embedding goes by database: it would miss a tenant that moves. It stops while there is a move: see `reembed`. */
async function assertNotReembedding(env: Bindings, ...shards: ShardName[]): Promise<void> {
  const states = await Promise.all(
    shards.map((shard) => readVectorState(openDatabase(getShard(env, shard)))),
  );
  if (states.some((state) => state?.progress != null))
    throw failure("conflict", "Everything is being re-embedded. Let that finish first: npm run reembed");
}

/** Throws `unavailable` while a tenant's vectors move to another index: a copy of them could outlive their erasure. */
export async function requireSettledVectors(env: Bindings, tenant: string): Promise<void> {
  if (!hasSeveralIndexes(env)) return;
  const move = await findMove(env, tenant);
  if (move === null || findMovedIndexes(env, move) === null) return;
  throw unavailable(
    `Tenant ${tenant} is being moved to ${move.target} and cannot be erased until then.`,
    "Send the same call again later.",
    10,
  );
}

/**
 * Continues a move until a time. Returns its state; null once it is finished. Does nothing while another run has it.
 */
export async function continueMove(
  env: Bindings,
  tenant: string,
  { now, until }: { now: () => number; until: number },
): Promise<TenantMove | null> {
  const run = await takeOver(env, tenant, now);
  if (run === null) return findMove(env, tenant);
  try {
    do {
      if (await takeStep(run)) {
        const next = MOVE_STEPS[MOVE_STEPS.indexOf(run.move.step) + 1];
        if (next === undefined) {
          await deleteLeasedMove(run.lease);
          return null;
        }
        run.move = { ...run.move, step: next };
        run.position = null;
      }
      await saveProgress(run);
      // Writers wait once it has begun, so the switch does not.
    } while (now() < until || run.move.step === "switch");
    return run.move;
  } catch (error) {
    if (error instanceof Overtaken) return findMove(env, tenant);
    throw error;
  } finally {
    await releaseLease(run.lease);
  }
}

/** Makes this run the only one that writes to the target. Returns null if another one is at work, or there is no move. */
async function takeOver(env: Bindings, tenant: string, now: () => number): Promise<Run | null> {
  const home = openDatabase(env.DB);
  const taken = await takeLease<MoveRow>(home, tenant, now);
  if (taken === null) return null;
  const { lease, row } = taken;
  if (!isShardName(row.source) || !isShardName(row.target)) return null;
  const id = crypto.randomUUID();
  const target = openDatabase(getShard(env, row.target));
  // In the last two steps the target may be open: nothing but the directory and the source changes then. In the first,
  // whatever is there was left by a call that failed to place the tenant: see `placeNewTenant`.
  await runBatch(target, [
    sql`INSERT INTO placements (tenant, epoch, state, run) VALUES (${tenant}, ${row.epoch}, 'receiving', ${id})
      ON CONFLICT (tenant) DO UPDATE SET run = excluded.run,
        state = iif(epoch = excluded.epoch AND ${row.step} <> 'prepare', state, 'receiving'), epoch = excluded.epoch`,
  ]);
  return {
    env,
    home,
    tenant,
    source: openDatabase(getShard(env, row.source)),
    target,
    assertRun: assertThat(
      sql`EXISTS (SELECT 1 FROM placements WHERE tenant = ${tenant} AND run = ${id} AND state = 'receiving')`,
    ),
    lease,
    move: toMove(row),
    epoch: row.epoch,
    position: row.position === null ? null : (JSON.parse(row.position) as Position),
    indexes: findMovedIndexes(env, { source: row.source, target: row.target }),
  };
}

function saveProgress({ lease, move, position }: Run): Promise<void> {
  return renewLease(lease, { ...move, position: position === null ? null : JSON.stringify(position) });
}

/** Does a bounded part of the current step. Returns whether the step is finished. */
function takeStep(run: Run): Promise<boolean> {
  switch (run.move.step) {
    case "prepare":
      return prepare(run);
    case "copy":
      return copyPage(run);
    case "index":
      return indexPage(run);
    case "catch_up":
      return catchUp(run);
    case "switch":
      return switchDatabases(run);
    case "delete":
      return deletePage(run);
  }
}

async function prepare(run: Run): Promise<boolean> {
  const { env, tenant, source, target, epoch, assertRun } = run;
  if (!(await deleteRows(run, target, assertRun, run.indexes?.target))) return false;
  // The number of a tenant is the same everywhere, since the numbers of its rows begin with it: `DB` assigns all of them.
  const [, numbers] = await runBatch(openDatabase(env.DB), [
    ensureTenant(tenant),
    sql`SELECT number FROM tenants WHERE tenant = ${tenant}`,
  ]);
  const [known] = (numbers ?? []) as { number: number }[];
  await copyVectorState(run);
  await runBatch(target, [
    assertRun,
    sql`INSERT INTO tenants (tenant, number) VALUES (${tenant}, ${known?.number ?? 0}) ON CONFLICT DO NOTHING`,
    assertThat(sql`(SELECT number FROM tenants WHERE tenant = ${tenant}) = ${known?.number ?? 0}`),
  ]);
  await runBatch(source, [
    sql`INSERT INTO placements (tenant, epoch, state) VALUES (${tenant}, ${epoch - 1}, 'open') ON CONFLICT DO NOTHING`,
  ]);
  await startTracking(source, tenant, epoch);
  return true;
}

/** Vectors stay where they are or are copied, so that both databases must have been embedded with the same model. */
async function copyVectorState({ source, target }: Run): Promise<void> {
  const [from, to] = await Promise.all([readVectorState(source), readVectorState(target)]);
  if (from === null) return;
  if (to === null) await saveVectorState(target, from);
  else if (!isSameModel(from, to))
    throw failure(
      "conflict",
      "The vectors of the two databases were made with different models. Run: npm run reembed",
    );
}

/** Returns the next keys after the position, and sets the position to the last of them; null after the last table. */
async function turnPage(
  run: Run,
  db: Database,
  tables: readonly TenantTable[],
): Promise<{ table: TenantTable; keys: RowKey[] } | null> {
  const first = run.position === null ? 0 : tables.findIndex(({ name }) => name === run.position?.table);
  for (const table of tables.slice(first)) {
    const after = run.position?.table === table.name ? run.position.after : null;
    const keys = await listRowKeys(db, run.tenant, table, { after, limit: PAGE_ROWS });
    const last = keys.at(-1);
    if (last === undefined) continue;
    run.position = { ...run.position, table: table.name, after: last };
    return { table, keys };
  }
  return null;
}

async function copyPage(run: Run): Promise<boolean> {
  if (run.indexes !== null && run.position === null) await stopIndexer(run);
  const page = await turnPage(run, run.source, TENANT_TABLES);
  if (page === null) return true;
  const copied = await copyRows(run, page.table, page.keys);
  run.move = { ...run.move, copied: run.move.copied + copied };
  return false;
}

/** Waits for the indexer's run in progress. The next ones wait for the move: see `pausesIndexer`. */
async function stopIndexer({ env, tenant, lease }: Run): Promise<void> {
  await prolongLease(lease);
  await getIndexer(env, tenant).drain(tenant);
  await prolongLease(lease);
}

async function indexPage(run: Run): Promise<boolean> {
  const tables = INDEXED_TABLES.map(findTenantTable);
  const page = await turnPage(run, run.target, tables);
  if (page === null) return hasVisibleVectors(run);
  const { table, keys } = page;
  if (isIndexed(table.name)) await indexRows(run.target, run.tenant, table.name, toNumbers(keys));
  if (run.indexes === null) return false;
  const ids = await listVectorIds(run.target, run.tenant, table, keys);
  const visibleAfter = await copyVectors({ ...run.indexes, tenant: run.tenant, ids }, () =>
    prolongLease(run.lease),
  );
  if (run.position !== null && visibleAfter !== null) run.position = { ...run.position, visibleAfter };
  return false;
}

/** Waits until the target's index shows what was copied to it: from the switch on it is the one that is asked. */
async function hasVisibleVectors({ indexes, tenant, position, lease }: Run): Promise<boolean> {
  if (indexes === null || position?.visibleAfter === undefined) return true;
  await prolongLease(lease);
  if (await showsVectors(indexes.target, tenant, position.visibleAfter)) return true;
  await scheduler.wait(VISIBILITY_POLL_MS);
  return false;
}

function toNumbers(keys: readonly RowKey[]): number[] {
  return keys.map(([seq]) => Number(seq));
}

/** Copies changed rows. Returns true once few are left. */
async function catchUp(run: Run): Promise<boolean> {
  const copied = await copyChanges(run);
  return copied < FEW_CHANGES;
}

/** Copies a page of changes and returns its size. */
async function copyChanges(run: Run): Promise<number> {
  const { source, target, tenant } = run;
  const changes = await readChanges(source, PAGE_ROWS);
  if (changes === null) return 0;
  let size = 0;
  for (const table of TENANT_TABLES) {
    const keys = changes.tables.get(table.name);
    if (keys === undefined) continue;
    size += keys.length;
    const seqs = toNumbers(keys);
    // Before the copy: a memory that was erased has no row afterwards.
    const followers = table.name === "memories" ? await listFollowers(target, tenant, seqs) : [];
    run.move = { ...run.move, copied: run.move.copied + (await copyRows(run, table, keys)) };
    if (isIndexed(table.name)) await indexRows(target, tenant, table.name, [...seqs, ...followers]);
  }
  await removeChanges(source, changes);
  return size;
}

async function switchDatabases(run: Run): Promise<boolean> {
  const { env, tenant, source, target, home, move, epoch } = run;
  const isHere = sql`tenant = ${tenant} AND epoch = ${epoch - 1}`;
  const [, states] = await runBatch(source, [
    sql`UPDATE placements SET state = 'fenced' WHERE ${isHere} AND state = 'open'`,
    sql`SELECT state FROM placements WHERE ${isHere}`,
  ]);
  const [placed] = (states ?? []) as { state: string }[];
  if (placed?.state === "fenced") {
    try {
      await copyRest(run);
    } catch (error) {
      if (error instanceof Overtaken) throw error;
      // Writes go on, and the switch is tried again.
      await runBatch(source, [
        sql`UPDATE placements SET state = 'open' WHERE ${isHere} AND state = 'fenced'`,
      ]);
      throw error;
    }
    // From here on nobody reads the source: a read that was answered there could miss a write to the target.
    await runBatch(source, [
      assertThat(sql`EXISTS (SELECT 1 FROM placements WHERE ${isHere} AND state = 'fenced')`),
      sql`UPDATE placements SET state = 'moved' WHERE ${isHere}`,
    ]);
  }
  await runBatch(target, [
    sql`UPDATE placements SET state = 'open' WHERE tenant = ${tenant} AND epoch = ${epoch} AND state = 'receiving'`,
  ]);
  await runBatch(home, [
    sql`INSERT INTO tenant_shards (tenant, shard, epoch) VALUES (${tenant}, ${move.target}, ${epoch})
      ON CONFLICT (tenant) DO UPDATE SET shard = excluded.shard, epoch = excluded.epoch WHERE epoch < excluded.epoch`,
  ]);
  forgetPlacement(env, tenant);
  await stopTracking(source, tenant, epoch);
  return true;
}

/** Copies what is left while writes wait, and compares the numbers of rows. */
async function copyRest(run: Run): Promise<void> {
  const { tenant, source, target, home, move } = run;
  while ((await copyChanges(run)) > 0) await saveProgress(run);
  const copied = await copyUsage(run);
  if (move.target !== HOME_SHARD) await copyKeys(home, target, tenant);
  if (run.indexes !== null)
    await runBatch(target, [
      run.assertRun,
      // Written to the source's index, and not confirmed: the target's has never seen them.
      sql`UPDATE vector_queue SET visible_after = NULL, attempts = 0, due_at = 0
        WHERE tenant = ${tenant} AND visible_after IS NOT NULL`,
    ]);
  if (copied > MAX_COMPARED_ROWS) return;
  const [here, there] = await Promise.all([countRows(source, tenant), countRows(target, tenant)]);
  const different = TENANT_TABLES.filter((_, i) => here[i] !== there[i]).map(({ name }) => name);
  if (different.length === 0) return;
  run.move = { ...run.move, step: "prepare" };
  run.position = null;
  await saveProgress(run);
  throw new Error(`The copy of a tenant differs from the original in ${different.join(", ")}.`);
}

/** Copies the tenant's counts, and returns the number of its memories and messages. */
async function copyUsage({ tenant, source, target, assertRun }: Run): Promise<number> {
  const [usage] = await readAll<Record<string, number>>(
    source,
    sql`SELECT * FROM tenant_usage WHERE tenant = ${tenant}`,
  );
  if (usage === undefined) return 0;
  const { memories = 0, messages = 0, sessions, episodes, bytes } = usage;
  await runBatch(target, [
    assertRun,
    sql`INSERT OR REPLACE INTO tenant_usage (tenant, memories, messages, sessions, episodes, bytes)
      VALUES (${tenant}, ${memories}, ${messages}, ${sessions}, ${episodes}, ${bytes})`,
  ]);
  return memories + messages;
}

async function countRows(db: Database, tenant: string): Promise<number[]> {
  const results = await runBatch(
    db,
    TENANT_TABLES.map(
      ({ name }) => sql`SELECT count(*) AS rows FROM ${sql.raw(name)} WHERE tenant = ${tenant}`,
    ),
  );
  return results.map((rows) => (rows as { rows: number }[])[0]?.rows ?? 0);
}

async function deletePage(run: Run): Promise<boolean> {
  const { source, tenant, epoch, move } = run;
  const assertMoved = assertThat(
    sql`EXISTS (SELECT 1 FROM placements WHERE tenant = ${tenant} AND epoch = ${epoch - 1} AND state = 'moved')`,
  );
  if (!(await deleteRows(run, source, assertMoved, run.indexes?.source))) return false;
  // Again, with changes that were made during the switch.
  if (move.target !== HOME_SHARD) await copyKeys(run.home, run.target, tenant);
  await runBatch(source, [
    assertMoved,
    sql`DELETE FROM tenant_usage WHERE tenant = ${tenant}`,
    // `DB` keeps the numbers that it assigned.
    ...(move.source === HOME_SHARD
      ? []
      : [
          sql`DELETE FROM tenants WHERE tenant = ${tenant}`,
          sql`DELETE FROM api_keys WHERE tenant = ${tenant}`,
        ]),
    requestCompaction,
  ]);
  return true;
}

/** Deletes a page of the tenant's rows, their vectors in `index` first. Returns true once there are none. */
async function deleteRows(
  run: Run,
  db: Database,
  assertion: SQL,
  index: Vectorize | undefined,
): Promise<boolean> {
  run.position = null;
  const page = await turnPage(run, db, TENANT_TABLES);
  run.position = null;
  if (page === null) return true;
  const { table, keys } = page;
  const among = isAmong(table, keys);
  if (index !== undefined)
    await deleteVectors(index, run.tenant, await listVectorIds(db, run.tenant, table, keys), () =>
      prolongLease(run.lease),
    );
  await runBatch(db, [
    assertion,
    ...(isIndexed(table.name)
      ? [
          sql`DELETE FROM ${sql.raw(`${table.name}_fts`)} WHERE rowid IN (SELECT value FROM json_each(${JSON.stringify(toNumbers(keys))}))`,
        ]
      : []),
    sql`DELETE FROM ${sql.raw(table.name)} WHERE tenant = ${run.tenant} AND ${among}`,
  ]);
  return false;
}
