// Learnings: mistakes with their cause, fix and prevention.

import { NO_OWNER } from "../../domain/access";
import { toLearning } from "../../domain/experience/learning-memory";
import { learn } from "../../operations/experience/learn";
import { withPendingUsage } from "../../operations/memories/pending-usage";
import { deriveStep, runIdempotent } from "../../operations/run-idempotent";
import { Id, PageQuery, pageSchema, Since, Until } from "../../schemas/common";
import { Learning, LearningCreate } from "../../schemas/pattern";
import type { App } from "../app-context";
import { groupRoutes } from "../endpoint";
import { decodeCursor, TimePosition, toPage } from "../pagination";

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
