// Stored memory as prompt text. What was stored is data: it can fill a line, never make one, so it can forge
// neither a section nor a role.
import type { Json } from "../../platform/json";
import { valueText } from "../../text/memory-text";

export const CONTEXT_HEADING = "## Session Context";
export const MEMORY_HEADING = "## Remembered Information";

export type PromptPair = { key: string; value: Json };

export type PromptMemory = {
  type: string;
  confidence: number;
  content: string;
  timestamp?: string | null;
  rationale?: string | null;
};

/** Everything that ends a line somewhere, and the other control characters with it. */
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
/** What no reader sees and a model reads: tags, direction marks, zero-width marks that join nothing. */
export const INVISIBLE = /[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;
/** What headings, fences, tags, links, tables and chat templates are made of. */
const STRUCTURE = /[\\`#<>[\]|]/g;
const LEADING_MARK = /^[-+*=~_](?=[-+*=~_\s]|$)/;
const LEADING_NUMBER = /^(\d+)([.)])(?=\s|$)/;

/** One line of harmless text that reads as the original. */
export function escapeText(text: string): string {
  return text
    .replace(BREAKS, " ")
    .replace(INVISIBLE, "")
    .trim()
    .replace(STRUCTURE, "\\$&")
    .replace(LEADING_MARK, "\\$&")
    .replace(LEADING_NUMBER, "$1\\$2");
}

export function contextLine({ key, value }: PromptPair): string {
  return `- **${escapeText(key)}**: ${escapeText(valueText(value))}`;
}

export function memoryLine({ type, confidence, content, timestamp, rationale }: PromptMemory): string {
  const date = timestamp ? `, ${escapeText(timestamp.slice(0, 10))}` : "";
  const why = rationale ? ` (because: ${escapeText(rationale)})` : "";
  return `- [${escapeText(type)}, confidence ${Number(confidence.toFixed(2))}${date}] ${escapeText(content)}${why}`;
}

/** The sections that have something to say, one line per item; nothing to say is an empty text. */
export function renderPrompt(input: {
  working: readonly PromptPair[];
  memories: readonly PromptMemory[];
}): string {
  const sections = [
    section(CONTEXT_HEADING, input.working.map(contextLine)),
    section(MEMORY_HEADING, input.memories.map(memoryLine)),
  ];
  return sections.filter((text) => text !== "").join("\n\n");
}

function section(heading: string, lines: string[]): string {
  return lines.length === 0 ? "" : [heading, ...lines].join("\n");
}
