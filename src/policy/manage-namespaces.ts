// Lists the namespaces of entries and erases one, in the store that the call names.

import { type FailureError, failure, fieldFailure, unwrap } from "../kernel/errors";
import { redactQuotations } from "../memories/redact-quotations";
import type { Services } from "../services/services";
import type { ErasedNamespace, NamespaceSummary } from "./entry-schemas";
import type { NamespacePageQuery } from "./entry-store";
import { parseNamespace } from "./resolve-policy";
import { selectEntryStore } from "./select-entry-store";

/** The batches of one call: it ends well before the platform's limit of subrequests. */
const MAX_STEPS = 100;
const BATCH_SIZE = 200;

export function listNamespaces(
  services: Services,
  page: NamespacePageQuery,
  store: string | undefined,
): Promise<NamespaceSummary[]> {
  const entries = selectEntryStore(services, store);
  if (entries.list_namespaces === undefined) throw unsupported("does not list namespaces");
  return entries.list_namespaces(page);
}

/**
 * Erases all that a list of the namespace shows, and what was superseded or forgotten in it. Each batch is complete in
 * itself, so a call that fails or dies is sent again and continues with what is left.
 */
export async function eraseNamespace(
  services: Services,
  name: string,
  store: string | undefined,
): Promise<ErasedNamespace> {
  const namespace = unwrap(parseNamespace(name));
  const entries = selectEntryStore(services, store);
  if (entries.erase_namespace === undefined) throw unsupported("does not erase namespaces");
  const deleted: ErasedNamespace = { memories: 0, triples: 0, vectors: 0, links: 0 };
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    const erased = await entries.erase_namespace({ namespace, limit: BATCH_SIZE });
    for (const count of ["memories", "triples", "vectors", "links"] as const) deleted[count] += erased[count];
    if (erased.memories === 0 && steps === 0)
      throw failure(
        "not_found",
        `Namespace not found: ${name}. GET /v1/namespaces lists those with entries.`,
      );
    if (erased.memories < BATCH_SIZE) {
      await redactQuotations(services);
      return deleted;
    }
  }
  throw failure(
    "unavailable",
    `Erased ${deleted.memories} memories; more are left than one call erases. Send the same call again: it continues.`,
    { retryAfterSeconds: 1 },
  );
}

function unsupported(what: string): FailureError {
  return fieldFailure("store", `${what}: use the store's own means`);
}
