// Consolidation and maintenance of a project's experience on request. The project's object stores the idempotency key
// with its run; D1 stores it too, because the body names the project: a key that is reused with another project reaches
// an object that has never seen it.

import { type IdempotentReply, runIdempotent } from "../../calls/run-idempotent";
import { unwrap } from "../../kernel/errors";
import type { Idempotency } from "../../kernel/idempotency";
import type { Services } from "../../services/services";
import type {
  ConsolidateAnswer,
  ConsolidateInput,
  MaintenanceAnswer,
  MaintenanceInput,
} from "./consolidation-schemas";

export function runConsolidation(
  { tenant, store, project, bookmarks }: Services,
  input: ConsolidateInput,
  idempotency: Idempotency,
): Promise<IdempotentReply<ConsolidateAnswer>> {
  const ref = { tenant, id: input.project_id };
  return runIdempotent(store, idempotency, async () => {
    const { bookmark = null, ...result } = await project(ref.id).consolidate(ref, input, idempotency);
    bookmarks.noteObject(bookmark);
    return { status: 200, body: unwrap(result) };
  });
}

export function runMaintenance(
  { tenant, store, project, bookmarks }: Services,
  input: MaintenanceInput,
  idempotency: Idempotency,
): Promise<IdempotentReply<MaintenanceAnswer>> {
  const ref = { tenant, id: input.project_id };
  return runIdempotent(store, idempotency, async () => {
    const { bookmark = null, ...result } = await project(ref.id).maintain(ref, input, idempotency);
    bookmarks.noteObject(bookmark);
    return { status: 200, body: unwrap(result) };
  });
}
