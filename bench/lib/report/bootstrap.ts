// Confidence intervals by the percentile bootstrap: how much a mean would vary with other questions of the same kind.
import { createRandom } from "../data/random.ts";
import { getItem } from "../get-item.ts";

export interface Interval {
  mean: number;
  low: number;
  high: number;
}

export interface BootstrapOptions {
  /** How often the questions are drawn. */
  samples: number;
  seed: number;
}

/** The share of the resampled means that lies within the interval. */
const CONFIDENCE = 0.95;

/**
 * Returns the mean of the values, and the interval that holds 95 % of the means of as many values drawn from them with
 * replacement. The same seed draws the same questions, so that differences between lists of one length are paired.
 */
export function computeInterval(values: readonly number[], { samples, seed }: BootstrapOptions): Interval {
  const random = createRandom(0, seed);
  const means = Array.from({ length: samples }, () => {
    let sum = 0;
    for (let i = 0; i < values.length; i += 1) sum += getItem(values, Math.floor(random() * values.length));
    return sum / values.length;
  }).sort((a, b) => a - b);
  const tail = (1 - CONFIDENCE) / 2;
  return {
    mean: values.reduce((sum, value) => sum + value, 0) / values.length,
    low: getItem(means, Math.floor(tail * samples)),
    high: getItem(means, Math.ceil((1 - tail) * samples) - 1),
  };
}
