// A knowledge graph in the store: found by recall, the same after a rebuild, safe among many writers, and gone without
// a trace when it is deleted.
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { GRAPH } from "../../src/kernel/limits";
import { createLongTermMemory } from "../../src/services/long-term-memory";
import { asking, newSemanticTenant, queueOf } from "./semantic-support";
import { NOON, newTenant, rebuild, type Tenant } from "./store/long-term-support";

const OWN = { agent_id: null, project_id: null };
const entity = (name: string, ...observations: string[]) => ({ name, entityType: "person", observations });
const knows = (from: string, to: string) => ({ from, to, relationType: "knows" });

let kioku: Tenant;
beforeEach(async () => {
  kioku = await newTenant();
});

describe("a graph in the store", () => {
  it("is read in the same order after its read model was thrown away and rebuilt, to the byte", async () => {
    const graph = kioku.store().graph(OWN);
    await graph.createEntities([entity("Zoe", "b", "a", "b"), entity("Ada", "Plays"), entity("Zoe", "c")]);
    await graph.createRelations([knows("Zoe", "Ada"), knows("Ada", "Zoe")]);
    await graph.addObservations([{ entityName: "Ada", contents: ["a", ""] }]);
    await graph.deleteObservations([{ entityName: "Ada", observations: ["Plays"] }]);
    const before = { graph: await graph.read(), contents: await kioku.contents() };
    await env.DB.prepare("DELETE FROM memories WHERE tenant = ?").bind(kioku.tenant).run();
    await rebuild(kioku.tenant);
    expect({ graph: await graph.read(), contents: await kioku.contents() }).toEqual(before);
    expect(before.graph.entities.map(({ name, observations }) => [name, observations])).toEqual([
      ["Zoe", ["b", "a", "b"]],
      ["Ada", ["a", ""]],
      ["Zoe", ["c"]],
    ]);
  });

  it("of a thousand entities is read with one statement", async () => {
    let prepared = 0;
    const counted = new Proxy(env.DB, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (name === "prepare") prepared += 1;
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const now = () => Date.parse(NOON);
    const { store } = createLongTermMemory({ ...env, DB: counted }, kioku.tenant, { now });
    const graph = store.graph(OWN);
    const all = Array.from({ length: 1_000 }, (_, i) => entity(`Person ${i}`, `Is number ${i}`));
    expect(all.length * 2).toBeLessThanOrEqual(GRAPH.itemsPerCall);
    await graph.createEntities(all);
    prepared = 0;
    expect((await graph.read()).entities).toEqual(all);
    expect(prepared).toBe(1);
  });

  it("keeps what many writers add at once, and keeps the same thing once", async () => {
    const store = kioku.store();
    const graph = store.graph(OWN);
    await graph.createEntities([entity("Ada")]);
    const writers = Array.from({ length: 12 }, (_, i) => i);
    const added = await Promise.all(
      writers.map((i) => graph.addObservations([{ entityName: "Ada", contents: [`Only ${i}`, "Shared"] }])),
    );
    const created = await Promise.all(writers.map(() => graph.createEntities([entity("Bob", "New")])));
    const related = await Promise.all(writers.map(() => graph.createRelations([knows("Ada", "Bob")])));
    const { entities, relations } = await graph.read();
    expect(entities.map(({ name, observations }) => [name, observations.toSorted()])).toEqual([
      ["Ada", [...writers.map((i) => `Only ${i}`), "Shared"].toSorted()],
      ["Bob", ["New"]],
    ]);
    expect(relations).toHaveLength(1);
    expect(added.flat().filter(({ addedObservations }) => addedObservations.includes("Shared"))).toHaveLength(
      1,
    );
    expect([created.flat().length, related.flat().length]).toEqual([1, 1]);
  });

  it("has nothing of an entity that was deleted while others added to it", async () => {
    const graph = kioku.store().graph(OWN);
    await graph.createEntities([entity("Ada", "First")]);
    await Promise.allSettled([
      ...Array.from({ length: 6 }, (_, i) =>
        graph.addObservations([{ entityName: "Ada", contents: [`Late ${i}`] }]),
      ),
      graph.deleteEntities(["Ada"]),
    ]);
    expect(await kioku.contents()).toEqual({ triples: [], memories: [], indexed: [] });
  });

  it("belongs to its owner alone", async () => {
    const store = kioku.store();
    const owners = [OWN, { ...OWN, agent_id: "a" }, { ...OWN, project_id: "a" }, { ...OWN, project_id: "b" }];
    for (const [i, owner] of owners.entries())
      await store.graph(owner).createEntities([entity("Ada", `Is ${i}`)]);
    await store.graph(owners[2] ?? OWN).deleteEntities(["Ada"]);
    const read = await Promise.all(owners.map(async (owner) => (await store.graph(owner).read()).entities));
    expect(read.map((entities) => entities.flatMap(({ observations }) => observations))).toEqual([
      ["Is 0"],
      ["Is 1"],
      [],
      ["Is 3"],
    ]);
  });
});

describe("what was deleted from a graph", () => {
  it("leaves no triple, no row, nothing in the text index and no vector", async () => {
    const semantic = await newSemanticTenant({ on: "embedded" });
    const graph = semantic.store.graph(OWN);
    await graph.createEntities([entity("Ada", "Keeps bees", "Sings"), entity("Bob", "Sails")]);
    await graph.createRelations([knows("Ada", "Bob"), knows("Bob", "Bob")]);
    const kept = await semantic.contents();
    await semantic.indexed();
    expect(await semantic.nearest("Ada: Keeps bees")).not.toEqual([]);

    await graph.createEntities([entity("Cy", "Cooks")]);
    await graph.addObservations([{ entityName: "Ada", contents: ["Runs"] }]);
    await graph.createRelations([knows("Cy", "Ada")]);
    await semantic.indexed();
    await graph.deleteEntities(["Cy"]);
    await graph.deleteObservations([{ entityName: "Ada", observations: ["Runs"] }]);
    expect(await semantic.contents()).toEqual(kept);

    await graph.deleteRelations([knows("Bob", "Bob")]);
    await graph.deleteEntities(["Ada", "Bob"]);
    expect(await semantic.contents()).toEqual({ triples: [], memories: [], indexed: [] });
    expect(await semantic.nearest("Ada: Keeps bees")).toEqual([]);
    await semantic.indexed();
    expect(await queueOf(semantic.tenant)).toEqual([]);
  });

  it("is gone for recall, which found it before by what it says and whom it is about", async () => {
    const semantic = await newSemanticTenant();
    const graph = semantic.store.graph({ ...OWN, project_id: "hive" });
    await graph.createEntities([entity("Ada", "Keeps bees")]);
    const find = async () => {
      const { hits } = await semantic.search.recall(
        { kind: "project", id: "hive" },
        asking("Ada bees", { mode: "hybrid", min_confidence: 0 }),
      );
      return hits.map((hit) => ("content" in hit ? hit.content : ""));
    };
    expect((await find())[0]).toBe("Ada: Keeps bees");
    await graph.deleteEntities(["Ada"]);
    expect(await find()).toEqual([]);
  });
});
