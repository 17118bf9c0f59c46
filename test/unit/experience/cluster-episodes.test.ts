import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  CLUSTER_SIMILARITY,
  clusterEpisodes,
  computeCentroid,
} from "../../../src/experience/patterns/cluster-episodes";
import { cosineSimilarity } from "../../../src/language/similarity";
import { scaleCases } from "../../patience";
import { direction, near, seeded, unit } from "./vectors";

const ALIKE = CLUSTER_SIMILARITY;

/** The reference implementation: compares every pair. */
function clustersByComparingAll(vectors: readonly Float32Array[], alike: number): number[][] {
  const groups: number[][] = [];
  for (const [index, vector] of vectors.entries()) {
    const likeness = groups.map((members) =>
      cosineSimilarity(vector, computeCentroid(members.map((member) => vectors[member] ?? vector))),
    );
    const best = likeness.indexOf(Math.max(...likeness));
    if (best >= 0 && (likeness[best] ?? 0) >= alike) groups[best]?.push(index);
    else groups.push([index]);
  }
  return groups;
}

/** Kinds of tasks that share a direction, and episodes of each, some of them barely similar. */
function tasks(
  seed: number,
  { kinds, each, dimensions }: { kinds: number; each: number; dimensions: number },
) {
  const random = seeded(seed);
  const project = direction(random, dimensions);
  const centres = Array.from({ length: kinds }, () => near(project, 0.6, random));
  return Array.from({ length: kinds * each }, () => {
    const centre = centres[Math.floor(random() * kinds)] ?? project;
    return near(centre, 0.65 + 0.33 * random(), random);
  });
}

const items = (vectors: readonly Float32Array[]) => vectors.map((vector, i) => ({ id: `e${i}`, vector }));

describe("clustering", () => {
  it("groups similar episodes and leaves the others alone", () => {
    const random = seeded(1);
    const [todo, flaky, lone] = [1, 2, 3].map(() => direction(random, 512)) as [
      Float32Array,
      Float32Array,
      Float32Array,
    ];
    const vectors = [
      todo,
      flaky,
      near(todo, 0.93, random),
      lone,
      near(flaky, 0.76, random),
      near(todo, 0.85, random),
    ];
    expect(clusterEpisodes(items(vectors), ALIKE)).toEqual([[0, 2, 5], [1, 4], [3]]);
  });

  it("includes an episode at the threshold and excludes one just below it", () => {
    const at = (angle: number) => unit([Math.cos(angle), Math.sin(angle), 0]);
    expect(clusterEpisodes(items([at(0), at(Math.acos(ALIKE) - 1e-4)]), ALIKE)).toEqual([[0, 1]]);
    expect(clusterEpisodes(items([at(0), at(Math.acos(ALIKE) + 1e-4)]), ALIKE)).toEqual([[0], [1]]);
  });

  it("assigns an episode to the cluster with the most similar centroid, not the most similar member", () => {
    const at = (angle: number) => unit([Math.cos(angle), Math.sin(angle)]);
    // The first member of the second cluster is nearer to the last episode than that of the first; its centroid is not.
    const vectors = [at(0), at(1.2), at(1.9), at(0.1), at(0.62)];
    expect(clusterEpisodes(items(vectors), 0.7)).toEqual([
      [0, 3, 4],
      [1, 2],
    ]);
  });

  it("handles no episodes and one episode", () => {
    expect(clusterEpisodes([], ALIKE)).toEqual([]);
    expect(clusterEpisodes(items([unit([1, 0])]), ALIKE)).toEqual([[0]]);
  });

  it.each([
    [1, { kinds: 12, each: 20, dimensions: 512 }],
    [2, { kinds: 150, each: 2, dimensions: 512 }],
    [3, { kinds: 20, each: 10, dimensions: 768 }],
    [4, { kinds: 20, each: 10, dimensions: 24 }],
  ])("finds the same clusters as an exhaustive comparison (%i)", (seed, shape) => {
    const vectors = tasks(seed, shape);
    const found = clusterEpisodes(items(vectors), ALIKE);
    expect(found).toEqual(clustersByComparingAll(vectors, ALIKE));
    expect(found.length).toBeGreaterThan(1);
    expect(found.length).toBeLessThan(vectors.length);
  });

  it("misses nothing among sparse vectors", () => {
    const random = seeded(5);
    const sparse = () => {
      const values = Array.from({ length: 512 }, () => 0);
      for (let n = 0; n < 3; n += 1) values[Math.floor(random() * 40)] = 1 + Math.floor(random() * 3);
      return unit(values);
    };
    const vectors = Array.from({ length: 300 }, sparse);
    expect(clusterEpisodes(items(vectors), ALIKE)).toEqual(clustersByComparingAll(vectors, ALIKE));
  });

  it("gives the same clusters for the same episodes, in any order of reading", () => {
    const told = items(tasks(6, { kinds: 8, each: 10, dimensions: 64 }));
    const ids = (list: typeof told) =>
      clusterEpisodes(list, ALIKE).map((members) => members.map((at) => list[at]?.id));
    const byId = (list: typeof told) => list.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    fc.assert(
      fc.property(fc.shuffledSubarray(told, { minLength: told.length }), (shuffled) => {
        expect(ids(byId(shuffled))).toEqual(ids(byId(told)));
      }),
      { numRuns: scaleCases(10) },
    );
  });

  it("puts every episode into exactly one cluster", () => {
    const shape = fc.record({ kinds: fc.integer({ min: 1, max: 6 }), each: fc.integer({ min: 1, max: 6 }) });
    fc.assert(
      fc.property(
        fc.nat(),
        shape,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (seed, { kinds, each }, alike) => {
          const vectors = tasks(seed, { kinds, each, dimensions: 16 });
          const members = clusterEpisodes(items(vectors), alike).flat();
          expect(members.toSorted((a, b) => a - b)).toEqual(vectors.map((_, i) => i));
        },
      ),
    );
  });
});

describe("a centroid", () => {
  it("is the normalised mean", () => {
    const [x, y] = computeCentroid([unit([1, 0]), unit([0, 1])]);
    expect(x).toBeCloseTo(Math.SQRT1_2, 6);
    expect(y).toBeCloseTo(Math.SQRT1_2, 6);
  });
});
