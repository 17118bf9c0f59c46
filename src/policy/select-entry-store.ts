// The registry of entry stores. A call names one, or POLICY_STORE selects it; a new store is a file beside these and a
// line here.
import { isBound } from "../kernel/access";
import { failure, fieldFailure } from "../kernel/errors";
import type { Services } from "../services/services";
import { createD1EntryStore } from "./d1-entry-store";
import type { EntryStore } from "./entry-store";
import { createInMemoryEntryStore } from "./in-memory-entry-store";

type StoreEntry = {
  open: (services: Services) => EntryStore;
  /** Whether it limits itself to `services.binding`. Otherwise it serves no bound keys. */
  servesBound: boolean;
};

const STORES = new Map<string, StoreEntry>([
  ["d1", { open: createD1EntryStore, servesBound: true }],
  ["memory", { open: openInMemoryStore, servesBound: false }],
]);

const DEFAULT_STORE = "d1";

/** Returns the store that the call names, else the configured one. */
export function selectEntryStore(services: Services, requested?: string): EntryStore {
  const name = requested ?? (services.policyStore || DEFAULT_STORE);
  const store = STORES.get(name);
  const refuse = (problem: string) =>
    requested === undefined
      ? failure("not_configured", `POLICY_STORE ${problem}`)
      : fieldFailure("store", problem);
  if (store === undefined) throw refuse(`must be one of: ${[...STORES.keys()].join(", ")}; is "${name}"`);
  if (!store.servesBound && isBound(services.binding))
    throw refuse(`"${name}" does not separate owners: it serves no bound keys`);
  return store.open(services);
}

/** One store per tenant, shared by all calls to this isolate and lost with it. No repository masks what it stores. */
const inMemoryStores = new Map<string, EntryStore>();

function openInMemoryStore({ tenant, now, gate }: Services): EntryStore {
  const known = inMemoryStores.get(tenant) ?? createInMemoryEntryStore({ now });
  inMemoryStores.set(tenant, known);
  return { ...known, write: (request) => known.write(gate.clean(request)) };
}
