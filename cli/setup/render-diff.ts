// Renders the change of a file for people: the lines that differ, with some lines around them.
import type { Terminal } from "../terminal";
import { replaceControlCharacters } from "../width";

const CONTEXT_LINES = 3;

/** Shows one block: what an edit of a configuration changes stands together. */
export function renderDiff(terminal: Terminal, before: string, after: string): string {
  const [old, now] = [toLines(before), toLines(after)];
  const start = countSame(old, now);
  const end = countSame(old.slice(start).reverse(), now.slice(start).reverse());
  const removed = old.slice(start, old.length - end);
  const added = now.slice(start, now.length - end);
  const rest = now.slice(now.length - end);
  return [
    ...now.slice(Math.max(0, start - CONTEXT_LINES), start).map((line) => `  ${line}`),
    ...removed.map((line) => terminal.paint("red", `- ${line}`)),
    ...added.map((line) => terminal.paint("green", `+ ${line}`)),
    ...rest.slice(0, CONTEXT_LINES).map((line) => `  ${line}`),
  ].join("\n");
}

function toLines(text: string): string[] {
  const lines = text.replace(/\r?\n$/, "").split(/\r?\n/);
  return text === "" ? [] : lines.map(replaceControlCharacters);
}

function countSame(left: readonly string[], right: readonly string[]): number {
  const at = left.findIndex((line, index) => line !== right[index]);
  return at === -1 ? Math.min(left.length, right.length) : at;
}
