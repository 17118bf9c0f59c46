// The OpenAPI document: open to all, complete, and consistent with itself.
import { describe, expect, it } from "vitest";
import { bodyOf } from "../support/expectations";
import { CONTRACT_ROUTES, openApi, routesOf, sampleBody, shapeOf } from "../support/routes";
import { serviceUnderTest } from "../support/service";

const kioku = serviceUnderTest();

describe("GET /openapi.json", () => {
  it("is OpenAPI 3.1 and needs no key", async () => {
    const answer = await kioku.anonymous.get<{ openapi: string }>("/openapi.json");
    expect(bodyOf(answer, 200).openapi).toMatch(/^3\.1\./);
    expect(answer.headers.get("content-type")).toMatch(/json/);
  });

  it.each(CONTRACT_ROUTES)("lists %s", async (wanted) => {
    const listed = routesOf(await openApi(kioku.anonymous)).map(
      (route) => `${route.method} ${shapeOf(route.template)}`,
    );
    expect(listed).toContain(wanted);
  });

  it("is made from the schemas that validate: a limit in it is the limit that refuses", async () => {
    const { paths } = await openApi(kioku.anonymous);
    const properties = (path: string) =>
      paths[path]?.post?.requestBody?.content?.["application/json"]?.schema?.properties;
    expect(properties("/v1/sessions/{id}/remember")?.content).toMatchObject({ maxLength: 2_000 });
    const maximum = properties("/v1/recall")?.limit?.maximum ?? 0;
    bodyOf(await kioku.api.post("/v1/recall", { limit: maximum }), 200);
    bodyOf(await kioku.api.post("/v1/recall", { limit: maximum + 1 }), 400);
  });

  it("has an answer for every operation", async () => {
    for (const route of routesOf(await openApi(kioku.anonymous))) {
      expect(
        Object.keys(route.operation.responses ?? {}).length,
        `${route.method} ${route.template}`,
      ).toBeGreaterThan(0);
    }
  });

  it("refers only to schemas it has", async () => {
    const document = await openApi(kioku.anonymous);
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)];
    expect(references.length).toBeGreaterThan(0);
    const schemas = Object.keys(document.components?.schemas ?? {});
    for (const [, name] of references) expect(schemas).toContain(name);
  });

  it("has no reference that should be null and cannot be", async () => {
    const document = JSON.stringify(await openApi(kioku.anonymous));
    expect(document).not.toMatch(/"allOf":\[\{"\$ref":"[^"]+"\},\{"type":\["object","null"\]\}\]/);
  });

  it("describes bodies that the service accepts", async () => {
    const document = await openApi(kioku.anonymous);
    const own = {
      agent_id: "scribe",
      content: "A sample",
      query: "sample",
      memory_type: "fact",
      project_id: "shop",
      pattern: "Say little",
      steps: ["Look"],
      messages: [{ role: "user", content: "Hi" }],
    };
    for (const [wanted, status] of [
      ["POST /v1/sessions", 201],
      ["POST /v1/sessions/{}/remember", 201],
      ["POST /v1/sessions/{}/messages", 201],
      ["POST /v1/sessions/{}/tasks", 201],
      ["POST /v1/sessions/{}/thread", 201],
      ["POST /v1/sessions/{}/preflight", 200],
      ["POST /v1/sessions/{}/turns", 200],
      ["POST /v1/entries", 201],
      ["PUT /v1/agents/{}/policy", 200],
      ["POST /v1/episodes", 201],
      ["POST /v1/patterns", 201],
      ["POST /v1/learnings", 201],
      ["POST /v1/handoffs", 201],
      ["PUT /v1/skills/{}", 201],
      ["POST /v1/consolidate", 200],
      ["POST /v1/maintenance", 200],
      ["POST /v1/prime", 200],
    ] as const) {
      const route = routesOf(document).find((one) => `${one.method} ${shapeOf(one.template)}` === wanted);
      expect(route, wanted).toBeDefined();
      const body = route && sampleBody(document, route, own);
      const [method = "", path = ""] = wanted.replace("{}", "openapi-sample").split(" ");
      bodyOf(await (await kioku.tenant()).call(method, path, { body }), status);
    }
  });
});
