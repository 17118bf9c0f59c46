// The registry of entry stores. POLICY_STORE selects one; a new store is a file beside these and a line here.
import type { Bindings } from "../../platform/env";
import { failure } from "../../platform/errors";
import type { Services } from "../services";
import { createD1Store } from "./d1-entry-store";
import type { MemoryStore } from "./entry-store";
import { createInMemoryStore } from "./in-memory-entry-store";

const STORES = new Map<string, (services: Services) => MemoryStore>([
  ["d1", createD1Store],
  ["memory", inMemoryOf],
]);

const DEFAULT_STORE = "d1";

/** Returns the configured store for a tenant. */
export function memoryStoreOf(
  { POLICY_STORE: name }: Pick<Bindings, "POLICY_STORE">,
  services: Services,
): MemoryStore {
  const open = STORES.get(name || DEFAULT_STORE);
  if (open === undefined)
    throw failure("not_configured", `POLICY_STORE must be one of: ${names()}; is "${name}"`);
  return open(services);
}

function names(): string {
  return [...STORES.keys()].join(", ");
}

/** One store per tenant, shared by all calls to this isolate and lost with it. */
const inMemory = new Map<string, MemoryStore>();

function inMemoryOf({ tenant, now }: Services): MemoryStore {
  const known = inMemory.get(tenant) ?? createInMemoryStore({ now });
  inMemory.set(tenant, known);
  return known;
}
