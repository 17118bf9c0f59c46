// Where the agent stands, and what it leaves to another.
import type { Examples } from "./example";

const LEDGER = {
  tasks_completed: 3,
  current_task: "SHOP-412: guest checkout",
  state: { branch: "guest-checkout", tests: "213 passed" },
  context: { reviewer: "mia" },
  agent_id: "ada",
  version: 1,
  last_checkpoint: "2026-11-16T09:25:00.000Z",
};

const HANDOFF = {
  from_agent: "ada",
  to_agent: "ben",
  project_id: "shop",
  context: {
    what_was_done: "Guests can check out again",
    artifacts: ["lib/shop/checkout.ex"],
    git_state: "guest-checkout at 4f1c2ab",
    needs_testing: ["Vouchers of guests"],
    known_issues: [],
    relevant_patterns: ["guest-checkout-needs-a-test"],
  },
  id: "handoff-412",
  timestamp: "2026-11-16T09:26:00.000Z",
  status: "pending",
  acknowledged_by: null,
  acknowledged_at: null,
};

export const handoverExamples: Examples = {
  "PUT /v1/ledgers/{agent_id}": {
    body: {
      tasks_completed: 3,
      current_task: "SHOP-412: guest checkout",
      state: { branch: "guest-checkout", tests: "213 passed" },
      context: { reviewer: "mia" },
    },
    answer: LEDGER,
  },
  "GET /v1/ledgers/{agent_id}": { answer: LEDGER },
  "GET /v1/ledgers/{agent_id}/history": { answer: { data: [LEDGER], next_cursor: null } },
  "POST /v1/handoffs": {
    body: {
      id: "handoff-412",
      from_agent: "ada",
      to_agent: "ben",
      project_id: "shop",
      context: {
        what_was_done: "Guests can check out again",
        artifacts: ["lib/shop/checkout.ex"],
        git_state: "guest-checkout at 4f1c2ab",
        needs_testing: ["Vouchers of guests"],
        known_issues: [],
        relevant_patterns: ["guest-checkout-needs-a-test"],
      },
    },
    answer: HANDOFF,
  },
  "GET /v1/handoffs": { answer: { data: [HANDOFF], next_cursor: null } },
  "GET /v1/handoffs/{id}": { answer: HANDOFF },
  "POST /v1/handoffs/{id}/acknowledge": {
    body: { agent_id: "ben" },
    answer: {
      ...HANDOFF,
      status: "acknowledged",
      acknowledged_by: "ben",
      acknowledged_at: "2026-11-16T09:27:00.000Z",
    },
  },
};
