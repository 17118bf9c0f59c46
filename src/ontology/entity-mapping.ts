// Maps a declared entity to its triples and back.
import {
  type EntityReference,
  formatReference,
  parseEntityName,
  parseReference,
  toEntityName,
} from "./entity-classes";
import { findProperty, refersToEntities } from "./property-values";
import type { Triple } from "./triples";

/** An agent, a project or a resource, with its properties as callers write them. */
export type DeclaredEntity = {
  reference: EntityReference;
  /** The local name of its class. */
  className: string;
  properties: Record<string, string[]>;
};

export function toEntityIri(reference: EntityReference): string {
  return `jido:${toEntityName(reference)}`;
}

export function parseEntityIri(iri: string): EntityReference | null {
  return iri.startsWith("jido:") ? parseEntityName(iri.slice("jido:".length)) : null;
}

/** Returns the IRI of the entity that a memory's property refers to with a value; null if it refers to none. */
export function toReferencedIri(name: string, value: string): string | null {
  const property = refersToEntities(name) ? findProperty(name) : null;
  const reference = property === null ? null : parseReference(property.range, value);
  return reference === null ? null : toEntityIri(reference);
}

export function toEntityTriples({ reference, className, properties }: DeclaredEntity): Triple[] {
  const subject = toEntityIri(reference);
  const stated = Object.entries(properties).flatMap(([name, values]) =>
    values.map((value): Triple => ({ subject, predicate: `jido:${name}`, ...toObject(name, value) })),
  );
  return [{ subject, predicate: "rdf:type", object: `jido:${className}`, datatype: "" }, ...stated];
}

function toObject(name: string, value: string): Pick<Triple, "object" | "datatype"> {
  const property = findProperty(name);
  if (property === null || property.kind === "datatype")
    return { object: value, datatype: property?.range ?? "xsd:string" };
  const reference = parseReference(property.range, value);
  return { object: reference === null ? `jido:${value}` : toEntityIri(reference), datatype: "" };
}

/** Returns the entity that the triples of a subject declare; null if they state no class. */
export function parseEntityTriples(triples: readonly Triple[]): DeclaredEntity | null {
  const type = triples.find(({ predicate }) => predicate === "rdf:type");
  const reference = parseEntityIri(type?.subject ?? "");
  if (type === undefined || reference === null) return null;
  const properties: Record<string, string[]> = {};
  for (const { predicate, object, datatype } of triples) {
    if (predicate === "rdf:type") continue;
    const name = predicate.slice("jido:".length);
    properties[name] = [...(properties[name] ?? []), readValue(name, object, datatype)];
  }
  return { reference, className: type.object.slice("jido:".length), properties };
}

function readValue(name: string, object: string, datatype: string): string {
  const reference = datatype === "" ? parseEntityIri(object) : null;
  if (reference !== null) return formatReference(findProperty(name)?.range ?? "Entity", reference);
  return datatype === "" ? object.slice("jido:".length) : object;
}
