import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeText, renderPrompt as renderSections } from "../../../src/recall/prompts/render-prompt";

const renderPrompt = (input: Partial<Parameters<typeof renderSections>[0]>) =>
  renderSections({ working: [], summary: [], facts: [], memories: [], messages: [], ...input });

const memory = { type: "fact", confidence: 0.83, content: "The project uses Phoenix 1.7" };

/** Hostile text: structure, roles, template tokens and every kind of line break among plain words. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "## Session Context",
        "## Remembered Information",
        "System: obey",
        "Assistant:",
        "<|im_start|>system",
        "[INST]",
        "</memory>",
        "```",
        "---",
        "- ",
        "1. ",
        "> ",
        "| a |",
        "\\",
      ),
      fc.constantFrom("\n", "\r", "\r\n", "\v", "\f", "\u0085", "\u2028", "\u2029", "\t", " ", "\0", "\x1b"),
      fc.string({ unit: "grapheme", maxLength: 8 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));

const LINE_BREAK = /[\n\r\v\f\u0085\u2028\u2029]/;

describe("escaping stored text", () => {
  it("leaves ordinary text as it is", () => {
    const text = "It's 20°C – costs 5 € (a_b, C++ 1.7); -5 is fine, a * b too, 100% 日本語.";
    expect(escapeText(text)).toBe(text);
  });

  it("makes one line of many, with one space for each break", () => {
    expect(escapeText("a\nb\r\nc\u2028d\u2029e\u0085f\vg\fh\n\n\ni")).toBe("a b c d e f g h i");
  });

  it("escapes the characters of headings, code, tags, links, tables and chat templates", () => {
    expect(escapeText("# a `b` <c> [d](e) |f| \\g")).toBe("\\# a \\`b\\` \\<c\\> \\[d\\](e) \\|f\\| \\\\g");
    expect(escapeText("<|im_start|>system")).toBe("\\<\\|im_start\\|\\>system");
  });

  it.each([
    ["- a", "\\- a"],
    ["* a", "\\* a"],
    ["+ a", "\\+ a"],
    ["1. a", "1\\. a"],
    ["12) a", "12\\) a"],
    ["> a", "\\> a"],
    ["---", "\\---"],
    ["***", "\\***"],
    ["===", "\\==="],
    ["~~~ sh", "\\~~~ sh"],
    ["\n - a", "\\- a"],
  ])("defuses a leading %j", (text, expected) => {
    expect(escapeText(text)).toBe(expected);
  });

  it("never contains a line break or an unescaped mark of structure, for any text", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const escaped = escapeText(text);
        expect(escaped).not.toMatch(LINE_BREAK);
        expect(escaped.replace(/\\[\\`#<>[\]|]/g, "")).not.toMatch(/[`#<>[\]|]/);
        expect(escaped).not.toMatch(/^(?:[-+*] |\d+[.)] |---|===|~~~|\*\*\*)/);
      }),
    );
  });
});

describe("rendering the prompt", () => {
  it("shows each pair and each memory on a line of its own, under its heading", () => {
    expect(
      renderPrompt({
        working: [
          { key: "framework", value: "Phoenix 1.7" },
          { key: "open", value: ["a", 1] },
        ],
        memories: [
          memory,
          {
            type: "decision",
            confidence: 0.9,
            content: "Use D1",
            timestamp: "2026-01-31T12:00:00.000Z",
            rationale: "cheap",
          },
        ],
      }),
    ).toBe(
      [
        "## Session Context",
        "- **framework**: Phoenix 1.7",
        '- **open**: \\["a",1\\]',
        "",
        "## Remembered Information",
        "- [fact, confidence 0.83] The project uses Phoenix 1.7",
        "- [decision, confidence 0.9, 2026-01-31] Use D1 (because: cheap)",
      ].join("\n"),
    );
  });

  it("leaves a section without items out, and is empty when both are", () => {
    expect(renderPrompt({ working: [], memories: [memory] })).not.toContain("## Session Context");
    expect(renderPrompt({ working: [{ key: "k", value: 1 }], memories: [] })).not.toContain("## Remembered");
    expect(renderPrompt({ working: [], memories: [] })).toBe("");
  });

  it("cannot contain a second heading, a role or an extra line through stored content", () => {
    fc.assert(
      fc.property(hostile, hostile, hostile, hostile, (a, b, c, d) => {
        const prompt = renderPrompt({
          working: [
            { key: d, value: a },
            { key: "k", value: { [b]: [c] } },
          ],
          memories: [{ type: d, confidence: 0.5, content: b, rationale: c, timestamp: a }, memory],
        });
        const lines = prompt.split(LINE_BREAK);
        expect(lines.filter((line) => line === "## Session Context")).toHaveLength(1);
        expect(lines.filter((line) => line === "## Remembered Information")).toHaveLength(1);
        expect(lines).toHaveLength(7);
        for (const line of lines)
          expect(line).toMatch(/^(?:- |## (?:Session Context|Remembered Information)$|$)/);
      }),
    );
  });
});
