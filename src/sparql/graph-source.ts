// The graph that a query reads: what one tenant stores, within the binding of the caller's key, and the ontology.
import { type Binding, UNBOUND } from "../domain/binding";
import type { Database } from "../platform/d1";

export type GraphSource = {
  readonly db: Database;
  readonly tenant: string;
  readonly binding: Binding;
  /** Whether the ontology's triples are part of the default graph. */
  readonly ontology: boolean;
};

export function createGraphSource({
  db,
  tenant,
  binding = UNBOUND,
  ontology = true,
}: {
  db: Database;
  tenant: string;
  binding?: Binding;
  ontology?: boolean;
}): GraphSource {
  return { db, tenant, binding, ontology };
}
