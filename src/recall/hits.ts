// A row of D1 as a hit, as the contract shows it.
import type { MessageRow } from "../long-term/messages";
import { fromRow, type MemoryRow } from "../long-term/rows";
import type { Memory, MessageHit, RecallHit, Signals } from "../schemas/memory";
import type { CorpusKind } from "./corpus";

export type Row = MemoryRow | MessageRow;

export type Hit = RecallHit | MessageHit;

export function toHit(kind: CorpusKind, row: Row, score: number, signals: Signals): Hit {
  return kind === "memory"
    ? memoryHit(fromRow(row as MemoryRow), score, signals)
    : messageHit(row as MessageRow, score, signals);
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
