// What the session holds, and what is made of it.
import type { Examples } from "./example";

const CONTEXT = {
  key: "framework",
  value: "Phoenix 1.8",
  source: "tool",
  confidence: 0.95,
  access_count: 2,
  first_seen: "2026-11-16T09:04:00.000Z",
  last_accessed: "2026-11-16T09:05:00.000Z",
  suggested_type: "fact",
  importance: 0.6725,
};

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

export const shortTermExamples: Examples = {
  "POST /v1/sessions/{id}/messages": {
    body: {
      messages: [
        {
          id: "msg-1",
          role: "user",
          name: "Mia",
          content: "Checkout has been failing for guests since Monday.",
        },
        {
          id: "msg-2",
          role: "assistant",
          content: "The payment step reads the customer id, which guests do not have.",
        },
      ],
    },
    answer: { added: 2, duplicates: 0, evicted: 0, tokens: { used: 31, max: 10000 } },
  },
  "GET /v1/sessions/{id}/messages": {
    answer: {
      data: [
        {
          id: "msg-1",
          role: "user",
          name: "Mia",
          content: "Checkout has been failing for guests since Monday.",
          timestamp: "2026-11-16T09:03:00.000Z",
          token_count: 13,
          tool_calls: null,
          tool_call_id: null,
          metadata: {},
        },
        {
          id: "msg-2",
          role: "assistant",
          name: null,
          content: "The payment step reads the customer id, which guests do not have.",
          timestamp: "2026-11-16T09:03:00.000Z",
          token_count: 18,
          tool_calls: null,
          tool_call_id: null,
          metadata: {},
        },
      ],
      next_cursor: null,
    },
  },
  "PUT /v1/sessions/{id}/context/{key}": {
    body: { value: "Phoenix 1.8", source: "tool", confidence: 0.95 },
    answer: { ...CONTEXT, access_count: 1, last_accessed: "2026-11-16T09:04:00.000Z", importance: 0.6425 },
  },
  "GET /v1/sessions/{id}/context/{key}": { answer: CONTEXT },
  "GET /v1/sessions/{id}/context": { answer: { data: [CONTEXT], next_cursor: null } },
  "POST /v1/sessions/{id}/pending": {
    body: {
      content: "Guests have no customer id at checkout",
      memory_type: "discovery",
      confidence: "high",
      evidence: ["lib/shop/checkout.ex"],
      rationale: "It is why the payment step fails",
      suggested_by: "agent",
    },
    answer: PENDING,
  },
  "GET /v1/sessions/{id}/pending": { answer: { data: [PENDING], next_cursor: null } },
  "POST /v1/sessions/{id}/promote": {
    body: {},
    answer: {
      promoted: [
        { memory_id: "16304ee22c42a268346723dde09797e6", memory_type: "fact", importance_score: 0.6725 },
        { memory_id: "ab6a92ee32fc50cabc64c255171ccc6b", memory_type: "discovery", importance_score: 0.655 },
      ],
      remaining: 0,
    },
  },
  "POST /v1/sessions/{id}/assemble": {
    body: { query: "Deploy the fix of the guest checkout", token_budget: 2000, scope: "project" },
    answer: {
      messages: [
        {
          id: "msg-1",
          role: "user",
          name: "Mia",
          content: "Checkout has been failing for guests since Monday.",
          timestamp: "2026-11-16T09:03:00.000Z",
        },
        {
          id: "msg-2",
          role: "assistant",
          name: null,
          content: "The payment step reads the customer id, which guests do not have.",
          timestamp: "2026-11-16T09:03:00.000Z",
        },
      ],
      working_context: { framework: "Phoenix 1.8" },
      memories: [
        {
          id: "ab6a92ee32fc50cabc64c255171ccc6b",
          kind: "memory",
          content: "Guests have no customer id at checkout",
          type: "discovery",
          confidence: 0.9,
          timestamp: "2026-11-16T09:06:00.000Z",
          session_id: "checkout-fix",
          agent_id: "ada",
          project_id: "shop",
          source_type: "agent",
          rationale: "It is why the payment step fails",
          score: 1.5659,
          signals: { lexical: 1, semantic: 0.3864, recency: 1, importance: 0.655, mode: "hybrid" },
          superseded_by: null,
          access_count: 0,
        },
        {
          id: "d2738fe512d8476e3f904e9c40532471",
          kind: "memory",
          content: "Hotfixes are deployed on any day",
          type: "process_convention",
          confidence: 0.8,
          timestamp: "2026-11-16T09:09:00.000Z",
          session_id: null,
          agent_id: null,
          project_id: "shop",
          source_type: "user",
          rationale: null,
          score: 0.315,
          signals: { lexical: 0, semantic: 0.125, recency: 1, importance: 1, mode: "hybrid" },
          superseded_by: null,
          access_count: 2,
        },
        {
          id: "b924eb2b8ea1f386820e4e58919566bf",
          kind: "memory",
          content: "We deploy on Fridays only after the smoke tests pass",
          type: "process_convention",
          confidence: 0.9,
          timestamp: "2026-11-16T09:08:00.000Z",
          session_id: "checkout-fix",
          agent_id: "ada",
          project_id: "shop",
          source_type: "agent",
          rationale: "Agreed after the outage in May",
          score: 0.3091,
          signals: { lexical: 0, semantic: 0.1141, recency: 1, importance: 1, mode: "hybrid" },
          superseded_by: null,
          access_count: 3,
        },
      ],
      prompt:
        "## Session Context\n- **framework**: Phoenix 1.8\n\n## Remembered Information\n- [discovery, confidence 0.9, 2026-11-16] Guests have no customer id at checkout (because: It is why the payment step fails)\n- [process_convention, confidence 0.8, 2026-11-16] Hotfixes are deployed on any day\n- [process_convention, confidence 0.9, 2026-11-16] We deploy on Fridays only after the smoke tests pass (because: Agreed after the outage in May)",
      tokens: { total: 187, budget: 2000, conversation: 31, working: 15, long_term: 141 },
      left_out: [],
    },
  },
  "DELETE /v1/sessions/{id}/context/{key}": {},
};
