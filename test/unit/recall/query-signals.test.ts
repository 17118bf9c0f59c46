import { describe, expect, it } from "vitest";
import { findTimeRanges } from "../../../src/language/times/time-ranges";
import { detectQuerySignals } from "../../../src/recall/search/rank-fusion";

const PEOPLE = ["Anna", "Ben", "Mary Ann Evans", "Jürgen", null];
/** Returns the speakers that the query names. */
const speakers = (query: string, names: readonly (string | null)[] = PEOPLE) =>
  names.filter((name) => detectQuerySignals(query, names.map(message), []).matchesSpeaker(message(name)));
const message = (name: string | null) => ({ kind: "message" as const, name, text: null });
const memory = (text: string, user: string | null = null) => ({ kind: "memory" as const, name: user, text });

describe("the speaker that a query names", () => {
  it.each<[string, (string | null)[]]>([
    ["What did Anna cook?", ["Anna"]],
    ["what did ANNA cook", ["Anna"]],
    ["What is Anna's favourite dish?", ["Anna"]],
    ["Wo wohnt Jürgen?", ["Jürgen"]],
    ["What did Mary paint?", ["Mary Ann Evans"]],
    ["What did Evans paint?", ["Mary Ann Evans"]],
    ["What did Mary Ann Evans paint?", ["Mary Ann Evans"]],
  ])("%s", (query, who) => {
    expect(speakers(query)).toEqual(who);
  });

  it("is nobody when two are named, none is named, or the name is only part of a word", () => {
    expect(speakers("What did Anna tell Ben?")).toEqual([]);
    expect(speakers("What was cooked?")).toEqual([]);
    expect(speakers("What about Annabel and the bending road?")).toEqual([]);
    expect(speakers("")).toEqual([]);
  });

  it("is one of the speakers: another name names nobody", () => {
    expect(speakers("What did Zoe tell Anna?")).toEqual(["Anna"]);
    expect(speakers("What did Zoe say?")).toEqual([]);
    expect(
      detectQuerySignals("What did Zoe say?", PEOPLE.map(message), []).matchesSpeaker(message("Zoe")),
    ).toBe(false);
  });

  it("never matches a message without a name", () => {
    expect(
      detectQuerySignals("What did Anna say?", ["Anna", null].map(message), []).matchesSpeaker(message(null)),
    ).toBe(false);
  });

  it("is one person for any number of messages", () => {
    expect(speakers("What did Anna cook?", ["Anna", "Anna", "Ben"])).toEqual(["Anna", "Anna"]);
  });
});

describe("the person that a memory is by, or speaks of", () => {
  const matches = (query: string, texts: readonly ReturnType<typeof memory>[]) =>
    texts.filter((text) => detectQuerySignals(query, texts, []).matchesSpeaker(text));

  it("is named before the statement", () => {
    const [anna, ben] = [memory("Anna: I moved to Porto."), memory("Ben: I stay here.")];
    expect(matches("Where does Anna live?", [anna, ben])).toEqual([anna]);
  });

  it("is the user whom it belongs to", () => {
    const [anna, ben] = [memory("I moved to Porto.", "anna"), memory("I stay here.", "ben")];
    expect(matches("Where does Anna live?", [anna, ben])).toEqual([anna]);
  });

  it("is spoken of in a memory by somebody else, if this person is a speaker", () => {
    const [anna, ben] = [memory("Anna: Hello!"), memory("Ben: Anna moved to Porto.")];
    expect(matches("Where does Anna live?", [anna, ben])).toEqual([anna, ben]);
    expect(matches("Where does Anna live?", [ben])).toEqual([]);
  });

  it("is not a label of a note", () => {
    expect(matches("Which decision did we take?", [memory("Decision: use Postgres")])).toEqual([]);
  });
});

/** The middle of each month of two years. */
const MONTHS = [2025, 2026].flatMap((year) =>
  Array.from({ length: 12 }, (_, i) => `${year}-${String(i + 1).padStart(2, "0")}`),
);
const NOW = "2026-11-17T10:00:00Z";
/** Returns the months whose 15th fits the query entirely. */
const months = (query: string) => {
  const { scoreDate } = detectQuerySignals(query, [], findTimeRanges(query, NOW));
  return MONTHS.filter((month) => scoreDate(`${month}-15T00:00:00.000Z`) === 1);
};

describe("the month that a query mentions", () => {
  it.each<[string, string[]]>([
    ["What happened in June?", ["2025-06", "2026-06"]],
    ["what happened in june", ["2025-06", "2026-06"]],
    ["What happened in June 2026?", ["2026-06"]],
    ["What happened on June 15th, 2026?", ["2026-06"]],
    ["What happened on 15 June 2026?", ["2026-06"]],
    ["What happened in June of 2025?", ["2025-06"]],
    ["What happened on 2026-06-15?", ["2026-06"]],
    ["What happened in 2026-06?", ["2026-06"]],
    ["Was it June 2026 or August 2025?", ["2025-08", "2026-06"]],
    ["What happened in June 1999?", []],
  ])("%s", (query, named) => {
    expect(months(query)).toEqual(named);
  });

  it.each([
    "What happened yesterday?",
    "What happened on 2026-13-01?",
    "Call 2026-0612",
    "Where is Juneau?",
    "",
  ])("is none in: %s", (query) => {
    expect(months(query)).toEqual([]);
  });

  it.each([
    ["What may I cook?", []],
    ["Where did they march?", []],
    ["May I come in?", []],
    ["What happened in May?", ["2025-05", "2026-05"]],
    ["Where was Anna last March?", ["2026-03"]],
    ["What was planned for May 15th?", ["2025-05", "2026-05"]],
    ["The 15th May concert", ["2025-05", "2026-05"]],
    ["The march 2026 release", ["2026-03"]],
  ])("is May or March only next to a preposition, a day or a year: %s", (query, named) => {
    expect(months(query)).toEqual(named);
  });

  it("weighs a date after the time more than one before it, and none that is far away", () => {
    const query = "What happened in June 2026?";
    const { scoreDate } = detectQuerySignals(query, [], findTimeRanges(query, NOW));
    expect(scoreDate("2026-06-30T23:59:59.999Z")).toBe(1);
    expect(scoreDate("2026-07-01T01:00:00.000+02:00")).toBe(1);
    expect(scoreDate("2026-07-07T23:59:59.999Z")).toBeCloseTo(0.5, 5);
    expect(scoreDate("2026-05-29T00:00:00.000Z")).toBeCloseTo(0.5, 5);
    expect(scoreDate("2026-08-15T00:00:00.000Z")).toBe(0);
    expect(scoreDate("2025-06-15T00:00:00.000Z")).toBe(0);
  });
});
