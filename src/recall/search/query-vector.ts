// The vector of a query for semantic search.

import { toFirstPerson } from "../../language/first-person-query";
import type { Embedder } from "../../models/embedders/embedder";

/**
 * Embeds a query. If it names the user whose texts are searched, the vector is the mean of the query and of the same in
 * the first person: users speak of themselves without their name, others speak of them with it. Measured with the
 * embedded embedder only, so that others embed the query as it is: see docs/decisions/0039-names-in-questions.md.
 */
export async function embedQuery(
  embedder: Embedder,
  query: string,
  userId: string | undefined,
): Promise<Float32Array | undefined> {
  const asked = userId === undefined || embedder.minRelatedCosine === 0 ? null : toFirstPerson(query, userId);
  // One call each: a call with a single query is cached.
  const [[vector], [own] = []] = await Promise.all([
    embedder.embed([query], "query"),
    asked === null ? undefined : embedder.embed([asked], "query"),
  ]);
  return vector === undefined || own === undefined ? vector : averageVectors(vector, own);
}

function averageVectors(a: Float32Array, b: Float32Array): Float32Array {
  const sum = a.map((value, i) => value + (b[i] ?? 0));
  const length = Math.hypot(...sum);
  return length === 0 ? a : sum.map((value) => value / length);
}
