// Renders the change of a file for people: the lines that differ, with some lines around them.
import type { Terminal } from "../terminal";
import { replaceControlCharacters } from "../width";

const CONTEXT_LINES = 3;
const HIDDEN = '"…"';

/** A text in JSON, with the colon after a key. */
const TEXT = /"(?:[^"\\]|\\.)*"(\s*:)?/g;

/**
 * Shows one block: what an edit of a configuration changes stands together. Values that stay as they are may be secrets of
 * other servers, and are hidden.
 */
export function renderDiff(terminal: Terminal, before: string, after: string): string {
  const [old, now] = [toLines(before), toLines(after)];
  const start = countSame(old, now);
  const end = countSame(old.slice(start).reverse(), now.slice(start).reverse());
  const removed = old.slice(start, old.length - end);
  const added = now.slice(start, now.length - end);
  const rest = now.slice(now.length - end);
  const addedValues = listValues(added);
  const kept = new Set(listValues(removed).filter((value) => addedValues.includes(value)));
  const hideKept = (line: string) => hideValues(line, (value) => kept.has(value));
  const renderContext = (line: string) => `  ${hideValues(line, () => true)}`;
  return [
    ...now.slice(Math.max(0, start - CONTEXT_LINES), start).map(renderContext),
    ...removed.map((line) => terminal.paint("red", `- ${hideKept(line)}`)),
    ...added.map((line) => terminal.paint("green", `+ ${hideKept(line)}`)),
    ...rest.slice(0, CONTEXT_LINES).map(renderContext),
  ].join("\n");
}

function listValues(lines: readonly string[]): string[] {
  const texts = lines.flatMap((line) => [...line.matchAll(TEXT)]);
  return texts.flatMap(([text, colon]) => (colon === undefined ? [text] : []));
}

function hideValues(line: string, isHidden: (value: string) => boolean): string {
  return line.replaceAll(TEXT, (text, colon: string | undefined) =>
    colon === undefined && isHidden(text) ? HIDDEN : text,
  );
}

function toLines(text: string): string[] {
  const lines = text.replace(/\r?\n$/, "").split(/\r?\n/);
  return text === "" ? [] : lines.map(replaceControlCharacters);
}

function countSame(left: readonly string[], right: readonly string[]): number {
  const at = left.findIndex((line, index) => line !== right[index]);
  return at === -1 ? Math.min(left.length, right.length) : at;
}
