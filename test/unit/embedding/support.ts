// What several files need: the model file, as the Worker gets it.
import { env } from "cloudflare:workers";
import { loadFromAssets } from "../../../src/models/embedders/use-lite/load-embedder";

export const loadModel = loadFromAssets(env.ASSETS);

export function cosine(a: Float32Array | undefined, b: Float32Array | undefined): number {
  if (!a || !b) throw new Error("A vector is missing");
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
}
