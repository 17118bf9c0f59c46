// What is near in meaning: the vector index's candidates, and what the index does not show yet.
import { type SQL, sql } from "drizzle-orm";
import { within } from "../embedding/attempts";
import { EmbedderError } from "../embedding/embedder";
import { describeDefect } from "../errors";
import { EMBEDDING, INDEXING, LIMITS } from "../limits";
import { batch, type Database } from "../long-term/database";
import { sameModel, selectVectorState, toVectorState } from "../long-term/vector-state";
import { cosine } from "../vectors/cosine";
import { messageText } from "../vectors/message-vectors";
import type { Semantic } from "../vectors/semantic";
import { VectorIndexError } from "../vectors/vector-index";
import { type Corpus, filters, type RecallFilter, type RecallScope, vectorFilter } from "./corpus";

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

/** For each corpus, in order. Throws NoMeaning with a reason for the caller when it cannot be told. */
export async function findByMeaning(search: MeaningSearch): Promise<Found[]> {
  const { semantic } = search;
  if (semantic === null) throw new NoMeaning("No embedder is configured (EMBEDDER=none).");
  const [queries, waiting] = await Promise.all([
    semantic.embedder.embed([search.query], "query").catch(failed("The embedder did not answer.")),
    waitingTexts(search, semantic),
  ]);
  const [vector] = queries;
  if (vector === undefined) throw new NoMeaning("The embedder gave no vector.");
  return Promise.all(
    search.corpora.map(async (corpus, i) => {
      const limit = Math.min(LIMITS.recallMatches, semantic.index.maxMatches);
      const filter = vectorFilter(search.tenant, search.scope, corpus, search.filter);
      const matches = await semantic.index
        .query(corpus.kind, vector, { limit, filter })
        .catch(failed("The vector index did not answer."));
      const cosines = new Map(matches.map(({ id, score }) => [id, score]));
      // What is waiting has changed: what the index says of it is old.
      for (const [id, cosine] of await nearness(semantic, vector, waiting[i] ?? [])) cosines.set(id, cosine);
      // Unrelated texts have a cosine of about 0 if the embedder says where relation begins. Else what lies beyond the
      // list is taken to be as near as its last.
      const cut = matches.length === limit && semantic.embedder.related === 0;
      return { cosines, cutOff: cut ? Math.max(0, matches.at(-1)?.score ?? 0) : 0 };
    }),
  );
}

type Waiting = { id: string; text: string };

/** The newest of what waits for the index, in this scope: as much as can be embedded on the way. */
async function waitingTexts(search: MeaningSearch, { embedder }: Semantic): Promise<Waiting[][]> {
  const { db, corpora } = search;
  const [states, ...lists] = await batch(db, [
    selectVectorState,
    ...corpora.map((corpus) => waitingQuery(search, corpus, embedder.inline)),
  ]);
  const state = toVectorState(states?.[0]);
  if (state !== null && !sameModel(state, embedder)) {
    throw new NoMeaning(
      `The vectors were made with ${state.name} (${state.dimensions} dimensions), the service is set to ${embedder.name} (${embedder.dimensions}). Run: npm run reembed`,
    );
  }
  return lists.map((rows) =>
    (rows as { id: string; name: string | null; role: string | null; content: string }[]).map((row) => ({
      id: row.id,
      text: row.role === null ? row.content : messageText({ ...row, role: row.role }),
    })),
  );
}

function waitingQuery({ tenant, scope, filter }: MeaningSearch, corpus: Corpus, limit: number): SQL {
  const vectorId = sql.raw(corpus.vectorId);
  const columns =
    corpus.kind === "message" ? sql`m.name, m.role, m.content` : sql`NULL AS name, NULL AS role, m.content`;
  return sql`SELECT q.id, ${columns} FROM (
      SELECT id, seq FROM vector_queue WHERE tenant = ${tenant} AND kind = ${corpus.kind}
      ORDER BY seq DESC LIMIT ${INDEXING.recallLooksAt}
    ) q CROSS JOIN ${sql.raw(corpus.table)} m ON m.tenant = ${tenant} AND m.${vectorId} = q.id
    WHERE ${filters(tenant, scope, corpus, filter)} ORDER BY q.seq DESC LIMIT ${limit}`;
}

async function nearness(
  { embedder }: Semantic,
  query: Float32Array,
  waiting: readonly Waiting[],
): Promise<[string, number][]> {
  if (waiting.length === 0) return [];
  const texts = waiting.map(({ text }) => text);
  // A recall does not wait as long as an indexer would.
  const vectors = await within(() => embedder.embed(texts, "document"), EMBEDDING.query.timeoutMs).catch(
    failed("The embedder did not answer."),
  );
  return waiting.map(({ id }, i) => [id, cosine(query, vectors[i] ?? new Float32Array(query.length))]);
}

/** A failing embedder or index costs the meaning, never the answer. */
function failed(reason: string): (error: unknown) => never {
  return (error) => {
    // The messages of these two hold nothing of what was asked.
    const known = error instanceof EmbedderError || error instanceof VectorIndexError;
    const detail = known ? error.message : undefined;
    console.error(JSON.stringify({ event: "recall.degraded", reason, detail, ...describeDefect(error) }));
    throw new NoMeaning(reason);
  };
}
