// What the text index is asked for: any of the query's words, within a scope.
import { type SQL, sql } from "drizzle-orm";
import { rangeOf } from "../store/memories/memory-statements";
import type { VectorScope } from "../vectors/vector-index";
import { type Corpus, filters, indexScope, type RecallFilter, type RecallScope } from "./corpus";

/** Rows that one search of a whole tenant may score: about as many milliseconds as thousands. */
const MAX_SCORED = 2_000;

/** A tenant up to this size is scored whole. */
const SMALL = 15_000;

/** The newest rows in which words are counted. */
const SAMPLE = 500;

export type LexicalSearch = {
  tenant: string;
  scope: RecallScope;
  corpus: Corpus;
  terms: readonly string[];
  filter: RecallFilter;
  limit: number;
};

/** A SELECT of the best rows, with their rank as `bm25` and with `columns` of `m`. */
export function lexicalQuery(search: LexicalSearch, columns: SQL): SQL {
  const { tenant, scope, corpus, filter, limit } = search;
  const { from, to } = rangeOf(tenant);
  const index = sql.raw(corpus.index);
  // The index gives its rows in order of rank, so the filters read only as many rows as they need.
  return sql`SELECT ${columns}, f.rank AS bm25
    FROM ${index} f CROSS JOIN ${sql.raw(corpus.table)} m ON m.seq = f.rowid
    WHERE ${index} MATCH ${matchOf(search)} AND f.rowid > ${from} AND f.rowid < ${to}
      AND ${filters(tenant, scope, corpus, filter)}
    ORDER BY f.rank LIMIT ${limit}`;
}

/** The MATCH expression, put together by SQLite where it depends on what is stored. */
function matchOf({ tenant, scope, corpus, terms }: LexicalSearch): SQL {
  const within = scope.kind === "tenant" ? "" : `scope : (${scopeTerms(indexScope(tenant, scope))}) AND `;
  if (scope.kind !== "tenant" && corpus.kind !== "message")
    return sql`${`${within}${corpus.columns} : (${terms.map((term) => `"${term}"`).join(" OR ")})`}`;
  const asked = askedTerms(tenant, corpus, within, terms);
  if (scope.kind !== "tenant") {
    return sql`(WITH ${asked} SELECT ${`${within}${corpus.columns} : (`} || group_concat('"' || term || '"', ' OR ') || ')' FROM asked)`;
  }
  return tellingTerms(tenant, corpus, asked);
}

function scopeTerms({ token, or }: VectorScope): string {
  return or === undefined ? `"${token}"` : `"${token}" OR "${or}"`;
}

/**
 * The words that are searched for, as a table `asked (term)`. Who speaks is a signal of the ranking: a speaker's name
 * among the words would find whoever addresses that person. If nothing else is left, the names are searched for.
 */
function askedTerms(tenant: string, corpus: Corpus, within: string, terms: readonly string[]): SQL {
  const given = sql`given (term) AS (SELECT value FROM json_each(${JSON.stringify(terms)}))`;
  if (corpus.kind !== "message") return sql`${given}, asked (term) AS (SELECT term FROM given)`;
  const { from, to } = rangeOf(tenant);
  return sql`${given},
    unnamed (term) AS MATERIALIZED (SELECT term FROM given WHERE term GLOB '[0-9]*' OR NOT EXISTS (
      SELECT 1 FROM messages_fts WHERE messages_fts MATCH ${within} || 'who : "' || term || '"'
        AND rowid > ${from} AND rowid < ${to} LIMIT 1)),
    asked (term) AS MATERIALIZED (
      SELECT term FROM unnamed UNION ALL SELECT term FROM given WHERE NOT EXISTS (SELECT 1 FROM unnamed))`;
}

/**
 * The words that choose what is scored in a large tenant. BM25 scores every row that has any of the words, and a
 * word that a third of all rows have tells little: how common each word is, is counted in the newest rows, and the
 * rarest choose until together they would choose MAX_SCORED rows; the rarest always. All words count in the score of
 * what is chosen. A SMALL tenant lets every word choose.
 */
function tellingTerms(tenant: string, { table, index, columns }: Corpus, asked: SQL): SQL {
  const { from, to } = rangeOf(tenant);
  return sql`(WITH ${asked},
    tail (size, last) AS (
      SELECT last - start, last FROM (
        SELECT ${from} AS start, coalesce((SELECT seq FROM ${sql.raw(table)} WHERE seq > ${from} AND seq < ${to} ORDER BY seq DESC LIMIT 1), ${from}) AS last
      )
    ),
    sampled (term, size, found) AS (
      SELECT term, size, CASE WHEN size > ${SMALL} THEN (
        SELECT count(*) FROM ${sql.raw(index)}
        WHERE ${sql.raw(index)} MATCH ${columns} || ' : "' || term || '"' AND rowid > last - ${SAMPLE} AND rowid <= last
      ) END FROM tail CROSS JOIN asked
    ),
    weighed (term, size, scored, place) AS (
      SELECT term, size, sum(found) OVER (ORDER BY found, term) * size / ${SAMPLE}, row_number() OVER (ORDER BY found, term) FROM sampled
    )
    SELECT ${columns} || ' : ((' || group_concat('"' || term || '"', ' OR ') FILTER (WHERE telling) || ')'
      || iif(min(telling), '', ' AND (' || group_concat('"' || term || '"', ' OR ') || ')') || ')'
    FROM (SELECT term, size <= ${SMALL} OR scored <= ${MAX_SCORED} OR place = 1 AS telling FROM weighed))`;
}
