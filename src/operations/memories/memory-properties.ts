// Validates the ontology properties that a caller sets on a memory. They are stored under their local names.

import { formatReference, parseReference } from "../../ontology/entity-classes";
import { findProperty, isInDomain } from "../../ontology/property-values";
import type { MemoryType } from "../../ontology/terms.generated";
import { type FieldError, failure } from "../../platform/errors";
import type { Memory } from "../../schemas/memory";
import { isFieldProperty } from "../../store/memories/memory-mapping";
import { findValuesProblem } from "../entities/property-rules";

/** Reserved for policy entries: a caller who could set these could write into any namespace. */
const ENTRY_PROPERTIES: readonly string[] = [
  "namespace",
  "entrySource",
  "entryMetadata",
  "entryLasting",
  "entryTurn",
  "entryPart",
];

/** Reserved for consolidation, maintenance and learnings. */
const EXPERIENCE_PROPERTIES: readonly string[] = [
  "decayedAt",
  "theme",
  "trigger",
  "cause",
  "fix",
  "prevention",
  "occurrences",
  "lastSeen",
];

/** Reserved for knowledge graphs. */
const GRAPH_PROPERTIES: readonly string[] = [
  "inGraph",
  "graphKey",
  "nodeName",
  "nodeType",
  "nodeCopy",
  "aboutNode",
  "relationFrom",
  "relationTo",
  "relationType",
];

/** Set on any memory as it ages. */
const AGEING_PROPERTY = "decayedAt";

/** Returns whether the service composes the content of a memory from its properties. */
export function isManaged({ type, properties }: Pick<Memory, "type" | "properties">): boolean {
  const managed = [...EXPERIENCE_PROPERTIES, ...GRAPH_PROPERTIES].filter((name) => name !== AGEING_PROPERTY);
  return type === "skill" || managed.some((name) => name in properties);
}

/** Changes the properties of a memory: a list of values replaces those it has, null removes them. */
export function mergeProperties(
  { type: before, properties }: Pick<Memory, "type" | "properties">,
  type: MemoryType,
  input: Record<string, string | string[] | null>,
): Record<string, string[]> {
  const errors: FieldError[] = [];
  const given: Record<string, string | string[]> = {};
  const kept = { ...properties };
  for (const [name, value] of Object.entries(input)) {
    if (value !== null) given[name] = value;
    else if (isReserved(name)) errors.push({ path: `properties.${name}`, message: "is set by the service" });
    else delete kept[name];
  }
  // Another type may lack a property of the former one.
  if (type !== before)
    for (const [name, values] of Object.entries(kept)) {
      const problem = isReserved(name) || name in given ? null : findProblem(type, name, values);
      if (problem !== null)
        errors.push({ path: `properties.${name}`, message: `${problem}: set it to null` });
    }
  throwFirst(errors);
  return { ...kept, ...validateProperties(type, given) };
}

function isReserved(name: string): boolean {
  return [...ENTRY_PROPERTIES, ...EXPERIENCE_PROPERTIES, ...GRAPH_PROPERTIES].includes(name);
}

function throwFirst(errors: FieldError[]): void {
  const [first] = errors;
  if (first !== undefined) throw failure("invalid_request", `${first.path}: ${first.message}`, { errors });
}

/** Returns properties such as `{ decisionStatus: "accepted" }` as lists of values; throws a 400 if one is invalid. */
export function validateProperties(
  type: MemoryType,
  input: Record<string, string | string[]>,
): Record<string, string[]> {
  const errors: FieldError[] = [];
  const properties: Record<string, string[]> = {};
  for (const [name, value] of Object.entries(input)) {
    const values = Array.isArray(value) ? value : [value];
    const problem = findProblem(type, name, values);
    if (problem === null) properties[name] = [...new Set(values.map((item) => normaliseValue(name, item)))];
    else errors.push({ path: `properties.${name}`, message: problem });
  }
  throwFirst(errors);
  return properties;
}

function findProblem(type: MemoryType, name: string, values: readonly string[]): string | null {
  if (EXPERIENCE_PROPERTIES.includes(name))
    return "is set by the service: see POST /v1/patterns and /v1/learnings";
  if (GRAPH_PROPERTIES.includes(name))
    return "is reserved for knowledge graphs and set by the service: see POST /v1/graph/create_entities";
  if (ENTRY_PROPERTIES.includes(name))
    return "is reserved for entries and set by the service: to write under a namespace use POST /v1/entries";
  if (isFieldProperty(name)) return "is no property to set here: it has a field or a call of its own";
  const property = findProperty(name);
  if (property === null) return "is not a property of the ontology: see GET /v1/ontology";
  if (!isInDomain(type, property)) return `belongs to ${property.domain}, not to a ${type}`;
  if (property.range === "Project") return "cannot be set here: give project_id";
  return findValuesProblem(property, values);
}

function normaliseValue(name: string, value: string): string {
  const property = findProperty(name);
  if (property?.range === "xsd:dateTime") return new Date(value).toISOString();
  if (property?.range === "Agent") return `agent_${value}`;
  const reference = parseReference(property?.range ?? "", value);
  return reference === null ? value : formatReference(property?.range ?? "", reference);
}
