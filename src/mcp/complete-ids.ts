// Ids that a client may offer while somebody types one: the newest of their kind.
import { LIMITS } from "../limits";
import type { Services } from "../operations/services";
import { slugOf } from "../store/memories/skill-queries";

const NEWEST = { limit: LIMITS.pageMax, after: null };

export async function memoryIds({ store }: Services): Promise<string[]> {
  const any = { type: null, session_id: null, agent_id: null, project_id: null, include_superseded: false };
  return (await store.list(any, NEWEST)).map(({ id }) => id);
}

export async function skillSlugs({ store }: Services): Promise<string[]> {
  return (await store.listSkills(NEWEST)).map(slugOf);
}

export async function sessionIds({ store }: Services): Promise<string[]> {
  const any = { agent_id: null, project_id: null, status: null };
  return (await store.listSessions(any, NEWEST)).map(({ id }) => id);
}
