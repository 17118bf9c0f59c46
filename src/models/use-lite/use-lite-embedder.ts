// The embedded embedder: a small English model that runs in the Worker itself and needs no service.

import { SECOND_MS } from "../../kernel/time";
import { extractWords } from "../../language/words/query-terms";
import { isGerman } from "../../language/words/stop-words";
import { type Embedder, EmbedderError, type EmbeddingUse, findRankingPreset } from "../embedders/embedder";
import kernelModule from "./kernel.wasm";
import { MEANS, STEPS } from "./means.generated";
import { createUseLite, DIMENSIONS, toUnitLength, type UseLite } from "./sentence-encoder";

/** Increment the number when other weights, arithmetic or means change the vectors. */
const NAME = "use-lite-int8-1";

/** Each text takes milliseconds of CPU time, and a recall waits for all of them. */
const MAX_INLINE_TEXTS = 8;

/** Yielding to other requests costs as much as a few tokens, so it happens once per this many. */
const TOKENS_PER_YIELD = 64;

/** Most pairs on one subject score above this cosine similarity, most pairs on different subjects below it. */
const MIN_RELATED_COSINE = 0.25;

/** The time to wait for a load that another request started: it never settles if that request has ended. */
const SHARED_LOAD_TIMEOUT_MS = 2 * SECOND_MS;
const LOAD_ATTEMPTS = 3;

/** The path at which scripts/lib/model.mjs writes the file. The assets binding ignores the host. */
const MODEL_URL = "https://assets/model/use-lite-int8-1.bin";

// Shared across the requests of an isolate: loading takes time, and the model takes 10 MB.
let shared: Embedder | undefined;

/** Returns the isolate's embedder, which loads its model from the Worker's static assets. */
export function getSharedUseLiteEmbedder(assets: Fetcher): Embedder {
  shared ??= createUseLiteEmbedder({ load: createModelLoader(assets) });
  return shared;
}

export function createModelLoader(assets: Fetcher): () => Promise<ArrayBuffer> {
  return async () => {
    const response = await assets.fetch(MODEL_URL);
    if (!response.ok) throw new Error(`Fetching the model file failed with status ${response.status}`);
    return response.arrayBuffer();
  };
}

type UseLiteOptions = {
  /** Loads the model file. Called on first use, and again only if it failed. */
  load: () => Promise<ArrayBuffer>;
};

export function createUseLiteEmbedder({ load }: UseLiteOptions): Embedder {
  let model: UseLite | undefined;
  let loading: Promise<void> | undefined;

  const startLoading = async () => {
    const file = await load();
    model ??= createUseLite(file, kernelModule);
  };

  const loadModel = async (): Promise<UseLite> => {
    for (let attempt = 0; !model; attempt += 1) {
      if (attempt === LOAD_ATTEMPTS) throw new Error("Loading the model file timed out");
      loading ??= startLoading();
      const pending = loading;
      try {
        await Promise.race([pending, scheduler.wait(SHARED_LOAD_TIMEOUT_MS)]);
      } finally {
        if (loading === pending) loading = undefined;
      }
    }
    return model;
  };

  return {
    name: NAME,
    dimensions: DIMENSIONS,
    maxInlineTexts: MAX_INLINE_TEXTS,
    minRelatedCosine: MIN_RELATED_COSINE,
    preset: findRankingPreset(NAME),
    canRead: canReadText,
    async embed(texts, use) {
      const { tokenize, embed } = await loadModel().catch((error: unknown) => {
        throw new EmbedderError("The embedded model could not be loaded", { cause: error });
      });
      const vectors: Float32Array[] = [];
      let tokensSinceYield = 0;
      for (const text of texts) {
        if (tokensSinceYield >= TOKENS_PER_YIELD) {
          await scheduler.wait(0);
          tokensSinceYield = 0;
        }
        const tokens = tokenize(text);
        vectors.push(subtractMean(embed(tokens), use));
        tokensSinceYield += tokens.length;
      }
      return vectors;
    },
  };
}

/** The part of a text whose letters are counted: the model reads no more of it. */
const READ_CHARACTERS = 4_096;

/**
 * Whether at least half of a text's letters are Latin, and it is not German. The vocabulary has no word of another
 * script, few of its letters, and only fragments of German words: see docs/decisions/0030-scripts-and-times.md.
 */
function canReadText(text: string): boolean {
  const read = text.slice(0, READ_CHARACTERS);
  const letters = read.match(/\p{L}/gu) ?? [];
  const latin = letters.filter((letter) => /\p{Script=Latin}/u.test(letter));
  return latin.length * 2 >= letters.length && !isGerman(extractWords(read));
}

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
