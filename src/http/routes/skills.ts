// Skills, by slug, as JSON or as Markdown.

import { renderSkillMarkdown } from "../../domain/experience/skills/skill-markdown";
import { runIdempotent } from "../../operations/run-idempotent";
import {
  findSkillMemory,
  listSkills,
  parseSkill,
  putSkill,
  toSkill,
} from "../../operations/skill-operations";
import { acceptSkill, dismissSkill, listSkillProposals } from "../../operations/skill-proposals";
import { FailureError, fail, invalidField } from "../../platform/errors";
import { Flag, PageQuery, pageSchema, z } from "../../schemas/common";
import { Skill, SkillDecision, SkillProject, SkillPut, SkillSlug, SkillStatus } from "../../schemas/skill";
import type { App, AppContext } from "../app-context";
import { endpoint } from "../endpoint";
import { decodeCursor, TimePosition, toPage } from "../pagination";
import { prefers } from "../read-request";

const TAG = "Skills";
const MARKDOWN = "text/markdown";
const SkillParams = z.object({ slug: SkillSlug });
const SkillQuery = z.object({ project_id: SkillProject });

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
      quota: ["memories", "bytes"],
      stage: "store",
      params: SkillParams,
      query: SkillQuery,
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
    async ({ c, services, params: { slug }, query, body: { slug: bodySlug, project_id, ...fields } }) => {
      if (bodySlug !== undefined && bodySlug !== slug)
        throw new FailureError(
          invalidField("slug", `must be ${slug}, as in the path: change it or leave it out`).failure,
        );
      const projectId = query.project_id ?? project_id ?? null;
      if (project_id != null && project_id !== projectId)
        throw new FailureError(
          invalidField("project_id", `must be ${projectId}, as in the query: change it or leave it out`)
            .failure,
        );
      const { skill, created } = await putSkill(services, { slug, project_id: projectId }, fields);
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
      description:
        "With `project_id`, the project's own skill comes before one that applies to all projects.",
      tag: TAG,
      scope: "read",
      bound: "owner",
      stage: "store",
      params: SkillParams,
      query: SkillQuery,
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
    async ({ c, services, params: { slug }, query: { project_id = null } }) => {
      const memory = await findSkillMemory(services, { slug, project_id });
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
        "Those that apply to all projects; with `project_id`, those that apply to the project; with `all_projects`, all. As Markdown, the skills are separated by horizontal rules, and the Link header has the URL of the next page.",
      tag: TAG,
      scope: "read",
      limitsReads: true,
      audit: { export: "export.skills" },
      bound: "owner",
      stage: "store",
      query: PageQuery.extend({
        project_id: SkillProject,
        all_projects: Flag,
        status: SkillStatus.default("active"),
      }),
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
    async ({ c, services, query }) => {
      const { limit, cursor, project_id = null, all_projects, status } = query;
      const position = { limit: limit + 1, after: decodeCursor(TimePosition, cursor) };
      const listed =
        status === "active"
          ? (await listSkills(services, { project_id, all_projects }, position)).map((skill) => ({
              skill,
              position: { timestamp: skill.updated_at, id: skill.memory_id },
            }))
          : await listSkillProposals(services, { project_id, status }, position);
      const { data, next_cursor } = toPage(listed, limit, (item) => item.position);
      const page = { data: data.map(({ skill }) => skill), next_cursor };
      if (!prefers(c, MARKDOWN)) return c.json(page);
      if (next_cursor !== null) {
        const next = new URLSearchParams({ ...c.req.query(), cursor: next_cursor });
        c.header("Link", `<${c.req.path}?${next}>; rel="next"`);
      }
      return markdownResponse(c, page.data.map(renderSkillMarkdown).join("\n---\n\n"));
    },
  );

  endpoint(
    app,
    {
      method: "post",
      path: "/v1/skills/{slug}/accept",
      operationId: "acceptSkill",
      summary: "Accept a proposed skill, which makes it a skill of its project",
      tag: TAG,
      scope: "write",
      quota: ["memories", "bytes"],
      stage: "store",
      params: SkillParams,
      body: SkillDecision,
      mayBeMissing: true,
      example: { body: { project_id: "shop" } },
      responses: {
        200: { description: "The skill was accepted before", schema: Skill, example: ACCEPTED },
        201: { description: "The new skill", schema: Skill, example: ACCEPTED },
      },
    },
    async ({ c, services, params: { slug }, body: { project_id = null }, idempotency }) => {
      const reply = await runIdempotent(services.store, idempotency, async () => {
        const { skill, created } = await acceptSkill(services, { slug, project_id });
        return { status: created ? 201 : 200, body: skill };
      });
      return c.json(reply.body, reply.status);
    },
  );

  endpoint(
    app,
    {
      method: "post",
      path: "/v1/skills/{slug}/dismiss",
      operationId: "dismissSkill",
      summary: "Dismiss a proposed skill; its pattern does not propose one again",
      tag: TAG,
      scope: "write",
      quota: { exempt: "It changes a status." },
      stage: "store",
      params: SkillParams,
      body: SkillDecision,
      mayBeMissing: true,
      example: { body: { project_id: "shop" } },
      responses: { 200: { description: "The dismissed proposal", schema: Skill, example: DISMISSED } },
    },
    async ({ c, services, params: { slug }, body: { project_id = null }, idempotency }) => {
      const reply = await runIdempotent(services.store, idempotency, async () => ({
        status: 200,
        body: await dismissSkill(services, { slug, project_id }),
      }));
      return c.json(reply.body);
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
  project_id: null,
  status: "active",
  derived_from: null,
  memory_id: "6e621afba3cdcbb6fb1e23bd273dd999",
  importance: 0.5,
  usage_count: 0,
  last_used: null,
  updated_at: "2026-11-16T09:24:00.000Z",
};

const ACCEPTED = {
  ...SKILL,
  project_id: "shop",
  derived_from: "7bb91cdd3572b4bc19f0d954e0c6bfd7",
};

const DISMISSED = { ...ACCEPTED, status: "dismissed", memory_id: null };

const SKILL_MARKDOWN =
  "# Skill: Deploy the shop\n\nFrom a green branch to production\n\n## Prerequisites\n- The branch is reviewed\n\n## Steps\n1. Run the smoke tests on staging\n2. Deploy to production\n3. Watch the error rate for ten minutes\n\n## Common Errors & Fixes\n- The smoke tests time out: Wake the staging server first\n\n## Exit Criteria\n- No new errors after ten minutes\n";
