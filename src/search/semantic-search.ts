// What is near in meaning: the vector index's candidates, and what the index does not show yet.
import type { SQL } from "drizzle-orm";
import { messageText } from "../indexing/message-vectors";
import { INDEXING, LIMITS } from "../limits";
import { EMBEDDING_RETRY_POLICIES } from "../models/embedders/remote-embedder";
import { type Database, runBatch } from "../platform/d1";
import { describeDefect } from "../platform/errors";
import { withTimeout } from "../platform/retry";
import { selectVectorState, toVectorState } from "../store/vectors/vector-state";
import { cosineSimilarity } from "../text/similarity";
import type { Semantic } from "../vectors/semantic-services";
import { type Corpus, filters, type RecallFilter, type RecallScope, vectorFilter } from "./corpus";
import { modelMismatch, type WaitingRow, waitingQuery } from "./unindexed";

export type Found = {
  /** By id in the vector index. */
  cosines: Map<string, number>;
  /** The cosine of what was not found. */
  cutOff: number;
};

/** Why an answer is by text alone. */
export class NoMeaning extends Error {
  override readonly name = "NoMeaning";
}

export type MeaningSearch = {
  db: Database;
  tenant: string;
  semantic: Semantic | null;
  scope: RecallScope;
  corpora: readonly Corpus[];
  filter: RecallFilter;
  query: string;
};

/** `incomplete` says why the vectors do not cover everything: then a search by meaning alone would miss some. */
export type ByMeaning = { found: Found[]; incomplete: string | null };

/** Found by corpus, in order. Throws NoMeaning with a reason for the caller when it cannot be told. */
export async function findByMeaning(search: MeaningSearch): Promise<ByMeaning> {
  const { semantic, corpora } = search;
  if (semantic === null) throw new NoMeaning("No embedder is configured (EMBEDDER=none).");
  const [queries, { lists, renewing, ...waiting }] = await Promise.all([
    semantic.embedder.embed([search.query], "query").catch(failed("The embedder did not answer.")),
    readWaiting(search, semantic),
  ]);
  const [vector] = queries;
  if (vector === undefined) throw new NoMeaning("The embedder gave no vector.");
  let missed = waiting.missed;
  const found = await Promise.all(
    corpora.map(async (corpus, i) => {
      const limit = Math.min(LIMITS.recallMatches, semantic.index.maxMatches);
      const filter = vectorFilter(search.tenant, search.scope, corpus, search.filter);
      const matches = await semantic.index
        .query(corpus.kind, vector, { limit, filter })
        .catch(failed("The vector index did not answer."));
      const cosines = new Map(matches.map(({ id, score }) => [id, score]));
      const fresh = await nearness(semantic, vector, lists[i] ?? []);
      if (fresh === null) missed = true;
      // What is waiting has changed: what the index says of it is old.
      for (const [id, near] of fresh ?? []) cosines.set(id, near);
      // Unrelated texts have a cosine of about 0 if the embedder says where relation begins. Else what lies beyond the
      // list is taken to be as near as its last.
      const cut = matches.length === limit && semantic.embedder.minRelatedCosine === 0;
      return { cosines, cutOff: cut ? Math.max(0, matches.at(-1)?.score ?? 0) : 0 };
    }),
  );
  if (renewing) return { found, incomplete: "Everything is being embedded anew." };
  return { found, incomplete: missed ? "Not everything is embedded yet." : null };
}

type Waiting = { id: string; text: string };

type WaitingText = WaitingRow & { name: string | null; role: string | null; content: string };

/**
 * The newest of what waits for the index, in this scope: as much as can be embedded on the way. `missed` says that
 * there is more, or something that could not be embedded before and would not be now.
 */
async function readWaiting(
  search: MeaningSearch,
  semantic: Semantic,
): Promise<{ lists: Waiting[][]; missed: boolean; renewing: boolean }> {
  const { db, corpora } = search;
  const { maxInlineTexts } = semantic.embedder;
  const [states, ...lists] = await runBatch(db, [
    selectVectorState,
    ...corpora.map((corpus) => waitingTexts(search, corpus, maxInlineTexts + 1)),
  ]);
  const state = toVectorState(states?.[0]);
  const mismatch = modelMismatch(state, semantic);
  if (mismatch !== null) throw new NoMeaning(mismatch);
  const waiting = lists as WaitingText[][];
  return {
    renewing: state?.progress != null,
    missed: waiting.some((rows) => rows.length > maxInlineTexts || rows.some(({ failed }) => failed === 1)),
    lists: waiting.map((rows) =>
      rows
        .slice(0, maxInlineTexts)
        .filter(({ failed }) => failed === 0)
        .map(({ id, name, role, content }) => ({
          id,
          text: role === null ? content : messageText({ name, role, content }),
        })),
    ),
  };
}

function waitingTexts({ tenant, scope, filter }: MeaningSearch, corpus: Corpus, limit: number): SQL {
  const where = filters(tenant, scope, corpus, filter);
  return waitingQuery(tenant, {
    ...corpus,
    columns: corpus.text,
    where,
    limit,
    newest: INDEXING.recallLooksAt,
  });
}

/** Null when they cannot be embedded now: that costs these, not what the index shows. */
async function nearness(
  { embedder }: Semantic,
  query: Float32Array,
  waiting: readonly Waiting[],
): Promise<[string, number][] | null> {
  if (waiting.length === 0) return [];
  const texts = waiting.map(({ text }) => text);
  try {
    // A recall does not wait as long as an indexer would.
    const vectors = await withTimeout(
      () => embedder.embed(texts, "document"),
      EMBEDDING_RETRY_POLICIES.query.timeoutMs,
    );
    return waiting.map(({ id }, i) => [
      id,
      cosineSimilarity(query, vectors[i] ?? new Float32Array(query.length)),
    ]);
  } catch (error) {
    console.error(JSON.stringify({ event: "recall.incomplete", ...describeDefect(error) }));
    return null;
  }
}

/** A failing embedder or index costs the meaning, never the answer. */
function failed(reason: string): (error: unknown) => never {
  return (error) => {
    console.error(JSON.stringify({ event: "recall.degraded", ...describeDefect(error) }));
    throw new NoMeaning(reason);
  };
}
