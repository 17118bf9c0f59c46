// The HTTP surface, composed: what every request passes, then one file of routes per resource.
import { OpenAPIHono } from "@hono/zod-openapi";
import { bodyLimit } from "hono/body-limit";
import { mem0Routes } from "./compat/mem0/mem0-routes";
import type { AppEnv } from "./http/context";
import { problemResponse } from "./http/problem-details";
import { reportDefect } from "./http/report-defect";
import { adminRoutes } from "./http/routes/admin";
import { directiveRoutes } from "./http/routes/directives";
import { docsRoutes } from "./http/routes/docs";
import { doctorRoutes } from "./http/routes/doctor";
import { episodeRoutes } from "./http/routes/episodes";
import { experienceRoutes } from "./http/routes/experience";
import { graphRoutes } from "./http/routes/graph";
import { handoffRoutes } from "./http/routes/handoffs";
import { keyRoutes } from "./http/routes/keys";
import { ledgerRoutes } from "./http/routes/ledgers";
import { linkRoutes } from "./http/routes/links";
import { memoryRoutes } from "./http/routes/memories";
import { ontologyRoutes } from "./http/routes/ontology";
import { ownKeyRoutes } from "./http/routes/own-key";
import { patternRoutes } from "./http/routes/patterns";
import { policyRoutes } from "./http/routes/policies";
import { sessionRoutes } from "./http/routes/sessions";
import { shortTermRoutes } from "./http/routes/short-term";
import { skillRoutes } from "./http/routes/skills";
import { spaceRoutes } from "./http/routes/spaces";
import { taskRoutes } from "./http/routes/tasks";
import { threadRoutes } from "./http/routes/thread";
import { toolRoutes } from "./http/routes/tools";
import { createTiming } from "./http/server-timing";
import { LIMITS } from "./limits";
import { mcpRoutes } from "./mcp/mcp-routes";
import { languageModelOf } from "./models/language/select-language-model";
import { settingsOf } from "./platform/env";
import { FailureError, fail } from "./platform/errors";
import { createTelemetry } from "./platform/telemetry";
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
