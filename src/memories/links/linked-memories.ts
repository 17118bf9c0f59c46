// Follows the links of memories to live memories, in both directions.
import { type SQL, sql } from "drizzle-orm";
import { readAll } from "../../kernel/databases/d1";
import type { StoreContext } from "../../kernel/store-context";
import { hasIriObject, parseInstanceId, toInstanceIri } from "../../ontology/triples";
import { getMemoryStatus, type Memory } from "../memory-schemas";
import { findMemories } from "../store/memory-queries";
import { computeLinkId, readLinks, type StoredRelation, toPredicate, toRelation } from "./link-triples";

/** The relations that lead from one useful memory to another. */
const FOLLOWED = ["related_to", "elaborates", "example_of", "supports"] as const satisfies StoredRelation[];

type FollowedRelation = (typeof FOLLOWED)[number];

/** A live memory that is linked with the memory `from`; `incoming` if the link leads to `from`. */
export type LinkedMemory = {
  memory: Memory;
  from: string;
  relation: FollowedRelation;
  strength: number;
  incoming: boolean;
};

/** A linking triple of a memory: `incoming` is 1 if the memory is its object. */
export type LinkingRow = { subject: string; predicate: string; object: string; incoming: number };

/** Supersessions that are followed from a linked memory to the live one. */
const MAX_SUCCESSORS = 5;

/** Returns the memories that are linked with any of the given ones. A superseded memory leads to its successor. */
export async function listLinkedMemories(
  context: StoreContext,
  ids: readonly string[],
): Promise<LinkedMemory[]> {
  if (ids.length === 0) return [];
  return followLinks(context, await readAll<LinkingRow>(context.db, selectLinks(context.tenant, ids)));
}

/** Builds a SELECT of the linking triples of memories, outgoing ones first, in the order of the ids. */
export function selectLinks(tenant: string, ids: readonly string[]): SQL {
  const iris = JSON.stringify(ids.map((id) => toInstanceIri("memory", id)));
  const predicates = sql`(SELECT value FROM json_each(${JSON.stringify(FOLLOWED.map(toPredicate))}))`;
  // The numbers let SQLite look up the predicates of a subject, which has many others. The earlier layout has none: 0.
  const isFollowed = sql`${hasIriObject("t")} AND t.predicate IN ${predicates}
        AND t.predicate_number IN (SELECT 0 UNION ALL SELECT number FROM predicates WHERE iri IN ${predicates})`;
  return sql`SELECT t.subject, t.predicate, t.object, 0 AS incoming FROM json_each(${iris}) j
      CROSS JOIN triples t ON t.tenant = ${tenant} AND t.subject = j.value WHERE ${isFollowed}
      UNION ALL SELECT t.subject, t.predicate, t.object, 1 FROM json_each(${iris}) j
      CROSS JOIN triples t ON t.tenant = ${tenant} AND t.object_key = j.value WHERE ${isFollowed}`;
}

/** Returns the live memories that linking triples lead to. */
export async function followLinks(
  context: StoreContext,
  rows: readonly LinkingRow[],
): Promise<LinkedMemory[]> {
  const { tenant } = context;
  const links = await Promise.all(
    rows.flatMap(({ subject, predicate, object, incoming }) => {
      const relation = FOLLOWED.find((one) => one === toRelation(predicate));
      const from = parseInstanceId("memory", incoming === 1 ? object : subject);
      const to = parseInstanceId("memory", incoming === 1 ? subject : object);
      if (relation === undefined || from === null || to === null) return [];
      const link = computeLinkId(tenant, { from: subject, to: object, relation });
      return link.then((id) => ({ id, from, to, relation, incoming: incoming === 1 }));
    }),
  );
  if (links.length === 0) return [];
  const [stated, live] = await Promise.all([
    readLinks(
      context,
      links.map(({ id }) => id),
    ),
    findLive(
      context,
      links.map(({ to }) => to),
    ),
  ]);
  const strengths = new Map(stated.map(({ id, strength }) => [id, strength]));
  return links.flatMap(({ id, from, to, relation, incoming }) => {
    const memory = live.get(to);
    if (memory === undefined || memory.id === from) return [];
    return [{ memory, from, relation, strength: strengths.get(id) ?? 1, incoming }];
  });
}

/** Returns the live memory that each id leads to; ids that lead to none are left out. */
async function findLive(context: StoreContext, ids: readonly string[]): Promise<Map<string, Memory>> {
  const live = new Map<string, Memory>();
  let open = new Map(ids.map((id) => [id, id]));
  for (let hop = 0; hop <= MAX_SUCCESSORS && open.size > 0; hop += 1) {
    const found = new Map(
      (await findMemories(context, [...new Set(open.values())])).map((memory) => [memory.id, memory]),
    );
    const next = new Map<string, string>();
    for (const [id, at] of open) {
      const memory = found.get(at);
      if (memory === undefined) continue;
      if (getMemoryStatus(memory) === "live") live.set(id, memory);
      else if (memory.superseded_by !== null) next.set(id, memory.superseded_by);
    }
    open = next;
  }
  return live;
}
