// Links whose relation the ontology declares between classes of memories. Their linking triple is a property of the
// memory that they lead from, so they are written and deleted as a change of that memory.
import type { SQL } from "drizzle-orm";
import { retryConflicts, WriteConflict } from "../../kernel/databases/d1";
import { type Failure, fail, invalidField, ok, type Result } from "../../kernel/errors";
import { LIMITS } from "../../kernel/limits";
import type { StoreContext } from "../../kernel/store-context";
import { getMemoryClass } from "../../ontology/extension-names";
import { PROPERTIES } from "../../ontology/generated/terms.generated";
import type { MemoryReference, MemoryRelation } from "../../ontology/property-values";
import { isInDomain, isTypeOfClass } from "../../ontology/tenant-ontology";
import type { Memory } from "../memory-schemas";
import {
  assertUnchanged,
  buildChangeStatements,
  requireShapes,
  tryChangeMemory,
} from "../store/change-memories";
import { computeIdentity } from "../store/memory-id";
import { findMemories, findMemory } from "../store/memory-queries";
import { assertTargets, readRelationState, refuseCycle } from "../store/memory-relations";
import { getEndId, isMemoryIri, type RelationLink } from "./link-triples";

/** Returns a failure if an end (an IRI) is not of the class that the relation requires. */
export async function refuseClasses(
  context: StoreContext,
  relation: MemoryRelation,
  ends: { from: string; to: string },
): Promise<Failure | null> {
  const property = PROPERTIES[relation];
  const memories = await findMemories(context, [ends.from, ends.to].filter(isMemoryIri).map(getEndId));
  const find = (iri: string) => memories.find(({ id }) => id === getEndId(iri)) ?? null;
  const [from, to] = [find(ends.from), find(ends.to)];
  const refuse = (field: "from" | "to", memory: Memory | null) => {
    const own = memory === null ? "an episode" : `of class ${getMemoryClass(memory.type)}`;
    return invalidField(
      field,
      `is ${own}: ${relation} leads from ${property.domain} to ${property.range}. Give one of that class, or another relation`,
    ).failure;
  };
  // An episode is evidence.
  if (from === null ? property.domain !== "Evidence" : !isInDomain(context.ontology, from.type, property))
    return refuse("from", from);
  return to === null || !isTypeOfClass(context.ontology, to.type, property.range) ? refuse("to", to) : null;
}

/** Builds the statements that add a relation to the properties of the memory that it leads from. */
export async function planRelation(context: StoreContext, link: RelationLink): Promise<Result<SQL[]>> {
  const { tenant, now } = context;
  const { from, to, relation } = link;
  const before = await findMemory(context, from);
  if (before === null) throw new WriteConflict("The memory was erased meanwhile");
  const values = before.properties[relation] ?? [];
  const refusal = refuseValues(from, relation, values);
  if (refusal !== null) return refusal;
  const targets = [{ relation, to }];
  const cycle = refuseCycle([from], targets, await readRelationState(context, targets), () => "to");
  if (cycle !== null) return { ok: false, failure: cycle };
  const after = { ...before, properties: { ...before.properties, [relation]: [...values, to] } };
  await requireShapes(context, before, after);
  return ok([
    ...assertUnchanged(tenant, [before]),
    ...assertTargets(tenant, [{ ids: [from], targets }]),
    ...buildChangeStatements(
      tenant,
      { before, after, identity: await computeIdentity(tenant, after) },
      now(),
    ),
  ]);
}

/** Returns a failure if the memory has as many values of the property as it may have. */
export function refuseValues(
  from: string,
  property: MemoryRelation | MemoryReference,
  values: readonly string[],
) {
  const [value] = values;
  if (PROPERTIES[property].functional && value !== undefined)
    return fail(
      "conflict",
      `Memory ${from} has a ${property} already: ${value}. Remove it first, with PATCH /v1/memories/${from} and null for ${property}.`,
    );
  if (values.length >= LIMITS.propertyValues)
    return fail(
      "limit_exceeded",
      `Memory ${from} has ${LIMITS.propertyValues} values of ${property}, which is the limit. Delete some first.`,
    );
  return null;
}

/** Removes a relation from the properties of a memory, with its Link. Returns whether the memory had it. */
export function deleteRelation(
  context: StoreContext,
  { from, to, relation }: RelationLink,
): Promise<boolean> {
  return deleteValue(context, { from, relation, value: to });
}

/** Removes a value of a property of a memory. Returns whether the memory had it. */
export function deleteValue(
  context: StoreContext,
  { from, relation, value }: { from: string; relation: MemoryRelation | MemoryReference; value: string },
): Promise<boolean> {
  return retryConflicts(async () => {
    let found = false;
    await tryChangeMemory(context, from, (before) => {
      const { [relation]: values = [], ...others } = before.properties;
      const kept = values.filter((one) => one !== value);
      found = kept.length < values.length;
      const properties = kept.length === 0 ? others : { ...before.properties, [relation]: kept };
      return found ? { ...before, properties } : null;
    });
    return found;
  });
}
