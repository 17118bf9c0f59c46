// Consolidation and maintenance of a project's experience on request. The project's object stores the idempotency key
// with its run; D1 stores it too, because the body names the project: a key that is reused with another project reaches
// an object that has never seen it.
import { unwrap } from "../../platform/errors";
import type { Idempotency } from "../../platform/idempotency";
import type {
  ConsolidateAnswer,
  ConsolidateInput,
  MaintenanceAnswer,
  MaintenanceInput,
} from "../../schemas/consolidation";
import { type IdempotentReply, runIdempotent } from "../run-idempotent";
import type { Services } from "../services";

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
