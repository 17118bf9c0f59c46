// The relevance that a hit needs to be returned: a question about something unknown has no hits, rather than the nearest
// unrelated texts. Pure.

import { buildDetailText, type EpisodeRow, fromEpisodeRow } from "../../experience/episodes/episode-mapping";
import {
  findNeighbour,
  indexByPosition,
  listDistances,
  TEXT_REACH,
} from "../../language/message-neighbourhood";
import { isCourtesy } from "../../language/questions";
import { countQueryWords, extractWords } from "../../language/words/query-terms";
import { toDateWords } from "../../memories/store/memory-entry";
import type { MemoryRow } from "../../memories/store/memory-mapping";
import type { MessageRow } from "../../sessions/message-repository";
import type { LoadedHit, SearchRow } from "./hits";
import { roundScore, type SearchMode } from "./rank-fusion";
import type { AnswerConfidence } from "./recall-schemas";
import { findTermMatches, measureTermCoverage, type PreparedText, prepareText } from "./term-coverage";

/**
 * The least relevance of a hit. If none has the relevance `best`, nor the cosine similarity `similar`, the query has no
 * answer here.
 */
export type RelevanceFloor = { hit: number; best: number; similar: number };

/**
 * Relevance is the share of the query that a text covers, plus its cosine similarity. One word alone tells the embedder
 * little, so that what shares nothing with it needs more; who asks for a semantic search wants what is similar, and gets
 * it as soon as it is related at all. Measured with the embedded embedder: see
 * docs/decisions/0031-memories-in-context.md.
 */
const RELEVANCE_FLOORS = {
  sentence: { hit: 0.3, best: 0.5, similar: 0.3 },
  /** Among hundreds of texts, some are similar to any question by chance. */
  sentenceAmongMany: { hit: 0.33, best: 0.5, similar: 0.42 },
  word: { hit: 0.45, best: 0.45, similar: 0.45 },
  semantic: { hit: 0.25, best: 0.25, similar: 0.25 },
  /** Of a query that the embedder cannot read: its coverage is all there is. */
  text: { hit: 0.3, best: 0.3, similar: 1 },
} as const satisfies Record<string, RelevanceFloor>;

export const NO_FLOOR: RelevanceFloor = { hit: 0, best: 0, similar: 0 };

/** The share of a query that only the context of a memory covers counts this much: the context may be another subject. */
const CONTEXT_SHARE = 0.5;

/** A longer query is a text rather than a question: no hit covers much of it. */
const MAX_QUESTION_TERMS = 16;

/** Returns the floor of a search in a mode, `isAmongMany` if there are more texts than it compares. */
export function getRelevanceFloor(query: string, mode: SearchMode, isAmongMany: boolean): RelevanceFloor {
  if (countQueryWords(query) > MAX_QUESTION_TERMS) return NO_FLOOR;
  if (mode !== "hybrid") return RELEVANCE_FLOORS[mode];
  if (extractWords(query).length === 1) return RELEVANCE_FLOORS.word;
  return isAmongMany ? RELEVANCE_FLOORS.sentenceAmongMany : RELEVANCE_FLOORS.sentence;
}

/** Returns the hits above the floor; none if even the best one does not answer. */
export function keepRelevant(
  found: readonly LoadedHit[],
  { hit: least, best, similar }: RelevanceFloor,
): LoadedHit[] {
  const getRelevance = ({ hit }: LoadedHit) => hit.signals.relevance ?? 0;
  const isAnswered = found.some(
    (item) => getRelevance(item) >= best || (item.hit.signals.semantic ?? 0) >= similar,
  );
  return isAnswered ? found.filter((item) => getRelevance(item) >= least) : [];
}

/**
 * Returns the hits with their relevance to a query as a signal. What only the context of a memory covers counts if the
 * memory itself has a term of the query.
 */
export function addRelevance(query: string, found: readonly LoadedHit[]): LoadedHit[] {
  const texts = found.map((item) => ({ kind: item.hit.kind, ...prepareTexts(item) }));
  const getCoverage = measureTermCoverage(
    query,
    texts.map(({ kind, own, whole }) => (kind === "memory" ? own : whole)),
    texts.map(({ whole }) => whole),
  );
  return found.map((item, i) => {
    const { hit } = item;
    const cosine = Math.max(0, hit.signals.semantic ?? 0);
    const own = getCoverage(i);
    const around = own > 0 ? CONTEXT_SHARE * (getCoverage(found.length + i) - own) : 0;
    const relevance = roundScore(own + around + cosine);
    return { ...item, hit: { ...hit, signals: { ...hit.signals, relevance } } };
  });
}

/**
 * Leaves out memories that match a query by their context alone: without a term of the query, a memory needs a similarity
 * above `minCosine`. The context of a memory raises it among the hits, and makes it none. A message may answer by its
 * context ("Postgres, as last time."), but not if it is a mere "Okay.".
 */
export function keepOwnMatches(query: string, found: readonly LoadedHit[], minCosine: number): LoadedHit[] {
  const hasTerm = findTermMatches(
    query,
    found.map((item) => prepareTexts(item).own),
  );
  return found.filter(({ hit }, i) => {
    if (hasTerm(i)) return true;
    if (hit.kind === "message") return !isCourtesy(hit.content);
    return hit.kind !== "memory" || (hit.signals.semantic ?? Number.NEGATIVE_INFINITY) > minCosine;
  });
}

/** The relevance from which on the best hit is taken for an answer. */
const GOOD_RELEVANCE = 0.6;

/** Returns how far the best hit can be trusted to answer. */
export function rateConfidence(found: readonly LoadedHit[]): AnswerConfidence {
  if (found.length === 0) return "none";
  return found.some(({ hit }) => (hit.signals.relevance ?? 0) >= GOOD_RELEVANCE) ? "good" : "weak";
}

/** The text of a hit itself, and with the texts around it. */
type HitTexts = { own: PreparedText; whole: PreparedText };

/** By row: a search compares the same texts several times. */
const preparedTexts = new WeakMap<SearchRow, HitTexts>();

function prepareTexts(item: LoadedHit): HitTexts {
  const known = preparedTexts.get(item.row);
  if (known !== undefined) return known;
  const { own: text, around } = listSearchedTexts(item);
  const own = prepareText(text);
  const texts = { own, whole: around.trim() === "" ? own : prepareText(`${text} ${around}`) };
  preparedTexts.set(item.row, texts);
  return texts;
}

/** Returns the texts of a hit that lexical search matches: its own, and those around it. */
function listSearchedTexts({ hit, row, topic, neighbours, context }: LoadedHit): {
  own: string;
  around: string;
} {
  if (hit.kind === "episode")
    return { own: `${hit.content} ${buildDetailText(fromEpisodeRow(row as EpisodeRow))}`, around: "" };
  if (hit.kind === "memory") {
    const day = toDateWords((row as MemoryRow).valid_from ?? hit.timestamp);
    return { own: [hit.content, hit.rationale ?? "", topic, ...day].join(" "), around: context };
  }
  const message = row as MessageRow;
  const byPosition = indexByPosition<Pick<MessageRow, "position" | "content">>(neighbours);
  const around = listDistances(TEXT_REACH).map((distance) => findNeighbour(byPosition, message, distance));
  return {
    own: [hit.content, ...toDateWords(hit.timestamp)].join(" "),
    around: around.map((neighbour) => neighbour?.content ?? "").join(" "),
  };
}
