import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findOntologyProblems } from "../../scripts/lib/ontology/find-ontology-problems";
import { generateOntologyCode } from "../../scripts/lib/ontology/generate-ontology-code";
import {
  listShapeNames,
  listTerms,
  parseOntology,
  readOntology,
} from "../../scripts/lib/ontology/read-ontology";
import { ONTOLOGY_TURTLE } from "../../src/ontology/generated/turtle.generated";
import { runToEnd } from "./kioku-command";

const root = join(import.meta.dirname, "..", "..");
const directory = join(root, "ontology");
const files = Object.fromEntries(
  readdirSync(directory).map((name) => [name, readFileSync(join(directory, name), "utf8")]),
);

/** The real files, one of them changed. */
const changed = (file: string, change: (text: string) => string) =>
  parseOntology({ ...files, [file]: change(files[file] ?? "") });
const withAdded = (file: string, turtle: string) => changed(file, (text) => `${text}\n${turtle}\n`);
const named = 'rdfs:label "x"@en ; rdfs:comment "x"@en';

describe("the ontology as it stands", () => {
  const ontology = readOntology(directory);

  it("is consistent", () => {
    expect(findOntologyProblems(ontology)).toEqual([]);
  });

  it("is what the generated files were made from", () => {
    for (const [name, text] of Object.entries(generateOntologyCode(ontology)))
      expect(readFileSync(join(root, "src", "ontology", "generated", name), "utf8"), `${name} is stale`).toBe(
        text,
      );
  });

  it("has 56 classes, 78 properties and 45 individuals in the ten modules", () => {
    const { classes, properties, individuals } = listTerms(ontology);
    const ofTheTen = <T extends { module: string }>(map: Map<string, T>) =>
      [...map.values()].filter(({ module }) => module !== "jido-memory");
    expect(ontology.modules).toHaveLength(11);
    expect(ofTheTen(classes)).toHaveLength(56);
    expect(ofTheTen(properties)).toHaveLength(78);
    expect(ofTheTen(properties).filter(({ kind }) => kind === "object")).toHaveLength(51);
    expect(ofTheTen(properties).filter(({ kind }) => kind === "datatype")).toHaveLength(27);
    expect(ofTheTen(individuals)).toHaveLength(45);
  });

  it("has the ten shapes of the Jido ontology", () => {
    expect(listShapeNames(ontology)).toEqual(
      expect.arrayContaining([
        "MemoryItemProjectShape",
        "DecisionRationaleShape",
        "MemoryItemProvenanceShape",
        "NoReactivationShape",
        "TaskAssignmentShape",
        "ErrorStatusShape",
        "RootCauseExplainsErrorShape",
        "DecisionUniquenessShape",
        "ConventionGovernanceShape",
        "AgentGovernanceShape",
      ]),
    );
  });

  it("keeps each module apart: the ten state no axioms, only terms", () => {
    for (const [name, text] of Object.entries(files))
      if (name.startsWith("jido-") && name !== "jido-memory.ttl")
        expect(text, name).not.toMatch(/FunctionalProperty|inverseOf|subPropertyOf|AllDisjoint|AllDifferent/);
  });
});

describe("the merged document", () => {
  const merged = parseOntology({ "jido-memory.ttl": ONTOLOGY_TURTLE });

  it("declares every term that the files declare", () => {
    const names = (ontology: ReturnType<typeof parseOntology>) =>
      Object.values(listTerms(ontology)).map((map) => [...map.keys()].sort());
    expect(names(merged)).toEqual(names(readOntology(directory)));
  });

  it("is consistent by itself, with one header and nothing left to import", () => {
    expect(findOntologyProblems(merged)).toEqual([]);
    expect(ONTOLOGY_TURTLE.match(/a owl:Ontology/g)).toHaveLength(1);
    expect(ONTOLOGY_TURTLE).not.toContain("owl:imports");
  });

  it("comes out the same every time", () => {
    expect(generateOntologyCode(parseOntology(files))).toEqual(generateOntologyCode(parseOntology(files)));
  });
});

describe("an inconsistent ontology is reported when", () => {
  it("a term is used that nothing declares", () => {
    expect(findOntologyProblems(withAdded("jido-core.ttl", "jido:High jido:isLike jido:Medium ."))).toEqual([
      "jido-core.ttl: jido:isLike is used but declared nowhere",
    ]);
    expect(
      findOntologyProblems(
        withAdded("jido-memory.ttl", "[] a owl:AllDifferent ; owl:members ( jido:Hihg ) ."),
      ),
    ).toEqual(["jido-memory.ttl: jido:Hihg is used but declared nowhere"]);
  });

  it("a range is not a declared class", () => {
    const text = `jido:p a owl:ObjectProperty ; ${named} ; rdfs:domain jido:Fact ; rdfs:range jido:Nothing .`;
    expect(findOntologyProblems(withAdded("jido-core.ttl", text))).toContain(
      "jido-core.ttl: jido:p has the range jido:Nothing, which is not a declared class",
    );
  });

  it("a range is a term, but of the wrong kind", () => {
    const object = `jido:p a owl:ObjectProperty ; ${named} ; rdfs:domain jido:Fact ; rdfs:range jido:High .`;
    expect(findOntologyProblems(withAdded("jido-core.ttl", object))).toEqual([
      "jido-core.ttl: jido:p has the range jido:High, which is not a declared class",
    ]);
    const datatype = `jido:p a owl:DatatypeProperty ; ${named} ; rdfs:domain jido:Fact ; rdfs:range xsd:text .`;
    expect(findOntologyProblems(withAdded("jido-core.ttl", datatype))).toEqual([
      "jido-core.ttl: jido:p has the range xsd:text, which is not an XSD datatype",
    ]);
  });

  it("a domain is not a declared class", () => {
    const text = `jido:p a owl:ObjectProperty ; ${named} ; rdfs:domain jido:summary ; rdfs:range jido:Fact .`;
    expect(findOntologyProblems(withAdded("jido-core.ttl", text))).toEqual([
      "jido-core.ttl: jido:p has the domain jido:summary, which is not a declared class",
    ]);
  });

  it("a property has no domain, or two ranges", () => {
    const text = `jido:p a owl:ObjectProperty ; ${named} ; rdfs:range jido:Fact , jido:Risk .`;
    expect(findOntologyProblems(withAdded("jido-core.ttl", text))).toEqual([
      "jido-core.ttl: jido:p has 0 domains instead of one",
      "jido-core.ttl: jido:p has 2 ranges instead of one",
    ]);
  });

  it("an individual belongs to no declared class", () => {
    expect(
      findOntologyProblems(withAdded("jido-core.ttl", `jido:I a owl:NamedIndividual ; ${named} .`)),
    ).toEqual(["jido-core.ttl: jido:I belongs to no class"]);
    expect(
      findOntologyProblems(
        withAdded("jido-core.ttl", `jido:I a owl:NamedIndividual , jido:Mood ; ${named} .`),
      ),
    ).toContain("jido-core.ttl: jido:I belongs to jido:Mood, which is not a declared class");
  });

  it("a class has no label or no comment", () => {
    expect(findOntologyProblems(withAdded("jido-core.ttl", "jido:C a owl:Class ."))).toEqual([
      "jido-core.ttl: jido:C has 0 labels instead of one",
      "jido-core.ttl: jido:C has 0 comments instead of one",
    ]);
  });

  it("the two declarations of Abandoned drift apart", () => {
    const drifted = changed("jido-session.ttl", (text) => text.replace("Given up before", "Dropped before"));
    expect(findOntologyProblems(drifted)).toEqual([
      "jido-task.ttl: jido:Abandoned has 2 comments instead of one",
    ]);
  });

  it("an import leads nowhere", () => {
    expect(
      findOntologyProblems(
        withAdded("jido-core.ttl", "jido:JidoCoreOntology owl:imports jido:JidoDreamOntology ."),
      ),
    ).toEqual(["jido-core.ttl: imports JidoDreamOntology, which no file declares"]);
  });

  it("a module is missing from the hub", () => {
    const text =
      "@prefix owl: <http://www.w3.org/2002/07/owl#> . <https://jido.ai/ontology#X> a owl:Ontology .";
    expect(findOntologyProblems(parseOntology({ ...files, "jido-x.ttl": text }))).toEqual([
      "jido-x.ttl: is not imported by the hub jido:JidoMemoryOntology",
    ]);
  });

  it("a file has no ontology header", () => {
    expect(findOntologyProblems(parseOntology({ ...files, "jido-x.ttl": "" }))[0]).toBe(
      "jido-x.ttl: declares 0 ontologies instead of one",
    );
  });

  it("classes go round in a circle", () => {
    const text = `jido:A a owl:Class ; ${named} ; rdfs:subClassOf jido:B .
      jido:B a owl:Class ; ${named} ; rdfs:subClassOf jido:A .`;
    expect(findOntologyProblems(withAdded("jido-core.ttl", text))).toEqual([
      "jido-core.ttl: jido:A is a subclass of itself",
      "jido-core.ttl: jido:B is a subclass of itself",
    ]);
  });

  it("a class has two superclasses", () => {
    expect(
      findOntologyProblems(withAdded("jido-core.ttl", "jido:Agent rdfs:subClassOf jido:Project .")),
    ).toEqual(["jido-core.ttl: jido:Agent has more than one superclass: Entity, Project"]);
  });

  it("a superproperty is neither declared nor of a standard vocabulary", () => {
    const text = "jido:summary rdfs:subPropertyOf <http://example.org/text> .";
    expect(findOntologyProblems(withAdded("jido-core.ttl", text))).toEqual([
      "jido-core.ttl: jido:summary has the superproperty http://example.org/text, which is not a declared property",
    ]);
    expect(
      findOntologyProblems(withAdded("jido-core.ttl", "jido:summary rdfs:subPropertyOf rdfs:comment .")),
    ).toEqual([]);
  });

  it("two inverse properties do not mirror each other", () => {
    const text = "jido:assertedBy owl:inverseOf jido:assertedIn .";
    expect(findOntologyProblems(withAdded("jido-core.ttl", text))).toContain(
      "jido-core.ttl: jido:assertedBy is the inverse of jido:assertedIn, but domain and range do not mirror each other",
    );
  });

  it("a file is not Turtle", () => {
    expect(() => withAdded("jido-core.ttl", "jido:Fact is a class")).toThrow(/^jido-core\.ttl: /);
  });
});

describe("an inconsistent shape is reported when", () => {
  const shape = (target: string, property: string) =>
    findOntologyProblems(
      withAdded(
        "shapes.ttl",
        `jido:S a sh:NodeShape ; sh:targetClass ${target} ; sh:property [ ${property} ] .`,
      ),
    );
  const severe = 'sh:severity sh:Info ; sh:message "x"';

  it("its target is not a declared class", () => {
    expect(shape("jido:Dream", `sh:path jido:summary ; ${severe}`)).toContain(
      "shapes.ttl: jido:S targets jido:Dream, which is not a declared class",
    );
    expect(shape("jido:summary", `sh:path jido:summary ; ${severe}`)).toEqual([
      "shapes.ttl: jido:S targets jido:summary, which is not a declared class",
    ]);
  });

  it("its path is not a declared property", () => {
    expect(shape("jido:Fact", `sh:path jido:sumary ; ${severe}`)).toContain(
      "shapes.ttl: jido:S has the path jido:sumary, which is not a declared property",
    );
    expect(shape("jido:Fact", `sh:path [ sh:inversePath jido:Fact ] ; ${severe}`)).toEqual([
      "shapes.ttl: jido:S has the path jido:Fact, which is not a declared property",
    ]);
  });

  it("it has no severity or no message", () => {
    expect(shape("jido:Fact", "sh:path jido:summary")).toEqual([
      "shapes.ttl: jido:S gives jido:summary no severity of Violation, Warning, Info",
      "shapes.ttl: jido:S gives jido:summary no message",
    ]);
  });

  it("it asks for what its path can never have", () => {
    expect(
      shape("jido:Task", `sh:path jido:hasTaskStatus ; sh:class jido:SessionStatus ; ${severe}`),
    ).toEqual([
      "shapes.ttl: jido:S expects jido:SessionStatus at jido:hasTaskStatus, whose range is jido:TaskStatus",
    ]);
  });

  it("it says something that would be lost in the generated code", () => {
    expect(shape("jido:Fact", `sh:path jido:summary ; sh:maxLength 5 ; ${severe}`)).toEqual([
      "shapes.ttl: jido:S says of jido:summary what the generator does not understand: http://www.w3.org/ns/shacl#maxLength",
    ]);
    expect(
      findOntologyProblems(withAdded("shapes.ttl", "jido:S a sh:NodeShape ; sh:targetClass jido:Fact .")),
    ).toEqual(["shapes.ttl: jido:S has no property shape"]);
  });
});

describe("the command", () => {
  let copy = "";
  const run = async (...args: string[]) => {
    const script = join(root, "scripts", "ontology.ts");
    const { code, err } = await runToEnd(process.execPath, [script, ...args, copy], { env: process.env });
    return { code, err };
  };

  beforeEach(() => {
    copy = mkdtempSync(join(tmpdir(), "kioku-ontology-"));
    cpSync(directory, join(copy, "ontology"), { recursive: true });
  });
  afterEach(() => rmSync(copy, { recursive: true }));

  it("writes the files, and then finds them up to date", async () => {
    expect(await run()).toEqual({ code: 0, err: "" });
    expect(await run("--check")).toEqual({ code: 0, err: "" });
  });

  it("finds a file stale after a change of the Turtle, and does not touch it", async () => {
    await run();
    const generated = join(copy, "src", "ontology", "generated", "terms.generated.ts");
    const before = readFileSync(generated, "utf8");
    const core = join(copy, "ontology", "jido-core.ttl");
    writeFileSync(core, readFileSync(core, "utf8").replace("A guess", "A hunch"));
    const { code, err } = await run("--check");
    expect(code).toBe(1);
    expect(err).toContain("src/ontology/generated/terms.generated.ts is stale: run `npm run ontology`");
    expect(readFileSync(generated, "utf8")).toBe(before);
  });

  it("writes nothing, and says why, when the Turtle is inconsistent or no Turtle", async () => {
    const core = join(copy, "ontology", "jido-core.ttl");
    const text = readFileSync(core, "utf8");
    writeFileSync(core, `${text}\njido:C a owl:Class .\n`);
    expect(await run()).toEqual({
      code: 1,
      err: "jido-core.ttl: jido:C has 0 labels instead of one\njido-core.ttl: jido:C has 0 comments instead of one\n",
    });
    writeFileSync(core, `${text}\nnot turtle\n`);
    expect(await run("--check")).toMatchObject({ code: 1, err: expect.stringMatching(/^jido-core\.ttl: /) });
    expect(readdirSync(copy)).toEqual(["ontology"]);
  });
});
