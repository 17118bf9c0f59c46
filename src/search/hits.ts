// Loads the rows of ranked candidates and converts them to hits of the API.
import { sql } from "drizzle-orm";
import { getMemoryStatus } from "../domain/memory-status";
import { TEXT_REACH } from "../domain/short-term/message-neighbourhood";
import { type Database, runBatch } from "../platform/d1";
import type { Signals } from "../schemas/common";
import type { EpisodeHit } from "../schemas/episode";
import type { Memory, MessageHit, RecallHit } from "../schemas/memory";
import type { EpisodeRow } from "../store/episodes/episode-mapping";
import { fromMemoryRow, type MemoryRow } from "../store/memories/memory-mapping";
import { selectUsage } from "../store/memories/usage-counts";
import type { MessageRow } from "../store/sessions/message-repository";
import { selectContextText } from "../store/text-index/memory-context";
import {
  buildRowCondition,
  type Corpus,
  type CorpusKind,
  type RecallFilter,
  type RecallScope,
} from "./corpus";
import type { RankedCandidate, SearchCandidate } from "./rank-fusion";

export type SearchContext = { db: Database; tenant: string; scope: RecallScope };

export type SearchRow = MemoryRow | MessageRow | EpisodeRow;

export type SearchHit = RecallHit | MessageHit | EpisodeHit;

/** `row` is null unless it was read together with the ranking columns. */
export type CorpusCandidate = SearchCandidate & {
  corpus: Corpus;
  row: SearchRow | null;
  type: string | null;
};

/** Rows of each kind beyond the limit that are loaded to replace duplicates and repeats. */
export const SPARE_HITS = 5;

/** A hit with its row, the evidence and context of its memory, and the neighbours of its message; others have none. */
export type LoadedHit = {
  hit: SearchHit;
  row: SearchRow;
  evidence: readonly string[];
  context: string;
  neighbours: readonly NeighbourRow[];
};

type LoadedRow = SearchRow & { context: string };

/** A message near the one with the sequence number `seq`, in the same session. */
type NeighbourRow = Pick<MessageRow, "seq" | "position" | "content">;

/** Loads the rows that were not read yet and omits those that were forgotten in the meantime. */
export async function loadHits(
  { db, tenant, scope }: SearchContext,
  filter: RecallFilter,
  ranked: readonly RankedCandidate<CorpusCandidate>[],
): Promise<LoadedHit[]> {
  const missing = Map.groupBy(
    ranked.filter(({ candidate }) => candidate.row === null),
    ({ candidate }) => candidate.corpus,
  );
  const reads = [...missing].flatMap(([corpus, candidates]) => {
    const seqs = JSON.stringify(candidates.map(({ candidate }) => candidate.seq));
    const context = corpus.kind === "memory" ? selectContextText(tenant) : sql`''`;
    const usage = corpus.kind === "message" ? sql`NULL` : selectUsage(corpus.kind, "m");
    const rows = sql`SELECT m.*, ${usage} AS usage, ${context} AS context FROM json_each(${seqs}) j CROSS JOIN ${sql.raw(corpus.table)} m ON m.seq = j.value
      WHERE ${buildRowCondition(tenant, scope, corpus, filter)}`;
    const neighbours = sql`SELECT m.seq, n.position, n.content FROM json_each(${seqs}) j CROSS JOIN messages m ON m.seq = j.value
      CROSS JOIN messages n ON n.tenant = ${tenant} AND n.session_id = m.session_id
        AND n.position BETWEEN m.position - ${TEXT_REACH} AND m.position + ${TEXT_REACH} AND n.position <> m.position
      WHERE m.tenant = ${tenant}`;
    const { kind } = corpus;
    return [
      { kind, statement: rows },
      ...(kind === "message" ? [{ kind: "neighbour" as const, statement: neighbours }] : []),
    ];
  });
  const results = await runBatch(
    db,
    reads.map(({ statement }) => statement),
  );
  const getRows = (kind: CorpusKind | "neighbour") =>
    reads.flatMap((read, i) => (read.kind === kind ? (results[i] ?? []) : []));
  const rows = new Map(
    [...missing.keys()].flatMap(({ kind }) =>
      (getRows(kind) as LoadedRow[]).map(
        ({ context, ...row }) => [`${kind} ${row.seq}`, { context, row }] as const,
      ),
    ),
  );
  const neighbours = Map.groupBy(getRows("neighbour") as NeighbourRow[], ({ seq }) => seq);
  return ranked.flatMap(({ candidate, score, signals }) => {
    const { kind, seq } = candidate;
    const read = rows.get(`${kind} ${seq}`);
    const row = candidate.row ?? read?.row;
    if (row === undefined) return [];
    const loaded = { ...toLoadedHit(kind, row, score, signals), context: read?.context ?? "" };
    return [kind === "message" ? { ...loaded, neighbours: neighbours.get(seq) ?? [] } : loaded];
  });
}

export function toLoadedHit(kind: CorpusKind, row: SearchRow, score: number, signals: Signals): LoadedHit {
  if (kind === "memory") {
    const memory = fromMemoryRow(row as MemoryRow);
    const hit = toMemoryHit(memory, score, signals);
    return { hit, row, evidence: memory.evidence, context: "", neighbours: [] };
  }
  const hit =
    kind === "message"
      ? toMessageHit(row as MessageRow, score, signals)
      : toEpisodeHit(row as EpisodeRow, score, signals);
  return { hit, row, evidence: [], context: "", neighbours: [] };
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
