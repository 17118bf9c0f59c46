// Lexical search: builds the FTS5 query for any of the search terms within a scope, ranked by BM25.
import { type SQL, sql } from "drizzle-orm";
import { getSeqRange } from "../store/statements";
import type { VectorScope } from "../vectors/vector-index";
import {
  buildRowCondition,
  type Corpus,
  hasConditions,
  type RecallFilter,
  type RecallScope,
  toIndexScope,
} from "./corpus";

/** Rows that a search of a whole tenant may score: about a millisecond per thousand. */
const MAX_SCORED_ROWS = 2_000;

/** All matching rows of a tenant up to this size are scored. */
const SMALL_TENANT_ROWS = 15_000;

/** The newest rows, in which term frequencies are sampled. */
const SAMPLED_ROWS = 500;

export type LexicalSearch = {
  tenant: string;
  scope: RecallScope;
  corpus: Corpus;
  terms: readonly string[];
  filter: RecallFilter;
  limit: number;
};

/** Builds a SELECT of the best rows: `columns` of `m`, and the rank as `bm25`. */
export function buildLexicalQuery(search: LexicalSearch, columns: SQL): SQL {
  const { tenant, scope, corpus, filter, limit } = search;
  const { from, to } = getSeqRange(tenant);
  const fts = sql.raw(corpus.ftsTable);
  // FTS5 returns rows in rank order, so that the filters read only as many rows as needed.
  return sql`SELECT ${columns}, f.rank AS bm25
    FROM ${fts} f CROSS JOIN ${sql.raw(corpus.table)} m ON m.seq = f.rowid
    WHERE ${fts} MATCH ${buildMatchExpression(search)} AND f.rowid > ${from} AND f.rowid < ${to}
      AND ${buildRowCondition(tenant, scope, corpus, filter)}
    ORDER BY f.rank LIMIT ${limit}`;
}

/** Builds the MATCH expression, as a subquery where it depends on stored rows. */
function buildMatchExpression({ tenant, scope, corpus, terms, filter }: LexicalSearch): SQL {
  const within =
    scope.kind === "tenant" ? "" : `scope : (${toScopeExpression(toIndexScope(tenant, scope))}) AND `;
  // A metadata filter may leave only rows with a frequent term.
  const isNarrow = scope.kind !== "tenant" || hasConditions(filter.filter);
  if (isNarrow && corpus.kind !== "message")
    return sql`${`${within}${corpus.ftsColumns} : (${terms.map((term) => `"${term}"`).join(" OR ")})`}`;
  const searched = selectSearchTerms(tenant, corpus, within, terms);
  if (scope.kind !== "tenant") {
    return sql`(WITH ${searched} SELECT ${`${within}${corpus.ftsColumns} : (`} || group_concat('"' || term || '"', ' OR ') || ')' FROM searched)`;
  }
  return selectRareTerms(tenant, corpus, searched);
}

function toScopeExpression({ token, or }: VectorScope): string {
  return or === undefined ? `"${token}"` : `"${token}" OR "${or}"`;
}

/**
 * Builds the CTE `searched (term)`. In messages it excludes speakers' names, which the ranking uses as a signal: as
 * search terms they would find the messages that address the person. A query of names alone keeps them.
 */
function selectSearchTerms(tenant: string, corpus: Corpus, within: string, terms: readonly string[]): SQL {
  const input = sql`input (term) AS (SELECT value FROM json_each(${JSON.stringify(terms)}))`;
  if (corpus.kind !== "message") return sql`${input}, searched (term) AS (SELECT term FROM input)`;
  const { from, to } = getSeqRange(tenant);
  return sql`${input},
    unnamed (term) AS MATERIALIZED (SELECT term FROM input WHERE term GLOB '[0-9]*' OR NOT EXISTS (
      SELECT 1 FROM messages_fts WHERE messages_fts MATCH ${within} || 'who : "' || term || '"'
        AND rowid > ${from} AND rowid < ${to} LIMIT 1)),
    searched (term) AS MATERIALIZED (
      SELECT term FROM unnamed UNION ALL SELECT term FROM input WHERE NOT EXISTS (SELECT 1 FROM unnamed))`;
}

/**
 * Builds the MATCH expression of a whole tenant. BM25 scores every row with any of the terms, so in a large tenant only
 * the rarest terms select rows, as many as match MAX_SCORED_ROWS in total and at least one. Term frequencies are
 * sampled in the newest rows. All terms count in the score of a selected row.
 */
function selectRareTerms(tenant: string, { table, ftsTable, ftsColumns }: Corpus, searched: SQL): SQL {
  const { from, to } = getSeqRange(tenant);
  return sql`(WITH ${searched},
    tail (size, last) AS (
      SELECT last - start, last FROM (
        SELECT ${from} AS start, coalesce((SELECT seq FROM ${sql.raw(table)} WHERE seq > ${from} AND seq < ${to} ORDER BY seq DESC LIMIT 1), ${from}) AS last
      )
    ),
    sampled (term, size, found) AS (
      SELECT term, size, CASE WHEN size > ${SMALL_TENANT_ROWS} THEN (
        SELECT count(*) FROM ${sql.raw(ftsTable)}
        WHERE ${sql.raw(ftsTable)} MATCH ${ftsColumns} || ' : "' || term || '"' AND rowid > last - ${SAMPLED_ROWS} AND rowid <= last
      ) END FROM tail CROSS JOIN searched
    ),
    weighed (term, size, scored, position) AS (
      SELECT term, size, sum(found) OVER (ORDER BY found, term) * size / ${SAMPLED_ROWS}, row_number() OVER (ORDER BY found, term) FROM sampled
    )
    SELECT ${ftsColumns} || ' : ((' || group_concat('"' || term || '"', ' OR ') FILTER (WHERE is_rare) || ')'
      || iif(min(is_rare), '', ' AND (' || group_concat('"' || term || '"', ' OR ') || ')') || ')'
    FROM (SELECT term, size <= ${SMALL_TENANT_ROWS} OR scored <= ${MAX_SCORED_ROWS} OR position = 1 AS is_rare FROM weighed))`;
}
