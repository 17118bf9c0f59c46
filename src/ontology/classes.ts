// The class hierarchy of the ontology, and the memory type of each class.

import {
  CLASSES,
  type ClassTerm,
  MEMORY_CLASS,
  MEMORY_TYPES,
  type MemoryType,
} from "./generated/terms.generated";

const tree: ReadonlyMap<string, ClassTerm> = new Map(Object.entries(CLASSES));
const typeByClass: ReadonlyMap<string, MemoryType> = new Map(
  MEMORY_TYPES.map((type) => [MEMORY_CLASS[type], type]),
);

/** Returns the class and all its subclasses, each before its own; an empty list for an unknown class. */
export function listSubclasses(className: string): string[] {
  if (!tree.has(className)) return [];
  const children = [...tree].filter(([, { subClassOf }]) => subClassOf === className);
  return [className, ...children.flatMap(([name]) => listSubclasses(name))];
}

/** Returns the superclasses, nearest first. */
export function listAncestors(className: string): string[] {
  const parent = tree.get(className)?.subClassOf ?? null;
  return parent === null ? [] : [parent, ...listAncestors(parent)];
}

/** Returns the memory types that a query for `type` matches: itself and those of its subclasses. */
export function listSubtypes(type: MemoryType): MemoryType[] {
  return listSubclasses(MEMORY_CLASS[type]).flatMap((name) => findMemoryType(name) ?? []);
}

export function findMemoryType(className: string): MemoryType | undefined {
  return typeByClass.get(className);
}
