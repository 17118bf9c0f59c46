import { describe, expect, it } from "vitest";
import { createApp } from "../../src/app";

describe("the OpenAPI document", () => {
  it("is made", () => {
    const doc = createApp().getOpenAPI31Document({ openapi: "3.1.0", info: { title: "x", version: "1" } });
    expect(Object.keys(doc.paths ?? {})).toContain("/v1/sessions/{id}/remember");
    console.log(JSON.stringify(doc.paths?.["/v1/sessions/{id}/remember"]).slice(0, 3000));
  });
});
