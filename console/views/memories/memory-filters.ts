// The filters of the memories, as they stand in the address, and the calls that they make.
import type { Kioku, Memory, RecallInput } from "kioku/client";
import { toHref } from "../../state/router";

export const FILTER_NAMES = [
  "type",
  "user",
  "agent",
  "project",
  "tag",
  "status",
  "since",
  "until",
  "mode",
  "sources",
] as const;
export type MemoryFilters = Partial<Record<(typeof FILTER_NAMES)[number] | "query" | "as_of", string>>;

/** The most hits that a recall returns. */
const MOST_HITS = 50;

/** In characters: a recall takes a query of at most 1,000. */
const QUERY_LENGTH = 400;

type Ids = Pick<RecallInput, "user_id" | "agent_id" | "project_id">;
type Source = NonNullable<RecallInput["sources"]>[number];

/** Returns whether the filters ask for a recall: it takes words and times, which a list does not. */
export function isRecall({ query, since, until }: MemoryFilters): boolean {
  return [query, since, until].some((value) => value !== undefined && value !== "");
}

export function listMemories(kioku: Kioku, filters: MemoryFilters) {
  return kioku.memories.list({
    ...toIds(filters),
    ...(filters.type ? { type: filters.type as Memory["type"] } : {}),
    ...(filters.tag ? { tag: filters.tag } : {}),
    ...(filters.as_of ? { as_of: filters.as_of } : {}),
    include_superseded: filters.status !== undefined && filters.status !== "",
  });
}

export async function recallMemories(kioku: Kioku, filters: MemoryFilters, signal: AbortSignal) {
  const { query, type, tag, since, until, mode, sources, status, as_of } = filters;
  const input: RecallInput = {
    ...toIds(filters),
    ...(query ? { query } : {}),
    ...(type ? { type: type as NonNullable<RecallInput["type"]> } : {}),
    ...(tag ? { filter: { tags: tag } } : {}),
    ...(since ? { since: `${since}T00:00:00.000Z` } : {}),
    ...(until ? { until: `${until}T23:59:59.999Z` } : {}),
    ...(mode ? { mode: mode as NonNullable<RecallInput["mode"]> } : {}),
    ...(as_of ? { as_of } : {}),
    ...(sources ? { sources: sources.split(",") as Source[] } : {}),
    include_superseded: Boolean(status),
    // People who look want to see doubtful memories, too.
    min_confidence: 0,
    limit: MOST_HITS,
  };
  const answer = await kioku.recall(input, { signal });
  return { ...answer, memories: answer.memories.filter((hit) => matches(hit, filters)) };
}

type Filtered = {
  status?: string;
  user_id?: string | null;
  agent_id?: string | null;
  project_id?: string | null;
};

/** A recall looks in the narrowest of the given scopes; here all of them must hold. */
export function matches(item: Filtered, { status, user, agent, project }: MemoryFilters): boolean {
  return (
    (!user || item.user_id === user) &&
    (!agent || item.agent_id === agent) &&
    (!project || item.project_id === project) &&
    (!status || status === "all" || item.status === status)
  );
}

function toIds({ user, agent, project }: MemoryFilters): Ids {
  return {
    ...(user ? { user_id: user } : {}),
    ...(agent ? { agent_id: agent } : {}),
    ...(project ? { project_id: project } : {}),
  };
}

type Owner = { user_id: string | null; agent_id: string | null; project_id: string | null };

/** Returns the address of the memories about a message that its session could reach when it was sent. */
export function linkToKnown(message: { content: string; timestamp: string }, owner: Owner): string {
  const { user_id, agent_id, project_id } = owner;
  return toHref(["memories"], {
    query: message.content.slice(0, QUERY_LENGTH),
    ...(user_id !== null
      ? { user: user_id }
      : agent_id !== null
        ? { agent: agent_id }
        : { project: project_id ?? undefined }),
    sources: "memories",
    as_of: message.timestamp,
  });
}
