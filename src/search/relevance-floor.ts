// The relevance that a hit needs to be returned: a question about something unknown has no hits, rather than the nearest
// unrelated texts. Pure.
import {
  findNeighbour,
  indexByPosition,
  listDistances,
  TEXT_REACH,
} from "../domain/short-term/message-neighbourhood";
import { buildDetailText, type EpisodeRow, fromEpisodeRow } from "../store/episodes/episode-mapping";
import { type MessageRow, toDateWords } from "../store/sessions/message-repository";
import { countQueryWords, extractWords } from "../text/query-terms";
import type { LoadedHit } from "./hits";
import type { SearchMode } from "./rank-fusion";
import { measureTermCoverage } from "./term-coverage";

/**
 * The least relevance of a hit: the share of the query that its text covers, plus its cosine similarity. One word alone
 * tells the embedder little, so that what shares nothing with it needs more; who asks for a semantic search wants what
 * is similar, and gets it as soon as it is related at all. Measured with the embedded embedder: see
 * docs/decisions/0020-parts-of-words-and-silence.md.
 */
export const RELEVANCE_FLOOR = { sentence: 0.3, word: 0.45, semantic: 0.25 } as const;

/** A longer query is a text rather than a question: no hit covers much of it. */
const MAX_QUESTION_TERMS = 16;

/** Returns the hits that are relevant to a query, for a search that was requested in a mode. */
export function keepRelevant(query: string, mode: SearchMode, found: readonly LoadedHit[]): LoadedHit[] {
  if (countQueryWords(query) > MAX_QUESTION_TERMS) return [...found];
  const isWord = extractWords(query).length === 1;
  const floor = RELEVANCE_FLOOR[mode === "semantic" ? "semantic" : isWord ? "word" : "sentence"];
  const getCoverage = measureTermCoverage(query, found.map(buildSearchedText));
  return found.filter(({ hit }, i) => getCoverage(i) + Math.max(0, hit.signals.semantic ?? 0) >= floor);
}

/** Returns the text of a hit that lexical search matches: of a message also its date and its neighbours. */
function buildSearchedText({ hit, row, neighbours }: LoadedHit): string {
  if (hit.kind === "memory") return `${hit.content} ${hit.rationale ?? ""}`;
  if (hit.kind === "episode") return `${hit.content} ${buildDetailText(fromEpisodeRow(row as EpisodeRow))}`;
  const message = row as MessageRow;
  const byPosition = indexByPosition<Pick<MessageRow, "position" | "content">>(neighbours);
  const around = listDistances(TEXT_REACH).map((distance) => findNeighbour(byPosition, message, distance));
  return [
    hit.content,
    ...toDateWords(hit.timestamp),
    ...around.map((neighbour) => neighbour?.content ?? ""),
  ].join(" ");
}
