// Contradictions: links that stay open until they are resolved. One side is superseded or invalidated, or both are kept;
// the Link records the resolution.

import { type SQL, sql } from "drizzle-orm";
import type { SourceType } from "../../kernel/common";
import { readAll } from "../../kernel/databases/d1";
import { assertThat } from "../../kernel/databases/statements";
import { declareMethods } from "../../kernel/declare-methods";
import { fail, invalidField, ok, type Result } from "../../kernel/errors";
import type { Idempotency } from "../../kernel/idempotency";
import { applyOnce } from "../../kernel/operation-log";
import type { StoreContext } from "../../kernel/store-context";
import { compareText } from "../../language/normalise-text";
import {
  computeLiteralKey,
  insertTriples,
  isLookedUp,
  parseInstanceId,
  toEvidenceIri,
  toInstanceIri,
} from "../../ontology/triples";
import { nameForeignSource, type SourceRanks } from "../../trust/source-rank";
import { recordPlannedEnds } from "../history/record-versions";
import { getMemoryStatus } from "../memory-schemas";
import { assertLive, endValidity, supersedeMemories } from "../store/forget-memories";
import { findMemories } from "../store/memory-queries";
import { queueVectors, selectIds } from "../store/vector-queue";
import type { Contradiction, ContradictionSide, ContradictionStatus, ResolveInput } from "./link-schemas";
import { matchEnd, readLinks, type StoredLink, toRelationIri, toResolutionTriples } from "./link-triples";

type ContradictionFilter = { project_id: string | null; status: ContradictionStatus };
type ContradictionCursor = { created_at: string; id: string };

export function createContradictionRepository(context: StoreContext) {
  const { reads, writes } = declareMethods(context);

  return {
    list: reads((filter: ContradictionFilter, page: { limit: number; after: ContradictionCursor | null }) =>
      listContradictions(context, filter, page),
    ),
    resolve: writes((request: ResolveInput & { id: string }, operation: Idempotency) =>
      resolveContradiction(context, request, operation),
    ),
  };
}

/** Returns contradictions, newest first. A contradiction belongs to the projects of both its sides. */
async function listContradictions(
  context: StoreContext,
  { project_id, status }: ContradictionFilter,
  { limit, after }: { limit: number; after: ContradictionCursor | null },
): Promise<Contradiction[]> {
  const { db, tenant } = context;
  const both = (condition: SQL) =>
    sql`(${matchEnd(tenant, sql`f.object`, condition)} AND ${matchEnd(tenant, sql`t.object`, condition)})`;
  const either = (condition: SQL) =>
    sql`(${matchEnd(tenant, sql`f.object`, condition)} OR ${matchEnd(tenant, sql`t.object`, condition)})`;
  const isOpen = sql`(NOT EXISTS (SELECT 1 FROM triples r WHERE r.tenant = ${tenant} AND r.subject = l.subject
    AND r.predicate = 'jido:resolution') AND ${both(sql`live = 1`)})`;
  const joinObject = (alias: string, predicate: string) => {
    const name = sql.raw(alias);
    return sql`CROSS JOIN triples ${name} ON ${name}.tenant = ${tenant} AND ${name}.subject = l.subject AND ${name}.predicate = ${predicate}`;
  };
  const rows = await readAll<{ subject: string }>(
    db,
    sql`SELECT l.subject, a.object FROM triples l
      ${joinObject("a", "jido:linkedAt")} ${joinObject("f", "jido:linkFrom")} ${joinObject("t", "jido:linkTo")}
      WHERE l.tenant = ${tenant} AND l.object_key = ${computeLiteralKey(toRelationIri("contradicts"))} AND ${isLookedUp("l")} AND l.predicate = 'jido:linkRelation'
        AND ${after === null ? sql`true` : sql`(a.object, l.subject) < (${after.created_at}, ${toInstanceIri("link", after.id)})`}
        AND ${status === "open" ? isOpen : sql`NOT ${isOpen}`}
        AND ${project_id === null ? sql`true` : either(sql`project_id = ${project_id}`)}
      ORDER BY a.object DESC, l.subject DESC LIMIT ${limit}`,
  );
  return readContradictions(
    context,
    rows.flatMap(({ subject }) => parseInstanceId("link", subject) ?? []),
  );
}

/** A side with its source and the memory that superseded or invalidated it; an episode has neither. */
type ResolvedSide = SourcedSide & { successor: string | null };

async function readContradictions(context: StoreContext, ids: readonly string[]): Promise<Contradiction[]> {
  const links = (await readLinks(context, ids)).filter(({ relation }) => relation === "contradicts");
  const sides = await readSides(
    context,
    links.flatMap(({ from, to }) => [from, to]),
  );
  return links.flatMap((link) => {
    const [one, two] = [sides.get(link.from), sides.get(link.to)];
    return one === undefined || two === undefined ? [] : [toContradiction(context.ranks, link, one, two)];
  });
}

async function readSides(context: StoreContext, iris: readonly string[]): Promise<Map<string, ResolvedSide>> {
  const { db, tenant } = context;
  const memories = await findMemories(
    context,
    iris.flatMap((iri) => parseInstanceId("memory", iri) ?? []),
  );
  const episodes = await readAll<{ id: string; goal: string; timestamp: string; live: number }>(
    db,
    sql`SELECT id, goal, timestamp, live FROM episodes WHERE tenant = ${tenant}
      AND id IN (SELECT value FROM json_each(${JSON.stringify(iris.flatMap((iri) => parseInstanceId("evidence", iri) ?? []))}))`,
  );
  return new Map<string, ResolvedSide>([
    ...memories.map((memory): [string, ResolvedSide] => {
      const { id, content, confidence, timestamp, source_type: source } = memory;
      return [
        toInstanceIri("memory", id),
        {
          ...{ id, kind: "memory", content, confidence, timestamp, source, ...nameForeignSource(source) },
          status: getMemoryStatus(memory),
          successor: memory.superseded_by ?? memory.invalidated_by,
        },
      ];
    }),
    ...episodes.map(({ id, goal, timestamp, live }): [string, ResolvedSide] => [
      toEvidenceIri(id),
      {
        ...{ id, kind: "episode", content: goal, confidence: null, timestamp, source: null, successor: null },
        status: live === 1 ? "live" : "archived",
      },
    ]),
  ]);
}

function toContradiction(
  ranks: SourceRanks,
  { id, strength, linked_at, resolution }: StoredLink,
  one: ResolvedSide,
  two: ResolvedSide,
): Contradiction {
  const isOpen = resolution === null && one.status === "live" && two.status === "live";
  const kept = one.successor === two.id ? two.id : one.id;
  return {
    id,
    status: isOpen ? "open" : "resolved",
    strength,
    created_at: linked_at,
    memories: [one, two].map(({ successor: _successor, source: _source, ...side }) => side),
    proposal: isOpen ? proposeResolution(one, two, ranks) : null,
    resolution:
      resolution === null ? null : { ...resolution, kept: resolution.action === "keep_both" ? null : kept },
  };
}

/** Resolves a contradiction and applies the resolution to its sides in one batch. */
async function resolveContradiction(
  context: StoreContext,
  request: ResolveInput & { id: string },
  operation: Idempotency,
): Promise<Result<Contradiction>> {
  const { tenant } = context;
  const { id } = request;
  const resolved = await applyOnce(context, operation, async (at) => {
    const [contradiction] = await readContradictions(context, [id]);
    if (contradiction === undefined) return contradictionNotFound(id);
    const refusal = refuseResolution(contradiction, request);
    if (refusal !== null) return refusal;
    const statements = [
      assertThat(sql`total(predicate = 'jido:linkedAt') = 1 AND total(predicate = 'jido:resolution') = 0
        FROM triples WHERE tenant = ${tenant} AND subject = ${toInstanceIri("link", id)}`),
      ...buildResolution(tenant, contradiction, request, at),
      insertTriples(
        tenant,
        toResolutionTriples(id, { action: request.action, reason: request.reason ?? null, resolved_at: at }),
      ),
    ];
    return ok({ response: null, statements });
  });
  if (!resolved.ok) return resolved;
  const [contradiction] = await readContradictions(context, [id]);
  return contradiction === undefined ? contradictionNotFound(id) : ok(contradiction);
}

function contradictionNotFound(id: string) {
  return fail("not_found", `Contradiction not found: ${id}. GET /v1/contradictions lists their ids.`);
}

/** Returns a failure if the contradiction cannot be resolved this way. */
function refuseResolution({ id, memories, resolution }: Contradiction, { action, keep }: ResolveInput) {
  if (resolution !== null) {
    const how = resolution.kept === null ? "both were kept" : `${resolution.kept} was kept`;
    return fail(
      "conflict",
      `Contradiction ${id} was resolved at ${resolution.resolved_at} by ${resolution.action}: ${how}.`,
    );
  }
  const retired = memories.find(({ status }) => status !== "live");
  if (retired !== undefined)
    return fail("conflict", `Contradiction ${id} is no longer open: ${retired.id} is ${retired.status}.`);
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

/** Supersedes or invalidates the side that is not kept. */
function buildResolution(
  tenant: string,
  { memories }: Contradiction,
  { action, keep }: ResolveInput,
  at: string,
): SQL[] {
  const other = memories.find(({ id }) => id !== keep);
  if (action === "keep_both" || keep === undefined || other === undefined) return [];
  // Neither of two live memories leads to the other, so no cycle of supersession can arise.
  return [
    assertLive(tenant, keep),
    assertLive(tenant, other.id),
    ...(action === "supersede"
      ? supersedeMemories(tenant, [{ id: keep, old: other.id, valid_from: at }], at)
      : invalidateMemory(tenant, { id: other.id, by: keep, at })),
  ];
}

function invalidateMemory(tenant: string, { id, by, at }: { id: string; by: string; at: string }): SQL[] {
  const subject = toInstanceIri("memory", id);
  return [
    recordPlannedEnds(tenant, selectIds([id]), at),
    endValidity(tenant, sql`${subject}`),
    insertTriples(tenant, [
      { subject, predicate: "jido:invalidatedBy", object: toInstanceIri("memory", by), datatype: "" },
      { subject, predicate: "jido:validUntil", object: at, datatype: "xsd:dateTime" },
    ]),
    queueVectors(tenant, "memory", selectIds([id])),
    sql`UPDATE memories SET live = 0, invalidated_by = ${by}, valid_until = ${at}, ended_at = ${at}
      WHERE tenant = ${tenant} AND id = ${id}`,
  ];
}

/** A side of a contradiction and its source; null for an episode. */
type SourcedSide = ContradictionSide & { source: SourceType | null };

/** Proposes to keep the side of the higher rank, else the more confident, else the newer one. An episode happened: both stay. */
export function proposeResolution(
  one: SourcedSide,
  two: SourcedSide,
  ranks: SourceRanks,
): NonNullable<Contradiction["proposal"]> {
  const [first, second] = [one.confidence, two.confidence];
  if (first === null || second === null || one.source === null || two.source === null)
    return { action: "keep_both", keep: null, reason: "An episode records what happened." };
  const [higher, lower] = ranks[one.source] > ranks[two.source] ? [one, two] : [two, one];
  if (ranks[one.source] !== ranks[two.source]) {
    const reason = `Its source ranks higher: ${higher.source} against ${lower.source}.`;
    return { action: "supersede", keep: higher.id, reason };
  }
  if (first !== second) {
    const [keep, other] = first > second ? [one, two] : [two, one];
    const reason = `It is more confident: ${keep.confidence} against ${other.confidence}.`;
    return { action: "supersede", keep: keep.id, reason };
  }
  const [keep, other] = compareText(one.timestamp, two.timestamp) >= 0 ? [one, two] : [two, one];
  return {
    action: "supersede",
    keep: keep.id,
    reason: `Both are equally confident, and it is the newer one: ${keep.timestamp} after ${other.timestamp}.`,
  };
}
