// What a tool is: an operation that agents ask for by name. One definition gives its JSON Schema, its model-facing
// definitions, its place on every surface and, for some, its HTTP routes and entries in the OpenAPI document.

import type { Idempotency } from "../../platform/idempotency";
import type { z } from "../../schemas/common";
import type { Services } from "../services";

/** Where a call belongs. A session in the path bounds what it can reach. */
export type Target = { session_id: string | null; agent_id: string | null; project_id: string | null };

/** A call that says itself whatever there is to say. */
export const NO_TARGET: Target = { session_id: null, agent_id: null, project_id: null };

export type ToolReply = { status: 200 | 201; body: object };

export type Tool<S extends z.ZodObject = z.ZodObject> = {
  name: string;
  title: string;
  description: string;
  scope: "read" | "write";
  /** Hints for clients that ask before they call. */
  annotations: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean };
  /** Which ids of its target a surface without a session of its own takes beside the input. */
  belongs: z.ZodObject;
  input: S;
  output: z.ZodObject;
  answers: Record<number, string>;
  run: (
    services: Services,
    target: Target,
    input: z.output<S>,
    idempotency: Idempotency,
  ) => Promise<ToolReply>;
};

/** Keeps the types of a tool's input and its run together. */
export function defineTool<S extends z.ZodObject>(tool: Tool<S>): Tool<S> {
  return tool;
}
