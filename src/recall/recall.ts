// Recall: candidates from the text index and the filters, ranked by weighted signals, each hit explained.
// Until vectors are bound, every mode answers as text and says so in its signals.
import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../long-term/database";
import { readAll } from "../long-term/database";
import { fromRow, type MemoryRow, scopeToken } from "../long-term/rows";
import { rangeOf } from "../long-term/statements";
import { typesUnder } from "../ontology/classes";
import type { Memory, RecallHit, RecallInput } from "../schemas/memory";
import { anyOf, anyOfIn, queryTerms } from "./query-terms";

/** Whose memories are searched. */
export type RecallScope = { kind: "session" | "agent" | "project"; id: string } | { kind: "tenant" };

export type RecallFilter = Pick<
  RecallInput,
  "type" | "min_confidence" | "include_superseded" | "since" | "until"
>;

type Candidate = { memory: Memory; bm25: number | null };

/** The weights of the ranking: text decides, the rest breaks near-ties. */
const WEIGHTS = { lexical: 1, recency: 0.05, importance: 0.05 } as const;

/** More candidates than asked for, so that the signals have something to reorder. */
const CANDIDATES_PER_HIT = 3;
const MIN_CANDIDATES = 30;

/** Rows that one search may score: about as many milliseconds as thousands. */
const MAX_SCORED = 2_000;

/** A tenant up to this size is scored whole. */
const SMALL = 15_000;

/** The newest memories in which words are counted. */
const SAMPLE = 500;

/** A memory's recency halves after this many days. */
const RECENCY_HALF_LIFE_DAYS = 30;

export async function recall(
  db: Database,
  tenant: string,
  scope: RecallScope,
  input: RecallFilter & { query?: string | undefined; limit: number },
  now: number,
): Promise<RecallHit[]> {
  const query = input.query?.trim() ?? "";
  const candidates =
    query === ""
      ? await newest(db, tenant, scope, input)
      : await bestMatches(db, tenant, scope, input, query);
  return rank(candidates, now).slice(0, input.limit);
}

/** Pure: scores, explains and orders candidates. */
export function rank(candidates: readonly Candidate[], now: number): RecallHit[] {
  // bm25 is negative, the best the lowest.
  const best = Math.min(...candidates.map(({ bm25 }) => bm25 ?? 0));
  return candidates
    .map(({ memory, bm25 }) => {
      const lexical = bm25 === null ? null : best === 0 ? 1 : bm25 / best;
      const recency = recencyOf(memory.timestamp, now);
      const score =
        WEIGHTS.lexical * (lexical ?? 0) +
        WEIGHTS.recency * recency +
        WEIGHTS.importance * memory.importance * memory.confidence;
      return toHit(memory, score, {
        ...(lexical === null ? {} : { lexical: round(lexical) }),
        recency: round(recency),
        importance: round(memory.importance),
        mode: "text",
      });
    })
    .sort(
      (a, b) =>
        b.score - a.score ||
        (a.timestamp < b.timestamp ? 1 : a.timestamp > b.timestamp ? -1 : a.id < b.id ? -1 : 1),
    );
}

function recencyOf(timestamp: string, now: number): number {
  const days = Math.max(0, (now - Date.parse(timestamp)) / 86_400_000);
  return 0.5 ** (days / RECENCY_HALF_LIFE_DAYS);
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

function toHit(memory: Memory, score: number, signals: RecallHit["signals"]): RecallHit {
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
    score: round(score),
    signals,
    superseded_by,
    access_count,
  };
}

/** Without a query: the newest first. */
async function newest(
  db: Database,
  tenant: string,
  scope: RecallScope,
  input: RecallFilter & { limit: number },
): Promise<Candidate[]> {
  const rows = await readAll<MemoryRow>(
    db,
    sql`SELECT m.* FROM memories m WHERE ${filters(tenant, scope, input)}
      ORDER BY m.timestamp DESC, m.id LIMIT ${input.limit}`,
  );
  return rows.map((row) => ({ memory: fromRow(row), bm25: null }));
}

async function bestMatches(
  db: Database,
  tenant: string,
  scope: RecallScope,
  input: RecallFilter & { limit: number },
  query: string,
): Promise<Candidate[]> {
  const terms = queryTerms(query);
  if (terms.length === 0) return [];
  const { from, to } = rangeOf(tenant);
  const match =
    scope.kind === "tenant"
      ? tellingTerms(tenant, terms)
      : sql`${anyOfIn(scopeToken(tenant, scope.kind, scope.id), terms)}`;
  // The index gives its rows in order of rank, so the filters read only as many memories as they need.
  const rows = await readAll<MemoryRow & { bm25: number }>(
    db,
    sql`SELECT m.*, f.rank AS bm25
      FROM memories_fts f CROSS JOIN memories m ON m.seq = f.rowid
      WHERE memories_fts MATCH ${match} AND f.rowid > ${from} AND f.rowid < ${to} AND ${filters(tenant, scope, input)}
      ORDER BY f.rank LIMIT ${Math.max(MIN_CANDIDATES, input.limit * CANDIDATES_PER_HIT)}`,
  );
  return rows.map(({ bm25, ...row }) => ({ memory: fromRow(row), bm25 }));
}

/**
 * The words that choose what is scored in a large tenant. BM25 scores every row that has any of the words, and a
 * word that a third of all memories have tells little: how common each word is, is counted in the newest memories,
 * and the rarest choose until together they would choose MAX_SCORED rows; the rarest always. All words count in the
 * score of what is chosen. A SMALL tenant lets every word choose.
 */
function tellingTerms(tenant: string, terms: readonly string[]): SQL {
  if (terms.length === 1) return sql`${anyOf(terms)}`;
  const { from, to } = rangeOf(tenant);
  return sql`(WITH
    tail (size, last) AS (
      SELECT last - start, last FROM (
        SELECT ${from} AS start, coalesce((SELECT seq FROM memories WHERE seq > ${from} AND seq < ${to} ORDER BY seq DESC LIMIT 1), ${from}) AS last
      )
    ),
    sampled (term, size, found) AS (
      SELECT j.value, size, CASE WHEN size > ${SMALL} THEN (
        SELECT count(*) FROM memories_fts
        WHERE memories_fts MATCH '{content rationale} : "' || j.value || '"' AND rowid > last - ${SAMPLE} AND rowid <= last
      ) END FROM tail CROSS JOIN json_each(${JSON.stringify(terms)}) j
    ),
    weighed (term, size, scored, place) AS (
      SELECT term, size, sum(found) OVER (ORDER BY found, term) * size / ${SAMPLE}, row_number() OVER (ORDER BY found, term) FROM sampled
    )
    SELECT '{content rationale} : ((' || group_concat('"' || term || '"', ' OR ') FILTER (WHERE telling) || ')'
      || iif(min(telling), '', ' AND (' || group_concat('"' || term || '"', ' OR ') || ')') || ')'
    FROM (SELECT term, size <= ${SMALL} OR scored <= ${MAX_SCORED} OR place = 1 AS telling FROM weighed))`;
}

function filters(
  tenant: string,
  scope: RecallScope,
  { type, min_confidence, include_superseded, since, until }: RecallFilter,
): SQL {
  const conditions = [sql`m.tenant = ${tenant}`, sql`m.confidence >= ${min_confidence}`];
  if (scope.kind === "session") conditions.push(sql`m.session_id = ${scope.id}`);
  if (scope.kind === "agent") conditions.push(sql`m.agent_id = ${scope.id}`);
  if (scope.kind === "project") conditions.push(sql`m.project_id = ${scope.id}`);
  if (!include_superseded) conditions.push(sql`m.live = 1`);
  if (type !== "all")
    conditions.push(sql`m.type IN (SELECT value FROM json_each(${JSON.stringify(typesUnder(type))}))`);
  if (since !== undefined) conditions.push(sql`m.timestamp >= ${since}`);
  if (until !== undefined) conditions.push(sql`m.timestamp <= ${until}`);
  return sql.join(conditions, sql` AND `);
}
