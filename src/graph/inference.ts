// What follows from the ontology: subclasses, sub-properties, inverse and symmetric properties. IRIs are compact.
import type { OntologyGraph } from "./ontology-graph";

/** A property whose triples imply those of another, read from subject to object or, if inverse, the other way. */
type ImplyingProperty = { readonly property: string; readonly isInverse: boolean };

export type Inference = {
  /** Returns the class and its subclasses. */
  readonly listSubclasses: (iri: string) => readonly string[];
  /** Returns each class with itself and its superclasses. */
  readonly listSuperclasses: () => ReadonlyMap<string, readonly string[]>;
  /** Returns the property itself, first, and all that imply it. */
  readonly listImplying: (property: string) => readonly ImplyingProperty[];
};

/** A step from a property to one that implies it. */
type Implication = { from: string; to: string; isInverse: boolean };

export function createInference(ontology: OntologyGraph): Inference {
  const superclasses = ontology
    .match({ predicate: "rdfs:subClassOf" })
    .filter(({ object }) => object.kind === "");
  const subclasses = Map.groupBy(superclasses, ({ object }) => object.value);
  const byClass = Map.groupBy(superclasses, ({ subject }) => subject);
  const listSubclasses = (iri: string): string[] =>
    close(iri, (one) => (subclasses.get(one) ?? []).map(({ subject }) => subject));
  const classes = new Set(superclasses.flatMap(({ subject, object }) => [subject, object.value]));
  const implications = Map.groupBy(readImplications(ontology), ({ from }) => from);
  return {
    listSubclasses,
    listSuperclasses: () =>
      new Map(
        [...classes].map((iri) => [
          iri,
          close(iri, (one) => (byClass.get(one) ?? []).map(({ object }) => object.value)),
        ]),
      ),
    listImplying: (property) => closeImplications(property, implications),
  };
}

/** Returns a node and all that are reached from it. */
function close(start: string, next: (node: string) => readonly string[]): string[] {
  const reached = new Set([start]);
  for (const node of reached) for (const found of next(node)) reached.add(found);
  return [...reached];
}

function readImplications(ontology: OntologyGraph): Implication[] {
  const inverses = ontology.match({ predicate: "owl:inverseOf" });
  /** The properties that blank nodes are the inverses of: `[ owl:inverseOf p ]`. */
  const anonymous = new Map(
    inverses
      .filter(({ subject }) => subject.startsWith("_:"))
      .map(({ subject, object }) => [subject, object.value]),
  );
  const named = inverses.filter(({ subject }) => !anonymous.has(subject));
  const symmetric = ontology.match({
    predicate: "rdf:type",
    object: { value: "owl:SymmetricProperty", kind: "" },
  });
  return [
    ...ontology.match({ predicate: "rdfs:subPropertyOf" }).map(({ subject, object }) => ({
      from: object.value,
      to: anonymous.get(subject) ?? subject,
      isInverse: anonymous.has(subject),
    })),
    ...named.flatMap(({ subject, object }) => [
      { from: subject, to: object.value, isInverse: true },
      { from: object.value, to: subject, isInverse: true },
    ]),
    ...symmetric.map(({ subject }) => ({ from: subject, to: subject, isInverse: true })),
  ];
}

function closeImplications(
  property: string,
  implications: ReadonlyMap<string, readonly Implication[]>,
): ImplyingProperty[] {
  const write = ({ property: name, isInverse }: ImplyingProperty) => `${isInverse ? "^" : ""}${name}`;
  const reached = new Map<string, ImplyingProperty>([[property, { property, isInverse: false }]]);
  for (const one of reached.values()) {
    for (const { to, isInverse } of implications.get(one.property) ?? []) {
      const next = { property: to, isInverse: isInverse !== one.isInverse };
      if (!reached.has(write(next))) reached.set(write(next), next);
    }
  }
  return [...reached.values()];
}
