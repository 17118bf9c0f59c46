// The definition of a tool: an operation that agents call by name. Its schemas, model-facing definitions, HTTP routes and
// OpenAPI entries are all derived from it.

import { type Access, NO_OWNER, type Owner } from "../kernel/access";
import type { z } from "../kernel/common";
import type { Idempotency } from "../kernel/idempotency";
import type { JsonObject } from "../kernel/json";
import type { MemoryCapability } from "../ontology/entity-classes";
import type { Services } from "../services/services";
import type { QuotaKind } from "../trust/quotas";
import { withholdContent } from "../trust/withhold-content";

/** The result of an operation, with the HTTP status that reports whether something was created. */
export type OperationReply<T extends object = object> = { status: 200 | 201; body: T };

export type Tool<S extends z.ZodObject = z.ZodObject> = {
  name: string;
  title: string;
  description: string;
  scope: "read" | "write";
  /** The quotas that it uses, checked before it runs. One that stores no content has none. */
  quota?: readonly QuotaKind[];
  /** The capability that the calling agent needs if it has any. */
  capability?: MemoryCapability;
  /** MCP hints for clients that ask for confirmation. */
  annotations: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean };
  /** The owner ids that a surface without a session in its path takes beside the input. */
  ownerInput: z.ZodObject;
  input: S;
  output: z.ZodObject;
  responses: Record<number, string>;
  /**
   * Where `run` stores the idempotency key together with its write: in D1, for all calls of the tenant, or in the
   * session's object, which does not see a key that is reused for another session. Without it, the caller stores the key.
   */
  storesKey?: "tenant" | "session";
  /** Fields of its input, besides the owner ids, that name whose data it reads or writes. */
  ownerFields?: Readonly<Record<string, "user" | "agent" | "project">>;
  /** Whether it serves a key that is bound to an owner: it reads and writes nothing but what its owner ids select. */
  servesBound?: true;
  /**
   * Whether its answer may quote memories without their ids. Sessions then keep the ids and counts of the answer only: an
   * erasure could not find the quotations.
   */
  quotesUnnamed?: true;
  run: (
    services: Services,
    access: Access,
    input: z.output<S>,
    idempotency: Idempotency,
  ) => Promise<OperationReply>;
};

/** Infers the input type of `run` from the tool's schema. */
export function defineTool<S extends z.ZodObject>(tool: Tool<S>): Tool<S> {
  return tool;
}

/** Returns the answer of a tool for the caller: without the scope `read`, its ids, revisions and counts only. */
export function withholdFromWriter(
  { canRead }: Services,
  { scope }: Pick<Tool, "scope">,
  body: object,
): object {
  // Answers are JSON by their schemas.
  return canRead || scope === "read" ? body : withholdContent(body as JsonObject);
}

/** Returns the input schema of a tool extended by its owner ids. */
export function withOwnerInput({ input, ownerInput }: Tool): z.ZodObject {
  return input.safeExtend(ownerInput.shape);
}

/** Splits a validated input into the owner and the tool's own input. */
export function splitOwnerInput(
  { ownerInput }: Tool,
  input: JsonObject,
): { owner: Required<Owner>; input: JsonObject } {
  const pick = (wanted: boolean) =>
    Object.fromEntries(
      Object.entries(input).filter(([name]) => Object.hasOwn(ownerInput.shape, name) === wanted),
    );
  return { owner: { ...NO_OWNER, ...pick(true) }, input: pick(false) };
}
