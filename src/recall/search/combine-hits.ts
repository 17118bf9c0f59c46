// Combines memories and messages into one list: each statement once, and the memories that answer among the first
// three. Pure.
import type { Signals } from "../../kernel/common";
import { normaliseContent } from "../../language/normalise-text";
import type { SearchHit } from "./hits";
import { RANKING_WEIGHTS, roundScore } from "./rank-fusion";
import { computeTermOverlap, measureTermCoverage } from "./term-coverage";

/** A hit with the evidence and the topic of its memory; other kinds have none. */
export type RankedHit = { hit: SearchHit; evidence: readonly string[]; topic?: string };

/** The places at the head of a list that messages leave to the memories that answer. */
const MEMORY_PLACES = 3;

/**
 * The relevance that a memory needs to keep such a place, as a share of the best relevance of all hits. The best memory
 * needs less than the others: it may answer in other words than those of the query.
 */
const MIN_RELEVANCE = { best: 0.25, others: 0.5 } as const;

/** The first hits of a kind, which represent it in comparisons with the other. */
const REPRESENTATIVES = 3;

/** The place of messages that say the same as a memory: by their score, after all other hits, or nowhere. */
export type Repeats = "ranked" | "last" | "omitted";

export type CombineOptions = {
  query: string;
  limit: number;
  /** Whether lexical scores are relative to the best of their kind. */
  isLexicalRelative: boolean;
  /** Returns one of several memories with the same type and content. */
  collapsesDuplicates: boolean;
  repeats: Repeats;
};

/** Combines hits, ranked by their scores, into a list of which the caller takes the first `limit`. */
export function combineHits<T extends RankedHit>(found: readonly T[], options: CombineOptions): T[] {
  const distinct = options.collapsesDuplicates ? collapseDuplicates(found) : found;
  const repeats = options.repeats === "ranked" ? new Set<T>() : findRepeats(distinct);
  const mixed = mixKinds(
    distinct.filter((item) => !repeats.has(item)),
    options,
  );
  if (options.repeats === "omitted") return mixed;
  const lowest = mixed.at(-1)?.hit.score ?? Number.POSITIVE_INFINITY;
  return [...mixed, ...lowerScores([...repeats], lowest)];
}

/** Combines hits that are sorted by time, for a search without a query: if repeats count, memories come first. */
export function combineNewest<T extends RankedHit>(
  found: readonly T[],
  options: Pick<CombineOptions, "collapsesDuplicates" | "repeats">,
): T[] {
  const distinct = options.collapsesDuplicates ? collapseDuplicates(found) : [...found];
  if (options.repeats === "ranked") return distinct;
  const repeats = findRepeats(distinct);
  const isMessage = ({ hit }: T) => hit.kind === "message";
  return [
    ...distinct.filter((item) => !isMessage(item)),
    ...distinct.filter((item) => isMessage(item) && !repeats.has(item)),
    ...(options.repeats === "last" ? repeats : []),
  ];
}

/** Keeps the best of the live memories with the same type and content: each session may have one of its own. */
function collapseDuplicates<T extends RankedHit>(found: readonly T[]): T[] {
  const seen = new Set<string>();
  return found.filter(({ hit }) => {
    if (hit.kind !== "memory" || hit.status !== "live") return true;
    const key = `${hit.type} ${normaliseContent(hit.content)}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** The share of a message's terms that the memory extracted from it contains if the two say the same. */
const SAME_STATEMENT_OVERLAP = 0.75;

/** Returns the messages that say the same as one of the memories. */
export function findRepeats<T extends RankedHit>(found: readonly T[]): Set<T> {
  const memories = found.filter(({ hit }) => hit.kind === "memory");
  const contents = new Set(memories.map(({ hit }) => normaliseContent(hit.content)));
  return new Set(
    found.filter(
      ({ hit }) =>
        hit.kind === "message" &&
        (contents.has(normaliseContent(hit.content)) ||
          memories.some((memory) => isOnlyEvidence(hit, memory) && saysTheSame(hit, memory.hit))),
    ),
  );
}

/** Lowers the scores of repeats to that of the last hit before them. */
function lowerScores<T extends RankedHit>(repeats: readonly T[], lowest: number): T[] {
  return repeats.map((item) =>
    item.hit.score <= lowest ? item : addToScore(item, lowest - item.hit.score, "repeat"),
  );
}

function isOnlyEvidence(message: SearchHit, { hit, evidence }: RankedHit): boolean {
  return (
    hit.kind === "memory" &&
    message.kind === "message" &&
    hit.session_id === message.session_id &&
    evidence.length === 1 &&
    evidence[0] === `message:${message.id}`
  );
}

function saysTheSame(message: SearchHit, memory: SearchHit): boolean {
  return computeTermOverlap(message.content, memory.content) >= SAME_STATEMENT_OVERLAP;
}

/**
 * Ranks memories and messages together. BM25 is relative to the best of each kind, so the lexical scores of a kind are
 * first reduced to the share of the query that its best hits cover. Then the memories that answer move up to the first
 * three places, as many as fit into `limit`.
 */
function mixKinds<T extends RankedHit>(
  found: readonly T[],
  { query, limit, isLexicalRelative }: CombineOptions,
): T[] {
  const memories = found.filter(({ hit }) => hit.kind === "memory");
  const messages = found.filter(({ hit }) => hit.kind === "message");
  if (memories.length === 0 || messages.length === 0) return [...found];
  const getCoverage = measureTermCoverage(query, found.map(getSearchedText));
  const coverage = new Map(found.map(({ hit }, i) => [hit, getCoverage(i)]));
  const getBestCoverage = (kind: readonly T[]) =>
    Math.max(...kind.slice(0, REPRESENTATIVES).map(({ hit }) => coverage.get(hit) ?? 0));
  const best = { memory: getBestCoverage(memories), message: getBestCoverage(messages) };
  const top = Math.max(best.memory, best.message);
  const getScale = ({ kind }: SearchHit) => (kind === "episode" || top === 0 ? 1 : best[kind] / top);
  const protectedHits = selectAnswers(memories, messages, Math.min(MEMORY_PLACES, limit), coverage);
  const ranked = found
    .map((item) => ({
      item: isLexicalRelative ? scaleLexicalScore(item, getScale(item.hit)) : item,
      isProtected: protectedHits.has(item),
    }))
    // The sort is stable: equal scores keep their order.
    .sort((a, b) => b.item.hit.score - a.item.hit.score);
  return moveUp(ranked, Math.min(MEMORY_PLACES, limit));
}

/** Returns the first memories whose relevance is comparable to that of the best hits of both kinds. */
function selectAnswers<T extends RankedHit>(
  memories: readonly T[],
  messages: readonly T[],
  places: number,
  coverage: ReadonlyMap<SearchHit, number>,
): Set<T> {
  const getRelevance = ({ hit }: T) => (coverage.get(hit) ?? 0) + Math.max(0, hit.signals.semantic ?? 0);
  const first = memories.slice(0, places);
  const top = Math.max(...[...first, ...messages.slice(0, REPRESENTATIVES)].map(getRelevance));
  return new Set(
    first.filter(
      (item, i) => getRelevance(item) >= top * (i === 0 ? MIN_RELEVANCE.best : MIN_RELEVANCE.others),
    ),
  );
}

/** Moves the protected hits up to the first `places`, behind better hits as far as there is room. */
function moveUp<T extends RankedHit>(
  ranked: readonly { item: T; isProtected: boolean }[],
  places: number,
): T[] {
  let room = places - ranked.filter(({ isProtected }) => isProtected).length;
  const head: T[] = [];
  const rest: T[] = [];
  for (const { item, isProtected } of ranked) {
    if (isProtected) head.push(item);
    else if (room > 0) {
      room -= 1;
      head.push(item);
    } else rest.push(item);
  }
  const highest = rest[0]?.hit.score ?? Number.NEGATIVE_INFINITY;
  return [
    ...head.map((item) =>
      item.hit.score >= highest ? item : addToScore(item, highest - item.hit.score, "memory"),
    ),
    ...rest,
  ];
}

/** A message is searched together with the name of its speaker, as it is embedded. */
function getSearchedText({ hit, topic = "" }: RankedHit): string {
  if (hit.kind === "message") return `${hit.name ?? ""} ${hit.content}`;
  return hit.kind === "memory" ? `${hit.content} ${hit.rationale ?? ""} ${topic}` : hit.content;
}

function scaleLexicalScore<T extends RankedHit>(item: T, scale: number): T {
  const { lexical } = item.hit.signals;
  if (lexical === undefined || scale === 1) return item;
  const signals = { ...item.hit.signals, lexical: roundScore(lexical * scale) };
  return withScore(item, item.hit.score - RANKING_WEIGHTS.lexical * lexical * (1 - scale), signals);
}

function addToScore<T extends RankedHit>(item: T, change: number, signal: "memory" | "repeat"): T {
  return withScore(item, item.hit.score + change, { ...item.hit.signals, [signal]: roundScore(change) });
}

function withScore<T extends RankedHit>(item: T, score: number, signals: Signals): T {
  return { ...item, hit: { ...item.hit, score: roundScore(score), signals } };
}
