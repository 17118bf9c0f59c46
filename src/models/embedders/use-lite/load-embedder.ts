// The embedded embedder over the Worker's static assets, one for all requests and objects of an isolate.
import type { Embedder } from "../embedder";
import { createUseLiteEmbedder } from "./use-lite-embedder";

/** Where scripts/lib/model.mjs puts the file. The binding ignores the host. */
const MODEL_URL = "https://assets/model/use-lite-int8-1.bin";

// Loading takes time and the model takes 10 MB: this is the one place that keeps it from request to request.
let shared: Embedder | undefined;

export function useLiteFromAssets(assets: Fetcher): Embedder {
  shared ??= createUseLiteEmbedder({ load: loadFromAssets(assets) });
  return shared;
}

export function loadFromAssets(assets: Fetcher): () => Promise<ArrayBuffer> {
  return async () => {
    const answer = await assets.fetch(MODEL_URL);
    if (!answer.ok) throw new Error(`The model file answered ${answer.status}`);
    return answer.arrayBuffer();
  };
}
