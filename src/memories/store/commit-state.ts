// Reads the state of the store that a batch of writes depends on.
import { sql } from "drizzle-orm";
import { isWithinBinding, UNBOUND } from "../../kernel/access";
import { readAll, runBatch } from "../../kernel/databases/d1";
import type { AppliedOperation } from "../../kernel/operation-log";
import type { StoreContext } from "../../kernel/store-context";
import { type CommitState, type IdentifiedWrite, type Supersedable, toAppliedOperation } from "./commit-plan";
import { computeGenerationId } from "./memory-id";
import type { MemoryRow } from "./memory-mapping";
import { selectByIdentity } from "./memory-queries";
import { listTargets, NO_RELATIONS, readRelationState } from "./memory-relations";
import {
  type MemoryTopic,
  selectTopicMembers,
  type TopicMember,
  toMemoryTopic,
  toTopicName,
} from "./memory-topics";

/** Lists the identities that a round would create. */
export function listIdentities(round: readonly IdentifiedWrite[]): string[] {
  return round.flatMap(({ identity, rest }) => [identity, ...rest.map((part) => part.identity)]);
}

/** Returns the state of a store in which all content and all topics are new. */
export function createEmptyState(): CommitState {
  return {
    applied: new Map(),
    live: new Map(),
    nextIds: new Map(),
    liveInSession: new Map(),
    topics: new Map(),
    supersedable: new Map(),
    relations: NO_RELATIONS,
  };
}

export async function readState(
  context: StoreContext,
  writes: readonly IdentifiedWrite[],
): Promise<CommitState> {
  const { db, tenant } = context;
  const sessions = new Set(writes.flatMap(({ memory }) => memory.session_id ?? []));
  const ops = JSON.stringify(writes.map(({ op }) => op));
  const identities = listIdentities(writes);
  const topics = writes.flatMap(({ memory }) => toMemoryTopic(memory) ?? []);
  const superseded = JSON.stringify(writes.flatMap(({ supersedes = [] }) => supersedes));
  const [applied, rows, creators, counts, members, supersedable] = (await runBatch(db, [
    sql`SELECT op, fingerprint, response FROM operations
      WHERE tenant = ${tenant} AND op IN (SELECT value FROM json_each(${ops}))`,
    selectByIdentity(tenant, identities),
    // A memory whose content was changed keeps its id, and the operation that created it.
    sql`SELECT id, op FROM memories WHERE tenant = ${tenant} AND op IN (SELECT value FROM json_each(${ops}))
      AND id IN (SELECT value FROM json_each(${JSON.stringify(identities)}))`,
    sql`SELECT value AS session_id,
        (SELECT count(*) FROM memories m WHERE m.tenant = ${tenant} AND m.session_id = value AND m.live = 1) AS live
      FROM json_each(${JSON.stringify([...sessions])})`,
    selectTopicMembers(tenant, topics),
    sql`SELECT id, source_type, user_id, agent_id, project_id FROM memories WHERE tenant = ${tenant} AND live = 1
      AND id IN (SELECT value FROM json_each(${superseded}))`,
  ])) as [
    AppliedOperation[],
    MemoryRow[],
    Pick<MemoryRow, "id" | "op">[],
    { session_id: string; live: number }[],
    (TopicMember & MemoryTopic)[],
    Supersedable[],
  ];
  const generations = Map.groupBy(rows, (row) => row.identity);
  const live = new Map(
    writes.flatMap(({ identity, within = UNBOUND }) => {
      const row = generations
        .get(identity)
        ?.findLast((one) => one.live === 1 && isWithinBinding(within, one));
      return row === undefined ? [] : [[identity, row] as const];
    }),
  );
  const withoutLive = writes.filter(({ identity }) => !live.has(identity));
  const next = listIdentities(withoutLive).map((identity) => ({
    identity,
    generation: generations.get(identity)?.length ?? 0,
  }));
  return {
    applied: new Map([...creators.flatMap(toAppliedOperation), ...applied].map((row) => [row.op, row])),
    live,
    nextIds: await findFreeIds(context, next),
    liveInSession: new Map(counts.map((row) => [row.session_id, row.live])),
    topics: Map.groupBy(members, toTopicName),
    supersedable: new Map(supersedable.map((row) => [row.id, row])),
    relations: await readRelationState(
      context,
      writes.flatMap(({ memory }) => listTargets(memory.properties)),
    ),
  };
}

/** Skips ids in use: erasing a generation leaves a gap, and a memory whose content is changed keeps its id. */
async function findFreeIds(
  { db, tenant }: StoreContext,
  wanted: readonly { identity: string; generation: number }[],
): Promise<Map<string, string>> {
  const free = new Map<string, string>();
  for (let rest = wanted; rest.length > 0; ) {
    const candidates = await Promise.all(
      rest.map(async ({ identity, generation }) => ({
        identity,
        generation,
        id: await computeGenerationId(identity, generation),
      })),
    );
    const found = await readAll<{ id: string }>(
      db,
      sql`SELECT id FROM memories WHERE tenant = ${tenant}
        AND id IN (SELECT value FROM json_each(${JSON.stringify(candidates.map(({ id }) => id))}))`,
    );
    const taken = new Set(found.map(({ id }) => id));
    for (const { identity, id } of candidates) if (!taken.has(id)) free.set(identity, id);
    rest = candidates.flatMap(({ identity, generation, id }) =>
      taken.has(id) ? [{ identity, generation: generation + 1 }] : [],
    );
  }
  return free;
}
