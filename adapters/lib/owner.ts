// The owner of the memory that an adapter reads and writes.
import { invalidInput } from "../../client/errors";

/** A session, a user, an agent or a project. A new session receives the other ids, and recalls what they know. */
export type MemoryOwner = {
  session_id?: string | undefined;
  /** The person whose memory it is. */
  user_id?: string | undefined;
  agent_id?: string | undefined;
  project_id?: string | undefined;
};

export const OWNER_IDS = ["session_id", "user_id", "agent_id", "project_id"] as const;

/** Returns the defined ids; throws if there are none. */
export function checkOwner(given: MemoryOwner): MemoryOwner {
  const ids = OWNER_IDS.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]]));
  if (ids.length > 0) return Object.fromEntries(ids);
  throw invalidInput("session_id", "is required, unless user_id, agent_id or project_id is given");
}

/** Returns the one id under which memories are stored. */
export function selectNarrowest(given: MemoryOwner): MemoryOwner {
  const name = OWNER_IDS.find((id) => given[id] !== undefined);
  return name === undefined ? {} : { [name]: given[name] };
}
