// Mean-centring: all vectors of the model share a direction that carries no information about their text. Subtracting
// the mean removes it; documents and queries have different means.
import type { EmbeddingUse } from "../embedder";
import { MEANS, STEPS } from "./means.generated";
import { toUnitLength } from "./sentence-encoder";

const means: Record<EmbeddingUse, Float32Array> = {
  document: decodeMean(MEANS.document),
  query: decodeMean(MEANS.query),
};

export function subtractMean(vector: Float32Array, use: EmbeddingUse): Float32Array {
  const mean = means[use];
  return toUnitLength(vector.map((value, i) => value - (mean[i] ?? 0)));
}

function decodeMean(base64: string): Float32Array {
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  return Float32Array.from(new Int16Array(bytes.buffer), (value) => value / STEPS);
}
