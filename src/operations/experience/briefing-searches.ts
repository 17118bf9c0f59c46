// Where a briefing searches: the experience that a project shares, and what lies within the reach of the call.
import { isWiderScope, type LastingOwner, type ScopeOwner } from "../../domain/reach";
import type { Scope } from "../../schemas/common";
import type { RecallScope } from "../../search/corpus";
import { findSettings } from "../resolve-owner";
import { resolveReach } from "../resolve-reach";
import type { Services } from "../services";
import type { OwnerIds } from "../tools/tool";

export type BriefingSearch = {
  scope: RecallScope;
  /** Set within the reach of a user: nothing of other users is found. */
  without_user: boolean;
};

export type BriefingReach = {
  searches: readonly BriefingSearch[];
  /** The user whose memories and episodes come first, and who sees no other user's. */
  user_id: string | null;
};

/** Resolves where a call searches. A session that does not exist yet has the owner that the call names. */
export async function resolveBriefingReach(
  services: Pick<Services, "tenant" | "session">,
  { session_id: id, limit, ...named }: OwnerIds,
): Promise<BriefingReach> {
  if (id === null) {
    const isAnonymous = named.user_id === null && named.agent_id === null;
    const reach = isAnonymous
      ? named.project_id === null
        ? "tenant"
        : "project"
      : resolveReach(null, named);
    return planBriefingSearches({ session_id: id, ...named }, reach);
  }
  const known = await findSettings(services, id);
  const owner: LastingOwner = {
    user_id: known?.user_id ?? named.user_id,
    agent_id: known?.agent_id ?? named.agent_id,
    project_id: named.project_id ?? known?.project_id ?? null,
  };
  const own = resolveReach(known, owner);
  const reach = limit !== undefined && isWiderScope(own, limit) ? limit : own;
  const isNamed = reach === "tenant" && named.project_id !== null;
  return planBriefingSearches({ session_id: id, ...owner }, isNamed ? "project" : reach);
}

/** Experience is shared by project, whoever asks; the reach of a session excludes it. */
export function planBriefingSearches(owner: ScopeOwner, reach: Scope): BriefingReach {
  const { user_id, project_id } = owner;
  if (reach !== "user" || user_id === null)
    return {
      searches: listScopes(owner, reach).map((scope) => ({ scope, without_user: false })),
      user_id: null,
    };
  return {
    searches: [
      { scope: { kind: "user", id: user_id }, without_user: false },
      { scope: includeShared(project_id ?? ""), without_user: true },
    ],
    user_id,
  };
}

function listScopes({ session_id, agent_id, project_id }: ScopeOwner, reach: Scope): RecallScope[] {
  if (reach === "tenant") return [{ kind: "tenant" }];
  if (reach === "session" && session_id !== null)
    return [{ kind: "session", id: session_id }, includeShared("")];
  if (reach === "agent" && agent_id !== null && project_id === null)
    return [{ kind: "agent", id: agent_id }, includeShared("")];
  return [includeShared(project_id ?? "")];
}

/** Returns the scope of a project together with the memories that apply to all projects. */
function includeShared(projectId: string): RecallScope {
  return { kind: "project", id: projectId, shared: true };
}
