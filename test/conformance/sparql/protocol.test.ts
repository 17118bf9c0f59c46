// The SPARQL 1.1 Protocol at /v1/sparql: ways to send a query, formats of the answer, and refusals.
import { beforeAll, describe, expect, it } from "vitest";
import { type Answer, fresh } from "../support/client";
import type { Remembered } from "../support/contract";
import { bodyOf, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";

const kioku = serviceUnderTest();

const PREFIX = "PREFIX jido: <https://jido.ai/ontology#> ";
const SELECT = `${PREFIX}SELECT ?text WHERE { ?m a jido:Fact ; jido:summary ?text } ORDER BY ?text`;
const ASK = `${PREFIX}ASK { ?m a jido:Fact }`;
const CONSTRUCT = `${PREFIX}CONSTRUCT { ?m jido:summary ?text } WHERE { ?m a jido:Fact ; jido:summary ?text }`;

const FORM = { "content-type": "application/x-www-form-urlencoded" };
const DIRECT = { "content-type": "application/sparql-query" };

type Results = {
  head: object;
  results?: { bindings: Record<string, { value: string }>[] };
  boolean?: boolean;
};

beforeAll(async () => {
  for (const content of ["The moon is far", "The sun is hot"])
    bodyOf(await kioku.api.post("/v1/remember", { content, type: "fact", project_id: "sky" }), 201);
});

const get = (parameters: Record<string, string> | [string, string][], headers = {}) =>
  kioku.api.get<Results>(`/v1/sparql?${new URLSearchParams(parameters)}`, headers);
const post = (raw: string, headers: Record<string, string>, query = "") =>
  kioku.api.call<Results>("POST", `/v1/sparql${query}`, { raw, headers });

const texts = (answer: Answer<Results>) =>
  bodyOf(answer, 200).results?.bindings.map(({ text }) => text?.value);

describe("a query", () => {
  const FOUND = ["The moon is far", "The sun is hot"];

  it("is sent by GET, as a form, as the body itself, and as JSON", async () => {
    expect(texts(await get({ query: SELECT }))).toEqual(FOUND);
    expect(texts(await post(`${new URLSearchParams({ query: SELECT })}`, FORM))).toEqual(FOUND);
    expect(texts(await post(SELECT, DIRECT))).toEqual(FOUND);
    expect(texts(await kioku.api.post<Results>("/v1/sparql", { query: SELECT }))).toEqual(FOUND);
  });

  it("has a dataset from the URL, the form, or both", async () => {
    const graph = "default-graph-uri";
    const none = { query: SELECT, [graph]: "urn:none" };
    expect(texts(await get(none))).toEqual([]);
    expect(texts(await get([...Object.entries(none), [graph, "urn:other"]]))).toEqual([]);
    expect(texts(await post(`${new URLSearchParams(none)}`, FORM))).toEqual([]);
    expect(texts(await post(SELECT, DIRECT, `?${graph}=urn:none&${graph}=urn:other`))).toEqual([]);
    expect(
      texts(await post(`${new URLSearchParams({ query: SELECT })}`, FORM, `?${graph}=urn:none`)),
    ).toEqual([]);
  });

  it("follows subclasses unless infer is false", async () => {
    const query = `${PREFIX}SELECT ?text WHERE { ?m a jido:MemoryItem ; jido:summary ?text } ORDER BY ?text`;
    expect(texts(await get({ query }))).toEqual(FOUND);
    expect(texts(await get({ query, infer: "false" }))).toEqual([]);
    expect(texts(await post(`${new URLSearchParams({ query, infer: "false" })}`, FORM))).toEqual([]);
    expect(texts(await kioku.api.post<Results>("/v1/sparql", { query, infer: false }))).toEqual([]);
  });

  it("sees the caller's tenant alone, and of a bound key what belongs to its owner", async () => {
    const stranger = await kioku.tenant();
    expect(texts(await stranger.post<Results>("/v1/sparql", { query: SELECT }))).toEqual([]);
    const name = fresh("tenant");
    const owner = await kioku.tenant({ name });
    for (const [project_id, content] of [
      ["a", "Alpha"],
      ["b", "Beta"],
    ])
      bodyOf(await owner.post<Remembered>("/v1/remember", { content, type: "fact", project_id }), 201);
    const bound = await kioku.tenant({ name, bind: { project_id: "b" } });
    expect(texts(await bound.post<Results>("/v1/sparql", { query: SELECT }))).toEqual(["Beta"]);
  });

  it("needs the scope read, and stores nothing under its Idempotency-Key", async () => {
    const writer = await kioku.tenant({ scopes: ["write"] });
    expectProblem(await writer.post("/v1/sparql", { query: ASK }), "forbidden");
    const once = { "idempotency-key": fresh("once") };
    expect(bodyOf(await kioku.api.post<Results>("/v1/sparql", { query: ASK }, once), 200).boolean).toBe(true);
    expect(texts(await kioku.api.post<Results>("/v1/sparql", { query: SELECT }, once))).toEqual(FOUND);
  });

  it("tells in Server-Timing how it ran", async () => {
    expect((await get({ query: ASK })).headers.get("server-timing")).toMatch(/plan;desc="\d+ SQL/);
  });
});

describe("the format of an answer", () => {
  it.each([
    [SELECT, "", "application/sparql-results+json"],
    [SELECT, "application/sparql-results+xml", "application/sparql-results+xml"],
    [SELECT, "text/csv", "text/csv; charset=utf-8"],
    [SELECT, "text/tab-separated-values", "text/tab-separated-values; charset=utf-8"],
    [SELECT, "application/json", "application/json"],
    [SELECT, "text/csv;q=0.4, application/sparql-results+xml;q=0.6", "application/sparql-results+xml"],
    [ASK, "text/csv, */*;q=0.1", "application/sparql-results+json"],
    [CONSTRUCT, "", "text/turtle; charset=utf-8"],
    [CONSTRUCT, "application/n-triples", "application/n-triples"],
    [CONSTRUCT, "application/trig", "application/trig"],
    [CONSTRUCT, "application/n-quads", "application/n-quads"],
    [CONSTRUCT, "application/ld+json", "application/ld+json"],
    [CONSTRUCT, "application/sparql-results+json, text/turtle;q=0.2", "text/turtle; charset=utf-8"],
  ])("of %s with Accept: %s", async (query, accept, type) => {
    const answer = await get({ query }, accept === "" ? {} : { accept });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers.get("content-type")).toBe(type);
    expect(answer.headers.get("vary")).toContain("Accept");
    expect(answer.text).toContain(query === ASK ? "true" : "The moon is far");
  });

  it.each([
    [SELECT, "text/turtle", "text/csv"],
    [ASK, "text/csv", "application/sparql-results+xml"],
    [CONSTRUCT, "text/csv", "application/trig"],
    [SELECT, "image/png", "text/csv"],
  ])("of %s is refused with Accept: %s", async (query, accept, possible) => {
    const answer = await get({ query }, { accept });
    expectProblem(answer, "not_acceptable");
    expect(answer.text).toContain(possible);
  });

  it("without a query is the service description, if Turtle is asked for", async () => {
    const answer = await get({}, { accept: "text/turtle" });
    expect(answer.status).toBe(200);
    expect(answer.text).toContain("sd:SPARQL11Query");
    expect(answer.text).toContain(`sd:endpoint <${kioku.api.url("/v1/sparql")}>`);
  });
});

describe("a refusal", () => {
  it("of a malformed query names the line and the column", async () => {
    const answer = await post("SELECT ?a\nWHERE { ?a ?b }", DIRECT);
    expectProblem(answer, "invalid_request", "query");
    expect(answer.body).toMatchObject({ line: 2, column: expect.any(Number) });
  });

  it("of a missing or repeated query is a 400", async () => {
    expectProblem(await get({}), "invalid_request", "query");
    expectProblem(
      await get([
        ["query", ASK],
        ["query", ASK],
      ]),
      "invalid_request",
      "query",
    );
    expectProblem(await post(`query=${ASK}&query=${ASK}`, FORM), "invalid_request", "query");
    expectProblem(await post("", FORM), "invalid_request");
    expectProblem(await post("", DIRECT), "invalid_request");
  });

  it("of unknown parameters, media types and charsets is a 400", async () => {
    expectProblem(await get({ query: ASK, lang: "sql" }), "invalid_request", "lang");
    expectProblem(await get({ query: ASK, infer: "no" }), "invalid_request", "infer");
    expectProblem(await post(`query=${ASK}&infer=no`, FORM), "invalid_request", "infer");
    expectProblem(await post(ASK, { "content-type": "text/plain" }), "invalid_request", "Content-Type");
    const utf16 = { "content-type": "application/sparql-query; charset=UTF-16" };
    expectProblem(await post(ASK, utf16), "invalid_request", "Content-Type");
  });

  it("of an update is a 405 that names the calls that write", async () => {
    const update = "DELETE WHERE { ?s ?p ?o }";
    for (const answer of [
      await get({ update }),
      await get({ query: update }),
      await post(`${new URLSearchParams({ update })}`, FORM),
      await post(update, DIRECT),
      await post(update, { "content-type": "application/sparql-update" }),
    ]) {
      expectProblem(answer, "method_not_allowed");
      expect(answer.text).toContain("POST /v1/remember");
      expect(answer.headers.get("allow")).toBe("GET, POST");
    }
  });

  it("of a query that is too expensive is a 422 that says what to do", async () => {
    const answer = await get({ query: "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }" });
    expectProblem(answer, "unprocessable", "query");
  });

  it("of SERVICE is a 422", async () => {
    const answer = await get({ query: "SELECT * { SERVICE <http://example.org/sparql> { ?a ?b ?c } }" });
    expectProblem(answer, "unprocessable", "query");
  });
});
