// Properties of a memory that are links: a relation to any other memory, such as `contradicts`, or to what the memory is
// derived from. They are checked with its other properties, and written as links once the memory is stored.

import type { SourceType } from "../../kernel/common";
import { ID_PATTERN } from "../../kernel/common";
import { type FieldError, failure, ok, type Result } from "../../kernel/errors";
import { findProperty } from "../../ontology/property-values";
import type { Services } from "../../services/services";
import { findGenericRelation, type GenericRelation, type LinkProperty } from "./link-schemas";

type PropertyInput = string | string[] | null;

/** Separates the properties that are links from the memory's own. A name in snake_case is accepted for each. */
export function splitProperties<T extends PropertyInput>(
  input: Readonly<Record<string, T>>,
): { own: Record<string, T>; links: LinkProperty[] } {
  const own: Record<string, T> = {};
  const links: LinkProperty[] = [];
  const errors: FieldError[] = [];
  for (const [name, value] of Object.entries(input)) {
    const relation = findGenericRelation(name);
    const property = toPropertyName(name);
    const isRepeated =
      relation === null ? Object.hasOwn(own, property) : links.some((link) => link.relation === relation);
    const problem = relation === null ? null : findLinkProblem(relation, value);
    if (isRepeated) errors.push({ path: `properties.${name}`, message: "is given twice: give it once" });
    else if (problem !== null) errors.push({ path: `properties.${name}`, message: problem });
    else if (relation === null) own[property] = value;
    else links.push({ name, relation, to: [...new Set([value ?? []].flat())] });
  }
  const [first] = errors;
  if (first !== undefined) throw failure("invalid_request", `${first.path}: ${first.message}`, { errors });
  return { own, links };
}

/** Returns the name of a property in the ontology: `hasAlternative` for `has_alternative`. */
function toPropertyName(name: string): string {
  const camelCase = name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
  return findProperty(name) === null && findProperty(camelCase) !== null ? camelCase : name;
}

function findLinkProblem(relation: GenericRelation, value: PropertyInput): string | null {
  if (value === null)
    return isSupersession(relation) ? "cannot be removed: a supersession cannot be undone" : null;
  const ids = [value].flat();
  if (ids.length === 0) return "needs a value: leave it out if there is none";
  if (relation === "superseded_by" && ids.length > 1) return "takes one value";
  return ids.every((id) => ID_PATTERN.test(id)) ? null : "must be the id of a memory";
}

function isSupersession(relation: GenericRelation): boolean {
  return relation === "supersedes" || relation === "superseded_by";
}

/** Whether the properties say that another memory supersedes this one. */
export function isSupersededBy(links: readonly LinkProperty[]): boolean {
  return links.some(({ relation }) => relation === "superseded_by");
}

/** Writes the links of a memory that is stored, for a caller who speaks for `actor`. A repeated call changes nothing. */
export async function writeLinks(
  { store, indexing, later }: Services,
  id: string,
  links: readonly LinkProperty[],
  actor?: SourceType,
): Promise<Result<null>> {
  for (const { relation, to } of links) {
    const written = await store.links.set({ from: id, relation, to, actor });
    if (!written.ok) return written;
  }
  if (links.some(({ relation }) => isSupersession(relation))) later(indexing.wake());
  return ok(null);
}

/** Returns the memories that the links of a memory supersede. */
export function listSupersededByLinks(links: readonly LinkProperty[]): readonly string[] {
  return links.flatMap(({ relation, to }) => (relation === "supersedes" ? to : []));
}
