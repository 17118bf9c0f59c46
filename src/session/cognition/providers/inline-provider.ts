// The inline provider: the entries of the session's spaces, and beside them items in the session's own object under keys
// that name no space. Both are found by their words.
import type { Provider, ProviderEntry } from "../../../domain/cognition/provider";
import type { SpaceContainer } from "../../../domain/cognition/space-container";
import {
  type EntryAddress,
  listEntries,
  locateEntry,
  planDeletions,
  planPuts,
  readEntry,
} from "../../../domain/cognition/space-entries";
import { COGNITION } from "../../../limits";
import { failure, unwrap } from "../../../platform/errors";
import type { MemoryPatch } from "../../../schemas/cognition/container";
import { countUtf8Bytes } from "../../../schemas/common";
import type { ProviderItem, ProviderOptions } from "../../../schemas/directive";
import { openObjectItems, rankEntries } from "./object-items";

/** The spaces of the session. */
export type SpaceAccess = {
  listNames: () => ReadonlySet<string>;
  load: (names: readonly string[] | "all") => SpaceContainer;
  /** Changes spaces as one revision of the container. */
  update: (spaces: NonNullable<MemoryPatch["spaces"]>) => void;
  /** Runs work in one transaction. */
  transact: <T>(work: () => T) => T;
};

/** `sql` has the table `items` of the session's schema. `index` names a store of this session, without its spaces. */
export function openInline(sql: SqlStorage, { index }: ProviderOptions, spaces: SpaceAccess): Provider {
  const items = openObjectItems(sql, { table: "items", provider: "inline", store: index ?? "" });

  /** Returns the entries of spaces that keys name. A key of an item from before its space existed stays readable. */
  function locateAll(keys: readonly string[]): Map<string, EntryAddress> {
    if (index !== undefined) return new Map();
    const names = spaces.listNames();
    return new Map(
      keys.flatMap((key) => {
        const address = locateEntry(key, (name) => names.has(name));
        return address === null ? [] : [[key, address] as const];
      }),
    );
  }

  const loadSpaces = (addresses: Iterable<EntryAddress>) =>
    spaces.load([...new Set([...addresses].map(({ space }) => space))]);

  return {
    async get(keys) {
      const addresses = locateAll(keys);
      const container = loadSpaces(addresses.values());
      return [...new Set(keys)].flatMap((key) => {
        const address = addresses.get(key);
        const value = address === undefined ? undefined : readEntry(container, address);
        if (value === undefined) return items.find(key) ?? [];
        if (!isItemSized({ key, value }))
          throw failure(
            "limit_exceeded",
            `${key} has more than ${COGNITION.itemBytes} bytes as JSON, which no signal carries. Read the space itself.`,
          );
        return { key, value };
      });
    },

    async put(added) {
      const last = [...new Map(added.map((item) => [item.key, item])).values()];
      const addresses = locateAll(last.map(({ key }) => key));
      const { entries = [], others = [] } = Object.groupBy(last, ({ key }) =>
        addresses.has(key) ? "entries" : "others",
      );
      spaces.transact(() => {
        items.put(others);
        storeEntries(entries, addresses);
      });
    },

    async query(query) {
      const entries = index === undefined ? selectSearchable(listEntries(spaces.load("all"))) : [];
      const shown = new Set(entries.map(({ key }) => key));
      return rankEntries([...entries, ...items.list().filter(({ key }) => !shown.has(key))], query);
    },

    async delete(keys) {
      const distinct = [...new Set(keys)];
      const addresses = locateAll(distinct);
      return spaces.transact(() => {
        const container = loadSpaces(addresses.values());
        const stored = [...addresses].filter(([, address]) => readEntry(container, address) !== undefined);
        if (stored.length > 0)
          spaces.update(
            planDeletions(
              container,
              stored.map(([, address]) => address),
            ),
          );
        const inSpaces = new Set(stored.map(([key]) => key));
        return distinct.filter((key) => items.delete(key) || inSpaces.has(key)).length;
      });
    },
  };

  function storeEntries(
    entries: readonly ProviderItem[],
    addresses: ReadonlyMap<string, EntryAddress>,
  ): void {
    if (entries.length === 0) return;
    const addressed = entries.flatMap((item) => {
      const address = addresses.get(item.key);
      return address === undefined ? [] : [{ ...item, address }];
    });
    spaces.update(unwrap(planPuts(loadSpaces(addresses.values()), addressed)));
    for (const { key } of entries) items.delete(key);
  }
}

/** Selects the entries that a query searches, the first ones up to the size of a store: it blocks the object meanwhile. */
function selectSearchable(entries: readonly ProviderEntry[]): ProviderEntry[] {
  let room: number = COGNITION.inlineBytes;
  return entries.filter((entry) => {
    const bytes = measureEntry(entry);
    if (bytes > COGNITION.itemBytes || bytes > room) return false;
    room -= bytes;
    return true;
  });
}

/** Whether an entry is no larger than an item: a signal carries up to a hundred of them. */
function isItemSized(entry: ProviderEntry): boolean {
  return measureEntry(entry) <= COGNITION.itemBytes;
}

function measureEntry({ value }: ProviderEntry): number {
  return countUtf8Bytes(JSON.stringify(value));
}
