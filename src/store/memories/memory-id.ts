// Deterministic ids: the same content of the same type in the same scope is the same memory.
import { getBaseName, isAgentNamespace } from "../../domain/policy/namespace";
import { hash64, sha256Hex } from "../../platform/hash";
import type { NewMemory } from "../../schemas/memory";
import { normaliseContent } from "../../text/normalise-text";

type Belonging = {
  session_id: string | null;
  agent_id: string | null;
  project_id: string | null;
  properties: Readonly<Record<string, readonly string[]>>;
};

const NAMESPACE = "namespace:";
/** The scope of what belongs to no session, agent or project: it holds for all projects of the tenant. */
export const SHARED = "project:";

/** Where a memory belongs: its namespace, else its session, else its agent, else its project. */
export function scopeOf({ session_id, agent_id, project_id, properties }: Belonging): string {
  const namespace = properties.namespace?.[0];
  if (namespace !== undefined) return NAMESPACE + namespace;
  if (session_id !== null) return `session:${session_id}`;
  if (agent_id !== null) return `agent:${agent_id}`;
  return `${SHARED}${project_id ?? ""}`;
}

/** The namespace in a scope; null for another one. */
export function namespaceIn(scope: string): string | null {
  return scope.startsWith(NAMESPACE) ? scope.slice(NAMESPACE.length) : null;
}

/** The id of a content's first life; the first 128 bits of SHA-256, in hex. */
export function identityOf(
  tenant: string,
  memory: Belonging & Pick<NewMemory, "type" | "content">,
): Promise<string> {
  return shortHash([tenant, scopeOf(memory), memory.type, normaliseContent(memory.content)]);
}

/** The id of a later life: a content that was superseded or forgotten and is remembered again. */
export function idOfLife(identity: string, life: number): Promise<string> {
  return life === 0 ? Promise.resolve(identity) : shortHash([identity, String(life)]);
}

async function shortHash(parts: string[]): Promise<string> {
  return (await sha256Hex(JSON.stringify(parts))).slice(0, 32);
}
export type ScopeKind = "session" | "agent" | "project" | "collection" | "namespace";
/** One token that the text index keeps for everything in a scope; ends in 0 so that no stemmer shortens it. */

export function scopeToken(tenant: string, kind: ScopeKind, id: string): string {
  return `${kind.charAt(0)}${hash64(`${tenant}/${kind}/${id}`)}0`;
}
export type Belongs = {
  session_id: string | null;
  agent_id: string | null;
  project_id: string | null;
  /** Of a memory: where it belongs. */
  scope?: string;
};
/**
 * The tokens by which both indexes filter, null where something belongs to none. What is under a namespace of one's own
 * is found there and in its session, and nowhere else: the namespace takes the place of the project.
 */

export function scopesOf(tenant: string, { session_id, agent_id, project_id, scope = "" }: Belongs) {
  const token = (kind: ScopeKind, id: string | null) => (id === null ? null : scopeToken(tenant, kind, id));
  const namespace = namespaceIn(scope);
  const session = token("session", session_id);
  if (namespace !== null && !isAgentNamespace(namespace))
    return { session, agent: null, project: token("namespace", getBaseName(namespace)) };
  const project = scope === SHARED ? "" : project_id;
  return { session, agent: token("agent", agent_id), project: token("project", project) };
}
export function scopeTokens(tenant: string, belongs: Belongs): string[] {
  return Object.values(scopesOf(tenant, belongs)).filter((token) => token !== null);
}
