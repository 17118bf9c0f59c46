// Reads the API's description from the service's own code, without a server.
import type { OpenAPIHono } from "@hono/zod-openapi";
import { importSource } from "./import-source.ts";

export type OpenApiDocument = ReturnType<OpenAPIHono["getOpenAPI31Document"]>;

export async function readOpenApiDocument(): Promise<OpenApiDocument> {
  const { createApp } = await importSource<typeof import("../../src/app.ts")>("src/app.ts");
  const answer = await createApp().request("/openapi.json", {}, { ADMIN_KEY: "unused" });
  if (!answer.ok) throw new Error(`/openapi.json answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

/** Returns the stable failure codes with their HTTP status. */
export async function readFailures() {
  const { FAILURES } =
    await importSource<typeof import("../../src/kernel/errors.ts")>("src/kernel/errors.ts");
  return FAILURES;
}
