// What an agent's memory policy comes to: the defaults, the agent's own, the session's. Pure.
import { POLICY } from "../../limits";
import type { Policy, PolicyInput } from "../../schemas/policy";

export const DEFAULT_POLICY: Policy = {
  enabled: true,
  scope: "agent",
  namespace: null,
  capture: "manual",
  inject: "instructions",
  max_entries: POLICY.entries,
  metadata: {},
};

/** `input` over what holds without it: `true` and `false` switch that on and off. */
export function policyOver(base: Policy, input: PolicyInput | null): Policy {
  if (input === null) return base;
  if (typeof input === "boolean") return { ...base, enabled: input };
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  return { ...base, ...Object.fromEntries(given) };
}
