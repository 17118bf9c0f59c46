// What a briefing adds to its hits is read for the likely ones ahead, and for the others afterwards.
import { describe, expect, it } from "vitest";
import { createFollowUps } from "../../../src/experience/briefing/briefing-searches";
import type { FollowedHits, FollowedRows } from "../../../src/memories/links/follow-hits";
import type { LinkedMemory } from "../../../src/memories/links/linked-memories";
import type { Memory } from "../../../src/memories/memory-schemas";
import type { LikelyRow } from "../../../src/recall/search/find-candidates";
import type { Repositories } from "../../../src/services/repositories";

function createMemory(id: string, confidence = 1): Memory {
  return { id, content: id, confidence } as Memory;
}

/** Every memory is linked with one other, by a link that leads to it if its id begins with "in". */
function createLink(from: string): LinkedMemory {
  const memory = createMemory(`other-${from}`);
  return { memory, from, relation: "supports", strength: 1, incoming: from.startsWith("in") };
}

function followWith(read: (hits: FollowedHits) => Partial<FollowedRows>) {
  const calls: FollowedHits[] = [];
  const followHits = async (hits: FollowedHits): Promise<FollowedRows> => {
    calls.push(hits);
    return { linked: hits.memories.map(createLink), lessons: [], ownSkills: [], ...read(hits) };
  };
  const links = { followHits } as unknown as Repositories["links"];
  return { calls, followUps: createFollowUps({ links }, "atlas") };
}

function likely(kind: LikelyRow["kind"], ...ids: string[]): LikelyRow[] {
  return ids.map((vectorId) => ({ kind, vectorId, type: null, cosine: 1 }));
}

describe("what a briefing adds to its hits", () => {
  it("is not read again if the hits were prefetched, and that of the others is left out", async () => {
    const { calls, followUps } = followWith(() => ({}));
    followUps.begin([...likely("memory", "a", "b"), ...likely("episode", "e")]);
    const { linked } = await followUps.finish({ memories: ["b"], episodes: ["e"] });
    expect(calls).toEqual([{ memories: ["a", "b"], episodes: ["e"], project_id: "atlas" }]);
    expect(linked.map(({ from }) => from)).toEqual(["b"]);
  });

  it("is read once for what several searches prefetch, and for the rest in the end", async () => {
    const { calls, followUps } = followWith(() => ({}));
    followUps.begin(likely("memory", "a", "b"));
    followUps.begin(likely("memory", "b", "c"));
    await followUps.finish({ memories: ["d", "c"], episodes: ["e"] });
    expect(calls.map(({ memories, episodes }) => [memories, episodes])).toEqual([
      [["a", "b"], []],
      [["c"], []],
      [["d"], ["e"]],
    ]);
  });

  it("has the order of the hits, links that lead from them first", async () => {
    const { followUps } = followWith(() => ({}));
    followUps.begin(likely("memory", "in-1", "a", "b"));
    const { linked } = await followUps.finish({ memories: ["c", "in-1", "b", "in-2", "a"], episodes: [] });
    expect(linked.map(({ from }) => from)).toEqual(["c", "b", "a", "in-1", "in-2"]);
  });

  it("has the lessons of all reads once each, most confident first, or none if a read had too many", async () => {
    const sure = createMemory("sure", 0.9);
    const unsure = createMemory("unsure", 0.2);
    const readLessons = (last: FollowedRows["lessons"]) => {
      const { followUps } = followWith(({ episodes }) => ({
        lessons: episodes.includes("e1") ? [unsure] : last,
      }));
      followUps.begin(likely("episode", "e1"));
      return followUps.finish({ memories: [], episodes: ["e1", "e2"] });
    };
    expect((await readLessons([sure, unsure])).lessons).toEqual([sure, unsure]);
    expect((await readLessons(null)).lessons).toBeNull();
  });

  it("fails with the read, and reads nothing if there is nothing to follow", async () => {
    const broken = followWith(() => {
      throw new Error("D1 is away");
    });
    broken.followUps.begin(likely("memory", "a"));
    await expect(broken.followUps.finish({ memories: ["a"], episodes: [] })).rejects.toThrow("D1 is away");
    const { calls, followUps } = followWith(() => ({}));
    expect(await followUps.finish({ memories: [], episodes: [] })).toEqual({
      linked: [],
      lessons: [],
      ownSkills: new Set(),
    });
    expect(calls).toEqual([]);
  });
});
