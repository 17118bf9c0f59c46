// The embedder port: texts become vectors whose cosine similarity is semantic similarity.
import { PortError } from "../../kernel/errors";
import type { RankingPreset } from "./ranking-presets";

/** Models may embed a search query differently from the documents that it searches. */
export type EmbeddingUse = "document" | "query";

export type Embedder = {
  /** Identifies the model and every setting that shapes its vectors: vectors of different names are never compared. */
  readonly name: string;
  readonly dimensions: number;
  /** The number of texts that a recall may embed besides its query without a noticeable delay. */
  readonly maxInlineTexts: number;
  /** The cosine similarity from which a query and a text are related; 0 when unknown. */
  readonly minRelatedCosine: number;
  /** The ranking options that suit its vectors; a request overrides them. */
  readonly preset: RankingPreset;
  /**
   * Whether the model knows the language of a text. A vector of any other text is noise: it is as similar to an unrelated
   * text of its language as to a related one. Such texts get no vectors.
   */
  canRead(text: string): boolean;
  /** Returns one unit vector per text, in order. */
  embed(texts: readonly string[], use: EmbeddingUse): Promise<Float32Array[]>;
};

/** The embedder failed. */
export class EmbedderError extends PortError {
  override readonly name = "EmbedderError";
  /** False when the embedder rejected these texts and would reject them again. */
  readonly retryable: boolean;

  constructor(
    message: string,
    { retryable = true, ...options }: ErrorOptions & { retryable?: boolean } = {},
  ) {
    super(message, options);
    this.retryable = retryable;
  }
}
