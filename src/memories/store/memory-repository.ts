// The repository of memories. Patterns, skills and namespaces are views of the same rows with repositories of their own.
import type { Binding } from "../../kernel/access";
import { declareMethods } from "../../kernel/declare-methods";
import type { Idempotency, Operation } from "../../kernel/idempotency";
import { recordOperation } from "../../kernel/operation-log";
import type { Page, StoreContext } from "../../kernel/store-context";
import type { Masked } from "../../trust/privacy/privacy-gate";
import { type Clocks, findMemoriesAt, listHistory } from "../history/memory-history";
import type { Memory, NewMemory } from "../memory-schemas";
import {
  changeMemories,
  changeMemory,
  type MemoryUpdate,
  mergeMemories,
  tryChangeMemory,
} from "./change-memories";
import type { MemoryWrite } from "./commit-plan";
import { eraseMemories } from "./erase-memories";
import { limitSourceRanks, type RankedStatement } from "./evidence-sources";
import { type ForgetLimits, type ForgetRequest, forgetMemory, tryForgetMemory } from "./forget-memories";
import { findParts, selectWithParts } from "./memory-parts";
import {
  countLive,
  findByIdentity,
  findByTopic,
  findMemories,
  findMemory,
  listUnindexed,
  type MemoryFilter,
  selectMemories,
} from "./memory-queries";
import { checkNewMemories, identifyMemories, replaceMemory, writeMemories } from "./write-door";

export function createMemoryRepository(context: StoreContext) {
  const { tenant, now } = context;
  const { reads, removes, unmasked, writes, writesEach } = declareMethods(context);

  return {
    /** Writes each memory once per operation. Content that a live memory has already is merged into it. */
    commit: writesEach((batch: readonly MemoryWrite[]) => writeMemories(context, batch)),
    /** Like `commit`, for what has passed the gate on its way into a session's outbox. */
    commitMasked: unmasked((batch: readonly Masked<MemoryWrite>[]) => writeMemories(context, batch)),
    /** Returns what the shapes find in each of these memories as new ones, before anything is written. */
    checkShapes: reads((memories: readonly NewMemory[]) => checkNewMemories(context, memories)),

    /** Writes a memory that supersedes a live one, built from it; null if there is no such memory. */
    replace: writes(
      (
        id: string,
        replacement: { build: (before: Memory) => Pick<MemoryWrite, "memory" | "topic">; within: Binding },
      ) => replaceMemory(context, id, replacement),
    ),

    /** Returns the source that each statement would be stored with, for callers that compare ranks before they write. */
    findLimitedSources: reads((statements: readonly RankedStatement[]) =>
      limitSourceRanks(context, statements),
    ),

    find: reads((id: string) => findMemory(context, id)),
    findMany: reads((ids: readonly string[]) => findMemories(context, ids)),
    /** Returns the identity of each memory, and the id that it would be stored with. */
    identify: reads((memories: readonly NewMemory[]) => identifyMemories(context, memories)),
    /** Returns the live memories with one of these identities, newest first. */
    findByIdentity: reads((identities: readonly string[]) => findByIdentity(context, identities)),
    /** Returns the live memory of a topic in a scope. */
    findByTopic: reads((scope: string, topicKey: string) => findByTopic(context, scope, topicKey)),
    list: reads((filter: MemoryFilter, page: Page) => selectMemories(context, filter, page)),
    listUnindexed: reads((sessionId: string, limit: number) => listUnindexed(context, sessionId, limit)),
    /** Returns memories as they were, without those that were stored later. */
    findManyAt: reads((ids: readonly string[], clocks: Clocks) => findMemoriesAt(context, ids, clocks)),
    /** Returns the chain of supersession that a memory is part of as it was, with versions, oldest first. */
    listHistory: reads((id: string, clocks: Clocks = {}) => listHistory(context, id, clocks)),
    countLive: reads((sessionId: string) => countLive(context, sessionId)),

    /** Changes a memory in place and returns the result; null if there is no such memory. */
    change: writes((id: string, update: MemoryUpdate) => changeMemory(context, id, update)),
    /** Changes memories in place and returns those that changed. */
    changeMany: writes((ids: readonly string[], update: MemoryUpdate) =>
      changeMemories(context, ids, update),
    ),
    /** Changes a memory and records the operation in the same batch. Throws WriteConflict if either is outdated. */
    changeOnce: writes(
      (id: string, update: MemoryUpdate, { response, ...operation }: Operation & { response: object }) =>
        tryChangeMemory(context, id, update, recordOperation(tenant, operation, response, now())),
    ),
    /** Merges near-duplicates into one memory, which supersedes the others and inherits their evidence and usage. */
    merge: writes((keep: string, others: readonly string[]) => mergeMemories(context, keep, others)),

    tryForget: writes((request: ForgetRequest, scope: ForgetLimits) =>
      tryForgetMemory(context, request, scope),
    ),
    forget: writes((request: ForgetRequest, scope: ForgetLimits, operation: Idempotency) =>
      forgetMemory(context, request, { scope, operation }),
    ),
    /**
     * Erases a memory for good, with the other parts of its turn, and returns the number of rows, triples, links and
     * vectors that were deleted.
     */
    erase: removes((id: string) => eraseMemories(context, selectWithParts(tenant, id))),
    /** Returns the live parts of the turns that these memories are parts of, in order, by the id of each part. */
    findParts: reads((memories: readonly Memory[]) => findParts(context, memories)),
  };
}
