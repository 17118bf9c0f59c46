// Renders stored memory as prompt text. Stored content is data: it fills a single line, and can forge neither a section
// nor a role.

import type { SourceType } from "../../kernel/common";
import type { Json } from "../../kernel/json";
import { removeInvisible } from "../../kernel/validate-input";
import { formatValue } from "../../language/json-text";
import type { ContextSource } from "../../sessions/session-schemas";
import { CONTEXT_SOURCE_TYPES, renderSourceLabel } from "../../trust/source-rank";

export const CONTEXT_HEADING = "## Session Context";
export const SUMMARY_HEADING = "## Earlier Conversation";
export const FACTS_HEADING = "## Known Facts";
export const MEMORY_HEADING = "## Remembered Information";
export const MESSAGES_HEADING = "## Said Before";

type PromptPair = { key: string; value: Json; source?: ContextSource };

export type PromptMemory = {
  type: string;
  confidence: number;
  content: string;
  timestamp?: string | null;
  rationale?: string | null;
  source_type?: SourceType;
};

/** A message of another conversation, or one that has left the window. */
export type PromptMessage = { role: string; name: string | null; content: string; timestamp: string };

/** Line and paragraph separators, and all other control characters. */
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
/** The characters of headings, fences, tags, links, tables and chat templates. */
const STRUCTURE = /[\\`#<>[\]|]/g;
const LEADING_MARK = /^[-+*=~_](?=[-+*=~_\s]|$)/;
const LEADING_NUMBER = /^(\d+)([.)])(?=\s|$)/;

/** Escapes a text to a single line without Markdown structure; it reads as the original. */
export function escapeText(text: string): string {
  return removeInvisible(text.replace(BREAKS, " "))
    .trim()
    .replace(STRUCTURE, "\\$&")
    .replace(LEADING_MARK, "\\$&")
    .replace(LEADING_NUMBER, "$1\\$2");
}

export function renderContextLine({ key, value, source }: PromptPair): string {
  const label = source === undefined ? "" : renderSourceLabel(CONTEXT_SOURCE_TYPES[source]);
  return `- **${escapeText(key)}**: ${label}${escapeText(formatValue(value))}`;
}

export function renderMemoryLine(memory: PromptMemory): string {
  const { type, confidence, content, timestamp, rationale, source_type } = memory;
  const date = timestamp ? `, ${escapeText(timestamp.slice(0, 10))}` : "";
  const why = rationale ? ` (because: ${escapeText(rationale)})` : "";
  return `- [${escapeText(type)}, confidence ${Number(confidence.toFixed(2))}${date}] ${renderSourceLabel(source_type)}${escapeText(content)}${why}`;
}

export function renderTextLine(text: string): string {
  return `- ${escapeText(text)}`;
}

export function renderMessageLine({ role, name, content, timestamp }: PromptMessage): string {
  const speaker = name === null ? role : `${name}, ${role}`;
  return `- [${escapeText(timestamp.slice(0, 10))}, ${escapeText(speaker)}] ${escapeText(content)}`;
}

/** Renders the sections that have items, one line per item; without items, an empty string. */
export function renderPrompt(input: {
  working: readonly PromptPair[];
  summary: readonly string[];
  facts: readonly string[];
  memories: readonly PromptMemory[];
  messages: readonly PromptMessage[];
}): string {
  const sections = [
    renderSection(CONTEXT_HEADING, input.working.map(renderContextLine)),
    renderSection(SUMMARY_HEADING, input.summary.map(renderTextLine)),
    renderSection(FACTS_HEADING, input.facts.map(renderTextLine)),
    renderSection(MEMORY_HEADING, input.memories.map(renderMemoryLine)),
    renderSection(MESSAGES_HEADING, input.messages.map(renderMessageLine)),
  ];
  return sections.filter((text) => text !== "").join("\n\n");
}

function renderSection(heading: string, lines: string[]): string {
  return lines.length === 0 ? "" : [heading, ...lines].join("\n");
}
