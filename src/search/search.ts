// Recall: candidates by text and by meaning, ranked by weighted signals, each hit explained. D1 has the last word on
// what is found: whatever an index says, a hit is a row that meets the conditions now.
import { sql } from "drizzle-orm";
import type { Indexing } from "../indexing/indexing";
import { type Database, readAll } from "../platform/d1";
import type { ProviderQuery } from "../schemas/directive";
import { DEFAULT_RANKING, type RankingOptions, type RecallInput } from "../schemas/memory";
import type { Collection } from "../store/items/item-repository";
import type { Semantic } from "../vectors/semantic-services";
import { CORPORA, type Corpus, filters, type RecallFilter, type RecallScope } from "./corpus";
import { type Hit, type Row, toHit } from "./hits";
import { type Candidate, type Mode, type Ranked, rank } from "./rank-fusion";
import { complete, type Placed, readCandidates, type Where } from "./search-candidates";
import { findItemsByMeaning, requireSemantic } from "./search-items";
import { type Found, findByMeaning, type MeaningSearch, NoMeaning } from "./semantic-search";

export type RecallRequest = RecallFilter & {
  query?: string | undefined;
  limit: number;
  mode: Mode;
  sources: RecallInput["sources"];
  ranking: RankingOptions;
  /** Which of the ranked are wanted; the first `limit`, if it is not given. */
  choose?: (ranked: readonly Ranked<Placed>[]) => Ranked<Placed>[];
};

/** What is recalled for a prompt: whatever is live, of any type and time, by text and by meaning. */
export const FOR_PROMPT = {
  type: "all",
  include_superseded: false,
  since: undefined,
  until: undefined,
  mode: "hybrid",
  sources: ["memories"],
  ranking: DEFAULT_RANKING,
} satisfies Partial<RecallRequest>;

export type Recalled = {
  hits: Hit[];
  /** The row of each hit, for who needs more of it. */
  rows: Row[];
  /** How it was really searched, and why that is not what was asked for. */
  mode: Mode;
  degraded: string | null;
  /** Some of what is new is not in the vectors yet: it was found by its words alone. */
  missed: boolean;
};

type Context = Where & { semantic: Semantic | null };

export type Search = ReturnType<typeof createSearch>;

export function createSearch(options: {
  db: Database;
  tenant: string;
  semantic: Semantic | null;
  indexing: Indexing;
}) {
  return {
    /** Searches memories, messages and episodes within a scope. */
    recall: (scope: RecallScope, request: RecallRequest) => recall({ ...options, scope }, request),
    /** Searches the items of one collection by similarity. */
    searchItems: (collection: Collection, query: ProviderQuery) =>
      findItemsByMeaning({ ...options, collection }, query),
    /** Throws if no embedder is configured. */
    requireEmbedder: () => void requireSemantic(options.semantic),
  };
}

export async function recall(context: Context, request: RecallRequest): Promise<Recalled> {
  const query = request.query?.trim() ?? "";
  const corpora = [...new Set(request.sources)].map((source) => CORPORA[source]);
  if (query === "") return newest(context, corpora, request);

  const { found, mode, degraded, missed } = await meaning(
    { ...context, corpora, filter: request, query },
    request.mode,
  );
  const read = await readCandidates(context, corpora, { ...request, query, mode }, found);
  // Beside the text, the meaning adds only what has something to do with the question; alone, whatever is at all near.
  const floor = request.mode === "hybrid" ? (context.semantic?.embedder.minRelatedCosine ?? 0) : 0;
  const candidates = read.filter(({ bm25, cosine }) => bm25 !== null || (cosine ?? 0) > floor);
  const cutOff = Object.fromEntries(corpora.map(({ kind }, i) => [kind, found?.[i]?.cutOff ?? 0]));
  const ranked = rank(candidates, { query, mode, ranking: request.ranking, cutOff });
  const wanted = request.choose?.(ranked) ?? ranked.slice(0, request.limit);
  return { ...(await complete(context, request, wanted)), mode, degraded, missed };
}

type Meaning = Omit<Recalled, "hits" | "rows"> & { found: Found[] | null };

/** What was found by meaning, and how to search on: by text where the vectors cannot tell, or cannot tell all. */
async function meaning(search: MeaningSearch, asked: Mode): Promise<Meaning> {
  if (asked === "text") return { found: null, mode: "text", degraded: null, missed: false };
  try {
    const { found, incomplete } = await findByMeaning(search);
    if (incomplete === null) return { found, mode: asked, degraded: null, missed: false };
    return {
      found,
      mode: "hybrid",
      degraded: asked === "hybrid" ? null : `${incomplete} Searched by text, too.`,
      missed: true,
    };
  } catch (error) {
    if (!(error instanceof NoMeaning)) throw error;
    return { found: null, mode: "text", degraded: `${error.message} Answered by text.`, missed: false };
  }
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
        corpus.kind === "message" ? sql`m.timestamp DESC, m.seq DESC` : sql`m.timestamp DESC, m.id`;
      const rows = await readAll<Row & Candidate>(
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
    cutOff: {},
  } as const;
  const first = rank(lists.flat(), options)
    .toSorted((a, b) => Date.parse(b.candidate.timestamp) - Date.parse(a.candidate.timestamp))
    .slice(0, request.limit);
  return {
    hits: first.map(({ candidate, score, signals }) => toHit(candidate.kind, candidate.row, score, signals)),
    rows: first.map(({ candidate }) => candidate.row),
    mode: "text",
    degraded: null,
    missed: false,
  };
}
