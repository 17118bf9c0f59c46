// Quotas and repeated calls: a call that was made before stores nothing new, and gets its first answer although a quota
// has been used up since.

import { unwrap } from "../kernel/errors";
import type { Idempotency } from "../kernel/idempotency";
import type { Services } from "../services/services";
import { listExceeded } from "./quotas";

/**
 * Returns services without quotas for a call whose idempotency key is known, by itself or by one of its steps; otherwise
 * the same services. The key is only looked up if a quota is used up.
 */
export async function liftQuotas(
  services: Services,
  idempotency: Idempotency,
  sessionId: string | null,
): Promise<Services> {
  const { usage, quotas, store, session, tenant } = services;
  if (idempotency === null || listExceeded(usage, quotas).size === 0) return services;
  const { op } = idempotency;
  const isRepeated =
    (await store.operations.isKnown(op)) ||
    (sessionId !== null && unwrap(await session(sessionId).hasAnswered({ tenant, id: sessionId }, op)));
  return isRepeated ? services.withoutQuotas() : services;
}
