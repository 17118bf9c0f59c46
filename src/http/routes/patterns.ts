// Patterns and anti-patterns that several episodes have in common. Learnings: mistakes with their cause, fix and prevention.
import { NO_OWNER } from "../../domain/access";
import { toLearning } from "../../domain/experience/learning-memory";
import { learn } from "../../operations/experience/learn";
import { listPatterns, readPattern, recordPattern } from "../../operations/experience/pattern-operations";
import { withPendingUsage } from "../../operations/memories/pending-usage";
import { runIdempotent } from "../../operations/run-idempotent";
import { deriveStep } from "../../platform/idempotency";
import { Flag, Id, PageQuery, pageSchema, Since, Until, z } from "../../schemas/common";
import { Learning, LearningCreate, Pattern, PatternCreate } from "../../schemas/pattern";
import type { App } from "../app-context";
import { groupRoutes } from "../endpoint";
import { decodeCursor, TimePosition, toPage } from "../pagination";

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
    example: { body: PATTERN_INPUT },
    responses: {
      200: { description: "The pattern already existed", schema: Pattern, example: PATTERN },
      201: { description: "The pattern was created", schema: Pattern, example: PATTERN },
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
    responses: {
      200: {
        description: "Patterns",
        schema: pageSchema(Pattern),
        example: { data: [PATTERN], next_cursor: null },
      },
    },
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
    params: z.object({ id: Id }),
    responses: { 200: { description: "The pattern", schema: Pattern, example: PATTERN } },
    handle: ({ services, params: { id } }) => readPattern(services, id),
  });
}

const PATTERN = {
  id: "7bb91cdd3572b4bc19f0d954e0c6bfd7",
  name: "guest-checkout-needs-a-test",
  project_id: "shop",
  memory_type: "discovery",
  status: "live",
  pattern: "A change of the checkout needs a test that buys as a guest",
  category: "testing",
  conditions: ["the checkout is changed"],
  correct_approach: "Write the guest's test first",
  incorrect_approach: "Test with a customer only",
  confidence: 0.85,
  importance: 0.5,
  source_episodes: ["ep-guest-checkout"],
  usage_count: 0,
  last_used: null,
  links: [],
  superseded_by: null,
  created_at: "2026-11-16T09:21:00.000Z",
};
const PATTERN_INPUT = {
  id: "guest-checkout-needs-a-test",
  project_id: "shop",
  pattern: "A change of the checkout needs a test that buys as a guest",
  category: "testing",
  conditions: ["the checkout is changed"],
  correct_approach: "Write the guest's test first",
  incorrect_approach: "Test with a customer only",
  confidence: 0.85,
  source_episodes: ["ep-guest-checkout"],
};

export function learningRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: "Experience", stage: "store", bound: "owner" });

  routes.post("/v1/learnings", "createLearning", {
    summary: "Record a mistake with its cause, fix and prevention",
    quota: ["memories", "bytes"],
    capability: "CanWriteMemory",
    body: LearningCreate,
    example: {
      body: {
        trigger: "Checkout failed for guests",
        root_cause: "The payment step read the customer id, which guests do not have",
        fix: "Read the e-mail in its place",
        prevention: "Test each change of the checkout as a guest",
        evidence: ["ep-guest-checkout"],
        project_id: "shop",
      },
    },
    responses: {
      200: {
        description: "The learning already existed: its occurrences are incremented",
        schema: Learning,
        example: LEARNING,
      },
      201: { description: "The learning was created", schema: Learning, example: LEARNING },
    },
    reply: ({ services, body, idempotency }) =>
      runIdempotent(services.store, idempotency, () =>
        learn(services, NO_OWNER, body, deriveStep(idempotency, "write")),
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
    responses: {
      200: {
        description: "Learnings",
        schema: pageSchema(Learning),
        example: { data: [LEARNING], next_cursor: null },
      },
    },
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

const LEARNING = {
  id: "85e27ca53ae76776a7abee574163d710",
  trigger: "Checkout failed for guests",
  root_cause: "The payment step read the customer id, which guests do not have",
  fix: "Read the e-mail in its place",
  prevention: "Test each change of the checkout as a guest",
  evidence: ["ep-guest-checkout"],
  project_id: "shop",
  occurrences: 1,
  confidence: 0.8,
  importance: 0.5,
  created_at: "2026-11-16T09:22:00.000Z",
  last_seen: "2026-11-16T09:22:00.000Z",
};
