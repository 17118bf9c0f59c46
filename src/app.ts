// The HTTP surface, composed: what every request passes, then one file of routes per resource.
import { OpenAPIHono } from "@hono/zod-openapi";
import { bodyLimit } from "hono/body-limit";
import { adminRoutes } from "./api/admin";
import { directiveRoutes } from "./api/directives";
import type { App } from "./api/endpoint";
import { episodeRoutes } from "./api/episodes";
import { experienceRoutes } from "./api/experience";
import { handoffRoutes } from "./api/handoffs";
import type { AppEnv } from "./api/http";
import { keyRoutes } from "./api/keys";
import { ledgerRoutes } from "./api/ledgers";
import { linkRoutes } from "./api/links";
import { memoryRoutes } from "./api/memories";
import { ontologyRoutes } from "./api/ontology";
import { patternRoutes } from "./api/patterns";
import { policyRoutes } from "./api/policy";
import { problemResponse } from "./api/problem";
import { sessionRoutes } from "./api/sessions";
import { shortTermRoutes } from "./api/short-term";
import { skillRoutes } from "./api/skills";
import { spaceRoutes } from "./api/spaces";
import { taskRoutes } from "./api/tasks";
import { threadRoutes } from "./api/thread";
import { createTiming } from "./api/timing";
import { toolRoutes } from "./api/tools";
import { settingsOf } from "./env";
import { describeDefect, FailureError, fail } from "./errors";
import { languageModelOf } from "./language/select";
import { LIMITS } from "./limits";
import { z } from "./schemas/common";
import { createTelemetry } from "./telemetry/telemetry";
import { VERSION } from "./version";

const ABOUT = {
  openapi: "3.1.0",
  info: {
    title: "Kioku",
    version: VERSION,
    description: "Memory for hosted AI agents",
    license: { name: "MIT" },
  },
  servers: [{ url: "/" }],
};

export function createApp() {
  const app = new OpenAPIHono<AppEnv>();

  app.use(async (c, next) => {
    c.set("requestId", crypto.randomUUID());
    c.set("timing", createTiming());
    c.set("telemetry", createTelemetry(c.env.TELEMETRY));
    await next();
    c.res.headers.set("X-Request-Id", c.var.requestId);
    c.res.headers.set("Server-Timing", c.var.timing.header());
  });

  app.get("/health", (c) => c.json({ status: "ok", version: VERSION }));

  // Without an admin key nobody could hold a key either: refuse everything rather than look open.
  app.use(async (c, next) => {
    if (c.env.ADMIN_KEY === undefined || c.env.ADMIN_KEY === "") {
      return problemResponse(
        fail("not_configured", "No ADMIN_KEY is configured. Set the secret ADMIN_KEY and restart.").failure,
      );
    }
    c.set("settings", settingsOf(c.env));
    // Only projectors call it, on their alarm: a wrong setting is said here, where somebody sees it.
    languageModelOf(c.env);
    await next();
  });

  app.use(
    bodyLimit({
      maxSize: LIMITS.bodyBytes,
      onError: () =>
        problemResponse(
          fail("payload_too_large", `The body is over ${LIMITS.bodyBytes} bytes. Send it in parts.`).failure,
        ),
    }),
  );

  for (const routes of [
    keyRoutes,
    sessionRoutes,
    shortTermRoutes,
    spaceRoutes,
    taskRoutes,
    threadRoutes,
    directiveRoutes,
    toolRoutes,
    memoryRoutes,
    linkRoutes,
    episodeRoutes,
    patternRoutes,
    experienceRoutes,
    policyRoutes,
    skillRoutes,
    ledgerRoutes,
    handoffRoutes,
    ontologyRoutes,
    adminRoutes,
  ]) {
    routes(app);
  }

  documentOpenRoutes(app);
  app.openAPIRegistry.registerComponent("securitySchemes", "bearer", { type: "http", scheme: "bearer" });
  app.get("/openapi.json", (c) => c.json(app.getOpenAPI31Document(ABOUT)));

  app.notFound((c) =>
    problemResponse(
      fail("not_found", `No such route: ${c.req.method} ${c.req.path}. See /openapi.json.`).failure,
    ),
  );
  app.onError((error, c) => {
    if (error instanceof FailureError) return problemResponse(error.failure);
    console.error(
      JSON.stringify({ event: "request.error", request_id: c.var.requestId, ...describeDefect(error) }),
    );
    return problemResponse(
      fail(
        "internal",
        `Something failed here. Give request id ${c.var.requestId} to whoever runs this service.`,
      ).failure,
    );
  });
  return app;
}

/** What needs no key has no endpoint() of its own; the document still names it. */
function documentOpenRoutes({ openAPIRegistry }: App): void {
  const health = z.object({ status: z.literal("ok"), version: z.string() }).openapi("Health");
  const routes = [
    { path: "/health", summary: "Whether the service is up", schema: health },
    { path: "/openapi.json", summary: "This document", schema: z.object({ openapi: z.string() }) },
  ];
  for (const { path, summary, schema } of routes) {
    const content = { "application/json": { schema } };
    openAPIRegistry.registerPath({
      method: "get",
      path,
      summary,
      tags: ["Service"],
      security: [],
      responses: { 200: { description: summary, content } },
    });
  }
}
