// Semantic search of a collection's items: the matches of the vector index, the unindexed items, and a text search
// where vectors are missing. Providers answer asynchronously: completeness matters more than speed.
import { sql } from "drizzle-orm";
import type { ProviderQuery } from "../../cognition/runtime/thread-schemas";
import { type Database, runBatch } from "../../kernel/databases/d1";
import { describeDefect, failure } from "../../kernel/errors";
import { LIMITS } from "../../kernel/limits";
import { cosineSimilarity } from "../../language/similarity";
import { computeScopeToken } from "../../memories/store/memory-id";
import { EmbedderError } from "../../models/embedders/embedder";
import type { Indexing } from "../index/indexing";
import { selectVectorState, toVectorState, type VectorState } from "../index/vector-state";
import { readOwnVector } from "../vectors/quantise";
import type { SemanticServices } from "../vectors/semantic-services";
import { type Collection, findScoredItems, type ItemMatch, searchItemText } from "./item-repository";
import { describeModelMismatch, selectUnindexedRows, type UnindexedRow } from "./semantic-search";

/** Unindexed items that a search embeds itself: several upserts of the maximum size. */
const MAX_INLINE_ITEMS = 500;

type ItemSearch = {
  db: Database;
  tenant: string;
  semantic: SemanticServices | null;
  indexing: Indexing;
  collection: Collection;
};

/** Throws if no embedder is configured. */
export function requireSemantic(semantic: SemanticServices | null): SemanticServices {
  if (semantic !== null) return semantic;
  throw failure(
    "not_configured",
    "The vector provider needs an embedder, and none is configured. Set EMBEDDER, or use the d1 provider for text.",
  );
}

export async function searchItems(search: ItemSearch, query: ProviderQuery): Promise<ItemMatch[]> {
  const { db, tenant, collection } = search;
  const semantic = requireSemantic(search.semantic);
  const { state, unindexed } = await readUnindexedItems(search, semantic);
  const canSearch = describeModelMismatch(state, semantic) === null && semantic.embedder.canRead(query.text);
  if (!canSearch) return searchItemText(db, tenant, collection, query);

  const vector = await embedQuery(semantic, query.text);
  const limit = Math.min(LIMITS.recallMatches, semantic.index.maxMatches);
  const filter = {
    scope: { kind: "session", token: computeScopeToken(tenant, "collection", collection.name) },
  } as const;
  const [matches, vectors] = await Promise.all([
    semantic.index.query("item", vector, { limit, filter }),
    embedUnindexedItems(semantic, unindexed),
  ]);
  const scores = new Map(matches.map(({ id, score }) => [id, score]));
  // Items in the backlog have changed: their vectors in the index are outdated.
  for (const { id } of unindexed) scores.delete(id);
  for (const [id, itemVector] of vectors) scores.set(id, cosineSimilarity(vector, itemVector));
  for (const [id, score] of scores) {
    if (score > 0) scores.set(id, Math.min(1, score));
    else scores.delete(id);
  }
  const semanticMatches = await findScoredItems(db, tenant, collection, scores, query.top_k);

  // Vectors of deleted items may have displaced others from the matches.
  const isDisplaced = matches.length === limit && semanticMatches.length < query.top_k;
  const isEmbedded = vectors.size === unindexed.length && unindexed.length < MAX_INLINE_ITEMS;
  const isComplete = state?.progress == null && isEmbedded && !isDisplaced;
  return isComplete
    ? semanticMatches
    : mergeMatches(semanticMatches, await searchItemText(db, tenant, collection, query), query.top_k);
}

type UnindexedItem = UnindexedRow & { text: string; embedding: string | null; embedder: string | null };

/** Reads the unindexed items of the collection. If there are many, the indexer drains its backlog first: its work is kept. */
async function readUnindexedItems(
  search: ItemSearch,
  semantic: SemanticServices,
): Promise<{ state: VectorState | null; unindexed: UnindexedItem[] }> {
  const first = await readBacklog(search);
  const unsent = first.unindexed.filter(({ failed, sent }) => failed === 0 && sent === 0);
  if (
    unsent.length <= semantic.embedder.maxInlineTexts ||
    describeModelMismatch(first.state, semantic) !== null
  )
    return first;
  await search.indexing.drain();
  return readBacklog(search);
}

async function readBacklog({ db, tenant, collection, semantic }: ItemSearch) {
  const [states, rows] = await runBatch(db, [
    selectVectorState,
    selectUnindexedRows(tenant, {
      kind: "item",
      table: sql.raw("items"),
      vectorId: "vector_id",
      columns: sql`m.text, m.embedding, m.embedder`,
      where: sql`m.collection = ${collection.name}`,
      limit: MAX_INLINE_ITEMS,
    }),
  ]);
  const unindexed = ((rows ?? []) as UnindexedItem[]).filter(
    ({ text, embedding }) => embedding !== null || semantic?.embedder.canRead(text),
  );
  return { state: toVectorState(states?.[0]), unindexed };
}

async function embedQuery({ embedder }: SemanticServices, text: string): Promise<Float32Array> {
  try {
    const [vector] = await embedder.embed([text], "query");
    if (vector === undefined) throw new EmbedderError("The embedder returned no vector.");
    return vector;
  } catch (error) {
    if (!(error instanceof EmbedderError) || error.retryable) throw error;
    throw failure(
      "unprocessable",
      "The embedder rejected the query. Rephrase it, or check the embedder's settings.",
    );
  }
}

/** Returns vectors by id, those that callers brought as they are. Rejected items are left to the text search; items that failed before are embedded apart. */
async function embedUnindexedItems(
  semantic: SemanticServices,
  unindexed: readonly UnindexedItem[],
): Promise<Map<string, Float32Array>> {
  const own = unindexed.flatMap((entry) => {
    const vector = readOwnVector(entry, semantic.embedder);
    return vector === null ? [] : [[entry.id, vector] as const];
  });
  const ownIds = new Set(own.map(([id]) => id));
  const { 0: untried = [], 1: failed = [] } = Object.groupBy(
    unindexed.filter(({ id }) => !ownIds.has(id)),
    (entry) => entry.failed,
  );
  const retried = embedEntries(semantic, failed).catch((error: unknown) => {
    console.error(JSON.stringify({ event: "items.incomplete", ...describeDefect(error) }));
    return [];
  });
  return new Map([...own, ...(await embedEntries(semantic, untried)), ...(await retried)]);
}

/** Embeds all entries in one call, or one by one if the embedder rejects the call. */
async function embedEntries(
  semantic: SemanticServices,
  entries: readonly UnindexedItem[],
): Promise<[id: string, vector: Float32Array][]> {
  if (entries.length === 0) return [];
  const texts = entries.map(({ text }) => text);
  try {
    const vectors = await semantic.embedder.embed(texts, "document");
    return entries.flatMap(({ id }, i) => {
      const vector = vectors[i];
      return vector === undefined ? [] : [[id, vector] as const];
    });
  } catch (error) {
    if (!(error instanceof EmbedderError) || error.retryable) throw error;
    if (entries.length === 1) return [];
    const vectors = [];
    for (const entry of entries) vectors.push(...(await embedEntries(semantic, [entry])));
    return vectors;
  }
}

/** Returns each item once, with its better score. */
function mergeMatches(a: readonly ItemMatch[], b: readonly ItemMatch[], limit: number): ItemMatch[] {
  const best = new Map<string, ItemMatch>();
  for (const match of [...a, ...b])
    if ((best.get(match.key)?.score ?? 0) < match.score) best.set(match.key, match);
  return [...best.values()]
    .sort((one, other) => other.score - one.score || (one.key < other.key ? -1 : 1))
    .slice(0, limit);
}
