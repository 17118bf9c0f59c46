// The layout of the triples: their identity, their order, their keys and numbers, what is derived, and what a write costs.
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { openDatabase, runBatch } from "../../../src/kernel/databases/d1";
import { hash64 } from "../../../src/kernel/hash";
import { PROPERTIES } from "../../../src/ontology/generated/terms.generated";
import { deleteTriples, insertTriples, type Triple } from "../../../src/ontology/triples";
import { newTenant, type Tenant } from "./long-term-support";

const db = openDatabase(env.DB);
let kioku: Tenant;
beforeEach(async () => {
  kioku = await newTenant();
});

const SUBJECT = "jido:evidence_1";
const triple = (predicate: string, object: string, datatype = ""): Triple => ({
  subject: SUBJECT,
  predicate,
  object,
  datatype,
});
const insert = (...triples: Triple[]) => runBatch(db, [insertTriples(kioku.tenant, triples)]);
const read = () => kioku.store().triples.match({ subject: SUBJECT });
const readKeys = async () =>
  (
    await env.DB.prepare("SELECT key, literal FROM statements WHERE tenant = ? ORDER BY position")
      .bind(kioku.tenant)
      .all<{ key: string; literal: string | null }>()
  ).results;

describe("a triple", () => {
  it("is told apart by its datatype, and stored once", async () => {
    const values = [
      triple("jido:tag", "1", "xsd:string"),
      triple("jido:tag", "1", "xsd:integer"),
      triple("jido:tag", "1"),
    ];
    await insert(...values);
    await insert(...values.toReversed());
    expect(await read()).toEqual(values);
  });

  it("stays in the order of writes, whatever its predicate and object", async () => {
    const values = ["z", "a", "m"].map((value) => triple("jido:tag", value, "xsd:string"));
    await insert(...values);
    await insert(triple("jido:aboutNode", "b", "xsd:string"), triple("jido:tag", "c", "xsd:string"));
    expect((await read()).map(({ object }) => object)).toEqual(["z", "a", "m", "b", "c"]);
  });

  it("has its whole IRI as its key; of a long literal the key is a digest, and the text is in the row", async () => {
    const long = "x".repeat(200);
    await insert(
      triple("jido:derivedFrom", `jido:evidence_${long}`),
      triple("jido:summary", long, "xsd:string"),
    );
    expect(await readKeys()).toEqual([
      { key: `jido:evidence_${long}`, literal: null },
      { key: `#${hash64(long)}`, literal: long },
    ]);
    expect(await kioku.store().triples.match({ object: `jido:evidence_${long}` })).toEqual([
      triple("jido:derivedFrom", `jido:evidence_${long}`),
    ]);
    await runBatch(db, [deleteTriples(kioku.tenant, await read())]);
    expect(await readKeys()).toEqual([]);
  });

  it("has a number if it is a number or a date, so that they compare as such", async () => {
    await insert(
      triple("jido:tag", "9", "xsd:integer"),
      triple("jido:tag", "10.5", "xsd:decimal"),
      triple("jido:tag", "2026-01-01T00:00:00.500Z", "xsd:dateTime"),
      triple("jido:tag", "2026-01-01", "xsd:date"),
      triple("jido:tag", "10", "xsd:string"),
      triple("jido:tag", "now", "xsd:dateTime"),
      triple("jido:tag", "many", "xsd:integer"),
    );
    const { results } = await env.DB.prepare(
      "SELECT key, number FROM statements WHERE tenant = ? AND number IS NOT NULL ORDER BY number",
    )
      .bind(kioku.tenant)
      .all();
    expect(results).toEqual([
      { key: "9", number: 9 },
      { key: "10.5", number: 10.5 },
      { key: "2026-01-01", number: 1_767_225_600 },
      { key: "2026-01-01T00:00:00.500Z", number: 1_767_225_600.5 },
    ]);
  });

  it("may have a predicate that the ontology does not declare, which gets the next number", async () => {
    const predicate = `jido:new_${kioku.tenant}`;
    await insert(triple(predicate, "jido:High"));
    expect(await read()).toEqual([triple(predicate, "jido:High")]);
    const number =
      "SELECT number = (SELECT max(number) FROM predicates) AS last FROM predicates WHERE iri = ?";
    expect(await env.DB.prepare(number).bind(predicate).first("last")).toBe(1);
  });
});

describe("the predicates", () => {
  it("include every property of the ontology", async () => {
    const { results } = await env.DB.prepare("SELECT iri FROM predicates").all<{ iri: string }>();
    const declared = Object.keys(PROPERTIES).map((name) => `jido:${name}`);
    expect(results.map(({ iri }) => iri)).toEqual(expect.arrayContaining([...declared, "rdf:type"]));
  });

  it("begin with those that are looked up by their literals", async () => {
    const { results } = await env.DB.prepare(
      "SELECT iri FROM predicates WHERE number < 8 ORDER BY number",
    ).all();
    const names = [
      "graphKey",
      "aboutNode",
      "relationFrom",
      "relationTo",
      "inGraph",
      "topicKey",
      "linkRelation",
    ];
    expect(results).toEqual(names.map((name) => ({ iri: `jido:${name}` })));
  });
});

describe("the level of a confidence", () => {
  it("is not stored, but found by every pattern that it matches", async () => {
    const high = await kioku.remember({ content: "Water is wet", confidence: 0.9 });
    const low = await kioku.remember({ content: "Water is dry", confidence: 0.1 });
    const level = (id: string, object: string): Triple => ({
      subject: `jido:memory_${id}`,
      predicate: "jido:hasConfidence",
      object,
      datatype: "",
    });
    const { triples } = kioku.store();
    const predicate = "jido:hasConfidence";
    expect(await triples.match({ subject: `jido:memory_${high}`, predicate })).toEqual([
      level(high, "jido:High"),
    ]);
    expect(await triples.match({ subject: `jido:memory_${high}`, object: "jido:Low" })).toEqual([]);
    expect(await triples.match({ predicate, object: "jido:Low" })).toEqual([level(low, "jido:Low")]);
    expect(await triples.match({ object: "jido:High" })).toEqual([level(high, "jido:High")]);
    expect(await triples.match({ predicate })).toHaveLength(2);
    const stored = "SELECT count(*) AS n FROM triples WHERE tenant = ? AND predicate = 'jido:hasConfidence'";
    expect(await env.DB.prepare(stored).bind(kioku.tenant).first("n")).toBe(0);
  });
});

describe("a write", () => {
  it("costs a row for each triple, and one for each that points at a resource", async () => {
    const id = await kioku.remember({ content: "Water is wet" });
    const shown = await kioku.store().triples.match({ subject: `jido:memory_${id}` });
    const stored = shown.filter(({ predicate }) => predicate !== "jido:hasConfidence");
    const pointing = stored.filter(({ datatype }) => datatype === "");
    const statement = env.DB.prepare("DELETE FROM triples WHERE tenant = ? AND subject = ?");
    expect((await statement.bind(kioku.tenant, `jido:memory_${id}`).run()).meta.rows_written).toBe(
      stored.length,
    );
    let written = 0;
    const counting = new Proxy(env.DB, {
      get(target, name) {
        if (name === "batch")
          return async (list: D1PreparedStatement[]) => {
            const results = await target.batch(list);
            written += results.reduce((sum, { meta }) => sum + meta.rows_written, 0);
            return results;
          };
        const value = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    await runBatch(openDatabase(counting), [insertTriples(kioku.tenant, shown)]);
    expect(written).toBe(stored.length + pointing.length);
    expect([stored.length, pointing.length]).toEqual([7, 3]);
  });
});
