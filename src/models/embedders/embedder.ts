// The embedder port: texts become vectors whose cosine similarity is semantic similarity.
import { PortError } from "../../kernel/errors";
import type { RankingOptions } from "../../memories/memory-schemas";

// How the ranking weighs each embedder unless a request says otherwise.

export const DEFAULT_RANKING: RankingOptions = { fusion: "weighted", semantic_weight: 1, user_prior: 0 };

export type RankingPreset = Pick<RankingOptions, "fusion" | "semantic_weight">;

/** For a weak or unknown embedder: lexical search leads, and similarity adds what shares no word with the query. */
const WEIGHTED: RankingPreset = { fusion: "weighted", semantic_weight: DEFAULT_RANKING.semantic_weight };

/** For an embedder that finds more than lexical search: both count alike, by rank, whatever the scale of its cosines. */
const BY_RANK: RankingPreset = { fusion: "rrf", semantic_weight: 1 };

/**
 * Presets by the name of the model, without the vendor before it and the tag after it. Only that of the embedded embedder
 * is measured (docs/decisions/0008-ranking.md). The others are estimates from the documentation of the models, each with
 * its reason; `npm run eval` compares them on your data.
 */
const PRESETS: readonly { model: RegExp; preset: RankingPreset; reason: string }[] = [
  {
    model: /^use-lite\b/,
    preset: WEIGHTED,
    reason: "measured: rrf finds less than lexical search alone",
  },
  {
    model: /^bge-small-en\b/,
    preset: WEIGHTED,
    reason: "estimate: the smallest of its family, with 384 dimensions",
  },
  {
    model: /^bge-(?:base|large)-en\b/,
    preset: BY_RANK,
    reason: "estimate: strong in retrieval on MTEB; its authors state that its cosines lie close together",
  },
  { model: /^bge-m3\b/, preset: BY_RANK, reason: "estimate: its authors report more than BM25 on MIRACL" },
  { model: /^embeddinggemma\b/, preset: BY_RANK, reason: "estimate: among the best of its size on MTEB" },
  { model: /^qwen3-embedding\b/, preset: BY_RANK, reason: "estimate: among the best of its size on MTEB" },
  {
    model: /^text-embedding-(?:3-small|3-large|ada-002)\b/,
    preset: BY_RANK,
    reason: "estimate: made for retrieval; the cosines of ada-002 lie close together",
  },
];

/** Returns the preset of a model, as a service names it: "@cf/baai/bge-m3", "bge-m3:latest". */
export function findRankingPreset(model: string): RankingPreset {
  const name = model.slice(model.lastIndexOf("/") + 1).toLowerCase();
  return PRESETS.find((entry) => entry.model.test(name))?.preset ?? WEIGHTED;
}

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
