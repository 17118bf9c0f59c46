// Memories in D1: committed, read, changed, forgotten and erased. Other views of the same rows (patterns, skills,
// namespaces) have repositories of their own.
import { sql } from "drizzle-orm";
import { runBatch } from "../../platform/d1";
import type { Memory } from "../../schemas/memory";
import type { Operation } from "../operation-log";
import { recordOperations } from "../operation-log";
import type { Page, StoreContext } from "../store-context";
import { changeMemories, changeMemory, mergeMemories, tryChange } from "./change-memories";
import { commitMemories, type MemoryWrite } from "./commit-memories";
import { eraseMemories, eraseVectors } from "./erase-memories";
import {
  countLive,
  findMemories,
  findMemory,
  findSaying,
  findTopic,
  historyOf,
  listMemories,
  type MemoryFilter,
  unindexedMemories,
} from "./memory-queries";
import { type ForgetRequest, forgetMemory, type Reach } from "./retire-memories";
import { addUses, recordAccess } from "./usage-counts";

type Change = (memory: Memory) => Memory | null;

export type MemoryRepository = ReturnType<typeof createMemoryRepository>;

export function createMemoryRepository(context: StoreContext) {
  const { db, tenant, now, memoriesPerSession } = context;
  return {
    /** Writes each memory once per operation, and merges it into the live memory with the same content if there is one. */
    commit: (writes: readonly MemoryWrite[]) =>
      commitMemories(db, tenant, writes, { now, memoriesPerSession }),

    find: (id: string) => findMemory(db, tenant, id),
    findMany: (ids: readonly string[]) => findMemories(db, tenant, ids),
    /** Returns the live memories with one of these identities (a hash of scope, type and content). */
    findByIdentity: (identities: readonly string[]) => findSaying(db, tenant, identities),
    /** Returns the live memory of a topic in a scope. */
    findByTopic: (scope: string, topicKey: string) => findTopic(db, tenant, scope, topicKey),
    list: (filter: MemoryFilter, page: Page) => listMemories(db, tenant, filter, page),
    /** Returns the live memories of a session that the vector index does not reflect yet, newest first. */
    listUnindexed: (sessionId: string, limit: number) => unindexedMemories(db, tenant, sessionId, limit),
    /** Returns the chain of supersession that a memory is part of, oldest first. */
    listHistory: (id: string) => historyOf(db, tenant, id),
    countLive: (sessionId: string) => countLive(db, tenant, sessionId),

    /** Changes a memory in place and returns the result; null if there is no such memory. */
    change: (id: string, change: Change) => changeMemory(db, tenant, id, change),
    changeMany: (ids: readonly string[], change: Change) => changeMemories(db, tenant, ids, change),
    /** Changes a memory and records the operation in the same batch. Throws RaceLost if either was written meanwhile. */
    changeOnce: (
      id: string,
      change: Change,
      { response, ...operation }: Operation & { response: object },
    ) => {
      const applied = { ...operation, response: JSON.stringify(response) };
      return tryChange(db, tenant, id, change, { also: [recordOperations(tenant, [applied], now())] });
    },
    /** Merges near-duplicates into one memory, which supersedes the others and inherits their evidence and usage. */
    merge: (keep: string, others: readonly string[]) =>
      mergeMemories(db, tenant, { keep, others, at: now() }),
    recordAccess: (ids: readonly string[]) =>
      ids.length === 0 ? Promise.resolve() : runBatch(db, recordAccess(tenant, ids, now())),
    addUsage: (id: string, more: { uses: number; last: string }) => runBatch(db, addUses(tenant, id, more)),

    forget: (request: ForgetRequest, reach: Reach, operation: Operation | null) =>
      forgetMemory(db, tenant, request, { reach, now, operation }),
    async erase(id: string) {
      const which = sql`SELECT id FROM memories WHERE tenant = ${tenant} AND id = ${id}`;
      const vectors = await eraseVectors(context, "memory", which);
      return { ...(await eraseMemories(db, tenant, which, { at: now() })), vectors };
    },
  };
}
