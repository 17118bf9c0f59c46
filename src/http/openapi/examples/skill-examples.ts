// A way to deploy, as JSON and as Markdown.
import type { Examples } from "./example";

const TOLD = {
  name: "Deploy the shop",
  description: "From a green branch to production",
  prerequisites: ["The branch is reviewed"],
  steps: ["Run the smoke tests on staging", "Deploy to production", "Watch the error rate for ten minutes"],
  common_errors: [{ error: "The smoke tests time out", fix: "Wake the staging server first" }],
  exit_criteria: ["No new errors after ten minutes"],
};

const SKILL = {
  ...TOLD,
  slug: "deploy-shop",
  memory_id: "6e621afba3cdcbb6fb1e23bd273dd999",
  importance: 0.5,
  usage_count: 0,
  last_used: null,
  updated_at: "2026-11-16T09:24:00.000Z",
};

const MARKDOWN =
  "# Skill: Deploy the shop\n\nFrom a green branch to production\n\n## Prerequisites\n- The branch is reviewed\n\n## Steps\n1. Run the smoke tests on staging\n2. Deploy to production\n3. Watch the error rate for ten minutes\n\n## Common Errors & Fixes\n- The smoke tests time out: Wake the staging server first\n\n## Exit Criteria\n- No new errors after ten minutes\n";

export const skillExamples: Examples = {
  "PUT /v1/skills/{slug}": { body: TOLD, answer: SKILL, answerText: MARKDOWN, bodyText: MARKDOWN },
  "GET /v1/skills/{slug}": { answer: SKILL, answerText: MARKDOWN },
  "GET /v1/skills": { answer: { data: [SKILL], next_cursor: null }, answerText: MARKDOWN },
};
