// The links of one memory or episode, both ways. They are read from the triples, so that what came with a memory, its
// evidence and what took its place, is among them.
import { sql } from "drizzle-orm";
import { type Database, readAll } from "../../platform/d1";
import { ok, type Result } from "../../platform/errors";
import type { Link, LinkCreate } from "../../schemas/link";
import type { Relation } from "../../schemas/pattern";
import type { Operation } from "../operation-log";
import type { StoreContext } from "../store-context";
import { computeObjectKey, toInstanceIri } from "../triples/triples";
import {
  computeLinkId,
  endNotFound,
  findEnds,
  getEndId,
  LINKING_PREDICATES,
  readLinks,
  toRelation,
} from "./link-triples";

import { createLink, deleteLink } from "./write-link";

/** A place in the order of the list: outgoing ones first, then by relation and by the other end. */
export type LinkCursor = { incoming: number; predicate: string; other: string };
export type ListedLink = { link: Link; cursor: LinkCursor };

export async function listLinks(
  db: Database,
  tenant: string,
  of: string,
  { limit, after }: { limit: number; after: LinkCursor | null },
): Promise<Result<ListedLink[]>> {
  const [iri = null] = await findEnds(db, tenant, [of]);
  if (iri === null) return endNotFound("of", of);
  const linking = sql`datatype = '' AND predicate IN (SELECT value FROM json_each(${JSON.stringify(LINKING_PREDICATES)}))`;
  const rows = await readAll<LinkCursor & { subject: string; object: string }>(
    db,
    // A cursor has the key of an object in it, which is short where the object is not.
    sql`SELECT * FROM (
        SELECT 0 AS incoming, predicate, object_key AS other, subject, object FROM triples
        WHERE tenant = ${tenant} AND subject = ${iri} AND ${linking}
        UNION ALL SELECT 1, predicate, subject, subject, object FROM triples
        WHERE tenant = ${tenant} AND object_key = ${computeObjectKey(iri)} AND object = ${iri} AND ${linking}
      ) WHERE ${after === null ? sql`true` : sql`(incoming, predicate, other) > (${after.incoming}, ${after.predicate}, ${after.other})`}
      ORDER BY incoming, predicate, other LIMIT ${limit}`,
  );
  const joined = rows.flatMap(({ subject, object, ...place }) => {
    const relation = toRelation(place.predicate);
    return relation === undefined ? [] : [{ from: subject, to: object, relation, place }];
  });
  const ids = await Promise.all(joined.map((link) => computeLinkId(tenant, link)));
  const stated = new Map((await readLinks(db, tenant, ids)).map((link) => [link.id, link]));
  return ok(
    joined.map(({ from, to, relation, place }, i) => {
      const id = ids[i] ?? "";
      const link: Link = {
        id,
        from: getEndId(from),
        to: getEndId(to),
        relation,
        strength: stated.get(id)?.strength ?? 1,
        direction: place.incoming === 0 ? "out" : "in",
        created_at: stated.get(id)?.linked_at ?? null,
      };
      return { link, place };
    }),
  );
}

export function createLinkRepository({ db, tenant, now }: StoreContext) {
  return {
    /** Creates a link, or updates the strength of the existing one. */
    create: (request: LinkCreate, operation: Operation | null) =>
      createLink(db, tenant, request, { now, operation }),
    /** Returns the links of a memory or an episode, in both directions. */
    list: (id: string, page: { limit: number; after: LinkCursor | null }) => listLinks(db, tenant, id, page),
    /** Returns the links from some memories to others, by memory. */
    listFrom: (ids: readonly string[]) => listOutgoingLinks(db, tenant, ids),
    delete: (id: string) => deleteLink(db, tenant, id),
    /** Resolves each id to the compact IRI of a memory, a named pattern or an episode; null for an unknown id. */
    resolveEnds: (ids: readonly string[]) => findEnds(db, tenant, ids),
  };
}

export type OutgoingLink = { to: string; relation: Relation; strength: number };

export async function listOutgoingLinks(
  db: Database,
  tenant: string,
  ids: readonly string[],
): Promise<Map<string, OutgoingLink[]>> {
  const subjects = ids.map((id) => toInstanceIri("memory", id));
  const rows = await readAll<{ subject: string; predicate: string; object: string }>(
    db,
    sql`SELECT t.subject, t.predicate, t.object FROM json_each(${JSON.stringify(subjects)}) j
      CROSS JOIN triples t ON t.tenant = ${tenant} AND t.subject = j.value
      WHERE t.datatype = '' AND t.predicate IN (SELECT value FROM json_each(${JSON.stringify(LINKING_PREDICATES)}))
        AND NOT (t.predicate = 'jido:derivedFrom' AND t.object LIKE 'jido:evidence_%')
      UNION ALL SELECT t.subject, t.predicate, t.object FROM json_each(${JSON.stringify(subjects)}) j
      CROSS JOIN triples t ON t.tenant = ${tenant} AND t.object_key = j.value AND t.predicate = 'jido:supersededBy'`,
  );
  const joined = rows.flatMap(({ subject, predicate, object }) => {
    const relation = toRelation(predicate);
    return relation === undefined ? [] : [{ from: subject, to: object, relation }];
  });
  const linkIds = await Promise.all(joined.map((link) => computeLinkId(tenant, link)));
  const stated = new Map((await readLinks(db, tenant, linkIds)).map((link) => [link.id, link]));
  const found = joined.flatMap(({ from, to, relation }, i) => {
    const strength = stated.get(linkIds[i] ?? "")?.strength ?? 1;
    const out = { from: getEndId(from), link: { to: getEndId(to), relation, strength } };
    if (relation !== "superseded_by") return [out];
    return [
      out,
      { from: getEndId(to), link: { to: getEndId(from), relation: "supersedes" as const, strength } },
    ];
  });
  const wanted = new Set(ids);
  return new Map(
    [...Map.groupBy(found, ({ from }) => from)]
      .filter(([from]) => wanted.has(from))
      .map(([from, list]) => [from, list.map(({ link }) => link)]),
  );
}
