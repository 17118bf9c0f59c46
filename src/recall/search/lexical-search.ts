// Lexical search: builds the FTS5 query for any of the search terms within a scope, ranked by BM25, and the scan for
// terms that stand within words.
import { type SQL, sql } from "drizzle-orm";
import { getSeqRange } from "../../kernel/databases/statements";
import { stemPorter } from "../../language/words/porter-stem";
import { type SearchTerm, toMatchExpression } from "../../language/words/query-terms";
import { hasUnspacedScript } from "../../language/words/unspaced-scripts";
import { SPEAKER_PHRASE } from "../../memories/store/memory-entry";
import type { SearchTarget } from "../../memories/store/namespace";
import type { TokenFilter } from "../vectors/vector-index";
import {
  buildRowCondition,
  type Corpus,
  type RecallFilter,
  selectCorpusTable,
  toTokenFilter,
} from "./corpus";

// Parts of words: which terms of a query may match a part of a word. Pure.

/** Shorter terms are the beginning of too many words, or stand within too many. */
const MIN_PREFIX_CHARS = 3;
const MIN_INSIDE_CHARS = 4;

/**
 * Whether a term that no text has as a word may be the beginning of one. The text index compares stems, so an inflected
 * word ("pets") would match beginnings that it does not have itself ("Peter").
 */
export function canMatchPrefix(term: string): boolean {
  return term.length >= MIN_PREFIX_CHARS && isSpacedWord(term) && stemPorter(term) === term;
}

/** Whether a term that no word begins with may stand within one. */
export function canMatchInside(term: string): boolean {
  return term.length >= MIN_INSIDE_CHARS && isSpacedWord(term);
}

/** Parts of numbers mean nothing, and a phrase of two characters is not a word. */
function isSpacedWord(term: string): boolean {
  return /^\S*\p{L}\S*$/u.test(term) && !hasUnspacedScript(term);
}

/**
 * Returns the forms in which a term may stand in a text after SQLite's `lower`, which changes ASCII letters only:
 * "übung" may also be "Übung" or "ÜBUNG" there.
 */
function listLetterCases(term: string): string[] {
  const upper = term.toUpperCase();
  const [first = ""] = term;
  const title = first.toUpperCase() + term.slice(first.length);
  return [...new Set([term, title, upper].map((form) => form.replace(/[A-Z]/g, (c) => c.toLowerCase())))];
}

/**
 * The oldest and the newest rows with a term, from which its frequency is estimated first. They are enough unless the
 * estimates come near the bound on postings.
 */
const SAMPLED_ROWS = 64;

/** The share of the bound on postings up to which estimates suffice. */
const CERTAIN_SHARE = 0.5;

/**
 * Otherwise a term's rows are counted up to this number; beyond it the frequency is estimated from how densely they lie.
 * Counting takes about a quarter of a microsecond a row, and D1 bills every row.
 */
const COUNTED_ROWS = 1_000;

/** Postings that may be scored, as a multiple of those that may select rows: they cost a fraction of them. */
const SCORED_PER_SELECTED = 3;

/** The newest rows with a term in which a visible one is looked for. */
const CHECKED_ROWS = 64;

/** Terms of a query that may match the beginnings of words, each of which reads the rows of many words. */
const MAX_PREFIX_TERMS = 4;

/** Terms of a query that are looked for within words, and the characters of a row in which they are. */
const MAX_PART_TERMS = 4;
const SCANNED_CHARS = 4_000;

/** The newest rows of a scope in which a term is looked for within words: less than a millisecond. */
const SCANNED_ROWS = 500;

type LexicalSearch = {
  tenant: string;
  scope: SearchTarget;
  corpus: Corpus;
  terms: readonly SearchTerm[];
  filter: RecallFilter;
  limit: number;
  /** The postings that may select rows: see `planMatch`. */
  postings: number;
};

/** Builds a SELECT of the best rows: `columns` of `m`, and the rank as `bm25`. */
export function buildLexicalQuery(search: LexicalSearch, columns: SQL): SQL {
  const { tenant, scope, corpus, filter, limit, postings } = search;
  const { to } = getSeqRange(tenant);
  const fts = sql.raw(corpus.ftsTable);
  // The sign keeps FTS5 from sorting by rank itself: it would count the postings of each term in the rows of all tenants
  // twice, once to sort and once to return the rank. The inner LIMIT keeps the order, so that the conditions read only as
  // many rows as needed.
  return sql`WITH ${planMatch(search)}
    SELECT ${columns}, f.bm25
    FROM (SELECT f.rowid AS seq, +f.rank AS bm25 FROM plan CROSS JOIN ${fts} f
        WHERE ${fts} MATCH plan.expression AND f.rowid >= plan.first AND f.rowid < ${to} ORDER BY bm25 LIMIT ${postings}) f
      CROSS JOIN ${selectCorpusTable(corpus, filter)} m ON m.seq = f.seq
    WHERE ${buildRowCondition(tenant, scope, corpus, filter)} LIMIT ${limit}`;
}

/**
 * Builds a SELECT of the newest rows with a term within a word: `columns` of `m`, and the number of such terms as
 * `parts`. Looks only for terms that the index has neither as a word nor as the beginning of one. Null if no term
 * qualifies.
 */
export function buildPartsQuery(search: LexicalSearch, columns: SQL): SQL | null {
  const { tenant, scope, corpus, filter, limit } = search;
  const terms = search.terms.filter(({ term }) => canMatchInside(term));
  if (terms.length === 0) return null;
  const { from, to } = getSeqRange(tenant);
  const forms = terms.flatMap(({ term, forms: all }) =>
    all
      .filter(canMatchInside)
      .flatMap(listLetterCases)
      .map((form) => ({ term, form })),
  );
  const table = selectCorpusTable(corpus, filter);
  const fts = sql.raw(corpus.ftsTable);
  const limited = sql`LIMIT iif(EXISTS (SELECT 1 FROM missing), ${SCANNED_ROWS}, 0)`;
  const newest =
    scope.kind === "tenant"
      ? sql`(SELECT * FROM ${table} WHERE seq > ${from} AND seq < ${to} ORDER BY seq DESC ${limited}) m`
      : sql`(SELECT rowid AS seq FROM ${fts} WHERE ${fts} MATCH ${`scope : (${toScopeExpression(toTokenFilter(tenant, scope))})`}
            AND rowid > ${from} AND rowid < ${to} ORDER BY rowid DESC ${limited}) n CROSS JOIN ${table} m ON m.seq = n.seq`;
  return sql`WITH ${describeTerms(terms)},
    unknown (term, prefix) AS MATERIALIZED (
      SELECT term, prefix FROM input WHERE NOT ${isIndexed(search, sql`phrase`)} ORDER BY length(term) DESC LIMIT ${MAX_PART_TERMS}),
    missing (term, form) AS MATERIALIZED (
      SELECT u.term, value ->> '$.form' FROM unknown u CROSS JOIN json_each(${JSON.stringify(forms)})
      WHERE value ->> '$.term' = u.term AND NOT (u.prefix AND ${isIndexed(search, sql`'"' || term || '"*'`)}))
    SELECT ${columns}, (SELECT count(DISTINCT term) FROM missing
        WHERE instr(lower(substr(${corpus.ownText}, 1, ${SCANNED_CHARS})), form) > 0) AS parts
    FROM ${newest} WHERE ${buildRowCondition(tenant, scope, corpus, filter)} AND parts > 0
    ORDER BY parts DESC, m.seq DESC LIMIT ${limit}`;
}

/** Builds the CTE `input (term, prefix, phrase)`: the terms, whether each may begin a word, and its forms for FTS5. */
function describeTerms(terms: readonly SearchTerm[]): SQL {
  const described = terms.map((one) => ({
    term: one.term,
    prefix: canMatchPrefix(one.term),
    phrase: toMatchExpression(one),
  }));
  return sql`input (term, prefix, phrase) AS (
      SELECT value ->> '$.term', value ->> '$.prefix', value ->> '$.phrase' FROM json_each(${JSON.stringify(described)}))`;
}

/**
 * Builds the condition that a visible row matches an FTS5 phrase. Only the newest rows with the phrase are looked at,
 * and a metadata filter is not considered.
 */
function isIndexed(search: LexicalSearch, phrase: SQL): SQL {
  const { tenant, scope, corpus, filter } = search;
  return sql`EXISTS (SELECT 1 FROM (${selectRows(search, phrase)} ORDER BY rowid DESC LIMIT ${CHECKED_ROWS}) f
      CROSS JOIN ${selectCorpusTable(corpus, filter)} m ON m.seq = f.rowid
    WHERE ${buildRowCondition(tenant, scope, corpus, { ...filter, filter: {} })})`;
}

/** Builds a SELECT of the row ids in scope that match a phrase. */
function selectRows({ tenant, scope, corpus }: LexicalSearch, phrase: SQL): SQL {
  const { from, to } = getSeqRange(tenant);
  const fts = sql.raw(corpus.ftsTable);
  return sql`SELECT rowid FROM ${fts} WHERE ${fts} MATCH ${`${withinScope(tenant, scope)}${corpus.ftsColumns} : `} || ${phrase}
    AND rowid > ${from} AND rowid < ${to}`;
}

function withinScope(tenant: string, scope: SearchTarget): string {
  return scope.kind === "tenant" ? "" : `scope : (${toScopeExpression(toTokenFilter(tenant, scope))}) AND `;
}

function toScopeExpression({ token, or }: TokenFilter): string {
  return or === undefined ? `"${token}"` : `"${token}" OR "${or}"`;
}

/**
 * Builds the CTE `plan (expression, first)`: the MATCH expression, and the first row id that it may match.
 *
 * FTS5 reads every posting of every term in the expression and scores every row that it selects, so both are bounded.
 * Terms are taken from the rarest on. Those with up to `postings` postings in total, and at least the first, select rows.
 * Those with up to three times as many only count in the score of the selected rows. The others are left out: they are
 * the most common ones, which tell rows apart least. If the rarest term alone exceeds the bound, its newest rows count.
 */
function planMatch(search: LexicalSearch): SQL {
  const { tenant, scope, corpus, postings } = search;
  const { from } = getSeqRange(tenant);
  const inScope = withinScope(tenant, scope);
  const newest = sql`SELECT min(rowid) FROM (${selectRows(search, sql`rarest`)} ORDER BY rowid DESC LIMIT ${postings})`;
  // Each step reads the one before it once: SQLite expands a step for each time that it is named, and all that lies before
  // it again. Steps are materialised because their look-ups would be repeated wherever the next step uses them.
  return sql`${countTerms(search)},
    affordable (term, phrase, found) AS MATERIALIZED (
      SELECT term, phrase, found FROM (SELECT *, ${sumBefore} AS before FROM counted)
      WHERE before + found <= ${postings * SCORED_PER_SELECTED} OR before = 0),
    ${selectTerms(search)},
    weighed (phrase, found, selects, rarest) AS (
      SELECT phrase, found, before + found <= ${postings} OR before = 0, rarest
      FROM (SELECT *, ${sumBefore} AS before, first_value(phrase) OVER (ORDER BY found, phrase) AS rarest FROM selected)),
    plan (expression, first) AS MATERIALIZED (
      SELECT ${`${inScope}${corpus.ftsColumns} : ((`} || selecting || ')' || iif(isAll, '', ' AND (' || scoring || ')') || ')',
        iif(found > ${postings}, (${newest}), ${from} + 1)
      FROM (SELECT group_concat(phrase, ' OR ') FILTER (WHERE selects) AS selecting, group_concat(phrase, ' OR ') AS scoring,
          min(selects) AS isAll, min(found) AS found, rarest FROM weighed))`;
}

/** The postings of the rarer terms. */
const sumBefore = sql`coalesce(sum(found) OVER (ORDER BY found, phrase ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)`;

/**
 * Builds the CTE `counted (term, phrase, found)`: the terms with the number of their rows in scope. A term that no row
 * has as a word matches the beginnings of words; only the longest such terms do.
 *
 * The number is estimated from how densely the oldest and the newest rows with the term lie. If the estimates come near
 * the bound on postings, more rows are counted.
 */
function countTerms(search: LexicalSearch): SQL {
  const { tenant, corpus, terms, postings } = search;
  const { from, to } = getSeqRange(tenant);
  const estimate = (limit: number, order: SQL, span: SQL) =>
    sql`(SELECT iif(count(*) < ${limit}, count(*), count(*) * (last - first) / (${span}))
        FROM (${selectRows(search, sql`phrase`)} ${order} LIMIT ${limit}))`;
  const estimateFromOldest = (limit: number) => estimate(limit, sql``, sql`max(rowid) - first`);
  const estimateFromNewest = estimate(SAMPLED_ROWS, sql`ORDER BY rowid DESC`, sql`last - min(rowid) + 1`);
  return sql`${describeTerms(terms)},
    known (term, phrase, isUnknown) AS MATERIALIZED (
      SELECT term, phrase, prefix AND NOT ${isIndexed(search, sql`phrase`)} FROM input),
    phrases (term, phrase) AS MATERIALIZED (
      SELECT term, iif(isUnknown AND row_number() OVER (ORDER BY isUnknown DESC, length(term) DESC) <= ${MAX_PREFIX_TERMS},
        '"' || term || '"*', phrase) FROM known),
    oldest (term, phrase, first, last, found) AS MATERIALIZED (
      SELECT term, phrase, first, last, ${estimateFromOldest(SAMPLED_ROWS)}
      FROM (SELECT ${from} AS first, (SELECT seq FROM ${sql.raw(corpus.table)} WHERE seq > ${from} AND seq < ${to}
          ORDER BY seq DESC LIMIT 1) AS last) CROSS JOIN phrases),
    sampled (term, phrase, first, last, found) AS MATERIALIZED (
      SELECT term, phrase, first, last, iif(found < ${SAMPLED_ROWS}, found, max(found, ${estimateFromNewest})) FROM oldest),
    counted (term, phrase, found) AS MATERIALIZED (
      SELECT term, phrase, iif(found < ${SAMPLED_ROWS} OR total <= ${postings * CERTAIN_SHARE}, found, ${estimateFromOldest(COUNTED_ROWS)})
      FROM (SELECT *, sum(found) OVER () AS total FROM sampled))`;
}

/**
 * Builds the CTE `selected (phrase, found)`. It excludes the names of speakers, which the ranking uses as a signal: as
 * search terms they would find the messages that address the person. A query of names alone keeps them.
 */
function selectTerms({ tenant, scope, corpus }: LexicalSearch): SQL {
  if (corpus.kind === "episode")
    return sql`selected (phrase, found) AS (SELECT phrase, found FROM affordable)`;
  const { from, to } = getSeqRange(tenant);
  const fts = sql.raw(corpus.ftsTable);
  const isBySpeaker = corpus.kind === "message" ? sql`'who : "' || term || '"'` : SPEAKER_PHRASE;
  return sql`named (phrase, found, isName) AS MATERIALIZED (
      SELECT phrase, found, term NOT GLOB '[0-9]*' AND EXISTS (
        SELECT 1 FROM ${fts} WHERE ${fts} MATCH ${withinScope(tenant, scope)} || ${isBySpeaker}
          AND rowid > ${from} AND rowid < ${to} LIMIT 1) FROM affordable),
    selected (phrase, found) AS MATERIALIZED (
      SELECT phrase, found FROM (SELECT *, min(isName) OVER () AS areNames FROM named) WHERE NOT isName OR areNames)`;
}
