// Lists the newest ids of each kind for MCP completions.
import { LIMITS } from "../limits";
import type { Services } from "../operations/services";
import { getSkillSlug } from "../store/memories/skill-repository";

const NEWEST = { limit: LIMITS.pageMax, after: null };

export async function listMemoryIds({ store }: Services): Promise<string[]> {
  const any = { type: null, session_id: null, agent_id: null, project_id: null, include_superseded: false };
  return (await store.memories.list(any, NEWEST)).map(({ id }) => id);
}

export async function listSkillSlugs({ store }: Services): Promise<string[]> {
  return (await store.skills.list(NEWEST)).map(getSkillSlug);
}

export async function listSessionIds({ store }: Services): Promise<string[]> {
  const any = { agent_id: null, project_id: null, status: null };
  return (await store.sessions.list(any, NEWEST)).map(({ id }) => id);
}
