// Where an agent's entries live, by name: `agent:<id>`, `agent:<id>:session:<sid>`, `<ns>`, `<ns>:session:<sid>`. Pure.
import { invalidField, type Outcome, ok } from "../../platform/errors";
import type { Json } from "../../platform/json";
import { type Namespace, NamespaceName, type PolicyScope } from "../../schemas/policy";
import { baseOf, namespaceOf, type ResolvedNamespace, SESSION } from "./namespace-name";

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
      `names the namespace: it ${name.error.issues[0]?.message ?? "is no name"}`,
    );
  return ok(namespaceOf(name.data, session, null));
}
