// Episodes that are alike, by the vectors of their goals. Each joins the cluster whose centre it is most like, or
// founds one; centres move as clusters grow, so the result depends on the order, which the caller fixes.
import { cosineSimilarity } from "../../../text/similarity";
import { createSimHashIndex } from "./simhash-index";

/**
 * Groups of indices, singletons too, in the order in which they were founded. Give the items by timestamp, then id:
 * the same episodes then make the same clusters whatever order they were read in.
 */
export function clusterEpisodes(items: readonly { vector: Float32Array }[], alike: number): number[][] {
  const centres = createSimHashIndex(alike);
  const clusters: { members: number[]; sum: Float32Array }[] = [];
  for (const [index, { vector }] of items.entries()) {
    const place = centres.find(vector) ?? clusters.length;
    const cluster = clusters[place];
    if (cluster === undefined) {
      clusters.push({ members: [index], sum: vector });
      centres.put(place, vector);
    } else {
      cluster.members.push(index);
      cluster.sum = addVectors(cluster.sum, vector);
      centres.put(place, normaliseVector(cluster.sum));
    }
  }
  return clusters.map(({ members }) => members);
}

/** The mean direction of vectors of length 1. */
export function computeCentroid(vectors: readonly Float32Array[]): Float32Array {
  const zero = new Float32Array(vectors[0]?.length ?? 0);
  return normaliseVector(vectors.reduce(addVectors, zero));
}

function addVectors(a: Float32Array, b: Float32Array): Float32Array {
  const sum = new Float32Array(a.length);
  for (let i = 0; i < sum.length; i += 1) sum[i] = (a[i] ?? 0) + (b[i] ?? 0);
  return sum;
}

function normaliseVector(vector: Float32Array): Float32Array {
  const length = Math.sqrt(cosineSimilarity(vector, vector));
  return length === 0 ? vector : vector.map((value) => value / length);
}
