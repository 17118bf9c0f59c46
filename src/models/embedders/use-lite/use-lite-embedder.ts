// The embedder that needs no service: a small English model, run in the Worker itself.
import { type Embedder, EmbedderError } from "../embedder";
import { centre } from "./centring";
import kernelModule from "./kernel.wasm";
import { createUseLite, DIMENSIONS, type UseLite } from "./sentence-encoder";

/** Counts up whenever the same text would get another vector: by other weights, arithmetic or means. */
const NAME = "use-lite-int8-1";

/** A text costs milliseconds of CPU, and a recall waits for all of them. */
const INLINE = 8;

/** A turn for other requests costs about as much as a few tokens, so it comes after many. */
const TOKENS_PER_TURN = 64;

/** Questions and texts of one matter are mostly above it, of two matters mostly below. */
const RELATED = 0.25;

/** How long to wait for a load that another request began. If that request is gone, so is its load. */
const PATIENCE_MS = 2_000;
/** How often: then whoever waits is told. */
const ROUNDS = 3;

type Options = {
  /** Brings the model file. Called on first use, and again only if it failed. */
  load: () => Promise<ArrayBuffer>;
};

export function createUseLiteEmbedder({ load }: Options): Embedder {
  let model: UseLite | undefined;
  let loading: Promise<void> | undefined;

  const begin = async () => {
    const file = await load();
    model ??= createUseLite(file, kernelModule);
  };

  const ready = async (): Promise<UseLite> => {
    for (let round = 0; !model; round += 1) {
      if (round === ROUNDS) throw new Error("The model file does not arrive");
      loading ??= begin();
      const pending = loading;
      try {
        await Promise.race([pending, scheduler.wait(PATIENCE_MS)]);
      } finally {
        if (loading === pending) loading = undefined;
      }
    }
    return model;
  };

  return {
    name: NAME,
    dimensions: DIMENSIONS,
    inline: INLINE,
    related: RELATED,
    async embed(texts, use) {
      const { tokenize, embed } = await ready().catch((error: unknown) => {
        throw new EmbedderError("The embedded model could not be loaded", { cause: error });
      });
      const vectors: Float32Array[] = [];
      let sinceTurn = 0;
      for (const text of texts) {
        if (sinceTurn >= TOKENS_PER_TURN) {
          await scheduler.wait(0);
          sinceTurn = 0;
        }
        const tokens = tokenize(text);
        vectors.push(centre(embed(tokens), use));
        sinceTurn += tokens.length;
      }
      return vectors;
    },
  };
}
