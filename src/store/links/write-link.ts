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
import { assertReplaceable, refuseCycle, supersedeMemories } from "../memories/retire-memories";
import { type Operation, readOperation, recordOperations } from "../operation-log";
import { assertThat } from "../statements";
import { deleteTriples, evidenceReference, insertTriples, instance, objectKey } from "../triples/triples";
import {
  asStored,
  assertEnds,
  endId,
  findEnds,
  isMemory,
  isSymmetric,
  type Joined,
  linkId,
  linkingTriple,
  linkTriples,
  noSuchEnd,
  readLinks,
  reversed,
  type StoredLink,
} from "./link-triples";

export type LinkMade = { link: Link; created: boolean };

/** Makes a link. One that is there already gets the strength. */
export function makeLink(
  db: Database,
  tenant: string,
  request: LinkCreate,
  { now, operation }: { now: () => string; operation: Operation | null },
): Promise<Result<LinkMade>> {
  return retryConflicts(async () => {
    const earlier = operation === null ? null : await readOperation<LinkMade>(db, tenant, operation);
    if (earlier !== null) return earlier;
    const asked = await joinedBy(db, tenant, request);
    if (!asked.ok) return asked;
    const at = now();
    const id = await linkId(tenant, asked.value);
    const { held, standing, premises } = await whatStands(db, tenant, id, asked.value);
    const joined = held ?? asked.value;
    const meaning = held === null ? await meaningOf(db, tenant, joined, at) : ok([]);
    if (!meaning.ok) return meaning;
    const link: StoredLink = {
      ...(standing ?? { id, linked_at: at, resolution: null }),
      ...joined,
      strength: request.strength ?? 1,
    };
    const made: LinkMade = { link: viewOf(link), created: held === null };
    await runBatch(db, [
      ...assertEnds(tenant, [joined.from, joined.to]),
      ...premises,
      ...meaning.value,
      sql`DELETE FROM triples WHERE tenant = ${tenant} AND subject = ${instance("link", id)} AND predicate = 'jido:linkStrength'`,
      insertTriples(tenant, [linkingTriple(joined), ...linkTriples(link)]),
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
async function joinedBy(db: Database, tenant: string, request: LinkCreate): Promise<Result<Joined<string>>> {
  const { relation } = request;
  const [from = null, to = null] = await findEnds(db, tenant, [request.from, request.to]);
  if (from === null) return noSuchEnd("from", request.from);
  if (to === null) return noSuchEnd("to", request.to);
  if (from === to)
    return fail("conflict", `from and to are both ${endId(from)}. A link needs two: give another one.`);
  const ends = { from, to };
  for (const field of MEMORIES_ONLY[relation] ?? [])
    if (!isMemory(ends[field]))
      return invalidField(field, `is an episode: here ${relation} takes a memory only`);
  return ok(asStored({ from, to, relation }));
}

type Stands = { held: Joined<string> | null; standing: StoredLink | null; premises: SQL[] };

/** The linking triple, from whichever end it leads, and the Link, if they are there; a batch aborts if that changed. */
async function whatStands(db: Database, tenant: string, id: string, asked: Joined<string>): Promise<Stands> {
  const ways = isSymmetric(asked.relation) ? [asked, reversed(asked)] : [asked];
  const [[standing = null], found] = await Promise.all([
    readLinks(db, tenant, [id]),
    Promise.all(ways.map((way) => readAll(db, sql`SELECT 1 ${tripleOf(tenant, way)}`))),
  ]);
  return {
    held: ways.find((_, i) => found[i]?.length === 1) ?? null,
    standing,
    premises: [
      ...ways.map((way, i) => assertThat(sql`count(*) = ${found[i]?.length ?? 0} ${tripleOf(tenant, way)}`)),
      assertThat(sql`count(*) = ${standing === null ? 0 : 1} FROM triples
        WHERE tenant = ${tenant} AND subject = ${instance("link", id)} AND predicate = 'jido:linkedAt'`),
    ],
  };
}

function tripleOf(tenant: string, joined: Joined<string>): SQL {
  const { subject, predicate, object } = linkingTriple(joined);
  return sql`FROM triples WHERE tenant = ${tenant} AND subject = ${subject} AND predicate = ${predicate}
    AND object_key = ${objectKey(object)}`;
}

/** What a new link changes beside itself: who took whose place, and what a memory rests on. */
async function meaningOf(
  db: Database,
  tenant: string,
  { from, to, relation }: Joined<string>,
  at: string,
): Promise<Result<SQL[]>> {
  if (relation === "superseded_by") return giveWay(db, tenant, { old: endId(from), by: endId(to) }, at);
  const reference = evidenceReference(to);
  if (relation !== "derived_from" || reference === null) return ok([]);
  const { id, evidence } = await standingMemory(db, tenant, endId(from));
  if (evidence.length >= EXPERIENCE.sourcesPerPattern)
    return fail(
      "limit_exceeded",
      `Memory ${id} rests on ${EXPERIENCE.sourcesPerPattern} sources, which is the limit. Take some back first.`,
    );
  return ok([addEvidence(tenant, id, reference)]);
}

async function giveWay(
  db: Database,
  tenant: string,
  { old, by }: { old: string; by: string },
  at: string,
): Promise<Result<SQL[]>> {
  const status = getMemoryStatus(await standingMemory(db, tenant, old));
  if (status !== "live")
    return fail("conflict", `Memory ${old} is ${status} already. Only a live one can give way to another.`);
  const refused = await refuseCycle(db, tenant, { old, by });
  if (refused !== null) return refused;
  return ok([
    ...assertReplaceable(tenant, { old, by }),
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
export async function dropLink(db: Database, tenant: string, id: string): Promise<Result<null>> {
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
  const reference = link.relation === "derived_from" ? evidenceReference(link.to) : null;
  await runBatch(db, [
    ...(reference === null ? [] : [dropEvidence(tenant, endId(link.from), reference)]),
    deleteTriples(tenant, [linkingTriple(link)]),
    sql`DELETE FROM triples WHERE tenant = ${tenant} AND subject = ${instance("link", id)}`,
  ]);
  return ok(null);
}

function viewOf({ id, from, to, relation, strength, linked_at }: StoredLink): Link {
  return { id, from: endId(from), to: endId(to), relation, strength, created_at: linked_at };
}
