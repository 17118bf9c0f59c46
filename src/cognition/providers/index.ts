// The registry of providers: a new one is a file beside these, its name in PROVIDERS and a line here.
import type { LongTermStore } from "../../long-term/store";
import type { ProviderOptions } from "../../schemas/cognition";
import type { Provider, ProviderName } from "../provider";
import { openD1 } from "./d1";
import { openInline } from "./inline";
import { openVector } from "./vector";

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
