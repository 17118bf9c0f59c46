import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countTokens } from "../../../src/language/token-count";
import type { Role } from "../../../src/memories/message-schemas";
import {
  type SummaryMessage,
  scoreContent,
  summariseMessages,
} from "../../../src/recall/prompts/summarise-messages";

const message = (id: string, role: Role, content: string): SummaryMessage => ({
  id,
  role,
  content,
  timestamp: "2026-01-31T12:00:00.000Z",
});

/** Returns the message that a summary with room for one selects. */
const best = (...messages: SummaryMessage[]) => {
  const room = Math.max(...messages.map(({ role, content }) => countTokens(`${role}: ${content}`) + 1));
  return summariseMessages(messages, room).used[0];
};

describe("a summary", () => {
  it("gives the messages it uses in the order of the conversation, a line each", () => {
    const messages = [
      message("a", "user", "first\nthing"),
      message("b", "assistant", "second thing"),
      message("c", "user", "third thing"),
    ];
    expect(summariseMessages(messages, 1_000)).toEqual({
      text: "user: first thing\nassistant: second thing\nuser: third thing",
      used: ["a", "b", "c"],
    });
  });

  it.each([
    ["user", "system"],
    ["system", "assistant"],
    ["assistant", "tool"],
  ] as const)("prefers what the %s says to what the %s says a moment later", (first, second) => {
    const later = Array.from({ length: 18 }, () => message("", "tool", ""));
    expect(best(message("a", first, "one two"), message("b", second, "one two"), ...later)).toBe("a");
  });

  it("gives recency more weight than the role", () => {
    expect(best(message("old", "user", "one two"), message("new", "tool", "one two"))).toBe("new");
  });

  it("prefers the recent among equals", () => {
    expect(best(message("old", "user", "one two three"), message("new", "user", "one two three"))).toBe(
      "new",
    );
  });

  it("prefers messages with content", () => {
    const plain = message("plain", "user", "we had a nice chat about many other things");
    expect(
      best(
        message("said", "user", "we decided to fix the critical bug now ok"),
        plain,
        message("z", "tool", ""),
      ),
    ).toBe("said");
  });

  it("scores content by its signs, up to 1", () => {
    expect(scoreContent("a plain remark")).toBe(0);
    expect(scoreContent("is it so?")).toBeCloseTo(0.3);
    expect(scoreContent("we decided on it")).toBeCloseTo(0.4);
    expect(scoreContent("it failed")).toBeCloseTo(0.3);
    expect(scoreContent("this is important")).toBeCloseTo(0.2);
    expect(scoreContent("run `make`")).toBeCloseTo(0.15);
    expect(scoreContent("see app.ts")).toBeCloseTo(0.1);
    expect(scoreContent("Important: we decided `x` in app.ts, it failed. Why?")).toBe(1);
  });

  it("represents a long message by its most telling sentence", () => {
    const filler = "This part goes on and on about nothing in particular. ".repeat(20);
    const { text } = summariseMessages(
      [message("a", "user", `${filler}We decided to use Postgres. ${filler}`)],
      1_000,
    );
    expect(text).toBe("user: We decided to use Postgres.");
  });

  it("clips a long text that has no sentences, and passes over an empty message", () => {
    const { text, used } = summariseMessages(
      [message("a", "tool", "x ".repeat(4_000)), message("b", "user", " \n ")],
      1_000,
    );
    expect(used).toEqual(["a"]);
    expect(text.length).toBeLessThan(300);
    expect(summariseMessages([message("a", "tool", `\`\`\`\n${"y ".repeat(400)}`)], 1_000).text).toMatch(
      /^tool: ```/,
    );
  });

  it("stays within its tokens for any conversation", () => {
    const any = fc.record({
      id: fc.string(),
      role: fc.constantFrom<Role>("user", "assistant", "system", "tool"),
      content: fc.string({ unit: "grapheme", maxLength: 400 }),
      timestamp: fc.constant(""),
    });
    fc.assert(
      fc.property(fc.array(any, { maxLength: 12 }), fc.integer({ min: -5, max: 200 }), (messages, max) => {
        const { text, used } = summariseMessages(messages, max);
        expect(countTokens(text)).toBeLessThanOrEqual(Math.max(0, max));
        expect(text === "" ? 0 : text.split("\n").length).toBe(used.length);
      }),
    );
  });
});
