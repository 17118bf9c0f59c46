// The ranking options of a search: those of the request, else those that suit the embedder, else the defaults. Pure.
import type { RankingInput, RankingOptions } from "../../memories/memory-schemas";
import { DEFAULT_RANKING, type Embedder } from "../../models/embedders/embedder";

/** `embedder` is null when the search is lexical: then there is nothing to fuse. */
export function resolveRanking(
  { fusion, semantic_weight, user_prior }: RankingInput,
  embedder: Pick<Embedder, "preset"> | null,
): RankingOptions {
  const preset = embedder?.preset ?? DEFAULT_RANKING;
  return {
    fusion: fusion ?? preset.fusion,
    semantic_weight: semantic_weight ?? preset.semantic_weight,
    user_prior: user_prior ?? DEFAULT_RANKING.user_prior,
  };
}
