// Links whose relation the ontology declares between classes of memories. Their linking triple is a property of the
// memory that they lead from, so they are written and deleted as a change of that memory.
import { type SQL, sql } from "drizzle-orm";
import { readAll, retryConflicts, WriteConflict } from "../../kernel/databases/d1";
import { assertThat } from "../../kernel/databases/statements";
import { type Failure, fail, invalidField, ok, type Result } from "../../kernel/errors";
import type { Idempotency } from "../../kernel/idempotency";
import { LIMITS } from "../../kernel/limits";
import { applyOnce } from "../../kernel/operation-log";
import type { StoreContext } from "../../kernel/store-context";
import {
  describeReference,
  type EntityReference,
  formatReference,
  isResource,
  parseReference,
} from "../../ontology/entity-classes";
import { toEntityIri } from "../../ontology/entity-mapping";
import { getMemoryClass } from "../../ontology/extension-names";
import { PROPERTIES } from "../../ontology/generated/terms.generated";
import { isMemoryReference, type MemoryReference, type MemoryRelation } from "../../ontology/property-values";
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
import type { Link, LinkCreate } from "./link-schemas";
import {
  type CreatedLink,
  endNotFound,
  getEndId,
  isMemoryIri,
  type ReferenceLink,
  type RelationLink,
  resolveEnds,
  toReferenceLinkId,
} from "./link-triples";

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

// Links from a memory to an agent, a project or a resource. Each is a property of the memory, and all there is of it: it has
// neither a strength nor a time of its own.

type ReferenceCreate = LinkCreate & { relation: MemoryReference };

export function isReferenceCreate(request: LinkCreate): request is ReferenceCreate {
  return isMemoryReference(request.relation);
}

/** Adds the reference to the properties of the memory. */
export function createReferenceLink(
  context: StoreContext,
  request: ReferenceCreate,
  operation: Idempotency,
): Promise<Result<CreatedLink>> {
  const { tenant } = context;
  return applyOnce(context, operation, async (at) => {
    const resolved = await resolveReference(context, request);
    if (!resolved.ok) return resolved;
    const { memory: before, link } = resolved.value;
    const values = before.properties[link.relation] ?? [];
    const value = toPropertyValue(link);
    const isNew = !values.includes(value);
    const refusal = isNew ? refuseValues(before.id, link.relation, values) : null;
    if (refusal !== null) return refusal;
    const properties = { ...before.properties, [link.relation]: [...values, value] };
    const after = isNew ? { ...before, properties } : before;
    await requireShapes(context, before, after);
    const created: CreatedLink = { link: toReferenceView(link), created: isNew };
    const statements = [
      ...assertUnchanged(tenant, [before]),
      ...(isResource(link.to) ? [assertThat(selectDeclared(tenant, link.to))] : []),
      ...buildChangeStatements(tenant, { before, after, identity: await computeIdentity(tenant, after) }, at),
    ];
    return ok({ response: created, statements });
  });
}

async function resolveReference(
  context: StoreContext,
  request: ReferenceCreate,
): Promise<Result<{ memory: Memory; link: ReferenceLink }>> {
  const { relation, strength = 1 } = request;
  const { domain, range } = PROPERTIES[relation];
  if (strength !== 1)
    return invalidField("strength", `does not go with ${relation}, which has none: leave it out`);
  const [iri = null] = await resolveEnds(context, [request.from]);
  const memory = iri === null || !isMemoryIri(iri) ? null : await findMemory(context, getEndId(iri));
  if (iri === null) return endNotFound("from", request.from);
  const own = memory === null ? "an episode" : `of class ${getMemoryClass(memory.type)}`;
  if (memory === null || !isInDomain(context.ontology, memory.type, PROPERTIES[relation]))
    return invalidField(
      "from",
      `is ${own}: ${relation} leads from ${domain} to ${range}. Give one of that class, or another relation`,
    );
  const to = parseReference(range, request.to);
  if (to === null) return invalidField("to", describeReference(range));
  if (isResource(to) && !(await isDeclared(context, to)))
    return fail(
      "not_found",
      `to: there is no ${to.kind} ${to.id}. Put it first, with PUT /v1/resources/${to.kind}/${to.id}.`,
      { errors: [{ path: "to", message: `does not exist: ${to.kind}/${to.id}` }] },
    );
  return ok({ memory, link: { from: memory.id, to, relation } });
}

/** Returns whether a resource is declared. */
export async function isDeclared({ db, tenant }: StoreContext, reference: EntityReference): Promise<boolean> {
  const [row] = await readAll<{ found: number }>(
    db,
    sql`SELECT ${selectDeclared(tenant, reference)} AS found`,
  );
  return row?.found === 1;
}

function selectDeclared(tenant: string, reference: EntityReference): SQL {
  return sql`EXISTS (SELECT 1 FROM triples WHERE tenant = ${tenant} AND subject = ${toEntityIri(reference)}
    AND predicate = 'rdf:type')`;
}

/** Returns the reference as the properties of a memory have it. */
function toPropertyValue({ relation, to }: ReferenceLink): string {
  const { range } = PROPERTIES[relation];
  return range === "Agent" ? `agent_${to.id}` : formatReference(range, to);
}

/** Removes the reference from the properties of its memory. Returns whether the memory had it. */
export function deleteReference(context: StoreContext, link: ReferenceLink): Promise<boolean> {
  return deleteValue(context, { ...link, value: toPropertyValue(link) });
}

function toReferenceView(link: ReferenceLink): Link {
  const { from, to, relation } = link;
  return {
    id: toReferenceLinkId(link),
    from,
    to: `${to.kind}/${to.id}`,
    relation,
    strength: 1,
    created_at: null,
  };
}
