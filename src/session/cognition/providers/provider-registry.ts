// The registry of providers: a new one is a file beside these, its name in PROVIDERS and a line here.

import type { Provider, ProviderName } from "../../../domain/cognition/provider";
import type { ProviderOptions } from "../../../schemas/cognition";
import type { LongTermStore } from "../../../store/store";
import { openD1 } from "./d1-provider";
import { openInline } from "./inline-provider";
import { openVector } from "./vector-provider";

/** What a provider may use: the session's own storage, and its tenant's long-term store. */
export type ProviderServices = { sql: SqlStorage; store: LongTermStore; sessionId: string };

type Open = (services: ProviderServices, options: ProviderOptions) => Provider;

const REGISTRY: Record<ProviderName, Open> = {
  inline: ({ sql }, options) => openInline(sql, options),
  d1: ({ store, sessionId }, options) => openD1(store, sessionId, options),
  vector: ({ store, sessionId }, options) => openVector(store, sessionId, options),
};

export function openProvider(
  name: ProviderName,
  services: ProviderServices,
  options: ProviderOptions,
): Provider {
  return REGISTRY[name](services, options);
}
