// What users of a knowledge graph do with it: stories of calls, told once and run against more than one server.

export type GraphCall = { tool: string; input: object };

const ada = { name: "Ada", entityType: "person", observations: ["Speaks Japanese", "Lives in Basel"] };
const kioku = { name: "Kioku", entityType: "project", observations: [] };
const works = { from: "Ada", to: "Kioku", relationType: "works on" };

const create = (...entities: object[]): GraphCall => ({ tool: "create_entities", input: { entities } });
const relate = (...relations: object[]): GraphCall => ({ tool: "create_relations", input: { relations } });
const observe = (...observations: object[]): GraphCall => ({
  tool: "add_observations",
  input: { observations },
});
const read: GraphCall = { tool: "read_graph", input: {} };
const search = (query: string): GraphCall => ({ tool: "search_nodes", input: { query } });
const open = (...names: string[]): GraphCall => ({ tool: "open_nodes", input: { names } });
const dropEntities = (...entityNames: string[]): GraphCall => ({
  tool: "delete_entities",
  input: { entityNames },
});
const dropObservations = (...deletions: object[]): GraphCall => ({
  tool: "delete_observations",
  input: { deletions },
});
const dropRelations = (...relations: object[]): GraphCall => ({
  tool: "delete_relations",
  input: { relations },
});

const ODD_NAMES = [
  "",
  " Ada ",
  "ada",
  "ADA",
  "Ada: Kioku",
  "名前 🧠",
  "a\nb\t'\"\\%_",
  "jido:memory_1",
  "$.x[0]",
  "x".repeat(200),
  "constructor",
];

export const GRAPH_CASES: Record<string, GraphCall[]> = {
  "an empty graph": [read, search("x"), open("Ada"), dropEntities("Ada")],
  "entities, relations and observations come back as they were given, in order": [
    create(ada, kioku),
    relate(works, { from: "Kioku", to: "Ada", relationType: "is built by" }),
    observe({ entityName: "Ada", contents: ["Plays chess", "Reads"] }, { entityName: "Kioku", contents: [] }),
    read,
  ],
  "a name that is there is not created again, and keeps its observations": [
    create(ada),
    create({ ...ada, entityType: "robot", observations: ["Is made of tin"] }, kioku),
    read,
  ],
  "a name given twice at once makes two, of which the first is written to and both are deleted": [
    create(ada, { ...ada, entityType: "twin", observations: ["Lives in Bern"] }),
    observe({ entityName: "Ada", contents: ["Lives in Bern", "Sings"] }),
    dropObservations({ entityName: "Ada", observations: ["Lives in Bern"] }),
    open("Ada"),
    dropEntities("Ada"),
    read,
  ],
  "an observation given twice at once is kept twice, and deleted as a whole": [
    create({ ...ada, observations: ["a", "a", "A"] }),
    observe({ entityName: "Ada", contents: ["b", "b", "a"] }, { entityName: "Ada", contents: ["b", "c"] }),
    read,
    dropObservations({ entityName: "Ada", observations: ["a", "b", "not there"] }),
    read,
  ],
  "an observation that was deleted and is added again comes last": [
    create(ada),
    dropObservations({ entityName: "Ada", observations: ["Speaks Japanese"] }),
    observe({ entityName: "Ada", contents: ["Speaks Japanese"] }),
    read,
  ],
  "observations of an entity that is not there are refused, and nothing of the call is kept": [
    create(ada),
    observe({ entityName: "Ada", contents: ["New"] }, { entityName: "Bob", contents: ["Old"] }),
    read,
  ],
  "a relation is kept once, unless it is given twice at once; its ends need not be there": [
    relate(works, works, { ...works, relationType: "owns" }),
    relate(works, { from: "Nobody", to: "Nothing", relationType: "knows" }),
    read,
    dropRelations(works, { from: "Ada", to: "Kioku", relationType: "left" }),
    read,
  ],
  "an entity leaves with every relation that touches it": [
    create(ada, kioku),
    relate(works, { from: "Kioku", to: "Ada", relationType: "pays" }, { ...works, from: "Bob" }),
    dropEntities("Ada", "Bob"),
    read,
    create(ada),
    read,
  ],
  "search looks into names, types and observations, whatever the case, and gives the relations around": [
    create(ada, kioku, { name: "Émile", entityType: "Person", observations: ["Straße", "100% sure_ly"] }),
    relate(works, { from: "Émile", to: "Kioku", relationType: "likes" }),
    ...["ada", "PERSON", "japanese", "émile", "STRASSE", "straße", "%", "_", "", "nothing of it"].map(search),
  ],
  "opening gives what is named, with relations that have one end there": [
    create(ada, kioku),
    relate(works, { from: "Ghost", to: "Kioku", relationType: "haunts" }),
    open("Ada"),
    open("Kioku", "Ada", "Ghost"),
    open(),
    open("Ghost"),
  ],
  "names, types and texts of any characters": [
    create(
      ...ODD_NAMES.map((name) => ({ name, entityType: name, observations: [name, `${name} too`, " ", ""] })),
    ),
    relate(...ODD_NAMES.map((name) => ({ from: name, to: name, relationType: name }))),
    observe(...ODD_NAMES.map((name) => ({ entityName: name, contents: [name, `${name}.`] }))),
    read,
    open(...ODD_NAMES.slice(0, 4)),
    dropEntities(...ODD_NAMES.slice(0, 6)),
    read,
  ],
  "a member that is not known is passed over": [
    create({ ...ada, age: 36 }),
    { tool: "read_graph", input: { verbose: true } },
  ],
  "empty lists do nothing": [create(), relate(), observe(), dropEntities(), dropObservations(), read],
};
