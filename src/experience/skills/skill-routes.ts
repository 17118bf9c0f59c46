// Skills, by slug, as JSON or as SKILL.md; and those that strong patterns propose: accept, dismiss.

import { runIdempotent } from "../../calls/run-idempotent";
import type { App, AppContext } from "../../http/app-context";
import { groupRoutes } from "../../http/endpoint";
import { decodeCursor, TimePosition, toPage } from "../../http/pagination";
import { prefers } from "../../http/read-request";
import { Flag, PageQuery, pageSchema, z } from "../../kernel/common";
import { FailureError, fail, fieldFailure } from "../../kernel/errors";
import { renderSkillFile, toStandardName } from "./skill-file";
import { findSkillMemory, listSkills, parseSkill, putSkill, toSkill } from "./skill-operations";
import { acceptSkill, dismissSkill, listSkillProposals } from "./skill-proposals";
import {
  SKILL_EXAMPLE,
  Skill,
  SkillDecision,
  SkillPost,
  SkillProject,
  SkillPut,
  SkillSlug,
  SkillStatus,
} from "./skill-schemas";

const SKILLS_TAG = "Skills";
const MARKDOWN = "text/markdown";
const SkillParams = z.object({ slug: SkillSlug });
const SkillQuery = z.object({ project_id: SkillProject });
const BODY_TYPES = new Map([
  [MARKDOWN, parseSkill],
  ["text/x-markdown", parseSkill],
]);
const VERSIONS =
  "A changed skill is stored as a new version; earlier versions stay in the history of its memory. An identical skill changes nothing.";

export function skillRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: SKILLS_TAG, stage: "store" });

  routes.put("/v1/skills/{slug}", "putSkill", {
    summary: "Write a skill as JSON or SKILL.md",
    description: `${VERSIONS} The \`name\` of a SKILL.md is the slug in the path. Markdown without front matter needs a title and a section \`## Steps\`.`,
    quota: ["memories", "bytes"],
    params: SkillParams,
    query: SkillQuery,
    body: SkillPut,
    bodyTypes: BODY_TYPES,
    example: { text: SKILL_FILE },
    responses: WRITTEN,
    handle: async ({ c, services, params: { slug }, query, body: { slug: bodySlug, ...body } }) => {
      if (bodySlug !== undefined) checkSlug(c, bodySlug, slug);
      const { address, fields } = readAddress(slug, query, body);
      const { skill, created } = await putSkill(services, address, fields);
      return skillResponse(c, skill, created ? 201 : 200);
    },
  });

  routes.post("/v1/skills", "saveSkill", {
    summary: "Write a skill under its own slug, as JSON or SKILL.md",
    description: `${VERSIONS} The slug is the \`name\` of a SKILL.md, or \`slug\` in JSON.`,
    quota: ["memories", "bytes"],
    query: SkillQuery,
    body: SkillPost,
    bodyTypes: BODY_TYPES,
    example: { text: SKILL_FILE },
    responses: WRITTEN,
    handle: async ({ c, services, query, body: { slug, ...body }, idempotency }) => {
      const { address, fields } = readAddress(slug, query, body);
      const reply = await runIdempotent(services.store, idempotency, async () => {
        const { skill, created } = await putSkill(services, address, fields);
        return { status: created ? 201 : 200, body: skill };
      });
      return skillResponse(c, reply.body, reply.status);
    },
  });

  routes.get("/v1/skills/{slug}", "getSkill", {
    summary: "Read a skill as JSON or SKILL.md",
    description: "With `project_id`, the project's own skill comes before one that applies to all projects.",
    bound: "owner",
    params: SkillParams,
    query: SkillQuery,
    responses: { 200: { description: "The skill", ...SKILL_RESPONSE } },
    handle: async ({ c, services, params: { slug }, query: { project_id = null } }) => {
      const memory = await findSkillMemory(services, { slug, project_id });
      if (memory === null)
        throw new FailureError(
          fail("not_found", `Skill not found: ${slug}. Write it with PUT /v1/skills/${slug}.`).failure,
        );
      return skillResponse(c, toSkill(memory), 200);
    },
  });

  routes.get("/v1/skills", "listSkills", {
    summary: "List skills, newest first, as JSON or Markdown",
    description:
      "Those that apply to all projects; with `project_id`, those that apply to the project; with `all_projects`, all. As Markdown, one SKILL.md follows another, and the Link header has the URL of the next page.",
    limitsReads: true,
    audit: { export: "export.skills" },
    bound: "owner",
    query: PageQuery.extend({
      project_id: SkillProject,
      all_projects: Flag,
      status: SkillStatus.default("active"),
    }),
    responses: {
      200: { description: "Skills", schema: pageSchema(Skill), types: [MARKDOWN], exampleText: SKILL_FILE },
    },
    handle: async ({ c, services, query }) => {
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
      return markdownResponse(c, page.data.map(renderSkillFile).join("\n"));
    },
  });
}

/** Returns the address of a skill, and its fields. The project is in the query or in the body. */
function readAddress<F extends object>(
  slug: string,
  query: { project_id?: string | undefined },
  { project_id, ...fields }: F & { project_id?: string | null | undefined },
) {
  const projectId = query.project_id ?? project_id ?? null;
  if (project_id != null && project_id !== projectId)
    throw fieldFailure("project_id", `must be ${projectId}, as in the query: change it or leave it out`);
  return { address: { slug, project_id: projectId }, fields };
}

/** Checks that a body names the skill of the path: JSON by its slug, SKILL.md by the standard's name for it. */
function checkSlug(c: AppContext, given: string, slug: string): void {
  const isFile = /markdown/i.test(c.req.header("Content-Type") ?? "");
  const name = toStandardName(slug);
  if (isFile && toStandardName(given) !== name)
    throw fieldFailure("name", `must be ${name}, as in the path: change one of them`);
  if (!isFile && given !== slug)
    throw fieldFailure("slug", `must be ${slug}, as in the path: change it or leave it out`);
}

function skillResponse(c: AppContext, skill: Skill, status: 200 | 201): Response {
  return prefers(c, MARKDOWN) ? markdownResponse(c, renderSkillFile(skill), status) : c.json(skill, status);
}

function markdownResponse(c: AppContext, text: string, status: 200 | 201 = 200): Response {
  return c.body(text, status, { "Content-Type": `${MARKDOWN}; charset=utf-8` });
}

/** The example of a stored skill. */

const SKILL_FILE = `---
name: deploy-shop
description: From a green branch to production
---

# Skill: Deploy the shop

## Prerequisites
- The branch is reviewed

## Steps
1. Run the smoke tests on staging
2. Deploy to production
3. Watch the error rate for ten minutes

## Common Errors & Fixes
- The smoke tests time out: Wake the staging server first

## Exit Criteria
- No new errors after ten minutes
`;

const SKILL_RESPONSE = { schema: Skill, types: [MARKDOWN], example: SKILL_EXAMPLE, exampleText: SKILL_FILE };

const WRITTEN = {
  200: { description: "The skill already existed", ...SKILL_RESPONSE },
  201: { description: "The skill was created", ...SKILL_RESPONSE },
};

export function proposedSkillRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: SKILLS_TAG, stage: "store" });

  routes.post("/v1/skills/{slug}/accept", "acceptSkill", {
    summary: "Accept a proposed skill, which makes it a skill of its project",
    quota: ["memories", "bytes"],
    params: SkillParams,
    body: SkillDecision,
    mayBeMissing: true,
    responses: {
      200: { description: "The skill was accepted before", schema: Skill, example: ACCEPTED },
      201: { description: "The new skill", schema: Skill, example: ACCEPTED },
    },
    reply: ({ services, params: { slug }, body: { project_id = null }, idempotency }) =>
      runIdempotent(services.store, idempotency, async () => {
        const { skill, created } = await acceptSkill(services, { slug, project_id });
        return { status: created ? 201 : 200, body: skill };
      }),
  });

  routes.post("/v1/skills/{slug}/dismiss", "dismissSkill", {
    summary: "Dismiss a proposed skill; its pattern does not propose one again",
    quota: { exempt: "It changes a status." },
    params: SkillParams,
    body: SkillDecision,
    mayBeMissing: true,
    responses: { 200: { description: "The dismissed proposal", schema: Skill, example: DISMISSED } },
    handle: async ({ services, params: { slug }, body: { project_id = null }, idempotency }) =>
      (
        await runIdempotent(services.store, idempotency, async () => ({
          status: 200,
          body: await dismissSkill(services, { slug, project_id }),
        }))
      ).body,
  });
}

const ACCEPTED = { ...SKILL_EXAMPLE, project_id: "shop", derived_from: "7bb91cdd3572b4bc19f0d954e0c6bfd7" };

const DISMISSED = { ...ACCEPTED, status: "dismissed", memory_id: null };
