import { describe, expect, it } from "vitest";
import { extractCandidates } from "../../../src/domain/promotion/extract-candidates";
import type { Role } from "../../../src/schemas/message";
import { WORTH_KEEPING, WORTH_NOTHING } from "./labelled-sentences";

const from = (role: Role, content: string) =>
  extractCandidates({ id: "m1", role, content, timestamp: "2026-01-31T12:00:00.000Z" });

const SPEAKERS = ["user", "assistant"] as const;

describe("a sentence of lasting value", () => {
  const cases = Object.entries(WORTH_KEEPING).flatMap(([type, said]) =>
    SPEAKERS.flatMap((role) => (said[role] ?? []).map((sentence) => [type, role, sentence] as const)),
  );

  it.each(cases)("is a %s when the %s says: %s", (type, role, sentence) => {
    expect(from(role, sentence).map(({ memory_type }) => memory_type)).toEqual([type]);
  });
});

describe("a sentence without lasting value", () => {
  const cases = SPEAKERS.flatMap((role) => WORTH_NOTHING[role].map((sentence) => [role, sentence] as const));

  it.each(cases)("leaves nothing when the %s says: %s", (role, sentence) => {
    expect(from(role, sentence)).toEqual([]);
  });
});

describe("a candidate from a message", () => {
  it("carries the message as evidence, its speaker as source, and the reason it gives", () => {
    expect(from("user", "We decided to use Postgres because of the JSON support.")).toEqual([
      {
        content: "We decided to use Postgres because of the JSON support.",
        memory_type: "decision",
        confidence: 0.7,
        source_type: "user",
        evidence: ["message:m1"],
        rationale: "the JSON support",
      },
    ]);
    expect(from("assistant", "We decided to use Postgres.")).toMatchObject([
      { confidence: 0.6, source_type: "agent", rationale: null },
    ]);
  });

  it("comes from users and assistants only, never from tools or system prompts", () => {
    const said = "We decided to use Postgres. Remember that my name is Ana.";
    expect(from("user", said)).toHaveLength(2);
    expect(from("tool", said)).toEqual([]);
    expect(from("system", said)).toEqual([]);
  });

  it("is the sentence, not the message around it", () => {
    const message =
      "Hi! Thanks for the help yesterday. By the way, I'm allergic to penicillin. What should I take?\n\nSee you!";
    expect(from("user", message).map(({ content }) => content)).toEqual(["I'm allergic to penicillin."]);
  });

  it("contains the statement, without the words that ask to remember it", () => {
    expect(from("user", "Please remember that the door code is 4411.")[0]?.content).toBe(
      "the door code is 4411.",
    );
    expect(from("user", "- **TODO:** rotate the signing keys")[0]?.content).toBe("rotate the signing keys");
    expect(from("user", "Open question: who signs off?")[0]?.content).toBe("who signs off?");
  });

  it("comes from prose: code and quotations are not the speaker's statements", () => {
    expect(from("user", "```\nWe decided to use Postgres.\n```")).toEqual([]);
    expect(from("user", "> We decided to use Postgres.")).toEqual([]);
    expect(from("user", "The log says `we decided to use Postgres` twice.")).toEqual([]);
    expect(from("user", "The banner reads “we decided to use Postgres” twice.")).toEqual([]);
    expect(from("user", "We decided to use `pnpm` for this.")[0]?.content).toBe(
      "We decided to use `pnpm` for this.",
    );
  });

  it("reads curly apostrophes as straight ones", () => {
    expect(from("user", "I’m allergic to penicillin.")).toHaveLength(1);
  });

  it("appears once per message even if repeated, and a message yields at most three", () => {
    expect(from("user", "I'm allergic to nuts. Hello. I'm allergic to nuts!")).toHaveLength(1);
    const many = ["nuts", "eggs", "milk", "soy", "fish"].map((food) => `I'm allergic to ${food}.`).join(" ");
    expect(from("user", many)).toHaveLength(3);
  });

  it("is never a text that runs on without a stop for longer than a memory may be", () => {
    expect(from("user", `We decided to use Postgres and ${"more ".repeat(500)}`)).toEqual([]);
  });
});

describe("content that must not be stored, even with a matching rule", () => {
  const kept = (content: string) =>
    extractCandidates({ id: "m1", role: "user", content, timestamp: "2026-01-31T12:00:00.000Z" });

  it.each([
    "My password is hunter2, please always use it.",
    "Remember that my API key is sk-live-4f9a8b7c6d.",
    "Remember that our card is 4111 1111 1111 1111.",
    "We decided to use the token ghp_abcdef123456 for the bot.",
  ])("a secret: %s", (sentence) => {
    expect(kept(sentence)).toEqual([]);
  });

  it.each([
    "I decided to grab a coffee, brb.",
    "We decided to have pizza for lunch.",
    "I prefer not to say.",
  ])("what is over within the hour: %s", (sentence) => {
    expect(kept(sentence)).toEqual([]);
  });
});
