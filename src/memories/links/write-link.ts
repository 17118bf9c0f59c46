// Creates and deletes links between memories and episodes. Each is one batch: the linking triple, its Link, and the
// effect on the memory that it leads from.
import { type SQL, sql } from "drizzle-orm";
import type { SourceType } from "../../kernel/common";
import { readAll, runBatch, WriteConflict } from "../../kernel/databases/d1";
import { assertThat } from "../../kernel/databases/statements";
import { fail, invalidField, ok, type Result } from "../../kernel/errors";
import type { Idempotency } from "../../kernel/idempotency";
import { EXPERIENCE } from "../../kernel/limits";
import { applyOnce } from "../../kernel/operation-log";
import type { StoreContext } from "../../kernel/store-context";
import { isMemoryRelation } from "../../ontology/property-values";
import {
  deleteTriples,
  insertTriples,
  parseEvidenceIri,
  parseInstanceId,
  pointsAt,
  toInstanceIri,
} from "../../ontology/triples";
import { outranks } from "../../trust/source-rank";
import { recordVersions } from "../history/record-versions";
import { getMemoryStatus, type Memory } from "../memory-schemas";
import {
  assertCanSupersede,
  assertSupersedable,
  refuseLowerRank,
  refuseSupersessionCycle,
  supersedeMemories,
} from "../store/forget-memories";
import { assertSource, planLowering } from "../store/lower-derived";
import { findMemory } from "../store/memory-queries";
import { selectIds } from "../store/vector-queue";
import type { Link, LinkCreate, Relation } from "./link-schemas";
import {
  assertEnds,
  type CreatedLink,
  computeLinkId,
  type DirectedLink,
  endNotFound,
  getEndId,
  isMemoryIri,
  isSymmetric,
  normaliseLink,
  parseReferenceLinkId,
  parseRelationLinkId,
  readLinks,
  resolveEnds,
  reverseLink,
  type StoredLink,
  toLinkingTriple,
  toLinkTriples,
} from "./link-triples";
import {
  createReferenceLink,
  deleteReference,
  deleteRelation,
  isReferenceCreate,
  planRelation,
  refuseClasses,
} from "./relation-link";

/** Creates a link, or updates the strength of the existing one. `actor` is the source that the caller speaks for. */
export function createLink(
  context: StoreContext,
  request: LinkCreate,
  operation: Idempotency,
  actor?: SourceType,
): Promise<Result<CreatedLink>> {
  if (isReferenceCreate(request)) return createReferenceLink(context, request, operation);
  const { tenant } = context;
  return applyOnce(context, operation, async (at) => {
    const requested = await resolveLink(context, request);
    if (!requested.ok) return requested;
    const guard = actor === undefined ? ok([]) : await guardByRank(context, request.from, actor);
    if (!guard.ok) return guard;
    const id = await computeLinkId(tenant, requested.value);
    const { existing, stated, assertions } = await readLinkState(context, id, requested.value);
    const directed = existing ?? requested.value;
    const effects = existing === null ? await planEffects(context, directed, at) : ok([]);
    if (!effects.ok) return effects;
    const link: StoredLink = {
      ...(stated ?? { id, linked_at: at, resolution: null }),
      ...directed,
      strength: request.strength ?? 1,
    };
    const created: CreatedLink = { link: toLinkView(link), created: existing === null };
    const statements = [
      ...assertEnds(tenant, [directed.from, directed.to]),
      ...guard.value,
      ...assertions,
      ...effects.value,
      sql`DELETE FROM triples WHERE tenant = ${tenant} AND subject = ${toInstanceIri("link", link.id)} AND predicate = 'jido:linkStrength'`,
      insertTriples(tenant, [toLinkingTriple(directed), ...toLinkTriples(link)]),
    ];
    return ok({ response: created, statements });
  });
}

/**
 * Returns assertions that a memory does not outrank the caller, who may then link it. A link changes the memory that it
 * leads from: its source, its life, or what it supersedes.
 */
export async function guardByRank(
  context: StoreContext,
  id: string,
  actor: SourceType,
): Promise<Result<SQL[]>> {
  const { tenant, ranks } = context;
  const memory = await requireMemory(context, id);
  if (!outranks(ranks, memory.source_type, actor)) return ok([assertSource(tenant, memory)]);
  return fail(
    "conflict",
    `Memory ${id} comes from the source "${memory.source_type}", which outranks "${actor}", the source of this call. ` +
      "Leave its links out, or remember the statement as your own.",
  );
}

/** The ends that must be memories; all others may be episodes too. */
const MEMORY_ENDS: Partial<Record<Relation, readonly ("from" | "to")[]>> = {
  derived_from: ["from"],
  supersedes: ["from", "to"],
  superseded_by: ["from", "to"],
};

/** Resolves the ends of a request and returns the link in its stored form. */
async function resolveLink(
  context: StoreContext,
  request: LinkCreate,
): Promise<Result<DirectedLink<string>>> {
  const { relation } = request;
  const [from = null, to = null] = await resolveEnds(context, [request.from, request.to]);
  if (from === null) return endNotFound("from", request.from);
  if (to === null) return endNotFound("to", request.to);
  if (from === to)
    return fail("conflict", `from and to are both ${getEndId(from)}. A link needs two: give another one.`);
  const ends = { from, to };
  if (isMemoryRelation(relation)) {
    const refusal = await refuseClasses(context, relation, ends);
    if (refusal !== null) return { ok: false, failure: refusal };
  }
  for (const field of MEMORY_ENDS[relation] ?? [])
    if (!isMemoryIri(ends[field]))
      return invalidField(field, `is an episode: here ${relation} takes a memory only`);
  return ok(normaliseLink({ from, to, relation }));
}

type LinkState = {
  /** The link in the direction of its linking triple, if there is one. */
  existing: DirectedLink<string> | null;
  stated: StoredLink | null;
  /** Abort the batch if either changed. */
  assertions: SQL[];
};

async function readLinkState(
  context: StoreContext,
  id: string,
  requested: DirectedLink<string>,
): Promise<LinkState> {
  const { db, tenant } = context;
  const directions = isSymmetric(requested.relation) ? [requested, reverseLink(requested)] : [requested];
  const [[own = null], found] = await Promise.all([
    readLinks(context, [id]),
    Promise.all(
      directions.map((direction) => readAll(db, sql`SELECT 1 ${fromLinkingTriple(tenant, direction)}`)),
    ),
  ]);
  const existing = directions.find((_, i) => found[i]?.length === 1) ?? null;
  const stated = own ?? (existing === null ? null : await findImportedLink(context, existing));
  return {
    existing,
    stated,
    assertions: [
      ...directions.map((direction, i) =>
        assertThat(sql`count(*) = ${found[i]?.length ?? 0} ${fromLinkingTriple(tenant, direction)}`),
      ),
      assertThat(sql`count(*) = ${stated === null ? 0 : 1} FROM triples
        WHERE tenant = ${tenant} AND subject = ${toInstanceIri("link", stated?.id ?? id)} AND predicate = 'jido:linkedAt'`),
    ],
  };
}

/** Finds the Link of a linking triple by its ends: one that was imported has the id that it had in another tenant. */
async function findImportedLink(
  context: StoreContext,
  { from, to, relation }: DirectedLink<string>,
): Promise<StoredLink | null> {
  const { db, tenant } = context;
  const rows = await readAll<{ subject: string }>(
    db,
    sql`SELECT t.subject FROM triples t WHERE t.tenant = ${tenant} AND ${pointsAt("t", from)} AND t.predicate = 'jido:linkFrom'`,
  );
  const links = await readLinks(
    context,
    rows.flatMap(({ subject }) => parseInstanceId("link", subject) ?? []),
  );
  return links.find((link) => link.to === to && link.relation === relation) ?? null;
}

function fromLinkingTriple(tenant: string, link: DirectedLink<string>): SQL {
  const { subject, predicate, object } = toLinkingTriple(link);
  return sql`FROM triples WHERE tenant = ${tenant} AND subject = ${subject} AND predicate = ${predicate}
    AND object = ${object}`;
}

/** Builds the statements for the effects of a new link: a supersession, or a property or evidence of a memory. */
async function planEffects(
  context: StoreContext,
  { from, to, relation }: DirectedLink<string>,
  at: string,
): Promise<Result<SQL[]>> {
  if (relation === "superseded_by")
    return planSupersession(context, { old: getEndId(from), by: getEndId(to) }, at);
  if (isMemoryRelation(relation) && isMemoryIri(from))
    return planRelation(context, { from: getEndId(from), to: getEndId(to), relation });
  if (relation === "derived_from" && isMemoryIri(to))
    return planDerivation(context, { id: getEndId(from), from: getEndId(to) }, at);
  const reference = parseEvidenceIri(to);
  if (relation !== "derived_from" || reference === null) return ok([]);
  const { id, evidence } = await requireMemory(context, getEndId(from));
  if (evidence.length >= EXPERIENCE.sourcesPerPattern)
    return fail(
      "limit_exceeded",
      `Memory ${id} has ${EXPERIENCE.sourcesPerPattern} sources, which is the limit. Delete some first.`,
    );
  return ok(addEvidence(context.tenant, { id, reference }, at));
}

/** A memory that is derived from one of a lower rank takes that rank, and so does all that rests on it. */
async function planDerivation(
  context: StoreContext,
  { id, from }: { id: string; from: string },
  at: string,
): Promise<Result<SQL[]>> {
  const origin = await requireMemory(context, from);
  const lowering = await planLowering(context, { id, source: origin.source_type }, at);
  return lowering.ok ? ok([assertSource(context.tenant, origin), ...lowering.value]) : lowering;
}

async function planSupersession(
  context: StoreContext,
  { old, by }: { old: string; by: string },
  at: string,
): Promise<Result<SQL[]>> {
  const memory = await requireMemory(context, old);
  const status = getMemoryStatus(memory);
  if (status !== "live")
    return fail("conflict", `Memory ${old} is ${status} already. Only a live memory can be superseded.`);
  const replacement = await requireMemory(context, by);
  const refusal =
    refuseLowerRank(context, { old: memory, by: replacement }) ??
    (await refuseSupersessionCycle(context, { old, by }));
  if (refusal !== null) return refusal;
  return ok([
    ...assertCanSupersede(context.tenant, { old, by }),
    assertSupersedable(context.tenant, [memory]),
    assertSource(context.tenant, replacement),
    ...supersedeMemories(context.tenant, [{ id: by, old, valid_from: at }], at),
  ]);
}

/** A reference of the evidence of a memory. */
type EvidenceReference = { id: string; reference: string };

/** Adds to the row alone, since the linking triple is its triple. Reads nothing first, so concurrent calls do not conflict. */
function addEvidence(tenant: string, { id, reference }: EvidenceReference, at: string): SQL[] {
  const isNew = sql`${reference} NOT IN (SELECT value FROM json_each(m.evidence))`;
  return [
    recordVersions(tenant, selectIds([id]), { at, where: isNew }),
    sql`UPDATE memories AS m SET evidence = json_insert(evidence, '$[#]', ${reference})
      WHERE tenant = ${tenant} AND id = ${id} AND ${isNew}`,
  ];
}

function removeEvidence(tenant: string, { id, reference }: EvidenceReference, at: string): SQL[] {
  const isStated = sql`${reference} IN (SELECT value FROM json_each(m.evidence))`;
  return [
    recordVersions(tenant, selectIds([id]), { at, where: isStated }),
    sql`UPDATE memories AS m SET evidence = json_remove(evidence, (SELECT fullkey FROM json_each(evidence) WHERE value = ${reference}))
      WHERE tenant = ${tenant} AND id = ${id} AND ${isStated}`,
  ];
}

/** Returns a memory that was just resolved; if it is gone since, the caller starts over. */
async function requireMemory(context: StoreContext, id: string): Promise<Memory> {
  const memory = await findMemory(context, id);
  if (memory === null) throw new WriteConflict("The memory was erased meanwhile");
  return memory;
}

/** Deletes a link with its effects. */
export async function deleteLink(context: StoreContext, id: string): Promise<Result<null>> {
  const { db, tenant, now } = context;
  const relation = parseRelationLinkId(id);
  if (relation !== null && (await deleteRelation(context, relation))) return ok(null);
  const reference = parseReferenceLinkId(id);
  if (reference !== null && (await deleteReference(context, reference))) return ok(null);
  const [link] = await readLinks(context, [id]);
  if (link === undefined)
    return fail(
      "not_found",
      `Link not found: ${id}. Only relations of the ontology and links that were created with POST /v1/links can be deleted.`,
    );
  if (link.relation === "superseded_by")
    return fail(
      "conflict",
      `Link ${id} states a supersession, which cannot be undone. Remember the content that holds again, or forget the one that does not.`,
    );
  const evidence = link.relation === "derived_from" ? parseEvidenceIri(link.to) : null;
  await runBatch(db, [
    ...(evidence === null
      ? []
      : removeEvidence(tenant, { id: getEndId(link.from), reference: evidence }, now())),
    deleteTriples(tenant, [toLinkingTriple(link)]),
    sql`DELETE FROM triples WHERE tenant = ${tenant} AND subject = ${toInstanceIri("link", id)}`,
  ]);
  return ok(null);
}

function toLinkView({ id, from, to, relation, strength, linked_at }: StoredLink): Link {
  return { id, from: getEndId(from), to: getEndId(to), relation, strength, created_at: linked_at };
}
