// Patterns and anti-patterns that several episodes have in common.

import { listPatterns, readPattern, recordPattern } from "../../operations/experience/pattern-operations";
import { Flag, Id, PageQuery, pageSchema, z } from "../../schemas/common";
import { Pattern, PatternCreate } from "../../schemas/pattern";
import type { App } from "../app-context";
import { endpoint } from "../endpoint";
import { decodeCursor, TimePosition, toPage } from "../pagination";

const TAG = "Experience";

export function patternRoutes(app: App): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/v1/patterns",
      operationId: "createPattern",
      summary: "Write a pattern or an anti-pattern",
      tag: TAG,
      scope: "write",
      quota: ["memories", "bytes"],
      capability: "CanWriteMemory",
      bound: "owner",
      stage: "store",
      body: PatternCreate,
      example: { body: PATTERN_INPUT },
      responses: {
        200: { description: "The pattern already existed", schema: Pattern, example: PATTERN },
        201: { description: "The pattern was created", schema: Pattern, example: PATTERN },
      },
    },
    async ({ c, services, body, idempotency }) => {
      const reply = await recordPattern(services, body, idempotency);
      return c.json(reply.body, reply.status);
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/patterns",
      operationId: "listPatterns",
      summary: "List patterns, newest first",
      tag: TAG,
      scope: "read",
      limitsReads: true,
      audit: { export: "export.patterns" },
      capability: "CanQueryMemory",
      bound: "owner",
      stage: "store",
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
    },
    async ({ c, services, query }) => {
      const { limit, cursor, project_id, category, include_superseded } = query;
      const filter = { project_id: project_id ?? null, category: category ?? null, include_superseded };
      const after = decodeCursor(TimePosition, cursor);
      const patterns = await listPatterns(services, filter, { limit: limit + 1, after });
      return c.json(toPage(patterns, limit, ({ created_at, id }) => ({ timestamp: created_at, id })));
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/patterns/{id}",
      operationId: "getPattern",
      summary: "Read a pattern by its id or its name",
      tag: TAG,
      scope: "read",
      capability: "CanQueryMemory",
      bound: "handler",
      stage: "store",
      params: z.object({ id: Id }),
      responses: { 200: { description: "The pattern", schema: Pattern, example: PATTERN } },
    },
    async ({ c, services, params: { id } }) => c.json(await readPattern(services, id)),
  );
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
