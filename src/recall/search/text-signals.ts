// Ranking signals in the own text of a candidate: how much it says, whether it only asks, and whether it has the kind of
// value that the query asks for. Pure.
import { isQuestion } from "../../language/questions";

type TextSignals = {
  /** The natural logarithm of the number of words and one: a text that says more answers more. */
  length: number;
  /** Whether the text ends with a question. */
  asks: boolean;
  /** Whether the query asks when, and the text has an expression of time. */
  answersWhen: boolean;
  /** Whether the query asks for a number, and the text has one. */
  answersCount: boolean;
};

const ASKS_WHEN = /^\s*(?:when|what (?:date|day|month|year|time)|which (?:date|day|month|year))\b/iu;
const ASKS_COUNT = /\bhow (?:many|much|long|often|old)\b/iu;

const TIME_EXPRESSION =
  /\b(?:yesterday|today|tonight|tomorrow|last|next|ago|recently|week|weekend|month|year|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december|summer|winter|spring|fall|autumn|morning|since|\d{4})\b/iu;
const NUMBER =
  /\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|once|twice|couple|few|several|first|second|third)\b/iu;

/** Returns the function that detects the signals of a text for a query. */
export function createTextSignals(query: string): (text: string) => TextSignals {
  const asksWhen = ASKS_WHEN.test(query);
  const asksCount = ASKS_COUNT.test(query);
  return (text) => ({
    length: Math.log1p(text.trim().split(/\s+/).length),
    asks: isQuestion(text),
    answersWhen: asksWhen && TIME_EXPRESSION.test(text),
    answersCount: asksCount && NUMBER.test(text),
  });
}

type SessionCandidate = { session_id: string | null; cosine: number | null };

/** The candidates of a session that support another one. */
const SUPPORTERS = 3;

/**
 * Returns the support of a candidate by its session: the mean cosine similarity of the three nearest other candidates of
 * the same session. A session about the subject has several texts near the query.
 */
export function measureSessionSupport<T extends SessionCandidate>(
  candidates: readonly T[],
): (candidate: T) => number {
  const near = candidates
    .filter(({ session_id, cosine }) => session_id !== null && (cosine ?? 0) > 0)
    .sort((a, b) => (b.cosine ?? 0) - (a.cosine ?? 0));
  const nearest = new Map<string | null, T[]>();
  for (const candidate of near) {
    const list = nearest.get(candidate.session_id) ?? [];
    // One more than needed: a candidate does not support itself.
    if (list.length <= SUPPORTERS) nearest.set(candidate.session_id, [...list, candidate]);
  }
  return (candidate) => {
    const others = (nearest.get(candidate.session_id) ?? []).filter((other) => other !== candidate);
    return others.slice(0, SUPPORTERS).reduce((sum, { cosine }) => sum + (cosine ?? 0), 0) / SUPPORTERS;
  };
}
