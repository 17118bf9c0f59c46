// Composes the HTTP app: middleware, then the routes of each resource.
import { OpenAPIHono } from "@hono/zod-openapi";
import { bodyLimit } from "hono/body-limit";
import { cors } from "hono/cors";
import { requestId } from "hono/request-id";
import { timing } from "hono/timing";
import { mem0Routes } from "./compat/mem0/mem0-routes";
import { serverMemoryRoutes } from "./compat/server-memory-server";
import { createMaskCollector } from "./domain/privacy/privacy-gate";
import type { AppContext, AppEnv } from "./http/app-context";
import { oauthRoutes } from "./http/oauth/oauth-routes";
import { ontologyPageRoutes } from "./http/ontology-pages/ontology-page-routes";
import { problemResponse, reportDefect } from "./http/problem-details";
import { BOOKMARK_HEADER } from "./http/read-bookmark";
import { checkPath } from "./http/read-request";
import { adminRoutes, compactionRoutes, doctorRoutes, shardRoutes, tenantRoutes } from "./http/routes/admin";
import { agentRoutes, projectRoutes, resourceRoutes } from "./http/routes/entities";
import { entryRoutes, namespaceRoutes } from "./http/routes/entries";
import { episodeRoutes } from "./http/routes/episodes";
import { experienceRoutes, metricsRoutes } from "./http/routes/experience";
import { IMPORT_PATH, transferRoutes } from "./http/routes/export-import";
import { graphRoutes } from "./http/routes/graph";
import { handoffRoutes, ledgerRoutes } from "./http/routes/handovers";
import { auditRoutes, keyRoutes, usageRoutes } from "./http/routes/keys";
import { linkRoutes } from "./http/routes/links";
import { lineageRoutes, memoryChangeRoutes, memoryRoutes } from "./http/routes/memories";
import { extensionRoutes, ontologyRoutes } from "./http/routes/ontology";
import { learningRoutes, patternRoutes } from "./http/routes/patterns";
import { policyRoutes } from "./http/routes/policies";
import { privacyRoutes } from "./http/routes/privacy-policies";
import { docsRoutes, healthRoute } from "./http/routes/service";
import { sessionRoutes } from "./http/routes/sessions";
import { contextRoutes, messageRoutes, promotionRoutes } from "./http/routes/short-term-memory";
import { proposedSkillRoutes, skillRoutes } from "./http/routes/skills";
import { spaceRoutes, taskRoutes } from "./http/routes/spaces";
import { sparqlRoutes } from "./http/routes/sparql";
import { directiveRoutes, threadRoutes } from "./http/routes/thread";
import { toolRoutes } from "./http/routes/tools";
import { userRoutes } from "./http/routes/users";
import { webhookRoutes } from "./http/routes/webhook-routes";
import { consoleRoutes, llmsRoutes } from "./http/serve-assets";
import { LIMITS } from "./limits";
import { mcpRoutes } from "./mcp/mcp-routes";
import { selectLanguageModel } from "./models/language/select-language-model";
import { readSettings } from "./platform/env";
import { FailureError, fail } from "./platform/errors";
import { createTelemetry } from "./platform/telemetry";

/** A browser asks again after this time whether it may call. */
const PREFLIGHT_SECONDS = 600;

export function createApp() {
  // Not strict, because mem0's clients send a trailing slash. checkPath refuses it on all other paths.
  const app = new OpenAPIHono<AppEnv>({ strict: false });

  app.use(timing({ totalDescription: "" }));
  // Without a header name, an X-Request-Id of the caller is ignored.
  app.use(requestId({ headerName: "" }));
  app.use(async (c, next) => {
    c.set("telemetry", createTelemetry(c.env.TELEMETRY));
    c.set("masked", createMaskCollector());
    c.set("bookmarks", null);
    await next();
    // Set here rather than by requestId(), whose header is lost when a handler returns a Response of its own.
    c.res.headers.set("X-Request-Id", c.var.requestId);
    c.res.headers.set("X-Content-Type-Options", "nosniff");
    const bookmark = c.var.bookmarks?.newest ?? null;
    if (bookmark !== null) c.res.headers.set(BOOKMARK_HEADER, bookmark);
    // Answers have a tenant's memory: no cache on the way keeps them, unless a route says otherwise.
    if (!c.res.headers.has("Cache-Control")) c.res.headers.set("Cache-Control", "no-store");
  });
  app.use(checkPath);

  healthRoute(app);

  // Without ADMIN_KEY no keys can exist, so all requests fail with a message that names the cause.
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
    c.set("settings", readSettings(c.env));
    // Validates the setting early: the model itself is only used by projectors, on their alarm.
    selectLanguageModel(c.env);
    await next();
  });

  app.use(
    "/v1/*",
    cors({
      origin: (origin, c) => ((c as AppContext).var.settings.allowedOrigins.includes(origin) ? origin : null),
      allowMethods: ["GET", "POST", "PUT", "PATCH", "DELETE"],
      allowHeaders: [
        "Authorization",
        "Content-Type",
        "Accept",
        "Idempotency-Key",
        "Last-Event-ID",
        BOOKMARK_HEADER,
      ],
      exposeHeaders: ["X-Request-Id", "Server-Timing", "Retry-After", BOOKMARK_HEADER],
      maxAge: PREFLIGHT_SECONDS,
    }),
  );

  const [limitBody, limitImport] = [LIMITS.bodyBytes, LIMITS.importBytes].map((maxSize) =>
    bodyLimit({
      maxSize,
      onError: () =>
        problemResponse(
          fail("payload_too_large", `The body is over ${maxSize} bytes. Send it in parts.`).failure,
        ),
    }),
  );
  app.use((c, next) => (c.req.path === IMPORT_PATH ? limitImport : limitBody)?.(c, next) ?? next());

  for (const routes of [
    keyRoutes,
    sessionRoutes,
    messageRoutes,
    contextRoutes,
    promotionRoutes,
    spaceRoutes,
    taskRoutes,
    threadRoutes,
    directiveRoutes,
    toolRoutes,
    memoryRoutes,
    memoryChangeRoutes,
    lineageRoutes,
    linkRoutes,
    graphRoutes,
    sparqlRoutes,
    mem0Routes,
    episodeRoutes,
    patternRoutes,
    learningRoutes,
    experienceRoutes,
    policyRoutes,
    entryRoutes,
    namespaceRoutes,
    metricsRoutes,
    usageRoutes,
    userRoutes,
    agentRoutes,
    projectRoutes,
    privacyRoutes,
    resourceRoutes,
    skillRoutes,
    proposedSkillRoutes,
    ledgerRoutes,
    handoffRoutes,
    ontologyRoutes,
    extensionRoutes,
    transferRoutes,
    tenantRoutes,
    shardRoutes,
    adminRoutes,
    auditRoutes,
    compactionRoutes,
    webhookRoutes,
    mcpRoutes,
    serverMemoryRoutes,
    oauthRoutes,
    docsRoutes,
    ontologyPageRoutes,
    consoleRoutes,
    llmsRoutes,
  ]) {
    routes(app);
  }

  app.notFound((c) =>
    problemResponse(
      fail(
        "not_found",
        `No such route: ${c.req.method} ${c.req.path}. See /docs, /openapi.json or /llms.txt.`,
      ).failure,
    ),
  );
  app.onError((error, c) => {
    if (error instanceof FailureError) return problemResponse(error.failure);
    return problemResponse(reportDefect(error, c.var.requestId));
  });
  return app;
}
