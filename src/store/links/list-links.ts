// The links of one memory or episode, both ways. They are read from the triples, so that what came with a memory, its
// evidence and what took its place, is among them.
import { sql } from "drizzle-orm";
import { type Database, readAll } from "../../platform/d1";
import { ok, type Result } from "../../platform/errors";
import type { Link, LinkCreate } from "../../schemas/link";
import type { Operation } from "../applied-operations";
import { objectKey } from "../memories/memory-rows";
import type { StoreContext } from "../store-context";
import { endId, findEnds } from "./link-ends";
import { linkId } from "./link-triples";
import { linksFrom } from "./outgoing-links";
import { LINKING_PREDICATES, relationOf } from "./relations";
import { dropLink, makeLink, noSuchEnd, readLinks } from "./write-link";

/** A place in the order of the list: outgoing ones first, then by relation and by the other end. */
export type LinkPlace = { incoming: number; predicate: string; other: string };
export type ListedLink = { link: Link; place: LinkPlace };

export async function listLinks(
  db: Database,
  tenant: string,
  of: string,
  { limit, after }: { limit: number; after: LinkPlace | null },
): Promise<Result<ListedLink[]>> {
  const [iri = null] = await findEnds(db, tenant, [of]);
  if (iri === null) return noSuchEnd("of", of);
  const linking = sql`datatype = '' AND predicate IN (SELECT value FROM json_each(${JSON.stringify(LINKING_PREDICATES)}))`;
  const rows = await readAll<LinkPlace & { subject: string; object: string }>(
    db,
    // A cursor has the key of an object in it, which is short where the object is not.
    sql`SELECT * FROM (
        SELECT 0 AS incoming, predicate, object_key AS other, subject, object FROM triples
        WHERE tenant = ${tenant} AND subject = ${iri} AND ${linking}
        UNION ALL SELECT 1, predicate, subject, subject, object FROM triples
        WHERE tenant = ${tenant} AND object_key = ${objectKey(iri)} AND object = ${iri} AND ${linking}
      ) WHERE ${after === null ? sql`true` : sql`(incoming, predicate, other) > (${after.incoming}, ${after.predicate}, ${after.other})`}
      ORDER BY incoming, predicate, other LIMIT ${limit}`,
  );
  const joined = rows.flatMap(({ subject, object, ...place }) => {
    const relation = relationOf(place.predicate);
    return relation === undefined ? [] : [{ from: subject, to: object, relation, place }];
  });
  const ids = await Promise.all(joined.map((link) => linkId(tenant, link)));
  const stated = new Map((await readLinks(db, tenant, ids)).map((link) => [link.id, link]));
  return ok(
    joined.map(({ from, to, relation, place }, i) => {
      const id = ids[i] ?? "";
      const link: Link = {
        id,
        from: endId(from),
        to: endId(to),
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
      makeLink(db, tenant, request, { now, operation }),
    /** Returns the links of a memory or an episode, in both directions. */
    list: (id: string, page: { limit: number; after: LinkPlace | null }) => listLinks(db, tenant, id, page),
    /** Returns the links from some memories to others, by memory. */
    listFrom: (ids: readonly string[]) => linksFrom(db, tenant, ids),
    delete: (id: string) => dropLink(db, tenant, id),
    /** Resolves each id to the compact IRI of a memory, a named pattern or an episode; null for an unknown id. */
    resolveEnds: (ids: readonly string[]) => findEnds(db, tenant, ids),
  };
}
