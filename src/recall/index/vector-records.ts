// Builds the reads of rows behind the vectors, and embeds the rows as vector records. A message is embedded once, as "Speaker: text", and its vector
// is then smoothed with those of its neighbours in the session.

import { type SQL, sql } from "drizzle-orm";
import type { EpisodeRow } from "../../experience/episodes/episode-mapping";
import { hash64 } from "../../kernel/hash";
import type { VectorKind } from "../../kernel/tables";
import {
  findNeighbour,
  indexByPosition,
  listDistances,
  smoothVector,
  VECTOR_REACH,
} from "../../language/message-neighbourhood";
import { cosineSimilarity } from "../../language/similarity";
import { selectContextOfVector } from "../../memories/store/memory-entry";
import { computeScopeToken, computeScopeTokens } from "../../memories/store/memory-id";
import type { MemoryRow } from "../../memories/store/memory-mapping";
import type { Embedder } from "../../models/embedders/embedder";
import type { MessageRow } from "../../sessions/message-repository";
import type { ItemRow } from "../search/item-repository";
import { readOwnVector } from "../vectors/quantise";
import type { VectorRecord } from "../vectors/vector-index";

/** Vectors of recent messages that an indexer caches, 2 KB each. */
const CACHED_MESSAGE_VECTORS = 500;

type RecordSource = { tenant: string; embedder: Embedder };

type ContextualMemory = MemoryRow & { context: string | null };
type IndexedItem = ItemRow & { vector_id: string };

/** The rows of each kind, as `selectSourceRows` reads them. Messages include their neighbours. */
export type SourceRows = {
  memory: readonly ContextualMemory[];
  episode: readonly EpisodeRow[];
  item: readonly IndexedItem[];
  message: readonly MessageRow[];
};

/** Builds a SELECT of the rows behind the ids in the vector index that `which` selects. */
export function selectSourceRows(tenant: string, kind: VectorKind, which: SQL): SQL {
  switch (kind) {
    case "memory":
      return sql`SELECT m.*, ${selectContextOfVector(tenant)} AS context FROM memories m
        WHERE m.tenant = ${tenant} AND m.id IN (${which})`;
    case "episode":
      // Archived episodes have no vectors: no search returns them.
      return sql`SELECT * FROM episodes WHERE tenant = ${tenant} AND live = 1 AND vector_id IN (${which})`;
    case "item":
      return sql`SELECT * FROM items WHERE tenant = ${tenant} AND vector_id IN (${which})`;
    case "message":
      return sql`SELECT DISTINCT n.* FROM (${which}) j CROSS JOIN messages m ON m.tenant = ${tenant} AND m.vector_id = j.id
        CROSS JOIN messages n ON n.tenant = ${tenant} AND n.session_id = m.session_id
          AND n.position BETWEEN m.position - ${VECTOR_REACH} AND m.position + ${VECTOR_REACH}`;
  }
}

/** Returns the vector records of the given ids, without those that have no row or that the embedder cannot read. */
export type RecordEmbedder = (
  kind: VectorKind,
  ids: readonly string[],
  rows: SourceRows,
) => Promise<VectorRecord[]>;

export function createRecordEmbedder({ tenant, embedder }: RecordSource): RecordEmbedder {
  const embedMessages = createMessageEmbedder(embedder);
  return (kind, ids, rows) => {
    const wanted = new Set(ids);
    const source = { tenant, embedder };
    switch (kind) {
      case "memory":
        return embedMemories(
          source,
          rows.memory.filter(({ id }) => wanted.has(id)),
        );
      case "episode":
        return embedEpisodes(
          source,
          rows.episode.filter(({ vector_id }) => wanted.has(vector_id)),
        );
      case "item":
        return embedItems(
          source,
          rows.item.filter(({ vector_id }) => wanted.has(vector_id)),
        );
      case "message":
        return embedMessageRows(source, rows.message, wanted, embedMessages);
    }
  };
}

async function embedMemories(
  { tenant, embedder }: RecordSource,
  rows: readonly ContextualMemory[],
): Promise<VectorRecord[]> {
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
    isShared: row.id !== row.identity,
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

async function embedEpisodes(
  { tenant, embedder }: RecordSource,
  rows: readonly EpisodeRow[],
): Promise<VectorRecord[]> {
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

async function embedItems(
  { tenant, embedder }: RecordSource,
  rows: readonly IndexedItem[],
): Promise<VectorRecord[]> {
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

async function embedMessageRows(
  { tenant, embedder }: RecordSource,
  rows: readonly MessageRow[],
  wanted: ReadonlySet<string>,
  embedMessages: MessageEmbedder,
): Promise<VectorRecord[]> {
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
