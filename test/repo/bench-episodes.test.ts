// The episodes of the benchmark: if they were others each time, or outside the day that is consolidated, its figures
// would say nothing.
import { describe, expect, it } from "vitest";
import { EVENING, generateEpisode, generateTask, MORNING } from "../../bench/lib/data/episodes";
import { EpisodeCreate } from "../../src/experience/episodes/episode-schemas";

const COUNT = 400;
const episodes = Array.from({ length: COUNT }, (_, i) => generateEpisode(i, COUNT, "p"));

describe("the episodes of the benchmark", () => {
  it("are the same ones in every run, in whatever order they are made", () => {
    expect(episodes.map((_, i) => generateEpisode(COUNT - 1 - i, COUNT, "p")).toReversed()).toEqual(episodes);
    expect(generateTask(7)).toBe(generateTask(7));
  });

  it("are ones that the service takes", () => {
    for (const episode of episodes) expect(EpisodeCreate.safeParse(episode).error).toBeUndefined();
  });

  it("all happen within the day that is consolidated, in order", () => {
    const times = episodes.map(({ timestamp }) => timestamp);
    expect(times).toEqual(times.toSorted());
    for (const time of times) expect(time > MORNING && time < EVENING).toBe(true);
  });

  it("come back in themes, but for a quarter that are all different", () => {
    const openings = new Map<string, number>();
    for (const { context } of episodes) {
      const opening = context.goal.split(" ").slice(0, 2).join(" ");
      openings.set(opening, (openings.get(opening) ?? 0) + 1);
    }
    const repeated = [...openings.values()].filter((times) => times >= 10).reduce((sum, n) => sum + n, 0);
    expect(repeated / COUNT).toBeCloseTo(0.75, 1);
  });

  it("fail with an error, and succeed without one", () => {
    for (const { outcome, errors_encountered } of episodes)
      expect(errors_encountered).toHaveLength(outcome === "failure" ? 1 : 0);
    expect(episodes.filter(({ outcome }) => outcome === "failure")).toHaveLength(COUNT / 10);
  });
});
