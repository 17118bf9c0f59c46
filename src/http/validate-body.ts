// Validates the body of a request. Which memory types there are depends on the tenant: a body that has other faults, too,
// is answered with all of them.
import { listMemoryTypes, type TenantOntology } from "../ontology/extensions/tenant-ontology";
import { FailureError, failure } from "../platform/errors";
import { MemoryTypeName, z } from "../schemas/common";
import { RecallType } from "../schemas/memory";
import { validate } from "./read-request";

export function validateBody<T extends z.ZodType>(
  schema: T,
  value: unknown,
  ontology: TenantOntology,
): z.output<T> {
  try {
    return validate(schema, value, "body");
  } catch (error) {
    if (!(error instanceof FailureError) || !namesUnknownType(schema, value, ontology)) throw error;
    const { code, detail, errors = [] } = error.failure;
    const message = `must be one of: ${listMemoryTypes(ontology).join(", ")}`;
    throw failure(code, `${detail}; type: ${message}`, { errors: [...errors, { path: "type", message }] });
  }
}

/** Whether a body has a memory type that has the right form, and that the tenant does not have. */
function namesUnknownType(schema: z.ZodType, value: unknown, ontology: TenantOntology): boolean {
  const field = schema instanceof z.ZodObject ? (schema.shape.type as z.ZodType | undefined) : undefined;
  const type = (value as { type?: unknown } | null)?.type;
  if (field === undefined || !isTypeField(field) || !field.safeParse(type).success) return false;
  return type !== undefined && type !== "all" && !listMemoryTypes(ontology).some((one) => one === type);
}

function isTypeField(field: z.ZodType): boolean {
  if (field instanceof z.ZodDefault || field instanceof z.ZodOptional)
    return isTypeField(field.unwrap() as z.ZodType);
  return field === (MemoryTypeName as z.ZodType) || field === (RecallType as z.ZodType);
}
