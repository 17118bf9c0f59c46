// Edits a configuration file that belongs to another program: JSON, often with comments. Every character but those of the
// edited values stays as it is, and a file that cannot be read is refused.
import { isDeepStrictEqual } from "node:util";
import { CommandError } from "../failures";
import type { ConfigEdit } from "./mcp-clients";
import { type JsonNode, JsonSyntaxError, parseJsonc } from "./parse-jsonc";

type Format = { unit: string; eol: string };

/** Returns the text with the values set; the same text if it has them already. */
export function editConfig(file: string, text: string, edits: readonly ConfigEdit[]): string {
  const mark = text.startsWith("\uFEFF") ? "\uFEFF" : "";
  const whole = text.slice(mark.length);
  const isNew = whole.trim() === "";
  const edited = edits.reduce((before, edit) => setValue(file, before, edit), isNew ? "{}" : whole);
  return mark + edited + (isNew ? "\n" : "");
}

function setValue(file: string, text: string, { section, key, value }: ConfigEdit): string {
  const format = detectFormat(text);
  const type = key === null ? "array" : "object";
  const root = parseConfig(file, text);
  const container = root.members.get(section);
  if (container === undefined)
    return append(text, root, section, key === null ? [value] : { [key]: value }, format);
  if (container.type !== type)
    throw new CommandError(`${section} in ${file} must be an ${type}. Fix it first; nothing was written.`);
  const current = key === null ? undefined : container.members.get(key);
  const known = key === null ? [...container.members.values()] : current === undefined ? [] : [current];
  if (known.some((node) => isDeepStrictEqual(node.value, value))) return text;
  if (current === undefined) return append(text, container, key, value, format);
  const written = stringify(value, getIndent(text, current.start), format);
  return text.slice(0, current.start) + written + text.slice(current.end);
}

/** Adds a last member. A comment at the end of the line before stays there. */
function append(text: string, node: JsonNode, key: string | null, value: unknown, format: Format): string {
  const { unit, eol } = format;
  const close = node.end - 1;
  const outer = getIndent(text, node.start);
  const inner = outer + unit;
  const member = inner + (key === null ? "" : `${JSON.stringify(key)}: `) + stringify(value, inner, format);
  const last = [...node.members.values()].at(-1);
  if (last === undefined)
    return `${text.slice(0, close).trimEnd()}${eol}${member}${eol}${outer}${text.slice(close)}`;
  const comma = node.trailingComma;
  const before = comma === null ? `${text.slice(0, last.end)},` : text.slice(0, comma);
  const rest = text.slice(comma ?? last.end, close);
  const line = /^[ \t]*(\/\/.*|\/\*.*?\*\/)?[ \t]*(?=\r?\n)/.exec(rest)?.[0];
  // A line end may be that of a comment, which would take in the closing bracket.
  const comments = rest.includes("\n") ? rest.trimStart() : rest.trim();
  const after = line === undefined ? `${eol}${outer}${comments}` : rest.slice(line.length);
  return `${before}${line ?? ""}${eol}${member}${comma === null ? "" : ","}${after}${text.slice(close)}`;
}

function parseConfig(file: string, text: string): JsonNode {
  try {
    const root = parseJsonc(text);
    if (root.type === "object") return root;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new CommandError(`${file} cannot be read: ${error.message}. Fix it first; nothing was written.`);
  }
  throw new CommandError(`${file} is not a JSON object. Fix it first; nothing was written.`);
}

function stringify(value: unknown, indent: string, { unit, eol }: Format): string {
  return JSON.stringify(value, null, unit).replaceAll("\n", `${eol}${indent}`);
}

/** Returns the indentation of the line of a place. */
function getIndent(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start))?.[0] ?? "";
}

/** Follows the indentation and the line ends of the file. */
function detectFormat(text: string): Format {
  return { unit: /^([ \t]+)["}]/m.exec(text)?.[1] ?? "  ", eol: text.includes("\r\n") ? "\r\n" : "\n" };
}
