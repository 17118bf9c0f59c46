// Texts that only greet, thank, take leave or acknowledge.
import { describe, expect, it } from "vitest";
import { isCourtesy } from "../../../src/language/questions";

describe("a courtesy", () => {
  it.each([
    "Okay.",
    "ok!",
    "lol ok",
    "Hey there!",
    "Good morning",
    "Thanks a lot, bye!",
    "thank you so much 🙏",
    "You’re welcome.",
    "haha",
    "Got it, thanks",
  ])("is all of %j", (text) => {
    expect(isCourtesy(text)).toBe(true);
  });

  it.each([
    "Yes.",
    "No",
    "Great!",
    "Sure",
    "Tomorrow",
    "Alright, see you tomorrow!",
    "Okay, at noon",
    "Thanks, I live in Rome",
    "Hey Mel",
    "…",
    "",
    `ok ${"ok ".repeat(30)}`,
  ])("is not %j", (text) => {
    expect(isCourtesy(text)).toBe(false);
  });
});
