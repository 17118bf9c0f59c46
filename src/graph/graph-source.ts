// The graph that a query reads: what one tenant stores, within the binding of the caller's key, and the ontology.
import type { Quad } from "n3";
import { type Binding, UNBOUND } from "../kernel/access";
import type { Database } from "../kernel/databases/d1";

export type GraphSource = {
  readonly db: Database;
  readonly tenant: string;
  readonly binding: Binding;
  /** Whether the ontology's triples are part of the default graph. */
  readonly ontology: boolean;
  /** The triples that the tenant's extensions add to the ontology. */
  readonly added: readonly Quad[];
};

const NOTHING_ADDED: readonly Quad[] = [];

export function createGraphSource({
  db,
  tenant,
  binding = UNBOUND,
  ontology = true,
  added = NOTHING_ADDED,
}: {
  db: Database;
  tenant: string;
  binding?: Binding;
  ontology?: boolean;
  added?: readonly Quad[];
}): GraphSource {
  return { db, tenant, binding, ontology, added };
}
