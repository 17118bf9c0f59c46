// Parses the name of a namespace, validated by its schema. Apart from namespace.ts, which the CLI bundles without zod.
import { invalidField, ok, type Result } from "../../platform/errors";
import { NamespaceName } from "../../schemas/policy";
import { createNamespace, getBaseName, type ResolvedNamespace, SESSION_SEPARATOR } from "./namespace";

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
