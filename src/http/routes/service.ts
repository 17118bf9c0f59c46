// Routes that need no key: health, the OpenAPI document, and the API reference with its files from the Worker's assets.
import { failure } from "../../platform/errors";
import { z } from "../../schemas/common";
import { VERSION } from "../../version";
import type { App } from "../app-context";
import { documentCommonResponses } from "../openapi/common-responses";
import { publicRoute } from "../openapi/public-route";
import { BEARER, SERVICE_DESCRIPTION } from "../openapi/service-description";

/** Where scripts/lib/build-docs-page.ts puts the files. The binding ignores the host. */
const ASSETS_URL = "https://assets/docs";

/** File names end in a content hash. No other asset is reachable from outside. */
const FILE = /^[a-z-]+\.[0-9a-f]{16}\.(js|css|svg|txt)$/;
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  txt: "text/plain; charset=utf-8",
};

/** The reference page may only connect to the service that serves it. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const SECURITY_HEADERS = { "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer" };

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
    async (c) => {
      const page = await c.env.ASSETS.fetch(`${ASSETS_URL}/page.html`);
      if (!page.ok) throw new Error(`The asset page.html returned ${page.status}`);
      const headers = {
        ...SECURITY_HEADERS,
        "Content-Type": "text/html; charset=utf-8",
        "Content-Security-Policy": CONTENT_SECURITY_POLICY,
        "Cache-Control": "no-cache",
      };
      return new Response(page.body, { headers });
    },
  );

  app.get("/docs/:file", async (c) => {
    const file = c.req.param("file");
    const [, extension = ""] = FILE.exec(file) ?? [];
    const type = CONTENT_TYPES[extension];
    const asset = type === undefined ? null : await c.env.ASSETS.fetch(`${ASSETS_URL}/${file}`);
    if (type === undefined || !asset?.ok)
      throw failure("not_found", "No such file. The reference is at /docs.");
    const headers = {
      ...SECURITY_HEADERS,
      "Content-Type": type,
      "Cache-Control": "public, max-age=31536000, immutable",
    };
    return new Response(asset.body, { headers });
  });
}
