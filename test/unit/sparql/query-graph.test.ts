// The description of query_graph names terms that exist.
import { expect, it } from "vitest";
import { queryGraphTool } from "../../../src/graph/query-graph";
import { CLASSES, INDIVIDUALS, PROPERTIES } from "../../../src/ontology/generated/terms.generated";

it("the description of query_graph names classes and properties of the ontology", () => {
  const { description } = queryGraphTool;
  const named = [
    ...[...description.matchAll(/jido:([A-Za-z]+)(?![A-Za-z_])/g)].map(([, name = ""]) => name),
    // Lists name the prefix once.
    ...[...description.matchAll(/^(?:Memories have a class|Properties of memories): (.*)$/gm)].flatMap(
      ([, line = ""]) => line.match(/(?<=[,;(:] ?)[A-Za-z]+(?=,|;| \(|\)|\.)/g) ?? [],
    ),
  ].filter((name) => !["Relations", "Others", "memory", "project", "agent", "session"].includes(name));
  const known = { ...CLASSES, ...PROPERTIES, ...INDIVIDUALS };
  expect(named.length).toBeGreaterThan(60);
  expect(named.filter((name) => !Object.hasOwn(known, name))).toEqual([]);
});
