// Skills, by slug, as JSON or as Markdown.

import { renderSkillMarkdown } from "../../domain/experience/skills/skill-markdown";
import { parseSkill, putSkill, toSkill } from "../../operations/skill-operations";
import { FailureError, fail, invalidField } from "../../platform/errors";
import { PageQuery, pageSchema, z } from "../../schemas/common";
import { Skill, SkillPut, SkillSlug } from "../../schemas/skill";
import type { App, AppContext } from "../app-context";
import { endpoint } from "../endpoint";
import { decodeCursor, TimePosition, toPage } from "../pagination";
import { prefers } from "../read-request";

const TAG = "Skills";
const MARKDOWN = "text/markdown";
const SkillParams = z.object({ slug: SkillSlug });

export function skillRoutes(app: App): void {
  endpoint(
    app,
    {
      method: "put",
      path: "/v1/skills/{slug}",
      operationId: "putSkill",
      summary: "Write a skill as JSON or Markdown",
      description:
        "A changed skill is stored as a new version; earlier versions stay in the history of its memory. An identical skill changes nothing.",
      tag: TAG,
      scope: "write",
      stage: "store",
      params: SkillParams,
      body: SkillPut,
      bodyTypes: new Map([
        [MARKDOWN, parseSkill],
        ["text/x-markdown", parseSkill],
      ]),
      example: { body: SKILL_INPUT, text: SKILL_MARKDOWN },
      responses: {
        200: {
          description: "The skill already existed",
          schema: Skill,
          types: [MARKDOWN],
          example: SKILL,
          exampleText: SKILL_MARKDOWN,
        },
        201: {
          description: "The skill was created",
          schema: Skill,
          types: [MARKDOWN],
          example: SKILL,
          exampleText: SKILL_MARKDOWN,
        },
      },
    },
    async ({ c, services, params: { slug }, body: { slug: bodySlug, ...fields } }) => {
      if (bodySlug !== undefined && bodySlug !== slug)
        throw new FailureError(
          invalidField("slug", `must be ${slug}, as in the path: change it or leave it out`).failure,
        );
      const { skill, created } = await putSkill(services, slug, fields);
      const status = created ? 201 : 200;
      return prefers(c, MARKDOWN)
        ? markdownResponse(c, renderSkillMarkdown(skill), status)
        : c.json(skill, status);
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/skills/{slug}",
      operationId: "getSkill",
      summary: "Read a skill as JSON or Markdown",
      tag: TAG,
      scope: "read",
      stage: "store",
      params: SkillParams,
      responses: {
        200: {
          description: "The skill",
          schema: Skill,
          types: [MARKDOWN],
          example: SKILL,
          exampleText: SKILL_MARKDOWN,
        },
      },
    },
    async ({ c, services: { store }, params: { slug } }) => {
      const memory = await store.skills.find(slug);
      if (memory === null)
        throw new FailureError(
          fail("not_found", `Skill not found: ${slug}. Write it with PUT /v1/skills/${slug}.`).failure,
        );
      const skill = toSkill(memory);
      return prefers(c, MARKDOWN) ? markdownResponse(c, renderSkillMarkdown(skill)) : c.json(skill);
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/skills",
      operationId: "listSkills",
      summary: "List skills, newest first, as JSON or Markdown",
      description:
        "As Markdown, the skills are separated by horizontal rules, and the Link header has the URL of the next page.",
      tag: TAG,
      scope: "read",
      stage: "store",
      query: PageQuery,
      responses: {
        200: {
          description: "Skills",
          schema: pageSchema(Skill),
          types: [MARKDOWN],
          example: { data: [SKILL], next_cursor: null },
          exampleText: SKILL_MARKDOWN,
        },
      },
    },
    async ({ c, services: { store }, query: { limit, cursor } }) => {
      const after = decodeCursor(TimePosition, cursor);
      const memories = await store.skills.list({ limit: limit + 1, after });
      const page = toPage(memories.map(toSkill), limit, (skill) => ({
        timestamp: skill.updated_at,
        id: skill.memory_id,
      }));
      if (!prefers(c, MARKDOWN)) return c.json(page);
      if (page.next_cursor !== null)
        c.header("Link", `<${c.req.path}?limit=${limit}&cursor=${page.next_cursor}>; rel="next"`);
      return markdownResponse(c, page.data.map(renderSkillMarkdown).join("\n---\n\n"));
    },
  );
}

function markdownResponse(c: AppContext, text: string, status: 200 | 201 = 200): Response {
  return c.body(text, status, { "Content-Type": `${MARKDOWN}; charset=utf-8` });
}

const SKILL_INPUT = {
  name: "Deploy the shop",
  description: "From a green branch to production",
  prerequisites: ["The branch is reviewed"],
  steps: ["Run the smoke tests on staging", "Deploy to production", "Watch the error rate for ten minutes"],
  common_errors: [{ error: "The smoke tests time out", fix: "Wake the staging server first" }],
  exit_criteria: ["No new errors after ten minutes"],
};

const SKILL = {
  ...SKILL_INPUT,
  slug: "deploy-shop",
  memory_id: "6e621afba3cdcbb6fb1e23bd273dd999",
  importance: 0.5,
  usage_count: 0,
  last_used: null,
  updated_at: "2026-11-16T09:24:00.000Z",
};

const SKILL_MARKDOWN =
  "# Skill: Deploy the shop\n\nFrom a green branch to production\n\n## Prerequisites\n- The branch is reviewed\n\n## Steps\n1. Run the smoke tests on staging\n2. Deploy to production\n3. Watch the error rate for ten minutes\n\n## Common Errors & Fixes\n- The smoke tests time out: Wake the staging server first\n\n## Exit Criteria\n- No new errors after ten minutes\n";
