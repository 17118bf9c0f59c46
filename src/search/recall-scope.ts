// Which memories a session's own words "session", "agent", "project" and "tenant" mean. Pure.
import { FailureError, invalidField } from "../platform/errors";
import type { Scope } from "../schemas/memory";
import type { RecallScope } from "./corpus";

export type Belongs = { session_id: string | null; agent_id: string | null; project_id: string | null };

/** The scope that was asked for, or the narrowest one that the ids allow. */
export function recallScope(ids: Belongs, asked: Scope | undefined): RecallScope {
  const kind =
    asked ??
    (ids.session_id !== null
      ? "session"
      : ids.agent_id !== null
        ? "agent"
        : ids.project_id !== null
          ? "project"
          : "tenant");
  if (kind === "tenant") return { kind };
  const id = ids[`${kind}_id`];
  if (id === null) {
    throw new FailureError(
      invalidField("scope", `"${kind}" needs ${kind}_id, and neither the call nor its session has one`)
        .failure,
    );
  }
  return { kind, id };
}

export function recallScopeOf(
  record: { id: string; agent_id: string | null; project_id: string | null },
  asked: Scope,
): RecallScope {
  return recallScope(
    { session_id: record.id, agent_id: record.agent_id, project_id: record.project_id },
    asked,
  );
}
