// Validates the triples of one memory against the SHACL shapes. Shapes on inverse paths need the whole graph and are
// skipped.

import { listAncestors } from "./classes";
import {
  INDIVIDUALS,
  type IndividualTerm,
  MEMORY_CLASS,
  type MemoryType,
  type Severity,
  SHAPES,
  type ShapeConstraint,
} from "./terms.generated";

/** A triple of compact IRIs ("jido:summary", "rdf:type"); the object is one of these or the text of a literal. */
export interface CompactTriple {
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
}

export interface ShapeResult {
  /** The property that violates the shape, such as "jido:rationale". */
  readonly path: string;
  readonly severity: Severity;
  readonly message: string;
}

/**
 * Validates `triples`, which describe one memory of the given type. Triples about other subjects, such as the memory
 * it supersedes, are ignored. Duplicates count once.
 */
export function checkShapes(triples: readonly CompactTriple[], type: MemoryType): ShapeResult[] {
  const className = MEMORY_CLASS[type];
  const classes = new Set<string>([className, ...listAncestors(className)]);
  const typed = triples.find(
    ({ predicate, object }) => predicate === "rdf:type" && object === `jido:${className}`,
  );
  const focus = typed?.subject ?? triples[0]?.subject;
  const values = new Map<string, Set<string>>();
  for (const { subject, predicate, object } of triples) {
    if (subject !== focus) continue;
    values.set(predicate, (values.get(predicate) ?? new Set()).add(object));
  }

  return SHAPES.filter(({ inverse, targetClass, targetSubjectsOf }) => {
    if (inverse) return false;
    return targetClass !== null ? classes.has(targetClass) : values.has(`jido:${targetSubjectsOf}`);
  })
    .filter((constraint) => !satisfiesShape(constraint, [...(values.get(`jido:${constraint.path}`) ?? [])]))
    .map(({ path, severity, message }) => ({ path: `jido:${path}`, severity, message }));
}

function satisfiesShape(constraint: ShapeConstraint, values: readonly string[]): boolean {
  return (
    values.length >= (constraint.minCount ?? 0) &&
    values.length <= (constraint.maxCount ?? Number.POSITIVE_INFINITY) &&
    values.every((value) => satisfiesConstraint(constraint, value))
  );
}

function satisfiesConstraint(constraint: ShapeConstraint, value: string): boolean {
  const { datatype, minLength, minInclusive, maxInclusive, valueClass, notValue } = constraint;
  if (datatype !== null && !(LEXICAL_FORM[datatype]?.test(value) ?? true)) return false;
  // SHACL counts characters: an emoji counts once.
  if (minLength !== null && [...value].length < minLength) return false;
  if (minInclusive !== null && !(Number(value) >= minInclusive)) return false;
  if (maxInclusive !== null && !(Number(value) <= maxInclusive)) return false;
  if (valueClass !== null && !listClasses(value).includes(valueClass)) return false;
  return notValue === null || value !== `jido:${notValue}`;
}

const individuals: ReadonlyMap<string, IndividualTerm> = new Map(Object.entries(INDIVIDUALS));

function listClasses(value: string): readonly string[] {
  return value.startsWith("jido:") ? (individuals.get(value.slice("jido:".length))?.classes ?? []) : [];
}

/** Compact triples carry no datatype, so the lexical form is checked instead. */
const LEXICAL_FORM: Readonly<Record<string, RegExp>> = {
  "xsd:dateTime": /^-?\d{4,}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})?$/,
  "xsd:boolean": /^(?:true|false|1|0)$/,
  "xsd:decimal": /^[+-]?(\d+(\.\d*)?|\.\d+)$/,
  "xsd:integer": /^[+-]?\d+$/,
};
