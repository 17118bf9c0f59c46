// The long-term store of one tenant. Nothing here can be asked without a tenant: the store is made with it.
import { type SQL, sql } from "drizzle-orm";
import { type RecallFilter, type RecallScope, recall } from "../recall/recall";
import { commitMemories, type MemoryWrite } from "./commit";
import { batch, type Database, openDatabase } from "./database";
import { eraseMemories } from "./erase";
import { type ForgetRequest, forgetMemory, type Reach } from "./forget";
import { type Operation, readOperation, saveOperation } from "./operations";
import {
  countLive,
  findMemory,
  historyOf,
  listMemories,
  type MemoryFilter,
  matchTriples,
  type Pattern,
  type TimeCursor,
} from "./queries";
import type { SessionRecord } from "./sessions";
import { dropSession, findSession, listSessions, registerSession, type SessionFilter } from "./sessions";
import { recordAccess } from "./statements";

export type StoreOptions = { now: () => number; memoriesPerSession: number };
type Page = { limit: number; after: TimeCursor | null };

export type LongTermStore = ReturnType<typeof createStore>;

export function createStore(d1: D1Database, tenant: string, { now, memoriesPerSession }: StoreOptions) {
  const db: Database = openDatabase(d1);
  const isoNow = () => new Date(now()).toISOString();
  const idsWhere = (condition: SQL) => sql`SELECT id FROM memories WHERE tenant = ${tenant} AND ${condition}`;

  return {
    tenant,
    commit: (writes: readonly MemoryWrite[]) =>
      commitMemories(db, tenant, writes, { now: isoNow, memoriesPerSession }),
    recall: (scope: RecallScope, input: RecallFilter & { query?: string | undefined; limit: number }) =>
      recall(db, tenant, scope, input, now()),
    recordAccess: (ids: readonly string[]) =>
      ids.length === 0 ? Promise.resolve() : batch(db, recordAccess(tenant, ids, isoNow())),
    forget: (request: ForgetRequest, reach: Reach, operation: Operation | null) =>
      forgetMemory(db, tenant, request, { reach, now: isoNow, operation }),

    find: (id: string) => findMemory(db, tenant, id),
    list: (filter: MemoryFilter, page: Page) => listMemories(db, tenant, filter, page),
    history: (id: string) => historyOf(db, tenant, id),
    triples: (pattern: Pattern) => matchTriples(db, tenant, pattern),
    countLive: (sessionId: string) => countLive(db, tenant, sessionId),
    eraseMemory: (id: string) => eraseMemories(db, tenant, idsWhere(sql`id = ${id}`), { at: isoNow() }),

    registerSession: (session: SessionRecord) => registerSession(db, tenant, session),
    findSession: (id: string) => findSession(db, tenant, id),
    listSessions: (filter: SessionFilter, page: Page) => listSessions(db, tenant, filter, page),
    /** Takes a session out of the registry and, if asked, its memories out of everything, in one batch. */
    eraseSession: (id: string, { memories }: { memories: boolean }) =>
      eraseMemories(db, tenant, idsWhere(memories ? sql`session_id = ${id}` : sql`false`), {
        at: isoNow(),
        also: dropSession(tenant, id),
      }),

    readOperation: <T>(operation: Operation) => readOperation<T>(db, tenant, operation),
    saveOperation: (operation: Operation & { response: object }) =>
      saveOperation(db, tenant, { ...operation, at: isoNow() }),
  };
}
