// Checks a memory against the SHACL shapes before anything is written: violations refuse it, warnings are named in the
// answer. The store checks again what a merge or a link makes of it.
import type { ShapeResult } from "../../ontology/shapes";
import type { Failure } from "../../platform/errors";
import type { Memory } from "../../schemas/memory";
import { createMemory } from "../../store/memories/commit-plan";
import { toShapeFailure, validateMemory } from "../../store/ontology/check-memory";
import type { Services } from "../services";
import type { StoreRequest } from "./store-memories";

export type ShapeCheck = { refusal: Failure | null; warnings: string[] };

/** Checks a memory to be stored. */
export async function checkShapes(
  { ontology }: Services,
  { memory, owner }: Pick<StoreRequest, "memory" | "owner">,
): Promise<ShapeCheck> {
  const { session_id, user_id, agent_id, project_id } = owner;
  const created = createMemory("new", { ...memory, session_id, user_id, agent_id, project_id });
  const results = await validateMemory(ontology, created);
  return { refusal: toShapeFailure(results), warnings: listWarnings(results) };
}

/** Returns the warnings of a memory that is stored. */
export async function findWarnings({ ontology }: Services, memory: Memory): Promise<string[]> {
  return listWarnings(await validateMemory(ontology, memory));
}

function listWarnings(results: readonly ShapeResult[]): string[] {
  return results.flatMap(({ path, severity, message }) =>
    severity === "warning" ? [`${path}: ${message}`] : [],
  );
}
