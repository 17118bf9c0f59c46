// The registry of memory stores: a new one is a file beside these and a line here. Which one a deployment uses is its
// setting POLICY_STORE.
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

/** The store of a tenant's entries. */
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

/** Shared by all calls to this isolate, and gone with it. */
const inMemory = new Map<string, MemoryStore>();

function inMemoryOf({ tenant, now }: Services): MemoryStore {
  const known = inMemory.get(tenant) ?? createInMemoryStore({ now });
  inMemory.set(tenant, known);
  return known;
}
