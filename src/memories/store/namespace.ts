// Namespace names: `agent:<id>` is an agent's namespace, any other name is the caller's, and either may end with
// `:session:<session id>`.

/** A namespace that entries are written to and recalled from. */
export type ResolvedNamespace = {
  /** The full name, with the session if there is one. */
  name: string;
  /** The name without the session. */
  base: string;
  /** Set when the namespace is limited to one session. */
  session_id: string | null;
  /** Set for an agent's namespace, which also contains the agent's other memories. */
  agent_id: string | null;
};

/** The records that a search or a list covers: those of a namespace, which has only memories, or those that an owner knows. */
export type SearchTarget =
  | { kind: "session" | "user" | "agent"; id: string }
  /** `shared` includes memories without a project, which apply to all projects. */
  | { kind: "project"; id: string; shared?: true }
  | { kind: "tenant" }
  | ({ kind: "namespace" } & ResolvedNamespace);

/** Returns the name of a scope as responses have it: the namespace, or the kind and id of the owner. */
export function getTargetName(scope: SearchTarget): string {
  if (scope.kind === "namespace") return scope.name;
  return scope.kind === "tenant" ? scope.kind : `${scope.kind}:${scope.id}`;
}

/** Separates the base name from the session id. */
export const SESSION_SEPARATOR = ":session:";

export function createNamespace(
  base: string,
  session_id: string | null,
  agent_id: string | null,
): ResolvedNamespace {
  return {
    name: session_id === null ? base : base + SESSION_SEPARATOR + session_id,
    base,
    session_id,
    agent_id,
  };
}

/** Returns a name without its session. */
export function getBaseName(name: string): string {
  const at = name.lastIndexOf(SESSION_SEPARATOR);
  return at < 0 ? name : name.slice(0, at);
}

/** Whether a name is an agent's namespace, not one of the caller's. */
export function isAgentNamespace(name: string): boolean {
  return name.startsWith("agent:");
}
