// The registry of entry stores. POLICY_STORE selects one; a new store is a file beside these and a line here.
import { isBound } from "../../domain/binding";
import type { Bindings } from "../../platform/env";
import { failure } from "../../platform/errors";
import type { Services } from "../services";
import { createD1EntryStore } from "./d1-entry-store";
import type { EntryStore } from "./entry-store";
import { createInMemoryEntryStore } from "./in-memory-entry-store";

const STORES = new Map<string, (services: Services) => EntryStore>([
  ["d1", createD1EntryStore],
  ["memory", openInMemoryStore],
]);

const DEFAULT_STORE = "d1";

/** Returns the configured store for a tenant. */
export function selectEntryStore(
  { POLICY_STORE: name }: Pick<Bindings, "POLICY_STORE">,
  services: Services,
): EntryStore {
  const open = STORES.get(name || DEFAULT_STORE);
  if (open === undefined)
    throw failure("not_configured", `POLICY_STORE must be one of: ${listStoreNames()}; is "${name}"`);
  return open(services);
}

function listStoreNames(): string {
  return [...STORES.keys()].join(", ");
}

/** One store per tenant, shared by all calls to this isolate and lost with it. */
const inMemoryStores = new Map<string, EntryStore>();

function openInMemoryStore({ tenant, now, binding }: Services): EntryStore {
  if (isBound(binding))
    throw failure(
      "not_configured",
      'POLICY_STORE "memory" does not separate owners: it serves no bound keys.',
    );
  const known = inMemoryStores.get(tenant) ?? createInMemoryEntryStore({ now });
  inMemoryStores.set(tenant, known);
  return known;
}
