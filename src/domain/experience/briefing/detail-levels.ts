// What is told before a task within a token budget: everything by its name first, then the gist of the best, then
// all of the best. How long a name and a gist are is decided where they are written, in tellings.ts.
import { EXPERIENCE } from "../../../limits";
import { DETAIL_LEVELS, type DetailLevel, type PrimeAnswer } from "../../../schemas/briefing";
import { countTokens } from "../../../text/token-count";

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
  /** Its score if every list weighed the same: the order of those whose list weighs nothing. */
  merit: number;
  /** Each an item of a Markdown list. */
  texts: Readonly<Record<DetailLevel, string>>;
};

export type FittedBriefing = {
  told: ReadonlyMap<BriefingItem, DetailLevel>;
  prompt: string;
  tokens: PrimeAnswer["tokens"];
};

/** Best first; what a task gives no weight comes last, but it comes: a mistake to avoid is worth a line in any task. */
export function compareRank(a: BriefingItem, b: BriefingItem): number {
  return b.score - a.score || b.merit - a.merit || (a.id < b.id ? -1 : Number(a.id > b.id));
}

export function fitToBudget(items: readonly BriefingItem[], budget: number): FittedBriefing {
  const ranked = items.toSorted(compareRank);
  const best = LISTS.flatMap((list) =>
    ranked.filter((item) => item.list === list).slice(0, EXPERIENCE.primed),
  ).sort(compareRank);
  const everything = countTokens(renderInFull(ranked).prompt);
  // Mostly there is room for all: then nothing has to be weighed.
  const whole = renderInFull(best);
  const cost = best.length === ranked.length ? everything : countTokens(whole.prompt);
  if (cost <= budget) return { ...whole, tokens: { used: cost, budget, saved: everything - cost } };
  const costs = new Map<string, number>();
  // Tokens of lines do not always add up to those of the prompt: where it is longer, it is filled again with less.
  for (let room = budget; ; ) {
    const told = assignLevels(best, room, costs);
    const prompt = renderSections(told);
    const used = countTokens(prompt);
    if (used <= budget)
      return { told, prompt, tokens: { used, budget, saved: Math.max(0, everything - used) } };
    room -= used - budget;
  }
}

function renderInFull(items: readonly BriefingItem[]): Pick<FittedBriefing, "told" | "prompt"> {
  const told = new Map(items.map((item) => [item, "full" as const]));
  return { told, prompt: renderSections(told) };
}

/** Layer by layer, best first; what is too long for the room that is left stays as it was. */
function assignLevels(
  items: readonly BriefingItem[],
  room: number,
  costs: Map<string, number>,
): Map<BriefingItem, DetailLevel> {
  const costOf = (text: string): number => {
    const cost = costs.get(text) ?? countTokens(`${text}\n`);
    costs.set(text, cost);
    return cost;
  };
  const told = new Map<BriefingItem, DetailLevel>();
  const headed = new Set<BriefingList>();
  let left = room;
  for (const layer of DETAIL_LEVELS) {
    for (const item of items) {
      const before = told.get(item);
      if (before === undefined && layer !== "index") continue;
      const freed = before === undefined ? 0 : costOf(item.texts[before]);
      const heading = headed.has(item.list) ? 0 : costOf(HEADINGS[item.list]);
      const cost = costOf(item.texts[layer]) + heading - freed;
      if (cost > left) continue;
      told.set(item, layer);
      headed.add(item.list);
      left -= cost;
    }
  }
  return told;
}

function renderSections(told: ReadonlyMap<BriefingItem, DetailLevel>): string {
  const sections = LISTS.map((list) => {
    const texts = [...told].filter(([item]) => item.list === list).map(([item, layer]) => item.texts[layer]);
    return texts.length === 0 ? [] : [HEADINGS[list], ...texts];
  });
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n");
}
