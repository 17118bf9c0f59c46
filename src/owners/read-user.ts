// Reads the users of a tenant, and the profile of one: facts, preferences and recent topics.
import { isBound } from "../kernel/access";
import { failure } from "../kernel/errors";
import { listSubtypes } from "../ontology/classes";
import { MEMORY_TYPES, type MemoryType } from "../ontology/generated/terms.generated";
import type { Services } from "../services/services";
import type { UserProfile, UserSummary } from "./entities/entity-schemas";
import { findTopics } from "./find-topics";

/** Statements in each list of a profile: about a page of a prompt. */
const LIST_STATEMENTS = 20;
const TOPICS = 10;
const TOPIC_MESSAGES = 200;
const TOPIC_MEMORIES = 50;

const PREFERENCE_TYPES: readonly MemoryType[] = listSubtypes("preference");
/** Types that assert nothing about the user: guesses, open questions, rejected options and procedures. */
const UNASSERTED_TYPES: readonly MemoryType[] = [
  "assumption",
  "hypothesis",
  "unknown",
  "alternative",
  "skill",
];
const FACT_TYPES: readonly MemoryType[] = MEMORY_TYPES.filter(
  (type) => !PREFERENCE_TYPES.includes(type) && !UNASSERTED_TYPES.includes(type),
);

/** Lists users in the order of ids. A bound key sees its own user, and only if nothing else narrows the key. */
export async function listUsers(
  { store, binding }: Services,
  page: { after: string; limit: number },
): Promise<UserSummary[]> {
  if (!isBound(binding)) return store.users.list(page);
  const { user_id, agent_id, project_id } = binding;
  const isHidden = user_id === undefined || agent_id !== undefined || project_id !== undefined;
  if (isHidden || user_id <= page.after) return [];
  const user = await store.users.find(user_id);
  return user === null ? [] : [user];
}

export async function readUserProfile({ store }: Services, id: string): Promise<UserProfile> {
  const { users } = store;
  const [user, facts, preferences, texts] = await Promise.all([
    users.find(id),
    users.listStatements(id, { types: FACT_TYPES, limit: LIST_STATEMENTS }),
    users.listStatements(id, { types: PREFERENCE_TYPES, limit: LIST_STATEMENTS }),
    users.listRecentTexts(id, { messages: TOPIC_MESSAGES, memories: TOPIC_MEMORIES }),
  ]);
  if (user === null) throw userNotFound(id);
  return { ...user, facts, preferences, topics: findTopics(texts, TOPICS) };
}

function userNotFound(id: string) {
  return failure("not_found", `User not found: ${id}. Check the id; GET /v1/users lists them.`);
}
