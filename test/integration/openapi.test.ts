import { describe, expect, it } from "vitest";
import { callWith, newClient } from "./support";

describe("the OpenAPI document", () => {
  it("is OpenAPI 3.1, needs no key, and lists the routes with their schemas", async () => {
    const { status, body } = await callWith(null, "GET", "/openapi.json");
    expect(status).toBe(200);
    expect(body.openapi).toBe("3.1.0");
    const remember = body.paths["/v1/sessions/{id}/remember"].post;
    expect(remember.requestBody.content["application/json"].schema.properties.content.maxLength).toBe(2000);
    expect(body.paths["/v1/memories/{id}/triples"].get).toBeDefined();
  });

  it("is made from the schemas that validate: a route's limit in it is the limit that refuses", async () => {
    const { body } = await callWith(null, "GET", "/openapi.json");
    const limit =
      body.paths["/v1/recall"].post.requestBody.content["application/json"].schema.properties.limit;
    const client = await newClient();
    expect((await client.call("POST", "/v1/recall", { limit: limit.maximum })).status).toBe(200);
    expect((await client.call("POST", "/v1/recall", { limit: limit.maximum + 1 })).status).toBe(400);
  });
});
