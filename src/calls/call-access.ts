// The access of a call: whose memory it covers, within the binding of its key and, if a model made it, the scope of its
// session. What lies outside of the binding does not exist: 404. Naming another owner is a 403. What the call writes gets
// the ids of the binding.
import {
  type Access,
  type Binding,
  BOUND_IDS,
  DEFAULT_PROJECT,
  getDefaultScope,
  hasOwner,
  inheritOwner,
  isBound,
  isWiderScope,
  isWithinBinding,
  NO_OWNER,
  OWNER_IDS,
  type Owner,
} from "../kernel/access";
import { type Scope, z } from "../kernel/common";
import { type FailureError, failure, fieldFailure, unwrap } from "../kernel/errors";
import type { Services } from "../services/services";
import type { SessionSettings } from "../sessions/session-rpc";
import type { Tool } from "./tool";

/** Returns the access of a program's call; without an owner, its input names all ids itself. */
export function createAccess({ binding }: Pick<Services, "binding">, owner = NO_OWNER): Access {
  return { owner, scope: null, binding };
}

/** Returns whether the call names no owner: neither a session nor a user, agent or project. */
export function isOwnerless(owner: Required<Owner>): boolean {
  return OWNER_IDS.every((id) => owner[id] === null);
}

/** Adds the ids of the session to those of the call. */
export function completeOwner(owner: Required<Owner>, session: Owner | null): Required<Owner> {
  return session === null ? owner : { ...owner, ...inheritOwner(session, owner) };
}

/**
 * Returns the user, agent and project: those that the call leaves out are the session's. A session that does not exist
 * yet is no error: agents recall before they write.
 */
export async function resolveOwner(services: Services, named: Required<Owner>): Promise<Owner> {
  const { session_id: id, user_id, agent_id, project_id } = named;
  if (id === null) return { user_id, agent_id, project_id };
  const known = await findSettings(services, id);
  return {
    user_id: user_id ?? known?.user_id ?? null,
    agent_id: agent_id ?? known?.agent_id ?? null,
    project_id: project_id ?? known?.project_id ?? null,
  };
}

/** Returns the settings of a session, null if it does not exist yet. Throws `not_found` while it is being erased. */
export async function findSettings(
  { tenant, session }: Pick<Services, "tenant" | "session">,
  id: string,
): Promise<SessionSettings | null> {
  const settings = unwrap(await session(id).getSettings({ tenant, id }));
  if (settings?.erasing) throw failure("not_found", `Session not found: ${id}. It is being erased.`);
  return settings;
}

/** Returns the agent that the call names in `field`, else the session's. */
export async function resolveAgent(
  services: Services,
  owner: Required<Owner>,
  field: string,
  requested: string | undefined,
): Promise<string> {
  const agentId = requested ?? (await resolveOwner(services, owner)).agent_id;
  if (agentId !== null) return agentId;
  throw fieldFailure(field, "is required, unless the session has an agent: name the agent");
}

/** Returns the session id of a call that needs one. */
export function requireSession({ session_id }: Required<Owner>): string {
  if (session_id !== null) return session_id;
  throw fieldFailure("session_id", "is required: name the session");
}

/** Returns the owner of a call within the binding. Throws if it names another, or a session of another. */
export async function bindOwner(
  services: Services,
  binding: Binding,
  owner: Required<Owner>,
): Promise<Required<Owner>> {
  if (!isBound(binding)) return owner;
  if (owner.session_id !== null) await requireOwnSession(services, binding, owner.session_id);
  const bound = { ...owner };
  for (const id of BOUND_IDS) {
    const own = binding[id];
    if (own === undefined) continue;
    if (owner[id] !== null && owner[id] !== own) throw otherOwner(id, own);
    bound[id] = own;
  }
  return bound;
}

/** Returns the access and the input of a tool call within the binding of the services. */
export async function bindToolCall<T extends object>(
  services: Services,
  tool: Pick<Tool, "name" | "input" | "servesBound">,
  owner: Required<Owner>,
  input: T,
): Promise<{ access: Access; input: T }> {
  const { binding } = services;
  if (!isBound(binding)) return { access: createAccess(services, owner), input };
  if (tool.servesBound !== true)
    throw failure(
      "not_found",
      `The tool ${tool.name} serves the whole tenant, and this key is bound to an owner.`,
    );
  return {
    access: createAccess(services, await bindOwner(services, binding, owner)),
    input: fillOwnerIds(binding, tool.input, input),
  };
}

/** Sets the ids of the binding where the schema has them, and refuses others. */
export function fillOwnerIds<T extends object>(binding: Binding, schema: z.ZodType, value: T): T {
  const filled: Record<string, unknown> = Object.fromEntries(Object.entries(value));
  for (const id of BOUND_IDS) {
    const own = binding[id];
    if (own === undefined) continue;
    for (const field of listOwnerFields(schema, id)) {
      if ((filled[field] ?? own) !== own) throw otherOwner(field, own);
      filled[field] = own;
    }
  }
  return filled as T;
}

/** Returns the fields of a schema that name this owner. An episode calls its agent `agent`. */
export function listOwnerFields(schema: z.ZodType, id: keyof Owner): string[] {
  const names = id === "agent_id" ? [id, "agent"] : [id];
  return schema instanceof z.ZodObject ? names.filter((name) => Object.hasOwn(schema.shape, name)) : [];
}

/** Throws if the session belongs to another owner. Returns whether it exists. */
export async function requireOwnSession(
  { tenant, session }: Services,
  binding: Binding,
  id: string,
): Promise<boolean> {
  const settings = unwrap(await session(id).getSettings({ tenant, id }));
  if (settings === null) return false;
  if (!isWithinBinding(binding, settings))
    throw failure("not_found", `Session not found: ${id}. Use another session id.`);
  return true;
}

function otherOwner(field: string, own: string): FailureError {
  return failure(
    "forbidden",
    `${field}: this call is limited to "${own}". Leave ${field} out, or name that.`,
    {
      errors: [{ path: field, message: `must be "${own}", which the call is limited to` }],
    },
  );
}

/** Returns the scope of a call: the requested one, else the session's reach, else the first owner that is named. */
export function selectScope(access: Access, requested: Scope | undefined, reach: Scope | undefined): Scope {
  const scope = requested ?? access.scope ?? reach ?? getScopeWithoutSession(access.owner);
  rejectWiderScope(access, scope);
  return scope;
}

/** Returns the scope of a call without a session that is known. */
function getScopeWithoutSession(owner: Required<Owner>): Scope {
  const scope = getDefaultScope(owner);
  return scope === "session" && owner.session_id === null ? "tenant" : scope;
}

/** Rejects a scope that is wider than that of a model's call. */
export function rejectWiderScope({ scope }: Access, requested: Scope | undefined): void {
  if (scope !== null && requested !== undefined && isWiderScope(requested, scope))
    throw beyondScope("scope", scope);
}

export function beyondScope(field: string, scope: Scope): FailureError {
  return failure(
    "forbidden",
    `${field}: goes beyond the reach of this session, which is "${scope}". Leave ${field} out, or stay within "${scope}".`,
    { errors: [{ path: field, message: `must stay within the reach, which is "${scope}"` }] },
  );
}

/**
 * Returns the access of a call that a model made: it stays within the reach of its session. A call without any owner
 * belongs to the default project.
 */
export async function limitToScope(services: Services, { owner, binding }: Access): Promise<Access> {
  const { session_id: id } = owner;
  const session =
    id === null ? null : unwrap(await services.session(id).getSettings({ tenant: services.tenant, id }));
  if (session === null) {
    const named = hasOwner(owner) ? owner : { ...owner, project_id: DEFAULT_PROJECT };
    return { owner: named, scope: getDefaultScope(named), binding };
  }
  const scope = session.reach;
  const select = (kind: "user" | "agent" | "project") => {
    const [named, own] = [owner[`${kind}_id`], session[`${kind}_id`]];
    if (named !== null && own !== null && named !== own) throw beyondScope(`${kind}_id`, scope);
    // An id that the session lacks is kept with what the call writes. As a scope narrower than that of another owner it
    // would lead out of the reach.
    const isKept = own !== null || isWiderScope(kind, scope) || scope === "tenant";
    // A user whom the session does not know is somebody else: what the call writes would not be theirs.
    if (named !== null && kind === "user" && !isKept) throw beyondScope("user_id", scope);
    return own ?? (isKept ? named : null);
  };
  return {
    owner: {
      session_id: id,
      user_id: select("user"),
      agent_id: select("agent"),
      project_id: select("project"),
    },
    scope,
    binding,
  };
}

/** The input fields by which tools name an owner themselves. */
const OWNER_FIELDS = {
  user_id: "user",
  agent_id: "agent",
  agent: "agent",
  project_id: "project",
} as const satisfies Record<string, Scope>;

/** Rejects an input of a model's call that names an owner beyond its scope. */
export function rejectBeyondScope(
  { ownerFields = {} }: Pick<Tool, "ownerFields">,
  { owner, scope }: Access,
  input: Readonly<Record<string, unknown>>,
): void {
  if (scope === null || scope === "tenant") return;
  for (const [field, kind] of Object.entries({ ...OWNER_FIELDS, ...ownerFields })) {
    const named = input[field];
    const own = owner[`${kind}_id`];
    if (typeof named !== "string" || named === own) continue;
    if (own !== null || isWiderScope(kind, scope)) throw beyondScope(field, scope);
  }
}
