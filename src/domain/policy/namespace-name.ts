// The names of namespaces: `agent:<id>` is an agent's own, any other is one of the caller's own, and either may be
// followed by `:session:<session id>`. Pure.

/** A namespace that entries are written to and recalled from. */
export type ResolvedNamespace = {
  /** Its whole name. */
  name: string;
  /** Without the session. */
  base: string;
  /** Set when only this session's entries are meant. */
  session_id: string | null;
  /** Set when it is the agent's own: then whatever else the agent remembers is part of it. */
  agent_id: string | null;
};

/** Between a name and the session in it. */
export const SESSION = ":session:";

export function namespaceOf(
  base: string,
  session_id: string | null,
  agent_id: string | null,
): ResolvedNamespace {
  return { name: session_id === null ? base : base + SESSION + session_id, base, session_id, agent_id };
}

/** The part of a name before its session. */
export function baseOf(name: string): string {
  const at = name.lastIndexOf(SESSION);
  return at < 0 ? name : name.slice(0, at);
}

/** Whether it is an agent's, and not one of the caller's own. */
export function isAgents(name: string): boolean {
  return name.startsWith("agent:");
}
