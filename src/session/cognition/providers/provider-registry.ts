// The registry of providers: a new one is a file beside these, its name in PROVIDERS and a line here.

import type { Provider, ProviderName } from "../../../domain/cognition/provider";
import type { ProviderOptions } from "../../../schemas/directive";
import type { LongTermMemory } from "../../../search/long-term-memory";
import { openD1 } from "./d1-provider";
import { openInline } from "./inline-provider";
import { openVector } from "./vector-provider";

/** What a provider may use: the session's own storage, and its tenant's long-term memory. */
export type ProviderServices = {
  sql: SqlStorage;
  memory: Pick<LongTermMemory, "store" | "search" | "indexing">;
  sessionId: string;
};

type Open = (services: ProviderServices, options: ProviderOptions) => Provider;

const REGISTRY: Record<ProviderName, Open> = {
  inline: ({ sql }, options) => openInline(sql, options),
  d1: ({ memory, sessionId }, options) => openD1(memory, sessionId, options),
  vector: ({ memory, sessionId }, options) => openVector(memory, sessionId, options),
};

export function openProvider(
  name: ProviderName,
  services: ProviderServices,
  options: ProviderOptions,
): Provider {
  return REGISTRY[name](services, options);
}
