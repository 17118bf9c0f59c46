// Resolves the memory policy of a call (defaults, then the agent's, then the session's) and its namespace. Apart from
// namespace.ts, which the CLI bundles without zod.

import { invalidField, ok, type Result } from "../kernel/errors";
import type { Json } from "../kernel/json";
import { POLICY } from "../kernel/limits";
import {
  createNamespace,
  getBaseName,
  type ResolvedNamespace,
  SESSION_SEPARATOR,
} from "../memories/store/namespace";
import {
  type Namespace,
  NamespaceName,
  type Policy,
  type PolicyInput,
  type PolicyScope,
} from "../sessions/policy-settings";

export const DEFAULT_POLICY: Policy = {
  enabled: true,
  scope: "agent",
  namespace: null,
  capture: "manual",
  inject: "instructions",
  max_entries: POLICY.entries,
  metadata: {},
  experience: false,
};

/** Overrides a policy by the fields of `input`; `true` and `false` only switch it on and off. */
export function mergePolicy(base: Policy, input: PolicyInput | null): Policy {
  if (input === null) return base;
  if (typeof input === "boolean") return { ...base, enabled: input };
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  return { ...base, ...Object.fromEntries(given) };
}

export type NamespaceRequest = {
  scope: PolicyScope;
  namespace: Namespace | null;
  agent_id: string | null;
  session_id: string | null;
  /** Values that identify the call's tenant or user; a policy may take its namespace from one of them. */
  context: Readonly<Record<string, Json>>;
};

/** Returns the namespace of a call, null without a name and an agent, or a failure that names the missing field. */
export function resolveNamespace({
  scope,
  namespace,
  agent_id,
  session_id,
  context,
}: NamespaceRequest): Result<ResolvedNamespace | null> {
  if (scope === "session" && session_id === null) return missingSession();
  const session = scope === "session" ? session_id : null;
  if (namespace === null) {
    if (agent_id === null) return ok(null);
    return ok(createNamespace(`agent:${agent_id}`, session, agent_id));
  }
  if (typeof namespace === "string") return ok(createNamespace(namespace, session, null));
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
  return ok(createNamespace(name.data, session, null));
}

/** The failure of a call with the scope `session` that names no session. */
export function missingSession() {
  return invalidField(
    "session_id",
    'is required: the scope is "session". Give it in every write and recall, or set the scope to "agent"',
  );
}

/** Parses a full namespace name, as list requests have it. */
export function parseNamespace(name: string): Result<ResolvedNamespace> {
  const base = getBaseName(name);
  const session = base === name ? null : name.slice(base.length + SESSION_SEPARATOR.length);
  const agent = /^agent:([A-Za-z0-9_-]{1,128})$/.exec(base)?.[1] ?? null;
  const isName = agent !== null || NamespaceName.safeParse(base).success;
  if (!isName || (session !== null && !/^[A-Za-z0-9_-]{1,128}$/.test(session)))
    return invalidField(
      "namespace",
      "must be agent:<id>, a name of your own, or either followed by :session:<session id>",
    );
  return ok(createNamespace(base, session, agent));
}
