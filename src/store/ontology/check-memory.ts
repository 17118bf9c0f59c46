// Validates a memory against the SHACL shapes before it is stored.
import { listAncestors } from "../../ontology/classes";
import type { ShapeResult, Shapes } from "../../ontology/shapes";
import { MEMORY_CLASS, NAMESPACE } from "../../ontology/terms.generated";
import { type Failure, fail } from "../../platform/errors";
import type { Memory } from "../../schemas/memory";
import { toMemoryTriples } from "../memories/memory-mapping";
import { toQuad } from "../triples/rdf-syntax";

/** Returns what the shapes find. Runs the engine only for a memory that can violate one. */
export async function validateMemory(shapes: Shapes, memory: Memory): Promise<ShapeResult[]> {
  const own = MEMORY_CLASS[memory.type];
  const classes = [own, ...listAncestors(own)].map((name) => NAMESPACE + name);
  if (Object.keys(memory.properties).length === 0 && !shapes.concern(classes)) return [];
  return shapes.validate(toMemoryTriples(memory).map(toQuad));
}

/** Returns a failure with the message and the path of each shape that a memory violates; null if it violates none. */
export async function refuseShapes(shapes: Shapes, memory: Memory): Promise<Failure | null> {
  return toShapeFailure(await validateMemory(shapes, memory));
}

export function toShapeFailure(results: readonly ShapeResult[]): Failure | null {
  const errors = results
    .filter(({ severity }) => severity === "violation")
    .map(({ path, message }) => ({ path: toField(path), message }));
  const [first] = errors;
  return first === undefined
    ? null
    : fail("unprocessable", `${first.path}: ${first.message}`, { errors }).failure;
}

/** The fields of a request that state properties of the ontology. */
const FIELDS: Readonly<Record<string, string>> = {
  summary: "content",
  rationale: "rationale",
  hasConfidence: "confidence",
  confidenceValue: "confidence",
  hasSourceType: "source_type",
  appliesToProject: "project_id",
  topicKey: "key",
  tag: "tags",
  validFrom: "valid_from",
  validUntil: "valid_until",
};

function toField(path: string): string {
  return FIELDS[path] ?? (path === "" ? "properties" : `properties.${path}`);
}
