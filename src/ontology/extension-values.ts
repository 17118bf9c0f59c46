// The values of properties that extensions declare. A stored value is an RDF term, so that it is read without the
// declaration: `"4"^^xsd:integer`, or `ext:Gold`.

import { toExtensionName } from "./extension-names";
import type { PropertyTerm } from "./generated/terms.generated";
import { listTenantIndividuals, type TenantOntology } from "./tenant-ontology";

const LEXICAL_FORMS: Readonly<Record<string, { pattern: RegExp; description: string }>> = {
  "xsd:integer": { pattern: /^[+-]?\d{1,15}$/, description: "a whole number" },
  "xsd:decimal": { pattern: /^[+-]?\d{1,15}(\.\d{1,15})?$/, description: "a decimal number" },
  "xsd:double": { pattern: /^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$/, description: "a number" },
  "xsd:boolean": { pattern: /^(true|false)$/, description: "true or false" },
  "xsd:date": {
    pattern: /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/,
    description: "a date, such as 2026-01-31",
  },
  "xsd:anyURI": { pattern: /^\S+$/, description: "a URI, without spaces" },
};

/** Returns what is wrong with the values of an added property; null if nothing is. */
export function findAddedValuesProblem(
  ontology: TenantOntology,
  property: PropertyTerm,
  values: readonly string[],
): string | null {
  if (values.length === 0) return "needs a value: leave it out if there is none";
  if (property.functional && values.length > 1) return "takes one value";
  const { kind, range } = property;
  if (kind === "object") {
    const individuals = listTenantIndividuals(ontology, range);
    return values.every((value) => individuals.includes(value))
      ? null
      : `must be one of: ${individuals.join(", ")}`;
  }
  if (range === "xsd:dateTime")
    return values.some((value) => Number.isNaN(Date.parse(value))) ? "must be an ISO 8601 time" : null;
  const form = LEXICAL_FORMS[range];
  return form === undefined || values.every((value) => form.pattern.test(value))
    ? null
    : `must be ${form.description}`;
}

/** Returns a value as it is stored. */
export function toStoredTerm(ontology: TenantOntology, { kind, range }: PropertyTerm, value: string): string {
  if (kind === "object")
    return ontology.added.individuals.has(toExtensionName(value)) ? toExtensionName(value) : `jido:${value}`;
  return formatTerm(range === "xsd:dateTime" ? new Date(value).toISOString() : value, range);
}

/** Writes the object of a triple as a stored value. */
export function formatTerm(object: string, datatype: string): string {
  return datatype === "" ? object : `"${object}"^^${datatype}`;
}

/** Reads the object of a triple from a stored value. */
export function parseTerm(value: string): { object: string; datatype: string } {
  const end = value.startsWith('"') ? value.lastIndexOf('"^^') : -1;
  return end < 1
    ? { object: value, datatype: "" }
    : { object: value.slice(1, end), datatype: value.slice(end + '"^^'.length) };
}

/** Returns a stored value as a caller gave it. */
export function toPlainValue(value: string): string {
  const { object, datatype } = parseTerm(value);
  return datatype === "" ? object.slice(object.indexOf(":") + 1) : object;
}
