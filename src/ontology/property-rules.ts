// The rules for values of ontology properties, whatever they are set on.

import { ID_PATTERN, isCleanText } from "../kernel/common";
import { LIMITS } from "../kernel/limits";
import { describeReference, parseReference } from "./entity-classes";
import type { PropertyTerm } from "./generated/terms.generated";
import { getValueKind, listIndividuals } from "./property-values";

/** Returns what is wrong with the values of a property; null if nothing is. Whether references exist is not checked. */
export function findValuesProblem(property: PropertyTerm, values: readonly string[]): string | null {
  if (values.length === 0) return "needs a value: leave it out if there is none";
  if (property.functional && values.length > 1) return "takes one value";
  for (const value of values) {
    const problem = findValueProblem(property, value);
    if (problem !== null) return problem;
  }
  return null;
}

function findValueProblem(property: PropertyTerm, value: string): string | null {
  const { range } = property;
  if (value === "" || value.length > LIMITS.propertyChars || !isCleanText(value))
    return `must be a text of 1 to ${LIMITS.propertyChars} characters`;
  switch (getValueKind(property)) {
    case "literal":
      return findLiteralProblem(range, value);
    case "agent":
    case "entity":
      return findReferenceProblem(range, value);
    case "memory":
      return ID_PATTERN.test(value) ? null : `must be the id of a memory of class ${range}`;
    case "individual": {
      const individuals = listIndividuals(range);
      return individuals.includes(value) ? null : `must be one of: ${individuals.join(", ")}`;
    }
    default:
      return `points at a ${range}, which cannot be set here`;
  }
}

function findLiteralProblem(range: string, value: string): string | null {
  if (range === "xsd:dateTime" && Number.isNaN(Date.parse(value))) return "must be an ISO 8601 time";
  // Not parsed as a URL: `git@github.com:org/repo.git` is where a repository is found, too.
  if (range === "xsd:anyURI" && /\s/.test(value)) return "must be a URI, without spaces";
  return null;
}

function findReferenceProblem(range: string, value: string): string | null {
  const reference = parseReference(range, value);
  return reference !== null && ID_PATTERN.test(reference.id) ? null : describeReference(range);
}
