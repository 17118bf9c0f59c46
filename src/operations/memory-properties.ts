// A type's own properties, as callers give them: checked against the ontology, kept by their local names.

import { LIMITS } from "../limits";
import { ancestorsOf } from "../ontology/classes";
import { INDIVIDUALS, MEMORY_CLASS, PROPERTIES } from "../ontology/terms.generated";
import { type FieldError, failure } from "../platform/errors";
import { ID_PATTERN, isCleanText } from "../schemas/common";
import type { MemoryType } from "../schemas/session";
import { isFieldProperty } from "../store/triples/memory-triples";

/** What makes a memory an entry of a namespace: a caller who could set these could write into any. */
const OF_ENTRIES: readonly string[] = ["namespace", "entrySource", "entryMetadata"];

/** What consolidation, maintenance and learnings keep of a memory. */
const OF_EXPERIENCE: readonly string[] = [
  "decayedAt",
  "theme",
  "trigger",
  "cause",
  "fix",
  "prevention",
  "occurrences",
  "lastSeen",
];

/** What makes a memory part of a knowledge graph. */
const OF_GRAPHS: readonly string[] = [
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

type Property = (typeof PROPERTIES)[keyof typeof PROPERTIES];

/** `{ decisionStatus: "accepted", hasConventionScope: "ProjectScope" }` as lists of values, or a 400. */
export function ownProperties(
  type: MemoryType,
  given: Record<string, string | string[]>,
): Record<string, string[]> {
  const errors: FieldError[] = [];
  const properties: Record<string, string[]> = {};
  for (const [name, value] of Object.entries(given)) {
    const values = Array.isArray(value) ? value : [value];
    const problem = problemWith(type, name, values);
    if (problem === null) properties[name] = [...new Set(values.map((item) => stored(name, item)))];
    else errors.push({ path: `properties.${name}`, message: problem });
  }
  const [first] = errors;
  if (first !== undefined) {
    throw failure("invalid_request", `${first.path}: ${first.message}`, { errors });
  }
  return properties;
}

function propertyOf(name: string): Property | null {
  return Object.hasOwn(PROPERTIES, name) && !isFieldProperty(name)
    ? PROPERTIES[name as keyof typeof PROPERTIES]
    : null;
}

function problemWith(type: MemoryType, name: string, values: readonly string[]): string | null {
  if (OF_EXPERIENCE.includes(name)) return "is set by the service: see POST /v1/patterns and /v1/learnings";
  if (OF_GRAPHS.includes(name))
    return "is kept for knowledge graphs, and set by the service: see POST /v1/graph/create_entities";
  if (OF_ENTRIES.includes(name))
    return "is kept for entries, and set by the service: to write under a namespace use POST /v1/entries";
  const property = propertyOf(name);
  const className = MEMORY_CLASS[type];
  const classes: readonly string[] = [className, ...ancestorsOf(className)];
  if (property === null)
    return "is not a property of the ontology that can be set here: see GET /v1/ontology";
  if (!classes.includes(property.domain)) return `belongs to ${property.domain}, not to a ${type}`;
  if (values.length === 0) return "needs a value: leave it out if there is none";
  if (property.functional && values.length > 1) return "takes one value";
  for (const value of values) {
    if (value === "" || value.length > LIMITS.propertyChars || !isCleanText(value))
      return `must be a text of 1 to ${LIMITS.propertyChars} characters`;
    if (property.kind === "datatype") {
      if (property.range === "xsd:dateTime" && Number.isNaN(Date.parse(value)))
        return "must be an ISO 8601 time";
      continue;
    }
    if (property.range === "Agent") {
      if (!ID_PATTERN.test(value)) return "must be the id of an agent";
      continue;
    }
    const individuals = individualsOf(property.range);
    if (individuals.length === 0) return `points at a ${property.range}, which cannot be set here`;
    if (!individuals.includes(value)) return `must be one of: ${individuals.join(", ")}`;
  }
  return null;
}

function individualsOf(className: string): string[] {
  return Object.entries(INDIVIDUALS).flatMap(([name, { classes }]) =>
    (classes as readonly string[]).includes(className) ? [name] : [],
  );
}

function stored(name: string, value: string): string {
  const property = propertyOf(name);
  if (property?.range === "xsd:dateTime") return new Date(value).toISOString();
  return property?.range === "Agent" ? `agent_${value}` : value;
}
