// A tool's input together with where the call belongs, for surfaces that have no session of their own.
import type { JsonObject } from "../json";
import type { z } from "../schemas/common";
import { NO_TARGET, type Target, type Tool } from "./tool";

export function anywhere({ input, belongs }: Tool): z.ZodObject {
  return input.safeExtend(belongs.shape);
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
  return { target: { ...NO_TARGET, ...defaults, ...pick(true) }, input: pick(false) };
}
