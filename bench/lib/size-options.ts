// The options that benchmarks over several sizes share: `--quick`, `--samples` and `--sizes`.
import { parseArgs } from "node:util";

/** `usual` and `quick` are the numbers of rounds, unless `--samples` gives one; `sizes` come back in order. */
export function readSizes({ sizes: standard, usual, quick }) {
  const { values } = parseArgs({
    options: {
      quick: { type: "boolean", default: false },
      samples: { type: "string" },
      sizes: { type: "string", default: standard },
    },
  });
  const sizes = values.sizes.split(",").map(Number);
  if (!sizes.every(isCount)) {
    throw new Error(`--sizes takes whole numbers, as in ${standard}: ${values.sizes}`);
  }
  const rounds = values.quick ? quick : usual;
  const samples = Number(values.samples ?? rounds.samples);
  if (!isCount(samples)) throw new Error(`--samples takes a whole number, as in 300: ${values.samples}`);
  return { sizes: sizes.toSorted((a, b) => a - b), ...rounds, samples };
}

function isCount(number) {
  return Number.isInteger(number) && number > 0;
}
