// The order in which the patterns of a group are joined.
import { DataFactory, type Term } from "n3";
import { describe, expect, it } from "vitest";
import { orderPatterns } from "../../../src/graph/compile/order-patterns";

/** `?name` is a variable, `"text"` a literal, anything else an IRI. */
function parse(pattern: string) {
  const [subject = "", predicate = "", object = ""] = pattern.split(" ");
  return { subject: toTerm(subject), predicate: toTerm(predicate), object: toTerm(object), pattern };
}

function toTerm(text: string): Term {
  if (text.startsWith("?")) return DataFactory.variable(text.slice(1));
  return text.startsWith('"') ? DataFactory.literal(text.slice(1, -1)) : DataFactory.namedNode(text);
}

function order(...patterns: string[]): string[] | null {
  const parsed = patterns.map(parse);
  const ordered = orderPatterns(parsed);
  return ordered?.map((terms) => parsed.find((one) => one === terms)?.pattern ?? "") ?? null;
}

describe("the order of patterns", () => {
  it("is left to SQLite if each shares a variable with each other", () => {
    expect(order("?m a Fact")).toBeNull();
    expect(order("?m a Fact", "?m summary ?t", "?m hasAgent ?a")).toBeNull();
    expect(order("?a next ?b", "?b next ?c")).toBeNull();
  });

  it("begins with the pattern that connects the others", () => {
    expect(order("?old summary ?a", "?new summary ?b", "?old supersededBy ?new")).toEqual([
      "?old supersededBy ?new",
      "?old summary ?a",
      "?new summary ?b",
    ]);
  });

  it("begins with a known subject, then a known resource, then a known literal", () => {
    const hops = ["?m assertedIn ?s", "?m summary ?t"];
    expect(order(...hops, "s1 continues ?s", "?s partOf shop")?.[0]).toBe("s1 continues ?s");
    expect(order(...hops, "?s partOf shop", '?s name "x"')?.[0]).toBe("?s partOf shop");
    expect(order(...hops, '?s name "x"')).toEqual(['?s name "x"', "?m assertedIn ?s", "?m summary ?t"]);
  });

  it("follows a resource to the triples that have it as their object, and compares literals last", () => {
    expect(order("?a text ?t", "?b text ?t", "?a next ?c", "?c a Thing")).toEqual([
      "?c a Thing",
      "?a next ?c",
      "?a text ?t",
      "?b text ?t",
    ]);
  });

  it("takes parts that nothing connects one after the other", () => {
    expect(order("?a p ?b", "?c p ?d", "?b q ?e", "?d q ?f")).toEqual([
      "?a p ?b",
      "?b q ?e",
      "?c p ?d",
      "?d q ?f",
    ]);
  });
});
