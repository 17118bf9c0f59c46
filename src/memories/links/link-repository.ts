// The repository of links. Lists are read from the linking triples, so they include the evidence of a memory and its
// supersession, which have no Link of their own.

import { type SQL, sql } from "drizzle-orm";
import { readAll } from "../../kernel/databases/d1";
import { hasPrefix } from "../../kernel/databases/statements";
import { declareMethods } from "../../kernel/declare-methods";
import { fail, invalidField, ok, type Result } from "../../kernel/errors";
import type { Idempotency } from "../../kernel/idempotency";
import type { StoreContext } from "../../kernel/store-context";
import { describeReference, isResource, parseReference } from "../../ontology/entity-classes";
import { toEntityIri } from "../../ontology/entity-mapping";
import { ACYCLIC_RELATIONS } from "../../ontology/property-values";
import { hasIriObject, PREFIXES, pointsAt, type Triple, toInstanceIri } from "../../ontology/triples";
import { type FollowedHits, followHits } from "./follow-hits";
import type { Link, LinkCreate, Relation } from "./link-schemas";
import {
  computeLinkId,
  type DirectedLink,
  type EndLookup,
  endNotFound,
  getEndId,
  LINKING_PREDICATES,
  LISTED_PREDICATES,
  readLinks,
  resolveEnds,
  type StoredLink,
  toPredicate,
  toRelation,
} from "./link-triples";
import { listLinkedMemories } from "./linked-memories";
import { isDeclared } from "./relation-link";
import { type LinkTargets, setLinks } from "./set-links";
import { createLink, deleteLink } from "./write-link";

/** Selects links of one relation, or of one direction; null for all. A transitive relation is followed on request. */
type LinkFilter = {
  relation: Relation | null;
  direction: "out" | "in" | null;
  transitive?: boolean;
};

/** A position in a list of links: outgoing ones first, then by predicate and by the other end. */
export type LinkCursor = { incoming: number; predicate: string; other: string };
type ListedLink = { link: Link; cursor: LinkCursor };

export type OutgoingLink = { to: string; relation: Relation; strength: number };

export function createLinkRepository(context: StoreContext) {
  const { reads, removes, writes } = declareMethods(context);

  return {
    /** Creates a link, or updates the strength of the existing one. */
    create: writes((request: LinkCreate, operation: Idempotency) => createLink(context, request, operation)),
    /** Sets the links of one relation that lead from a memory. */
    set: writes((targets: LinkTargets) => setLinks(context, targets)),
    list: reads((id: string, filter: LinkFilter, page: { limit: number; after: LinkCursor | null }) =>
      listLinks(context, id, filter, page),
    ),
    /** Returns the linking triples of a memory whose Links were made after a time. */
    listMadeAfter: reads((id: string, time: string) => listLinksMadeAfter(context, id, time)),
    listFrom: reads((ids: readonly string[]) => listOutgoingLinks(context, ids)),
    /** Returns the live memories that are linked with any of these, in either direction. */
    listLinked: reads((ids: readonly string[]) => listLinkedMemories(context, ids)),
    /** Returns what a briefing adds to the hits of its search, in one batch. */
    followHits: reads((hits: FollowedHits) => followHits(context, hits)),
    delete: removes((id: string) => deleteLink(context, id)),
    resolveEnds: reads((ids: readonly string[], lookup: EndLookup) => resolveEnds(context, ids, lookup)),
  };
}

async function listLinksMadeAfter(
  { db, tenant }: StoreContext,
  id: string,
  time: string,
): Promise<Pick<Triple, "subject" | "predicate" | "object">[]> {
  const join = (alias: string, predicate: string) => sql`CROSS JOIN triples ${sql.raw(alias)}
    ON ${sql.raw(alias)}.tenant = e.tenant AND ${sql.raw(alias)}.subject = e.subject AND ${sql.raw(alias)}.predicate = ${predicate}`;
  const rows = await readAll<{ subject: string; relation: string; object: string }>(
    db,
    sql`SELECT f.object AS subject, r.object AS relation, t.object AS object FROM triples e
      ${join("a", "jido:linkedAt")} ${join("f", "jido:linkFrom")} ${join("r", "jido:linkRelation")} ${join("t", "jido:linkTo")}
      WHERE e.tenant = ${tenant} AND ${pointsAt("e", toInstanceIri("memory", id))}
        AND e.predicate IN ('jido:linkFrom', 'jido:linkTo') AND a.object > ${time}`,
  );
  return rows.map(({ relation, ...ends }) => ({
    ...ends,
    predicate: relation.replace(PREFIXES.jido, "jido:"),
  }));
}

/** Returns the links of a memory, an episode or an entity. */
async function listLinks(
  context: StoreContext,
  of: string,
  { relation, direction, transitive = false }: LinkFilter,
  { limit, after }: { limit: number; after: LinkCursor | null },
): Promise<Result<ListedLink[]>> {
  const { db, tenant } = context;
  if (transitive && !ACYCLIC_RELATIONS.some((name) => name === relation))
    return invalidField("transitive", `needs one of these as relation: ${ACYCLIC_RELATIONS.join(", ")}`);
  const end = await resolveListed(context, of);
  if (!end.ok) return end;
  const iri = end.value;
  // `supersedes` is stored in the other direction.
  const isReversed = relation === "supersedes";
  const predicates =
    relation === null ? LISTED_PREDICATES : [toPredicate(isReversed ? "superseded_by" : relation)];
  const isSelected = (stored: "out" | "in") =>
    direction === null || (direction === stored) !== isReversed ? sql`true` : sql`false`;
  const isLinking = sql`t.datatype = '' AND t.predicate IN (SELECT value FROM json_each(${JSON.stringify(predicates)}))`;
  // The cursor stays short for a long object; the position tells objects with the same beginning apart.
  const direct = sql`
        SELECT 0 AS incoming, t.predicate, substr(t.object, 1, 64) || ' ' || t.position AS other, t.subject, t.object FROM triples t
        WHERE ${isSelected("out")} AND t.tenant = ${tenant} AND t.subject = ${iri} AND ${isLinking}
        UNION ALL SELECT 1, t.predicate, t.subject, t.subject, t.object FROM triples t
        WHERE ${isSelected("in")} AND t.tenant = ${tenant} AND ${pointsAt("t", iri)} AND ${isLinking}
          AND NOT (${hasPrefix(sql`t.subject`, toInstanceIri("session", ""))})`;
  const followed = sql`
        SELECT 0 AS incoming, t.predicate, t.subject || ' ' || t.object AS other, t.subject, t.object
        FROM (${selectFollowed(tenant, iri, "out", isLinking)}) r
        CROSS JOIN triples t ON t.tenant = ${tenant} AND t.subject = r.iri WHERE ${isSelected("out")} AND ${isLinking}
        UNION ALL SELECT 1, t.predicate, t.subject || ' ' || t.object, t.subject, t.object
        FROM (${selectFollowed(tenant, iri, "in", isLinking)}) r
        CROSS JOIN triples t ON t.tenant = ${tenant} AND t.object_key = r.iri WHERE ${isSelected("in")} AND ${isLinking}`;
  const rows = await readAll<LinkCursor & { subject: string; object: string }>(
    db,
    sql`SELECT * FROM (${transitive ? followed : direct}) WHERE ${after === null ? sql`true` : sql`(incoming, predicate, other) > (${after.incoming}, ${after.predicate}, ${after.other})`}
      ORDER BY incoming, predicate, other LIMIT ${limit}`,
  );
  const links = rows.flatMap(({ subject, object, ...cursor }) => {
    const relation = toRelation(cursor.predicate);
    return relation === undefined ? [] : [{ from: subject, to: object, relation, cursor }];
  });
  const described = await describeLinks(context, links);
  return ok(
    described.map(({ id, stated, from, to, relation, cursor }) => ({
      link: {
        id,
        from: getEndId(from),
        to: getEndId(to),
        relation,
        strength: stated?.strength ?? 1,
        direction: cursor.incoming === 0 ? "out" : "in",
        created_at: stated?.linked_at ?? null,
      },
      cursor,
    })),
  );
}

/** Memories that a transitive relation is followed through. */
const MAX_FOLLOWED = 1_000;

/** Selects the memories that a relation leads to from one, itself included; or that it leads from. */
function selectFollowed(tenant: string, iri: string, direction: "out" | "in", isLinking: SQL): SQL {
  const step =
    direction === "out"
      ? sql`t.object FROM followed CROSS JOIN triples t ON t.tenant = ${tenant} AND t.subject = followed.iri`
      : sql`t.subject FROM followed CROSS JOIN triples t ON t.tenant = ${tenant} AND t.object_key = followed.iri`;
  return sql`WITH RECURSIVE followed (iri) AS (
      SELECT ${iri} UNION SELECT ${step} WHERE ${isLinking} LIMIT ${MAX_FOLLOWED}
    ) SELECT iri FROM followed`;
}

/** Returns the IRI of what has the id, or of the entity that `class/id` names. Agents and projects need no declaration. */
async function resolveListed(context: StoreContext, of: string): Promise<Result<string>> {
  if (!of.includes("/")) {
    const [iri = null] = await resolveEnds(context, [of]);
    return iri === null ? endNotFound("of", of) : ok(iri);
  }
  const reference = parseReference("Entity", of);
  if (reference === null) return invalidField("of", `${describeReference("Entity")}; or an id alone`);
  if (isResource(reference) && !(await isDeclared(context, reference)))
    return fail("not_found", `of: there is no resource ${of}. Check its class and id.`, {
      errors: [{ path: "of", message: `does not exist: ${of}` }],
    });
  return ok(toEntityIri(reference));
}

/** Returns the links from each memory to others, including those that it supersedes, without its evidence. */
async function listOutgoingLinks(
  context: StoreContext,
  ids: readonly string[],
): Promise<Map<string, OutgoingLink[]>> {
  const { db, tenant } = context;
  const subjects = JSON.stringify(ids.map((id) => toInstanceIri("memory", id)));
  const rows = await readAll<{ subject: string; predicate: string; object: string }>(
    db,
    sql`SELECT t.subject, t.predicate, t.object FROM json_each(${subjects}) j
      CROSS JOIN triples t ON t.tenant = ${tenant} AND t.subject = j.value
      WHERE t.datatype = '' AND t.predicate IN (SELECT value FROM json_each(${JSON.stringify(LINKING_PREDICATES)}))
        AND NOT (t.predicate = 'jido:derivedFrom' AND t.object LIKE 'jido:evidence_%')
      UNION ALL SELECT t.subject, t.predicate, t.object FROM json_each(${subjects}) j
      CROSS JOIN triples t ON t.tenant = ${tenant} AND t.object_key = j.value AND ${hasIriObject("t")} AND t.predicate = 'jido:supersededBy'`,
  );
  const links = rows.flatMap(({ subject, predicate, object }) => {
    const relation = toRelation(predicate);
    return relation === undefined ? [] : [{ from: subject, to: object, relation }];
  });
  const outgoing = (await describeLinks(context, links)).flatMap(({ stated, from, to, relation }) => {
    const strength = stated?.strength ?? 1;
    const link = { from: getEndId(from), link: { to: getEndId(to), relation, strength } };
    if (relation !== "superseded_by") return [link];
    const reverse = { to: getEndId(from), relation: "supersedes" as const, strength };
    return [link, { from: getEndId(to), link: reverse }];
  });
  const wanted = new Set(ids);
  return new Map(
    [...Map.groupBy(outgoing, ({ from }) => from)]
      .filter(([from]) => wanted.has(from))
      .map(([from, list]) => [from, list.map(({ link }) => link)]),
  );
}

/** Adds to each link its id and its Link, if it has one. */
async function describeLinks<T extends DirectedLink<string>>(
  context: StoreContext,
  links: readonly T[],
): Promise<(T & { id: string; stated: StoredLink | undefined })[]> {
  const ids = await Promise.all(links.map((link) => computeLinkId(context.tenant, link)));
  const stated = new Map((await readLinks(context, ids)).map((link) => [link.id, link]));
  return links.map((link, i) => ({ ...link, id: ids[i] ?? "", stated: stated.get(ids[i] ?? "") }));
}
