// Pending memories of a session, and their promotion to long-term memory.
import { unwrap } from "../../../platform/errors";
import { PageQuery, pageSchema, z } from "../../../schemas/common";
import { PendingCreate, PendingItem, PromotionAnswer } from "../../../schemas/session";
import type { App } from "../../app-context";
import { groupRoutes } from "../../endpoint";
import { pageByName } from "../../pagination";
import { SessionParams } from "./sessions";

export function promotionRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: "Short-term memory", stage: "session", bound: "session" });

  routes.post("/v1/sessions/{id}/pending", "addPending", {
    summary: "Add a pending memory",
    quota: ["memories", "bytes"],
    bound: "first-write",
    params: SessionParams,
    body: PendingCreate,
    example: {
      body: {
        content: "Guests have no customer id at checkout",
        memory_type: "discovery",
        confidence: "high",
        evidence: ["lib/shop/checkout.ex"],
        rationale: "It is why the payment step fails",
        suggested_by: "agent",
      },
    },
    responses: { 201: { description: "The pending memory", schema: PendingItem, example: PENDING } },
    handle: async ({ services: { session, tenant }, params: { id }, body, idempotency }) =>
      unwrap(await session(id).addPending({ tenant, id }, body, idempotency)),
  });

  routes.get("/v1/sessions/{id}/pending", "listPending", {
    summary: "List pending memories",
    audit: { export: "export.pending" },
    params: SessionParams,
    query: PageQuery,
    responses: {
      200: {
        description: "Pending memories, by id",
        schema: pageSchema(PendingItem),
        example: { data: [PENDING], next_cursor: null },
      },
    },
    handle: async ({ services: { session, tenant }, params: { id }, query }) => {
      const items = unwrap(await session(id).listPending({ tenant, id }));
      return pageByName(items, (item) => item.id, query);
    },
  });

  routes.post("/v1/sessions/{id}/promote", "promote", {
    summary: "Run a promotion now",
    quota: { exempt: "It promotes candidates that were accepted before." },
    params: SessionParams,
    body: z.object({}).strict(),
    example: { body: {} },
    responses: {
      200: {
        description: "The promoted memories",
        schema: PromotionAnswer,
        example: {
          promoted: [
            { memory_id: "16304ee22c42a268346723dde09797e6", memory_type: "fact", importance_score: 0.6725 },
            {
              memory_id: "ab6a92ee32fc50cabc64c255171ccc6b",
              memory_type: "discovery",
              importance_score: 0.655,
            },
          ],
          remaining: 0,
        },
      },
    },
    handle: async ({ services: { session, tenant }, params: { id }, idempotency }) =>
      unwrap(await session(id).promote({ tenant, id }, idempotency)),
  });
}

const PENDING = {
  id: "f97e2e2d-2ac6-4db6-9814-f0bf082ee640",
  content: "Guests have no customer id at checkout",
  memory_type: "discovery",
  confidence: 0.9,
  source_type: "agent",
  evidence: ["lib/shop/checkout.ex"],
  rationale: "It is why the payment step fails",
  suggested_by: "agent",
  importance_score: 0.655,
  created_at: "2026-11-16T09:06:00.000Z",
  access_count: 1,
  topic_key: null,
};
