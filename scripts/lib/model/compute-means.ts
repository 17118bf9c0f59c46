// The mean vectors of the embedded embedder, from the texts in data/centring: what all vectors have in common, and
// src/embedding/use-lite/centring.ts takes away.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { buildModel } from "./model.mjs";

const root = join(import.meta.dirname, "../..");
const folder = join(root, "src/embedding/use-lite");

export const meansPath = join(folder, "means.generated.ts");

/** Fine enough, and too coarse for a last bit to make another file. */
const STEPS = 2 ** 15;

/** The text of the generated file. */
export async function generateMeans() {
  const model = await loadModel();
  const mean = async (name) => {
    const lines = (await readFile(join(root, "data/centring", name), "utf8")).trimEnd().split("\n");
    return toBase64(meanOf(lines.map((line) => model.embed(model.tokenize(line)))));
  };
  return `// Generated from data/centring/*.txt by \`npm run means\`. Do not edit.

/** Each dimension as an int16, in steps of 1 / STEPS; all of them as base64. */
export const MEANS = {
  document: "${await mean("documents.txt")}",
  query: "${await mean("questions.txt")}",
} as const;

export const STEPS = ${STEPS};
`;
}

/** The model as the Worker runs it, in Node. */
export async function loadModel() {
  const { outputFiles } = await build({
    entryPoints: [join(folder, "model.ts")],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
    logLevel: "silent",
  });
  const code = Buffer.from(outputFiles[0].contents).toString("base64");
  const { createUseLite } = await import(`data:text/javascript;base64,${code}`);
  const { path } = await buildModel();
  const file = new Uint8Array(await readFile(path)).buffer;
  return createUseLite(file, new WebAssembly.Module(await readFile(join(folder, "kernel.wasm"))));
}

function meanOf(vectors) {
  const sums = new Float64Array(vectors[0].length);
  for (const vector of vectors) for (let i = 0; i < sums.length; i += 1) sums[i] += vector[i];
  return sums.map((sum) => sum / vectors.length);
}

function toBase64(mean) {
  const bytes = Buffer.alloc(2 * mean.length);
  for (const [i, value] of mean.entries()) bytes.writeInt16LE(Math.round(value * STEPS), 2 * i);
  return bytes.toString("base64");
}
