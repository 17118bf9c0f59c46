// The memory types that a tenant has: those of the ontology, and those of its extensions.
import { listMemoryTypes, type TenantOntology } from "../../ontology/extensions/tenant-ontology";
import type { MemoryType } from "../../ontology/terms.generated";
import { fieldFailure } from "../../platform/errors";

/** Throws a failure if the tenant has no such type, nor `all` where that is a choice, too. */
export function requireType(ontology: TenantOntology, type: MemoryType | "all", all?: "all"): void {
  const types = listMemoryTypes(ontology);
  if (type === all || types.some((one) => one === type)) return;
  const choice = all === undefined ? "one of" : "all, or one of";
  throw fieldFailure("type", `must be ${choice}: ${types.join(", ")}`);
}
