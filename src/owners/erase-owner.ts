// Erases a user, an agent, a project or a whole tenant from every store. Each step is complete in itself and leaves the
// rest where it was, so a call that fails or dies is sent again and continues with what is left.

import { eraseEpisodes } from "../experience/episodes/episode-operations";
import { DEFAULT_PROJECT } from "../kernel/access";
import { FailureError, failure, unwrap } from "../kernel/errors";
import { redactQuotations } from "../memories/redact-quotations";
import { RESOURCE_CLASS_NAMES, RESOURCE_CLASSES } from "../ontology/entity-classes";
import type { Services } from "../services/services";
import type { ErasureTarget } from "./owner-repository";

/** The steps of one call, each an object or a batch: it ends well before the platform's limit of subrequests. */
const MAX_STEPS = 200;
/** Sessions that are erased at the same time. */
const PARALLEL_SESSIONS = 8;
const MEMORY_BATCH = 200;
const EPISODE_BATCH = 50;
const ITEM_BATCH = 200;
const ENTITY_BATCH = 20;

const NOTHING = {
  ...{ sessions: 0, messages: 0, memories: 0, episodes: 0, items: 0, triples: 0, vectors: 0 },
  ...{ ledgers: 0, handoffs: 0, policies: 0, skill_proposals: 0, resources: 0, keys: 0 },
  privacy_policies: 0,
};
/** What an erasure has deleted, by kind. A receipt shows the kinds that its owner can have. */
type ErasedCounts = typeof NOTHING;

type Counter = (more: Partial<ErasedCounts>) => void;

/**
 * Erases the owner's sessions with their objects, messages and memories, then the memories outside of them, then the
 * episodes and all other rows. Throws `unavailable` if a store does not respond or more is left than one call erases.
 */
export async function eraseOwner(services: Services, owner: ErasureTarget): Promise<ErasedCounts> {
  const { store, indexing, later } = services;
  // First, because an owner without any data can have connections.
  const connections =
    owner.kind === "tenant" ? 0 : await services.endConnections(`${owner.kind}_id`, owner.id);
  if (connections === 0 && !(await store.owners.exists(owner))) throw ownerNotFound(services, owner);
  if (owner.kind === "tenant") await services.requireSettledVectors();
  const deleted = { ...NOTHING };
  const add: Counter = (more) => {
    for (const name of Object.keys(deleted) as (keyof ErasedCounts)[]) deleted[name] += more[name] ?? 0;
  };
  let isLeft = true;
  try {
    let steps = await stopWriters(services, owner, add);
    // Repeated until nothing is left: a session may have written to the long-term store before it was erased.
    for (;;) {
      isLeft = await store.owners.exists(owner);
      if (!isLeft || steps >= MAX_STEPS) break;
      steps += await eraseNext(services, owner, add);
    }
    if (!isLeft) await redactQuotations(services);
  } catch (error) {
    if (error instanceof FailureError && error.failure.code === "unavailable")
      throw toUnfinished(error, owner);
    throw error;
  } finally {
    // A tenant's indexer is erased with it and must not be created again.
    if (owner.kind !== "tenant") later(indexing.wake());
  }
  if (isLeft) throw describeLeftovers(deleted);
  return deleted;
}

/**
 * Stops what would write while the rows are erased: a tenant's keys, and the objects of projects. Returns the steps.
 */
async function stopWriters(services: Services, owner: ErasureTarget, add: Counter): Promise<number> {
  const { store } = services;
  if (owner.kind === "project") return eraseProjectObjects(services, [owner.id]);
  if (owner.kind !== "tenant") return 0;
  add({ keys: await services.eraseKeys() });
  let steps = 1 + (await eraseProjectObjects(services, [DEFAULT_PROJECT]));
  for (let after = ""; ; ) {
    const ids = await store.entities.listKnownIds("project", { after, limit: PARALLEL_SESSIONS });
    const last = ids.at(-1);
    if (last === undefined) return steps;
    steps += await eraseProjectObjects(services, ids);
    after = last;
  }
}

async function eraseProjectObjects({ project }: Services, ids: readonly string[]): Promise<number> {
  await Promise.all(ids.map(async (id) => unwrap(await project(id).erase())));
  return ids.length;
}

/** Erases the next part of what is left and returns its number of steps. */
async function eraseNext(services: Services, owner: ErasureTarget, add: Counter): Promise<number> {
  const { store, requireSettledVectors, eraseIndex, usageLog } = services;
  const sessions = await store.owners.listSessionIds(owner, PARALLEL_SESSIONS);
  if (sessions.length > 0) {
    await eraseSessions(services, sessions, add);
    return sessions.length;
  }
  const memories = await store.owners.eraseMemories(owner, MEMORY_BATCH);
  add(memories);
  if (memories.memories > 0) return 1;
  const episodes = await eraseEpisodes(services, await store.owners.listEpisodeIds(owner, EPISODE_BATCH));
  add(episodes);
  if (episodes.episodes > 0 || owner.kind === "user") return 1;
  if (owner.kind !== "tenant") {
    const entities = await eraseEntities(services, owner, add);
    if (entities > 0) return entities;
    add(await store.owners.eraseRecords(owner));
    return 1;
  }
  const items = await store.owners.eraseItems(ITEM_BATCH);
  add(items);
  if (items.items > 0) return 1;
  add(await store.owners.eraseRecords(owner));
  // A move may have begun since: it copies vectors, and the backlog that tells which of them to remove is erased next.
  await requireSettledVectors();
  await Promise.all([eraseIndex(), usageLog.erase()]);
  add({ triples: await services.eraseLeftovers() });
  return 2;
}

/** Waits for all of them, so that none continues in the background after the call has failed. */
async function eraseSessions(services: Services, ids: readonly string[], add: Counter): Promise<void> {
  const results = await Promise.allSettled(ids.map((id) => eraseSession(services, id)));
  for (const result of results) if (result.status === "fulfilled") add({ ...result.value, sessions: 1 });
  for (const result of results) if (result.status === "rejected") throw result.reason;
}

/** Erases a session by its object, which stops its writes first; without an object, its rows alone. */
async function eraseSession(
  { tenant, store, session }: Services,
  id: string,
): Promise<Partial<ErasedCounts>> {
  const erased = await session(id).erase({ tenant, id }, { memories: true });
  if (erased.ok || erased.failure.code !== "not_found") return unwrap(erased);
  const messages = await store.messages.count(id);
  return { ...(await store.sessions.erase(id, { memories: true })), messages };
}

/** Erases the resources of a project, then the declaration of the owner itself. Returns how many there were. */
async function eraseEntities(
  { store: { entities } }: Services,
  { kind, id }: { kind: "user" | "agent" | "project"; id: string },
  add: Counter,
): Promise<number> {
  if (kind === "user") return 0;
  const parts =
    kind === "agent"
      ? []
      : await entities.list({
          classes: RESOURCE_CLASS_NAMES.map((name) => RESOURCE_CLASSES[name]),
          ...{ project_id: id, within: id, after: "", limit: ENTITY_BATCH },
        });
  let erased = 0;
  for (const { reference } of parts) {
    const resource = await entities.erase(reference);
    if (resource === null) continue;
    add({ resources: 1, triples: resource.triples });
    erased += 1;
  }
  if (erased > 0) return erased;
  const declaration = await entities.erase({ kind, id });
  if (declaration === null) return 0;
  add({ triples: declaration.triples });
  return 1;
}

function ownerNotFound({ tenant }: Services, owner: ErasureTarget): FailureError {
  if (owner.kind === "tenant")
    return failure("not_found", `Tenant not found: ${tenant}. It has no key and no data.`);
  const { kind, id } = owner;
  const name = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
  return failure("not_found", `${name} not found: ${id}. Check the id; GET /v1/${kind}s lists them.`);
}

function describeLeftovers({ sessions, memories, episodes }: ErasedCounts): FailureError {
  return failure(
    "unavailable",
    `Erased ${sessions} sessions, ${memories} memories and ${episodes} episodes; more are left than one call erases. ` +
      "Send the same call again: it continues.",
    { retryAfterSeconds: 1 },
  );
}

/** The failure of a step says that nothing was erased, which no longer holds for the call. */
function toUnfinished(
  { failure: { cause = "A part of the service did not answer.", retryAfterSeconds = 1 } }: FailureError,
  { kind }: ErasureTarget,
): FailureError {
  return failure(
    "unavailable",
    `${cause} The ${kind} may be erased in part. Send the same call again: it continues.`,
    { retryAfterSeconds },
  );
}

/** Selects the counts that a receipt shows. */
export function selectCounts<Name extends keyof ErasedCounts>(
  erased: ErasedCounts,
  names: readonly Name[],
): Pick<ErasedCounts, Name> {
  return Object.fromEntries(names.map((name) => [name, erased[name]])) as Pick<ErasedCounts, Name>;
}
