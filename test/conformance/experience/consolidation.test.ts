// Consolidation and maintenance, call by call: which episodes count, what is merged, what age does to an episode.
import { describe, expect, it } from "vitest";
import { ids } from "../support/actions";
import { fresh } from "../support/client";
import { serviceUnderTest } from "../support/service";
import {
  antiPatternsOf,
  consolidate,
  daysBefore,
  decayed,
  episodesOf,
  maintain,
  patternsOf,
  readEpisode,
  readPattern,
  statePattern,
  tellEpisode,
} from "./experience";

const kioku = serviceUnderTest();

const NOW = "2026-01-31T12:00:00.000Z";
const HOUR = 1 / 24;
const GOAL = "Upgrade the npm dependency _ to its latest major version";
const NOTHING = {
  ...{ episodes: 0, clusters: 0, created: [], updated: [], anti_patterns: [], merged: [] },
  ...{ learnings: [], contradictions: [], proposed_skills: [] },
};

async function place() {
  const [api, project_id] = [await kioku.tenant(), fresh("project")];
  const tell = (goal: string, days: number, more = {}) =>
    tellEpisode(api, goal, { project_id, timestamp: daysBefore(NOW, days), ...more });
  return { api, project_id, tell };
}

describe("consolidation", () => {
  it("of a project without episodes does nothing", async () => {
    const { api, project_id } = await place();
    expect(await consolidate(api, { project_id })).toEqual({ ...NOTHING, dry_run: false });
    expect(await patternsOf(api)).toEqual([]);
  });

  it("looks at the last 24 hours unless it is told since when", async () => {
    const { api, project_id, tell } = await place();
    await tell(GOAL.replace("_", "zod"), 25 * HOUR);
    const recent = await tell(GOAL.replace("_", "vite"), 23 * HOUR);
    await tell(GOAL.replace("_", "hono"), -1 * HOUR);
    const short = await consolidate(api, { project_id, now: NOW });
    expect(short).toMatchObject({ episodes: 1, clusters: 0, created: [] });
    const long = await consolidate(api, { project_id, now: NOW, since: daysBefore(NOW, 2) });
    expect(long).toMatchObject({ episodes: 2, clusters: 1 });
    expect(long.created).toHaveLength(1);
    const { source_episodes, confidence } = await readPattern(api, long.created[0] ?? "");
    expect(source_episodes).toContain(recent.id);
    expect(source_episodes).toHaveLength(2);
    expect(confidence).toBeCloseTo(0.7, 6);
  });

  it("takes what prevents an error from whoever came through, in the same run or a later one", async () => {
    const { api, project_id, tell } = await place();
    const error = (message: string, resolution: string | null) => ({
      errors_encountered: [{ type: "Lock timeout", message, resolution }],
    });
    const run = () => consolidate(api, { project_id, now: NOW });
    await tell("Rename a column", 3 * HOUR, { outcome: "failure", ...error("orders is locked", null) });
    await run();
    expect(await antiPatternsOf(api)).toMatchObject([{ prevention: null, confidence: 0.6 }]);
    await tell("Drop an index", 2 * HOUR, error("users is locked", "Run it at night"));
    expect((await run()).updated).toHaveLength(1);
    expect(await antiPatternsOf(api)).toMatchObject([{ prevention: "Run it at night", confidence: 0.65 }]);
    expect((await run()).updated).toEqual([]);

    const other = await place();
    const both = () => consolidate(other.api, { project_id: other.project_id, now: NOW });
    await other.tell("Rename a column", HOUR, { outcome: "failure", ...error("orders is locked", null) });
    await other.tell("Drop an index", HOUR, error("users is locked", "Run it at night"));
    await both();
    expect(await antiPatternsOf(other.api)).toMatchObject([{ prevention: "Run it at night" }]);
    expect(await both()).toMatchObject({ updated: [], anti_patterns: [] });
  });

  it("leaves other projects alone", async () => {
    const { api, project_id, tell } = await place();
    await tell(GOAL.replace("_", "zod"), HOUR);
    await tell(GOAL.replace("_", "vite"), HOUR, { project_id: fresh("project") });
    await tell(GOAL.replace("_", "hono"), HOUR, { project_id: null });
    expect(await consolidate(api, { project_id, now: NOW })).toMatchObject({ episodes: 1, clusters: 0 });
  });

  it("gives evidence to an old pattern once for a window that overlaps the last one", async () => {
    const { api, project_id, tell } = await place();
    await tell(GOAL.replace("_", "zod"), 5 * HOUR);
    await tell(GOAL.replace("_", "vite"), 4 * HOUR);
    const [id = ""] = (await consolidate(api, { project_id, now: daysBefore(NOW, 3 * HOUR) })).created;
    await tell(GOAL.replace("_", "hono"), 2 * HOUR);
    await tell(GOAL.replace("_", "esbuild"), 1 * HOUR);
    const again = await consolidate(api, { project_id, now: NOW });
    expect(again).toMatchObject({ episodes: 4, clusters: 1, created: [], updated: [id] });
    const pattern = await readPattern(api, id);
    expect(pattern.source_episodes).toHaveLength(4);
    expect(pattern.confidence).toBeCloseTo(0.75, 6);
  });

  it("at once by many makes each pattern once", async () => {
    const { api, project_id, tell } = await place();
    const error = { type: "Peer dependency conflict", message: "ERESOLVE", resolution: "Upgrade both" };
    await tell(GOAL.replace("_", "zod"), HOUR);
    await tell(GOAL.replace("_", "vite"), HOUR);
    await tell(GOAL.replace("_", "hono"), HOUR, { outcome: "failure", errors_encountered: [error] });
    const runs = await Promise.all(
      Array.from({ length: 5 }, () => consolidate(api, { project_id, now: NOW })),
    );
    expect(runs.flatMap(({ created }) => created)).toHaveLength(1);
    expect(runs.flatMap(({ anti_patterns }) => anti_patterns)).toHaveLength(1);
    expect(runs.flatMap(({ updated }) => updated)).toEqual([]);
    expect(await antiPatternsOf(api)).toHaveLength(1);
  });

  it("makes one anti-pattern of an error type, whatever it says of it", async () => {
    const { api, project_id, tell } = await place();
    const error = (message: string, resolution: string | null) => ({
      errors_encountered: [{ type: "Database deadlock", message, resolution }],
    });
    const one = await tell("Backfill the ledger", HOUR, { outcome: "failure", ...error("waited", null) });
    const two = await tell("Draw a map", HOUR, { outcome: "failure", ...error("stuck", "Shorter locks") });
    const three = await tell("Sing a song", HOUR, {
      outcome: "success",
      ...error("briefly", "Tried again"),
    });
    const { anti_patterns } = await consolidate(api, { project_id, now: NOW });
    expect(anti_patterns).toHaveLength(1);
    const anti = await readPattern(api, anti_patterns[0] ?? "");
    expect(anti).toMatchObject({
      category: "anti-pattern",
      prevention: expect.stringContaining("Shorter locks"),
    });
    expect(anti.what_fails).toContain("Database deadlock");
    expect(anti.source_episodes.toSorted()).toEqual([one.id, two.id, three.id].sort());
  });
});

describe("maintenance", () => {
  it("of a project without anything does nothing", async () => {
    const { api, project_id } = await place();
    expect(await maintain(api, { project_id })).toMatchObject({
      ...{ summarised: 0, archived: 0, merged: 0, decayed: 0 },
    });
  });

  it.each([
    [3, { summarised: false, archived: false }],
    [10, { summarised: true, archived: false }],
    [40, { archived: true }],
  ])("of an episode of %i days makes it %j", async (days, state) => {
    const { api, project_id, tell } = await place();
    const action_log = [{ action: "run_test", result: "pass" }];
    const told = await tell("Look into the outage", days, { action_log, importance: 0.6 });
    await maintain(api, { project_id, now: NOW });
    const shown = await readEpisode(api, told.id);
    expect(shown).toMatchObject({ ...state, context: told.context, outcome: "success" });
    expect(await episodesOf(api, project_id)).toHaveLength(state.archived ? 0 : 1);
    if (!state.archived) expect(shown.importance).toBeCloseTo(decayed(0.6, days), 4);
  });

  it("leaves importance its floor", async () => {
    const { api, project_id, tell } = await place();
    const { id } = await tell("Something small", 100, { importance: 0.011 });
    await statePattern(api, "Small things add up", { project_id, source_episodes: [id] });
    await maintain(api, { project_id, now: NOW });
    expect((await readEpisode(api, id)).importance).toBeCloseTo(0.01, 6);
  });

  it("keeps what a pattern refers to, whoever stated it", async () => {
    const { api, project_id, tell } = await place();
    const referred = await tell("Look into the outage", 90);
    const other = await tell("Look for the keys", 90);
    await statePattern(api, "Outages begin with a deploy", { project_id, source_episodes: [referred.id] });
    expect(await maintain(api, { project_id, now: NOW })).toMatchObject({ archived: 1 });
    expect(ids(await episodesOf(api, project_id))).toEqual([referred.id]);
    expect(await readEpisode(api, other.id)).toMatchObject({ archived: true });
  });

  it("by the same clock again changes nothing", async () => {
    const { api, project_id, tell } = await place();
    for (const days of [1, 10, 40]) await tell(`Attempt of ${days} days`, days);
    await maintain(api, { project_id, now: NOW });
    const before = await episodesOf(api, project_id);
    const again = await maintain(api, { project_id, now: NOW });
    expect(again).toMatchObject({ summarised: 0, archived: 0, merged: 0 });
    expect(await episodesOf(api, project_id)).toEqual(before);
  });

  it("merges patterns that say the same into the most confident, and deletes none", async () => {
    const { api, project_id, tell } = await place();
    const [one, two] = [await tell("Review a handler", 1), await tell("Review a route", 1)];
    const rule = "Express route handlers _ explicit return types in strict mode";
    const weak = await statePattern(api, rule.replace("_", "need"), {
      ...{ project_id, confidence: 0.82, source_episodes: [one.id] },
    });
    const strong = await statePattern(api, rule.replace("_", "require"), {
      ...{ project_id, confidence: 0.91, source_episodes: [two.id] },
    });
    const other = await statePattern(api, "Deploys before noon are watched", { project_id });
    const report = await maintain(api, { project_id, now: NOW });
    expect(report).toMatchObject({ merged: 1, ids: { merged: [weak.id] } });
    const kept = await readPattern(api, strong.id);
    expect(kept).toMatchObject({ confidence: 0.91, status: "live" });
    expect(kept.source_episodes.toSorted()).toEqual([one.id, two.id].sort());
    expect(await readPattern(api, weak.id)).toMatchObject({
      status: "superseded",
      superseded_by: strong.id,
    });
    expect(await readPattern(api, other.id)).toMatchObject({ status: "live" });
  });
});
