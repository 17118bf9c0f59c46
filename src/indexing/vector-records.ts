// Reads rows from D1 and embeds them as vector records. A message is embedded once, as "Speaker: text", and its vector
// is then smoothed with those of its neighbours in the session.
import { sql } from "drizzle-orm";
import {
  findNeighbour,
  indexByPosition,
  listDistances,
  smoothVector,
  VECTOR_REACH,
} from "../domain/short-term/message-neighbourhood";
import type { Embedder } from "../models/embedders/embedder";
import { type Database, readAll } from "../platform/d1";
import { hash64 } from "../platform/hash";
import type { EpisodeRow } from "../store/episodes/episode-mapping";
import type { ItemRow } from "../store/item-repository";
import { computeScopeToken, computeScopeTokens } from "../store/memories/memory-id";
import type { MemoryRow } from "../store/memories/memory-mapping";
import type { MessageRow } from "../store/sessions/message-repository";
import { selectContextOfVector } from "../store/text-index/memory-context";
import { selectIds } from "../store/vectors/vector-queue";
import { cosineSimilarity } from "../text/similarity";
import { readOwnVector } from "../vectors/own-vector";
import type { VectorKind, VectorRecord } from "../vectors/vector-index";

/** Vectors of recent messages that an indexer caches, 2 KB each. */
const CACHED_MESSAGE_VECTORS = 500;

export type RecordSource = { db: Database; tenant: string; embedder: Embedder };

/** Returns a function that embeds the rows with the given ids, without those that are gone or that the embedder cannot read. */
export function createRecordLoader(
  source: RecordSource,
): (kind: VectorKind, ids: readonly string[]) => Promise<VectorRecord[]> {
  const embedMessages = createMessageEmbedder(source.embedder);
  return (kind, ids) => {
    switch (kind) {
      case "memory":
        return loadMemories(source, ids);
      case "episode":
        return loadEpisodes(source, ids);
      case "item":
        return loadItems(source, ids);
      case "message":
        return loadMessages(source, ids, embedMessages);
    }
  };
}

async function loadMemories(
  { db, tenant, embedder }: RecordSource,
  ids: readonly string[],
): Promise<VectorRecord[]> {
  const rows = await readAll<MemoryRow & { context: string | null }>(
    db,
    sql`SELECT m.*, ${selectContextOfVector(tenant)} AS context FROM memories m
      WHERE m.tenant = ${tenant} AND m.id IN (${selectIds(ids)})`,
  );
  const embedded = await embedReadableRows(embedder, rows, ({ content }) => content);
  const contexts = await embedContexts(
    embedder,
    rows.flatMap(({ context }) => context || []),
  ).catch((error: unknown) => {
    // A memory that is retried alone is not blocked by a context that cannot be embedded.
    if (rows.length > 1) throw error;
    return new Map<string, Float32Array>();
  });
  return embedded.map(({ row, vector }) => ({
    id: row.id,
    vector: leanOnContext(embedder, vector, contexts.get(row.context ?? "")),
    ...computeScopeTokens(tenant, row),
    type: row.type,
    live: row.live === 1,
    timestamp: Date.parse(row.timestamp),
  }));
}

/** Returns the vectors of the contexts of memories; none if the embedder does not state when two texts are related. */
async function embedContexts(
  embedder: Embedder,
  contexts: readonly string[],
): Promise<ReadonlyMap<string, Float32Array>> {
  const texts = embedder.minRelatedCosine === 0 ? [] : [...new Set(contexts)];
  const embedded = texts.length === 0 ? [] : await embedReadableRows(embedder, texts, (text) => text);
  return new Map(embedded.map(({ row, vector }) => [row, vector]));
}

/**
 * Returns the vector of a memory, which leans on that of its context as a message's on that of its neighbour. A memory on
 * another subject keeps its own vector, since a session may jump between subjects.
 */
function leanOnContext(
  { minRelatedCosine }: Embedder,
  own: Float32Array,
  context: Float32Array | undefined,
): Float32Array {
  if (context === undefined || cosineSimilarity(own, context) < minRelatedCosine) return own;
  return smoothVector(own, [{ distance: -1, vector: context }]);
}

/** Archived episodes have no vectors: no search returns them. */
async function loadEpisodes(
  { db, tenant, embedder }: RecordSource,
  ids: readonly string[],
): Promise<VectorRecord[]> {
  const rows = await readAll<EpisodeRow>(
    db,
    sql`SELECT * FROM episodes WHERE tenant = ${tenant} AND live = 1 AND vector_id IN (${selectIds(ids)})`,
  );
  const embedded = await embedReadableRows(embedder, rows, ({ goal }) => goal);
  return embedded.map(({ row, vector }) => ({
    id: row.vector_id,
    vector,
    ...computeScopeTokens(tenant, { ...row, session_id: null }),
    type: row.outcome,
    live: true,
    timestamp: Date.parse(row.timestamp),
  }));
}

async function loadItems(
  { db, tenant, embedder }: RecordSource,
  ids: readonly string[],
): Promise<VectorRecord[]> {
  const rows = await readAll<ItemRow & { vector_id: string }>(
    db,
    sql`SELECT * FROM items WHERE tenant = ${tenant} AND vector_id IN (${selectIds(ids)})`,
  );
  const vectors = new Map(rows.map((row) => [row, readOwnVector(row, embedder)]));
  const others = rows.filter((row) => vectors.get(row) === null);
  for (const { row, vector } of await embedReadableRows(embedder, others, ({ text }) => text))
    vectors.set(row, vector);
  const embedded = [...vectors].flatMap(([row, vector]) => (vector === null ? [] : [{ row, vector }]));
  return embedded.map(({ row, vector }) => ({
    id: row.vector_id,
    vector,
    session: computeScopeToken(tenant, "collection", row.collection),
    user: null,
    agent: null,
    project: null,
    type: "",
    live: true,
    timestamp: Date.parse(row.updated_at),
  }));
}

async function loadMessages(
  { db, tenant, embedder }: RecordSource,
  ids: readonly string[],
  embedMessages: MessageEmbedder,
): Promise<VectorRecord[]> {
  const rows = await readAll<MessageRow>(
    db,
    sql`SELECT DISTINCT n.* FROM (${selectIds(ids)}) j CROSS JOIN messages m ON m.tenant = ${tenant} AND m.vector_id = j.id
      CROSS JOIN messages n ON n.tenant = ${tenant} AND n.session_id = m.session_id
        AND n.position BETWEEN m.position - ${VECTOR_REACH} AND m.position + ${VECTOR_REACH}`,
  );
  const wanted = new Set(ids);
  // The speaker's name says nothing about the script of the message.
  const readable = rows.filter(({ content }) => embedder.canRead(content));
  const embedded = await embedMessages(
    readable,
    readable.filter(({ vector_id }) => wanted.has(vector_id)),
  );
  return embedded.map(({ row, vector }) => ({
    id: row.vector_id,
    vector,
    ...computeScopeTokens(tenant, row),
    type: "",
    live: true,
    timestamp: Date.parse(row.timestamp),
  }));
}

type EmbeddedRow<Row> = { row: Row; vector: Float32Array };

function embedReadableRows<Row>(
  embedder: Embedder,
  rows: readonly Row[],
  getText: (row: Row) => string,
): Promise<EmbeddedRow<Row>[]> {
  return embedRows(
    embedder,
    rows.filter((row) => embedder.canRead(getText(row))),
    getText,
  );
}

async function embedRows<Row>(
  embedder: Embedder,
  rows: readonly Row[],
  getText: (row: Row) => string,
): Promise<EmbeddedRow<Row>[]> {
  const vectors = await embedder.embed(rows.map(getText), "document");
  return rows.map((row, i) => {
    const vector = vectors[i];
    if (vector === undefined) throw new Error("The embedder returned fewer vectors than texts");
    return { row, vector };
  });
}

/** Returns the text of a message that is embedded. */
export function formatMessage({
  name,
  role,
  content,
}: Pick<MessageRow, "name" | "role" | "content">): string {
  return `${name ?? role}: ${content}`;
}

/** Returns the vectors of `wanted`; `rows` contains them and all their readable neighbours. */
type MessageEmbedder = (
  rows: readonly MessageRow[],
  wanted: readonly MessageRow[],
) => Promise<EmbeddedRow<MessageRow>[]>;

/** Caches recent vectors: the next message of a conversation needs those of its neighbours again. */
function createMessageEmbedder(embedder: Embedder): MessageEmbedder {
  const cache = new Map<string, Float32Array>();
  /** Includes the text: an id is reused when a session is erased and started again. */
  const toCacheKey = (row: MessageRow) => `${row.vector_id} ${hash64(formatMessage(row))}`;

  async function embedAll(rows: readonly MessageRow[]): Promise<void> {
    const uncached = rows.filter((row) => !cache.has(toCacheKey(row)));
    for (const { row, vector } of await embedRows(embedder, uncached, formatMessage))
      cache.set(toCacheKey(row), vector);
  }

  /** Embeds a message that is retried alone: a neighbour that cannot be embedded does not block it. */
  async function embedIndividually(message: MessageRow, neighbours: readonly MessageRow[]): Promise<void> {
    await embedAll([message]);
    for (const other of neighbours) await embedAll([other]).catch(() => undefined);
  }

  return async (rows, wanted) => {
    const sessions = new Map(
      [...Map.groupBy(rows, ({ session_id }) => session_id)].map(([id, messages]) => [
        id,
        indexByPosition(messages),
      ]),
    );
    const listNeighbours = (row: MessageRow) =>
      listDistances(VECTOR_REACH).flatMap((distance) => {
        const other = findNeighbour(sessions.get(row.session_id) ?? new Map(), row, distance);
        return other === null ? [] : [{ distance, row: other }];
      });
    const neighbours = new Map(wanted.map((row) => [row, listNeighbours(row)]));
    const all = new Set(
      [...neighbours].flatMap(([row, others]) => [row, ...others.map((other) => other.row)]),
    );
    await embedAll([...all]).catch((error: unknown) => {
      const [only] = wanted;
      if (only === undefined || wanted.length > 1) throw error;
      return embedIndividually(only, [...all].slice(1));
    });
    const embedded = wanted.map((row) => {
      const own = cache.get(toCacheKey(row));
      if (own === undefined) throw new Error("A message was embedded and its vector is missing");
      const others = (neighbours.get(row) ?? []).flatMap((other) => {
        const vector = cache.get(toCacheKey(other.row));
        return vector === undefined ? [] : [{ distance: other.distance, vector }];
      });
      return { row, vector: smoothVector(own, others) };
    });
    for (const key of [...cache.keys()].slice(0, Math.max(0, cache.size - CACHED_MESSAGE_VECTORS)))
      cache.delete(key);
    return embedded;
  };
}
