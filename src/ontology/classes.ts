// The class tree: what lies below and above a class, and which memory type a class goes by.

import { CLASSES, type ClassTerm, MEMORY_CLASS, MEMORY_TYPES, type MemoryType } from "./terms.generated";

const tree: ReadonlyMap<string, ClassTerm> = new Map(Object.entries(CLASSES));
const typeByClass: ReadonlyMap<string, MemoryType> = new Map(
  MEMORY_TYPES.map((type) => [MEMORY_CLASS[type], type]),
);

/** The class itself and every class below it, each before its own subclasses; nothing for an unknown class. */
export function subclassesOf(className: string): string[] {
  if (!tree.has(className)) return [];
  const children = [...tree].filter(([, { subClassOf }]) => subClassOf === className);
  return [className, ...children.flatMap(([name]) => subclassesOf(name))];
}

/** The classes above, nearest first. */
export function ancestorsOf(className: string): string[] {
  const parent = tree.get(className)?.subClassOf ?? null;
  return parent === null ? [] : [parent, ...ancestorsOf(parent)];
}

/** The memory types a query for `type` finds: itself and those of its subclasses. */
export function typesUnder(type: MemoryType): MemoryType[] {
  return subclassesOf(MEMORY_CLASS[type]).flatMap((name) => typeOfClass(name) ?? []);
}

export function typeOfClass(className: string): MemoryType | undefined {
  return typeByClass.get(className);
}
