// Where a briefing searches: the experience that a project shares, and what lies within the reach of the call.
import { findSettings } from "../../calls/call-access";
import { type Access, DEFAULT_PROJECT, isWiderScope, type Owner, resolveScope } from "../../kernel/access";
import type { Scope } from "../../kernel/common";
import { RecentValues, runAhead } from "../../kernel/run-ahead";
import type { FollowedRows } from "../../memories/links/follow-hits";
import type { LinkedMemory } from "../../memories/links/linked-memories";
import type { Memory } from "../../memories/memory-schemas";
import type { SearchTarget } from "../../memories/store/namespace";
import type { LikelyRow } from "../../recall/search/find-candidates";
import type { Repositories } from "../../services/repositories";
import type { Services } from "../../services/services";
import type { SessionSettings } from "../../sessions/session-rpc";

export type BriefingSearch = {
  scope: SearchTarget;
  /** Set within the reach of a user: nothing of other users is found. */
  without_user: boolean;
  /** Whether facts and decisions are searched together with patterns. */
  with_facts: boolean;
};

export type BriefingPlan = {
  searches: readonly BriefingSearch[];
  /** The user whose memories and episodes come first, and who sees no other user's. */
  user_id: string | null;
  /** The project whose own skills come before those of all projects. */
  project_id: string | null;
};

/** The settings that sessions had at the last briefings: most briefings find them unchanged. */
const recentSettings = new RecentValues<SessionSettings | null>();

/**
 * Runs reads where a call searches. They begin with the session's settings of the last briefing while the current ones are
 * read, and are repeated if those have changed.
 */
export function readByBriefingPlan<R>(
  services: Pick<Services, "tenant" | "session" | "bookmarks">,
  access: Access,
  read: (reach: BriefingPlan) => Promise<R>,
): Promise<R> {
  const { session_id: id } = access.owner;
  if (id === null) return read(resolveBriefingPlan(access, null));
  return runAhead(
    recentSettings,
    JSON.stringify([services.tenant, id]),
    () => findSettings(services, id),
    (settings) => read(resolveBriefingPlan(access, settings)),
    () => services.bookmarks.isBehind(),
  );
}

/** Resolves where a call searches. A session that does not exist yet has the owner that the call names. */
function resolveBriefingPlan(
  { owner: { session_id: id, ...named }, scope }: Pick<Access, "owner" | "scope">,
  known: SessionSettings | null,
): BriefingPlan {
  if (id === null) {
    const isAnonymous = named.user_id === null && named.agent_id === null;
    const reach = isAnonymous
      ? named.project_id === null
        ? "tenant"
        : "project"
      : resolveScope(null, named);
    return planBriefingSearches({ session_id: id, ...named }, reach);
  }
  const owner: Owner = {
    user_id: known?.user_id ?? named.user_id,
    agent_id: known?.agent_id ?? named.agent_id,
    project_id: named.project_id ?? known?.project_id ?? null,
  };
  const own = resolveScope(known, owner);
  const reach = scope !== null && isWiderScope(own, scope) ? scope : own;
  const isNamed = reach === "tenant" && named.project_id !== null;
  return planBriefingSearches({ session_id: id, ...owner }, isNamed ? "project" : reach);
}

/** Experience is shared by project, whoever asks; the reach of a session excludes it. */
export function planBriefingSearches(owner: Required<Owner>, reach: Scope): BriefingPlan {
  const { user_id, project_id } = owner;
  if (reach !== "user" || user_id === null)
    return { searches: listSearches(owner, reach), user_id: null, project_id };
  return {
    searches: [
      { scope: { kind: "user", id: user_id }, without_user: false, with_facts: false },
      searchProject(project_id, true),
    ],
    user_id,
    project_id,
  };
}

function listSearches({ session_id, agent_id, project_id }: Required<Owner>, reach: Scope): BriefingSearch[] {
  const search = (scope: SearchTarget, with_facts = false) => ({ scope, without_user: false, with_facts });
  if (reach === "tenant") return [search({ kind: "tenant" }, true)];
  if (reach === "session" && session_id !== null)
    return [search({ kind: "session", id: session_id }), search(includeShared(""))];
  if (reach === "agent" && agent_id !== null && project_id === null)
    return [search({ kind: "agent", id: agent_id }), searchProject(null, true)];
  return [searchProject(project_id, false)];
}

/**
 * Searches a project and what applies to all projects. Without a project, that is the default one: its experience is
 * shared, its facts are not.
 */
function searchProject(projectId: string | null, without_user: boolean): BriefingSearch {
  return {
    scope: includeShared(projectId ?? DEFAULT_PROJECT),
    without_user,
    with_facts: projectId !== null,
  };
}

/** Returns the scope of a project together with the memories that apply to all projects. */
function includeShared(projectId: string): SearchTarget {
  return { kind: "project", id: projectId, shared: true };
}

/** Returns whether a search would consider a memory that it did not find by itself. */
export function covers({ scope, without_user }: BriefingSearch, memory: Memory): boolean {
  const { user_id, agent_id, project_id, session_id, properties } = memory;
  if (properties.namespace !== undefined || (without_user && user_id !== null)) return false;
  switch (scope.kind) {
    case "tenant":
      return true;
    case "project":
      return (
        project_id === scope.id ||
        (project_id === null && user_id === null && agent_id === null && session_id === null)
      );
    case "namespace":
      return false;
    default:
      return memory[`${scope.kind}_id`] === scope.id;
  }
}

// Reads what a briefing adds to the hits of its searches: links, lessons of episodes, and the project's own skills. The
// reads begin with the likely hits, beside the reads of their rows; hits that were not prefetched are read afterwards.

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
