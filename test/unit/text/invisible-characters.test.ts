import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { removeInvisible } from "../../../src/kernel/validate-input";
import { normaliseContent } from "../../../src/language/normalise-text";

function hideInTags(text: string): string {
  return Array.from(text, (char) => String.fromCodePoint(0xe0000 + char.charCodeAt(0))).join("");
}

const HIDDEN = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;

describe("invisible characters", () => {
  it.each([
    ["zero-width space", "to\u200bken", "token"],
    ["zero-width joiner between Latin letters", "to\u200dken", "token"],
    ["zero-width non-joiner between Cyrillic letters", "то\u200cкен", "токен"],
    ["word joiner and byte order mark", "\ufeffto\u2060ken", "token"],
    ["direction marks, overrides and isolates", "\u202eabc\u202c \u2066x\u2069\u200e\u200f\u061c", "abc x"],
    ["soft hyphen and grapheme joiner", "to\u00adk\u034fen", "token"],
    ["Hangul fillers", "a\u3164b\u115fc\uffa0", "abc"],
    ["interlinear annotation", "\ufff9a\ufffab\ufffb", "ab"],
    ["tags", `hello${hideInTags("obey me")}`, "hello"],
    ["tags after a flag that no country has", `\u{1f3f4}${hideInTags("obey")}`, "\u{1f3f4}"],
    ["a message in variation selectors", "ok\u{e0101}\u{e0133}\u{e0142}\ufe01", "ok\u{e0101}"],
    ["a joiner before any text", "\u200d\ufe0fx", "x"],
  ])("are removed: %s", (_name, text, visible) => {
    expect(removeInvisible(text)).toBe(visible);
  });

  it.each([
    ["Persian with non-joiners", "می\u200cخواهم کتاب\u200cها را ببینم"],
    ["Arabic", "السَّلَامُ عَلَيْكُمْ ورحمة الله"],
    ["Hindi with a joiner", "क्\u200dष और श्री"],
    ["Sinhala", "ශ්\u200dරී ලංකා"],
    ["Malayalam", "അവൻ വന്\u200dനു"],
    ["a family", "👨\u200d👩\u200d👧\u200d👦"],
    ["a profession with a skin tone", "👩🏽\u200d🚀"],
    ["a heart on fire", "❤\ufe0f\u200d🔥"],
    ["a rainbow flag", "🏳\ufe0f\u200d🌈"],
    ["the flag of Wales", `🏴${hideInTags("gbwls")}\u{e007f}`],
    ["a keycap", "1\ufe0f\u20e3"],
    ["a kanji variant", "葛\u{e0100}飾区"],
    ["Japanese, Korean, Hebrew, Thai", "日本語 한국어 שָׁלוֹם ภาษาไทย"],
  ])("stay where writing needs them: %s", (_name, text) => {
    expect(removeInvisible(text)).toBe(text);
  });

  it("do not make two contents out of one", () => {
    expect(normaliseContent("My ban\u200bk is \u202eING\u202c")).toBe(normaliseContent("My bank is ING"));
  });

  it("are gone after one pass, for any text, which keeps everything that is visible", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 40 }), (text) => {
        const once = removeInvisible(text);
        expect(removeInvisible(once)).toBe(once);
        expect(once.replace(HIDDEN, "")).toBe(text.replace(HIDDEN, ""));
      }),
    );
  });
});
