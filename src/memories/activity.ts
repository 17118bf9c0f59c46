// The activity that created a memory: part of its row, and of no triple.
import type { StoreContext } from "../kernel/store-context";
import type { NewMemory } from "./memory-schemas";

/** Adds the key of the call to the activity that creates a memory. One of another kind than `remember` is named by its caller. */
export function addActivity({ keyId }: Pick<StoreContext, "keyId">, memory: NewMemory): NewMemory {
  const key = keyId === undefined ? {} : { key_id: keyId };
  return { ...memory, activity: { kind: "remember", ...key, ...memory.activity } };
}
