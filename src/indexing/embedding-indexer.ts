// Brings the vector index to the state of the long-term store: takes what changed off the list, embeds it, and puts
// it in or takes it out. Every step can be repeated, and dies without harm: the list shrinks only after the index.
import { sql } from "drizzle-orm";
import { INDEXING } from "../limits";
import { type Embedder, EmbedderError } from "../models/embedders/embedder";
import { type Database, readAll } from "../platform/d1";
import { describeDefect } from "../platform/errors";
import type { Telemetry } from "../platform/telemetry";
import type { EpisodeRow } from "../store/episodes/episode-queries";
import type { ItemRow } from "../store/items/item-repository";
import { type MemoryRow, scopesOf, scopeToken } from "../store/memories/memory-rows";
import type { MessageRow } from "../store/sessions/message-copies";
import {
  dequeueVectors,
  dueVectors,
  idList,
  nextDue,
  postponeVectors,
  type Queued,
} from "../store/vectors/vector-queue";
import { claimVectorState } from "../store/vectors/vector-state";
import {
  isSameModel,
  VECTOR_KINDS,
  type VectorIndex,
  type VectorKind,
  type VectorRecord,
} from "../vectors/vector-index";
import { createMessageVectors, type MessageVectors } from "./message-vectors";

export type IndexerOptions = {
  db: Database;
  tenant: string;
  embedder: Embedder;
  index: VectorIndex;
  telemetry: Telemetry;
  now: () => number;
};

/** What became of a group: stopped means that nothing more can be done now. */
type Outcome = "done" | "stopped";

export class Indexer {
  readonly #options: IndexerOptions;
  readonly #messageVectors: MessageVectors;
  /** The write to the index that is under way. */
  #writing: Promise<unknown> = Promise.resolve();
  /** What was taken out while a page was being embedded: it must not be put in after that. */
  readonly #removed = new Set<string>();

  constructor(options: IndexerOptions) {
    this.#options = options;
    this.#messageVectors = createMessageVectors(options.embedder);
  }

  /** Works until nothing is due, the time is up, or a service fails. Gives when to come back; null when all is done. */
  async run(until: number): Promise<number | null> {
    const { db, tenant, embedder, index, now } = this.#options;
    const { name, dimensions } = embedder;
    // Vectors of another embedder are there: until everything is embedded anew, the list only grows.
    const state = await claimVectorState(db, { name, dimensions, index: index.name });
    if (!isSameModel(state, { name, dimensions, index: index.name })) return null;
    while (now() < until && (await this.#next(until)));
    const next = await nextDue(db, tenant);
    return next === null ? null : Math.max(next, now());
  }

  /** Takes vectors out and counts them, without waiting for what is being embedded. */
  async remove(index: VectorIndex, kind: VectorKind, ids: readonly string[]): Promise<number> {
    for (const id of ids) this.#removed.add(id);
    await this.#writing.catch(() => null);
    return index.remove(kind, ids);
  }

  /** A page of the first kind that has one: memories first, so that a long conversation does not keep them waiting. */
  async #next(until: number): Promise<boolean> {
    for (const kind of VECTOR_KINDS) if (await this.#page(kind, until)) return true;
    return false;
  }

  /** One page of the list; false when nothing is due, or nothing can be done. */
  async #page(kind: VectorKind, until: number): Promise<boolean> {
    const { db, tenant, now } = this.#options;
    this.#removed.clear();
    const due = await dueVectors(db, tenant, kind, { now: now(), limit: INDEXING.page });
    if (due.length === 0) return false;
    const [sent, fresh] = partition(due, ({ visible_after }) => visible_after !== null);
    await this.#confirm(sent);
    return fresh.length === 0 || (await this.#attempt(kind, fresh, until)) === "done";
  }

  /** A group that is refused is tried one by one, so that a text that nothing can embed holds up no other. */
  async #attempt(kind: VectorKind, group: readonly Queued[], until: number): Promise<Outcome> {
    const { now } = this.#options;
    const started = now();
    try {
      await this.#bring(kind, group);
      this.#report({ event: "vectors.indexed", kind, count: group.length }, started);
      return "done";
    } catch (error) {
      const refused = error instanceof EmbedderError && !error.retryable;
      if (refused && group.length > 1) {
        for (const entry of group) {
          if (now() >= until || (await this.#attempt(kind, [entry], until)) === "stopped") return "stopped";
        }
        return "done";
      }
      await this.#postpone(kind, group, error, started);
      return refused ? "done" : "stopped";
    }
  }

  async #postpone(
    kind: VectorKind,
    group: readonly Queued[],
    error: unknown,
    started: number,
  ): Promise<void> {
    const { db, now } = this.#options;
    const attempts = Math.max(...group.map((entry) => entry.attempts)) + 1;
    const wait = Math.min(INDEXING.retryLastMs, INDEXING.retryFirstMs * 2 ** (attempts - 1));
    // What fails together again and again comes back apart: one text that always fails must not take the others along.
    const spreadMs = attempts > 2 ? wait : 0;
    await postponeVectors(db, group, { dueAt: now() + wait, failed: true, spreadMs });
    console.error(JSON.stringify({ event: "vectors.error", ...describeDefect(error) }));
    this.#report({ event: "vectors.failed", kind, attempts, waiting: group.length }, started);
  }

  #report(
    event:
      | { event: "vectors.indexed"; kind: VectorKind; count: number }
      | { event: "vectors.failed"; kind: VectorKind; attempts: number; waiting: number },
    started: number,
  ): void {
    const { tenant, telemetry, now } = this.#options;
    telemetry({ ...event, tenant, session_id: null, duration_ms: now() - started });
  }

  async #bring(kind: VectorKind, group: readonly Queued[]): Promise<void> {
    const { db, now } = this.#options;
    const ids = group.map(({ id }) => id);
    const records = await this.#records(kind, ids);
    const there = new Set(records.map(({ id }) => id));
    const [kept, gone] = partition(group, ({ id }) => there.has(id));
    // Whatever was taken out while it was embedded is on the list again, or will be.
    const wanted = records.filter(({ id }) => !this.#removed.has(id));
    const writing = this.#write(
      kind,
      wanted,
      gone.map(({ id }) => id),
    );
    this.#writing = writing;
    const visibleAfter = await writing;
    await dequeueVectors(db, visibleAfter === null ? group : gone);
    if (visibleAfter !== null)
      await postponeVectors(db, kept, { dueAt: now() + INDEXING.confirmMs, failed: false, visibleAfter });
  }

  async #write(kind: VectorKind, records: readonly VectorRecord[], gone: readonly string[]) {
    const { index } = this.#options;
    if (gone.length > 0) await index.remove(kind, gone);
    return records.length === 0 ? null : (await index.upsert(kind, records)).visibleAfter;
  }

  /** What an index that lags behind has taken stays on the list until it shows it. */
  async #confirm(sent: readonly Queued[]): Promise<void> {
    const { db, now } = this.#options;
    for (const [visibleAfter, entries] of Map.groupBy(sent, (entry) => entry.visible_after)) {
      if (visibleAfter === null) continue;
      // An index may never say so of the last write of a quiet tenant. In the end it is there all the same.
      const asked = Math.max(...entries.map(({ attempts }) => attempts));
      if (asked >= INDEXING.confirmAttempts || (await this.#shows(visibleAfter)))
        await dequeueVectors(db, entries);
      else
        await postponeVectors(db, entries, { dueAt: now() + INDEXING.confirmMs * 2 ** asked, failed: true });
    }
  }

  /** An index that cannot say is asked again later, and holds up nothing that is new. */
  #shows(visibleAfter: string): Promise<boolean> {
    return this.#options.index.isVisible(visibleAfter).catch((error: unknown) => {
      console.error(JSON.stringify({ event: "vectors.error", ...describeDefect(error) }));
      return false;
    });
  }

  #records(kind: VectorKind, ids: readonly string[]): Promise<VectorRecord[]> {
    if (kind === "memory") return this.#memories(ids);
    if (kind === "episode") return this.#episodes(ids);
    return kind === "item" ? this.#items(ids) : this.#messages(ids);
  }

  async #memories(ids: readonly string[]): Promise<VectorRecord[]> {
    const { db, tenant } = this.#options;
    const rows = await readAll<MemoryRow>(
      db,
      sql`SELECT * FROM memories WHERE tenant = ${tenant} AND id IN (${idList(ids)})`,
    );
    const embedded = await this.#embed(rows, ({ content }) => content);
    return embedded.map(({ row, vector }) => ({
      id: row.id,
      vector,
      ...scopesOf(tenant, row),
      type: row.type,
      live: row.live === 1,
      timestamp: Date.parse(row.timestamp),
    }));
  }

  /** What is archived is found no more: it has no vector. */
  async #episodes(ids: readonly string[]): Promise<VectorRecord[]> {
    const { db, tenant } = this.#options;
    const rows = await readAll<EpisodeRow>(
      db,
      sql`SELECT * FROM episodes WHERE tenant = ${tenant} AND live = 1 AND vector_id IN (${idList(ids)})`,
    );
    const embedded = await this.#embed(rows, ({ goal }) => goal);
    return embedded.map(({ row, vector }) => ({
      id: row.vector_id,
      vector,
      ...scopesOf(tenant, { ...row, session_id: null }),
      type: row.outcome,
      live: true,
      timestamp: Date.parse(row.timestamp),
    }));
  }

  async #items(ids: readonly string[]): Promise<VectorRecord[]> {
    const { db, tenant } = this.#options;
    const rows = await readAll<ItemRow & { vector_id: string }>(
      db,
      sql`SELECT * FROM items WHERE tenant = ${tenant} AND vector_id IN (${idList(ids)})`,
    );
    const embedded = await this.#embed(rows, ({ text }) => text);
    return embedded.map(({ row, vector }) => ({
      id: row.vector_id,
      vector,
      session: scopeToken(tenant, "collection", row.collection),
      agent: null,
      project: null,
      type: "",
      live: true,
      timestamp: Date.parse(row.updated_at),
    }));
  }

  async #embed<Row>(
    rows: readonly Row[],
    textOf: (row: Row) => string,
  ): Promise<{ row: Row; vector: Float32Array }[]> {
    const vectors = await this.#options.embedder.embed(rows.map(textOf), "document");
    return rows.map((row, i) => {
      const vector = vectors[i];
      if (vector === undefined) throw new Error("The embedder gave fewer vectors than texts");
      return { row, vector };
    });
  }

  async #messages(ids: readonly string[]): Promise<VectorRecord[]> {
    const { db, tenant } = this.#options;
    const { reach } = this.#messageVectors;
    const rows = await readAll<MessageRow>(
      db,
      sql`SELECT DISTINCT n.* FROM (${idList(ids)}) j CROSS JOIN messages m ON m.tenant = ${tenant} AND m.vector_id = j.id
        CROSS JOIN messages n ON n.tenant = ${tenant} AND n.session_id = m.session_id
          AND n.position BETWEEN m.position - ${reach} AND m.position + ${reach}`,
    );
    const wanted = new Set(ids);
    const vectors = await this.#messageVectors.of(
      rows,
      rows.filter(({ vector_id }) => wanted.has(vector_id)),
    );
    return vectors.map(({ row, vector }) => ({
      id: row.vector_id,
      vector,
      ...scopesOf(tenant, row),
      type: "",
      live: true,
      timestamp: Date.parse(row.timestamp),
    }));
  }
}

function partition<T>(items: readonly T[], test: (item: T) => boolean): [T[], T[]] {
  const groups = Map.groupBy(items, test);
  return [groups.get(true) ?? [], groups.get(false) ?? []];
}
