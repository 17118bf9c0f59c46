import { describe, expect, it } from "vitest";
import { withholdContent } from "../../src/trust/withhold-content";

describe("withholding content", () => {
  it("keeps ids, revisions and counts", () => {
    const answer = {
      id: "s",
      rev: 3,
      counts: { messages: 2 },
      promoted: [{ memory_id: "m" }],
      superseded: [],
    };
    expect(withholdContent({ ...answer, metadata: { id: "private" }, content: "private" })).toEqual(answer);
  });

  it("withholds an object or a list of objects under the name of a count", () => {
    const stored = { context: { status: "private", rev: 1 }, messages: [{ id: "private" }] };
    expect(withholdContent(stored)).toEqual({});
  });

  it("withholds a number and a text under any other name", () => {
    expect(withholdContent({ value: 42, data: { id: "private" }, key: "private", count: "private" })).toEqual(
      {},
    );
  });

  it("keeps the error of one item of many, which says what to change", () => {
    const error = { code: "invalid_request", detail: "content: is required" };
    const results = [{ error }, { memory_id: "m", content: "private" }];
    expect(withholdContent({ results })).toEqual({ results: [{ error }, { memory_id: "m" }] });
  });
});
