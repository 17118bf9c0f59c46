// The provider port: named item stores outside the spaces, and the resolution of provider names. Reads follow writes on
// every backend; a new provider must pass the suite in test/integration/providers.
import { invalidField, ok, type Result } from "../../kernel/errors";
import { isJsonObject, type Json } from "../../kernel/json";
import { clip } from "../../language/normalise-text";
import {
  type Directive,
  type ProviderItem,
  ProviderOptions,
  type ProviderQuery,
} from "../runtime/thread-schemas";
import type { Refusal } from "../spaces/space-data";

export type ProviderEntry = { key: string; value: Json };
export type ProviderMatch = { key: string; score: number; value: Json };

/** Calls are idempotent. They throw a FailureError if the caller must act; any other error is retried. */
export type Provider = {
  /** Returns the existing items, in the order of the keys. */
  get(keys: readonly string[]): Promise<ProviderEntry[]>;
  put(items: readonly ProviderItem[]): Promise<void>;
  /** Returns matches, best first, with scores from 0 to 1. */
  query(query: ProviderQuery): Promise<ProviderMatch[]>;
  /** Deletes items and returns the number that existed. */
  delete(keys: readonly string[]): Promise<number>;
};

export const PROVIDERS = ["inline", "d1", "vector", "ephemeral"] as const;
export type ProviderName = (typeof PROVIDERS)[number];

type ResolvedProvider = { provider: ProviderName; options: ProviderOptions };

/**
 * Resolves a directive's provider: a built-in name, or a pointer in `world.pointers`, which callers write without
 * validation. The directive's options override the pointer's.
 */
export function resolveProvider(
  name: string,
  pointers: unknown,
  opts: ProviderOptions = {},
): Result<ResolvedProvider> {
  if (isProvider(name)) return ok({ provider: name, options: opts });
  const known = isJsonObject(pointers) ? pointers : {};
  if (!Object.hasOwn(known, name))
    return invalidField("provider", describeUnknownProvider(name, Object.keys(known)));
  const pointer = known[name];
  const refuse = (message: string) => invalidField("provider", `world.pointers.${name} ${message}`);
  if (!isJsonObject(pointer))
    return refuse(`must be an object such as {"provider": "d1"}, with one of: ${PROVIDERS.join(", ")}`);
  if (!isProvider(pointer.provider))
    return refuse(`points to no provider: set its "provider" to one of: ${PROVIDERS.join(", ")}`);
  // A plug-in without an index of its own may write null.
  const set = Object.fromEntries(Object.entries(pointer).filter(([, value]) => value !== null));
  const options = ProviderOptions.safeParse(set);
  if (!options.success) {
    const [issue] = options.error.issues;
    return refuse(`has an invalid "${String(issue?.path[0])}": it ${issue?.message ?? "is wrong"}`);
  }
  return ok({ provider: pointer.provider, options: { ...options.data, ...opts } });
}

/** Refuses parts of a directive that its provider has no use for, and embeddings that the index cannot store. */
export function checkDirective(
  directive: Directive,
  provider: ProviderName,
  model: { name: string; dimensions: number } | null,
): Refusal | null {
  if (directive.opts?.ttl_ms !== undefined && provider !== "ephemeral")
    return invalidField(
      "opts.ttl_ms",
      `is for the provider ephemeral, and ${provider} stores items for good: omit it`,
    );
  if (directive.type !== "upsert") return null;
  for (const [position, { embedding }] of directive.items.entries()) {
    if (embedding === undefined) continue;
    const path = `items.${position}.embedding`;
    if (provider !== "vector")
      return invalidField(path, `is for the provider vector, and ${provider} searches words: omit it`);
    // Without an embedder the directive itself fails and says so.
    if (model !== null && embedding.length !== model.dimensions)
      return invalidField(
        path,
        `must have ${model.dimensions} numbers, as the vectors of ${model.name} in the index, has ${embedding.length}`,
      );
  }
  return null;
}

function isProvider(name: unknown): name is ProviderName {
  return PROVIDERS.some((provider) => provider === name);
}

function describeUnknownProvider(name: string, pointers: readonly string[]): string {
  const count = pointers.length === 1 ? "one" : pointers.length === 0 ? "none" : pointers.length;
  return `"${clip(name, 64)}" is no provider. Use ${PROVIDERS.join(", ")}, or a name in world.pointers, which has ${count}`;
}
