import { describe, expect, it } from "vitest";
import {
  limitModelSource,
  limitSourceRank,
  outranks,
  readSourceRanks,
  renderSourceLabel,
  toMessageSource,
} from "../../../src/trust/source-rank";

const RANKS = readSourceRanks(undefined);

describe("the ranks of sources", () => {
  it("put the user and the agent first, then tools, then documents", () => {
    expect(outranks(RANKS, "user", "agent")).toBe(false);
    expect(outranks(RANKS, "agent", "user")).toBe(false);
    expect(outranks(RANKS, "agent", "tool")).toBe(true);
    expect(outranks(RANKS, "tool", "external_document")).toBe(true);
    expect(outranks(RANKS, "external_document", "user")).toBe(false);
    expect(readSourceRanks("  ")).toEqual(RANKS);
  });

  it("are those of the setting", () => {
    const ranks = readSourceRanks("user>agent > tool=external_document");
    expect(outranks(ranks, "user", "agent")).toBe(true);
    expect(outranks(ranks, "tool", "external_document")).toBe(false);
  });

  it.each([
    "user",
    "user > agent > tool",
    "user > agent > tool > web",
    "user > agent > tool > tool > external_document",
    "user, agent, tool, external_document",
    "user > agent > tool > external_document > ",
  ])("are refused if the setting is incomplete or unclear: %s", (setting) => {
    expect(() => readSourceRanks(setting)).toThrow(/SOURCE_RANKS must name user, agent, tool/);
  });

  it("give a derived statement the lowest of what it rests on, and its own source among peers", () => {
    expect(limitSourceRank(RANKS, "user", ["agent"])).toBe("user");
    expect(limitSourceRank(RANKS, "user", ["agent", "external_document", "tool"])).toBe("external_document");
    expect(limitSourceRank(RANKS, "tool", ["user"])).toBe("tool");
  });

  it("let a model speak for itself at most", () => {
    expect(limitModelSource(RANKS, "user")).toBe("agent");
    expect(limitModelSource(RANKS, "agent")).toBe("agent");
    expect(limitModelSource(RANKS, "tool")).toBe("tool");
    expect(limitModelSource(readSourceRanks("tool > user = agent > external_document"), "tool")).toBe(
      "agent",
    );
  });

  it("follow from the role of a message", () => {
    expect((["user", "assistant", "system", "tool"] as const).map(toMessageSource)).toEqual([
      "user",
      "agent",
      "agent",
      "tool",
    ]);
  });

  it("are shown for what is neither the user's nor the agent's", () => {
    expect(
      (["user", "agent", "tool", "external_document", undefined] as const).map(renderSourceLabel),
    ).toEqual(["", "", "(from a tool) ", "(from a document) ", ""]);
  });
});
