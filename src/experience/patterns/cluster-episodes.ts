// Clusters episodes by the vectors of their goals, in one pass: each joins the cluster with the nearest centroid, or
// starts a new one. Centroids move as clusters grow, so the result depends on the order of the episodes.
import { cosineSimilarity } from "../../language/similarity";
import { createSimHashIndex } from "./simhash-index";

/** Cosine similarity to a cluster's centroid from which an episode joins it. */
export const CLUSTER_SIMILARITY = 0.7;

/** Episodes that make a pattern: a single one shows no regularity. */
export const MIN_CLUSTER_SIZE = 2;

/**
 * Returns clusters of indices, singletons included, in the order of their first members. Items sorted by timestamp,
 * then id, give the same clusters on every run.
 */
export function clusterEpisodes(
  items: readonly { vector: Float32Array }[],
  minSimilarity: number,
): number[][] {
  const centroids = createSimHashIndex(minSimilarity);
  const clusters: { members: number[]; sum: Float32Array }[] = [];
  for (const [index, { vector }] of items.entries()) {
    const position = centroids.find(vector) ?? clusters.length;
    const cluster = clusters[position];
    if (cluster === undefined) {
      clusters.push({ members: [index], sum: vector });
      centroids.put(position, vector);
    } else {
      cluster.members.push(index);
      cluster.sum = addVectors(cluster.sum, vector);
      centroids.put(position, normaliseVector(cluster.sum));
    }
  }
  return clusters.map(({ members }) => members);
}

/** Returns the normalised mean of unit vectors. */
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
