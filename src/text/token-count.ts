// Token counts by cl100k_base: one real tokenizer for every budget, small enough for the edge.
import { countTokens as encodedLength, setMergeCacheSize } from "gpt-tokenizer/encoding/cl100k_base";
import { TOKEN_BUDGET } from "../limits";
import type { Json } from "../platform/json";
import { formatValue } from "./json-text";

// A cached word keeps the whole text it was cut from alive: the default of 100,000 words can fill an isolate.
setMergeCacheSize(500);

/** Nothing is special in stored text: "<|endoftext|>" counts as the characters it is, and never throws. */
const PLAIN = { disallowedSpecial: new Set<string>() };

/**
 * Byte pair merging is quadratic in an unbroken run, so longer ones are counted in pieces. The classes are
 * those the encoder itself breaks at: text without such runs is counted exactly.
 */
const LONG_RUN = /(?<!\p{L})\p{L}{129,}|(?<!\s)\s{129,}|(?<![^\s\p{L}\p{N}])[^\s\p{L}\p{N}]{129,}/gu;
/** No shorter text has such a run, and looking for one takes longer than counting it. */
const LONG = 129;
const PIECE = /.{1,128}/gsu;

export function countTokens(text: string): number {
  if (text.length < LONG) return encodedLength(text, PLAIN);
  let tokens = 0;
  let counted = 0;
  for (const run of text.matchAll(LONG_RUN)) {
    tokens += encodedLength(text.slice(counted, run.index), PLAIN);
    for (const [piece] of run[0].matchAll(PIECE)) tokens += encodedLength(piece, PLAIN);
    counted = run.index + run[0].length;
  }
  return tokens + encodedLength(text.slice(counted), PLAIN);
}

/** A message in a chat format: its text, its tool calls, and the format's own overhead. */
export function countMessageTokens(content: string, toolCallsJson: string | null): number {
  return countTokens(content) + countTokens(toolCallsJson ?? "") + TOKEN_BUDGET.perMessage;
}

export function countContextTokens(key: string, value: Json): number {
  return countTokens(key) + countTokens(formatValue(value)) + TOKEN_BUDGET.perContextPair;
}
