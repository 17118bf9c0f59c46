// The answers and calls of ledgers and handoffs.
import { type Client, fresh } from "../support/client";
import { bodyOf } from "../support/expectations";

type Fields = Record<string, unknown>;

type Ledger = {
  agent_id: string;
  version: number;
  last_checkpoint: string;
  tasks_completed: number;
  current_task: string | null;
  state: Fields;
  context: Fields;
};

export type Handoff = {
  id: string;
  from_agent: string;
  to_agent: string;
  timestamp: string;
  project_id: string | null;
  context: Fields & {
    what_was_done: string;
    artifacts: string[];
    git_state: string | null;
    needs_testing: string[];
    known_issues: string[];
    relevant_patterns: string[];
  };
  status: "pending" | "acknowledged";
  acknowledged_by: string | null;
  acknowledged_at: string | null;
};

export async function checkpoint(api: Client, agent: string, body: Fields): Promise<Ledger> {
  return bodyOf(await api.put<Ledger>(`/v1/ledgers/${agent}`, body), 200);
}

/** Hands something to an agent. */
export async function handOff(api: Client, to_agent: string, more: Fields = {}): Promise<Handoff> {
  const body = { from_agent: fresh("sender"), to_agent, context: { what_was_done: "Began" }, ...more };
  return bodyOf(await api.post<Handoff>("/v1/handoffs", body), 201);
}

export function acknowledge(api: Client, id: string, agent_id: string, headers: Record<string, string> = {}) {
  return api.post<Handoff>(`/v1/handoffs/${id}/acknowledge`, { agent_id }, headers);
}

export async function readHandoff(api: Client, id: string): Promise<Handoff> {
  return bodyOf(await api.get<Handoff>(`/v1/handoffs/${id}`), 200);
}
