// A scripted month of a coding agent's work: what it leaves behind follows from the rules of consolidation, retrieval,
// decay and retention alone, and is the same whenever the month is lived.
import { beforeAll, describe, expect, it, vi } from "vitest";
import { allPages } from "../support/actions";
import { type Client, fresh } from "../support/client";
import type { IndexState } from "../support/contract";
import { bodyOf } from "../support/expectations";
import { serviceUnderTest } from "../support/service";
import { type Consolidated, type Learning, type Pattern, type Preparation, prime } from "./experience";
import { idsOf, month, type Told } from "./month";
import { type Evening, isAnti, type Lived, live, livePatterns, named, PROJECT } from "./month-lived";
import { describeRetention, rememberLasting } from "./month-retention";
import { ONE_OFFS, OVERCOME, RARE, THEMES } from "./month-themes";

const kioku = serviceUnderTest();

const DAYS = month();
const WORK = DAYS.flatMap(({ work }) => work);
const LAST_EVENING = DAYS.at(-1)?.evening ?? "";
const TASKS = [
  { goal: "Implement the POST /api/reviews REST endpoint with request validation" },
  { goal: "Find out why the migration of the reviews table ends in a deadlock", kind: "debugging" },
];

type Month = Lived & { api: Client; prepared: Preparation[]; remembered: string[] };
let first: Month;
let second: Month;

async function spendMonth(careful: boolean): Promise<Month> {
  const tenant = fresh("tenant");
  const api = await kioku.tenant({ name: tenant });
  const remembered = await rememberLasting(api);
  const lived = await live(api, { careful });
  await vi.waitFor(
    async () => {
      const { waiting } = bodyOf(await kioku.admin.get<IndexState>(`/v1/admin/index?tenant=${tenant}`), 200);
      expect(waiting).toBe(0);
    },
    { interval: 50 },
  );
  const prepared: Preparation[] = [];
  for (const { goal, ...more } of TASKS)
    prepared.push(await prime(api, goal, { project_id: PROJECT, now: LAST_EVENING, ...more }));
  return { ...lived, api, prepared, remembered };
}

beforeAll(async () => {
  [first, second] = await Promise.all([spendMonth(true), spendMonth(false)]);
}, 600_000);

function outcomeOf(id: string): string | undefined {
  return WORK.find(({ told }) => told.id === id)?.told.outcome;
}

function atTheEnd(): Pattern[] {
  return livePatterns(first.evenings.at(-1)?.after ?? new Map());
}

function changed({ created, updated, anti_patterns, merged }: Consolidated): string[] {
  return [...created, ...updated, ...anti_patterns, ...merged];
}

/** Those that took in another one this evening: their sources and confidence are not this evening's alone. */
function absorbing({ run, after }: Evening): Set<string | null | undefined> {
  return new Set(run.merged.map((id) => after.get(id)?.superseded_by));
}

describe("every evening", () => {
  it("looks at the episodes of the day, and only at them", () => {
    for (const { day, run } of first.evenings) expect(run.episodes).toBe(day.work.length);
  });

  it("a new one has a confidence of .5 + .1 for each episode, half of that where an error was overcome", () => {
    let checked = 0;
    for (const evening of first.evenings) {
      const { day, run, before, after } = evening;
      for (const id of [...run.created, ...run.anti_patterns]) {
        const pattern = after.get(id);
        expect(before.has(id)).toBe(false);
        expect(idsOf(day.work)).toEqual(expect.arrayContaining(pattern?.source_episodes ?? [""]));
        if (absorbing(evening).has(id)) continue;
        const n = (pattern?.source_episodes ?? [])
          .map((source) => (pattern && isAnti(pattern) && outcomeOf(source) !== "failure" ? 0.5 : 1))
          .reduce((sum, weight) => sum + weight, 0);
        expect(pattern?.confidence, pattern?.pattern).toBeCloseTo(Math.min(0.5 + 0.1 * n, 0.95), 6);
        checked += 1;
      }
    }
    expect(checked).toBeGreaterThan(Object.keys(THEMES).length);
  });

  it("an old one that gains new episodes gains .05 once, at most to .99", () => {
    let [checked, capped] = [0, 0];
    for (const evening of first.evenings) {
      const { day, run, before, after } = evening;
      for (const id of run.updated) {
        const [old, now] = [before.get(id), after.get(id)];
        const gained = now?.source_episodes.filter((source) => !old?.source_episodes.includes(source)) ?? [];
        expect(gained.length, now?.pattern).toBeGreaterThan(0);
        expect(now?.source_episodes).toEqual(expect.arrayContaining(old?.source_episodes ?? [""]));
        if (absorbing(evening).has(id)) continue;
        expect(idsOf(day.work)).toEqual(expect.arrayContaining(gained));
        expect(now?.confidence).toBeCloseTo(Math.min((old?.confidence ?? 0) + 0.05, 0.99), 6);
        checked += 1;
        if (now?.confidence === 0.99) capped += 1;
      }
    }
    expect(checked).toBeGreaterThan(50);
    expect(capped).toBeGreaterThan(0);
  });

  it("whatever the report does not name is left as it was", () => {
    for (const { run, before, after } of first.evenings) {
      for (const [id, pattern] of before)
        if (!changed(run).includes(id)) expect(after.get(id)).toEqual(pattern);
      const appeared = [...after.keys()].filter((id) => !before.has(id));
      expect(appeared.sort()).toEqual([...run.created, ...run.anti_patterns].sort());
    }
  });

  it("a pattern below .8 is a hypothesis, and a discovery from there on", () => {
    const types = new Set<string>();
    for (const { after } of first.evenings)
      for (const pattern of livePatterns(after).filter((one) => !isAnti(one))) {
        const kept = pattern.confidence > 0.8 - 1e-9;
        expect(pattern.memory_type, `${pattern.confidence}`).toBe(kept ? "discovery" : "hypothesis");
        types.add(pattern.memory_type);
      }
    expect(types.size).toBe(2);
  });

  it("a dry run says what the run after it does, and does nothing", () => {
    for (const { before, run, careful } of first.evenings) {
      expect(careful?.dry).toEqual({ ...run, dry_run: true });
      expect(careful?.left).toEqual(before);
    }
  });

  it("a second run over the same episodes finds them, and changes nothing", () => {
    for (const { run, after, careful } of first.evenings) {
      const nothing = {
        ...{ created: [], updated: [], anti_patterns: [], merged: [] },
        ...{ learnings: [], contradictions: [], proposed_skills: [] },
      };
      expect(careful?.again).toEqual({ ...run, ...nothing });
      expect(careful?.still).toEqual(after);
    }
  });
});

describe("what was done again and again", () => {
  const patternsOfTheme = (theme: string): Pattern[] => {
    const own = new Set(idsOf(WORK.filter((work) => work.theme === theme)));
    return atTheEnd().filter(
      (pattern) => !isAnti(pattern) && pattern.source_episodes.some((id) => own.has(id)),
    );
  };

  it.each(Object.keys(THEMES))("is one pattern, which all its successes support: %s", (theme) => {
    const patterns = patternsOfTheme(theme);
    expect(patterns.map(({ pattern }) => pattern)).toHaveLength(1);
    const [pattern] = patterns;
    const own = WORK.filter((work) => work.theme === theme);
    const successes = own.filter(({ alone, told }) => !alone && told.outcome === "success");
    expect(idsOf(own)).toEqual(expect.arrayContaining(pattern?.source_episodes ?? [""]));
    expect(pattern?.source_episodes).toEqual(expect.arrayContaining(idsOf(successes)));
    expect(pattern).toMatchObject({ project_id: PROJECT, status: "live", superseded_by: null });
    expect(pattern?.pattern).toMatch(/\S/);
  });

  it.each(Object.keys(THEMES))("has the confidence that its days of evidence give: %s", (theme) => {
    const [pattern] = patternsOfTheme(theme);
    const [begun = 0, ...later] = DAYS.map(
      ({ work }) => idsOf(work).filter((id) => pattern?.source_episodes.includes(id)).length,
    ).filter((count) => count > 0);
    const expected = Math.min(0.99, Math.min(0.5 + 0.1 * begun, 0.95) + 0.05 * later.length);
    expect(pattern?.confidence).toBeCloseTo(expected, 6);
  });

  it("on one day only, by two, stays a hypothesis", () => {
    const [pattern] = patternsOfTheme("signing");
    expect(pattern?.source_episodes).toHaveLength(2);
    expect(pattern?.confidence).toBeCloseTo(0.7, 6);
    expect(pattern?.memory_type).toBe("hypothesis");
  });

  it("is all that patterns are made of: what stands alone on its day makes none, and supports none", () => {
    const patterns = atTheEnd().filter((pattern) => !isAnti(pattern));
    expect(patterns).toHaveLength(Object.keys(THEMES).length);
    const alone = WORK.filter((work) => work.alone);
    expect(alone.length).toBeGreaterThan(ONE_OFFS.length);
    const sources = new Set(patterns.flatMap(({ source_episodes }) => source_episodes));
    expect(idsOf(alone).filter((id) => sources.has(id))).toEqual([]);
  });
});

describe("what failed", () => {
  const faults = [...Object.values(THEMES).flatMap(({ fault }) => fault ?? []), RARE, OVERCOME];
  const metWith = (type: string): Told[] =>
    WORK.map(({ told }) => told).filter(({ errors_encountered: [error] }) => error?.type === type);

  it.each(faults)("is one anti-pattern for its type, with all its episodes: $type", (fault) => {
    const { type, messages, resolutions } = fault;
    const found = atTheEnd().filter((one) => isAnti(one) && one.what_fails?.includes(type));
    expect(found.map(({ what_fails }) => what_fails)).toHaveLength(1);
    const [anti] = found;
    expect(anti?.source_episodes.toSorted()).toEqual(
      metWith(type)
        .map(({ id }) => id)
        .sort(),
    );
    expect(messages.some((message) => anti?.why?.includes(message))).toBe(true);
    expect(resolutions.some((resolution) => anti?.prevention?.includes(resolution))).toBe(true);
    expect(anti?.project_id).toBe(PROJECT);
  });

  it("is all that anti-patterns are made of, whether it was overcome or not", () => {
    expect(metWith(OVERCOME.type).some(({ outcome }) => outcome === "success")).toBe(true);
    expect(atTheEnd().filter(isAnti)).toHaveLength(faults.length);
  });

  it("and was resolved is one learning for its message, which counts every episode", async () => {
    const learnings = await allPages<Learning>(first.api, `/v1/learnings?project_id=${PROJECT}`);
    for (const { type, messages } of faults)
      for (const message of messages) {
        const met = metWith(type).filter(({ errors_encountered: [error] }) => error?.message === message);
        const learnt = learnings.filter((one) => one.trigger === type && one.root_cause === message);
        expect(learnt.map(({ occurrences }) => occurrences)).toEqual(met.length === 0 ? [] : [met.length]);
      }
  });

  it("once has the confidence of one episode", () => {
    const anti = atTheEnd().find(({ what_fails }) => what_fails?.includes(RARE.type));
    expect(anti?.confidence).toBeCloseTo(0.6, 6);
  });
});

describe("before a new task", () => {
  it("the pattern of what was done often comes first", () => {
    const [prepared] = first.prepared;
    expect(prepared?.kind).toBe("implementation");
    const [best] = prepared?.relevant_patterns ?? [];
    const endpoints = idsOf(WORK.filter(({ theme }) => theme === "endpoints"));
    const pattern = atTheEnd().find(({ id }) => id === best?.id);
    expect(endpoints, best?.pattern).toEqual(expect.arrayContaining(pattern?.source_episodes ?? [""]));
    expect(best?.confidence).toBe(pattern?.confidence);
  });

  it("debugging is told what failed the same way, and how to prevent it", () => {
    const prepared = first.prepared[1];
    expect(prepared?.kind).toBe("debugging");
    const [worst] = prepared?.avoid_these ?? [];
    const fault = THEMES.migrations?.fault;
    expect(worst?.what_fails).toContain(fault?.type);
    expect(worst?.prevention).toContain(fault?.resolutions[0]);
  });

  it("similar episodes are of the same theme", () => {
    const [best] = first.prepared[0]?.similar_episodes ?? [];
    expect(WORK.find(({ told }) => told.id === best?.id)?.theme).toBe("endpoints");
  });

  it.each([
    60, 200, 600, 2_000, 8_000,
  ])("a budget of %i tokens is kept, and what it saved is told", async (token_budget) => {
    const [task] = TASKS;
    const more = { project_id: PROJECT, now: LAST_EVENING, token_budget };
    const prepared = await prime(first.api, task?.goal ?? "", more);
    const { used, budget, saved } = prepared.tokens;
    expect(budget).toBe(token_budget);
    expect(used).toBeLessThanOrEqual(budget);
    expect(saved).toBeGreaterThanOrEqual(0);
    if (token_budget <= 200) expect(saved).toBeGreaterThan(0);
    for (const list of ["relevant_patterns", "avoid_these", "similar_episodes"] as const)
      expect(prepared[list].length).toBeLessThanOrEqual(5);
  });
});

describe("the same month again", () => {
  it("gives the same report every evening and every Friday", () => {
    for (const [n, { run, after }] of first.evenings.entries()) {
      const other = second.evenings[n];
      const sorted = (report: Consolidated) => ({
        ...report,
        created: report.created.toSorted(),
        updated: report.updated.toSorted(),
        anti_patterns: report.anti_patterns.toSorted(),
        merged: report.merged.toSorted(),
        learnings: report.learnings.length,
      });
      expect(other && sorted(named(other.run, other.after))).toEqual(sorted(named(run, after)));
    }
    const reports = ({ fridays }: Lived) => fridays.map(({ report, patterns }) => named(report, patterns));
    expect(reports(second)).toEqual(reports(first));
  });

  it("leaves the same patterns every evening", () => {
    const told = ({ after }: Evening) =>
      named([...after.values()], after).sort((a, b) => (a.id < b.id ? -1 : 1));
    expect(second.evenings.map(told)).toEqual(first.evenings.map(told));
  });

  it("prepares the same tasks in the same way", () => {
    const told = ({ evenings, prepared }: Month, scored: (score: number) => unknown) =>
      prepared.map((one) => {
        const { kind, relevant_patterns, avoid_these, similar_episodes } = named(
          one,
          evenings.at(-1)?.after ?? new Map(),
        );
        const lists = { relevant_patterns, avoid_these, similar_episodes };
        const shown = Object.values(lists).map((list) =>
          list.map(({ id, layer, score }) => [id, layer, scored(score)]),
        );
        return { kind, shown };
      });
    // Word statistics are those of the whole service, which the months share with others.
    const expected = told(first, (score) => expect.closeTo(score, 1));
    expect(told(second, (score) => score)).toEqual(expected);
  });
});

describeRetention(() => second);
