// What a month of work leaves of its episodes: whole for a week, summarised for thirty days, then archived unless a
// pattern refers to them; while what was decided, agreed and learnt stays.
import { beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../support/client";
import type { Memory, Recalled, Remembered } from "../support/contract";
import { bodyOf } from "../support/expectations";
import { daysBefore, decayed, type Episode, episodesOf, maintain, prime, readEpisode } from "./experience";
import { idsOf, month, type Told } from "./month";
import { type Lived, livePatterns, PROJECT } from "./month-lived";
import { ONE_OFFS } from "./month-themes";

const DAYS = month();
const WORK = DAYS.flatMap(({ work }) => work);
const LAST_EVENING = DAYS.at(-1)?.evening ?? "";
const LASTING = [
  { type: "decision", content: "Money is kept in cents, never in floating point" },
  { type: "convention", content: "Every route handler lives in src/routes" },
  { type: "lesson_learned", content: "Backups count only once they were restored" },
];

/** Remembers what has to outlast the month; gives the ids. */
export async function rememberLasting(api: Client): Promise<string[]> {
  const remembered: string[] = [];
  for (const body of LASTING) {
    const answer = await api.post<Remembered>("/v1/remember", { ...body, project_id: PROJECT });
    remembered.push(bodyOf(answer, 201).memory_id);
  }
  return remembered;
}

/** The tests of a month that has been lived, and that no other test needs any more. */
export function describeRetention(lived: () => Lived & { api: Client; remembered: string[] }): void {
  describe("every Friday", () => {
    const DAY_MS = 24 * 3_600_000;
    const ageOf = (told: Told, now: string) => (Date.parse(now) - Date.parse(told.timestamp)) / DAY_MS;
    const toldOf = (id: string): Told => {
      const work = WORK.find(({ told }) => told.id === id);
      if (work === undefined) throw new Error(`${id} was never told`);
      return work.told;
    };
    /** With what the service shows of each that was told by then; null where it is no longer listed. */
    const listed = ({ now, episodes }: Lived["fridays"][number]) =>
      WORK.map(({ told }) => told)
        .filter((told) => ageOf(told, now) > 0)
        .map((told) => ({ told, age: ageOf(told, now), shown: episodes.get(told.id) ?? null }));

    it("what is not a week old is kept whole", () => {
      for (const friday of lived().fridays)
        for (const { told, age, shown } of listed(friday))
          if (age < 7) {
            const { importance: _, ...rest } = told;
            expect(shown).toMatchObject({ ...rest, summarised: false, archived: false });
          }
    });

    it("what is older has a summary in place of its actions, and the rest as it was", () => {
      let checked = 0;
      for (const friday of lived().fridays)
        for (const { told, age, shown } of listed(friday)) {
          if (age < 8 || shown === null) continue;
          const { importance: _, action_log: __, ...rest } = told;
          expect(shown).toMatchObject({ ...rest, summarised: true, action_log: [] });
          expect(shown.summary).toMatch(/\S/);
          checked += 1;
        }
      expect(checked).toBeGreaterThan(300);
    });

    it("what is older than 30 days is archived, unless a pattern refers to it", () => {
      const [kept, gone] = [new Set<string>(), new Set<string>()];
      for (const friday of lived().fridays) {
        const referred = new Set(
          livePatterns(friday.patterns).flatMap(({ source_episodes }) => source_episodes),
        );
        for (const { told, age, shown } of listed(friday)) {
          if (age < 30 || referred.has(told.id)) expect(shown, told.id).not.toBeNull();
          else if (age > 31) expect(shown, told.id).toBeNull();
          if (age > 31) (shown === null ? gone : kept).add(told.id);
        }
      }
      expect(kept.size).toBeGreaterThan(50);
      expect(gone.size).toBeGreaterThan(3);
    });

    it("importance has decayed by e^(-.1 days/30) since the episode", () => {
      for (const friday of lived().fridays)
        for (const { told, age, shown } of listed(friday))
          if (shown !== null) expect(shown.importance).toBeCloseTo(decayed(told.importance, age), 4);
    });

    it("the report counts and names what was done", () => {
      let before = new Map<string, Episode>();
      for (const friday of lived().fridays) {
        const { report, episodes, now } = friday;
        const known = listed(friday).map(({ told }) => told.id);
        const newly = (id: string) => episodes.get(id)?.summarised && !before.get(id)?.summarised;
        expect(report.ids.summarised.toSorted()).toEqual(known.filter(newly).sort());
        const week = known.filter((id) => before.has(id) || ageOf(toldOf(id), now) < 7);
        expect(report.ids.archived.toSorted()).toEqual(week.filter((id) => !episodes.has(id)).sort());
        for (const what of ["summarised", "archived", "merged"] as const)
          expect(report[what]).toBe(report.ids[what].length);
        expect(report.decayed).toBeGreaterThan(0);
        before = episodes;
      }
    });
  });

  describe("a year later", () => {
    beforeAll(async () => {
      await maintain(lived().api, { project_id: PROJECT, now: daysBefore(LAST_EVENING, -365) });
    });

    it("only what patterns refer to is still listed", async () => {
      const referred = new Set(
        livePatterns(lived().fridays.at(-1)?.patterns ?? new Map()).flatMap(
          ({ source_episodes }) => source_episodes,
        ),
      );
      const listed = await episodesOf(lived().api, PROJECT);
      expect(listed.map(({ id }) => id).sort()).toEqual([...referred].sort());
      for (const { archived } of listed) expect(archived).toBe(false);
    });

    it("the others are still read by id, as archived", async () => {
      for (const { told } of WORK.filter(({ theme }) => theme === null)) {
        const { archived, context, outcome } = await readEpisode(lived().api, told.id);
        expect({ archived, context, outcome }).toEqual({
          archived: true,
          context: told.context,
          outcome: told.outcome,
        });
      }
    });

    it("decisions, conventions and lessons are recalled as ever", async () => {
      for (const [n, { content, type }] of LASTING.entries()) {
        const body = { query: content, project_id: PROJECT, type };
        const { memories } = bodyOf(await lived().api.post<Recalled>("/v1/recall", body), 200);
        expect(memories.map(({ id }) => id)).toContain(lived().remembered[n]);
        const memory = bodyOf(await lived().api.get<Memory>(`/v1/memories/${lived().remembered[n]}`), 200);
        expect(memory).toMatchObject({ content, type, superseded_by: null, invalidated_by: null });
      }
    });

    it("nothing that was archived is put before a new task", async () => {
      const [oneOff] = ONE_OFFS;
      const { similar_episodes } = await prime(lived().api, oneOff ?? "", { project_id: PROJECT });
      const archived = idsOf(WORK.filter(({ alone }) => alone));
      expect(similar_episodes.map(({ id }) => id).filter((id) => archived.includes(id))).toEqual([]);
    });
  });
}
