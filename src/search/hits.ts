// A row of D1 as a hit, as the contract shows it.

import type { Signals } from "../schemas/common";
import type { EpisodeHit } from "../schemas/episode";
import type { Memory, MessageHit, RecallHit } from "../schemas/memory";
import type { EpisodeRow } from "../store/episodes/episode-queries";
import { fromRow, type MemoryRow } from "../store/memories/memory-rows";
import type { MessageRow } from "../store/sessions/message-copies";
import type { CorpusKind } from "./corpus";

export type Row = MemoryRow | MessageRow | EpisodeRow;

export type Hit = RecallHit | MessageHit | EpisodeHit;

export function toHit(kind: CorpusKind, row: Row, score: number, signals: Signals): Hit {
  if (kind === "memory") return memoryHit(fromRow(row as MemoryRow), score, signals);
  return kind === "message"
    ? messageHit(row as MessageRow, score, signals)
    : episodeHit(row as EpisodeRow, score, signals);
}

function memoryHit(memory: Memory, score: number, signals: Signals): RecallHit {
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

function messageHit(row: MessageRow, score: number, signals: Signals): MessageHit {
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

function episodeHit(row: EpisodeRow, score: number, signals: Signals): EpisodeHit {
  const { id, goal, outcome, timestamp, agent_id, project_id } = row;
  return {
    id,
    kind: "episode",
    content: goal,
    outcome: outcome as EpisodeHit["outcome"],
    timestamp,
    agent_id,
    project_id,
    score,
    signals,
  };
}
