// The ontology the memories are written in, as JSON and as Turtle.
import { describe, expect, it } from "vitest";
import { ids, recall, remember } from "../support/actions";
import { fresh } from "../support/client";
import { JIDO, MEMORY_TYPES } from "../support/contract";
import { bodyOf } from "../support/expectations";
import { OWL, parseRdf, type Quad, RDF_TYPE, SUBCLASS_OF } from "../support/rdf";
import { serviceUnderTest } from "../support/service";

const kioku = serviceUnderTest();

type Ontology = { classes: unknown[]; properties: unknown[]; individuals: unknown[] };

async function turtle(): Promise<Quad[]> {
  const answer = await kioku.api.get<string>("/v1/ontology", { accept: "text/turtle" });
  bodyOf(answer, 200);
  expect(answer.headers.get("content-type")).toContain("text/turtle");
  return parseRdf(answer.text, "text/turtle");
}

function instancesOf(quads: Quad[], type: string): Set<string> {
  return new Set(
    quads
      .filter((quad) => quad.predicate.value === RDF_TYPE && quad.object.value === type)
      .map((quad) => quad.subject.value),
  );
}

/** The classes under this one, at any depth. */
function under(quads: Quad[], parent: string): string[] {
  const children = quads.filter(
    (quad) => quad.predicate.value === SUBCLASS_OF && quad.object.value === parent,
  );
  return children.flatMap((quad) => [quad.subject.value, ...under(quads, quad.subject.value)]);
}

function snakeCase(iri: string): string {
  return iri
    .slice(JIDO.length)
    .replace(/(?<!^)([A-Z])/g, "_$1")
    .toLowerCase();
}

describe("GET /v1/ontology", () => {
  it("lists the classes, properties and individuals", async () => {
    const answer = await kioku.api.get<Ontology>("/v1/ontology");
    const ontology = bodyOf(answer, 200);
    expect(ontology.classes.length).toBeGreaterThanOrEqual(56);
    expect(ontology.properties.length).toBeGreaterThanOrEqual(78);
    expect(ontology.individuals.length).toBeGreaterThanOrEqual(45);
    for (const name of ["MemoryItem", "ArchitecturalDecision", "WorkSession"])
      expect(JSON.stringify(ontology.classes)).toContain(name);
    for (const name of ["supersededBy", "hasConfidence", "derivedFrom"])
      expect(JSON.stringify(ontology.properties)).toContain(name);
    for (const name of ["High", "AgentSource", "ProjectScope"])
      expect(JSON.stringify(ontology.individuals)).toContain(name);
  });

  it("is Turtle for who asks for it, with the same terms", async () => {
    const quads = await turtle();
    const ontology = bodyOf(await kioku.api.get<Ontology>("/v1/ontology"), 200);
    const own = (...types: string[]) =>
      new Set(
        types
          .flatMap((type) => [...instancesOf(quads, `${OWL}${type}`)])
          .filter((iri) => iri.startsWith(JIDO)),
      );
    expect(own("Class").size).toBe(ontology.classes.length);
    expect(own("ObjectProperty", "DatatypeProperty").size).toBe(ontology.properties.length);
    expect(own("NamedIndividual").size).toBe(ontology.individuals.length);
  });

  it("has the 25 memory types under MemoryItem", async () => {
    const types = under(await turtle(), `${JIDO}MemoryItem`).map(snakeCase);
    expect(types).toEqual(expect.arrayContaining(MEMORY_TYPES));
  });

  it("has no class under MemoryItem that remember and recall do not take", async () => {
    for (const type of under(await turtle(), `${JIDO}MemoryItem`).map(snakeCase)) {
      const session = fresh("session");
      const { memory_id } = await remember(kioku.api, session, `One of ${type}`, { type });
      expect(ids(await recall(kioku.api, session, { type })), type).toEqual([memory_id]);
    }
  });
});
