// Links between memories and episodes: made, and taken back. Each is one batch: the linking triple, its Link, and what
// the link means for the memory that it leads from.
import { type SQL, sql } from "drizzle-orm";
import { getMemoryStatus } from "../../domain/memory-status";
import { EXPERIENCE } from "../../limits";
import { type Database, readAll, retryConflicts, runBatch, WriteConflict } from "../../platform/d1";
import { fail, invalidField, ok, type Result } from "../../platform/errors";
import type { Link, LinkCreate } from "../../schemas/link";
import type { Memory } from "../../schemas/memory";
import type { Relation } from "../../schemas/pattern";
import { findMemory } from "../memories/memory-queries";
import { assertCanSupersede, refuseSupersessionCycle, supersedeMemories } from "../memories/retire-memories";
import { findOperation, type Operation, recordOperations } from "../operation-log";
import { assertThat } from "../statements";
import {
  computeObjectKey,
  deleteTriples,
  insertTriples,
  parseEvidenceIri,
  toInstanceIri,
} from "../triples/triples";
import {
  assertEnds,
  computeLinkId,
  type DirectedLink,
  endNotFound,
  findEnds,
  getEndId,
  isMemoryIri,
  isSymmetric,
  normaliseLink,
  readLinks,
  reverseLink,
  type StoredLink,
  toLinkingTriple,
  toLinkTriples,
} from "./link-triples";

export type CreatedLink = { link: Link; created: boolean };

/** Makes a link. One that is there already gets the strength. */
export function createLink(
  db: Database,
  tenant: string,
  request: LinkCreate,
  { now, operation }: { now: () => string; operation: Operation | null },
): Promise<Result<CreatedLink>> {
  return retryConflicts(async () => {
    const earlier = operation === null ? null : await findOperation<CreatedLink>(db, tenant, operation);
    if (earlier !== null) return earlier;
    const asked = await resolveLink(db, tenant, request);
    if (!asked.ok) return asked;
    const at = now();
    const id = await computeLinkId(tenant, asked.value);
    const { held, standing, premises } = await readLinkState(db, tenant, id, asked.value);
    const joined = held ?? asked.value;
    const meaning = held === null ? await planLinkEffects(db, tenant, joined, at) : ok([]);
    if (!meaning.ok) return meaning;
    const link: StoredLink = {
      ...(standing ?? { id, linked_at: at, resolution: null }),
      ...joined,
      strength: request.strength ?? 1,
    };
    const made: CreatedLink = { link: toLinkView(link), created: held === null };
    await runBatch(db, [
      ...assertEnds(tenant, [joined.from, joined.to]),
      ...premises,
      ...meaning.value,
      sql`DELETE FROM triples WHERE tenant = ${tenant} AND subject = ${toInstanceIri("link", id)} AND predicate = 'jido:linkStrength'`,
      insertTriples(tenant, [toLinkingTriple(joined), ...toLinkTriples(link)]),
      ...(operation === null
        ? []
        : [recordOperations(tenant, [{ ...operation, response: JSON.stringify(made) }], at)]),
    ]);
    return ok(made);
  });
}

/** Ends that must be memories; any other may be an episode too. */
const MEMORIES_ONLY: Partial<Record<Relation, readonly ("from" | "to")[]>> = {
  derived_from: ["from"],
  supersedes: ["from", "to"],
  superseded_by: ["from", "to"],
};

/** What a request asks to join, as it is stored. */
async function resolveLink(
  db: Database,
  tenant: string,
  request: LinkCreate,
): Promise<Result<DirectedLink<string>>> {
  const { relation } = request;
  const [from = null, to = null] = await findEnds(db, tenant, [request.from, request.to]);
  if (from === null) return endNotFound("from", request.from);
  if (to === null) return endNotFound("to", request.to);
  if (from === to)
    return fail("conflict", `from and to are both ${getEndId(from)}. A link needs two: give another one.`);
  const ends = { from, to };
  for (const field of MEMORIES_ONLY[relation] ?? [])
    if (!isMemoryIri(ends[field]))
      return invalidField(field, `is an episode: here ${relation} takes a memory only`);
  return ok(normaliseLink({ from, to, relation }));
}

type Stands = { held: DirectedLink<string> | null; standing: StoredLink | null; premises: SQL[] };

/** The linking triple, from whichever end it leads, and the Link, if they are there; a batch aborts if that changed. */
async function readLinkState(
  db: Database,
  tenant: string,
  id: string,
  asked: DirectedLink<string>,
): Promise<Stands> {
  const ways = isSymmetric(asked.relation) ? [asked, reverseLink(asked)] : [asked];
  const [[standing = null], found] = await Promise.all([
    readLinks(db, tenant, [id]),
    Promise.all(ways.map((way) => readAll(db, sql`SELECT 1 ${selectLinkingTriple(tenant, way)}`))),
  ]);
  return {
    held: ways.find((_, i) => found[i]?.length === 1) ?? null,
    standing,
    premises: [
      ...ways.map((way, i) =>
        assertThat(sql`count(*) = ${found[i]?.length ?? 0} ${selectLinkingTriple(tenant, way)}`),
      ),
      assertThat(sql`count(*) = ${standing === null ? 0 : 1} FROM triples
        WHERE tenant = ${tenant} AND subject = ${toInstanceIri("link", id)} AND predicate = 'jido:linkedAt'`),
    ],
  };
}

function selectLinkingTriple(tenant: string, joined: DirectedLink<string>): SQL {
  const { subject, predicate, object } = toLinkingTriple(joined);
  return sql`FROM triples WHERE tenant = ${tenant} AND subject = ${subject} AND predicate = ${predicate}
    AND object_key = ${computeObjectKey(object)}`;
}

/** What a new link changes beside itself: who took whose place, and what a memory rests on. */
async function planLinkEffects(
  db: Database,
  tenant: string,
  { from, to, relation }: DirectedLink<string>,
  at: string,
): Promise<Result<SQL[]>> {
  if (relation === "superseded_by")
    return planSupersession(db, tenant, { old: getEndId(from), by: getEndId(to) }, at);
  const reference = parseEvidenceIri(to);
  if (relation !== "derived_from" || reference === null) return ok([]);
  const { id, evidence } = await standingMemory(db, tenant, getEndId(from));
  if (evidence.length >= EXPERIENCE.sourcesPerPattern)
    return fail(
      "limit_exceeded",
      `Memory ${id} rests on ${EXPERIENCE.sourcesPerPattern} sources, which is the limit. Take some back first.`,
    );
  return ok([addEvidence(tenant, id, reference)]);
}

async function planSupersession(
  db: Database,
  tenant: string,
  { old, by }: { old: string; by: string },
  at: string,
): Promise<Result<SQL[]>> {
  const status = getMemoryStatus(await standingMemory(db, tenant, old));
  if (status !== "live")
    return fail("conflict", `Memory ${old} is ${status} already. Only a live one can give way to another.`);
  const refused = await refuseSupersessionCycle(db, tenant, { old, by });
  if (refused !== null) return refused;
  return ok([
    ...assertCanSupersede(tenant, { old, by }),
    ...supersedeMemories(tenant, [{ id: by, old, valid_from: at }]),
  ]);
}

/** In the row alone: the linking triple is its triple. Nothing is read first, so many at once do not get in each other's way. */
function addEvidence(tenant: string, id: string, reference: string): SQL {
  return sql`UPDATE memories SET evidence = json_insert(evidence, '$[#]', ${reference})
    WHERE tenant = ${tenant} AND id = ${id} AND ${reference} NOT IN (SELECT value FROM json_each(evidence))`;
}

function dropEvidence(tenant: string, id: string, reference: string): SQL {
  return sql`UPDATE memories SET evidence = json_remove(evidence, (SELECT fullkey FROM json_each(evidence) WHERE value = ${reference}))
    WHERE tenant = ${tenant} AND id = ${id} AND ${reference} IN (SELECT value FROM json_each(evidence))`;
}

/** A memory that was there a moment ago. */
async function standingMemory(db: Database, tenant: string, id: string): Promise<Memory> {
  const memory = await findMemory(db, tenant, id);
  if (memory === null) throw new WriteConflict("The memory has gone");
  return memory;
}

/** Takes a link back, with what it meant. */
export async function deleteLink(db: Database, tenant: string, id: string): Promise<Result<null>> {
  const [link] = await readLinks(db, tenant, [id]);
  if (link === undefined)
    return fail(
      "not_found",
      `Link not found: ${id}. Only a link that was made with POST /v1/links can be taken back.`,
    );
  if (link.relation === "superseded_by")
    return fail(
      "conflict",
      `Link ${id} says what took a memory's place, which is not taken back. Remember what holds again, or forget what does not.`,
    );
  const reference = link.relation === "derived_from" ? parseEvidenceIri(link.to) : null;
  await runBatch(db, [
    ...(reference === null ? [] : [dropEvidence(tenant, getEndId(link.from), reference)]),
    deleteTriples(tenant, [toLinkingTriple(link)]),
    sql`DELETE FROM triples WHERE tenant = ${tenant} AND subject = ${toInstanceIri("link", id)}`,
  ]);
  return ok(null);
}

function toLinkView({ id, from, to, relation, strength, linked_at }: StoredLink): Link {
  return { id, from: getEndId(from), to: getEndId(to), relation, strength, created_at: linked_at };
}
