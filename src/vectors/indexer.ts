// Brings the vector index to the state of the long-term store: takes what changed off the list, embeds it, and puts
// it in or takes it out. Every step can be repeated, and dies without harm: the list shrinks only after the index.
import { sql } from "drizzle-orm";
import type { Embedder } from "../embedding/embedder";
import { describeDefect } from "../errors";
import { INDEXING } from "../limits";
import { type Database, readAll } from "../long-term/database";
import type { MessageRow } from "../long-term/messages";
import { type MemoryRow, scopesOf } from "../long-term/rows";
import {
  dequeueVectors,
  dueVectors,
  idList,
  postponeVectors,
  type Queued,
  queueState,
} from "../long-term/vector-queue";
import { claimVectorState, sameModel } from "../long-term/vector-state";
import type { Telemetry } from "../telemetry/telemetry";
import { createMessageVectors, type MessageVectors } from "./message-vectors";
import type { VectorIndex, VectorKind, VectorRecord } from "./vector-index";

export type IndexerOptions = {
  db: Database;
  tenant: string;
  embedder: Embedder;
  index: VectorIndex;
  telemetry: Telemetry;
  now: () => number;
};

const KINDS: readonly VectorKind[] = ["memory", "message"];

export class Indexer {
  readonly #options: IndexerOptions;
  readonly #messageVectors: MessageVectors;

  constructor(options: IndexerOptions) {
    this.#options = options;
    this.#messageVectors = createMessageVectors(options.embedder);
  }

  /** Works until nothing is due or the time is up. Gives when to come back; null when nothing is left. */
  async run(until: number): Promise<number | null> {
    const { db, tenant, embedder, now } = this.#options;
    // Vectors of another embedder are there: until everything is embedded anew, the list only grows.
    if (!sameModel(await claimVectorState(db, embedder), embedder)) return null;
    for (const kind of KINDS) {
      while (now() < until && (await this.#page(kind)));
    }
    const { next } = await queueState(db, tenant);
    return next === null ? null : Math.max(next, now());
  }

  /** One page of the list; false when nothing is due. */
  async #page(kind: VectorKind): Promise<boolean> {
    const { db, tenant, now } = this.#options;
    const due = await dueVectors(db, tenant, kind, { now: now(), limit: INDEXING.page });
    const [sent, fresh] = partition(due, ({ visible_after }) => visible_after !== null);
    await this.#confirm(sent);
    // What failed before goes alone, so that one text that nothing can embed holds up no other.
    const [tried, first] = partition(fresh, ({ attempts }) => attempts > 0);
    for (const group of [first, ...tried.map((entry) => [entry])]) await this.#attempt(kind, group);
    return due.length > 0;
  }

  async #attempt(kind: VectorKind, group: readonly Queued[]): Promise<void> {
    if (group.length === 0) return;
    const { db, tenant, telemetry, now } = this.#options;
    const started = now();
    try {
      await this.#bring(kind, group);
    } catch (error) {
      const attempts = Math.max(...group.map((entry) => entry.attempts)) + 1;
      const wait = Math.min(INDEXING.retryLastMs, INDEXING.retryFirstMs * 2 ** (attempts - 1));
      await postponeVectors(db, group, { dueAt: now() + wait, failed: true });
      console.error(JSON.stringify({ event: "vectors.error", ...describeDefect(error) }));
      telemetry({
        event: "vectors.failed",
        tenant,
        session_id: null,
        duration_ms: now() - started,
        kind,
        attempts,
        waiting: group.length,
      });
      return;
    }
    telemetry({
      event: "vectors.indexed",
      tenant,
      session_id: null,
      duration_ms: now() - started,
      kind,
      count: group.length,
    });
  }

  async #bring(kind: VectorKind, group: readonly Queued[]): Promise<void> {
    const { db, index, now } = this.#options;
    const ids = group.map(({ id }) => id);
    const records = await (kind === "memory" ? this.#memories(ids) : this.#messages(ids));
    const there = new Set(records.map(({ id }) => id));
    const [kept, gone] = partition(group, ({ id }) => there.has(id));
    if (gone.length > 0)
      await index.remove(
        kind,
        gone.map(({ id }) => id),
      );
    const { visibleAfter } =
      records.length === 0 ? { visibleAfter: null } : await index.upsert(kind, records);
    await dequeueVectors(db, visibleAfter === null ? group : gone);
    if (visibleAfter !== null)
      await postponeVectors(db, kept, { dueAt: now() + INDEXING.confirmMs, failed: false, visibleAfter });
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

  async #memories(ids: readonly string[]): Promise<VectorRecord[]> {
    const { db, tenant, embedder } = this.#options;
    const rows = await readAll<MemoryRow>(
      db,
      sql`SELECT * FROM memories WHERE tenant = ${tenant} AND id IN (${idList(ids)})`,
    );
    const vectors = await embedder.embed(
      rows.map(({ content }) => content),
      "document",
    );
    return rows.flatMap((row, i) => {
      const vector = vectors[i];
      if (vector === undefined) throw new Error("The embedder gave fewer vectors than texts");
      return [
        {
          id: row.id,
          vector,
          ...scopesOf(tenant, row),
          type: row.type,
          live: row.live === 1,
          timestamp: Date.parse(row.timestamp),
        },
      ];
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
