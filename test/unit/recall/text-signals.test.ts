import { describe, expect, it } from "vitest";
import { findSpeakerName, isQuestion } from "../../../src/language/questions";
import { createTextSignals, measureSessionSupport } from "../../../src/recall/search/term-coverage";

describe("signals of a text", () => {
  it("grow with the logarithm of its words", () => {
    const detect = createTextSignals("anything");
    expect(detect("one").length).toBeCloseTo(Math.log(2));
    expect(detect(" one two\nthree ").length).toBeCloseTo(Math.log(4));
  });

  it("tell a question from a statement", () => {
    const detect = createTextSignals("anything");
    expect(detect("Did you see it?").asks).toBe(true);
    expect(detect("I saw it.").asks).toBe(false);
  });

  it.each([
    ["When did Anna move?", "I moved last May.", true],
    ["What year was that?", "It was 2019.", true],
    ["which day is the party", "On Saturday!", true],
    ["When did Anna move?", "I moved to Porto.", false],
    ["Did Anna move when she could?", "I moved last May.", false],
    ["Where is it?", "Since 2019 in Porto.", false],
  ])("answer when: %s %s", (query, text, expected) => {
    expect(createTextSignals(query)(text).answersWhen).toBe(expected);
  });

  it.each([
    ["How many dogs are there?", "We have two dogs.", true],
    ["So how long does it take?", "About 40 minutes", true],
    ["How many dogs are there?", "We love dogs.", false],
    ["How do dogs sleep?", "We have two dogs.", false],
  ])("answer how many: %s %s", (query, text, expected) => {
    expect(createTextSignals(query)(text).answersCount).toBe(expected);
  });
});

describe("the support of a session", () => {
  const candidate = (session_id: string | null, cosine: number | null) => ({ session_id, cosine });

  it("is the mean of its three nearest other candidates", () => {
    const near = [0.8, 0.6, 0.4, 0.2].map((cosine) => candidate("a", cosine));
    const far = candidate("a", null);
    const getSupport = measureSessionSupport([...near, far, candidate("b", 0.9)]);
    expect(near.map((each) => getSupport(each).toFixed(3))).toEqual(["0.400", "0.467", "0.533", "0.600"]);
    expect(getSupport(far)).toBeCloseTo(0.6);
  });

  it("counts missing ones as 0, and nothing without a session", () => {
    const [first, second] = [candidate("a", 0.9), candidate("a", 0.3)];
    const [alone, other] = [candidate(null, 0.9), candidate(null, 0.9)];
    const getSupport = measureSessionSupport([first, second, alone, other]);
    expect(getSupport(first)).toBeCloseTo(0.1);
    expect(getSupport(second)).toBeCloseTo(0.3);
    expect(getSupport(alone)).toBe(0);
  });
});

describe("a question", () => {
  it.each([
    "Why?",
    "Why? ",
    'She asked "why?"',
    "本当ですか？",
    "لماذا؟",
    "Ready? [shares a photo]",
  ])("%s", (text) => {
    expect(isQuestion(text)).toBe(true);
  });

  it.each(["Why not.", "Why? Because!", "", "[what?] no"])("is not %j", (text) => {
    expect(isQuestion(text)).toBe(false);
  });
});

describe("the speaker in a text", () => {
  it.each([
    ["Caroline: I went to Paris.", "Caroline"],
    ["Mary Ann Evans: Hello", "Mary Ann Evans"],
    ["Jürgen: Hallo", "Jürgen"],
  ])("%s", (text, name) => {
    expect(findSpeakerName(text)).toBe(name);
  });

  it.each([
    "framework: Phoenix",
    "Note: call Ben",
    "User: My name is Alex",
    "At 10:30 we met",
    "The rule is: no",
    "Anna:x",
  ])("is nobody in %j", (text) => {
    expect(findSpeakerName(text)).toBeNull();
  });
});
