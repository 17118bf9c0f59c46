// Counts tokens with cl100k_base: one real tokenizer for every budget, small enough for a Worker.
import { countTokens as encodedLength, setMergeCacheSize } from "gpt-tokenizer/encoding/cl100k_base";
import type { Json } from "../kernel/json";
import { formatValue } from "./json-text";

/** Overhead of a message in chat formats, and of a memory and a context pair as prompts render them. */
export const MESSAGE_OVERHEAD_TOKENS = 4;
export const MEMORY_OVERHEAD_TOKENS = 10;
export const CONTEXT_PAIR_OVERHEAD_TOKENS = 2;

// A cached word retains the whole text it was sliced from: the default of 100,000 words can fill an isolate.
setMergeCacheSize(500);

/** Counts "<|endoftext|>" in stored text as plain characters instead of throwing. */
const PLAIN = { disallowedSpecial: new Set<string>() };

/**
 * Byte pair merging takes quadratic time in an unbroken run, so long runs are counted in pieces. The encoder itself
 * breaks at these character classes: text without long runs is counted exactly.
 */
const LONG_RUN = /(?<!\p{L})\p{L}{129,}|(?<!\s)\s{129,}|(?<![^\s\p{L}\p{N}])[^\s\p{L}\p{N}]{129,}/gu;
/** Shorter texts have no such run, and searching for one takes longer than counting. */
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

/** Counts the tokens of a message in a chat format: content, tool calls and the format's overhead. */
export function countMessageTokens(content: string, toolCallsJson: string | null): number {
  return countTokens(content) + countTokens(toolCallsJson ?? "") + MESSAGE_OVERHEAD_TOKENS;
}

export function countContextTokens(key: string, value: Json): number {
  return countTokens(key) + countTokens(formatValue(value)) + CONTEXT_PAIR_OVERHEAD_TOKENS;
}
