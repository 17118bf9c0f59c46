// Items by meaning: the vector index's candidates, what the index does not show yet, and the words where neither can
// tell. Whoever asks has time, so that nothing is left out for speed; D1 has the last word on what is found.
import { sql } from "drizzle-orm";
import type { Indexing } from "../indexing/indexing";
import { COGNITION, LIMITS } from "../limits";
import { EmbedderError } from "../models/embedders/embedder";
import { type Database, runBatch } from "../platform/d1";
import { describeDefect, failure } from "../platform/errors";
import type { ProviderQuery } from "../schemas/directive";
import {
  type Collection,
  findItemsByVector,
  findItemsByWords,
  type ItemMatch,
} from "../store/items/item-repository";
import { scopeToken } from "../store/memories/memory-rows";
import { selectVectorState, toVectorState, type VectorState } from "../store/vectors/vector-state";
import { cosineSimilarity } from "../text/similarity";
import type { Semantic } from "../vectors/semantic-services";
import { modelMismatch, type WaitingRow, waitingQuery } from "./unindexed";

export type ItemSearch = {
  db: Database;
  tenant: string;
  semantic: Semantic | null;
  indexing: Indexing;
  collection: Collection;
};

/** What makes vectors; without it there is no meaning to search by. */
export function requireSemantic(semantic: Semantic | null): Semantic {
  if (semantic !== null) return semantic;
  throw failure(
    "not_configured",
    "The vector provider needs an embedder, and none is configured. Set EMBEDDER, or use the d1 provider for text.",
  );
}

export async function findItemsByMeaning(search: ItemSearch, query: ProviderQuery): Promise<ItemMatch[]> {
  const { db, tenant, collection } = search;
  const semantic = requireSemantic(search.semantic);
  const { state, waiting } = await readWaiting(search, semantic);
  if (modelMismatch(state, semantic) !== null) return findItemsByWords(db, tenant, collection, query);

  const vector = await embedQuery(semantic, query.text);
  const limit = Math.min(LIMITS.recallMatches, semantic.index.maxMatches);
  const filter = {
    scope: { kind: "session", token: scopeToken(tenant, "collection", collection.name) },
  } as const;
  const [matches, fresh] = await Promise.all([
    semantic.index.query("item", vector, { limit, filter }),
    embedWaiting(semantic, waiting),
  ]);
  const scores = new Map(matches.map(({ id, score }) => [id, score]));
  // What is waiting has changed: what the index says of it is old.
  for (const { id } of waiting) scores.delete(id);
  for (const [id, near] of fresh) scores.set(id, cosineSimilarity(vector, near));
  for (const [id, score] of scores) {
    if (score > 0) scores.set(id, Math.min(1, score));
    else scores.delete(id);
  }
  const near = await findItemsByVector(db, tenant, collection, scores, query.top_k);

  // Vectors of what was deleted may have taken the places of others.
  const crowdedOut = matches.length === limit && near.length < query.top_k;
  const embedded = fresh.size === waiting.length && waiting.length < COGNITION.queryEmbeds;
  const complete = state?.progress == null && embedded && !crowdedOut;
  return complete ? near : merged(near, await findItemsByWords(db, tenant, collection, query), query.top_k);
}

type Waiting = WaitingRow & { text: string };

/** What waits in this collection. If that is much, the indexer first does what it can: its work is done only once. */
async function readWaiting(
  search: ItemSearch,
  semantic: Semantic,
): Promise<{ state: VectorState | null; waiting: Waiting[] }> {
  const first = await readOnce(search);
  const unsent = first.waiting.filter(({ failed, sent }) => failed === 0 && sent === 0);
  if (unsent.length <= semantic.embedder.maxInlineTexts || modelMismatch(first.state, semantic) !== null)
    return first;
  await search.indexing.drain();
  return readOnce(search);
}

async function readOnce({ db, tenant, collection }: ItemSearch) {
  const [states, waiting] = await runBatch(db, [
    selectVectorState,
    waitingQuery(tenant, {
      kind: "item",
      table: "items",
      vectorId: "vector_id",
      columns: sql`m.text`,
      where: sql`m.collection = ${collection.name}`,
      limit: COGNITION.queryEmbeds,
    }),
  ]);
  return { state: toVectorState(states?.[0]), waiting: (waiting ?? []) as Waiting[] };
}

async function embedQuery({ embedder }: Semantic, text: string): Promise<Float32Array> {
  try {
    const [vector] = await embedder.embed([text], "query");
    if (vector === undefined) throw new EmbedderError("The embedder gave no vector.");
    return vector;
  } catch (error) {
    if (!(error instanceof EmbedderError) || error.retryable) throw error;
    throw failure(
      "unprocessable",
      "The embedder refused the query. Ask in other words, or check its settings.",
    );
  }
}

/** Vectors by id. What is refused is left to the words; what failed before may fail again without holding up the rest. */
async function embedWaiting(
  semantic: Semantic,
  waiting: readonly Waiting[],
): Promise<Map<string, Float32Array>> {
  const { 0: fresh = [], 1: failed = [] } = Object.groupBy(waiting, (entry) => entry.failed);
  const again = embedApart(semantic, failed).catch((error: unknown) => {
    console.error(JSON.stringify({ event: "items.incomplete", ...describeDefect(error) }));
    return [];
  });
  return new Map([...(await embedApart(semantic, fresh)), ...(await again)]);
}

/** Together, or one by one when one of them is refused. */
async function embedApart(
  semantic: Semantic,
  entries: readonly Waiting[],
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
    const apart = [];
    for (const entry of entries) apart.push(...(await embedApart(semantic, [entry])));
    return apart;
  }
}

/** Each item once, with the better of its scores. */
function merged(near: readonly ItemMatch[], worded: readonly ItemMatch[], limit: number): ItemMatch[] {
  const best = new Map<string, ItemMatch>();
  for (const match of [...near, ...worded])
    if ((best.get(match.key)?.score ?? 0) < match.score) best.set(match.key, match);
  return [...best.values()].sort((a, b) => b.score - a.score || (a.key < b.key ? -1 : 1)).slice(0, limit);
}
