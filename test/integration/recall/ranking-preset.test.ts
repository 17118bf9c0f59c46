import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RankingInput } from "../../../src/memories/memory-schemas";
import type { RankingPreset } from "../../../src/models/embedders/embedder";
import { asking, claimModel, forgetModel, newSemanticTenant } from "../semantic-support";

beforeEach(forgetModel);
afterEach(forgetModel);

async function scoreWith(
  preset: RankingPreset,
  ranking: RankingInput = {},
  mode: "text" | "hybrid" = "hybrid",
) {
  const tenant = await newSemanticTenant({ preset });
  await claimModel(tenant.model);
  await tenant.keep("The automobile was purchased in spring");
  await tenant.keep("The automobile needs a garage");
  await tenant.indexed();
  const request = asking("automobile purchased", { mode, ranking });
  const { hits } = await tenant.search.recall({ kind: "session", id: tenant.session }, request);
  return hits.map(({ score }) => score);
}

/** Scores decline with the age of a memory: those of a moment later differ in the fourth digit. */
const about = (scores: readonly number[]) => scores.map((score) => expect.closeTo(score, 3));

const WEIGHTED = { fusion: "weighted", semantic_weight: 1 } as const;
const BY_RANK = { fusion: "rrf", semantic_weight: 1 } as const;

describe("an embedder's preset", () => {
  it("decides how a recall is ranked that does not say it", async () => {
    const byRank = await scoreWith(BY_RANK);
    const weighted = await scoreWith(WEIGHTED);
    expect(byRank).not.toEqual(about(weighted));
    expect(await scoreWith(WEIGHTED, { fusion: "rrf" })).toEqual(about(byRank));
    expect(await scoreWith(BY_RANK, { fusion: "weighted" })).toEqual(about(weighted));
  });

  it("sets the semantic weight, too", async () => {
    const half = await scoreWith({ fusion: "weighted", semantic_weight: 0.5 });
    expect(half).toEqual(about(await scoreWith(WEIGHTED, { semantic_weight: 0.5 })));
    expect(half).not.toEqual(about(await scoreWith(WEIGHTED)));
  });

  it("has no effect on a lexical search, which has nothing to fuse", async () => {
    expect(await scoreWith(BY_RANK, {}, "text")).toEqual(about(await scoreWith(WEIGHTED, {}, "text")));
  });
});
