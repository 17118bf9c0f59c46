// Reads the options that benchmarks over several sizes share: `--quick`, `--samples` and `--sizes`.
import { parseArgs } from "node:util";
import type { Rounds } from "./measure.ts";

export interface SizeOptions extends Rounds {
  /** In ascending order. */
  sizes: number[];
}

interface Defaults {
  sizes: string;
  usual: Rounds;
  quick: Rounds;
}

/** `--samples` overrides the number of samples. */
export function readSizeOptions({ sizes: defaultSizes, usual, quick }: Defaults): SizeOptions {
  const { values } = parseArgs({
    options: {
      quick: { type: "boolean", default: false },
      samples: { type: "string" },
      sizes: { type: "string", default: defaultSizes },
    },
  });
  const sizes = values.sizes.split(",").map(Number);
  if (!sizes.every(isCount)) {
    throw new Error(`--sizes takes whole numbers, as in ${defaultSizes}: ${values.sizes}`);
  }
  const rounds = values.quick ? quick : usual;
  const samples = Number(values.samples ?? rounds.samples);
  if (!isCount(samples)) throw new Error(`--samples takes a whole number, as in 300: ${values.samples}`);
  return { sizes: sizes.toSorted((a, b) => a - b), ...rounds, samples };
}

function isCount(number: number): boolean {
  return Number.isInteger(number) && number > 0;
}
