// Metrics of a window, broken down by project, agent and day, with what was stored and recalled on each day; and the count
// of briefings that they include.

import { resolveOwner } from "../../calls/call-access";
import type { Owner } from "../../kernel/access";
import { DAY_MS } from "../../kernel/time";
import { countRecallsByDay } from "../../memories/usage/apply-use";
import { listPendingUses } from "../../memories/usage/count-recall";
import type { Services } from "../../services/services";
import type { PrimeAnswer } from "../briefing/briefing-schemas";
import type { Metrics, MetricsAnswer, MetricsQuery } from "../consolidation/consolidation-schemas";
import type {
  ActivityNumbers,
  BriefingNumbers,
  EpisodeNumbers,
  MetricsGrouping,
  MetricsWindow,
} from "./metrics-repository";

export async function readMetrics(
  { store, usageLog, now }: Pick<Services, "store" | "usageLog" | "now">,
  { project_id, agent_id, window_days: days, until }: MetricsQuery,
): Promise<MetricsAnswer> {
  const lastDay = Math.floor((until === undefined ? now() : Date.parse(until)) / DAY_MS);
  const toTime = (day: number) => new Date(day * DAY_MS).toISOString();
  const window: MetricsWindow = {
    since: toTime(lastDay + 1 - days),
    until: toTime(lastDay + 1),
    project_id: project_id ?? null,
    agent_id: agent_id ?? null,
  };
  const read = async (grouping: MetricsGrouping) => groupMetrics(await store.metrics.read(grouping, window));
  const [total, byProject, byAgent, byDay, activity, pending] = await Promise.all([
    read("total"),
    read("project"),
    read("agent"),
    read("day"),
    store.metrics.readActivity(window),
    listPendingUses({ usageLog }),
  ]);
  const dates = Array.from({ length: days }, (_, i) => toTime(lastDay + 1 - days + i).slice(0, 10));
  const findCount = (counts: ActivityNumbers[keyof ActivityNumbers], day: string) =>
    counts.find((one) => one.day === day)?.count ?? 0;
  const pendingRecalls = countRecallsByDay(pending);
  const isTenant = window.project_id === null && window.agent_id === null;
  return {
    window: { since: window.since, until: window.until, days },
    total: total.get(null) ?? toMetrics(),
    by_project: [...byProject].map(([id, metrics]) => ({ project_id: id, ...metrics })),
    by_agent: [...byAgent].map(([id, metrics]) => ({ agent_id: id, ...metrics })),
    by_day: dates.map((day) => ({ day, ...(byDay.get(day) ?? toMetrics()) })),
    activity: dates.map((day) => ({
      day,
      memories: findCount(activity.memories, day),
      messages: findCount(activity.messages, day),
      recalls: isTenant ? findCount(activity.recalls, day) + (pendingRecalls.get(day) ?? 0) : null,
    })),
  };
}

/** Counts a briefing without delaying the response. A key without the scope `write` changes nothing. */
export function countBriefing(
  services: Services,
  owner: Required<Owner>,
  { relevant_patterns, tokens }: Pick<PrimeAnswer, "relevant_patterns" | "tokens">,
  at: string | undefined,
): void {
  if (!services.canWrite) return;
  const count = async () => {
    const { project_id, agent_id } = await resolveOwner(services, owner);
    await services.store.metrics.countBriefing({
      at: at ?? new Date(services.now()).toISOString(),
      project_id,
      agent_id,
      patterns: relevant_patterns.length,
      tokens_used: tokens.used,
      tokens_saved: tokens.saved,
    });
  };
  services.later(count());
}

/** Joins the numbers of each group; the groups with the most episodes come first. */
function groupMetrics({
  episodes,
  briefings,
}: {
  episodes: readonly EpisodeNumbers[];
  briefings: readonly BriefingNumbers[];
}): Map<string | null, Metrics> {
  const byKey = new Map(episodes.map((numbers) => [numbers.key, numbers]));
  const primes = new Map(briefings.map((numbers) => [numbers.key, numbers]));
  const keys = new Set([...byKey.keys(), ...primes.keys()]);
  return new Map([...keys].map((key) => [key, toMetrics(byKey.get(key), primes.get(key))]));
}

function toMetrics(work?: EpisodeNumbers, briefings?: BriefingNumbers): Metrics {
  const { episodes = 0, success = 0, partial = 0, failure = 0 } = work ?? {};
  const { calls = 0, with_patterns = 0, patterns = 0, tokens_used = 0, tokens_saved = 0 } = briefings ?? {};
  return {
    episodes,
    outcomes: { success, partial, failure },
    success_rate: divide(success, episodes),
    duration_seconds: { mean: round(work?.mean), p50: work?.p50 ?? null, p95: work?.p95 ?? null },
    tokens: { used: work?.tokens ?? 0, mean: round(work?.mean_tokens) },
    retries: work?.retries ?? 0,
    errors: work?.errors ?? 0,
    prime: {
      calls,
      with_patterns,
      pattern_rate: divide(with_patterns, calls),
      patterns,
      tokens_used,
      tokens_saved,
    },
  };
}

function divide(part: number, whole: number): number | null {
  return whole === 0 ? null : round(part / whole);
}

/** Rounds to four decimals. */
function round(value: number | null | undefined): number | null {
  return value === null || value === undefined ? null : Math.round(value * 10_000) / 10_000;
}
