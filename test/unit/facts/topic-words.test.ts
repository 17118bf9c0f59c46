// The words of a topic: what a question about it uses and its statement may lack.
import { describe, expect, it } from "vitest";
import { deriveTopicKey, listTopicWords } from "../../../src/facts/topics/topic-key";

describe("the words of a topic", () => {
  it.each([
    ["I have moved to Porto", "live"],
    ["I joined Globex last week.", "work"],
    ["I am 42 years old", "age"],
  ])("of %j have %j", (statement, word) => {
    const key = deriveTopicKey(statement);
    expect(key).not.toBeNull();
    expect(listTopicWords(key ?? "")).toContain(word);
  });

  it("are those of its attribute, never those of its subject", () => {
    expect(listTopicWords("~fact:maria's shop/launch date")).toEqual(["launch", "date"]);
  });

  it("are taken from no prototype", () => {
    expect(listTopicWords("~fact:user/constructor")).toEqual(["constructor"]);
  });
});
