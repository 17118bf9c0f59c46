// The API reference: the OpenAPI document, and the page that shows it, with its files from the Worker's assets.
import { failure } from "../../platform/errors";
import { z } from "../../schemas/common";
import type { App } from "../endpoint";
import { ANSWER_HEADERS, documentCommonAnswers } from "../openapi/common-responses";
import { operationId } from "../openapi/document-route";
import { exampleOf } from "../openapi/examples/all-examples";
import { ABOUT, BEARER } from "../openapi/service-description";

/** Where scripts/lib/docs-page.mjs puts the files. The binding ignores the host. */
const ASSETS_URL = "https://assets/docs";

/** Named by a hash of what they hold; nothing else of the assets is reached from outside. */
const FILE = /^[a-z-]+\.[0-9a-f]{16}\.(js|css|svg|txt)$/;
const TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  txt: "text/plain; charset=utf-8",
};

/** The page talks to the service it came from, and to nobody else. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const SAFE = { "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer" };

export function docsRoutes(app: App): void {
  documentOpenRoutes(app);
  documentCommonAnswers(app);
  app.openAPIRegistry.registerComponent("securitySchemes", "bearer", BEARER);

  // Made when it is first asked for, which takes a while; it never changes.
  let made: ReturnType<App["getOpenAPI31Document"]> | undefined;
  app.get("/openapi.json", (c) => {
    made ??= app.getOpenAPI31Document(ABOUT);
    return c.json(made);
  });

  app.get("/docs", async (c) => {
    const page = await c.env.ASSETS.fetch(`${ASSETS_URL}/page.html`);
    if (!page.ok) throw new Error(`The page of the reference answered ${page.status}`);
    const headers = {
      ...SAFE,
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": POLICY,
      "Cache-Control": "no-cache",
    };
    return new Response(page.body, { headers });
  });

  app.get("/docs/:file", async (c) => {
    const file = c.req.param("file");
    const [, extension = ""] = FILE.exec(file) ?? [];
    const type = TYPES[extension];
    const found = type === undefined ? null : await c.env.ASSETS.fetch(`${ASSETS_URL}/${file}`);
    if (type === undefined || !found?.ok)
      throw failure("not_found", "No such file. The reference is at /docs.");
    const headers = {
      ...SAFE,
      "Content-Type": type,
      "Cache-Control": "public, max-age=31536000, immutable",
    };
    return new Response(found.body, { headers });
  });
}

/** What needs no key has no endpoint() of its own; the document still names it. */
function documentOpenRoutes({ openAPIRegistry }: App): void {
  const health = z.object({ status: z.literal("ok"), version: z.string() }).openapi("Health");
  const routes = [
    { path: "/health", summary: "Whether the service is up", type: "application/json", schema: health },
    {
      path: "/openapi.json",
      summary: "This document",
      type: "application/json",
      schema: z.looseObject({ openapi: z.string() }),
    },
    { path: "/docs", summary: "The API reference as a page", type: "text/html", schema: z.string() },
  ];
  for (const { path, summary, type, schema } of routes) {
    const { answer } = exampleOf("get", path);
    openAPIRegistry.registerPath({
      method: "get",
      path,
      ...operationId("get", path),
      summary,
      tags: ["Service"],
      security: [],
      responses: {
        200: {
          description: summary,
          headers: ANSWER_HEADERS,
          content: { [type]: { schema, ...(answer === undefined ? {} : { example: answer }) } },
        },
      },
    });
  }
}
