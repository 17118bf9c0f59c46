// Sets the links of one relation that lead from a memory, as a property of the memory would be set.
import { sql } from "drizzle-orm";
import type { SourceType } from "../../kernel/common";
import { readAll } from "../../kernel/databases/d1";
import { ok, type Result } from "../../kernel/errors";
import type { StoreContext } from "../../kernel/store-context";
import { pointsAt, toInstanceIri } from "../../ontology/triples";
import type { GenericRelation } from "./link-schemas";
import {
  computeLinkId,
  type DirectedLink,
  getEndId,
  isMemoryIri,
  isSymmetric,
  normaliseLink,
  readLinks,
  toPredicate,
} from "./link-triples";
import { createLink, deleteLink, guardByRank } from "./write-link";

/** The ids that a relation is to lead to from a memory. `actor` is the source that the caller speaks for. */
export type LinkTargets = {
  from: string;
  relation: GenericRelation;
  to: readonly string[];
  actor?: SourceType | undefined;
};

/**
 * Links the memory with those that it is not linked with yet, and deletes its links with other memories. Links that exist
 * keep their strength; evidence that is not a memory stays, and so does a supersession. A repeated call changes nothing.
 * Fails if the memory outranks the caller.
 */
export async function setLinks(
  context: StoreContext,
  { from, relation, to, actor }: LinkTargets,
): Promise<Result<null>> {
  const guard = actor === undefined ? ok([]) : await guardByRank(context, from, actor);
  if (!guard.ok) return guard;
  const existing = await readDirectedLinks(context, from, relation);
  const linked = new Set(existing.flatMap((link) => [getEndId(link.from), getEndId(link.to)]));
  for (const target of to) {
    if (target !== from && linked.has(target)) continue;
    const created = await createLink(context, { from, to: target, relation }, null, actor);
    if (!created.ok) return created;
  }
  const dropped = existing.filter(
    (link) =>
      link.relation !== "superseded_by" &&
      getEndId(link.from) === from &&
      isMemoryIri(link.to) &&
      !to.includes(getEndId(link.to)),
  );
  const ids = await Promise.all(dropped.map((link) => computeLinkId(context.tenant, link)));
  for (const { id } of await readLinks(context, ids)) {
    const deleted = await deleteLink(context, id);
    if (!deleted.ok) return deleted;
  }
  return ok(null);
}

/** Returns the links of a memory in the direction of the relation; of a symmetric one, in both. */
async function readDirectedLinks(
  { db, tenant }: StoreContext,
  id: string,
  relation: GenericRelation,
): Promise<DirectedLink<string>[]> {
  const iri = toInstanceIri("memory", id);
  const { from, relation: stored } = normaliseLink({ from: id, to: "", relation });
  const linking = sql`SELECT t.subject, t.object FROM triples t WHERE t.tenant = ${tenant} AND t.predicate = ${toPredicate(stored)}`;
  const outgoing = sql`${linking} AND t.datatype = '' AND t.subject = ${iri}`;
  const incoming = sql`${linking} AND ${pointsAt("t", iri)}`;
  const directed = from === id ? outgoing : incoming;
  const rows = await readAll<{ subject: string; object: string }>(
    db,
    isSymmetric(stored) ? sql`${outgoing} UNION ALL ${incoming}` : directed,
  );
  return rows.map(({ subject, object }) => ({ from: subject, to: object, relation: stored }));
}
