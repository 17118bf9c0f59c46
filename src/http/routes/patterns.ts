// Patterns: what several episodes have in common, and what to avoid; and learnings, what went wrong and why.

import { isPattern, toPattern } from "../../domain/experience/pattern-memory";
import { deriveStep, runIdempotent } from "../../operations/run-idempotent";
import type { Services } from "../../operations/services";
import { writePattern } from "../../operations/write-pattern";
import { type FailureError, failure } from "../../platform/errors";
import { Flag, Id, PageQuery, pageSchema, z } from "../../schemas/common";
import { Pattern, PatternCreate } from "../../schemas/pattern";
import { parseInstanceId } from "../../store/triples/triples";
import type { App } from "../app-context";
import { endpoint } from "../endpoint";
import { decodeCursor, toPage } from "../pagination";

const TAG = "Experience";
const Cursor = z.object({ timestamp: z.string(), id: z.string() });

export function patternRoutes(app: App): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/v1/patterns",
      operationId: "createPattern",
      summary: "Write a pattern, or an anti-pattern",
      tag: TAG,
      scope: "write",
      stage: "store",
      body: PatternCreate,
      example: { body: CREATE_PATTERN_BODY },
      responses: {
        200: { description: "The pattern, which was there before", schema: Pattern, example: PATTERN },
        201: { description: "The new pattern", schema: Pattern, example: PATTERN },
      },
    },
    async ({ c, services, body, idempotency }) => {
      const { store } = services;
      const reply = await runIdempotent(store, idempotency, async () => {
        const now = new Date(services.now()).toISOString();
        const { id, created } = await writePattern(store, body, deriveStep(idempotency, "write"), now);
        return { status: created ? 201 : 200, body: await patternOf(services, id) };
      });
      services.later(services.indexing.wake());
      return c.json(reply.body, reply.status as 200 | 201);
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
    async ({ c, services: { store }, query }) => {
      const { limit, cursor, project_id, category, include_superseded } = query;
      const filter = { project_id: project_id ?? null, category: category ?? null, include_superseded };
      const after = decodeCursor(Cursor, cursor);
      const patterns = await (async () => {
        const memories = await store.patterns.list("category", filter, { limit: limit + 1, after });
        const links = await store.links.listFrom(memories.map(({ id }) => id));
        return memories.map((memory) => toPattern(memory, links.get(memory.id) ?? []));
      })();
      return c.json(toPage(patterns, limit, ({ created_at, id }) => ({ timestamp: created_at, id })));
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/patterns/{id}",
      operationId: "getPattern",
      summary: "A pattern, by its id or by the name that it was given",
      tag: TAG,
      scope: "read",
      stage: "store",
      params: z.object({ id: Id }),
      responses: { 200: { description: "The pattern", schema: Pattern, example: PATTERN } },
    },
    async ({ c, services, params: { id } }) => {
      return c.json(await patternOf(services, id));
    },
  );
}

async function patternOf({ store }: Services, id: string): Promise<Pattern> {
  const [end = null] = await store.links.resolveEnds([id]);
  const memoryId = end === null ? null : parseInstanceId("memory", end);
  const memory = memoryId === null ? null : await store.memories.find(memoryId);
  if (memory === null || !isPattern(memory)) throw notFound(id);
  const links = await store.links.listFrom([memory.id]);
  return toPattern(memory, links.get(memory.id) ?? []);
}

function notFound(id: string): FailureError {
  return failure("not_found", `Pattern not found: ${id}. Check the id; GET /v1/patterns lists them.`);
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
const CREATE_PATTERN_BODY = {
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
