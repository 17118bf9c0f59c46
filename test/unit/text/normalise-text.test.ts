import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatValue } from "../../../src/language/json-text";
import { clip, normaliseContent } from "../../../src/language/normalise-text";
import { splitSentences, stripCodeFences } from "../../../src/language/sentences";

describe("the same content", () => {
  it("is the same in another case, spacing, width or with other final punctuation", () => {
    const form = normaliseContent("The project uses Phoenix 1.7");
    for (const same of [
      "  the PROJECT  uses\nPhoenix 1.7. ",
      "The project uses Phoenix 1.7!!",
      "Ｔｈｅ project uses Phoenix 1.7 .",
    ]) {
      expect(normaliseContent(same)).toBe(form);
    }
  });

  it("is another one when a question mark or a number makes it so", () => {
    expect(normaliseContent("Phoenix 1.7?")).not.toBe(normaliseContent("Phoenix 1.7"));
    expect(normaliseContent("Phoenix 1.7")).not.toBe(normaliseContent("Phoenix 1.8"));
  });

  it("is never emptied: punctuation alone stays as it is", () => {
    expect(normaliseContent("...")).not.toBe(normaliseContent("!!!"));
  });

  it("is found again from its normalised form", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const once = normaliseContent(text);
        expect(normaliseContent(once)).toBe(once);
      }),
    );
  });
});

describe("values and clipping", () => {
  it("reads a string as it is and anything else as compact JSON", () => {
    expect(formatValue("Phoenix")).toBe("Phoenix");
    expect(formatValue({ a: [1, null] })).toBe('{"a":[1,null]}');
    expect(formatValue(null)).toBe("null");
  });

  it("clips by code points and shows that something is missing", () => {
    expect(clip("🙂🙂🙂", 3)).toBe("🙂🙂🙂");
    expect(clip("🙂🙂🙂🙂", 3)).toBe("🙂🙂…");
  });
});

describe("sentences", () => {
  const texts = (text: string) => splitSentences(text).map((sentence) => sentence.text);

  it("end at a stop, not at an abbreviation, a number or a file name", () => {
    expect(texts("Dr. Ahn uses v1.7, e.g. in app.ts. We like it! Really? Yes")).toEqual([
      "Dr. Ahn uses v1.7, e.g. in app.ts.",
      "We like it!",
      "Really?",
      "Yes",
    ]);
    expect(texts("終わり。次へ")).toEqual(["終わり。", "次へ"]);
  });

  it("are found in lists, and put together again from wrapped lines", () => {
    expect(texts("- one thing\n2. another\n## A heading\n- [ ] open")).toEqual([
      "one thing",
      "another",
      "A heading",
      "open",
    ]);
    expect(texts("After a long talk with everyone involved we decided to use\npostgres.\nHi\nthere")).toEqual(
      ["After a long talk with everyone involved we decided to use postgres.", "Hi", "there"],
    );
  });

  it("are found as fast in 32 KB of dots as elsewhere", async () => {
    const start = Date.now();
    expect(splitSentences(".".repeat(32_768))).toHaveLength(1);
    // The clock of workerd advances only after I/O.
    await new Promise((resolve) => setTimeout(resolve, 1));
    expect(Date.now() - start).toBeLessThan(300);
  });

  it("leave out fenced code and quoted lines", () => {
    expect(texts("Before.\n```ts\nconst a = 1;\n```\n> said another\nAfter.")).toEqual(["Before.", "After."]);
    expect(stripCodeFences("a ~~~ never closed")).toBe("a \n");
  });

  it("blank out inline code and quotations in their prose, at the same length", () => {
    for (const { text, prose } of splitSentences('He said "we decided. Really." about `x = 1` «là»')) {
      expect(prose).toHaveLength(text.length);
      expect(prose).not.toMatch(/decided|=|là/);
    }
    expect(splitSentences('He said "we decided. Really." about it')).toHaveLength(1);
  });
});
