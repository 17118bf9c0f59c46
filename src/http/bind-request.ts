// Limits the request of a bound key to the key's owner, before its handler runs. What lies outside does not exist: 404.
// Naming another owner is a 403.

import { fillOwnerIds, listOwnerFields, requireOwnSession } from "../calls/call-access";
import { type Binding, BOUND_IDS, isBound, isWithinBinding } from "../kernel/access";
import { type FailureError, failure, unwrap } from "../kernel/errors";
import { isJsonObject } from "../kernel/json";
import type { Services } from "../services/services";
import type { BindingRule, Shape } from "./document-route";

type BoundRequest = { params: object; query: object; body: unknown };

type BoundRoute = {
  bound?: BindingRule | undefined;
  query?: Shape | undefined;
  body?: Shape | undefined;
};

/** Returns the query and body with the ids of the binding. Throws if the request leaves it. */
export async function bindRequest(
  services: Services,
  route: BoundRoute,
  { params, query, body }: BoundRequest,
): Promise<{ query: unknown; body: unknown }> {
  const { binding } = services;
  if (!isBound(binding)) return { query, body };
  const rule = requireRule(route);
  const filled = {
    query: route.query === undefined ? query : fillOwnerIds(binding, route.query, query),
    body: route.body === undefined || !isJsonObject(body) ? body : fillOwnerIds(binding, route.body, body),
  };
  if (rule === "owner" && !acceptsIds(binding, route.query) && !acceptsIds(binding, route.body))
    throw outsideBinding();
  await checkPath(services, rule, params as Record<string, string>);
  for (const field of SESSION_FIELDS) {
    const named = isJsonObject(body) ? body[field] : undefined;
    if (typeof named === "string") await requireOwnSession(services, binding, named);
  }
  return filled;
}

/** The fields of a body that name a session. */
const SESSION_FIELDS = ["session_id", "continues", "spaces_from"];

/** Returns the rule of a route. Throws if the route does not exist for a bound key, or refuses it. */
export function requireRule({ bound }: BoundRoute): BindingRule {
  if (bound === undefined) throw outsideBinding();
  if (bound === "refused")
    throw failure(
      "forbidden",
      "This key is bound to an owner, and this call may write for others. Use a key of the tenant without a binding.",
    );
  return bound;
}

async function checkPath(
  services: Services,
  rule: BindingRule,
  { id = "", agent_id = "", project_id = "" }: Readonly<Record<string, string>>,
): Promise<void> {
  const { store, binding } = services;
  switch (rule) {
    case "session":
      await requireOwnSession(services, binding, id);
      return;
    case "first-write":
      if (!(await requireOwnSession(services, binding, id))) await createOwnSession(services, id);
      return;
    case "memory": {
      const memory = await store.memories.find(id);
      if (memory !== null && !isWithinBinding(binding, memory)) throw notFound("Memory", id);
      return;
    }
    case "episode": {
      const episode = await store.episodes.find(id);
      const owner = episode === null ? null : { ...episode, agent_id: episode.agent };
      if (owner !== null && !isWithinBinding(binding, owner)) throw notFound("Episode", id);
      return;
    }
    case "agent":
      if (!isOnly(binding, "agent_id", agent_id)) throw notFound("Agent", agent_id);
      return;
    case "project":
      if (!isOnly(binding, "project_id", project_id)) throw notFound("Project", project_id);
      return;
    case "user":
      if (!isOnly(binding, "user_id", id)) throw notFound("User", id);
      return;
    default:
      return;
  }
}

/** Returns whether the binding names this owner and nothing narrower. */
function isOnly(binding: Binding, field: keyof Binding, id: string): boolean {
  return BOUND_IDS.every((one) => binding[one] === (one === field ? id : undefined));
}

async function createOwnSession(services: Services, id: string): Promise<void> {
  const { tenant, session, binding } = services;
  const created = await session(id).create({ tenant, id }, { ...binding, within: binding }, null);
  if (created.ok) return;
  if (created.failure.code !== "conflict") unwrap(created);
  // A concurrent call has created it, perhaps that of another owner.
  await requireOwnSession(services, binding, id);
}

function acceptsIds(binding: Binding, schema: Shape | undefined): boolean {
  return BOUND_IDS.every(
    (id) => binding[id] === undefined || (schema !== undefined && listOwnerFields(schema, id).length > 0),
  );
}

function notFound(kind: string, id: string): FailureError {
  return failure("not_found", `${kind} not found: ${id}.`);
}

function outsideBinding(): FailureError {
  return failure(
    "not_found",
    "Not found: this key is bound to an owner, and this route serves the whole tenant.",
  );
}
