// However much is wrong with a request, its answer stays small and is never a 500.
import { beforeAll, describe, expect, it } from "vitest";
import { newSession } from "../support/actions";
import { fresh } from "../support/client";
import { bodyOf, expectProblem } from "../support/expectations";
import {
  fillPath,
  guardedRoutes,
  type OpenApi,
  openApi,
  resolve,
  type Schema,
  sampleBody,
  shapeOf,
} from "../support/routes";
import { serviceUnderTest } from "../support/service";
import { connectMcp } from "../surfaces/mcp";

const kioku = serviceUnderTest();
const BAD = Array.from({ length: 125_000 }, () => 0);
/** The longest answer to a request that is refused, in characters. */
const SMALL = 64 * 1024;

let document: OpenApi;

beforeAll(async () => {
  document = await openApi(kioku.anonymous);
});

/** The members of a body that are lists, or may be. */
function listsOf(given: Schema): string[] {
  const schema = resolve(document, given);
  const branches = [schema, ...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  return branches.flatMap((branch) =>
    Object.entries(resolve(document, branch).properties ?? {})
      .filter(([, member]) => JSON.stringify(resolve(document, member)).includes('"array"'))
      .map(([name]) => name),
  );
}

describe("a request with very many errors", () => {
  it("is refused with a small answer, by every route that takes a list", async () => {
    const lists = guardedRoutes(document).flatMap((route) => {
      const schema = route.operation.requestBody?.content?.["application/json"]?.schema;
      return schema === undefined ? [] : [...new Set(listsOf(schema))].map((name) => ({ route, name }));
    });
    expect(lists.length).toBeGreaterThan(30);
    for (const { route, name } of lists) {
      const label = `${route.method} ${shapeOf(route.template)} ${name}`;
      const body = { ...(sampleBody(document, route, {}) as object), [name]: BAD };
      const path = fillPath(route.template, { session_id: fresh("session") });
      const answer = await kioku.api.call(route.method, path, { body });
      expect(answer.status, `${label}: ${answer.text.slice(0, 300)}`).toBeLessThan(500);
      if (answer.status >= 400) expect(answer.text.length, label).toBeLessThan(SMALL);
    }
  });

  it("reports the first twenty, and counts the rest", async () => {
    const { id } = await newSession(kioku.api);
    const messages = Array.from({ length: 500 }, () => ({ role: "nobody", content: "" }));
    const problem = expectProblem(
      await kioku.api.post(`/v1/sessions/${id}/messages`, { messages }),
      "invalid_request",
      "role",
    );
    expect(problem.errors).toHaveLength(20);
    expect(problem.more_errors).toBeGreaterThan(400);
    const unknown = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`unknown${i}`, 1]));
    const refused = expectProblem(await kioku.api.post("/v1/recall", unknown), "invalid_request");
    expect(refused).toMatchObject({ more_errors: 19_980 });
    const long = { ["x".repeat(500_000)]: 1 };
    expect((await kioku.api.post("/v1/recall", long)).text.length).toBeLessThan(SMALL);
  });

  it("of a batch has short errors after the first", async () => {
    const memories = Array.from({ length: 500 }, () => ({ content: "x", type: "no_such_type" }));
    const answer = await kioku.api.post("/v1/memories/batch", { memories });
    bodyOf(answer, 200);
    expect(answer.text.length).toBeLessThan(4 * SMALL);
  });

  it("is a small tool error, over execute and MCP", async () => {
    const { id: session_id } = await newSession(kioku.api);
    const wrong = { query: "x", sources: BAD };
    const filter = Object.fromEntries(BAD.slice(0, 50_000).map((_, i) => [`k${i}`, 1]));
    const calls = [
      { id: "c", name: "recall", arguments: wrong },
      { id: "c", name: "recall", arguments: JSON.stringify(wrong) },
      { id: "c", name: "recall", arguments: { filter } },
      { id: "c", name: "x".repeat(900_000), arguments: {} },
      BAD,
      { role: "assistant", tool_calls: BAD },
    ];
    for (const call of calls) {
      const answer = await kioku.api.post("/v1/tools/execute", { session_id, call });
      expect(answer.status, answer.text.slice(0, 300)).toBeLessThan(500);
      expect(answer.text.length).toBeLessThan(SMALL);
    }
    await using mcp = await connectMcp(kioku.api);
    const result = await mcp.callTool({ name: "recall", arguments: wrong });
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result).length).toBeLessThan(SMALL);
  });
});

describe("arguments as a JSON string", () => {
  it("are as deep and have such names as a body may have", async () => {
    const { id: session_id } = await newSession(kioku.api);
    const deep = `{"query": ${"[".repeat(5_000)}${"]".repeat(5_000)}}`;
    for (const [given, reason] of [
      [deep, "levels deep"],
      ['{"query": "x", "filter": {"__proto__": {"a": 1}}}', "__proto__"],
      ['{"query": "x", "filter": {"__pr\\u006fto__": {"a": 1}}}', "__proto__"],
      ['{"limit": 1e999}', "too large"],
    ]) {
      const call = { id: "c", name: "recall", arguments: given };
      const answer = await kioku.api.post<{ content: string }>("/v1/tools/execute", { session_id, call });
      expect(bodyOf(answer, 200).content).toContain(reason);
    }
  });
});
