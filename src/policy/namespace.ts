// Where an agent's entries live, by name: `agent:<id>`, `agent:<id>:session:<sid>`, `<ns>`, `<ns>:session:<sid>`. Pure.
import { invalidField, type Outcome, ok } from "../errors";
import type { Json } from "../json";
import { type Namespace, NamespaceName, type PolicyScope } from "../schemas/policy";

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

const SESSION = ":session:";

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

/** A whole name, as a caller of a list gives it. */
export function parseNamespace(name: string): Outcome<ResolvedNamespace> {
  const base = baseOf(name);
  const session = base === name ? null : name.slice(base.length + SESSION.length);
  const agent = /^agent:([A-Za-z0-9_-]{1,128})$/.exec(base)?.[1] ?? null;
  const isName = agent !== null || NamespaceName.safeParse(base).success;
  if (!isName || (session !== null && !/^[A-Za-z0-9_-]{1,128}$/.test(session)))
    return invalidField(
      "namespace",
      "must be agent:<id>, a name of your own, or either followed by :session:<session id>",
    );
  return ok(namespaceOf(base, session, agent));
}

export type Where = {
  scope: PolicyScope;
  namespace: Namespace | null;
  agent_id: string | null;
  session_id: string | null;
  /** What the call says of itself, such as whose customer it serves. */
  context: Readonly<Record<string, Json>>;
};

/** The namespace of a call, or what is missing to tell. */
export function resolveNamespace({
  scope,
  namespace,
  agent_id,
  session_id,
  context,
}: Where): Outcome<ResolvedNamespace> {
  if (scope === "session" && session_id === null)
    return invalidField(
      "session_id",
      'is required: the policy has the scope "session". Give it in every write and recall, or set the scope to "agent"',
    );
  const session = scope === "session" ? session_id : null;
  if (namespace === null) {
    if (agent_id === null)
      return invalidField(
        "agent_id",
        "is required: without a namespace of its own, memory belongs to an agent. Make the session with agent_id, give it here, or set a namespace in the policy",
      );
    return ok(namespaceOf(`agent:${agent_id}`, session, agent_id));
  }
  if (typeof namespace === "string") return ok(namespaceOf(namespace, session, null));
  const { context: key } = namespace;
  const value = Object.hasOwn(context, key) ? context[key] : undefined;
  if (value === undefined)
    return invalidField(`context.${key}`, "is required: the policy takes the namespace from it");
  const name = NamespaceName.safeParse(typeof value === "number" ? String(value) : value);
  if (!name.success)
    return invalidField(
      `context.${key}`,
      `${name.error.issues[0]?.message ?? "is no name"}: it names the namespace`,
    );
  return ok(namespaceOf(name.data, session, null));
}
