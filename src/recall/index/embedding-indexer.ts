// Brings the vector index up to date with D1: takes due entries from the embedding backlog, embeds their rows, and
// upserts or removes their vectors. Every step is idempotent, and an entry leaves the backlog only after the index has
// been written, so that a crash at any point loses no work.

import type { SQL } from "drizzle-orm";
import { type Database, runBatch } from "../../kernel/databases/d1";
import { hasSeveralIndexes } from "../../kernel/databases/shard-bindings";
import { openTenantDatabase } from "../../kernel/databases/tenant-database";
import { findMove, pausesIndexer, type TenantMove } from "../../kernel/databases/tenant-moves";
import type { Bindings } from "../../kernel/env";
import { describeDefect } from "../../kernel/errors";
import { VECTOR_KINDS, type VectorKind } from "../../kernel/tables";
import { createTelemetry, type Telemetry } from "../../kernel/telemetry";
import { MINUTE_MS, SECOND_MS } from "../../kernel/time";
import {
  countQueuedVectors,
  dequeueEntries,
  dequeueIds,
  listQueuedVectors,
  postponeVectors,
  type QueuedVector,
  recordDequeue,
  selectDueVectors,
  selectNextDueTime,
  selectUnwrittenIds,
} from "../../memories/store/vector-queue";
import { type Embedder, EmbedderError } from "../../models/embedders/embedder";
import { deleteVectors } from "../vectors/move-vectors";
import { createSemanticServices, openVectorIndex } from "../vectors/semantic-services";
import { isSameModel, type VectorIndex, type VectorRecord } from "../vectors/vector-index";
import { endWakeWindow } from "./indexing";
import { findMovedIndexes, type MovedIndexes } from "./tenant-vectors";
import {
  createRecordEmbedder,
  type RecordEmbedder,
  type SourceRows,
  selectSourceRows,
} from "./vector-records";
import {
  claimVectorState,
  readVectorState,
  selectVectorState,
  toVectorState,
  type VectorState,
} from "./vector-state";

/**
 * The delay from a write to its indexing. Writes within it share one run, and only the first wakes the indexer. Until
 * then recall embeds the backlog itself.
 */
export const WAKE_DELAY_MS = 250;

/** The delay until a run is tried again while the tenant moves to another vector index. */
const MOVE_WAIT_MS = 5 * SECOND_MS;

/** The time limit of one run, below the platform's limits; the next alarm continues. */
const MAX_RUN_MS = 20 * SECOND_MS;

/** Entries of the backlog that are removed from the index together when a tenant is erased. */
export const CLEARED_PER_CALL = 500;

/** The delay before the first check whether an eventually consistent index shows a write; it doubles each time. */
export const VISIBILITY_CHECK_MS = 5 * SECOND_MS;
export const MAX_VISIBILITY_CHECKS = 8;

/** The delay after a failure: exponential back-off from the first to the last. */
export const FIRST_RETRY_MS = 2 * SECOND_MS;
export const LAST_RETRY_MS = 5 * MINUTE_MS;

/** Runs the indexer of a tenant's Durable Object, one run at a time. */
export class IndexerRunner {
  readonly #env: Bindings;
  readonly #now: () => number;
  #indexer: EmbeddingIndexer | null = null;
  #running: Promise<number | null> = Promise.resolve(null);

  constructor(env: Bindings, now: () => number) {
    this.#env = env;
    this.#now = now;
  }

  /** Returns the time of the next run, null when the backlog is empty or no embedder is configured. */
  run(tenant: string): Promise<number | null> {
    this.#running = this.#running
      .catch(() => null)
      .then(async () => {
        endWakeWindow(tenant, Date.now());
        const move = await this.#findMove(tenant);
        // What changes now is indexed where the tenant goes: see src/recall/index/tenant-vectors.ts.
        if (move !== null && pausesIndexer(move)) return this.#now() + MOVE_WAIT_MS;
        return this.#open(tenant)?.run(this.#now() + MAX_RUN_MS) ?? null;
      });
    return this.#running;
  }

  /** Returns the move of the tenant between two vector indexes, if there is one. */
  async #findMove(tenant: string): Promise<(TenantMove & { indexes: MovedIndexes }) | null> {
    if (!hasSeveralIndexes(this.#env)) return null;
    const move = await findMove(this.#env, tenant);
    const indexes = move && findMovedIndexes(this.#env, move);
    return move && indexes && { ...move, indexes };
  }

  countBacklog(tenant: string): Promise<number> {
    return countQueuedVectors(openTenantDatabase(this.#env, tenant), tenant);
  }

  /** Removes vectors from the index that stores them, which may be that of an earlier embedder. */
  async remove(tenant: string, kind: VectorKind, ids: readonly string[]): Promise<number> {
    const state = await readVectorState(openTenantDatabase(this.#env, tenant));
    if (state === null) return 0;
    const index = openVectorIndex(this.#env, tenant, state);
    const removed = await (this.#open(tenant)?.remove(index, kind, ids) ?? index.remove(kind, ids));
    const move = await this.#findMove(tenant);
    if (move !== null) for (const copy of Object.values(move.indexes)) await deleteVectors(copy, tenant, ids);
    return removed;
  }

  /** Removes all vectors of the tenant, whose rows are erased, after the run in progress. */
  async clear(tenant: string): Promise<void> {
    await this.#running.catch(() => null);
    const db = openTenantDatabase(this.#env, tenant);
    const state = await readVectorState(db);
    if (state === null) return;
    const index = openVectorIndex(this.#env, tenant, state);
    if (state.index === "embedded") return index.clear();
    // Vectorize cannot be cleared. The vectors were removed with their rows; one that was written again is in the backlog.
    for (const kind of VECTOR_KINDS) {
      for (;;) {
        const entries = await listQueuedVectors(db, tenant, kind, CLEARED_PER_CALL);
        if (entries.length === 0) break;
        await index.remove(kind, listIds(entries));
        // A call that is repeated continues here.
        await runBatch(db, [dequeueEntries(tenant, kind, entries)]);
      }
    }
  }

  #open(tenant: string): EmbeddingIndexer | null {
    const semantic = createSemanticServices(this.#env, tenant);
    if (semantic === null) return null;
    this.#indexer ??= new EmbeddingIndexer({
      ...semantic,
      db: openTenantDatabase(this.#env, tenant),
      tenant,
      telemetry: createTelemetry(this.#env.TELEMETRY),
      now: this.#now,
    });
    return this.#indexer;
  }
}

type IndexerOptions = {
  db: Database;
  tenant: string;
  embedder: Embedder;
  index: VectorIndex;
  telemetry: Telemetry;
  now: () => number;
};

/** The due entries of all kinds with the rows behind them, as one call to D1 reads them. */
type BacklogPage = {
  state: VectorState | null;
  entries: Record<VectorKind, QueuedVector[]>;
  rows: SourceRows;
  /** When the next entry is due that is not due yet. */
  nextDue: number | null;
};

/** Whether the run can continue after a group of entries, and the changes of the backlog that record the outcome. */
type Outcome = { progress: "continue" | "stop"; changes: SQL[] };

/** Entries of one kind of a page. `through` is the highest number of them. */
type Group = { kind: VectorKind; entries: readonly QueuedVector[]; through: number; rows: SourceRows };

export class EmbeddingIndexer {
  readonly #options: IndexerOptions;
  readonly #embedRecords: RecordEmbedder;
  /** The index write in flight. */
  #writing: Promise<unknown> = Promise.resolve();
  /** Ids removed while a page is being embedded: the page must not insert them again. */
  readonly #removed = new Set<string>();

  constructor(options: IndexerOptions) {
    this.#options = options;
    this.#embedRecords = createRecordEmbedder(options);
  }

  /**
   * Runs until no entry is due, the time is up, or a service fails. Returns the time of the next run, null when the
   * backlog is empty. Each page costs one call to D1, which also records the outcome of the page before.
   */
  async run(until: number): Promise<number | null> {
    const { db, embedder, index, now } = this.#options;
    const model = { name: embedder.name, dimensions: embedder.dimensions, index: index.name };
    let page = await this.#readPage([]);
    // Vectors of another model exist: the backlog only grows until everything is re-embedded.
    if (!isSameModel(page.state ?? (await claimVectorState(db, model)), model)) return null;
    while (now() < until && hasEntries(page)) {
      const { progress, changes } = await this.#indexPage(page, until);
      try {
        page = await this.#readPage(changes);
      } catch (error) {
        // The index has the page and the backlog does not know: its entries are indexed again.
        console.error(JSON.stringify({ event: "vectors.error", ...describeDefect(error) }));
        return now() + FIRST_RETRY_MS;
      }
      if (progress === "stop") break;
    }
    if (hasEntries(page)) return now();
    return page.nextDue === null ? null : Math.max(page.nextDue, now());
  }

  /** Removes vectors and returns their number, without waiting for a page that is being embedded. */
  async remove(index: VectorIndex, kind: VectorKind, ids: readonly string[]): Promise<number> {
    for (const id of ids) this.#removed.add(id);
    await this.#writing.catch(() => null);
    return index.remove(kind, ids);
  }

  /** Applies the changes of the last page and reads the next in the same call. */
  async #readPage(changes: readonly SQL[]): Promise<BacklogPage> {
    const { db, tenant, now } = this.#options;
    this.#removed.clear();
    const due = { tenant, now: now() };
    const written = changes.length === 0 ? [] : [recordDequeue(tenant), ...changes];
    const results = await runBatch(db, [
      ...written,
      selectVectorState,
      selectNextDueTime(due),
      selectDueVectors(due),
      ...VECTOR_KINDS.map((kind) => selectSourceRows(tenant, kind, selectUnwrittenIds(due, kind))),
    ]);
    const [state, next, entries, ...rows] = results.slice(written.length);
    const byKind = Map.groupBy(
      (entries ?? []) as (QueuedVector & { kind: VectorKind })[],
      ({ kind }) => kind,
    );
    return {
      state: toVectorState(state?.[0]),
      entries: toRecord((kind) => byKind.get(kind) ?? []),
      rows: toRecord((_, i) => rows[i] ?? []) as SourceRows,
      nextDue: (next as { due: number | null }[] | undefined)?.[0]?.due ?? null,
    };
  }

  /** Indexes the entries of each kind, memories first: they come before a long conversation. */
  async #indexPage({ entries, rows }: BacklogPage, until: number): Promise<Outcome> {
    const changes: SQL[] = [];
    for (const kind of VECTOR_KINDS) {
      const due = entries[kind];
      if (due.length === 0) continue;
      const through = Math.max(...due.map(({ seq }) => seq));
      const [written, unwritten] = partition(due, ({ visible_after }) => visible_after !== null);
      changes.push(...(await this.#confirmVisibility(kind, written)));
      if (unwritten.length === 0) continue;
      const outcome = await this.#tryIndex({ kind, entries: unwritten, through, rows }, until);
      changes.push(...outcome.changes);
      if (outcome.progress === "stop") return { progress: "stop", changes };
    }
    return { progress: "continue", changes };
  }

  /** Indexes a rejected group entry by entry, so that one text that cannot be embedded does not block the others. */
  async #tryIndex(group: Group, until: number): Promise<Outcome> {
    const { now } = this.#options;
    const startedAt = now();
    const { kind } = group;
    const ids = listIds(group.entries);
    try {
      const changes = await this.#index(group);
      this.#report({ event: "vectors.indexed", kind, count: ids.length }, startedAt);
      return { progress: "continue", changes };
    } catch (error) {
      const isRejected = error instanceof EmbedderError && !error.retryable;
      if (isRejected && ids.length > 1) return this.#indexIndividually(group, until);
      return {
        progress: isRejected ? "continue" : "stop",
        changes: [this.#postpone(group, error, startedAt)],
      };
    }
  }

  async #indexIndividually(group: Group, until: number): Promise<Outcome> {
    const changes: SQL[] = [];
    for (const entries of Map.groupBy(group.entries, ({ id }) => id).values()) {
      if (this.#options.now() >= until) return { progress: "stop", changes };
      const outcome = await this.#tryIndex({ ...group, entries }, until);
      changes.push(...outcome.changes);
      if (outcome.progress === "stop") return { progress: "stop", changes };
    }
    return { progress: "continue", changes };
  }

  #postpone({ kind, entries }: Group, error: unknown, startedAt: number): SQL {
    const { tenant, now } = this.#options;
    const attempts = Math.max(...entries.map((entry) => entry.attempts)) + 1;
    const delayMs = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (attempts - 1));
    // Entries that fail together repeatedly are spread out: one failing text must not block the others.
    const spreadMs = attempts > 2 ? delayMs : 0;
    console.error(JSON.stringify({ event: "vectors.error", ...describeDefect(error) }));
    this.#report({ event: "vectors.failed", kind, attempts, waiting: listIds(entries).length }, startedAt);
    return postponeVectors(tenant, kind, entries, { dueAt: now() + delayMs, failed: true, spreadMs });
  }

  #report(
    event:
      | { event: "vectors.indexed"; kind: VectorKind; count: number }
      | { event: "vectors.failed"; kind: VectorKind; attempts: number; waiting: number },
    startedAt: number,
  ): void {
    const { tenant, telemetry, now } = this.#options;
    telemetry({ ...event, tenant, session_id: null, duration_ms: now() - startedAt });
  }

  /** Brings the index to the state of the rows that were read. Returns the changes of the backlog that follow from it. */
  async #index({ kind, entries, through, rows }: Group): Promise<SQL[]> {
    const { tenant, now } = this.#options;
    const records = await this.#embedRecords(kind, listIds(entries), rows);
    const existing = new Set(records.map(({ id }) => id));
    const [stored, deleted] = partition(entries, ({ id }) => existing.has(id));
    // An id that was removed while it was being embedded is in the backlog again, or will be.
    const wanted = records.filter(({ id }) => !this.#removed.has(id));
    const writing = this.#write(kind, wanted, listIds(deleted));
    this.#writing = writing;
    const visibleAfter = await writing;
    const settled = listIds(visibleAfter === null ? entries : deleted);
    return [
      ...(settled.length === 0 ? [] : [dequeueIds(tenant, kind, { ids: settled, through })]),
      ...(visibleAfter === null || stored.length === 0
        ? []
        : [
            postponeVectors(tenant, kind, stored, {
              dueAt: now() + VISIBILITY_CHECK_MS,
              failed: false,
              visibleAfter,
            }),
          ]),
    ];
  }

  async #write(kind: VectorKind, records: readonly VectorRecord[], deletedIds: readonly string[]) {
    const { index } = this.#options;
    if (deletedIds.length > 0) await index.remove(kind, deletedIds);
    return records.length === 0 ? null : (await index.upsert(kind, records)).visibleAfter;
  }

  /** Keeps entries in the backlog until an eventually consistent index shows them. */
  async #confirmVisibility(kind: VectorKind, written: readonly QueuedVector[]): Promise<SQL[]> {
    const { tenant, now } = this.#options;
    const changes: SQL[] = [];
    for (const [visibleAfter, entries] of Map.groupBy(written, (entry) => entry.visible_after)) {
      if (visibleAfter === null) continue;
      // Vectorize may never confirm the last write of an idle tenant; after enough checks it is visible all the same.
      const checks = Math.max(...entries.map(({ attempts }) => attempts));
      const isVisible = checks >= MAX_VISIBILITY_CHECKS || (await this.#isVisible(visibleAfter));
      const dueAt = now() + VISIBILITY_CHECK_MS * 2 ** checks;
      changes.push(
        isVisible
          ? dequeueEntries(tenant, kind, entries)
          : postponeVectors(tenant, kind, entries, { dueAt, failed: true }),
      );
    }
    return changes;
  }

  /** Returns false when the index fails: the entries are checked again later, and new ones are not delayed. */
  #isVisible(visibleAfter: string): Promise<boolean> {
    return this.#options.index.isVisible(visibleAfter).catch((error: unknown) => {
      console.error(JSON.stringify({ event: "vectors.error", ...describeDefect(error) }));
      return false;
    });
  }
}

function hasEntries({ entries }: BacklogPage): boolean {
  return VECTOR_KINDS.some((kind) => entries[kind].length > 0);
}

function toRecord<T>(read: (kind: VectorKind, position: number) => T): Record<VectorKind, T> {
  return Object.fromEntries(VECTOR_KINDS.map((kind, i) => [kind, read(kind, i)])) as Record<VectorKind, T>;
}

/** Returns the ids of entries, each once. */
function listIds(entries: readonly QueuedVector[]): string[] {
  return [...new Set(entries.map(({ id }) => id))];
}

function partition<T>(items: readonly T[], test: (item: T) => boolean): [T[], T[]] {
  const groups = Map.groupBy(items, test);
  return [groups.get(true) ?? [], groups.get(false) ?? []];
}
