// Contradictions: links that ask for an answer. One of the two gives way, or both are kept for a reason; the Link says
// which, and when.
import { type SQL, sql } from "drizzle-orm";
import { getMemoryStatus } from "../../domain/memory-status";
import { type Database, readAll, retryConflicts, runBatch } from "../../platform/d1";
import { fail, invalidField, ok, type Result } from "../../platform/errors";
import type { Contradiction, ContradictionSide, ContradictionStatus, ResolveInput } from "../../schemas/link";
import { findMemories } from "../memories/memory-queries";
import { assertLive, supersedeMemories } from "../memories/retire-memories";
import { findOperation, type Operation, recordOperations } from "../operation-log";
import { assertThat } from "../statements";
import type { StoreContext } from "../store-context";
import { insertTriples, parseInstanceId, toEvidenceIri, toInstanceIri } from "../triples/triples";
import { queueVectors, selectIds } from "../vectors/vector-queue";
import { matchEnd, readLinks, type StoredLink, toRelationIri, toResolutionTriples } from "./link-triples";

export type ContradictionFilter = { project_id: string | null; status: ContradictionStatus };
export type ContradictionCursor = { created_at: string; id: string };

/** Newest first. One belongs to a project when one of its sides does. */
export async function listContradictions(
  db: Database,
  tenant: string,
  { project_id, status }: ContradictionFilter,
  { limit, after }: { limit: number; after: ContradictionCursor | null },
): Promise<Contradiction[]> {
  const both = (condition: SQL) =>
    sql`(${matchEnd(tenant, sql`f.object`, condition)} AND ${matchEnd(tenant, sql`t.object`, condition)})`;
  const either = (condition: SQL) =>
    sql`(${matchEnd(tenant, sql`f.object`, condition)} OR ${matchEnd(tenant, sql`t.object`, condition)})`;
  const open = sql`(NOT EXISTS (SELECT 1 FROM triples r WHERE r.tenant = ${tenant} AND r.subject = l.subject
    AND r.predicate = 'jido:resolution') AND ${both(sql`live = 1`)})`;
  const part = (alias: string, predicate: string) => {
    const name = sql.raw(alias);
    return sql`CROSS JOIN triples ${name} ON ${name}.tenant = ${tenant} AND ${name}.subject = l.subject AND ${name}.predicate = ${predicate}`;
  };
  const rows = await readAll<{ subject: string }>(
    db,
    sql`SELECT l.subject FROM triples l
      ${part("a", "jido:linkedAt")} ${part("f", "jido:linkFrom")} ${part("t", "jido:linkTo")}
      WHERE l.tenant = ${tenant} AND l.object_key = ${toRelationIri("contradicts")} AND l.predicate = 'jido:linkRelation'
        AND ${after === null ? sql`true` : sql`(a.object, l.subject) < (${after.created_at}, ${toInstanceIri("link", after.id)})`}
        AND ${status === "open" ? open : sql`NOT ${open}`}
        AND ${project_id === null ? sql`true` : either(sql`project_id = ${project_id}`)}
      ORDER BY a.object DESC, l.subject DESC LIMIT ${limit}`,
  );
  return readContradictions(
    db,
    tenant,
    rows.flatMap(({ subject }) => parseInstanceId("link", subject) ?? []),
  );
}

/** A side, and which memory it gave way to. */
type Standing = ContradictionSide & { successor: string | null };

async function readContradictions(
  db: Database,
  tenant: string,
  ids: readonly string[],
): Promise<Contradiction[]> {
  const links = (await readLinks(db, tenant, ids)).filter(({ relation }) => relation === "contradicts");
  const sides = await readSides(
    db,
    tenant,
    links.flatMap(({ from, to }) => [from, to]),
  );
  return links.flatMap((link) => {
    const [one, two] = [sides.get(link.from), sides.get(link.to)];
    return one === undefined || two === undefined ? [] : [toContradiction(link, one, two)];
  });
}

async function readSides(
  db: Database,
  tenant: string,
  iris: readonly string[],
): Promise<Map<string, Standing>> {
  const memories = await findMemories(
    db,
    tenant,
    iris.flatMap((iri) => parseInstanceId("memory", iri) ?? []),
  );
  const episodes = await readAll<{ id: string; goal: string; timestamp: string; live: number }>(
    db,
    sql`SELECT id, goal, timestamp, live FROM episodes WHERE tenant = ${tenant}
      AND id IN (SELECT value FROM json_each(${JSON.stringify(iris.flatMap((iri) => parseInstanceId("evidence", iri) ?? []))}))`,
  );
  return new Map<string, Standing>([
    ...memories.map((memory): [string, Standing] => {
      const { id, content, confidence, timestamp, superseded_by, invalidated_by } = memory;
      const successor = superseded_by ?? invalidated_by;
      const status = getMemoryStatus(memory);
      return [
        toInstanceIri("memory", id),
        { id, kind: "memory", content, confidence, timestamp, status, successor },
      ];
    }),
    ...episodes.map(({ id, goal, timestamp, live }): [string, Standing] => [
      toEvidenceIri(id),
      {
        ...{ id, kind: "episode", content: goal, confidence: null, timestamp, successor: null },
        status: live === 1 ? "live" : "archived",
      },
    ]),
  ]);
}

function toContradiction(
  { id, strength, linked_at, resolution }: StoredLink,
  one: Standing,
  two: Standing,
): Contradiction {
  const open = resolution === null && one.status === "live" && two.status === "live";
  const kept = one.successor === two.id ? two.id : one.id;
  return {
    id,
    status: open ? "open" : "resolved",
    strength,
    created_at: linked_at,
    memories: [one, two].map(({ successor: _successor, ...side }) => side),
    resolution:
      resolution === null ? null : { ...resolution, kept: resolution.action === "keep_both" ? null : kept },
  };
}

/** Settles a contradiction, with all that follows from it, in one batch. */
export async function resolveContradiction(
  db: Database,
  tenant: string,
  request: ResolveInput & { id: string },
  { now, operation }: { now: () => string; operation: Operation | null },
): Promise<Result<Contradiction>> {
  const { id } = request;
  const settled = await retryConflicts(async (): Promise<Result<null>> => {
    const earlier = operation === null ? null : await findOperation<null>(db, tenant, operation);
    if (earlier !== null) return earlier;
    const [contradiction] = await readContradictions(db, tenant, [id]);
    if (contradiction === undefined) return notFound(id);
    const refused = checkResolution(contradiction, request);
    if (refused !== null) return refused;
    const at = now();
    await runBatch(db, [
      assertThat(sql`total(predicate = 'jido:linkedAt') = 1 AND total(predicate = 'jido:resolution') = 0
        FROM triples WHERE tenant = ${tenant} AND subject = ${toInstanceIri("link", id)}`),
      ...buildResolution(tenant, contradiction, request, at),
      insertTriples(
        tenant,
        toResolutionTriples(id, { action: request.action, reason: request.reason ?? null, resolved_at: at }),
      ),
      ...(operation === null ? [] : [recordOperations(tenant, [{ ...operation, response: "null" }], at)]),
    ]);
    return ok(null);
  });
  if (!settled.ok) return settled;
  const [contradiction] = await readContradictions(db, tenant, [id]);
  return contradiction === undefined ? notFound(id) : ok(contradiction);
}

function notFound(id: string) {
  return fail("not_found", `Contradiction not found: ${id}. GET /v1/contradictions lists their ids.`);
}

function checkResolution({ id, memories, resolution }: Contradiction, { action, keep }: ResolveInput) {
  if (resolution !== null) {
    const how = resolution.kept === null ? "both were kept" : `${resolution.kept} was kept`;
    return fail(
      "conflict",
      `Contradiction ${id} was resolved at ${resolution.resolved_at} by ${resolution.action}: ${how}.`,
    );
  }
  const gone = memories.find(({ status }) => status !== "live");
  if (gone !== undefined)
    return fail("conflict", `Contradiction ${id} is no longer open: ${gone.id} is ${gone.status}.`);
  if (action === "keep_both") return null;
  const episode = memories.find(({ kind }) => kind === "episode");
  if (episode !== undefined)
    return invalidField(
      "action",
      `must be keep_both where one of the two is an episode, as ${episode.id} is: to drop the memory, forget it`,
    );
  if (!memories.some((side) => side.id === keep))
    return invalidField("keep", `must be one of the two: ${memories.map((side) => side.id).join(", ")}`);
  return null;
}

/** What becomes of the one that is not kept. */
function buildResolution(
  tenant: string,
  { memories }: Contradiction,
  { action, keep }: ResolveInput,
  at: string,
): SQL[] {
  const other = memories.find(({ id }) => id !== keep);
  if (action === "keep_both" || keep === undefined || other === undefined) return [];
  // Of two that are live neither leads to the other: no chain of replacements can close.
  return [
    assertLive(tenant, keep),
    assertLive(tenant, other.id),
    ...(action === "supersede"
      ? supersedeMemories(tenant, [{ id: keep, old: other.id, valid_from: at }])
      : invalidate(tenant, { id: other.id, by: keep, at })),
  ];
}

function invalidate(tenant: string, { id, by, at }: { id: string; by: string; at: string }): SQL[] {
  const subject = toInstanceIri("memory", id);
  return [
    insertTriples(tenant, [
      { subject, predicate: "jido:invalidatedBy", object: toInstanceIri("memory", by), datatype: "" },
      { subject, predicate: "jido:validUntil", object: at, datatype: "xsd:dateTime" },
    ]),
    queueVectors(tenant, "memory", selectIds([id])),
    sql`UPDATE memories SET live = 0, invalidated_by = ${by}, valid_until = ${at}
      WHERE tenant = ${tenant} AND id = ${id}`,
  ];
}

export function createContradictionRepository({ db, tenant, now }: StoreContext) {
  return {
    list: (filter: ContradictionFilter, page: { limit: number; after: ContradictionCursor | null }) =>
      listContradictions(db, tenant, filter, page),
    resolve: (request: ResolveInput & { id: string }, operation: Operation | null) =>
      resolveContradiction(db, tenant, request, { now, operation }),
  };
}
