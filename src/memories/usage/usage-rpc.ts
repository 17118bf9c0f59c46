// The handle on the object that counts the uses of a tenant's memories and episodes.

import type { Bindings } from "../../kernel/env";
import type { Use, UsedKind } from "./apply-use";

/** The RPC interface of a tenant's usage object. */
export type UsageRpc = {
  /** Stores a use. It is added to the counts in D1 together with others, later. */
  record(tenant: string, use: Use): Promise<void>;
  /** Returns the uses that are not in the counts of D1 yet, oldest first. */
  listPending(): Promise<Use[]>;
  /** Adds what is pending to the counts of D1 now. Returns false if D1 did not answer: the alarm repeats it. */
  flush(): Promise<boolean>;
  /** Removes erased records from all uses. */
  forget(kind: UsedKind, ids: string[]): Promise<void>;
  /** Deletes everything that the object stores. */
  erase(): Promise<void>;
};

export function getUsageObject(env: Bindings, tenant: string): UsageRpc {
  // The binding is untyped; UsageObject implements UsageRpc.
  return env.USAGE.getByName(tenant) as unknown as UsageRpc;
}
