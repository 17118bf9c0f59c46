// The month as the service lives through it: told day by day, consolidated every evening and maintained every Friday,
// all by the month's own clock; with what there was to see after each step.
import { type Client, inBatches } from "../support/client";
import { bodyOf } from "../support/expectations";
import {
  antiPatternsOf,
  type Consolidated,
  consolidate,
  type Episode,
  episodesOf,
  type Maintained,
  maintain,
  type Pattern,
  patternsOf,
  readPattern,
} from "./experience";
import { type Day, month } from "./month";

export const PROJECT = "storefront";
const AT_ONCE = 8;

/** All patterns and anti-patterns that are listed, by id, and those that were merged away. */
export type Patterns = Map<string, Pattern>;

export type Evening = {
  day: Day;
  before: Patterns;
  run: Consolidated;
  after: Patterns;
  /** A careful month asks before the run what it would do, and runs once more after it. */
  careful: { dry: Consolidated; left: Patterns; again: Consolidated; still: Patterns } | null;
};

export type Friday = { now: string; report: Maintained; episodes: Map<string, Episode>; patterns: Patterns };

export type Lived = { evenings: Evening[]; fridays: Friday[] };

export async function live(api: Client, { careful }: { careful: boolean }): Promise<Lived> {
  const lived: Lived = { evenings: [], fridays: [] };
  for (const day of month()) {
    await inBatches(day.work, AT_ONCE, async ({ told }) =>
      bodyOf(await api.post("/v1/episodes", { ...told, project_id: PROJECT }), 201),
    );
    lived.evenings.push(await spend(api, day, careful));
    if (day.friday) lived.fridays.push(await tidy(api, day.evening));
  }
  return lived;
}

async function spend(api: Client, day: Day, careful: boolean): Promise<Evening> {
  const window = { project_id: PROJECT, since: day.from, now: day.evening };
  const before = await seen(api);
  const asked = careful && {
    dry: await consolidate(api, { ...window, dry_run: true }),
    left: await seen(api),
  };
  const run = await consolidate(api, window);
  const after = await seen(api, run.merged);
  const repeated = asked && {
    ...asked,
    again: await consolidate(api, window),
    still: await seen(api, run.merged),
  };
  return { day, before, run, after, careful: repeated || null };
}

async function tidy(api: Client, now: string): Promise<Friday> {
  const report = await maintain(api, { project_id: PROJECT, now });
  const episodes = await episodesOf(api, PROJECT);
  return { now, report, episodes: new Map(episodes.map((one) => [one.id, one])), patterns: await seen(api) };
}

async function seen(api: Client, gone: string[] = []): Promise<Patterns> {
  const listed = [...(await patternsOf(api)), ...(await antiPatternsOf(api))];
  const merged = await Promise.all(gone.map((id) => readPattern(api, id)));
  return new Map([...listed, ...merged].map((pattern) => [pattern.id, pattern]));
}

export function isAnti({ category }: Pattern): boolean {
  return category === "anti-pattern";
}

export function livePatterns(patterns: Patterns): Pattern[] {
  return [...patterns.values()].filter(({ status }) => status === "live");
}

/** A copy in which patterns are called by what they say: their ids are the tenant's own. */
export function named<T>(value: T, patterns: Patterns): T {
  let text = JSON.stringify(value);
  for (const { id, pattern } of patterns.values())
    text = text.replaceAll(id, JSON.stringify(pattern).slice(1, -1));
  return JSON.parse(text) as T;
}
