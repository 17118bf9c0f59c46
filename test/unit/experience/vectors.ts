// Reproducible vectors for tests: in random directions, and at a given cosine to others.

export type Random = () => number;

/** Creates a Park-Miller generator. */
export function seeded(seed: number): Random {
  let state = (seed % 2_147_483_646) + 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

export function unit(values: readonly number[]): Float32Array {
  const length = Math.hypot(...values);
  return Float32Array.from(values, (value) => value / length);
}

export function direction(random: Random, dimensions: number): Float32Array {
  const normal = () => Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
  return unit(Array.from({ length: dimensions }, normal));
}

/** Returns a vector at about this cosine to another; inexact as far as two random directions are not orthogonal. */
export function near(vector: Float32Array, cosine: number, random: Random): Float32Array {
  const other = direction(random, vector.length);
  const share = Math.sqrt(1 - cosine ** 2);
  return unit(Array.from(vector, (value, i) => cosine * value + share * (other[i] ?? 0)));
}
