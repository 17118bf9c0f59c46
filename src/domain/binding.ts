// Binding: the owner that a key, or a pinned client, is limited to. Nothing else exists for it.
import type { LastingOwner } from "./reach";

/** Every id that is set must match. */
export type Binding = {
  readonly user_id?: string | undefined;
  readonly agent_id?: string | undefined;
  readonly project_id?: string | undefined;
};

export const UNBOUND: Binding = {};

export const BOUND_IDS = ["user_id", "agent_id", "project_id"] as const satisfies readonly (keyof Binding)[];

export function isBound(binding: Binding): boolean {
  return BOUND_IDS.some((id) => binding[id] !== undefined);
}

/** Returns whether something with these owner ids lies within the binding. */
export function isWithinBinding(binding: Binding, owner: LastingOwner): boolean {
  return BOUND_IDS.every((id) => binding[id] === undefined || owner[id] === binding[id]);
}

/** Returns the owner ids of a binding, as a filter. */
export function toOwner({ user_id, agent_id, project_id }: Binding): LastingOwner {
  return { user_id: user_id ?? null, agent_id: agent_id ?? null, project_id: project_id ?? null };
}
