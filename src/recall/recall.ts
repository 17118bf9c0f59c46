// Recall: candidates by text and by meaning, ranked by weighted signals, each hit explained. D1 has the last word on
// what is found: whatever an index says, a hit is a row that meets the conditions now.
import { sql } from "drizzle-orm";
import { LIMITS } from "../limits";
import { batch, type Database, readAll } from "../long-term/database";
import type { MessageRow } from "../long-term/messages";
import { fromRow, type MemoryRow } from "../long-term/rows";
import type { Memory, MessageHit, RankingOptions, RecallHit, RecallInput } from "../schemas/memory";
import type { Semantic } from "../vectors/semantic";
import { CORPORA, type Corpus, filters, type RecallFilter, type RecallScope } from "./corpus";
import { lexicalQuery } from "./lexical";
import { type Found, findByMeaning, NoMeaning } from "./meaning";
import { queryTerms } from "./query-terms";
import { type Candidate, type Mode, type Ranked, rank } from "./ranking";

export type RecallRequest = RecallFilter & {
  query?: string | undefined;
  limit: number;
  mode: Mode;
  sources: RecallInput["sources"];
  ranking: RankingOptions;
};

export type Recalled = {
  hits: (RecallHit | MessageHit)[];
  /** How it was really searched, and why that is not what was asked for. */
  mode: Mode;
  degraded: string | null;
};

type Context = { db: Database; tenant: string; semantic: Semantic | null; scope: RecallScope };

/** A candidate, with its row where that was read along. */
type Placed = Candidate & { corpus: Corpus; row: MemoryRow | MessageRow | null };

export async function recall(context: Context, request: RecallRequest): Promise<Recalled> {
  const query = request.query?.trim() ?? "";
  const corpora = [...new Set(request.sources)].map((source) => CORPORA[source]);
  if (query === "") return newest(context, corpora, request);

  const search = { ...context, corpora, filter: request, query };
  const { found, degraded } =
    request.mode === "text" ? { found: null, degraded: null } : await meaning(findByMeaning(search));
  const mode = found === null ? "text" : request.mode;
  const read = await readCandidates(context, corpora, { ...request, query, mode }, found);
  // Beside the text, the meaning adds only what has something to do with the question. Alone it gives the nearest.
  const floor = mode === "hybrid" ? (context.semantic?.embedder.related ?? 0) : 0;
  const candidates = read.filter(({ bm25, cosine }) => bm25 !== null || (cosine ?? 0) > floor);
  const cutOff = { memory: 0, message: 0 };
  for (const [i, { kind }] of corpora.entries()) cutOff[kind] = found?.[i]?.cutOff ?? 0;
  const ranked = rank(candidates, { query, mode, ranking: request.ranking, cutOff }).slice(0, request.limit);
  return { hits: await complete(context, request, ranked), mode, degraded };
}

async function meaning(work: Promise<Found[]>): Promise<{ found: Found[] | null; degraded: string | null }> {
  try {
    return { found: await work, degraded: null };
  } catch (error) {
    if (!(error instanceof NoMeaning)) throw error;
    return { found: null, degraded: `${error.message} Answered by text.` };
  }
}

/** Everything that either channel found and that stands, in one round trip. */
async function readCandidates(
  { db, tenant, scope }: Context,
  corpora: readonly Corpus[],
  request: RecallRequest & { query: string },
  found: readonly Found[] | null,
): Promise<Placed[]> {
  const terms = request.mode === "semantic" ? [] : queryTerms(request.query);
  // By text alone fewer candidates do, and are read whole: that saves a second trip.
  const whole = found === null;
  const limit = whole ? Math.max(30, request.limit * 3) : LIMITS.recallMatches;
  const reads = corpora.flatMap((corpus, i) => {
    const columns = whole
      ? sql`m.*, ${corpus.brief}`
      : sql`m.${sql.raw(corpus.vectorId)} AS vector_id, ${corpus.brief}`;
    const ids = [...(found?.[i]?.cosines.keys() ?? [])];
    const text = lexicalQuery({ tenant, scope, corpus, terms, filter: request, limit }, columns);
    const near = sql`SELECT ${columns}, NULL AS bm25 FROM ${sql.raw(corpus.table)} m
      WHERE ${filters(tenant, scope, corpus, request)}
        AND m.${sql.raw(corpus.vectorId)} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`;
    return [
      ...(terms.length === 0 ? [] : [{ corpus, i, statement: text }]),
      ...(ids.length === 0 ? [] : [{ corpus, i, statement: near }]),
    ];
  });
  const results = await batch(
    db,
    reads.map(({ statement }) => statement),
  );
  const placed = new Map<string, Placed>();
  for (const [n, { corpus, i }] of reads.entries()) {
    for (const row of (results[n] ?? []) as (Candidate & { id?: string; vector_id?: string })[]) {
      const key = `${corpus.kind} ${row.seq}`;
      if (placed.has(key)) continue;
      const { seq, timestamp, name, role, importance, confidence, bm25 } = row;
      const cosine = found?.[i]?.cosines.get(row.vector_id ?? row.id ?? "") ?? null;
      placed.set(key, {
        ...{ corpus, kind: corpus.kind, seq, timestamp, name, role, importance, confidence, bm25, cosine },
        row: whole ? (row as unknown as MemoryRow | MessageRow) : null,
      });
    }
  }
  return [...placed.values()];
}

/** The rows of the best, where they are not there yet; what was forgotten in between is left out. */
async function complete(
  { db, tenant, scope }: Context,
  filter: RecallFilter,
  ranked: readonly Ranked<Placed>[],
): Promise<(RecallHit | MessageHit)[]> {
  const missing = Map.groupBy(
    ranked.filter(({ candidate }) => candidate.row === null),
    ({ candidate }) => candidate.corpus,
  );
  const results = await batch(
    db,
    [...missing].map(
      ([
        corpus,
        mine,
      ]) => sql`SELECT m.* FROM ${sql.raw(corpus.table)} m WHERE ${filters(tenant, scope, corpus, filter)}
        AND m.seq IN (SELECT value FROM json_each(${JSON.stringify(mine.map(({ candidate }) => candidate.seq))}))`,
    ),
  );
  const rows = new Map(
    [...missing.keys()].flatMap(({ kind }, i) =>
      ((results[i] ?? []) as (MemoryRow | MessageRow)[]).map((row) => [`${kind} ${row.seq}`, row] as const),
    ),
  );
  return ranked.flatMap(({ candidate, score, signals }) => {
    const row = candidate.row ?? rows.get(`${candidate.kind} ${candidate.seq}`);
    return row === undefined ? [] : [toHit(candidate.kind, row, score, signals)];
  });
}

/** Without a query: the newest first. */
async function newest(
  { db, tenant, scope }: Context,
  corpora: readonly Corpus[],
  request: RecallRequest,
): Promise<Recalled> {
  const lists = await Promise.all(
    corpora.map(async (corpus) => {
      const order =
        corpus.kind === "memory" ? sql`m.timestamp DESC, m.id` : sql`m.timestamp DESC, m.seq DESC`;
      const rows = await readAll<(MemoryRow | MessageRow) & Candidate>(
        db,
        sql`SELECT m.*, ${corpus.brief} FROM ${sql.raw(corpus.table)} m
          WHERE ${filters(tenant, scope, corpus, request)} ORDER BY ${order} LIMIT ${request.limit}`,
      );
      return rows.map((row) => ({ ...row, corpus, kind: corpus.kind, bm25: null, cosine: null, row }));
    }),
  );
  const options = {
    query: "",
    mode: "text",
    ranking: request.ranking,
    cutOff: { memory: 0, message: 0 },
  } as const;
  const hits = rank(lists.flat(), options)
    .slice(0, request.limit)
    .map(({ candidate, score, signals }) => toHit(candidate.kind, candidate.row, score, signals));
  return { hits, mode: "text", degraded: null };
}

function toHit(
  kind: Candidate["kind"],
  row: MemoryRow | MessageRow,
  score: number,
  signals: RecallHit["signals"],
): RecallHit | MessageHit {
  return kind === "memory"
    ? memoryHit(fromRow(row as MemoryRow), score, signals)
    : messageHit(row as MessageRow, score, signals);
}

function memoryHit(memory: Memory, score: number, signals: RecallHit["signals"]): RecallHit {
  const { id, content, type, confidence, timestamp, session_id, agent_id, project_id } = memory;
  const { source_type, rationale, superseded_by, access_count } = memory;
  return {
    id,
    kind: "memory",
    content,
    type,
    confidence,
    timestamp,
    session_id,
    agent_id,
    project_id,
    source_type,
    rationale,
    score,
    signals,
    superseded_by,
    access_count,
  };
}

function messageHit(row: MessageRow, score: number, signals: RecallHit["signals"]): MessageHit {
  const { id, content, role, name, timestamp, session_id, agent_id, project_id } = row;
  return {
    id,
    kind: "message",
    content,
    role: role as MessageHit["role"],
    name,
    timestamp,
    session_id,
    agent_id,
    project_id,
    score,
    signals,
  };
}
