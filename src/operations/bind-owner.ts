// Limits a call to the owner that its key is bound to. What lies outside does not exist: 404. Naming another owner is a
// 403. What the call writes gets the ids of the binding.
import { type Binding, BOUND_IDS, isBound, isWithinBinding } from "../domain/access";
import { type FailureError, failure, unwrap } from "../platform/errors";
import { z } from "../schemas/common";
import type { Services } from "./services";
import type { OwnerIds, Tool } from "./tools/tool";

/** Returns the owner of a call within the binding. Throws if it names another, or a session of another. */
export async function bindOwner(services: Services, binding: Binding, owner: OwnerIds): Promise<OwnerIds> {
  if (!isBound(binding)) return owner;
  if (owner.session_id !== null) await requireOwnSession(services, binding, owner.session_id);
  const bound = { ...owner };
  for (const id of BOUND_IDS) {
    const own = binding[id];
    if (own === undefined) continue;
    if (owner[id] !== null && owner[id] !== own) throw otherOwner(id, own);
    bound[id] = own;
  }
  return bound;
}

/** Returns the owner and input of a tool call within the binding of the services. */
export async function bindToolCall<T extends object>(
  services: Services,
  tool: Pick<Tool, "name" | "input" | "servesBound">,
  owner: OwnerIds,
  input: T,
): Promise<{ owner: OwnerIds; input: T }> {
  const { binding } = services;
  if (!isBound(binding)) return { owner, input };
  if (tool.servesBound !== true)
    throw failure(
      "not_found",
      `The tool ${tool.name} serves the whole tenant, and this key is bound to an owner.`,
    );
  return {
    owner: await bindOwner(services, binding, owner),
    input: fillOwnerIds(binding, tool.input, input),
  };
}

/** Sets the ids of the binding where the schema has them, and refuses others. */
export function fillOwnerIds<T extends object>(binding: Binding, schema: z.ZodType, value: T): T {
  const filled: Record<string, unknown> = Object.fromEntries(Object.entries(value));
  for (const id of BOUND_IDS) {
    const own = binding[id];
    if (own === undefined) continue;
    for (const field of listOwnerFields(schema, id)) {
      if ((filled[field] ?? own) !== own) throw otherOwner(field, own);
      filled[field] = own;
    }
  }
  return filled as T;
}

/** Returns the fields of a schema that name this owner. An episode calls its agent `agent`. */
export function listOwnerFields(schema: z.ZodType, id: keyof Binding): string[] {
  const names = id === "agent_id" ? [id, "agent"] : [id];
  return schema instanceof z.ZodObject ? names.filter((name) => Object.hasOwn(schema.shape, name)) : [];
}

/** Throws if the session belongs to another owner. Returns whether it exists. */
export async function requireOwnSession(
  { tenant, session }: Services,
  binding: Binding,
  id: string,
): Promise<boolean> {
  const settings = unwrap(await session(id).getSettings({ tenant, id }));
  if (settings === null) return false;
  if (!isWithinBinding(binding, settings))
    throw failure("not_found", `Session not found: ${id}. Use another session id.`);
  return true;
}

function otherOwner(field: string, own: string): FailureError {
  return failure(
    "forbidden",
    `${field}: this call is limited to "${own}". Leave ${field} out, or name that.`,
    {
      errors: [{ path: field, message: `must be "${own}", which the call is limited to` }],
    },
  );
}
