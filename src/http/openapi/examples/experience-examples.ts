// An attempt, and what is learnt from it.
import type { Examples } from "./example";

const TOLD = {
  id: "ep-guest-checkout",
  task_id: "SHOP-412",
  project_id: "shop",
  agent: "ada",
  duration_seconds: 1840,
  context: {
    phase: "implementation",
    goal: "Fix the guest checkout",
    constraints: ["No change of the database"],
    files_involved: ["lib/shop/checkout.ex"],
  },
  action_log: [
    { t: 0, action: "read_file", target: "lib/shop/checkout.ex" },
    { t: 320, action: "write_test", target: "test/shop/guest_checkout_test.exs" },
    { t: 900, action: "run_tests", result: "1 failure" },
    { t: 1800, action: "run_tests", result: "213 passed" },
  ],
  outcome: "success",
  errors_encountered: [
    {
      type: "KeyError",
      message: "key :customer_id not found",
      resolution: "Read the guest's e-mail in its place",
    },
  ],
  files_modified: ["lib/shop/checkout.ex"],
  git_commit: "4f1c2ab",
};

const EPISODE = {
  ...TOLD,
  artifacts_produced: [],
  files_read: [],
  tokens_used: null,
  importance: 0.5,
  timestamp: "2026-11-16T09:20:00.000Z",
  summary: null,
  summarised: false,
  archived: false,
  archived_at: null,
  usage_count: 0,
  last_used: null,
};

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

export const experienceExamples: Examples = {
  "POST /v1/episodes": { body: TOLD, answer: EPISODE },
  "GET /v1/episodes": { answer: { data: [EPISODE], next_cursor: null } },
  "GET /v1/episodes/{id}": { answer: EPISODE },
  "POST /v1/patterns": {
    body: {
      id: "guest-checkout-needs-a-test",
      project_id: "shop",
      pattern: "A change of the checkout needs a test that buys as a guest",
      category: "testing",
      conditions: ["the checkout is changed"],
      correct_approach: "Write the guest's test first",
      incorrect_approach: "Test with a customer only",
      confidence: 0.85,
      source_episodes: ["ep-guest-checkout"],
    },
    answer: PATTERN,
  },
  "GET /v1/patterns": { answer: { data: [PATTERN], next_cursor: null } },
  "GET /v1/patterns/{id}": { answer: PATTERN },
  "POST /v1/learnings": {
    body: {
      trigger: "Checkout failed for guests",
      root_cause: "The payment step read the customer id, which guests do not have",
      fix: "Read the e-mail in its place",
      prevention: "Test each change of the checkout as a guest",
      evidence: ["ep-guest-checkout"],
      project_id: "shop",
    },
    answer: LEARNING,
  },
  "GET /v1/learnings": { answer: { data: [LEARNING], next_cursor: null } },
  "POST /v1/consolidate": {
    body: { project_id: "shop" },
    answer: {
      episodes: 2,
      clusters: 1,
      created: [],
      updated: ["7bb91cdd3572b4bc19f0d954e0c6bfd7"],
      anti_patterns: [],
      merged: [],
      dry_run: false,
    },
  },
  "POST /v1/maintenance": {
    body: { project_id: "shop" },
    answer: {
      summarised: 0,
      archived: 0,
      merged: 0,
      decayed: 4,
      ids: { summarised: [], archived: [], merged: [] },
    },
  },
  "POST /v1/prime": {
    body: { goal: "Fix the checkout for vouchers", project_id: "shop", token_budget: 600 },
    answer: {
      kind: "debugging",
      relevant_patterns: [
        {
          id: "7bb91cdd3572b4bc19f0d954e0c6bfd7",
          layer: "full",
          text: "- [7bb91cdd3572b4bc19f0d954e0c6bfd7] A change of the checkout needs a test that buys as a guest\n  - When: the checkout is changed\n  - Do: Write the guest's test first\n  - Do not: Test with a customer only\n  - Category: testing\n  - Known from: 2 episodes, confidence 0.9",
          score: 0.0628,
          pattern: "A change of the checkout needs a test that buys as a guest",
          category: "testing",
          memory_type: "discovery",
          confidence: 0.9,
          conditions: ["the checkout is changed"],
          correct_approach: "Write the guest's test first",
          incorrect_approach: "Test with a customer only",
          source_episodes: ["ep-guest-checkout", "ep-app-checkout"],
        },
      ],
      avoid_these: [
        {
          id: "85e27ca53ae76776a7abee574163d710",
          layer: "full",
          text: "- [85e27ca53ae76776a7abee574163d710] Checkout failed for guests\n  - Why: The payment step read the customer id, which guests do not have\n  - Prevention: Test each change of the checkout as a guest\n  - Fix: Read the e-mail in its place",
          score: 0.2219,
          kind: "learning",
          what_fails: "Checkout failed for guests",
          confidence: 0.8,
          why: "The payment step read the customer id, which guests do not have",
          prevention: "Test each change of the checkout as a guest",
        },
      ],
      applicable_skills: [],
      similar_episodes: [
        {
          id: "ep-guest-checkout",
          layer: "full",
          text: "- [ep-guest-checkout] Fix the guest checkout (success, 2026-11-16)\n  - Constraints: No change of the database\n  - Steps: read_file lib/shop/checkout.ex; write_test test/shop/guest_checkout_test.exs; run_tests (1 failure); run_tests (213 passed)\n  - Error: KeyError: key :customer_id not found → Read the guest's e-mail in its place\n  - Changed: lib/shop/checkout.ex\n  - Commit: 4f1c2ab",
          score: 0.2988,
          goal: "Fix the guest checkout",
          outcome: "success",
          timestamp: "2026-11-16T09:20:00.000Z",
          errors_encountered: [
            {
              type: "KeyError",
              message: "key :customer_id not found",
              resolution: "Read the guest's e-mail in its place",
            },
          ],
          summary: null,
        },
      ],
      prompt:
        "## Relevant patterns\n- [7bb91cdd3572b4bc19f0d954e0c6bfd7] A change of the checkout needs a test that buys as a guest\n  - When: the checkout is changed\n  - Do: Write the guest's test first\n  - Do not: Test with a customer only\n  - Category: testing\n  - Known from: 2 episodes, confidence 0.9\n\n## Avoid these\n- [85e27ca53ae76776a7abee574163d710] Checkout failed for guests\n  - Why: The payment step read the customer id, which guests do not have\n  - Prevention: Test each change of the checkout as a guest\n  - Fix: Read the e-mail in its place\n\n## Similar episodes\n- [ep-guest-checkout] Fix the guest checkout (success, 2026-11-16)\n  - Constraints: No change of the database\n  - Steps: read_file lib/shop/checkout.ex; write_test test/shop/guest_checkout_test.exs; run_tests (1 failure); run_tests (213 passed)\n  - Error: KeyError: key :customer_id not found → Read the guest's e-mail in its place\n  - Changed: lib/shop/checkout.ex\n  - Commit: 4f1c2ab",
      tokens: { used: 282, budget: 600, saved: 0 },
    },
  },
  "GET /v1/sessions/{id}/continuity": {
    answerText:
      "# CONTINUITY\n\nSession checkout-fix (active), agent ada, project shop, 2026-11-16T09:18:00.000Z\n\n## Now\n- framework: Phoenix 1.8\n- Said by assistant: The payment step reads the customer id, which guests do not have.\n- Said by user Mia: Checkout has been failing for guests since Monday.\n\n## Relevant Memories (Auto-Retrieved)\n- [ab6a92ee32fc50cabc64c255171ccc6b] Guests have no customer id at checkout\n- [7bb91cdd3572b4bc19f0d954e0c6bfd7] A change of the checkout needs a test that buys as a guest\n- [d416573033f1f598408ca9e649ef63f3] fact: User: Is the fix of the guest checkout ready? Assistant: Yes. It waits for Mia's review.\n- [ep-guest-checkout] Fix the guest checkout (success)\n- [ep-app-checkout] Fix the guest checkout of the app (success)\n\n## Mistakes to Avoid (From Learnings)\n- [85e27ca53ae76776a7abee574163d710] Checkout failed for guests → Test each change of the checkout as a guest",
  },
  "DELETE /v1/episodes/{id}": { answer: { deleted: { episodes: 1, triples: 14, vectors: 1, links: 2 } } },
};
