// Reads what a briefing adds to the hits of its searches: links, lessons of episodes, and the project's own skills. The
// reads begin with the likely hits, beside the reads of their rows; hits that were not prefetched are read afterwards.

import type { FollowedRows } from "../../memories/links/follow-hits";
import type { LinkedMemory } from "../../memories/links/linked-memories";
import type { Memory } from "../../memories/memory-schemas";
import type { LikelyRow } from "../../recall/search/find-candidates";
import type { Repositories } from "../../services/repositories";

/** The hits of a briefing's searches: memories by id, episodes by their id in the vector index. */
type BriefingHits = { memories: readonly string[]; episodes: readonly string[] };

type FollowUpResult = {
  /** In the order of the memories; links that lead from them come first. */
  linked: LinkedMemory[];
  /** The lessons of these and of other episodes. Null if there are too many to read. */
  lessons: Memory[] | null;
  /** Topic keys of shared skills that the project has a skill of its own for. */
  ownSkills: ReadonlySet<string>;
};

export type FollowUps = ReturnType<typeof createFollowUps>;

export function createFollowUps({ links }: Pick<Repositories, "links">, project_id: string | null) {
  const begun: { memories: Set<string>; episodes: Set<string>; rows: Promise<FollowedRows> }[] = [];

  function read({ memories, episodes }: BriefingHits): void {
    if (memories.length + episodes.length === 0) return;
    const rows = links.followHits({ memories, episodes, project_id });
    // If the search fails, nobody takes the rows.
    rows.catch(() => undefined);
    begun.push({ memories: new Set(memories), episodes: new Set(episodes), rows });
  }

  function selectUnread({ memories, episodes }: BriefingHits): BriefingHits {
    return {
      memories: memories.filter((id) => !begun.some((one) => one.memories.has(id))),
      episodes: episodes.filter((id) => !begun.some((one) => one.episodes.has(id))),
    };
  }

  return {
    /** Begins to read for the likely hits of a search. */
    begin(likely: readonly LikelyRow[]): void {
      const select = (kind: LikelyRow["kind"]) =>
        likely.flatMap((row) => (row.kind === kind ? [row.vectorId] : []));
      read(selectUnread({ memories: select("memory"), episodes: select("episode") }));
    },

    /** Returns what the hits lead to. */
    async finish(hits: BriefingHits): Promise<FollowUpResult> {
      read(selectUnread(hits));
      const reads = await Promise.all(begun.map(async (one) => ({ ...one, rows: await one.rows })));
      const linked = Map.groupBy(
        reads.flatMap(({ rows }) => rows.linked),
        ({ from }) => from,
      );
      const lessons = reads.map(({ rows }) => rows.lessons);
      return {
        linked: hits.memories
          .flatMap((id) => linked.get(id) ?? [])
          .toSorted((a, b) => Number(a.incoming) - Number(b.incoming)),
        lessons: lessons.every((list) => list !== null) ? mergeLessons(lessons) : null,
        ownSkills: new Set(reads.flatMap(({ rows }) => rows.ownSkills)),
      };
    },
  };
}

/** Returns the lessons of several reads once each, most confident first. */
function mergeLessons(lists: readonly Memory[][]): Memory[] {
  const [only] = lists;
  if (only !== undefined && lists.length === 1) return only;
  return [...new Map(lists.flat().map((lesson) => [lesson.id, lesson])).values()].toSorted(
    (a, b) => b.confidence - a.confidence || compareText(a.content, b.content) || compareText(a.id, b.id),
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
