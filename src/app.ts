// Composes the HTTP app: middleware, then the routes of each resource.
import { OpenAPIHono } from "@hono/zod-openapi";
import { bodyLimit } from "hono/body-limit";
import { cors } from "hono/cors";
import { requestId } from "hono/request-id";
import { timing } from "hono/timing";
import {
  adminRoutes,
  compactionRoutes,
  doctorRoutes,
  shardRoutes,
  tenantRoutes,
} from "./administration/admin-routes";
import { directiveRoutes, threadRoutes } from "./cognition/runtime/thread-routes";
import { spaceRoutes, taskRoutes } from "./cognition/spaces/space-routes";
import { graphRoutes } from "./compat/knowledge-graph-routes";
import { mem0Routes } from "./compat/mem0-routes";
import { serverMemoryRoutes } from "./compat/server-memory-routes";
import { experienceRoutes, metricsRoutes } from "./experience/consolidation/experience-routes";
import { episodeRoutes } from "./experience/episodes/episode-routes";
import { handoffRoutes, ledgerRoutes } from "./experience/handover/handover-routes";
import { learningRoutes, patternRoutes } from "./experience/patterns/pattern-routes";
import { proposedSkillRoutes, skillRoutes } from "./experience/skills/skill-routes";
import { ontologyPageRoutes } from "./graph/ontology-page-routes";
import { extensionRoutes, ontologyRoutes } from "./graph/ontology-routes";
import { sparqlRoutes } from "./graph/sparql-routes";
import type { AppContext, AppEnv } from "./http/app-context";
import { oauthRoutes } from "./http/oauth/oauth-routes";
import { problemResponse, reportDefect } from "./http/problem-details";
import { BOOKMARK_HEADER } from "./http/read-bookmark";
import { checkPath } from "./http/read-request";
import { consoleRoutes, llmsRoutes } from "./http/serve-assets";
import { docsRoutes, healthRoute } from "./http/service-routes";
import { readSettings } from "./kernel/env";
import { FailureError, fail } from "./kernel/errors";
import { LIMITS } from "./kernel/limits";
import { createTelemetry } from "./kernel/telemetry";
import { mcpRoutes } from "./mcp/mcp-routes";
import { linkRoutes } from "./memories/links/link-routes";
import { lineageRoutes, memoryChangeRoutes, memoryRoutes } from "./memories/memory-routes";
import { selectLanguageModel } from "./models/select-language-model";
import { agentRoutes, projectRoutes, resourceRoutes } from "./owners/entities/entity-routes";
import { userRoutes } from "./owners/user-routes";
import { entryRoutes, namespaceRoutes } from "./policy/entry-routes";
import { policyRoutes } from "./policy/policy-routes";
import { sessionRoutes } from "./sessions/session-routes";
import { contextRoutes, messageRoutes, promotionRoutes } from "./sessions/short-term/short-term-routes";
import { toolRoutes } from "./tools/tool-routes";
import { IMPORT_PATH, transferRoutes } from "./transfer/transfer-routes";
import { auditRoutes, keyRoutes, usageRoutes } from "./trust/keys/key-routes";
import { createMaskCollector } from "./trust/privacy/privacy-gate";
import { privacyRoutes } from "./trust/privacy/privacy-routes";
import { webhookRoutes } from "./trust/webhooks/webhook-routes";

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
