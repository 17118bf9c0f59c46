// The examples on the pages of the ontology.
import { Parser } from "n3";
import { describe, expect, it } from "vitest";
import { findTerm, writeTermExample } from "../../../src/graph/find-term";
import { listAncestors } from "../../../src/ontology/classes";
import { CLASSES, INDIVIDUALS, NAMESPACE, PROPERTIES } from "../../../src/ontology/generated/terms.generated";

const TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";

function readExample(name: string) {
  const found = findTerm(name);
  if (found === undefined) throw new Error(`No such term: ${name}`);
  return new Parser().parse(writeTermExample(found).turtle);
}

describe("the example of a term", () => {
  it.each(Object.keys(CLASSES))("%s, a class, has an instance of it", (name) => {
    const quads = readExample(name);
    expect(
      quads.some(({ predicate, object }) => predicate.value === TYPE && object.value === NAMESPACE + name),
    ).toBe(true);
  });

  it.each(Object.entries(PROPERTIES))("%s, a property, connects its domain with its range", (name, {
    domain,
    range,
  }) => {
    const quads = readExample(name);
    const [used] = quads.filter(({ predicate }) => predicate.value === NAMESPACE + name);
    if (used === undefined) throw new Error("The property is not used");
    const type = quads.find(
      ({ subject, predicate }) => predicate.value === TYPE && subject.equals(used.subject),
    );
    expect(type?.object.value).toBe(NAMESPACE + domain);
    expect(used.object.equals(used.subject)).toBe(false);
    if (used.object.termType === "Literal")
      expect(used.object.datatype.value).toBe(range.replace("xsd:", "http://www.w3.org/2001/XMLSchema#"));
    else expect(range).not.toMatch(/^xsd:/);
  });

  it.each(Object.entries(INDIVIDUALS))("%s, an individual, is the value of a property of its class", (name, {
    classes,
  }) => {
    const quads = readExample(name);
    const used = quads.find(({ object }) => object.value === NAMESPACE + name);
    const property = used?.predicate.value.slice(NAMESPACE.length) ?? "";
    const declared = Object.entries(PROPERTIES).find(([one]) => one === property)?.[1];
    expect(classes.flatMap((one) => [one, ...listAncestors(one)])).toContain(declared?.range);
  });

  it("of a memory type has the call that stores one", () => {
    const found = findTerm("LessonLearned");
    expect(found && writeTermExample(found).call).toContain('"type":"lesson_learned"');
    const other = findTerm("Agent");
    expect(other && writeTermExample(other).call).toBeNull();
  });
});
