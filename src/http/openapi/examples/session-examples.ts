// The session of the story: begun, changed, paused, closed, erased.
import type { Examples } from "./example";

const SUMMARY = {
  id: "checkout-fix",
  status: "active",
  agent_id: "ada",
  project_id: "shop",
  continues: null,
  created_at: "2026-11-16T09:01:00.000Z",
  updated_at: "2026-11-16T09:01:00.000Z",
  ended_at: null,
};

const SESSION = {
  ...SUMMARY,
  updated_at: "2026-11-16T09:30:00.000Z",
  token_budget: { total: 16000, conversation: 10000, context: 6000 },
  promotion: {
    enabled: true,
    interval_ms: 30000,
    threshold: 0.6,
    max_per_run: 20,
    weights: { recency: 0.2, frequency: 0.3, confidence: 0.25, salience: 0.25 },
    runs: 2,
    total_promoted: 2,
    last_run: "2026-11-16T09:28:00.000Z",
    next_run: null,
  },
  counts: { messages: 2, tokens: 31, context: 1, pending: 0, memories: 4 },
  policy: null,
  metadata: { ticket: "SHOP-412", reviewer: "mia" },
};

export const sessionExamples: Examples = {
  "POST /v1/sessions": {
    body: {
      id: "checkout-fix",
      agent_id: "ada",
      project_id: "shop",
      promotion: { threshold: 0.6 },
      metadata: { ticket: "SHOP-412" },
    },
    answer: {
      ...SESSION,
      updated_at: "2026-11-16T09:01:00.000Z",
      token_budget: { total: 32000, conversation: 20000, context: 12000 },
      promotion: {
        enabled: true,
        interval_ms: 30000,
        threshold: 0.6,
        max_per_run: 20,
        weights: { recency: 0.2, frequency: 0.3, confidence: 0.25, salience: 0.25 },
        runs: 0,
        total_promoted: 0,
        last_run: null,
        next_run: null,
      },
      counts: { messages: 0, tokens: 0, context: 0, pending: 0, memories: 0 },
      metadata: { ticket: "SHOP-412" },
    },
  },
  "GET /v1/sessions": { answer: { data: [SUMMARY], next_cursor: null } },
  "GET /v1/sessions/{id}": {
    answer: {
      ...SESSION,
      updated_at: "2026-11-16T09:01:00.000Z",
      token_budget: { total: 32000, conversation: 20000, context: 12000 },
      promotion: {
        enabled: true,
        interval_ms: 30000,
        threshold: 0.6,
        max_per_run: 20,
        weights: { recency: 0.2, frequency: 0.3, confidence: 0.25, salience: 0.25 },
        runs: 0,
        total_promoted: 0,
        last_run: null,
        next_run: null,
      },
      counts: { messages: 0, tokens: 0, context: 0, pending: 0, memories: 0 },
      metadata: { ticket: "SHOP-412" },
    },
  },
  "PATCH /v1/sessions/{id}": {
    body: {
      token_budget: { total: 16000, conversation: 10000 },
      metadata: { ticket: "SHOP-412", reviewer: "mia" },
    },
    answer: {
      ...SESSION,
      updated_at: "2026-11-16T09:02:00.000Z",
      promotion: {
        enabled: true,
        interval_ms: 30000,
        threshold: 0.6,
        max_per_run: 20,
        weights: { recency: 0.2, frequency: 0.3, confidence: 0.25, salience: 0.25 },
        runs: 0,
        total_promoted: 0,
        last_run: null,
        next_run: null,
      },
      counts: { messages: 0, tokens: 0, context: 0, pending: 0, memories: 0 },
    },
  },
  "POST /v1/sessions/{id}/pause": {
    body: {},
    answer: { ...SESSION, status: "paused", updated_at: "2026-11-16T09:29:00.000Z", promoted: 0 },
  },
  "POST /v1/sessions/{id}/resume": { body: {}, answer: SESSION },
  "POST /v1/sessions/{id}/close": {
    body: {},
    answer: {
      ...SESSION,
      status: "closed",
      updated_at: "2026-11-16T09:32:00.000Z",
      ended_at: "2026-11-16T09:32:00.000Z",
      promotion: {
        enabled: true,
        interval_ms: 30000,
        threshold: 0.6,
        max_per_run: 20,
        weights: { recency: 0.2, frequency: 0.3, confidence: 0.25, salience: 0.25 },
        runs: 3,
        total_promoted: 2,
        last_run: "2026-11-16T09:31:00.000Z",
        next_run: null,
      },
      counts: { messages: 2, tokens: 31, context: 0, pending: 0, memories: 3 },
      promoted: 0,
    },
  },
  "DELETE /v1/sessions/{id}": {
    answer: { deleted: { messages: 2, context: 0, pending: 0, memories: 3, triples: 44, vectors: 5 } },
  },
};
