// Routes that need no key: health, the OpenAPI document, and the API reference with its files from the Worker's assets.
import { z } from "../kernel/common";
import { VERSION } from "../kernel/version";
import type { App } from "./app-context";
import { documentCommonResponses } from "./common-responses";
import { publicRoute } from "./document-route";
import { serveFile, servePage } from "./serve-assets";
import { BEARER, SERVICE_DESCRIPTION } from "./service-description";

/** File names end in a content hash. No other asset is reachable from outside. */
const FILE = /^[a-z-]+\.[0-9a-f]{16}\.(js|css|svg|txt)$/;

export function healthRoute(app: App): void {
  publicRoute(
    app,
    {
      path: "/health",
      operationId: "getHealth",
      summary: "Whether the service is up",
      type: "application/json",
      schema: z.object({ status: z.literal("ok"), version: z.string() }).openapi("Health"),
      example: { status: "ok", version: VERSION },
    },
    async (c) => c.json({ status: "ok", version: VERSION }),
  );
}

export function docsRoutes(app: App): void {
  documentCommonResponses(app);
  app.openAPIRegistry.registerComponent("securitySchemes", "bearer", BEARER);

  // Generated on the first request, because it is slow, and cached: it never changes.
  let document: ReturnType<App["getOpenAPI31Document"]> | undefined;
  publicRoute(
    app,
    {
      path: "/openapi.json",
      operationId: "getOpenApi",
      summary: "This document",
      type: "application/json",
      schema: z.looseObject({ openapi: z.string() }),
      example: { openapi: "3.1.0", info: { title: "Kioku", version: VERSION }, paths: {} },
    },
    async (c) => {
      document ??= app.getOpenAPI31Document(SERVICE_DESCRIPTION);
      return c.json(document);
    },
  );

  publicRoute(
    app,
    {
      path: "/docs",
      operationId: "getDocs",
      summary: "The API reference as a page",
      type: "text/html",
      schema: z.string(),
      example: "<!doctype html>…",
    },
    (c) => servePage(c, "docs"),
  );

  app.get("/docs/:file", (c) =>
    serveFile(c, { folder: "docs", pattern: FILE, page: "The reference is at /docs." }),
  );
}
