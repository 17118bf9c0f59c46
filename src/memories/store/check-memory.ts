// Validates a memory against the SHACL shapes before it is stored.

import { type Failure, fail } from "../../kernel/errors";
import { toClassIri } from "../../ontology/extension-names";
import { toQuad } from "../../ontology/quad-syntax";
import type { ShapeResult } from "../../ontology/shapes";
import { listTypeClasses, type TenantOntology } from "../../ontology/tenant-ontology";
import { expandIri } from "../../ontology/triples";
import type { Memory } from "../memory-schemas";
import { toMemoryTriples } from "./memory-mapping";

/** What the shapes find in a memory: violations refuse it, warnings are named in the answer. */
export type ShapeCheck = { failure: Failure | null; warnings: string[] };

/** Checks a memory; with a severity, at least for that. Runs the engine only for a memory that can violate a shape. */
export async function checkShapes(
  ontology: TenantOntology,
  memory: Memory,
  severity?: "violation",
): Promise<ShapeCheck> {
  const results = await validateMemory(ontology, memory, severity);
  const warnings = results.flatMap(({ path, severity: found, message }) =>
    found === "warning" ? [`${path}: ${message}`] : [],
  );
  return { failure: toShapeFailure(results), warnings };
}

/** Returns what the shapes find, or at least what they find of a severity. */
export async function validateMemory(
  ontology: TenantOntology,
  memory: Memory,
  severity?: "violation",
): Promise<ShapeResult[]> {
  const { shapes } = ontology;
  const classes = listTypeClasses(ontology, memory.type).map((name) => expandIri(toClassIri(name)));
  if (Object.keys(memory.properties).length === 0 && !shapes.concern(classes, severity)) return [];
  return shapes.validate(toMemoryTriples(memory).map(toQuad));
}

/** Returns a failure with the message and the path of each shape that a memory violates; null if it violates none. */
function toShapeFailure(results: readonly ShapeResult[]): Failure | null {
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
