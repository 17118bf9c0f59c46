// Checks the triples of one memory against the shapes. Shapes that look at a memory from the other end of a
// property need the whole graph, and are left to those who have it.

import { ancestorsOf } from "./classes";
import {
  INDIVIDUALS,
  type IndividualTerm,
  MEMORY_CLASS,
  type MemoryType,
  type Severity,
  SHAPES,
  type ShapeConstraint,
} from "./terms.generated";

/** In compact form: "jido:summary", "rdf:type"; an object is such a name or the text of a literal. */
export interface CompactTriple {
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
}

export interface ShapeResult {
  /** The property that falls short, as in the triples: "jido:rationale". */
  readonly path: string;
  readonly severity: Severity;
  readonly message: string;
}

/**
 * `triples` describe one memory of the given type. Those about other subjects, such as the memory it supersedes,
 * may be among them and are passed over. A triple that is there twice counts once.
 */
export function checkShapes(triples: readonly CompactTriple[], type: MemoryType): ShapeResult[] {
  const className = MEMORY_CLASS[type];
  const classes = new Set<string>([className, ...ancestorsOf(className)]);
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
    .filter((constraint) => !holds(constraint, [...(values.get(`jido:${constraint.path}`) ?? [])]))
    .map(({ path, severity, message }) => ({ path: `jido:${path}`, severity, message }));
}

function holds(constraint: ShapeConstraint, values: readonly string[]): boolean {
  return (
    values.length >= (constraint.minCount ?? 0) &&
    values.length <= (constraint.maxCount ?? Number.POSITIVE_INFINITY) &&
    values.every((value) => allows(constraint, value))
  );
}

function allows(constraint: ShapeConstraint, value: string): boolean {
  const { datatype, minLength, minInclusive, maxInclusive, valueClass, notValue } = constraint;
  if (datatype !== null && !(LEXICAL_FORM[datatype]?.test(value) ?? true)) return false;
  // SHACL counts characters, so an emoji is one.
  if (minLength !== null && [...value].length < minLength) return false;
  if (minInclusive !== null && !(Number(value) >= minInclusive)) return false;
  if (maxInclusive !== null && !(Number(value) <= maxInclusive)) return false;
  if (valueClass !== null && !classesOf(value).includes(valueClass)) return false;
  return notValue === null || value !== `jido:${notValue}`;
}

const individuals: ReadonlyMap<string, IndividualTerm> = new Map(Object.entries(INDIVIDUALS));

function classesOf(value: string): readonly string[] {
  return value.startsWith("jido:") ? (individuals.get(value.slice("jido:".length))?.classes ?? []) : [];
}

/** A compact triple has no datatype, so what is checked is whether the text can be read as one. */
const LEXICAL_FORM: Readonly<Record<string, RegExp>> = {
  "xsd:dateTime": /^-?\d{4,}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})?$/,
  "xsd:decimal": /^[+-]?(\d+(\.\d*)?|\.\d+)$/,
  "xsd:integer": /^[+-]?\d+$/,
};
