// The serialisers of answers, on the terms that each format writes in its own way.
import { Parser } from "n3";
import DataFactory from "n3/src/N3DataFactory.js";
import { describe, expect, it } from "vitest";
import { toPlainRows } from "../../../src/graph/query-graph";
import { RESULT_TYPES, serialiseAnswer } from "../../../src/graph/results/result-formats";
import type { RdfTerm, SparqlAnswer } from "../../../src/graph/sparql-answer";

const { namedNode, blankNode, literal, quad, defaultGraph } = DataFactory;
const XSD = "http://www.w3.org/2001/XMLSchema#";
const typed = (value: string, name: string) => literal(value, namedNode(XSD + name));

/** One variable `x` with these terms; undefined is unbound. */
function select(...terms: (RdfTerm | undefined)[]): Extract<SparqlAnswer, { kind: "solutions" }> {
  const solutions = terms.map((term) => new Map(term === undefined ? [] : [["x", term]]));
  return { kind: "solutions", variables: ["x"], solutions };
}

const JSON_TYPE = "application/sparql-results+json";
const XML_TYPE = "application/sparql-results+xml";
const CSV_TYPE = "text/csv";
const TSV_TYPE = "text/tab-separated-values";

const TERMS = [
  namedNode("http://example.org/a?b=1&c=<2>"),
  literal("plain"),
  literal("chat", "fr-BE"),
  typed("7", "integer"),
  blankNode("internal label!"),
  undefined,
];

describe("JSON", () => {
  it("has each kind of term, and leaves out what is unbound", async () => {
    const text = await serialiseAnswer(select(...TERMS), JSON_TYPE);
    expect(JSON.parse(text)).toEqual({
      head: { vars: ["x"] },
      results: {
        bindings: [
          { x: { type: "uri", value: "http://example.org/a?b=1&c=<2>" } },
          { x: { type: "literal", value: "plain" } },
          { x: { type: "literal", value: "chat", "xml:lang": "fr-be" } },
          { x: { type: "literal", value: "7", datatype: `${XSD}integer` } },
          { x: { type: "bnode", value: "b0" } },
          {},
        ],
      },
    });
  });

  it("answers ASK with a boolean", async () => {
    const text = await serialiseAnswer({ kind: "boolean", value: false }, JSON_TYPE);
    expect(JSON.parse(text)).toEqual({ head: {}, boolean: false });
  });

  it("labels a blank node alike wherever it occurs, and others otherwise", async () => {
    const text = await serialiseAnswer(select(blankNode("p"), blankNode("q"), blankNode("p")), JSON_TYPE);
    expect(text.match(/b\d/g)).toEqual(["b0", "b1", "b0"]);
  });
});

describe("XML", () => {
  it("has each kind of term, escaped", async () => {
    const text = await serialiseAnswer(select(...TERMS), XML_TYPE);
    expect(text).toContain("<uri>http://example.org/a?b=1&amp;c=&lt;2&gt;</uri>");
    expect(text).toContain("<literal>plain</literal>");
    expect(text).toContain('<literal xml:lang="fr-be">chat</literal>');
    expect(text).toContain(`<literal datatype="${XSD}integer">7</literal>`);
    expect(text).toContain("<bnode>b0</bnode>");
    expect(text).toContain("<result></result>");
  });

  it("keeps a carriage return, and replaces what XML cannot write", async () => {
    const text = await serialiseAnswer(select(literal("a\r\nb\u0001\ud800")), XML_TYPE);
    expect(text).toContain("<literal>a&#13;\nb\ufffd\ufffd</literal>");
  });

  it("answers ASK with a boolean", async () => {
    expect(await serialiseAnswer({ kind: "boolean", value: true }, XML_TYPE)).toContain(
      "<head/>\n<boolean>true</boolean>",
    );
  });
});

describe("CSV", () => {
  it("has values without types, in lines that end in CRLF", async () => {
    expect(await serialiseAnswer(select(...TERMS), CSV_TYPE)).toBe(
      "x\r\nhttp://example.org/a?b=1&c=<2>\r\nplain\r\nchat\r\n7\r\n_:b0\r\n\r\n",
    );
  });

  it.each([
    ["a,b", '"a,b"'],
    ['say "x"', '"say ""x"""'],
    ["two\nlines", '"two\nlines"'],
    ["a\tb", "a\tb"],
  ])("quotes %j where it must", async (value, field) => {
    expect(await serialiseAnswer(select(literal(value)), CSV_TYPE)).toBe(`x\r\n${field}\r\n`);
  });
});

describe("TSV", () => {
  it.each([
    [namedNode("http://example.org/a"), "<http://example.org/a>"],
    [namedNode("http://example.org/a b\t>"), "<http://example.org/a\\u0020b\\u0009\\u003E>"],
    [literal('tab\t, line\n, "quote" and \\'), '"tab\\t, line\\n, \\"quote\\" and \\\\"'],
    [literal("chat", "fr"), '"chat"@fr'],
    [typed("7", "integer"), "7"],
    [typed("-7.50", "decimal"), "-7.50"],
    [typed("7.", "decimal"), `"7."^^<${XSD}decimal>`],
    [typed("1.0E6", "double"), "1.0E6"],
    [typed("INF", "double"), `"INF"^^<${XSD}double>`],
    [typed("seven", "integer"), `"seven"^^<${XSD}integer>`],
    [typed("7", "negativeInteger"), `"7"^^<${XSD}negativeInteger>`],
    [typed("true", "boolean"), `"true"^^<${XSD}boolean>`],
  ])("writes %o as %s", async (term, field) => {
    expect(await serialiseAnswer(select(term), TSV_TYPE)).toBe(`?x\n${field}\n`);
  });
});

describe("a graph", () => {
  const quads = [
    quad(
      blankNode("not a label"),
      namedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type"),
      namedNode("https://jido.ai/ontology#Fact"),
    ),
    quad(
      blankNode("not a label"),
      namedNode("https://jido.ai/ontology#summary"),
      literal('A "fact"\n', "en"),
    ),
    quad(
      blankNode("not a label"),
      namedNode("https://jido.ai/ontology#confidenceValue"),
      typed("0.9", "decimal"),
    ),
  ];

  it.each([
    "text/turtle",
    "application/n-triples",
    "application/trig",
    "application/n-quads",
  ])("is parsed back from %s", async (type) => {
    const text = await serialiseAnswer({ kind: "graph", quads }, type);
    const parsed = new Parser({ format: type }).parse(text);
    expect(parsed.map(({ predicate, object, graph }) => [predicate.value, object, graph])).toEqual(
      quads.map(({ predicate, object }) => [predicate.value, object, defaultGraph()]),
    );
    expect(new Set(parsed.map(({ subject }) => subject.value)).size).toBe(1);
  });

  it("is expanded JSON-LD", async () => {
    const text = await serialiseAnswer({ kind: "graph", quads }, "application/ld+json");
    expect(JSON.parse(text)).toEqual([
      {
        "@id": "_:b0",
        "@type": ["https://jido.ai/ontology#Fact"],
        "https://jido.ai/ontology#summary": [{ "@value": 'A "fact"\n', "@language": "en" }],
        "https://jido.ai/ontology#confidenceValue": [{ "@value": "0.9", "@type": `${XSD}decimal` }],
      },
    ]);
  });
});

it("an answer has no serialiser for the formats of other answers", async () => {
  expect(RESULT_TYPES.boolean).not.toContain(CSV_TYPE);
  await expect(serialiseAnswer({ kind: "boolean", value: true }, CSV_TYPE)).rejects.toThrow("text/csv");
});

it("plain rows have compact IRIs, numbers and booleans, and integers that JSON would change as texts", () => {
  const big = "9007199254740993";
  const answer = select(
    namedNode("https://jido.ai/ontology#Fact"),
    namedNode("http://example.org/a"),
    literal("7"),
    typed("7.50", "decimal"),
    typed("true", "boolean"),
    typed(big, "integer"),
    typed("INF", "double"),
    undefined,
  );
  expect(toPlainRows(answer).map(({ x }) => x)).toEqual([
    "jido:Fact",
    "http://example.org/a",
    "7",
    7.5,
    true,
    big,
    "INF",
    undefined,
  ]);
});
