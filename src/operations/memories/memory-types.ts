// The memory types that a tenant has: those of the ontology, and those of its extensions.
import {
  listMemoryTypes,
  listTypesBelow,
  type TenantOntology,
} from "../../ontology/extensions/tenant-ontology";
import type { MemoryType } from "../../ontology/terms.generated";
import { FailureError, invalidField } from "../../platform/errors";

/** Throws a failure if the tenant has no such type. */
export function requireType(ontology: TenantOntology, type: MemoryType): void {
  const types = listMemoryTypes(ontology);
  if (!types.includes(type))
    throw new FailureError(invalidField("type", `must be one of: ${types.join(", ")}`).failure);
}

/** Returns the types that a filter on one matches, with those of its subclasses. */
export function resolveTypes(ontology: TenantOntology, type: MemoryType): MemoryType[] {
  requireType(ontology, type);
  return listTypesBelow(ontology, type);
}
