// Lexical search: builds the FTS5 query for any of the search terms within a scope, ranked by BM25, and the scan for
// terms that stand within words.
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
import { canMatchInside, canMatchPrefix, listLetterCases } from "./word-parts";

/** Rows that a search of a whole tenant may score: about a millisecond per thousand. */
const MAX_SCORED_ROWS = 2_000;

/** All matching rows of a tenant up to this size are scored. */
const SMALL_TENANT_ROWS = 15_000;

/** The newest rows, in which term frequencies are sampled. */
const SAMPLED_ROWS = 500;

/** The newest rows of a scope in which a term is looked for within words: less than a millisecond. */
const SCANNED_ROWS = 500;

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

/**
 * Builds a SELECT of the newest rows with a term within a word: `columns` of `m`, and the number of such terms as
 * `parts`. Looks only for terms that the index has neither as a word nor as the beginning of one. Null if no term
 * qualifies.
 */
export function buildPartsQuery(search: LexicalSearch, columns: SQL): SQL | null {
  const { tenant, scope, corpus, filter, limit } = search;
  const terms = search.terms.filter(canMatchInside);
  if (terms.length === 0) return null;
  const { from, to } = getSeqRange(tenant);
  const forms = terms.flatMap((term) =>
    listLetterCases(term).map((form) => ({ term, prefix: canMatchPrefix(term), form })),
  );
  const newest =
    scope.kind === "tenant"
      ? sql`SELECT seq FROM ${sql.raw(corpus.table)} WHERE seq > ${from} AND seq < ${to} ORDER BY seq DESC`
      : sql`SELECT rowid AS seq FROM ${sql.raw(corpus.ftsTable)}
          WHERE ${sql.raw(corpus.ftsTable)} MATCH ${`scope : (${toScopeExpression(toIndexScope(tenant, scope))})`}
            AND rowid > ${from} AND rowid < ${to} ORDER BY rowid DESC`;
  return sql`WITH input (term, prefix, form) AS (
      SELECT value ->> '$.term', value ->> '$.prefix', value ->> '$.form' FROM json_each(${JSON.stringify(forms)})),
    missing (term, form) AS MATERIALIZED (
      SELECT term, form FROM input WHERE NOT ${isIndexed(search, sql`'"'`)}
        AND NOT (prefix AND ${isIndexed(search, sql`'"*'`)}))
    SELECT ${columns}, (SELECT count(DISTINCT term) FROM missing WHERE instr(lower(${corpus.ownText}), form) > 0) AS parts
    FROM (${newest} LIMIT iif(EXISTS (SELECT 1 FROM missing), ${SCANNED_ROWS}, 0)) n
      CROSS JOIN ${sql.raw(corpus.table)} m ON m.seq = n.seq
    WHERE ${buildRowCondition(tenant, scope, corpus, filter)} AND parts > 0
    ORDER BY parts DESC, n.seq DESC LIMIT ${limit}`;
}

/**
 * Builds the condition that a visible row matches the column `term` as a word, or as the beginning of one if it ends
 * with `"*`. A metadata filter is not considered.
 */
function isIndexed({ tenant, scope, corpus, filter }: LexicalSearch, end: SQL): SQL {
  const { from, to } = getSeqRange(tenant);
  const fts = sql.raw(corpus.ftsTable);
  return sql`EXISTS (SELECT 1 FROM ${fts} f CROSS JOIN ${sql.raw(corpus.table)} m ON m.seq = f.rowid
    WHERE ${fts} MATCH ${`${withinScope(tenant, scope)}${corpus.ftsColumns} : "`} || term || ${end}
      AND f.rowid > ${from} AND f.rowid < ${to}
      AND ${buildRowCondition(tenant, scope, corpus, { ...filter, filter: {} })})`;
}

/** Builds the MATCH expression, which depends on stored rows. */
function buildMatchExpression(search: LexicalSearch): SQL {
  const { tenant, scope, corpus, filter } = search;
  const searched = selectSearchTerms(search);
  // A metadata filter may leave only rows with a frequent term.
  if (scope.kind === "tenant" && !hasConditions(filter.filter))
    return selectRareTerms(tenant, corpus, searched);
  return sql`(WITH ${searched} SELECT ${`${withinScope(tenant, scope)}${corpus.ftsColumns} : (`} || group_concat(phrase, ' OR ') || ')' FROM searched)`;
}

function withinScope(tenant: string, scope: RecallScope): string {
  return scope.kind === "tenant" ? "" : `scope : (${toScopeExpression(toIndexScope(tenant, scope))}) AND `;
}

function toScopeExpression({ token, or }: VectorScope): string {
  return or === undefined ? `"${token}"` : `"${token}" OR "${or}"`;
}

/**
 * Builds the CTE `searched (phrase)`. A term that no row has as a word matches the beginnings of words. In messages it
 * excludes speakers' names, which the ranking uses as a signal: as search terms they would find the messages that
 * address the person. A query of names alone keeps them.
 */
function selectSearchTerms(search: LexicalSearch): SQL {
  const { tenant, scope, corpus, terms } = search;
  const input = sql`input (term, prefix) AS (SELECT value ->> '$.term', value ->> '$.prefix'
    FROM json_each(${JSON.stringify(terms.map((term) => ({ term, prefix: canMatchPrefix(term) })))}))`;
  const toPhrases = (table: SQL) =>
    sql`searched (phrase) AS MATERIALIZED (SELECT '"' || term || iif(prefix AND NOT ${isIndexed(search, sql`'"'`)}, '"*', '"') FROM ${table})`;
  if (corpus.kind !== "message") return sql`${input}, ${toPhrases(sql`input`)}`;
  const { from, to } = getSeqRange(tenant);
  return sql`${input},
    unnamed (term, prefix) AS MATERIALIZED (SELECT term, prefix FROM input WHERE term GLOB '[0-9]*' OR NOT EXISTS (
      SELECT 1 FROM messages_fts WHERE messages_fts MATCH ${withinScope(tenant, scope)} || 'who : "' || term || '"'
        AND rowid > ${from} AND rowid < ${to} LIMIT 1)),
    kept (term, prefix) AS MATERIALIZED (
      SELECT term, prefix FROM unnamed UNION ALL SELECT term, prefix FROM input WHERE NOT EXISTS (SELECT 1 FROM unnamed)),
    ${toPhrases(sql`kept`)}`;
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
    sampled (phrase, size, found) AS (
      SELECT phrase, size, CASE WHEN size > ${SMALL_TENANT_ROWS} THEN (
        SELECT count(*) FROM ${sql.raw(ftsTable)}
        WHERE ${sql.raw(ftsTable)} MATCH ${ftsColumns} || ' : ' || phrase AND rowid > last - ${SAMPLED_ROWS} AND rowid <= last
      ) END FROM tail CROSS JOIN searched
    ),
    weighed (phrase, size, scored, position) AS (
      SELECT phrase, size, sum(found) OVER (ORDER BY found, phrase) * size / ${SAMPLED_ROWS}, row_number() OVER (ORDER BY found, phrase) FROM sampled
    )
    SELECT ${ftsColumns} || ' : ((' || group_concat(phrase, ' OR ') FILTER (WHERE is_rare) || ')'
      || iif(min(is_rare), '', ' AND (' || group_concat(phrase, ' OR ') || ')') || ')'
    FROM (SELECT phrase, size <= ${SMALL_TENANT_ROWS} OR scored <= ${MAX_SCORED_ROWS} OR position = 1 AS is_rare FROM weighed))`;
}
