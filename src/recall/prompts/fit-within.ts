// Selects the items of a part of the prompt that fit into its token budget, and explains the omissions.

import { countTokens } from "../../language/token-count";
import type { Part } from "./assemble-schemas";

export type LeftOut = { part: Part; id: string; reason: string };

export function toLeftOut(part: Part, id: string, name: string, tokens: number): LeftOut {
  return { part, id, reason: `over the ${name} budget of ${tokens} tokens` };
}

type Fitted<T> = { kept: T[]; omitted: T[]; tokens: number };

/** Selects the first items that fit with their heading; one that is too large does not exclude a smaller one after it. */
export function fitWithin<T>(
  items: readonly T[],
  share: number,
  heading: string,
  cost: (item: T) => number,
): Fitted<T> {
  const fitted: Fitted<T> = { kept: [], omitted: [], tokens: 0 };
  const headingTokens = countTokens(`${heading}\n\n`);
  for (const item of items) {
    const tokens = (fitted.tokens === 0 ? headingTokens : fitted.tokens) + cost(item);
    if (tokens > share) {
      fitted.omitted.push(item);
      continue;
    }
    fitted.kept.push(item);
    fitted.tokens = tokens;
  }
  return fitted;
}
