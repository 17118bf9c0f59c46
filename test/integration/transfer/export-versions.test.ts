// The past of memories in an export: their versions and their ends come back, so that the target answers as_of as the
// source does.
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { ADMIN_KEY, type Client, callWith, newClient } from "../support";
import { exportRecords, exportText, importText, type Line, readVersionRows, toExport } from "./support";

const ALL = ["read", "write", "admin"];
const USER = "mia@example.com";

const EXTENSION = `@prefix ext: <https://jido.ai/ontology/extension#> .
@prefix jido: <https://jido.ai/ontology#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
ext:colour a owl:DatatypeProperty ; rdfs:domain jido:Fact ; rdfs:range xsd:string .`;

let source: Client;
let target: Client;
let records: Line[];
/** The ids of the memories by name. */
const ids: Record<string, string> = {};
/** Moments between the changes. */
const moments: string[] = [];

const ofKind = (kind: string) => records.filter((record) => record.kind === kind);
const listVersions = (name: string) =>
  ofKind("memory_version").filter(({ memory_id }) => memory_id === ids[name]);

beforeAll(async () => {
  [source, target] = await Promise.all([newClient(ALL), newClient(ALL)]);
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await source.call(method, path, body);
    expect(answer.status, `${method} ${path} ${JSON.stringify(answer.body)}`).toBeLessThan(300);
    await scheduler.wait(3);
    moments.push(new Date().toISOString());
    await scheduler.wait(3);
    return answer.body;
  };
  const remember = async (name: string, body: object) => {
    ids[name] = (await call("POST", "/v1/remember", body)).memory_id;
  };
  await call("PUT", "/v1/ontology/extensions/paint", { turtle: EXTENSION });
  await remember("house", { content: "Mia has a house", user_id: USER, properties: { colour: "red" } });
  await remember("rule", {
    content: "Use tabs",
    type: "coding_standard",
    project_id: "shop",
    tags: ["style"],
  });
  await remember("port", { content: "The port is 80", key: "port", project_id: "shop" });
  await remember("long", { content: `A long story: ${"and then ".repeat(20)}`, evidence: ["story.md"] });
  await call("PATCH", `/v1/memories/${ids.house}`, { properties: { colour: null }, confidence: 0.31 });
  await call("PATCH", `/v1/memories/${ids.rule}`, {
    valid_until: "2031-01-01T00:00:00Z",
    properties: { violationConsequence: "A comment in the review" },
  });
  await call("POST", "/v1/links", { from: ids.rule, to: ids.port, relation: "related_to" });
  await call("PATCH", `/v1/memories/${ids.rule}`, { metadata: { team: "web" }, tags: [] });
  await call("POST", "/v1/forget", { memory_id: ids.rule, reason: "spaces won" });
  await remember("next", { content: "The port is 443", key: "port", project_id: "shop" });
  await call("PATCH", `/v1/memories/${ids.port}`, { tags: ["old"] });
  await call("PATCH", `/v1/memories/${ids.long}`, { importance: 0.9, tags: ["story"] });
  const text = await exportText(source);
  records = text
    .trimEnd()
    .split("\n")
    .slice(1, -1)
    .map((line) => JSON.parse(line));
  const { status, body } = await importText(target, text);
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body.imported.memory_version).toEqual({ added: 6, known: 0 });
});

describe("the past of imported memories", () => {
  it("is that of the source at every moment: by id, in histories and in the graph", async () => {
    const query = `SELECT ?s ?p ?o { ?s <https://jido.ai/ontology#summary> ?t ; ?p ?o }`;
    for (const path of Object.values(ids).map((id) => `/v1/memories/${id}`)) {
      const paths = [`${path}/history`, ...moments.map((moment) => `${path}?as_of=${moment}`)];
      const [there, here] = await Promise.all(
        [target, source].map((client) => Promise.all(paths.map((one) => client.call("GET", one)))),
      );
      expect(there?.map(({ body }) => ({ ...body, instance: null, request_id: null }))).toEqual(
        here?.map(({ body }) => ({ ...body, instance: null, request_id: null })),
      );
    }
    for (const as_of of moments) {
      const [there, here] = await Promise.all(
        [target, source].map(async (client) => {
          const { status, body } = await client.call("POST", "/v1/sparql", { query, as_of });
          expect(status, JSON.stringify(body)).toBe(200);
          return body.results.bindings.map((row: object) => JSON.stringify(row)).sort();
        }),
      );
      expect(there).toEqual(here);
    }
  });

  it("is stored as it was, with triples and ends", async () => {
    expect(await readVersionRows(target)).toEqual(await readVersionRows(source));
    const readEnds = ({ tenant }: Client) =>
      env.DB.prepare("SELECT id, ended_at FROM memories WHERE tenant = ? ORDER BY id").bind(tenant).all();
    const ends = (await readEnds(source)).results;
    expect(ends.filter(({ ended_at }) => ended_at !== null)).toHaveLength(2);
    expect((await readEnds(target)).results).toEqual(ends);
  });

  it("is known when it is imported again, and the same when it is exported again", async () => {
    const again = await importText(target, toExport(ofKind("memory_version")));
    expect(again.body.imported).toEqual({ memory_version: { added: 0, known: 6 } });
    expect(await exportRecords(target)).toEqual(records);
  });

  it("is in the export of a user and of a project, with their memories", async () => {
    const mine = await exportRecords(source, `?scope=user&id=${encodeURIComponent(USER)}`);
    expect(mine.filter(({ kind }) => kind === "memory_version")).toEqual(listVersions("house"));
    const shop = await exportRecords(source, "?scope=project&id=shop");
    expect(shop.filter(({ kind }) => kind === "memory_version")).toHaveLength(
      listVersions("rule").length + listVersions("port").length,
    );
    expect((await importText(await newClient(ALL), toExport(shop))).status).toBe(200);
  });

  it("is empty in a file that has none", async () => {
    const client = await newClient(ALL);
    const earlier = records
      .filter(({ kind }) => kind !== "memory_version")
      .map(({ ended_at: _ended, ...record }) => record);
    expect((await importText(client, toExport(earlier))).status).toBe(200);
    const { body } = await client.call("GET", `/v1/memories/${ids.rule}/history`);
    expect(body.data[0]).toMatchObject({ status: "forgotten", versions: [] });
  });

  it("counts as stored bytes, and is erased with its memories", async () => {
    const client = await newClient(ALL);
    const readBytes = async () => (await client.call("GET", "/v1/usage")).body.bytes;
    await importText(client, toExport(records.filter(({ kind }) => kind !== "memory_version")));
    const before = await readBytes();
    await importText(client, toExport(ofKind("memory_version")));
    const states = await env.DB.prepare(
      "SELECT sum(length(state)) AS bytes FROM memory_versions WHERE tenant = ?",
    )
      .bind(client.tenant)
      .first<{ bytes: number }>();
    expect(await readBytes()).toBe(before + (states?.bytes ?? 0));
    expect((await client.call("DELETE", `/v1/users/${encodeURIComponent(USER)}`)).status).toBe(200);
    const left = await readVersionRows(client);
    expect(left).toEqual((await readVersionRows(source)).filter(({ memory_id }) => memory_id !== ids.house));
    expect((await callWith(ADMIN_KEY, "DELETE", `/v1/tenants/${client.tenant}`)).status).toBe(200);
    expect(await readVersionRows(client)).toEqual([]);
  });
});

describe("a version in an import", () => {
  it("is refused with its line and field if it is not valid", async () => {
    const client = await newClient(ALL);
    const [memory] = ofKind("memory").filter(({ id }) => id === ids.rule);
    const [version] = listVersions("rule");
    const wrong: [object, RegExp][] = [
      [
        { ...version, memory_id: "f".repeat(32) },
        /memory_id: there is no memory f+: its own line comes first/,
      ],
      [{ ...version, until: "2026-01-31T12:00:00+01:00" }, /until: must be a time of UTC/],
      [{ ...version, until: "yesterdayZ" }, /until: must be a time of UTC/],
      [{ ...version, live: 1 }, /live: must be/],
      [{ ...version, confidence: 2 }, /confidence: must be at most 1/],
      [{ ...version, colour: "red" }, /colour: is not a known field/],
      [{ ...version, triples: [] }, /triples: is not a known field/],
      [{ ...version, properties: { colour: ["red"] } }, /properties\.colour: is not a property/],
      [{ ...version, properties: { "ext:a> <b": ['"x"^^xsd:string'] } }, /must be the name of a property/],
      [
        { ...version, relations: [{ predicate: "jido:summary", to: "jido:memory_x" }] },
        /relations\.0\.predicate/,
      ],
      [{ ...version, relations: [{ predicate: "jido:relatedTo", to: "x> <y" }] }, /relations\.0\.to/],
    ];
    for (const [record, detail] of wrong) {
      const { status, body } = await importText(client, toExport([memory ?? {}, record]));
      expect({ status, line: body.line }, JSON.stringify(body)).toEqual({ status: 400, line: 3 });
      expect(body.detail).toMatch(detail);
    }
    const twice = await importText(client, toExport([memory ?? {}, version ?? {}, version ?? {}]));
    expect(twice).toMatchObject({ status: 400, body: { line: 4 } });
    const early = await importText(client, toExport([version ?? {}, memory ?? {}]));
    expect(early).toMatchObject({ status: 400, body: { line: 2 } });
    expect(await exportRecords(client)).toEqual([]);
  });

  it("may stand before memories of others", async () => {
    const client = await newClient(ALL);
    const findRecord = (name: string) => ofKind("memory").find(({ id }) => id === ids[name]) ?? {};
    await importText(client, toExport([findRecord("long")]));
    const sent = [...listVersions("long"), findRecord("port"), ...listVersions("port")];
    expect((await importText(client, toExport(sent))).body.imported.memory_version.added).toBe(2);
    expect(await readVersionRows(client)).toHaveLength(2);
  });

  it("may have a property that nothing else has", async () => {
    const client = await newClient(ALL);
    const memory = ofKind("memory").find(({ id }) => id === ids.long);
    const version = { ...listVersions("long")[0], properties: { "ext:wasOnce": ['"so"^^xsd:string'] } };
    const imported = await importText(client, toExport([memory ?? {}, version]));
    expect(imported.status, JSON.stringify(imported.body)).toBe(200);
    const { body } = await client.call("POST", "/v1/sparql", {
      query: "SELECT ?o { ?s <https://jido.ai/ontology/extension#wasOnce> ?o }",
      as_of: memory?.timestamp,
    });
    expect(body.results.bindings).toMatchObject([{ o: { value: "so" } }]);
  });

  it("passes the privacy gate, with the policy of its memory's project", async () => {
    const client = await newClient(ALL);
    await client.call("PUT", "/v1/projects/shop/privacy", { personal_data: { email: "mask" } });
    const [version] = listVersions("rule");
    const rationale = "ann@example.org said so, with the key AKIAIOSFODNN7EXAMPLE";
    const { body } = await importText(
      client,
      toExport([...ofKind("memory"), { ...version, rationale }, ...listVersions("port")]),
    );
    expect(body.imported.memory_version).toEqual({ added: 1 + listVersions("port").length, known: 0 });
    const stored = JSON.stringify(await readVersionRows(client));
    expect(stored).toContain("[secret:");
    expect(stored).not.toContain("AKIAIOSFODNN7EXAMPLE");
    expect(stored).not.toContain("ann@example.org");
  });

  it("is of the owner of a bound key, by its memory", async () => {
    const { body } = await callWith(ADMIN_KEY, "POST", "/v1/keys", {
      ...{ tenant: target.tenant, scopes: ["read", "write"], bind: { user_id: USER } },
    });
    const bound: Client = { ...target, key: body.key, call: (...sent) => callWith(body.key, ...sent) };
    expect((await exportRecords(bound)).map(({ kind }) => kind)).toEqual(["memory", "memory_version"]);
  });
});
