// The names of the terms that a tenant adds to the ontology. They have a namespace of their own, in which a tenant sees
// its own terms alone. In code the terms of the ontology have their local names, and those of extensions a prefix.
import { MEMORY_CLASS, type MemoryType, NAMESPACE } from "./generated/terms.generated";

export const EXTENSION_NAMESPACE = "https://jido.ai/ontology/extension#";
const PREFIX = "ext:";
const XSD = "http://www.w3.org/2001/XMLSchema#";

/** Returns `Fact` for a term of the ontology, `ext:Runbook` for one of an extension, `xsd:string`, or else the IRI. */
export function toTermName(iri: string): string {
  if (iri.startsWith(NAMESPACE)) return iri.slice(NAMESPACE.length);
  if (iri.startsWith(EXTENSION_NAMESPACE)) return PREFIX + iri.slice(EXTENSION_NAMESPACE.length);
  return iri.startsWith(XSD) ? `xsd:${iri.slice(XSD.length)}` : iri;
}

export function isExtensionName(name: string): boolean {
  return name.startsWith(PREFIX);
}

/** Returns the name of a property as it is stored, which shows that an extension declares it. */
export function toExtensionName(localName: string): string {
  return PREFIX + localName;
}

export function toLocalTermName(name: string): string {
  return isExtensionName(name) ? name.slice(PREFIX.length) : name;
}

/** Returns the compact IRI of a class by its name. */
export function toClassIri(name: string): string {
  return isExtensionName(name) ? name : `jido:${name}`;
}

export function toSnakeCase(name: string): string {
  return name.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
}

/** Returns the class of a memory type: `LessonLearned`, or `ext:Runbook`. The type alone tells it. */
export function getMemoryClass(type: MemoryType): string {
  if (Object.hasOwn(MEMORY_CLASS, type)) return MEMORY_CLASS[type];
  const words = (type as string).split("_").map((word) => word.slice(0, 1).toUpperCase() + word.slice(1));
  return toExtensionName(words.join(""));
}

/** Returns the memory type of a class that an extension declares. */
export function toExtensionType(className: string): MemoryType {
  return toSnakeCase(toLocalTermName(className)) as MemoryType;
}

/** Whether the type of a class leads back to the class, so that a stored type needs no table of names. */
export function isReversible(className: string): boolean {
  return (
    /^ext:[A-Z][A-Za-z0-9]{1,39}$/.test(className) && getMemoryClass(toExtensionType(className)) === className
  );
}
