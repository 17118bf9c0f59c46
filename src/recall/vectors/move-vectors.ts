// Copies the vectors of a tenant from one Vectorize index to another as they are, so that nothing is embedded again.
import { MINUTE_MS } from "../../kernel/time";
import { splitIntoPages, VECTORS_PER_CALL } from "./vector-index";
import {
  callVectorize,
  computeOwner,
  createVectorizeIndex,
  IDS_PER_DELETE,
  IDS_PER_GET,
  VECTORIZE_RETRY_POLICY,
} from "./vectorize-index";

/** After so long a write is visible, even if the index does not confirm it. */
const MAX_VISIBILITY_MS = 20 * MINUTE_MS;

/** Awaited before each call of Vectorize. It throws if the call must not be made any more. */
type BeforeCall = () => Promise<void>;

/** Returns a token for `showsVectors`; null if none of the ids has a vector. */
export async function copyVectors(
  {
    source,
    target,
    tenant,
    ids,
  }: { source: Vectorize; target: Vectorize; tenant: string; ids: readonly string[] },
  beforeCall: BeforeCall,
): Promise<string | null> {
  const { own } = await readVectors(source, tenant, ids, beforeCall);
  let token: string | null = null;
  for (const page of splitIntoPages(own, VECTORS_PER_CALL)) {
    await beforeCall();
    const { mutationId } = await callVectorize(() => target.upsert(page), VECTORIZE_RETRY_POLICY);
    token = JSON.stringify([mutationId, Date.now()]);
  }
  return token;
}

/** Returns whether queries of an index see what was copied to it. */
export async function showsVectors(to: Vectorize, tenant: string, token: string): Promise<boolean> {
  const [, copiedAt]: [string, number] = JSON.parse(token);
  if (Date.now() > copiedAt + MAX_VISIBILITY_MS) return true;
  return createVectorizeIndex(to, { tenant, embedder: "" }).isVisible(token);
}

/** Deletes the vectors of a tenant with these ids, of whatever kind, also those that the index does not show yet. */
export async function deleteVectors(
  from: Vectorize,
  tenant: string,
  ids: readonly string[],
  beforeCall: BeforeCall = async () => {},
): Promise<void> {
  const { foreign } = await readVectors(from, tenant, ids, beforeCall);
  const owned = [...new Set(ids)].filter((id) => !foreign.has(id));
  for (const page of splitIntoPages(owned, IDS_PER_DELETE)) {
    await beforeCall();
    await callVectorize(() => from.deleteByIds(page), VECTORIZE_RETRY_POLICY);
  }
}

async function readVectors(from: Vectorize, tenant: string, ids: readonly string[], beforeCall: BeforeCall) {
  const owner = await computeOwner(tenant);
  const found: VectorizeVector[] = [];
  for (const page of splitIntoPages([...new Set(ids)], IDS_PER_GET)) {
    await beforeCall();
    found.push(...(await callVectorize(() => from.getByIds(page), VECTORIZE_RETRY_POLICY)));
  }
  const own = found.filter(({ metadata }) => metadata?.owner === owner);
  const foreign = new Set(found.filter((vector) => !own.includes(vector)).map(({ id }) => id));
  return { own, foreign };
}
