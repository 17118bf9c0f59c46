// Erases a person from every store. Each step is complete in itself and leaves the rest where it was, so a call that
// fails or dies is sent again and continues with what is left.
import { FailureError, failure, unwrap } from "../../platform/errors";
import type { ErasedUser } from "../../schemas/owners/user";
import { eraseEpisodes } from "../experience/episode-operations";
import type { Services } from "../services";
import { userNotFound } from "./read-user";

/** The steps of one call, each a session or a batch: it ends well before the platform's limit of subrequests. */
const MAX_STEPS = 200;
/** Sessions that are erased at the same time. */
const PARALLEL_SESSIONS = 8;
const MEMORY_BATCH = 200;
const EPISODE_BATCH = 50;

/**
 * Erases the user's sessions with their objects, messages and memories, then the memories outside of them, then the
 * episodes. Throws `unavailable` if a store does not respond or more is left than one call erases.
 */
export async function eraseUser(services: Services, id: string): Promise<ErasedUser> {
  const { store, indexing, later } = services;
  if (!(await store.users.exists(id))) throw userNotFound(id);
  const deleted = { sessions: 0, messages: 0, memories: 0, episodes: 0, triples: 0, vectors: 0 };
  const add = (more: Partial<ErasedUser>) => {
    for (const name of Object.keys(deleted) as (keyof ErasedUser)[]) deleted[name] += more[name] ?? 0;
  };
  let steps = 0;
  try {
    // Repeated until nothing is left: a session may have written to the long-term store before it was erased.
    while (await store.users.exists(id)) {
      if (steps >= MAX_STEPS) throw describeRest(deleted);
      const sessions = await store.users.listSessionIds(id, PARALLEL_SESSIONS);
      if (sessions.length > 0) {
        steps += sessions.length;
        await eraseSessions(services, sessions, add);
        continue;
      }
      steps += 1;
      const memories = await store.users.eraseMemories(id, MEMORY_BATCH);
      add(memories);
      if (memories.memories > 0) continue;
      add(await eraseEpisodes(services, await store.users.listEpisodeIds(id, EPISODE_BATCH)));
    }
  } catch (error) {
    if (error instanceof FailureError && error.failure.code === "unavailable" && steps > 0)
      throw toUnfinished(error);
    throw error;
  } finally {
    later(indexing.wake());
  }
  return deleted;
}

/** Waits for all of them, so that none continues in the background after the call has failed. */
async function eraseSessions(
  services: Services,
  ids: readonly string[],
  add: (more: Partial<ErasedUser>) => void,
): Promise<void> {
  const results = await Promise.allSettled(ids.map((id) => eraseSession(services, id)));
  for (const result of results) if (result.status === "fulfilled") add({ ...result.value, sessions: 1 });
  for (const result of results) if (result.status === "rejected") throw result.reason;
}

/** Erases a session by its object, which stops its writes first; without an object, its rows alone. */
async function eraseSession({ tenant, store, session }: Services, id: string): Promise<Partial<ErasedUser>> {
  const erased = await session(id).erase({ tenant, id }, { memories: true });
  if (erased.ok || erased.failure.code !== "not_found") return unwrap(erased);
  const messages = await store.messages.count(id);
  return { ...(await store.sessions.erase(id, { memories: true })), messages };
}

function describeRest({ sessions, memories, episodes }: ErasedUser) {
  return failure(
    "unavailable",
    `Erased ${sessions} sessions, ${memories} memories and ${episodes} episodes; more are left than one call erases. ` +
      "Send the same call again: it continues.",
    { retryAfterSeconds: 1 },
  );
}

/** The failure of a step says that nothing was erased, which is no longer true of the call. */
function toUnfinished({ failure: { detail, retryAfterSeconds = 1 } }: FailureError): FailureError {
  const cause = detail.split(". ")[0];
  return new FailureError({
    code: "unavailable",
    detail: `${cause}. The user may be erased in part. Send the same call again: it continues.`,
    retryAfterSeconds,
  });
}
