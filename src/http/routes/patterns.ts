// Patterns and anti-patterns that several episodes have in common.

import { listPatterns, readPattern, recordPattern } from "../../operations/experience/pattern-operations";
import { Flag, Id, PageQuery, pageSchema, z } from "../../schemas/common";
import { Pattern, PatternCreate } from "../../schemas/pattern";
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
