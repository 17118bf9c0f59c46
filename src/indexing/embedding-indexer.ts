// Brings the vector index up to date with D1: takes due entries from the embedding backlog, embeds their rows, and
// upserts or removes their vectors. Every step is idempotent, and an entry leaves the backlog only after the index has
// been written, so that a crash at any point loses no work.
import { type Embedder, EmbedderError } from "../models/embedders/embedder";
import type { Database } from "../platform/d1";
import type { Bindings } from "../platform/env";
import { describeDefect } from "../platform/errors";
import { openTenantDatabase } from "../platform/shards/tenant-database";
import { createTelemetry, type Telemetry } from "../platform/telemetry";
import { MINUTE_MS, SECOND_MS } from "../platform/time";
import {
  countQueuedVectors,
  dequeueVectors,
  findNextDueTime,
  listDueVectors,
  postponeVectors,
  type QueuedVector,
  VECTOR_PAGE_SIZE,
} from "../store/vectors/vector-queue";
import { claimVectorState, readVectorState } from "../store/vectors/vector-state";
import { createSemanticServices, openVectorIndex } from "../vectors/semantic-services";
import {
  isSameModel,
  VECTOR_KINDS,
  type VectorIndex,
  type VectorKind,
  type VectorRecord,
} from "../vectors/vector-index";
import { createRecordLoader } from "./vector-records";

/** The delay from a write to its indexing: a burst of writes shares one run. */
export const WAKE_DELAY_MS = 20;

/** The time limit of one run, below the platform's limits; the next alarm continues. */
const MAX_RUN_MS = 20 * SECOND_MS;

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
      .then(() => this.#open(tenant)?.run(this.#now() + MAX_RUN_MS) ?? null);
    return this.#running;
  }

  countBacklog(tenant: string): Promise<number> {
    return countQueuedVectors(openTenantDatabase(this.#env, tenant), tenant);
  }

  /** Removes vectors from the index that stores them, which may be that of an earlier embedder. */
  async remove(tenant: string, kind: VectorKind, ids: readonly string[]): Promise<number> {
    const state = await readVectorState(openTenantDatabase(this.#env, tenant));
    if (state === null) return 0;
    const index = openVectorIndex(this.#env, tenant, state);
    return this.#open(tenant)?.remove(index, kind, ids) ?? index.remove(kind, ids);
  }

  /** Removes all vectors of the tenant, after the run in progress. */
  async clear(tenant: string): Promise<void> {
    await this.#running.catch(() => null);
    const state = await readVectorState(openTenantDatabase(this.#env, tenant));
    if (state !== null) await openVectorIndex(this.#env, tenant, state).clear();
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

export type IndexerOptions = {
  db: Database;
  tenant: string;
  embedder: Embedder;
  index: VectorIndex;
  telemetry: Telemetry;
  now: () => number;
};

/** Whether the run can continue after a group of entries. */
type Progress = "continue" | "stop";

export class EmbeddingIndexer {
  readonly #options: IndexerOptions;
  readonly #loadRecords: ReturnType<typeof createRecordLoader>;
  /** The index write in flight. */
  #writing: Promise<unknown> = Promise.resolve();
  /** Ids removed while a page is being embedded: the page must not insert them again. */
  readonly #removed = new Set<string>();

  constructor(options: IndexerOptions) {
    this.#options = options;
    this.#loadRecords = createRecordLoader(options);
  }

  /**
   * Runs until no entry is due, the time is up, or a service fails. Returns the time of the next run, null when the
   * backlog is empty.
   */
  async run(until: number): Promise<number | null> {
    const { db, tenant, embedder, index, now } = this.#options;
    const model = { name: embedder.name, dimensions: embedder.dimensions, index: index.name };
    // Vectors of another model exist: the backlog only grows until everything is re-embedded.
    if (!isSameModel(await claimVectorState(db, model), model)) return null;
    while (now() < until && (await this.#indexNextPage(until)));
    const next = await findNextDueTime(db, tenant);
    return next === null ? null : Math.max(next, now());
  }

  /** Removes vectors and returns their number, without waiting for a page that is being embedded. */
  async remove(index: VectorIndex, kind: VectorKind, ids: readonly string[]): Promise<number> {
    for (const id of ids) this.#removed.add(id);
    await this.#writing.catch(() => null);
    return index.remove(kind, ids);
  }

  /** Indexes a page of the first kind that has one: memories come before a long conversation. */
  async #indexNextPage(until: number): Promise<boolean> {
    for (const kind of VECTOR_KINDS) if (await this.#indexPage(kind, until)) return true;
    return false;
  }

  /** Returns false when no entry is due or the run must stop. */
  async #indexPage(kind: VectorKind, until: number): Promise<boolean> {
    const { db, tenant, now } = this.#options;
    this.#removed.clear();
    const due = await listDueVectors(db, tenant, kind, { now: now(), limit: VECTOR_PAGE_SIZE });
    if (due.length === 0) return false;
    const [written, unwritten] = partition(due, ({ visible_after }) => visible_after !== null);
    await this.#confirmVisibility(written);
    return unwritten.length === 0 || (await this.#tryIndex(kind, unwritten, until)) === "continue";
  }

  /** Indexes a rejected group entry by entry, so that one text that cannot be embedded does not block the others. */
  async #tryIndex(kind: VectorKind, group: readonly QueuedVector[], until: number): Promise<Progress> {
    const { now } = this.#options;
    const startedAt = now();
    try {
      await this.#index(kind, group);
      this.#report({ event: "vectors.indexed", kind, count: group.length }, startedAt);
      return "continue";
    } catch (error) {
      const isRejected = error instanceof EmbedderError && !error.retryable;
      if (isRejected && group.length > 1) {
        for (const entry of group) {
          if (now() >= until || (await this.#tryIndex(kind, [entry], until)) === "stop") return "stop";
        }
        return "continue";
      }
      await this.#postpone(kind, group, error, startedAt);
      return isRejected ? "continue" : "stop";
    }
  }

  async #postpone(
    kind: VectorKind,
    group: readonly QueuedVector[],
    error: unknown,
    startedAt: number,
  ): Promise<void> {
    const { db, now } = this.#options;
    const attempts = Math.max(...group.map((entry) => entry.attempts)) + 1;
    const delayMs = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (attempts - 1));
    // Entries that fail together repeatedly are spread out: one failing text must not block the others.
    const spreadMs = attempts > 2 ? delayMs : 0;
    await postponeVectors(db, group, { dueAt: now() + delayMs, failed: true, spreadMs });
    console.error(JSON.stringify({ event: "vectors.error", ...describeDefect(error) }));
    this.#report({ event: "vectors.failed", kind, attempts, waiting: group.length }, startedAt);
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

  async #index(kind: VectorKind, group: readonly QueuedVector[]): Promise<void> {
    const { db, now } = this.#options;
    const records = await this.#loadRecords(
      kind,
      group.map(({ id }) => id),
    );
    const existing = new Set(records.map(({ id }) => id));
    const [stored, deleted] = partition(group, ({ id }) => existing.has(id));
    // An id that was removed while it was being embedded is in the backlog again, or will be.
    const wanted = records.filter(({ id }) => !this.#removed.has(id));
    const writing = this.#write(
      kind,
      wanted,
      deleted.map(({ id }) => id),
    );
    this.#writing = writing;
    const visibleAfter = await writing;
    await dequeueVectors(db, visibleAfter === null ? group : deleted);
    if (visibleAfter !== null)
      await postponeVectors(db, stored, { dueAt: now() + VISIBILITY_CHECK_MS, failed: false, visibleAfter });
  }

  async #write(kind: VectorKind, records: readonly VectorRecord[], deletedIds: readonly string[]) {
    const { index } = this.#options;
    if (deletedIds.length > 0) await index.remove(kind, deletedIds);
    return records.length === 0 ? null : (await index.upsert(kind, records)).visibleAfter;
  }

  /** Keeps entries in the backlog until an eventually consistent index shows them. */
  async #confirmVisibility(written: readonly QueuedVector[]): Promise<void> {
    const { db, now } = this.#options;
    for (const [visibleAfter, entries] of Map.groupBy(written, (entry) => entry.visible_after)) {
      if (visibleAfter === null) continue;
      // Vectorize may never confirm the last write of an idle tenant; after enough checks it is visible all the same.
      const checks = Math.max(...entries.map(({ attempts }) => attempts));
      if (checks >= MAX_VISIBILITY_CHECKS || (await this.#isVisible(visibleAfter)))
        await dequeueVectors(db, entries);
      else
        await postponeVectors(db, entries, {
          dueAt: now() + VISIBILITY_CHECK_MS * 2 ** checks,
          failed: true,
        });
    }
  }

  /** Returns false when the index fails: the entries are checked again later, and new ones are not delayed. */
  #isVisible(visibleAfter: string): Promise<boolean> {
    return this.#options.index.isVisible(visibleAfter).catch((error: unknown) => {
      console.error(JSON.stringify({ event: "vectors.error", ...describeDefect(error) }));
      return false;
    });
  }
}

function partition<T>(items: readonly T[], test: (item: T) => boolean): [T[], T[]] {
  const groups = Map.groupBy(items, test);
  return [groups.get(true) ?? [], groups.get(false) ?? []];
}
