// Fits a briefing into its token budget: every item gets an index line first, then the best items a gist, then the best
// of those full detail. render-briefing.ts sets the length of each level.

import { compareText } from "../../language/normalise-text";
import { countTokens } from "../../language/token-count";
import { DETAIL_LEVELS, type DetailLevel, type PrimeAnswer } from "./briefing-schemas";

/** Items of each list in a briefing without a limit. */
export const ITEMS_PER_LIST = 5;

/** In the order of the prompt. */
const LISTS = ["patterns", "lessons", "skills", "episodes"] as const;
export type BriefingList = (typeof LISTS)[number];

const HEADINGS: Readonly<Record<BriefingList, string>> = {
  patterns: "## Relevant patterns",
  lessons: "## Avoid these",
  skills: "## Applicable skills",
  episodes: "## Similar episodes",
};

export type BriefingItem = {
  list: BriefingList;
  id: string;
  score: number;
  /** The score without the weight of its list: it ranks the items of lists with weight 0. */
  unweightedScore: number;
  /** An item of a Markdown list for each level. */
  texts: Readonly<Record<DetailLevel, string>>;
};

type FittedBriefing = {
  /** The items that fit, each with its level of detail. */
  levels: ReadonlyMap<BriefingItem, DetailLevel>;
  prompt: string;
  tokens: PrimeAnswer["tokens"];
};

/** Orders the best first. Items of weight 0 come last but are not dropped: any task has room for a known mistake. */
export function compareRank(a: BriefingItem, b: BriefingItem): number {
  return b.score - a.score || b.unweightedScore - a.unweightedScore || compareText(a.id, b.id);
}

/**
 * Selects the best items and the highest levels of detail that fit the budget, in tokens. With a limit, the lists share
 * it by weight; without, each has its own.
 */
export function fitToBudget(
  items: readonly BriefingItem[],
  budget: number,
  limit: number | null = null,
): FittedBriefing {
  const ranked = items.toSorted(compareRank);
  const best = limit === null ? selectPerList(ranked, ITEMS_PER_LIST) : selectBest(ranked, limit);
  const everything = countTokens(renderInFull(ranked).prompt);
  // Usually everything fits, and no level needs to be chosen.
  const whole = renderInFull(best);
  const cost = best.length === ranked.length ? everything : countTokens(whole.prompt);
  if (cost <= budget) return { ...whole, tokens: { used: cost, budget, saved: everything - cost } };
  const costs = new Map<string, number>();
  // The tokens of lines do not add up exactly to those of the prompt: if it is too long, it is filled again with less.
  for (let room = budget; ; ) {
    const levels = assignLevels(best, room, costs);
    const prompt = renderSections(levels);
    const used = countTokens(prompt);
    if (used <= budget)
      return { levels, prompt, tokens: { used, budget, saved: Math.max(0, everything - used) } };
    room -= used - budget;
  }
}

function selectPerList(ranked: readonly BriefingItem[], limit: number): BriefingItem[] {
  const counts = new Map<BriefingList, number>();
  return ranked.filter(({ list }) => {
    const position = counts.get(list) ?? 0;
    counts.set(list, position + 1);
    return position < limit;
  });
}

/**
 * Selects the best items of all lists, merged by weight. One place is for the best lesson, whatever its weight: a known
 * mistake is not crowded out.
 */
function selectBest(ranked: readonly BriefingItem[], limit: number): BriefingItem[] {
  const best = ranked.slice(0, limit);
  const lesson = ranked.find(({ list }) => list === "lessons");
  if (lesson === undefined || best.includes(lesson) || limit < 2) return best;
  return [...best.slice(0, -1), lesson];
}

function renderInFull(items: readonly BriefingItem[]): Pick<FittedBriefing, "levels" | "prompt"> {
  const levels = new Map(items.map((item) => [item, "full" as const]));
  return { levels, prompt: renderSections(levels) };
}

/** Raises items level by level, best first; an item that would exceed the remaining room keeps its level. */
function assignLevels(
  items: readonly BriefingItem[],
  room: number,
  costs: Map<string, number>,
): Map<BriefingItem, DetailLevel> {
  const getCost = (text: string): number => {
    const cost = costs.get(text) ?? countTokens(`${text}\n`);
    costs.set(text, cost);
    return cost;
  };
  const levels = new Map<BriefingItem, DetailLevel>();
  const headed = new Set<BriefingList>();
  let left = room;
  for (const level of DETAIL_LEVELS) {
    for (const item of items) {
      const before = levels.get(item);
      if (before === undefined && level !== "index") continue;
      const freed = before === undefined ? 0 : getCost(item.texts[before]);
      const heading = headed.has(item.list) ? 0 : getCost(HEADINGS[item.list]);
      const cost = getCost(item.texts[level]) + heading - freed;
      if (cost > left) continue;
      levels.set(item, level);
      headed.add(item.list);
      left -= cost;
    }
  }
  return levels;
}

function renderSections(levels: ReadonlyMap<BriefingItem, DetailLevel>): string {
  const sections = LISTS.map((list) => {
    const texts = [...levels]
      .filter(([item]) => item.list === list)
      .map(([item, level]) => item.texts[level]);
    return texts.length === 0 ? [] : [HEADINGS[list], ...texts];
  });
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n");
}
