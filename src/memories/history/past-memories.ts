// Lists of memories as they are, or as they were at a time, and the history of a memory.
import { isWithinBinding } from "../../kernel/access";
import type { Page } from "../../kernel/store-context";
import type { Services } from "../../services/services";
import { hideRelations } from "../check-relations";
import { memoryNotFound } from "../memory-operations";
import type { RecordedMemoryView } from "../memory-requests";
import type { Memory } from "../memory-schemas";
import { toMemoryView } from "../store/memory-mapping";
import type { MemoryFilter } from "../store/memory-queries";
import { withPendingUsage } from "../usage/count-recall";
import type { Clocks } from "./memory-history";

/** Returns the memories that pass a filter, newest first. The past is shown without the importance that use has added. */
export function listMemories(services: Services, filter: MemoryFilter, page: Page): Promise<Memory[]> {
  const found = services.store.memories.list(filter, page);
  return filter.as_of === undefined ? withPendingUsage(services, found) : found;
}

/**
 * Returns the chain of supersession that a memory is part of, oldest first, as far as the key of the call sees it: now or as
 * it was.
 */
export async function readMemoryHistory(
  services: Services,
  id: string,
  clocks: Clocks,
): Promise<RecordedMemoryView[]> {
  const recorded = services.store.memories.listHistory(id, clocks);
  const history = await (clocks.as_of === undefined ? withPendingUsage(services, recorded) : recorded);
  const chain = history.filter((memory) => isWithinBinding(services.binding, memory));
  if (chain.length === 0) throw memoryNotFound(id);
  const visible = await hideRelations(services, chain);
  return Promise.all(
    visible.map(async ({ recorded_at, ended_at, versions, ...memory }) => ({
      ...toMemoryView(memory),
      recorded_at,
      ended_at,
      versions: (await hideRelations(services, versions)).map(
        ({ recorded_at: from, recorded_until: until, ...version }) => ({
          ...toMemoryView(version),
          recorded_at: from,
          recorded_until: until,
        }),
      ),
    })),
  );
}
