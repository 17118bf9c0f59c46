// The options that benchmarks over several sizes share: `--quick` and `--sizes`.
import { parseArgs } from "node:util";

/** `usual` and `quick` are the numbers of rounds; `sizes` come back in order. */
export function readSizes({ sizes: standard, usual, quick }) {
  const { values } = parseArgs({
    options: {
      quick: { type: "boolean", default: false },
      sizes: { type: "string", default: standard },
    },
  });
  const sizes = values.sizes.split(",").map(Number);
  if (!sizes.every((size) => Number.isInteger(size) && size > 0)) {
    throw new Error(`--sizes takes whole numbers, as in ${standard}: ${values.sizes}`);
  }
  return { sizes: sizes.toSorted((a, b) => a - b), ...(values.quick ? quick : usual) };
}
