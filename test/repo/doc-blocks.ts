// The code blocks of a document, and the comparison of an answer with the one that is printed there.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { root } from "./kioku-command";

export type DocBlock = { language: string; text: string };

export function readDocument(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

export function parseBlocks(markdown: string): DocBlock[] {
  return [...markdown.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].map(([, language = "", text = ""]) => ({
    language,
    text,
  }));
}

/** Compares what a command printed with the block below it, which is shortened where it is JSON or Markdown. */
export function expectPrinted(output: string, { language, text }: DocBlock): void {
  if (language === "markdown") {
    expect(output.split("\n")).toEqual(expect.arrayContaining(text.trim().split("\n")));
  } else if (language === "json") {
    // Of several calls, the last answer is printed.
    const last = output.lastIndexOf("}{") + 1;
    expect(output.slice(0, last)).not.toContain("/problems/");
    expect(JSON.parse(output.slice(last))).toMatchObject(JSON.parse(text));
  } else {
    expect(output).toMatch(new RegExp(`^${text.split("…").map(escapeRegExp).join(".*")}$`));
  }
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
