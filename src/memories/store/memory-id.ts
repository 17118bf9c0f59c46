// Scopes and deterministic ids: the same content of the same type in the same scope is the same memory.
import type { Owner } from "../../kernel/access";
import { hash64, sha256Hex } from "../../kernel/hash";
import { normaliseContent } from "../../language/normalise-text";
import type { NewMemory } from "../memory-schemas";
import { getBaseName, isAgentNamespace } from "./namespace";

type OwnedRow = Pick<NewMemory, keyof Owner>;
type OwnedMemoryRow = OwnedRow & { properties: Readonly<Record<string, readonly string[]>> };

const NAMESPACE_PREFIX = "namespace:";

/** The scope of a memory without session, agent and project: it applies to all projects of the tenant. */
export const SHARED_SCOPE = "project:";

/** Returns the narrowest scope of a memory: its namespace, else its session, its user, its agent or its project. */
export function getMemoryScope(memory: OwnedMemoryRow): string {
  const { session_id, user_id = null, agent_id, project_id, properties } = memory;
  const namespace = properties.namespace?.[0];
  if (namespace !== undefined) return NAMESPACE_PREFIX + namespace;
  if (session_id !== null) return `session:${session_id}`;
  if (user_id !== null) return `user:${user_id}`;
  if (agent_id !== null) return `agent:${agent_id}`;
  return `${SHARED_SCOPE}${project_id ?? ""}`;
}

/** Stands before a topic key that is derived from the content. */
export const DERIVED_TOPIC_MARK = "~";

/** Begins every such key. No caller's key does by accident, not even one that begins with the mark. */
export const DERIVED_TOPIC = `${DERIVED_TOPIC_MARK}fact:`;

/**
 * Returns the scope in which a topic key is unique. The key of a caller is unique for the memory's user, else in its
 * scope. A derived one is unique for whoever the memory belongs to, so that the next session can supersede it.
 */
export function getTopicScope(memory: OwnedMemoryRow & { topic_key: string | null }): string | null {
  const { user_id = null, agent_id, project_id, topic_key, properties } = memory;
  if (topic_key === null) return null;
  if (properties.namespace === undefined) {
    if (user_id !== null) return `user:${user_id}`;
    if (topic_key.startsWith(DERIVED_TOPIC) && agent_id !== null) return `agent:${agent_id}`;
    if (topic_key.startsWith(DERIVED_TOPIC) && project_id !== null) return `${SHARED_SCOPE}${project_id}`;
  }
  return getMemoryScope(memory);
}

/** Returns the name of the namespace if the scope is one, else null. */
function parseNamespaceScope(scope: string): string | null {
  return scope.startsWith(NAMESPACE_PREFIX) ? scope.slice(NAMESPACE_PREFIX.length) : null;
}

/**
 * Returns the identity of a content in its scope: the first 128 bits of SHA-256 in hex. Two users of one scope have a
 * memory each, so that neither sees or loses the other's. A namespace with a name is shared on purpose.
 */
export function computeIdentity(
  tenant: string,
  memory: OwnedMemoryRow & Pick<NewMemory, "type" | "content">,
): Promise<string> {
  const { user_id = null, type, content, properties } = memory;
  const namespace = properties.namespace?.[0];
  const isShared = namespace !== undefined && !isAgentNamespace(namespace);
  const user = isShared || user_id === null ? [] : [user_id];
  // Two parts of a turn may have the same content.
  const part = [...(properties.entryTurn ?? []), ...(properties.entryPart ?? [])];
  return computeShortHash([
    tenant,
    getMemoryScope(memory),
    type,
    normaliseContent(content),
    ...user,
    ...part,
  ]);
}

/**
 * Returns the id of one generation of an identity. The first has the identity as its id; content that was superseded
 * or forgotten and is remembered again begins the next generation.
 */
export function computeGenerationId(identity: string, generation: number): Promise<string> {
  return generation === 0 ? Promise.resolve(identity) : computeShortHash([identity, String(generation)]);
}

async function computeShortHash(parts: string[]): Promise<string> {
  return (await sha256Hex(JSON.stringify(parts))).slice(0, 32);
}

type TokenKind = "session" | "user" | "agent" | "project" | "collection" | "namespace";

/** Returns the token of a scope in the text and vector index. It ends in 0, which no stemmer removes. */
export function computeScopeToken(tenant: string, kind: TokenKind, id: string): string {
  return `${kind.charAt(0)}${hash64(`${tenant}/${kind}/${id}`)}0`;
}

/**
 * Returns the tokens by which both indexes filter. A memory in a namespace other than an agent's is found only there,
 * in its session and by its user: the namespace takes the project's token, and the agent has none. Rows of other kinds
 * have no scope.
 */
export function computeScopeTokens(
  tenant: string,
  { session_id, user_id = null, agent_id, project_id, scope = "" }: OwnedRow & { scope?: string },
): Record<"session" | "user" | "agent" | "project", string | null> {
  const toToken = (kind: TokenKind, id: string | null) =>
    id === null ? null : computeScopeToken(tenant, kind, id);
  const namespace = parseNamespaceScope(scope);
  const session = toToken("session", session_id);
  const user = toToken("user", user_id);
  if (namespace !== null && !isAgentNamespace(namespace))
    return { session, user, agent: null, project: toToken("namespace", getBaseName(namespace)) };
  const project = scope === SHARED_SCOPE ? "" : project_id;
  return { session, user, agent: toToken("agent", agent_id), project: toToken("project", project) };
}

export function listScopeTokens(tenant: string, row: OwnedRow & { scope?: string }): string[] {
  return Object.values(computeScopeTokens(tenant, row)).filter((token) => token !== null);
}

/** Returns the scope of the skills of a project, or of those that apply to all projects. */
export function toSkillScope(projectId: string | null): string {
  return SHARED_SCOPE + (projectId ?? "");
}
