// Loads the model file as the Worker does, for several test files.
import { env } from "cloudflare:workers";
import { createModelLoader } from "../../../src/models/use-lite/use-lite-embedder";

export const loadModel = createModelLoader(env.ASSETS);

export function cosine(a: Float32Array | undefined, b: Float32Array | undefined): number {
  if (!a || !b) throw new Error("A vector is missing");
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
}
