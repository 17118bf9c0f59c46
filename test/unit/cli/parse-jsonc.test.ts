// JSON with comments, compared with jsonc-parser, which is too large to bundle.
import fc from "fast-check";
import * as library from "jsonc-parser";
import { describe, expect, it } from "vitest";
import { type JsonNode, parseJsonc } from "../../../cli/setup/parse-jsonc";
import { scaleCases } from "../../patience";

/** What may stand between two tokens. */
const space = fc.array(fc.constantFrom(" ", "\n", "\r\n", "\t", '// a "b", {\n', "/* [ */", "/* a\n b **/"), {
  maxLength: 2,
});

/** jsonc-parser loses the key __proto__. */
const json = fc.json({ maxDepth: 3 }).filter((text) => !text.includes("__proto__"));

/** A text with its comments and spaces, some of it with trailing commas. */
const jsonc = fc
  .tuple(json, fc.infiniteStream(space), fc.infiniteStream(fc.boolean()))
  .map(([text, spaces, commas]) => {
    const tokens = text.match(/"(?:[^"\\]|\\.)*"|[[\]{}:,]|[^\s[\]{}:,"]+/g) ?? [];
    return tokens
      .map((token, at) => {
        const isLast = /^[\]}]$/.test(token) && !/^[[{]$/.test(tokens[at - 1] ?? "");
        const comma = isLast && commas.next().value ? "," : "";
        return `${comma}${(spaces.next().value ?? []).join("")}${token}`;
      })
      .join("");
  });

const RUNS = { numRuns: scaleCases(1_000) };

function parseWithLibrary(text: string): { value: unknown; isValid: boolean } {
  const errors: library.ParseError[] = [];
  const value: unknown = library.parse(text, errors, { allowTrailingComma: true });
  return { value, isValid: errors.length === 0 };
}

function listNodes(node: JsonNode): JsonNode[] {
  return [node, ...[...node.members.values()].flatMap(listNodes)];
}

describe("JSON with comments", () => {
  it("has the values of jsonc-parser, each at its place", () => {
    fc.assert(
      fc.property(jsonc, (text) => {
        const root = parseJsonc(text);
        expect(root.value).toEqual(parseWithLibrary(text).value);
        for (const { start, end, value } of listNodes(root))
          expect(parseJsonc(text.slice(start, end)).value).toEqual(value);
      }),
      RUNS,
    );
  });

  it("is refused where jsonc-parser refuses it", () => {
    const broken = fc
      .tuple(jsonc, fc.nat(), fc.constantFrom("", "{", "]", ",", ":", '"', "x", "0", "/", "\\", "\n"))
      .map(([text, at, sign]) => {
        const place = at % (text.length + 1);
        return text.slice(0, place) + sign + text.slice(place + 1);
      });
    fc.assert(
      fc.property(broken, (text) => {
        const { value, isValid } = parseWithLibrary(text);
        if (isValid) expect(parseJsonc(text).value).toEqual(value);
        else expect(() => parseJsonc(text)).toThrow(/ is missing in line \d+$/);
      }),
      RUNS,
    );
  });

  it.each([
    ["", "a value is missing in line 1"],
    ['{\n  "a": {,}\n}', "a key is missing in line 2"],
    ['{\n  "a" 1\n}', "a colon is missing in line 2"],
    ['{\n  "a": 1\n  "b": 2\n}', "a comma or } is missing in line 3"],
    ["[1, 2", "a comma or ] is missing in line 1"],
    ["{}\n}", "the end of the file is missing in line 2"],
    ['{ "a": tru }', "a value is missing in line 1"],
    ["[ /* ]", "a value is missing in line 1"],
  ])("%j: %s", (text, message) => {
    expect(() => parseJsonc(text)).toThrow(message);
  });

  it("has the last of two values of the same key, and any key, as JSON.parse has", () => {
    expect(parseJsonc('{ "a": 1, "a": 2 }').members.get("a")?.value).toBe(2);
    const text = '{ "__proto__": { "a": 1 } }';
    expect(JSON.stringify(parseJsonc(text).value)).toBe(JSON.stringify(JSON.parse(text)));
  });
});
