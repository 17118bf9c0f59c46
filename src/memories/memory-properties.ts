// Validates the type and the ontology properties that a caller sets on a memory. Properties are stored under their local
// names.

import { isCleanText } from "../kernel/common";
import { type FieldError, failure, fieldFailure } from "../kernel/errors";
import { LIMITS } from "../kernel/limits";
import { formatReference, parseReference } from "../ontology/entity-classes";
import { isExtensionName, toLocalTermName } from "../ontology/extension-names";
import { findAddedValuesProblem, toPlainValue, toStoredTerm } from "../ontology/extension-values";
import type { MemoryType } from "../ontology/generated/terms.generated";
import { findValuesProblem } from "../ontology/property-rules";
import { findProperty } from "../ontology/property-values";
import {
  findTenantProperty,
  isInDomain,
  listMemoryTypes,
  type TenantOntology,
} from "../ontology/tenant-ontology";
import type { Memory } from "./memory-schemas";
import { isFieldProperty } from "./store/memory-mapping";

/** Throws a failure if the tenant has no such type, nor `all` where that is a choice, too. */
export function requireType(ontology: TenantOntology, type: MemoryType | "all", all?: "all"): void {
  const types = listMemoryTypes(ontology);
  if (type === all || types.some((one) => one === type)) return;
  const choice = all === undefined ? "one of" : "all, or one of";
  throw fieldFailure("type", `must be ${choice}: ${types.join(", ")}`);
}

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
  ontology: TenantOntology,
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
    else delete kept[findTenantProperty(ontology, name)?.stored ?? name];
  }
  // Another type may lack a property of the former one.
  if (type !== before)
    for (const [name, values] of Object.entries(kept)) {
      const local = toLocalTermName(name);
      const plain = isExtensionName(name) ? values.map(toPlainValue) : values;
      const problem = isReserved(name) || local in given ? null : findProblem(ontology, type, name, plain);
      if (problem !== null)
        errors.push({ path: `properties.${name}`, message: `${problem}: set it to null` });
    }
  throwFirst(errors);
  return { ...kept, ...validateProperties(ontology, type, given) };
}

/** Whether the service alone sets a property. */
export function isReserved(name: string): boolean {
  return [...ENTRY_PROPERTIES, ...EXPERIENCE_PROPERTIES, ...GRAPH_PROPERTIES].includes(name);
}

function throwFirst(errors: FieldError[]): void {
  const [first] = errors;
  if (first !== undefined) throw failure("invalid_request", `${first.path}: ${first.message}`, { errors });
}

/** Returns properties such as `{ decisionStatus: "accepted" }` as lists of values; throws a 400 if one is invalid. */
export function validateProperties(
  ontology: TenantOntology,
  type: MemoryType,
  input: Record<string, string | string[]>,
): Record<string, string[]> {
  const errors: FieldError[] = [];
  const properties: Record<string, string[]> = {};
  for (const [name, value] of Object.entries(input)) {
    const values = Array.isArray(value) ? value : [value];
    const problem = findProblem(ontology, type, name, values);
    const { stored = name, property } = findTenantProperty(ontology, name) ?? {};
    const normalise = (item: string) =>
      property !== undefined && isExtensionName(stored)
        ? toStoredTerm(ontology, property, item)
        : normaliseValue(name, item);
    if (problem === null) properties[stored] = [...new Set(values.map(normalise))];
    else errors.push({ path: `properties.${name}`, message: problem });
  }
  throwFirst(errors);
  return properties;
}

function findProblem(
  ontology: TenantOntology,
  type: MemoryType,
  name: string,
  values: readonly string[],
): string | null {
  if (EXPERIENCE_PROPERTIES.includes(name))
    return "is set by the service: see POST /v1/patterns and /v1/learnings";
  if (GRAPH_PROPERTIES.includes(name))
    return "is reserved for knowledge graphs and set by the service: see POST /v1/graph/create_entities";
  if (ENTRY_PROPERTIES.includes(name))
    return "is reserved for entries and set by the service: to write under a namespace use POST /v1/entries";
  if (isFieldProperty(name)) return "is no property to set here: it has a field or a call of its own";
  const found = findTenantProperty(ontology, name);
  if (found === null) return "is not a property of the ontology: see GET /v1/ontology";
  const { stored, property } = found;
  if (!isInDomain(ontology, type, property))
    return `belongs to ${toLocalTermName(property.domain)}, not to a ${type}`;
  if (property.range === "Project") return "cannot be set here: give project_id";
  if (!isExtensionName(stored)) return findValuesProblem(property, values);
  const isText = values.every((value) => value.length <= LIMITS.propertyChars && isCleanText(value));
  if (!isText) return `must be a text of 1 to ${LIMITS.propertyChars} characters`;
  return findAddedValuesProblem(ontology, property, values);
}

function normaliseValue(name: string, value: string): string {
  const property = findProperty(name);
  if (property?.range === "xsd:dateTime") return new Date(value).toISOString();
  if (property?.range === "Agent") return `agent_${value}`;
  const reference = parseReference(property?.range ?? "", value);
  return reference === null ? value : formatReference(property?.range ?? "", reference);
}
