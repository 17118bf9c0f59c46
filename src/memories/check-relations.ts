// Checks the memories and entities that memories relate to: a caller relates only what it sees, and only to the class in
// the range of the relation. What it does not see does not exist for it.
import { canSee, isBound, isWithinBinding, type Owner } from "../kernel/access";
import type { Scope } from "../kernel/common";
import { type Failure, type FieldError, fail } from "../kernel/errors";
import { loadReferenceCheck } from "../ontology/entity-properties";
import { getMemoryClass } from "../ontology/extension-names";
import { PROPERTIES } from "../ontology/generated/terms.generated";
import { isTypeOfClass } from "../ontology/tenant-ontology";
import type { Services } from "../services/services";
import type { GenericRelation, LinkProperty } from "./links/link-schemas";
import type { Memory } from "./memory-schemas";
import { filterTargets, listTargets, type MemoryTarget } from "./store/memory-relations";

type RelatingMemory = {
  owner: Required<Owner>;
  memory: Pick<Memory, "properties">;
  links: readonly LinkProperty[];
};

/**
 * Returns for each memory a failure if one of its relations leads to what it cannot lead to, else null. `scope` is that of
 * a model's call.
 */
export async function checkRelations(
  services: Services,
  scope: Scope | null,
  relating: readonly RelatingMemory[],
): Promise<(Failure | null)[]> {
  const lists = relating.map(({ memory }) => listTargets(memory.properties));
  const linked = new Set(relating.flatMap(({ links }) => links.flatMap(({ to }) => to)));
  const ids = new Set([...lists.flat().map(({ to }) => to), ...linked]);
  const [found, episodes, checkReferences] = await Promise.all([
    ids.size === 0 ? [] : services.store.memories.findMany([...ids]),
    findEpisodes(services, [...linked]),
    loadReferenceCheck(
      services,
      relating.map(({ memory }) => memory.properties),
    ),
  ]);
  const memories = new Map(found.map((one) => [one.id, one]));
  return relating.map(({ owner, memory: { properties }, links }, i) => {
    const access = { owner, scope, binding: services.binding };
    const untargetable = (lists[i] ?? []).flatMap((target): FieldError[] => {
      const memory = memories.get(target.to);
      const seen = memory !== undefined && canSee(access, memory) ? memory : null;
      const message = findTargetProblem(services, target, seen);
      return message === null ? [] : [{ path: `properties.${target.relation}`, message }];
    });
    const unlinkable = links.flatMap(({ name, relation, to }) =>
      to.flatMap((id): FieldError[] => {
        const memory = memories.get(id);
        const isSeen =
          memory === undefined
            ? episodes.has(id) && scope === null && !MEMORY_LINKS.includes(relation)
            : canSee(access, memory);
        return isSeen ? [] : [{ path: `properties.${name}`, message: describeMissing(relation, id) }];
      }),
    );
    const errors = [...untargetable, ...unlinkable, ...checkReferences(properties)];
    const [first] = errors;
    return first === undefined
      ? null
      : fail("invalid_request", `${first.path}: ${first.message}`, { errors }).failure;
  });
}

/** The links that lead to memories alone. */
const MEMORY_LINKS: readonly GenericRelation[] = ["supersedes", "superseded_by"];

/** Returns which of the ids are episodes. A key with a binding sees none here. */
async function findEpisodes({ store, binding }: Services, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0 || isBound(binding)) return new Set();
  return new Set((await store.episodes.findMany(ids)).map(({ id }) => id));
}

function describeMissing(relation: GenericRelation, id: string): string {
  if (relation === "derived_from")
    return `there is no memory or episode ${id}: give the id of one, and any other reference in evidence`;
  return `there is no memory ${id}: give the id of one`;
}

function findTargetProblem(
  { ontology }: Services,
  { relation, to }: MemoryTarget,
  memory: Memory | null,
): string | null {
  const { range } = PROPERTIES[relation];
  if (memory === null) return `there is no memory ${to}: remember the ${range} first, and give its id`;
  if (isTypeOfClass(ontology, memory.type, range)) return null;
  return `must be the id of a memory of class ${range}: ${to} is of class ${getMemoryClass(memory.type)}`;
}

/** Leaves out the relations to memories that the key of the call does not see. */
export async function hideRelations<T extends { properties: Memory["properties"] }>(
  { store, binding }: Services,
  memories: readonly T[],
): Promise<T[]> {
  const ids = new Set(memories.flatMap(({ properties }) => listTargets(properties)).map(({ to }) => to));
  if (!isBound(binding) || ids.size === 0) return [...memories];
  const visible = new Set(
    (await store.memories.findMany([...ids]))
      .filter((one) => isWithinBinding(binding, one))
      .map(({ id }) => id),
  );
  return memories.map((memory) => filterTargets(memory, (id) => visible.has(id)));
}
