// What a user's recent texts are about.
import { describe, expect, it } from "vitest";
import { findTopics } from "../../../src/owners/read-user";

describe("findTopics", () => {
  it("returns names, and words that several texts share, the most frequent first", () => {
    const topics = findTopics(
      [
        "My flight to Lisbon was cancelled",
        "The invoices for the flight are missing, ask Maria in Lisbon",
        "Please send the invoice again",
        "Which flights go to Lisbon?",
      ],
      10,
    );
    expect(topics.slice(0, 2)).toEqual(["Lisbon", "flight"]);
    expect(topics).toContain("Maria");
    expect(topics).toContain("invoices");
  });

  it("returns neither stop words nor small talk, however frequent", () => {
    const texts = ["Hello, thanks, I would really like this", "Thanks! I really think that is what I want"];
    expect(findTopics([...texts, ...texts], 10)).toEqual([]);
  });

  it("counts inflections of a word as one topic", () => {
    expect(findTopics(["I bought two guitars", "Which guitar should I buy?"], 10)).toEqual(["guitars"]);
  });

  it("ignores words that only one text has", () => {
    expect(findTopics(["the umbrella stands in the hallway"], 10)).toEqual([]);
  });

  it("returns at most the limit, and nothing of nothing", () => {
    const text = "guitar piano violin trumpet drums flute";
    expect(findTopics([text, text], 3)).toEqual(["guitar", "piano", "violin"]);
    expect(findTopics([], 3)).toEqual([]);
  });
});
