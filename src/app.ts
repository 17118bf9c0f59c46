// The HTTP surface, composed: what every request passes, then one file of routes per resource.
import { OpenAPIHono } from "@hono/zod-openapi";
import { bodyLimit } from "hono/body-limit";
import { adminRoutes } from "./api/admin";
import { reportDefect } from "./api/defect";
import { directiveRoutes } from "./api/directives";
import { docsRoutes } from "./api/docs";
import { doctorRoutes } from "./api/doctor";
import { episodeRoutes } from "./api/episodes";
import { experienceRoutes } from "./api/experience";
import { graphRoutes } from "./api/graph";
import { handoffRoutes } from "./api/handoffs";
import type { AppEnv } from "./api/http";
import { keyRoutes } from "./api/keys";
import { ledgerRoutes } from "./api/ledgers";
import { linkRoutes } from "./api/links";
import { mem0Routes } from "./api/mem0";
import { memoryRoutes } from "./api/memories";
import { ontologyRoutes } from "./api/ontology";
import { ownKeyRoutes } from "./api/own-key";
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
import { FailureError, fail } from "./errors";
import { languageModelOf } from "./language/select";
import { LIMITS } from "./limits";
import { mcpRoutes } from "./mcp/route";
import { createTelemetry } from "./telemetry/telemetry";
import { VERSION } from "./version";

export function createApp() {
  // A slash at the end of a path makes no difference: mem0's clients send one.
  const app = new OpenAPIHono<AppEnv>({ strict: false });

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
    await next();
  });

  doctorRoutes(app);

  app.use(async (c, next) => {
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
    ownKeyRoutes,
    sessionRoutes,
    shortTermRoutes,
    spaceRoutes,
    taskRoutes,
    threadRoutes,
    directiveRoutes,
    toolRoutes,
    memoryRoutes,
    linkRoutes,
    graphRoutes,
    mem0Routes,
    episodeRoutes,
    patternRoutes,
    experienceRoutes,
    policyRoutes,
    skillRoutes,
    ledgerRoutes,
    handoffRoutes,
    ontologyRoutes,
    adminRoutes,
    mcpRoutes,
    docsRoutes,
  ]) {
    routes(app);
  }

  app.notFound((c) =>
    problemResponse(
      fail("not_found", `No such route: ${c.req.method} ${c.req.path}. See /openapi.json.`).failure,
    ),
  );
  app.onError((error, c) => {
    if (error instanceof FailureError) return problemResponse(error.failure);
    return problemResponse(reportDefect(error, c.var.requestId));
  });
  return app;
}
