// Validates a memory against the SHACL shapes before it is stored.

import { sql } from "drizzle-orm";
import { readAll } from "../../kernel/databases/d1";
import { type Failure, fail } from "../../kernel/errors";
import type { StoreContext } from "../../kernel/store-context";
import { isExtensionName, toClassIri, toLocalTermName, toTermName } from "../../ontology/extension-names";
import { findAddedValuesProblem, toPlainValue } from "../../ontology/extension-values";
import { MEMORY_TYPES } from "../../ontology/generated/terms.generated";
import { toQuad } from "../../ontology/quad-syntax";
import { SH } from "../../ontology/read-extension";
import type { ShapeResult } from "../../ontology/shapes";
import {
  findTenantProperty,
  isInDomain,
  isTypeOfClass,
  listMemoryTypes,
  listTypeClasses,
  type TenantOntology,
} from "../../ontology/tenant-ontology";
import { expandIri } from "../../ontology/triples";
import type { Memory } from "../memory-schemas";
import { selectMemoryRow } from "../usage/usage-counts";
import { fromMemoryRow, type MemoryRow, toMemoryTriples } from "./memory-mapping";

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

// Finds the stored memories that would not conform to a changed ontology.

/** A memory, and the first thing that is wrong with it. */
type Offender = { id: string; problem: string };

/** Memories that one change checks, each in about a millisecond. */
export const MAX_CHECKED = 10_000;
const MAX_OFFENDERS = 20;
const PAGE_SIZE = 500;

/** Returns the first live memories that would not conform, and whether all that might not were checked. */
export async function findOffenders(
  { db, tenant }: StoreContext,
  ontology: TenantOntology,
): Promise<{ offenders: Offender[]; isComplete: boolean }> {
  const { types, anyProperties } = selectConcerned(ontology);
  const offenders: Offender[] = [];
  let after = 0;
  for (let checked = 0; checked < MAX_CHECKED; checked += PAGE_SIZE) {
    const rows: MemoryRow[] = await readAll<MemoryRow>(
      db,
      sql`SELECT ${selectMemoryRow("m")} FROM memories m WHERE tenant = ${tenant} AND seq > ${after} AND live = 1
        AND (type IN (SELECT value FROM json_each(${JSON.stringify(types)}))
          OR type NOT IN (SELECT value FROM json_each(${JSON.stringify(MEMORY_TYPES)}))
          OR ${anyProperties ? sql`properties <> '{}'` : sql`instr(properties, '"ext:') > 0`})
        ORDER BY seq LIMIT ${PAGE_SIZE}`,
    );
    for (const row of rows) {
      const problem = await findProblem(ontology, fromMemoryRow(row));
      if (problem !== null) offenders.push({ id: row.id, problem });
      if (offenders.length === MAX_OFFENDERS) return { offenders, isComplete: true };
    }
    if (rows.length < PAGE_SIZE) return { offenders, isComplete: true };
    after = rows.at(-1)?.seq ?? after;
  }
  return { offenders, isComplete: false };
}

/** Returns the types of memories that the added shapes describe, and whether one describes those with a certain property. */
function selectConcerned(ontology: TenantOntology): { types: string[]; anyProperties: boolean } {
  const targets = ontology.added.quads.flatMap(({ predicate, object }) =>
    predicate.value === `${SH}targetClass` ? [toTermName(object.value)] : [],
  );
  return {
    types: listMemoryTypes(ontology).filter((type) =>
      targets.some((target) => isTypeOfClass(ontology, type, target)),
    ),
    anyProperties: ontology.added.quads.some(({ predicate }) => predicate.value === `${SH}targetSubjectsOf`),
  };
}

async function findProblem(ontology: TenantOntology, memory: Memory): Promise<string | null> {
  if (!listMemoryTypes(ontology).includes(memory.type))
    return `has the type ${memory.type}, which would not exist`;
  for (const [name, values] of Object.entries(memory.properties)) {
    if (!isExtensionName(name)) continue;
    const local = toLocalTermName(name);
    const found = findTenantProperty(ontology, name);
    if (found === null) return `has the property ${local}, which would not exist`;
    if (!isInDomain(ontology, memory.type, found.property))
      return `has the property ${local}, which would not belong to it`;
    const problem = findAddedValuesProblem(ontology, found.property, values.map(toPlainValue));
    if (problem !== null) return `${local} ${problem}`;
  }
  const [violation] = (await checkShapes(ontology, memory)).failure?.errors ?? [];
  return violation === undefined ? null : `${violation.path}: ${violation.message}`;
}
