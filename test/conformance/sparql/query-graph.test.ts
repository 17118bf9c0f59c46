// The tool query_graph: SPARQL for models, within the reach of their call.
import { beforeAll, describe, expect, it } from "vitest";
import { newSession } from "../support/actions";
import type { Client } from "../support/client";
import { bodyOf } from "../support/expectations";
import { serviceUnderTest } from "../support/service";
import { call, connectMcp, failing } from "../surfaces/mcp";

const kioku = serviceUnderTest();

type Queried = {
  count: number;
  rows?: Record<string, unknown>[];
  boolean?: boolean;
  turtle?: string;
  truncated?: true;
};

const FACTS =
  "SELECT ?text ?sure WHERE { ?m a jido:Fact ; jido:summary ?text ; jido:confidenceValue ?sure } ORDER BY ?text";

beforeAll(async () => {
  for (const [project_id, content] of [
    ["north", "Reindeer graze here"],
    ["north", "The lake is frozen"],
    ["south", "Vines grow here"],
  ])
    bodyOf(await kioku.api.post("/v1/remember", { content, project_id, type: "fact", confidence: 0.9 }), 201);
});

const connectTo = (project: string, client: Client = kioku.api) =>
  connectMcp(client, { headers: { "Kioku-Project-Id": project } });

describe("query_graph", () => {
  it("answers with plain values, and knows the prefixes", async () => {
    await using client = await connectTo("north");
    expect(await call<Queried>(client, "query_graph", { query: FACTS })).toEqual({
      count: 2,
      rows: [
        { text: "Reindeer graze here", sure: 0.9 },
        { text: "The lake is frozen", sure: 0.9 },
      ],
    });
  });

  it("answers ASK with a boolean and CONSTRUCT with Turtle", async () => {
    await using client = await connectTo("south");
    const ask = { query: "ASK { ?m a jido:Bug }" };
    expect(await call<Queried>(client, "query_graph", ask)).toEqual({ count: 1, boolean: false });
    const query = "CONSTRUCT { ?m jido:summary ?t } WHERE { ?m a jido:Fact ; jido:summary ?t }";
    const { count, turtle } = await call<Queried>(client, "query_graph", { query });
    expect(count).toBe(1);
    expect(turtle).toContain('jido:summary "Vines grow here"');
  });

  it("says when there are more rows than the limit", async () => {
    await using client = await connectTo("north");
    const { count, rows, truncated } = await call<Queried>(client, "query_graph", { query: FACTS, limit: 1 });
    expect({ count, rows: rows?.length, truncated }).toEqual({ count: 2, rows: 1, truncated: true });
  });

  it("stays within the project that the client is pinned to, whoever asks", async () => {
    await using client = await connectTo("south");
    const everything = { query: "SELECT ?text WHERE { ?m jido:summary ?text }" };
    expect((await call<Queried>(client, "query_graph", everything)).rows).toEqual([
      { text: "Vines grow here" },
    ]);
    await using unpinned = await connectMcp(kioku.api);
    expect((await call<Queried>(unpinned, "query_graph", everything)).rows).toEqual([]);
    const narrowed = { ...everything, project_id: "south" };
    expect((await call<Queried>(unpinned, "query_graph", narrowed)).count).toBe(1);
  });

  it("is refused in a session that reaches only itself", async () => {
    await using client = await connectMcp(kioku.api);
    const { id: session_id } = await newSession(kioku.api);
    const { code, error } = await failing(client, "query_graph", { query: FACTS, session_id });
    expect(code).toBe("forbidden");
    expect(error).toContain("project_id");
  });

  it("tells a model what to change", async () => {
    await using client = await connectTo("north");
    const malformed = await failing(client, "query_graph", { query: "SELECT ?a WHERE { ?a ?b }" });
    expect(malformed.code).toBe("invalid_request");
    // The column of the query as the model wrote it.
    const [, column] = /line 1, column (\d+)/.exec(malformed.error) ?? [];
    expect(Number(column)).toBeGreaterThan(10);
    expect(Number(column)).toBeLessThan(30);
    const update = await failing(client, "query_graph", { query: "DELETE WHERE { ?s ?p ?o }" });
    expect(update.code).toBe("method_not_allowed");
    const product = await failing(client, "query_graph", {
      query: "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }",
    });
    expect(product.code).toBe("unprocessable");
  });

  it("leaves the number of its rows in the thread, and none of the rows", async () => {
    const { id: session_id } = await newSession(kioku.api, { project_id: "north" });
    const execute = { session_id, call: { id: "q1", name: "query_graph", arguments: { query: FACTS } } };
    const answer = await kioku.api.post<{ content: string }>("/v1/tools/execute", execute);
    expect(bodyOf(answer, 200).content).toContain("Reindeer");
    const thread = await kioku.api.get(`/v1/sessions/${session_id}/thread`);
    expect(thread.text).toContain("query_graph");
    expect(thread.text).toContain('{\\"count\\":2}');
    expect(thread.text).not.toContain("Reindeer");
  });
});
