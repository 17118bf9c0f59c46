// How the ranking weighs each embedder unless a request says otherwise.
import type { RankingOptions } from "../../memories/memory-schemas";

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
