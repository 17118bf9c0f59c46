// Patterns and anti-patterns that several episodes have in common. Learnings: mistakes with their cause, fix and prevention.

import { createAccess } from "../../calls/call-access";
import { runIdempotent } from "../../calls/run-idempotent";
import type { App } from "../../http/app-context";
import { groupRoutes } from "../../http/endpoint";
import { decodeCursor, TimePosition, toPage } from "../../http/pagination";
import { Flag, Id, PageQuery, pageSchema, Since, Until, z } from "../../kernel/common";
import { deriveStep } from "../../kernel/idempotency";
import { withPendingUsage } from "../../memories/usage/count-recall";
import { learn } from "./learn";
import { toLearning } from "./learning-memory";
import { listPatterns, readPattern, recordPattern } from "./pattern-operations";
import { Learning, LearningCreate, Pattern, PatternCreate } from "./pattern-schemas";

export function patternRoutes(app: App): void {
  const routes = groupRoutes(app, {
    tag: "Experience",
    stage: "store",
    bound: "owner",
    capability: "CanQueryMemory",
  });

  routes.post("/v1/patterns", "createPattern", {
    summary: "Write a pattern or an anti-pattern",
    quota: ["memories", "bytes"],
    capability: "CanWriteMemory",
    body: PatternCreate,
    responses: {
      200: { description: "The pattern already existed", schema: Pattern },
      201: { description: "The pattern was created", schema: Pattern },
    },
    reply: ({ services, body, idempotency }) => recordPattern(services, body, idempotency),
  });

  routes.get("/v1/patterns", "listPatterns", {
    summary: "List patterns, newest first",
    limitsReads: true,
    audit: { export: "export.patterns" },
    query: PageQuery.extend({
      project_id: Id.optional(),
      category: z.string().min(1).max(500).optional(),
      include_superseded: Flag,
    }),
    responses: { 200: { description: "Patterns", schema: pageSchema(Pattern) } },
    handle: async ({ services, query }) => {
      const { limit, cursor, project_id, category, include_superseded } = query;
      const filter = { project_id: project_id ?? null, category: category ?? null, include_superseded };
      const after = decodeCursor(TimePosition, cursor);
      const patterns = await listPatterns(services, filter, { limit: limit + 1, after });
      return toPage(patterns, limit, ({ created_at, id }) => ({ timestamp: created_at, id }));
    },
  });

  routes.get("/v1/patterns/{id}", "getPattern", {
    summary: "Read a pattern by its id or its name",
    bound: "handler",
    responses: { 200: { description: "The pattern", schema: Pattern } },
    handle: ({ services, params: { id } }) => readPattern(services, id),
  });
}

export function learningRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: "Experience", stage: "store", bound: "owner" });

  routes.post("/v1/learnings", "createLearning", {
    summary: "Record a mistake with its cause, fix and prevention",
    quota: ["memories", "bytes"],
    capability: "CanWriteMemory",
    body: LearningCreate,
    responses: {
      200: { description: "The learning already existed: its occurrences are incremented", schema: Learning },
      201: { description: "The learning was created", schema: Learning },
    },
    reply: ({ services, body, idempotency }) =>
      runIdempotent(services.store, idempotency, () =>
        learn(services, createAccess(services), body, deriveStep(idempotency, "write")),
      ),
  });

  routes.get("/v1/learnings", "listLearnings", {
    summary: "List learnings, newest first",
    limitsReads: true,
    audit: { export: "export.learnings" },
    capability: "CanQueryMemory",
    query: PageQuery.extend({
      project_id: Id.optional(),
      since: Since.optional().openapi({
        description: "Learnings that occurred on this day, at this time or later",
      }),
      until: Until.optional().openapi({
        description: "Learnings that occurred on this day, at this time or earlier",
      }),
    }),
    responses: { 200: { description: "Learnings", schema: pageSchema(Learning) } },
    handle: async ({ services, query: { limit, cursor, project_id, since, until } }) => {
      const filter = {
        project_id: project_id ?? null,
        category: null,
        include_superseded: false,
        since,
        until,
      };
      const after = decodeCursor(TimePosition, cursor);
      const memories = await withPendingUsage(
        services,
        services.store.patterns.list("trigger", filter, { limit: limit + 1, after }),
      );
      const page = memories.map(toLearning);
      return toPage(page, limit, ({ created_at, id }) => ({ timestamp: created_at, id }));
    },
  });
}
