// Semantic search: the matches of the vector index, and the unindexed rows of the embedding backlog, which a search
// embeds itself so that it finds every acknowledged write.

import { type SQL, sql } from "drizzle-orm";
import { type Database, readAll } from "../../kernel/databases/d1";
import { describeDefect } from "../../kernel/errors";
import { LIMITS } from "../../kernel/limits";
import { withTimeout } from "../../kernel/retry";
import type { VectorKind } from "../../kernel/tables";
import { SECOND_MS } from "../../kernel/time";
import { toFirstPerson } from "../../language/questions";
import { cosineSimilarity } from "../../language/similarity";
import type { SearchTarget } from "../../memories/store/namespace";
import { BACKLOG_SEARCH_WINDOW, selectBacklog, selectLastDequeue } from "../../memories/store/vector-queue";
import type { Embedder } from "../../models/embedders/embedder";
import { EMBEDDING_RETRY_POLICIES } from "../../models/embedders/remote-embedder";
import { formatMessage } from "../index/vector-records";
import { selectVectorState, toVectorState, type VectorState } from "../index/vector-state";
import type { SemanticServices } from "../vectors/semantic-services";
import { isSameModel, type VectorMatch, type VectorModel } from "../vectors/vector-index";
import {
  buildRowCondition,
  CORPORA,
  type Corpus,
  hasUnindexedConditions,
  type RecallFilter,
  selectCorpusTable,
  toVectorFilter,
} from "./corpus";

// The vector of a query for semantic search.

/**
 * Embeds a query. If it names the user whose texts are searched, the vector is the mean of the query and of the same in
 * the first person: users speak of themselves without their name, others speak of them with it. Measured with the
 * embedded embedder only, so that others embed the query as it is: see docs/decisions/0037-names-in-questions.md.
 */
export async function embedQuery(
  embedder: Embedder,
  query: string,
  userId: string | undefined,
): Promise<Float32Array | undefined> {
  const asked = userId === undefined || embedder.minRelatedCosine === 0 ? null : toFirstPerson(query, userId);
  // One call each: a call with a single query is cached.
  const [[vector], [own] = []] = await Promise.all([
    embedder.embed([query], "query"),
    asked === null ? undefined : embedder.embed([asked], "query"),
  ]);
  return vector === undefined || own === undefined ? vector : averageVectors(vector, own);
}

function averageVectors(a: Float32Array, b: Float32Array): Float32Array {
  const sum = a.map((value, i) => value + (b[i] ?? 0));
  const length = Math.hypot(...sum);
  return length === 0 ? a : sum.map((value) => value / length);
}

export type SemanticMatches = {
  /** By id in the vector index. */
  cosines: Map<string, number>;
  /** The cosine similarity assumed for rows beyond the matches. */
  cutOff: number;
};

/** The message explains to the caller why only lexical search was used. */
export class SemanticSearchUnavailable extends Error {
  override readonly name = "SemanticSearchUnavailable";
}

/** The embedder does not know the language of the query: its texts have no vectors either, so nothing is missed. */
export class UnreadableQuery extends SemanticSearchUnavailable {}

export type SemanticSearchRequest = {
  db: Database;
  tenant: string;
  semantic: SemanticServices | null;
  scope: SearchTarget;
  corpora: readonly Corpus[];
  filter: RecallFilter;
  query: string;
};

/** `incomplete` explains why some rows have no vectors; semantic search alone would miss them. */
type SemanticSearchResult = { matches: SemanticMatches[]; incomplete: string | null };

/** Runs the statements that read the backlog, as part of any batch, and returns the rows of each. */
type ReadBacklog = (statements: readonly SQL[]) => Promise<unknown[][]>;

/**
 * Returns the matches of each corpus, in order. The backlog is read while the index is asked. Throws
 * SemanticSearchUnavailable if the matches cannot be computed.
 */
export async function runSemanticSearch(
  request: SemanticSearchRequest,
  read: ReadBacklog,
): Promise<SemanticSearchResult> {
  const { semantic, corpora } = request;
  if (semantic === null) throw new SemanticSearchUnavailable("No embedder is configured (EMBEDDER=none).");
  if (!semantic.embedder.canRead(request.query))
    throw new UnreadableQuery(
      `The embedder ${semantic.embedder.name} cannot read the language of the query.`,
    );
  const started = Date.now();
  const margin = request.db.mayLag?.() ? REPLICA_CLOCK_MARGIN_MS : CLOCK_MARGIN_MS;
  const [asked, backlog] = await Promise.all([
    embedRequest(request, semantic).then(async (vector) => ({
      vector,
      epoch: await semantic.index.epoch?.(),
      indexed: await queryIndex(request, semantic, vector),
    })),
    readUnindexedTexts(request, semantic, read).then((texts) => ({ ...texts, tookMs: Date.now() - started })),
  ]);
  const { vector } = asked;
  // Entries that left the backlog after the index was asked and before the backlog was read are in neither answer.
  const isLate = backlog.dequeuedMsAgo !== null && backlog.dequeuedMsAgo <= backlog.tookMs + margin;
  // The database has confirmed where the tenant is. Until then an index was asked that it may have left.
  const hasMoved = asked.epoch !== (await semantic.index.epoch?.());
  const answers = isLate || hasMoved ? await queryIndex(request, semantic, vector) : asked.indexed;
  let isIncomplete = backlog.isIncomplete;
  const matches = await Promise.all(
    corpora.map(async (corpus, i) => {
      const indexed = answers[i] ?? [];
      const limit = countCompared(semantic);
      const cosines = new Map(indexed.map(({ id, score }) => [id, score]));
      const beyond = indexed.length === limit ? await readFilteredTexts(request, corpus, cosines) : [];
      const unindexed = await scoreUnindexedTexts(semantic, vector, [...(backlog.texts[i] ?? []), ...beyond]);
      if (unindexed === null) isIncomplete = true;
      // Rows in the backlog have changed: their vectors in the index are outdated.
      for (const [id, cosine] of unindexed ?? []) cosines.set(id, cosine);
      // With a relatedness threshold, unrelated texts have a cosine of about 0. Without one, rows beyond a full list of
      // matches are assumed to be as similar as the last match.
      const isTruncated = indexed.length === limit && semantic.embedder.minRelatedCosine === 0;
      return { cosines, cutOff: isTruncated ? Math.max(0, indexed.at(-1)?.score ?? 0) : 0 };
    }),
  );
  if (backlog.isReembedding) return { matches, incomplete: "Everything is being re-embedded." };
  return { matches, incomplete: isIncomplete ? "Not everything is embedded yet." : null };
}

/** The clocks of the Worker and of D1 measure the same span with at most this difference. */
const CLOCK_MARGIN_MS = 100;
/** A replica compares the time that the primary has written with a clock of its own, which may be ahead. */
const REPLICA_CLOCK_MARGIN_MS = 1 * SECOND_MS;

async function embedRequest(request: SemanticSearchRequest, { embedder }: SemanticServices) {
  const vector = await embedQuery(embedder, request.query, findUser(request)).catch(
    throwUnavailable("The embedder did not answer."),
  );
  if (vector === undefined) throw new SemanticSearchUnavailable("The embedder returned no vector.");
  return vector;
}

/** Returns the number of texts that a search compares. */
export function countCompared({ index }: SemanticServices): number {
  return Math.min(LIMITS.recallMatches, index.maxMatches);
}

/** Returns the best matches of each corpus in the vector index. */
function queryIndex(
  { tenant, scope, corpora, filter }: SemanticSearchRequest,
  semantic: SemanticServices,
  vector: Float32Array,
): Promise<VectorMatch[][]> {
  const limit = countCompared(semantic);
  return Promise.all(
    corpora.map((corpus) =>
      semantic.index
        .query(corpus.kind, vector, { limit, filter: toVectorFilter(tenant, scope, corpus, filter) })
        .catch(throwUnavailable("The vector index did not answer.")),
    ),
  );
}

/** Returns the one user whose texts a search covers, if it is limited to one. */
function findUser({ scope, filter }: SemanticSearchRequest): string | undefined {
  return scope.kind === "user" ? scope.id : filter.within?.user_id;
}

type UnindexedText = { id: string; text: string };

type UnindexedTextRow = UnindexedRow & { name: string | null; role: string | null; content: string };

/**
 * Reads the newest memories that pass a filter and are not among the matches, as many as can be embedded inline: the
 * index cannot filter by metadata or by time, so its best matches may all be others.
 */
async function readFilteredTexts(
  { db, tenant, scope, filter, semantic }: SemanticSearchRequest,
  { kind }: Corpus,
  matches: ReadonlyMap<string, number>,
): Promise<UnindexedText[]> {
  if (kind !== "memory" || !hasUnindexedConditions(filter)) return [];
  const newest = await readAll<UnindexedText>(
    db,
    sql`SELECT m.id, m.content AS text FROM ${selectCorpusTable(CORPORA.memories, filter)} m
      WHERE ${buildRowCondition(tenant, scope, CORPORA.memories, filter)}
        AND m.id NOT IN (SELECT value FROM json_each(${JSON.stringify([...matches.keys()])}))
      ORDER BY m.timestamp DESC, m.id LIMIT ${semantic?.embedder.maxInlineTexts ?? 0}`,
  );
  return newest.filter(({ text }) => semantic?.embedder.canRead(text));
}

/**
 * Reads the newest unindexed texts in scope, as many as can be embedded inline. `isIncomplete` is set when there are
 * more, or when some have failed to embed before.
 */
async function readUnindexedTexts(
  request: SemanticSearchRequest,
  semantic: SemanticServices,
  read: ReadBacklog,
): Promise<{
  texts: UnindexedText[][];
  isIncomplete: boolean;
  isReembedding: boolean;
  dequeuedMsAgo: number | null;
}> {
  const { tenant, corpora } = request;
  const { maxInlineTexts } = semantic.embedder;
  const [states, dequeues, ...results] = await read([
    selectVectorState,
    selectLastDequeue(tenant),
    ...corpora.map((corpus) => selectUnindexedTexts(request, corpus, maxInlineTexts + 1)),
  ]);
  const state = toVectorState(states?.[0]);
  const mismatch = describeModelMismatch(state, semantic);
  if (mismatch !== null) throw new SemanticSearchUnavailable(mismatch);
  const lists = results as UnindexedTextRow[][];
  const [dequeue] = (dequeues ?? []) as { ago: number | null }[];
  return {
    dequeuedMsAgo: dequeue?.ago ?? null,
    isReembedding: state?.progress != null,
    isIncomplete: lists.some(
      (rows) => rows.length > maxInlineTexts || rows.some(({ failed }) => failed === 1),
    ),
    texts: lists.map((rows) =>
      rows
        .slice(0, maxInlineTexts)
        .filter(({ failed, content }) => failed === 0 && semantic.embedder.canRead(content))
        .map(({ id, name, role, content }) => ({
          id,
          text: role === null ? content : formatMessage({ name, role, content }),
        })),
    ),
  };
}

function selectUnindexedTexts(
  { tenant, scope, filter }: SemanticSearchRequest,
  corpus: Corpus,
  limit: number,
): SQL {
  const where = buildRowCondition(tenant, scope, corpus, filter);
  return selectUnindexedRows(tenant, {
    ...corpus,
    table: selectCorpusTable(corpus, filter),
    columns: corpus.embeddedColumns,
    where,
    limit,
    newest: BACKLOG_SEARCH_WINDOW,
  });
}

/** Returns null when the texts cannot be embedded now: the search continues with the index alone. */
async function scoreUnindexedTexts(
  { embedder }: SemanticServices,
  query: Float32Array,
  unindexed: readonly UnindexedText[],
): Promise<[string, number][] | null> {
  if (unindexed.length === 0) return [];
  const texts = unindexed.map(({ text }) => text);
  try {
    // A recall waits no longer than for its query, although these are documents.
    const vectors = await withTimeout(
      () => embedder.embed(texts, "document"),
      EMBEDDING_RETRY_POLICIES.query.timeoutMs,
    );
    return unindexed.map(({ id }, i) => [
      id,
      cosineSimilarity(query, vectors[i] ?? new Float32Array(query.length)),
    ]);
  } catch (error) {
    console.error(JSON.stringify({ event: "recall.incomplete", ...describeDefect(error) }));
    return null;
  }
}

/** Turns a failure of the embedder or the index into a fallback to lexical search. */
function throwUnavailable(reason: string): (error: unknown) => never {
  return (error) => {
    console.error(JSON.stringify({ event: "recall.degraded", ...describeDefect(error) }));
    throw new SemanticSearchUnavailable(reason);
  };
}

type UnindexedQuery = {
  kind: VectorKind;
  /** For a FROM clause. */
  table: SQL;
  /** The column with the id in the vector index. */
  vectorId: "id" | "vector_id";
  /** The columns to read of a row `m`, and the condition on it. */
  columns: SQL;
  where: SQL;
  limit: number;
  /** Restricts the search to this many newest entries of the backlog. */
  newest?: number;
};

export type UnindexedRow = {
  id: string;
  /** The last attempt to embed it failed. */
  failed: 0 | 1;
  /** Written to the index, which does not show it yet. */
  sent: 0 | 1;
};

/** Builds a SELECT of the backlog entries that meet the condition, newest first. */
export function selectUnindexedRows(
  tenant: string,
  { kind, table, vectorId, columns, where, limit, newest = -1 }: UnindexedQuery,
): SQL {
  return sql`SELECT q.id, q.attempts > 0 AND q.visible_after IS NULL AS failed, q.visible_after IS NOT NULL AS sent, ${columns}
    FROM (${selectBacklog(tenant, kind, newest)}) q CROSS JOIN ${table} m ON m.tenant = ${tenant} AND m.${sql.raw(vectorId)} = q.id
    WHERE ${where} ORDER BY q.seq DESC LIMIT ${limit}`;
}

/** Explains why the stored vectors are not comparable with the embedder's; null when they are. */
export function describeModelMismatch(
  state: VectorState | null,
  { embedder, index }: SemanticServices,
): string | null {
  const model = { name: embedder.name, dimensions: embedder.dimensions, index: index.name };
  if (state === null || isSameModel(state, model)) return null;
  return `The vectors were made with ${describeModel(state)}, the service is set to ${describeModel(model)}. Run: npm run reembed`;
}

function describeModel({ name, dimensions, index }: VectorModel): string {
  return `${name} (${dimensions} dimensions, ${index} index)`;
}
