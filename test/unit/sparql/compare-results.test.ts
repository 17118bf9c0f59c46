// How the conformance runner compares results: blank nodes up to their labels, numbers by value.
import { describe, expect, it } from "vitest";
import { compareResults } from "../../../scripts/lib/conformance/compare-results";
import { parseResults } from "../../../scripts/lib/conformance/parse-results";

const TSV = "text/tab-separated-values";

const compare = async (expected: string, actual: string, isLax = false) =>
  compareResults(await parseResults(expected, TSV, "x:"), await parseResults(actual, TSV, "x:"), isLax);

describe("two results", () => {
  it.each([
    ["in another order", "?x\n<a:1>\n<a:2>\n", "?x\n<a:2>\n<a:1>\n", "exact"],
    ["with other columns first", "?x\t?y\n1\t2\n", "?y\t?x\n2\t1\n", "exact"],
    ["with other labels", "?x\t?y\n_:a\t_:a\n_:b\t_:a\n", "?x\t?y\n_:q\t_:p\n_:p\t_:p\n", "exact"],
    ["with another identity of blank nodes", "?x\t?y\n_:a\t_:a\n", "?x\t?y\n_:a\t_:b\n", "different"],
    ["with one blank node for two", "?x\t?y\n_:a\t_:b\n", "?x\t?y\n_:a\t_:a\n", "different"],
    ["with another form of a number", "?x\n1.50\n", "?x\n1.5\n", "by value"],
    ["with another datatype", "?x\n1\n", "?x\n1.0\n", "different"],
    ["with another case of a language", '?x\n"a"@EN\n', '?x\n"a"@en\n', "exact"],
    ["with another value", '?x\n"a"\n', '?x\n"b"\n', "different"],
    ["with an unbound variable", "?x\t?y\n1\t\n", "?x\t?y\n1\t1\n", "different"],
    ["with another variable", "?x\n1\n", "?y\n1\n", "different"],
    ["with a duplicate", "?x\n1\n1\n", "?x\n1\n", "different"],
  ])("%s", async (_, expected, actual, comparison) => {
    expect(await compare(expected, actual)).toBe(comparison);
  });

  it("may lack duplicates where REDUCED removes them", async () => {
    expect(await compare("?x\n1\n1\n", "?x\n1\n", true)).toBe("exact");
    expect(await compare("?x\n1\n2\n", "?x\n1\n", true)).toBe("different");
  });

  it("are read alike from every format", async () => {
    const xml = `<?xml version="1.0"?><sparql xmlns="http://www.w3.org/2005/sparql-results#"><head><variable name="x"/></head>
      <results><result><binding name="x"><literal xml:lang="en">a</literal></binding></result></results></sparql>`;
    const json =
      '{"head":{"vars":["x"]},"results":{"bindings":[{"x":{"type":"literal","value":"a","xml:lang":"en"}}]}}';
    const results = [
      await parseResults(xml, "application/sparql-results+xml", "x:"),
      await parseResults(json, "application/sparql-results+json", "x:"),
    ];
    for (const result of results)
      expect(compareResults(await parseResults('?x\n"a"@en\n', TSV, "x:"), result)).toBe("exact");
    const csv = await parseResults('x,y\r\n"a, ""b""\n",\r\n_:b0,2\r\n', "text/csv", "x:");
    expect(csv).toMatchObject({ variables: ["x", "y"], rows: [expect.anything(), expect.anything()] });
    const [first] = csv.kind === "solutions" ? csv.rows : [];
    expect([first?.get("x")?.value, first?.get("y")]).toEqual(['a, "b"\n', undefined]);
  });
});
