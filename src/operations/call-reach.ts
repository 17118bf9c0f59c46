// The reach of a call: whose memory it covers, and how far a call that a model made may go.
import {
  DEFAULT_PROJECT,
  getDefaultScope,
  hasOwner,
  inheritOwner,
  isWiderScope,
  OWNER_IDS,
  type Owner,
} from "../domain/access";
import { type FailureError, failure, unwrap } from "../platform/errors";
import type { Scope } from "../schemas/common";
import type { Services } from "./services";
import type { OwnerIds, Tool } from "./tools/tool";

/** Returns whether the call names no owner: neither a session nor a user, agent or project. */
export function isOwnerless(owner: OwnerIds): boolean {
  return OWNER_IDS.every((id) => owner[id] === null);
}

/** Adds the ids of the session to those of the call. */
export function completeOwner(owner: OwnerIds, session: Owner | null): OwnerIds {
  return session === null ? owner : { ...owner, ...inheritOwner(session, owner) };
}

/** Returns the scope of a call: the requested one, else the session's reach, else the first owner that is named. */
export function selectScope(owner: OwnerIds, requested: Scope | undefined, reach: Scope | undefined): Scope {
  const scope = requested ?? owner.limit ?? reach ?? getScopeWithoutSession(owner);
  rejectWiderScope(owner, scope);
  return scope;
}

/** Rejects a scope beyond the limit of a model's call. */
export function rejectWiderScope({ limit }: OwnerIds, scope: Scope | undefined): void {
  if (limit !== undefined && scope !== undefined && isWiderScope(scope, limit))
    throw beyondReach("scope", limit);
}

/** Returns the scope of a call without a session that is known. */
function getScopeWithoutSession(owner: OwnerIds): Scope {
  const reach = getDefaultScope(owner);
  return reach === "session" && owner.session_id === null ? "tenant" : reach;
}

export function beyondReach(field: string, limit: Scope): FailureError {
  return failure(
    "forbidden",
    `${field}: goes beyond the reach of this session, which is "${limit}". Leave ${field} out, or stay within "${limit}".`,
    { errors: [{ path: field, message: `must stay within the reach, which is "${limit}"` }] },
  );
}

/**
 * Returns the owner of a call that a model made, with the limit of its scope. A call without any owner belongs to the
 * default project.
 */
export async function limitToReach(services: Services, owner: OwnerIds): Promise<OwnerIds> {
  const { session_id: id } = owner;
  const session =
    id === null ? null : unwrap(await services.session(id).getSettings({ tenant: services.tenant, id }));
  if (session === null) {
    const named = hasOwner(owner) ? owner : { ...owner, project_id: DEFAULT_PROJECT };
    return { ...named, limit: getDefaultScope(named) };
  }
  const limit = session.reach;
  const select = (kind: "user" | "agent" | "project") => {
    const [named, own] = [owner[`${kind}_id`], session[`${kind}_id`]];
    if (named !== null && own !== null && named !== own) throw beyondReach(`${kind}_id`, limit);
    // An id that the session lacks is kept with what the call writes. As a scope narrower than that of another owner it
    // would lead out of the reach.
    const isKept = own !== null || isWiderScope(kind, limit) || limit === "tenant";
    // A user whom the session does not know is somebody else: what the call writes would not be theirs.
    if (named !== null && kind === "user" && !isKept) throw beyondReach("user_id", limit);
    return own ?? (isKept ? named : null);
  };
  return {
    session_id: id,
    user_id: select("user"),
    agent_id: select("agent"),
    project_id: select("project"),
    limit,
  };
}

/** The input fields by which tools name an owner themselves. */
const OWNER_FIELDS = {
  user_id: "user",
  agent_id: "agent",
  agent: "agent",
  project_id: "project",
} as const satisfies Record<string, Scope>;

/** Rejects an input of a model's call that names an owner beyond the limit. */
export function rejectBeyondReach(
  { ownerFields = {} }: Pick<Tool, "ownerFields">,
  owner: OwnerIds,
  input: Readonly<Record<string, unknown>>,
): void {
  const { limit } = owner;
  if (limit === undefined || limit === "tenant") return;
  for (const [field, scope] of Object.entries({ ...OWNER_FIELDS, ...ownerFields })) {
    const named = input[field];
    const own = owner[`${scope}_id`];
    if (typeof named !== "string" || named === own) continue;
    if (own !== null || isWiderScope(scope, limit)) throw beyondReach(field, limit);
  }
}
