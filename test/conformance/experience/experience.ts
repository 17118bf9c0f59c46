// The answers of experience, written down from the contract, and the calls that most tests begin with, each expected
// to succeed.
import { allPages } from "../support/actions";
import type { Client } from "../support/client";
import { bodyOf } from "../support/expectations";

type Fields = Record<string, unknown>;

export type EpisodeError = { type: string; message: string; resolution: string | null };
export type Episode = {
  id: string;
  task_id: string | null;
  project_id: string | null;
  timestamp: string;
  duration_seconds: number | null;
  agent: string | null;
  context: { phase: string | null; goal: string; constraints: string[]; files_involved: string[] };
  action_log: Fields[];
  outcome: "success" | "failure" | "partial";
  errors_encountered: EpisodeError[];
  artifacts_produced: string[];
  files_read: string[];
  files_modified: string[];
  git_commit: string | null;
  tokens_used: number | null;
  importance: number;
  summary: string | null;
  summarised: boolean;
  archived: boolean;
  usage_count: number;
  last_used: string | null;
};

export type Pattern = {
  id: string;
  name: string | null;
  project_id: string | null;
  memory_type: string;
  status: string;
  pattern: string;
  category: string;
  conditions: string[];
  correct_approach: string | null;
  incorrect_approach: string | null;
  what_fails?: string;
  why?: string | null;
  prevention?: string | null;
  confidence: number;
  importance: number;
  source_episodes: string[];
  usage_count: number;
  last_used: string | null;
  links: { to: string; name: string | null; relation: string; strength: number }[];
  superseded_by: string | null;
  created_at: string;
};

export type Link = { from: string; to: string; relation: string; strength: number; direction: "out" | "in" };

export type Consolidated = {
  episodes: number;
  clusters: number;
  created: string[];
  updated: string[];
  anti_patterns: string[];
  merged: string[];
  learnings: string[];
  contradictions: string[];
  proposed_skills: string[];
};

export type Maintained = {
  summarised: number;
  archived: number;
  merged: number;
  decayed: number;
  contradictions: number;
  ids: { summarised: string[]; archived: string[]; merged: string[] };
};

export type Primed = { id: string; layer: "index" | "timeline" | "full"; text: string; score: number };
export type Preparation = {
  kind: string;
  relevant_patterns: (Primed & {
    name: string | null;
    pattern: string;
    confidence: number;
    memory_type: string;
    via?: { from: string; relation: string; strength: number };
  })[];
  avoid_these: (Primed & { what_fails: string; prevention?: string | null })[];
  applicable_skills: (Primed & { slug: string })[];
  similar_episodes: (Primed & { goal: string; outcome: string })[];
  prompt: string;
  tokens: { used: number; budget: number; saved: number };
};

export type Learning = {
  id: string;
  trigger: string;
  root_cause: string;
  fix: string;
  prevention: string;
  evidence: string[];
  project_id: string | null;
  occurrences: number;
  confidence: number;
  created_at: string;
  last_seen: string;
};

/** Episodes are told with a goal alone; what else there is to tell goes into `more`. */
export async function tellEpisode(api: Client, goal: string, more: Fields = {}): Promise<Episode> {
  const body = { context: { goal }, outcome: "success", ...more };
  return bodyOf(await api.post<Episode>("/v1/episodes", body), 201);
}

export async function readEpisode(api: Client, id: string): Promise<Episode> {
  return bodyOf(await api.get<Episode>(`/v1/episodes/${id}`), 200);
}

export function episodesOf(api: Client, project: string, more = ""): Promise<Episode[]> {
  return allPages<Episode>(api, `/v1/episodes?project_id=${project}${more}`);
}

export async function statePattern(api: Client, pattern: string, more: Fields = {}): Promise<Pattern> {
  return bodyOf(await api.post<Pattern>("/v1/patterns", { pattern, ...more }), 201);
}

export async function readPattern(api: Client, id: string): Promise<Pattern> {
  return bodyOf(await api.get<Pattern>(`/v1/patterns/${id}`), 200);
}

export function patternsOf(api: Client, query = ""): Promise<Pattern[]> {
  return allPages<Pattern>(api, `/v1/patterns${query}`);
}

export function antiPatternsOf(api: Client): Promise<Pattern[]> {
  return patternsOf(api, "?category=anti-pattern");
}

export async function consolidate(api: Client, body: Fields): Promise<Consolidated> {
  return bodyOf(await api.post<Consolidated>("/v1/consolidate", body), 200);
}

export async function maintain(api: Client, body: Fields): Promise<Maintained> {
  return bodyOf(await api.post<Maintained>("/v1/maintenance", body), 200);
}

export async function prime(api: Client, goal: string, more: Fields = {}): Promise<Preparation> {
  return bodyOf(await api.post<Preparation>("/v1/prime", { goal, ...more }), 200);
}

export const LEARNED = {
  trigger: "A deploy on Friday evening",
  root_cause: "Nobody was there to watch the rollout",
  fix: "Rolled back to the last release",
  prevention: "Deploy before noon",
};

export async function learn(api: Client, more: Fields = {}): Promise<Learning> {
  return bodyOf(await api.post<Learning>("/v1/learnings", { ...LEARNED, ...more }), 201);
}

const DAY_MS = 24 * 3_600_000;

export function daysBefore(now: string, days: number): string {
  return new Date(Date.parse(now) - days * DAY_MS).toISOString();
}

/** What is left of an importance after so many days without use. */
export function decayed(importance: number, days: number): number {
  return Math.max(0.01, importance * Math.exp((-0.1 * days) / 30));
}
