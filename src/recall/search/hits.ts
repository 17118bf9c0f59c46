// Loads the rows of ranked candidates and converts them to hits of the API.
import { type SQL, sql } from "drizzle-orm";
import type { EpisodeRow } from "../../experience/episodes/episode-mapping";
import type { EpisodeHit } from "../../experience/episodes/episode-schemas";
import type { Signals } from "../../kernel/common";
import { type Database, runBatch } from "../../kernel/databases/d1";
import { TEXT_REACH } from "../../language/message-neighbourhood";
import { getMemoryStatus, type Memory, type MessageHit, type RecallHit } from "../../memories/memory-schemas";
import { selectContextText } from "../../memories/store/memory-entry";
import { fromMemoryRow, type MemoryRow } from "../../memories/store/memory-mapping";
import { getTopicText } from "../../memories/store/memory-topics";
import type { SearchTarget } from "../../memories/store/namespace";
import { selectUsage } from "../../memories/usage/usage-counts";
import type { MessageRow } from "../../sessions/message-repository";
import {
  buildRowCondition,
  type Corpus,
  type CorpusKind,
  type RecallFilter,
  selectCorpusTable,
} from "./corpus";
import type { RankedCandidate, SearchCandidate } from "./rank-fusion";

export type SearchContext = { db: Database; tenant: string; scope: SearchTarget };

export type SearchRow = MemoryRow | MessageRow | EpisodeRow;

export type SearchHit = RecallHit | MessageHit | EpisodeHit;

export type CorpusCandidate = SearchCandidate & {
  corpus: Corpus;
  /** The id in the vector index. */
  vectorId: string;
  type: string | null;
  /** Null if its whole row was not read yet. */
  loaded: LoadedRow | null;
};

/** Rows of each kind beyond the limit that are loaded to replace duplicates and repeats. */
export const SPARE_HITS = 5;

/**
 * A hit with its row, the evidence, topic and context of its memory, and the neighbours of its message; others have none.
 */
export type LoadedHit = LoadedRow & { hit: SearchHit; evidence: readonly string[]; topic: string };

type LoadedRow = { row: SearchRow; context: string; neighbours: readonly NeighbourRow[] };

/** A message near the one with the sequence number `seq`, in the same session. */
type NeighbourRow = Pick<MessageRow, "seq" | "position" | "content">;

/** A statement that reads whole rows, the neighbours of messages, or only the columns that the ranking needs. */
export type HitRead = { corpus: Corpus; part: "rows" | "neighbours" | "columns"; statement: SQL };

/** The rows to read, by sequence number or by id in the vector index; `columns` are read besides the whole rows. */
type RowSelection = { seqs: readonly number[] } | { vectorIds: readonly string[]; columns: SQL };

/** Builds the statements that read rows of a corpus with their context and neighbours; none for an empty selection. */
export function buildHitReads(
  { tenant, scope }: Omit<SearchContext, "db">,
  filter: RecallFilter,
  corpus: Corpus,
  selection: RowSelection,
): HitRead[] {
  const bySeq = "seqs" in selection;
  const keys = bySeq ? selection.seqs : selection.vectorIds;
  if (keys.length === 0) return [];
  const joined = bySeq
    ? sql`m.seq = j.value`
    : sql`m.tenant = ${tenant} AND m.${sql.raw(corpus.vectorId)} = j.value`;
  const usage = corpus.kind === "message" ? sql`NULL` : selectUsage(corpus.kind, "m");
  const columns = bySeq ? sql`m.*, ${usage} AS usage` : sql`m.*, ${selection.columns}`;
  const context = corpus.kind === "memory" ? selectContextText(tenant) : sql`''`;
  const from = sql`FROM json_each(${JSON.stringify(keys)}) j CROSS JOIN ${selectCorpusTable(corpus, filter)} m ON ${joined}`;
  const rows = sql`SELECT ${columns}, ${context} AS context ${from}
    WHERE ${buildRowCondition(tenant, scope, corpus, filter)}`;
  if (corpus.kind !== "message") return [{ corpus, part: "rows", statement: rows }];
  // A message that is left out is not used as context for its neighbours.
  const isShown = filter.withoutOutdated === true ? sql`AND n.outdated = 0` : sql``;
  const neighbours = sql`SELECT m.seq, n.position, n.content ${from}
      CROSS JOIN messages n ON n.tenant = ${tenant} AND n.session_id = m.session_id
        AND n.position BETWEEN m.position - ${TEXT_REACH} AND m.position + ${TEXT_REACH} AND n.position <> m.position ${isShown}
      WHERE m.tenant = ${tenant}`;
  return [
    { corpus, part: "rows", statement: rows },
    { corpus, part: "neighbours", statement: neighbours },
  ];
}

/** Returns the rows of `buildHitReads` by kind and sequence number. */
export function collectHitRows(
  reads: readonly HitRead[],
  results: readonly unknown[][],
): Map<string, LoadedRow> {
  const getRows = (part: HitRead["part"]) =>
    reads.flatMap((read, i) =>
      read.part === part ? (results[i] ?? []).map((row) => ({ kind: read.corpus.kind, row })) : [],
    );
  const neighbours = Map.groupBy(
    getRows("neighbours").map(({ row }) => row as NeighbourRow),
    ({ seq }) => seq,
  );
  return new Map(
    getRows("rows").map(({ kind, row: read }) => {
      const { context, ...row } = read as SearchRow & { context: string };
      const near = kind === "message" ? (neighbours.get(row.seq) ?? []) : [];
      return [`${kind} ${row.seq}`, { row, context, neighbours: near }] as const;
    }),
  );
}

/** Loads the rows that were not read yet and omits those that were forgotten in the meantime. */
export async function loadHits(
  context: SearchContext,
  filter: RecallFilter,
  ranked: readonly RankedCandidate<CorpusCandidate>[],
): Promise<LoadedHit[]> {
  const missing = Map.groupBy(
    ranked.filter(({ candidate }) => candidate.loaded === null),
    ({ candidate }) => candidate.corpus,
  );
  const reads = [...missing].flatMap(([corpus, candidates]) =>
    buildHitReads(context, filter, corpus, { seqs: candidates.map(({ candidate }) => candidate.seq) }),
  );
  const results = await runBatch(
    context.db,
    reads.map(({ statement }) => statement),
  );
  const rows = collectHitRows(reads, results);
  return ranked.flatMap(({ candidate, score, signals }) => {
    const { kind, seq } = candidate;
    const loaded = candidate.loaded ?? rows.get(`${kind} ${seq}`);
    return loaded === undefined ? [] : [{ ...toLoadedHit(kind, loaded.row, score, signals), ...loaded }];
  });
}

export function toLoadedHit(kind: CorpusKind, row: SearchRow, score: number, signals: Signals): LoadedHit {
  if (kind === "memory") {
    const memory = fromMemoryRow(row as MemoryRow);
    const hit = toMemoryHit(memory, score, signals);
    return { hit, row, evidence: memory.evidence, topic: getTopicText(memory), context: "", neighbours: [] };
  }
  const hit =
    kind === "message"
      ? toMessageHit(row as MessageRow, score, signals)
      : toEpisodeHit(row as EpisodeRow, score, signals);
  return { hit, row, evidence: [], topic: "", context: "", neighbours: [] };
}

function toMemoryHit(memory: Memory, score: number, signals: Signals): RecallHit {
  const { id, content, type, confidence, timestamp, session_id, user_id, agent_id, project_id } = memory;
  const { source_type, rationale, superseded_by, access_count, metadata, tags } = memory;
  return {
    id,
    kind: "memory",
    content,
    type,
    confidence,
    status: getMemoryStatus(memory),
    timestamp,
    session_id,
    user_id,
    agent_id,
    project_id,
    source_type,
    rationale,
    score,
    signals,
    superseded_by,
    access_count,
    metadata,
    tags,
  };
}

function toMessageHit(row: MessageRow, score: number, signals: Signals): MessageHit {
  const { id, content, role, name, timestamp, session_id, user_id, agent_id, project_id } = row;
  return {
    id,
    kind: "message",
    content,
    role: role as MessageHit["role"],
    name,
    timestamp,
    session_id,
    user_id,
    agent_id,
    project_id,
    score,
    signals,
  };
}

function toEpisodeHit(row: EpisodeRow, score: number, signals: Signals): EpisodeHit {
  const { id, goal, outcome, timestamp, user_id, agent_id, project_id } = row;
  return {
    id,
    kind: "episode",
    content: goal,
    outcome: outcome as EpisodeHit["outcome"],
    timestamp,
    user_id,
    agent_id,
    project_id,
    score,
    signals,
  };
}
