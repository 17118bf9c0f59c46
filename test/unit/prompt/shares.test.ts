import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TOKEN_BUDGET } from "../../../src/kernel/limits";
import { computeShares } from "../../../src/recall/prompts/assemble-prompt";

const BUDGET = { total: 32_000, conversation: 20_000, context: 12_000 };

describe("the shares of a budget", () => {
  it("are 2,000 system, 20,000 conversation, 4,000 working and 6,000 long-term by default", () => {
    expect(computeShares(BUDGET, 32_000)).toEqual({
      system: 2_000,
      conversation: 20_000,
      working: 4_000,
      longTerm: 6_000,
    });
  });

  it("scale in proportion for another total", () => {
    expect(computeShares(BUDGET, 16_000)).toEqual({
      system: 1_000,
      conversation: 10_000,
      working: 2_000,
      longTerm: 3_000,
    });
    expect(computeShares(BUDGET, 1_000)).toEqual({
      system: 62,
      conversation: 625,
      working: 125,
      longTerm: 187,
    });
    expect(computeShares(BUDGET, 200_000).conversation).toBe(125_000);
  });

  it("follow the session's own budget", () => {
    expect(computeShares({ total: 10_000, conversation: 4_000, context: 6_000 }, 10_000)).toEqual({
      system: 1_000,
      conversation: 4_000,
      working: 2_000,
      longTerm: 3_000,
    });
  });

  it("never add up to more than the total, even when the session's parts do", () => {
    const tokens = fc.integer({ min: 100, max: TOKEN_BUDGET.max });
    const total = fc.integer({ min: TOKEN_BUDGET.min, max: TOKEN_BUDGET.max });
    fc.assert(
      fc.property(total, tokens, tokens, total, (whole, conversation, context, asked) => {
        const parts = Object.values(computeShares({ total: whole, conversation, context }, asked));
        for (const part of parts) expect(Number.isInteger(part)).toBe(true);
        expect(parts.reduce((sum, part) => sum + part, 0)).toBeLessThanOrEqual(asked);
      }),
    );
  });
});
