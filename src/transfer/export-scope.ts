// Whose records an export has: those of the tenant or of one owner, within the binding of the caller's key.

import { bindOwner, requireOwnSession } from "../calls/call-access";
import { type Binding, NO_OWNER } from "../kernel/access";
import type { Scope } from "../kernel/common";
import { type FailureError, failure, fieldFailure } from "../kernel/errors";
import type { Services } from "../services/services";
import type { ExportRequest } from "./transfer-request";

export type ExportTarget = {
  scope: Scope;
  /** Null for the tenant. */
  id: string | null;
  /** The ids that every exported record has; those of the caller's binding among them. Empty for the whole tenant. */
  owner: Binding;
};

/** Throws if the scope and the id do not fit, or lie outside of the binding. */
export async function resolveExportTarget(
  services: Services,
  { scope = "tenant", id }: ExportRequest,
): Promise<ExportTarget> {
  const { binding } = services;
  if (scope === "tenant") {
    if (id !== undefined)
      throw invalid("id", "is given without a scope: set scope to session, user, agent or project");
    return { scope, id: null, owner: binding };
  }
  if (id === undefined) throw invalid("id", `is required: the id of the ${scope}`);
  if (scope === "session") {
    if (!(await requireOwnSession(services, binding, id)))
      throw failure("not_found", `Session not found: ${id}. GET /v1/sessions lists them.`);
    return { scope, id, owner: { ...binding, session_id: id } };
  }
  const field = `${scope}_id` as const;
  const owner = await bindOwner(services, binding, { ...NO_OWNER, [field]: id });
  return { scope, id, owner: { ...binding, [field]: owner[field] ?? id } };
}

function invalid(path: string, message: string): FailureError {
  return fieldFailure(path, message);
}
