// Validates memories against SHACL shapes with shacl-engine: those of ontology/shapes.ttl, and a tenant's own. A memory is
// validated by its own triples: shapes on inverse paths need the whole graph and are skipped.
// The parts of n3 without its streams, which a Worker cannot load.

import type { Quad, Term } from "n3";
import DataFactory from "n3/src/N3DataFactory.js";
import Parser from "n3/src/N3Parser.js";
import { type ValidationResult, Validator } from "shacl-engine";
import { SHAPE_TARGETS, SHAPES_TURTLE, VIOLATION_TARGETS } from "./generated/shapes.generated";
import {
  CLASSES,
  type ClassTerm,
  INDIVIDUALS,
  type IndividualTerm,
  NAMESPACE,
} from "./generated/terms.generated";

// A set of quads in memory, in the form that a SHACL engine reads: RDF/JS `match`, with indexes by subject and by object.

class QuadSet implements Iterable<Quad> {
  readonly #quads: readonly Quad[];
  #bySubject: Map<string, Quad[]> | null = null;
  #byObject: Map<string, Quad[]> | null = null;

  constructor(quads: readonly Quad[]) {
    this.#quads = quads;
  }

  get size(): number {
    return this.#quads.length;
  }

  [Symbol.iterator](): Iterator<Quad> {
    return this.#quads[Symbol.iterator]();
  }

  match(subject?: Term | null, predicate?: Term | null, object?: Term | null): QuadSet {
    return new QuadSet(
      this.#listCandidates(subject ?? null, object ?? null).filter(
        (quad) =>
          (!subject || quad.subject.equals(subject)) &&
          (!predicate || quad.predicate.equals(predicate)) &&
          (!object || quad.object.equals(object)),
      ),
    );
  }

  #listCandidates(subject: Term | null, object: Term | null): readonly Quad[] {
    if (subject !== null) {
      this.#bySubject ??= Map.groupBy(this.#quads, (quad) => quad.subject.value);
      return this.#bySubject.get(subject.value) ?? [];
    }
    if (object === null) return this.#quads;
    this.#byObject ??= Map.groupBy(this.#quads, (quad) => quad.object.value);
    return this.#byObject.get(object.value) ?? [];
  }
}

const SH = "http://www.w3.org/ns/shacl#";
const RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";
const SUBCLASS = "http://www.w3.org/2000/01/rdf-schema#subClassOf";

type Severity = "violation" | "warning" | "info";

export type ShapeResult = {
  /** The local name of the property that violates the shape, such as "rationale"; "" if the shape has no path. */
  readonly path: string;
  readonly severity: Severity;
  readonly message: string;
};

export type Shapes = {
  /** Returns what the shapes find in the triples of one memory. */
  validate: (memory: readonly Quad[]) => Promise<ShapeResult[]>;
  /**
   * Whether a memory of this class (an IRI, with its superclasses) can violate a shape although no property of its type
   * is set, or one of severity Violation. The shapes of all memories demand only what the service itself sets.
   */
  concern: (classes: readonly string[], severity?: "violation") => boolean;
};

/** Returns the shapes of the ontology, with the terms and shapes that a tenant adds. They are compiled on first use. */
export function createShapes(added: readonly Quad[] = []): Shapes {
  const own = added.flatMap(({ predicate, object }) =>
    predicate.value === `${SH}targetClass` ? [object.value] : [],
  );
  const listTargets = (names: readonly string[]) =>
    new Set([...names.filter((name) => name !== "MemoryItem").map((name) => NAMESPACE + name), ...own]);
  const [targets, violationTargets] = [listTargets(SHAPE_TARGETS), listTargets(VIOLATION_TARGETS)];
  let compiled: CompiledShapes | null = null;
  return {
    async validate(memory) {
      compiled ??= compileShapes(added);
      const dataset = new QuadSet([...memory.map(replaceUnknown), ...compiled.individuals]);
      const { results } = await compiled.validator.validate({ dataset });
      return mergeResults(
        results.filter(({ path }) => path?.every(({ start }) => start === "subject") ?? true),
      );
    },
    concern: (classes, severity) =>
      classes.some((name) => (severity === "violation" ? violationTargets : targets).has(name)),
  };
}

export const BUILT_IN_SHAPES = createShapes();

type CompiledShapes = { validator: Validator; individuals: Quad[] };

function compileShapes(added: readonly Quad[]): CompiledShapes {
  const shapes = new Parser({ format: "text/turtle" }).parse(SHAPES_TURTLE);
  const classes = Object.entries<ClassTerm>(CLASSES).flatMap(([name, { subClassOf }]) =>
    subClassOf === null ? [] : [stateTerm(name, SUBCLASS, subClassOf)],
  );
  const individuals = Object.entries<IndividualTerm>(INDIVIDUALS).flatMap(([name, term]) =>
    term.classes.map((className) => stateTerm(name, RDF_TYPE, className)),
  );
  return {
    validator: new Validator(new QuadSet([...shapes, ...classes, ...added]), { factory: DataFactory }),
    individuals: [...individuals, ...added.filter(({ predicate }) => predicate.value === RDF_TYPE)],
  };
}

/** The engine takes a text with one of these, such as an emoji, for no xsd:string, and counts most of them twice. */
const UNKNOWN_CHARACTERS = /[\u{10000}-\u{10FFFF}\uFFFE\uFFFF]/gu;

/** Returns a quad whose text has a character that the engine knows in place of each that it does not. */
function replaceUnknown(quad: Quad): Quad {
  const { subject, predicate, object } = quad;
  if (object.termType !== "Literal") return quad;
  const text = object.value.replaceAll(UNKNOWN_CHARACTERS, "\uFFFD");
  return text === object.value
    ? quad
    : DataFactory.quad(subject, predicate, DataFactory.literal(text, object.datatype));
}

function stateTerm(name: string, predicate: string, object: string): Quad {
  const { namedNode, quad } = DataFactory;
  return quad(namedNode(NAMESPACE + name), namedNode(predicate), namedNode(NAMESPACE + object));
}

/** A property with several wrong values violates its shape once. */
function mergeResults(results: readonly ValidationResult[]): ShapeResult[] {
  const merged = results.map(({ path, severity, message: [message], constraintComponent }) => ({
    path: (path ?? [])
      .map(({ predicates }) => predicates.map(({ value }) => toLocalName(value)).join("|"))
      .join("/"),
    severity: toLocalName(severity.value).toLowerCase() as Severity,
    message: message?.value ?? `violates ${toLocalName(constraintComponent.value)}`,
  }));
  return [...new Map(merged.map((result) => [`${result.path} ${result.message}`, result])).values()];
}

function toLocalName(iri: string): string {
  return iri.slice(iri.lastIndexOf("#") + 1);
}
