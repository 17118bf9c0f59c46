// A tool's input together with where the call belongs, for surfaces that have no session of their own.
import type { JsonObject } from "../../platform/json";
import type { z } from "../../schemas/common";
import { NO_TARGET, type Target, type Tool } from "./tool";

export function anywhere({ input, belongs }: Tool): z.ZodObject {
  return input.safeExtend(belongs.shape);
}

/** From the narrowest on. */
const IDS = ["session_id", "agent_id", "project_id"] as const satisfies readonly (keyof Target)[];

/** Defaults fill gaps: who names a project does not mean the session that is set. */
function fitting(defaults: Partial<Target>, named: JsonObject): Partial<Target> {
  const first = IDS.findIndex((id) => named[id] !== undefined);
  return Object.fromEntries(
    Object.entries(defaults).filter(([id]) => first < 0 || IDS.indexOf(id as keyof Target) > first),
  );
}

/** Such an input, checked, taken apart again. */
export function takeApart(
  { belongs }: Tool,
  given: JsonObject,
  defaults: Partial<Target> = {},
): { target: Target; input: JsonObject } {
  const pick = (wanted: boolean) =>
    Object.fromEntries(
      Object.entries(given).filter(([name]) => Object.hasOwn(belongs.shape, name) === wanted),
    );
  const named = pick(true);
  return { target: { ...NO_TARGET, ...fitting(defaults, named), ...named }, input: pick(false) };
}
