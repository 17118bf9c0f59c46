// Links statements of a lower rank to those that they contradict, in the batch that stores them. GET /v1/contradictions
// lists the links until somebody settles them.
import { type SQL, sql } from "drizzle-orm";
import { insertTriples, toInstanceIri } from "../../ontology/triples";
import { computeLinkId, toLinkingTriple, toLinkTriples } from "./link-triples";

/** A memory that contradicts another, by their ids. */
export type ContradictingMemories = { from: string; to: string };

/** Builds the statements of the links. A pair that is linked already stays as it is, settled or not. */
export function buildContradictionLinks(
  tenant: string,
  pairs: readonly ContradictingMemories[],
  now: string,
): Promise<SQL[]> {
  return Promise.all(
    pairs.map(async ({ from, to }) => {
      const link = {
        from: toInstanceIri("memory", from),
        to: toInstanceIri("memory", to),
        relation: "contradicts" as const,
      };
      const id = await computeLinkId(tenant, link);
      const triples = [
        toLinkingTriple(link),
        ...toLinkTriples({ ...link, id, strength: 1, linked_at: now, resolution: null }),
      ];
      return insertTriples(tenant, triples, {
        where: sql`NOT EXISTS (SELECT 1 FROM triples l WHERE l.tenant = ${tenant} AND l.subject = ${toInstanceIri("link", id)})`,
      });
    }),
  );
}
