// From a name in a directive to a provider and its options: a built-in name, or a pointer in `world.pointers`.
import { invalidField, type Outcome, ok } from "../../platform/errors";
import { ProviderOptions } from "../../schemas/cognition";
import { clip } from "../../text/memory-text";
import { PROVIDERS, type ProviderName } from "./provider";

export type ResolvedProvider = { provider: ProviderName; options: ProviderOptions };

/** `pointers` is what stands in the space, whatever that is. A directive's own options win over the pointer's. */
export function resolveProvider(
  name: string,
  pointers: unknown,
  opts: ProviderOptions = {},
): Outcome<ResolvedProvider> {
  if (isProvider(name)) return ok({ provider: name, options: opts });
  const known = isObject(pointers) ? pointers : {};
  if (!Object.hasOwn(known, name)) return invalidField("provider", unknown(name, Object.keys(known)));
  const pointer = known[name];
  const wrong = (what: string) => invalidField("provider", `world.pointers.${name} ${what}`);
  if (!isObject(pointer))
    return wrong(`must be an object such as {"provider": "d1"}, with one of: ${PROVIDERS.join(", ")}`);
  if (!isProvider(pointer.provider))
    return wrong(`points to no provider: set its "provider" to one of: ${PROVIDERS.join(", ")}`);
  const options = ProviderOptions.safeParse(pointer);
  if (!options.success)
    return wrong(`has an "index" that cannot be used: it ${options.error.issues[0]?.message ?? "is wrong"}`);
  return ok({ provider: pointer.provider, options: { ...options.data, ...opts } });
}

function isProvider(name: unknown): name is ProviderName {
  return PROVIDERS.some((provider) => provider === name);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

function unknown(name: string, pointers: readonly string[]): string {
  const count = pointers.length === 1 ? "one" : pointers.length === 0 ? "none" : pointers.length;
  return `"${clip(name, 64)}" is no provider. Use ${PROVIDERS.join(", ")}, or a name in world.pointers, which has ${count}`;
}
