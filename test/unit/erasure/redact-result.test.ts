// What a tool result keeps of an erased memory, and of everything else in it.
import { describe, expect, it } from "vitest";
import { redactCall, redactResult } from "../../../src/sessions/redact-result";

const ERASED_ID = "0".repeat(32);
const OTHER_ID = "1".repeat(32);
const IDS = new Set([ERASED_ID]);

function redactContent(content: object) {
  const payload = JSON.stringify({
    type: "tool_result",
    tool_use_id: "c1",
    content: JSON.stringify(content),
  });
  const redacted = redactResult(payload, IDS);
  return redacted === null ? null : JSON.parse(JSON.parse(redacted.payload).content);
}

describe("a tool result", () => {
  it("loses all that belongs to the id, whatever the memory says today, and the text beside the list", () => {
    const other = { id: OTHER_ID, content: "Another memory" };
    const erased = { id: ERASED_ID, content: "Replaced since", score: 0.5, rationale: null, tags: ["a"] };
    expect(redactContent({ count: 2, memories: [erased, other], prompt: "- Replaced…" })).toEqual({
      count: 2,
      memories: [
        { id: ERASED_ID, content: "[erased]", score: 0.5, rationale: null, tags: "[erased]" },
        other,
      ],
      prompt: "[erased]",
    });
  });

  it("keeps a memory that only refers to the erased one", () => {
    expect(
      redactContent({ memories: [{ id: OTHER_ID, content: "Mine", supersedes: [ERASED_ID] }] }),
    ).toBeNull();
  });

  it("loses prose that cites the id, and everything if it was clipped", () => {
    expect(redactContent({ markdown: `- [${ERASED_ID}] Something` })).toEqual({ markdown: "[erased]" });
    const clipped = JSON.stringify({ clipped: '{"content":"Someth…', memory_ids: [ERASED_ID] });
    expect(redactResult(clipped, IDS)?.payload).toBe(
      JSON.stringify({ clipped: "[erased]", memory_ids: [ERASED_ID] }),
    );
  });
});

describe("the call of a result about the memory alone", () => {
  it.each([
    [{ type: "tool_use", id: "c1", name: "learn", input: { fix: "x" } }, { tool_use_id: "c1" }],
    [{ type: "function_call", id: "i", call_id: "c1", name: "learn", arguments: '"x"' }, { call_id: "c1" }],
    [{ type: "function", id: "c1", function: { name: "learn", arguments: '"x"' } }, { tool_call_id: "c1" }],
    [{ name: "learn", arguments: { fix: "x" } }, { name: "learn" }],
  ])("loses its input in the format of %o", (call, result) => {
    const redacted = redactCall(JSON.stringify(call), JSON.stringify(result));
    expect(redacted).toContain("learn");
    expect(redacted).toContain("[erased]");
    expect(redacted).not.toContain("x");
  });

  it("is told from the call of another result", () => {
    const call = JSON.stringify({ type: "tool_use", id: "c0", name: "learn", input: { fix: "x" } });
    expect(redactCall(call, JSON.stringify({ tool_use_id: "c1" }))).toBe(call);
  });
});
