// Computes the embedded embedder's mean vectors from the texts in data/centring: the part that all vectors have in
// common, which src/models/use-lite/mean-centring.ts subtracts.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { UseLite } from "../../../src/models/use-lite/sentence-encoder.ts";
import { importSource } from "../import-source.ts";
import { root } from "../repository.ts";
import { buildModel } from "./build-model.ts";

export const meansPath = join(root, "src/models/use-lite/means.generated.ts");

/** Fine enough, and too coarse for a rounding difference between machines to change the file. */
const STEPS = 2 ** 15;

/** Returns the text of the generated file. */
export async function generateMeans(): Promise<string> {
  const model = await loadModel();
  const encodeMean = async (name: string) => {
    const lines = (await readFile(join(root, "data/centring", name), "utf8")).trimEnd().split("\n");
    return toBase64(computeMean(lines.map((line) => model.embed(model.tokenize(line)))));
  };
  return `// Generated from data/centring/*.txt by \`npm run means\`. Do not edit.

/** Each dimension as an int16, in steps of 1 / STEPS; all of them as base64. */
export const MEANS = {
  document: "${await encodeMean("documents.txt")}",
  query: "${await encodeMean("questions.txt")}",
} as const;

export const STEPS = ${STEPS};
`;
}

/** Loads the model in Node as the Worker loads it. */
export async function loadModel(): Promise<UseLite> {
  const { createUseLite } = await importSource<
    typeof import("../../../src/models/use-lite/sentence-encoder.ts")
  >("src/models/use-lite/sentence-encoder.ts");
  const { path } = await buildModel();
  const file = new Uint8Array(await readFile(path)).buffer;
  const kernel = await importSource<{ default: WebAssembly.Module }>("src/models/use-lite/kernel.wasm");
  return createUseLite(file, kernel.default);
}

function computeMean(vectors: readonly Float32Array[]): Float64Array {
  const sums = new Float64Array(vectors[0]?.length ?? 0);
  for (const vector of vectors)
    vector.forEach((value, i) => {
      sums[i] = (sums[i] ?? 0) + value;
    });
  return sums.map((sum) => sum / vectors.length);
}

function toBase64(mean: Float64Array): string {
  const bytes = Buffer.alloc(2 * mean.length);
  for (const [i, value] of mean.entries()) bytes.writeInt16LE(Math.round(value * STEPS), 2 * i);
  return bytes.toString("base64");
}
