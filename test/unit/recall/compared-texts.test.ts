// The texts that a search compares with its query: their days in words, and their words.
import { describe, expect, it } from "vitest";
import { extractSearchTerms } from "../../../src/language/words/query-terms";
import { toDateWords } from "../../../src/memories/store/memory-entry";
import { measureTermCoverage, prepareText } from "../../../src/recall/search/term-coverage";

describe("the day of a text", () => {
  it("is written as the English calendar writes it", () => {
    const format = (options: Intl.DateTimeFormatOptions, date: Date) =>
      new Intl.DateTimeFormat("en", { ...options, timeZone: "UTC" }).format(date);
    for (let day = 0; day < 366; day += 1) {
      const date = new Date(Date.UTC(2028, 0, 1 + day, 23, 59));
      expect(toDateWords(date.toISOString())).toEqual([
        format({ weekday: "long" }, date),
        format({ month: "long" }, date),
        "2028",
        String(date.getUTCDate()),
      ]);
    }
  });

  it("is that of a valid time", () => {
    expect(() => toDateWords("yesterday")).toThrow(RangeError);
  });
});

describe("texts that were prepared before", () => {
  const texts = ["The cat sleeps", "The cat sleeps", "A dog runs in the park"];
  const measure = (compared: Parameters<typeof measureTermCoverage>[1]) => {
    const getCoverage = measureTermCoverage("cat in the park", compared);
    return texts.map((_, i) => getCoverage(i));
  };

  it("cover as much of a query, and each of two equal texts counts", () => {
    const prepared = texts.map(prepareText);
    expect(measure(prepared)).toEqual(measure(texts));
    const [first, , third] = prepared;
    if (first === undefined || third === undefined) throw new Error("There are three texts");
    expect(measure([first, first, third])).toEqual(measure(texts));
  });
});

describe("the terms of a query", () => {
  it("are the same when they are extracted again, whatever was asked in between", () => {
    const extract = () => extractSearchTerms("Where did I park the getUserById car?");
    const before = structuredClone(extract());
    expect(extract()).toEqual(before);
    for (let i = 0; i < 20; i += 1) extractSearchTerms(`another question ${i}`);
    expect(extract()).toEqual(before);
  });
});
