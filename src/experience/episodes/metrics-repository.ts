// Metrics of episodes and briefings, computed from the episodes of a window and the daily counts of prime; and what was
// stored and recalled on each day.

import { type SQL, sql } from "drizzle-orm";
import { readAll, runBatch } from "../../kernel/databases/d1";
import { declareMethods } from "../../kernel/declare-methods";
import type { StoreContext } from "../../kernel/store-context";
import { selectRecalls } from "../../memories/usage/recall-counts";

/** What metrics are broken down by; `total` is one group. */
export type MetricsGrouping = "total" | "project" | "agent" | "day";

export type MetricsWindow = {
  /** In ISO 8601, from the start of a day, inclusive, to the start of another, exclusive. */
  since: string;
  until: string;
  project_id: string | null;
  agent_id: string | null;
};

/** The numbers of a group. `key` is the id or the day; null for a group without one, and for the total. */
export type EpisodeNumbers = {
  key: string | null;
  episodes: number;
  success: number;
  partial: number;
  failure: number;
  mean: number | null;
  p50: number | null;
  p95: number | null;
  tokens: number;
  mean_tokens: number | null;
  retries: number;
  errors: number;
};

export type BriefingNumbers = {
  key: string | null;
  calls: number;
  with_patterns: number;
  patterns: number;
  tokens_used: number;
  tokens_saved: number;
};

type DayCount = { day: string; count: number };

/** What was stored on the days of a window, and recalled as far as it was flushed. Days without any are left out. */
export type ActivityNumbers = { memories: DayCount[]; messages: DayCount[]; recalls: DayCount[] };

/** One call of prime. */
type BriefingUse = {
  at: string;
  project_id: string | null;
  agent_id: string | null;
  patterns: number;
  tokens_used: number;
  tokens_saved: number;
};

/** Groups of one breakdown: those with the most episodes. */
const MAX_GROUPS = 100;

const EPISODE_KEYS: Record<MetricsGrouping, SQL> = {
  total: sql.raw("NULL"),
  project: sql.raw("e.project_id"),
  agent: sql.raw("e.agent_id"),
  day: sql.raw("substr(e.timestamp, 1, 10)"),
};

const BRIEFING_KEYS: Record<MetricsGrouping, SQL> = {
  total: sql.raw("NULL"),
  project: sql.raw("nullif(project_id, '')"),
  agent: sql.raw("nullif(agent_id, '')"),
  day: sql.raw("day"),
};

export function createMetricsRepository(context: StoreContext) {
  const { db, tenant } = context;
  const { reads, writes } = declareMethods(context);

  return {
    /** Returns the numbers of the window's episodes and briefings by group. */
    read: reads(
      async (
        grouping: MetricsGrouping,
        window: MetricsWindow,
      ): Promise<{ episodes: EpisodeNumbers[]; briefings: BriefingNumbers[] }> => {
        const [episodes, briefings] = (await runBatch(db, [
          selectEpisodeNumbers(tenant, grouping, window),
          selectBriefingNumbers(tenant, grouping, window),
        ])) as [EpisodeNumbers[], BriefingNumbers[]];
        return { episodes, briefings };
      },
    ),

    /** Recalls are counted for the tenant as a whole, whatever the window names. */
    readActivity: reads(async (window: MetricsWindow): Promise<ActivityNumbers> => {
      const [memories, messages, recalls] = (await runBatch(db, [
        selectStored(tenant, "memories", window),
        selectStored(tenant, "messages", window),
        selectRecalls(tenant, window),
      ])) as [DayCount[], DayCount[], DayCount[]];
      return { memories, messages, recalls };
    }),

    /** Counts a call of prime. */
    countBriefing: writes(
      async ({ at, project_id, agent_id, patterns, ...tokens }: BriefingUse): Promise<void> => {
        await readAll(
          db,
          sql`INSERT INTO briefing_counts
            (tenant, day, project_id, agent_id, calls, with_patterns, patterns, tokens_used, tokens_saved)
          VALUES (${tenant}, ${at.slice(0, 10)}, ${project_id ?? ""}, ${agent_id ?? ""}, 1, ${Math.min(patterns, 1)},
            ${patterns}, ${tokens.tokens_used}, ${tokens.tokens_saved})
          ON CONFLICT DO UPDATE SET calls = calls + 1, with_patterns = with_patterns + excluded.with_patterns,
            patterns = patterns + excluded.patterns, tokens_used = tokens_used + excluded.tokens_used,
            tokens_saved = tokens_saved + excluded.tokens_saved`,
        );
      },
    ),
  };
}

/** A percentile is the smallest duration whose rank reaches that share of the durations (nearest rank). */
function selectEpisodeNumbers(
  tenant: string,
  grouping: MetricsGrouping,
  { since, until, project_id, agent_id }: MetricsWindow,
): SQL {
  const key = EPISODE_KEYS[grouping];
  const selectPercentile = (share: number) =>
    sql.raw(`min(iif(duration IS NOT NULL AND rank >= ${share} * timed, duration, NULL))`);
  return sql`SELECT key, count(*) AS episodes, sum(outcome = 'success') AS success, sum(outcome = 'partial') AS partial,
      sum(outcome = 'failure') AS failure, avg(duration) AS mean, ${selectPercentile(0.5)} AS p50, ${selectPercentile(0.95)} AS p95,
      coalesce(sum(tokens), 0) AS tokens, avg(tokens) AS mean_tokens, sum(is_retry) AS retries, sum(errors) AS errors
    FROM (
      SELECT ${key} AS key, e.outcome, e.duration_seconds AS duration, e.tokens_used AS tokens,
        row_number() OVER (PARTITION BY ${key}, e.duration_seconds IS NULL ORDER BY e.duration_seconds) AS rank,
        count(e.duration_seconds) OVER (PARTITION BY ${key}) AS timed,
        coalesce(json_array_length(e.trace, '$.errors_encountered'), 0) AS errors,
        e.task_id IS NOT NULL AND EXISTS (SELECT 1 FROM episodes f WHERE f.tenant = e.tenant AND f.task_id = e.task_id
          AND f.project_id IS e.project_id AND (f.timestamp, f.id) < (e.timestamp, e.id)) AS is_retry
      FROM episodes e WHERE e.tenant = ${tenant} AND e.timestamp >= ${since} AND e.timestamp < ${until}
        ${project_id === null ? sql`` : sql`AND e.project_id = ${project_id}`}
        ${agent_id === null ? sql`` : sql`AND e.agent_id = ${agent_id}`})
    GROUP BY key ORDER BY episodes DESC, key LIMIT ${MAX_GROUPS}`;
}

function selectBriefingNumbers(
  tenant: string,
  grouping: MetricsGrouping,
  { since, until, project_id, agent_id }: MetricsWindow,
): SQL {
  return sql`SELECT ${BRIEFING_KEYS[grouping]} AS key, sum(calls) AS calls, sum(with_patterns) AS with_patterns,
      sum(patterns) AS patterns, sum(tokens_used) AS tokens_used, sum(tokens_saved) AS tokens_saved
    FROM briefing_counts WHERE tenant = ${tenant} AND day >= ${since.slice(0, 10)} AND day < ${until.slice(0, 10)}
      ${project_id === null ? sql`` : sql`AND project_id = ${project_id}`}
      ${agent_id === null ? sql`` : sql`AND agent_id = ${agent_id}`}
    GROUP BY key ORDER BY calls DESC, key LIMIT ${MAX_GROUPS}`;
}

/** Counts rows by the day of their timestamp. Their indexes by time, project and agent have all that it reads. */
function selectStored(
  tenant: string,
  table: "memories" | "messages",
  { since, until, project_id, agent_id }: MetricsWindow,
): SQL {
  return sql`SELECT substr(timestamp, 1, 10) AS day, count(*) AS count FROM ${sql.raw(table)}
    WHERE tenant = ${tenant} AND timestamp >= ${since} AND timestamp < ${until}
      ${project_id === null ? sql`` : sql`AND project_id = ${project_id}`}
      ${agent_id === null ? sql`` : sql`AND agent_id = ${agent_id}`}
    GROUP BY day`;
}
