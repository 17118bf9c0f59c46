// What a tool is. One definition gives its JSON Schema, its model-facing definitions, its HTTP routes and its
// entry in the OpenAPI document.

import type { z } from "../schemas/common";
import type { Services } from "../services";
import type { Idempotency } from "../session/rpc";

/** Where a call belongs. A session in the path bounds what it can reach. */
export type Target = { session_id: string | null; agent_id: string | null; project_id: string | null };

export type ToolReply = { status: 200 | 201; body: object };

export type Tool<S extends z.ZodType = z.ZodType> = {
  name: "remember" | "recall" | "forget";
  title: string;
  description: string;
  scope: "read" | "write";
  /** Hints for clients that ask before they call. */
  annotations: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean };
  input: S;
  output: z.ZodType;
  answers: Record<number, string>;
  run: (
    services: Services,
    target: Target,
    input: z.output<S>,
    idempotency: Idempotency,
  ) => Promise<ToolReply>;
};

/** Keeps the types of a tool's input and its run together. */
export function defineTool<S extends z.ZodType>(tool: Tool<S>): Tool<S> {
  return tool;
}
