import { expect, it } from "vitest";
import { SIGNAL_WEIGHTS } from "../../console/state/signal-weights";
import { RANKING_WEIGHTS } from "../../src/recall/search/rank-fusion";

it("the console draws the signals of a hit with the weights of the ranking", () => {
  expect(RANKING_WEIGHTS).toMatchObject(SIGNAL_WEIGHTS);
});
