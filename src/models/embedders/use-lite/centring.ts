// All vectors of the model share a direction that says nothing about their text. Taking it away lets the rest
// decide what is near: one mean for what is stored, one for what is asked.
import type { Embedder } from "../embedder";
import { MEANS, STEPS } from "./means.generated";
import { unit } from "./sentence-encoder";

type Use = Parameters<Embedder["embed"]>[1];

const means: Record<Use, Float32Array> = {
  document: decode(MEANS.document),
  query: decode(MEANS.query),
};

export function centre(vector: Float32Array, use: Use): Float32Array {
  const mean = means[use];
  return unit(vector.map((value, i) => value - (mean[i] ?? 0)));
}

function decode(base64: string): Float32Array {
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  return Float32Array.from(new Int16Array(bytes.buffer), (value) => value / STEPS);
}
