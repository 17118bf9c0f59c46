// The links that lead from some memories to others, as their readers see them beside each, also to what they took the
// place of. Evidence is not among them: a memory names its own.
import { sql } from "drizzle-orm";
import { type Database, readAll } from "../../platform/d1";
import type { Relation } from "../../schemas/pattern";
import { instance } from "../triples/iri";
import { endId } from "./link-ends";
import { linkId } from "./link-triples";
import { LINKING_PREDICATES, relationOf } from "./relations";
import { readLinks } from "./write-link";

export type LinkFrom = { to: string; relation: Relation; strength: number };

export async function linksFrom(
  db: Database,
  tenant: string,
  ids: readonly string[],
): Promise<Map<string, LinkFrom[]>> {
  const subjects = ids.map((id) => instance("memory", id));
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
    const relation = relationOf(predicate);
    return relation === undefined ? [] : [{ from: subject, to: object, relation }];
  });
  const linkIds = await Promise.all(joined.map((link) => linkId(tenant, link)));
  const stated = new Map((await readLinks(db, tenant, linkIds)).map((link) => [link.id, link]));
  const found = joined.flatMap(({ from, to, relation }, i) => {
    const strength = stated.get(linkIds[i] ?? "")?.strength ?? 1;
    const out = { from: endId(from), link: { to: endId(to), relation, strength } };
    if (relation !== "superseded_by") return [out];
    return [out, { from: endId(to), link: { to: endId(from), relation: "supersedes" as const, strength } }];
  });
  const wanted = new Set(ids);
  return new Map(
    [...Map.groupBy(found, ({ from }) => from)]
      .filter(([from]) => wanted.has(from))
      .map(([from, list]) => [from, list.map(({ link }) => link)]),
  );
}
