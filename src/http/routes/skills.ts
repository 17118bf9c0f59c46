// Skills by their slug, as JSON or as Markdown.

import { toMarkdown } from "../../domain/experience/skills/skill-markdown";
import { putSkill, readSkill, toSkill } from "../../operations/skills/write-skill";
import { FailureError, fail, invalidField } from "../../platform/errors";
import { PageQuery, pageOf, z } from "../../schemas/common";
import { Skill, SkillPut, SkillSlug } from "../../schemas/skill";
import type { AppContext } from "../context";
import { type App, endpoint, servicesOf } from "../endpoint";
import { prefers } from "../media-types";
import { decodeCursor, toPage } from "../pagination";

const TAG = "Skills";
const MARKDOWN = "text/markdown";
const SkillParams = z.object({ slug: SkillSlug });
const Cursor = z.object({ timestamp: z.string(), id: z.string() });

export function skillRoutes(app: App): void {
  endpoint(
    app,
    {
      method: "put",
      path: "/v1/skills/{slug}",
      summary: "A skill, from JSON or Markdown",
      description:
        "A skill that differs is a new version: the one before stays in the history of its memory. One that says the same changes nothing.",
      tag: TAG,
      scope: "write",
      params: SkillParams,
      body: SkillPut,
      bodyTypes: new Map([
        [MARKDOWN, readSkill],
        ["text/x-markdown", readSkill],
      ]),
      answers: {
        200: { description: "The skill, which was there before", schema: Skill, types: [MARKDOWN] },
        201: { description: "The new skill", schema: Skill, types: [MARKDOWN] },
      },
    },
    async ({ c, caller, params: { slug }, body: { slug: given, ...told } }) => {
      if (given !== undefined && given !== slug)
        throw new FailureError(
          invalidField("slug", `must be ${slug}, as in the path: change it or leave it out`).failure,
        );
      const services = servicesOf(c, caller);
      const { skill, created } = await c.var.timing.measure("store", () => putSkill(services, slug, told));
      const status = created ? 201 : 200;
      return prefers(c, MARKDOWN) ? markdown(c, toMarkdown(skill), status) : c.json(skill, status);
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/skills/{slug}",
      summary: "A skill, as JSON or Markdown",
      tag: TAG,
      scope: "read",
      params: SkillParams,
      answers: { 200: { description: "The skill", schema: Skill, types: [MARKDOWN] } },
    },
    async ({ c, caller, params: { slug } }) => {
      const { store } = servicesOf(c, caller);
      const memory = await c.var.timing.measure("store", () => store.findSkill(slug));
      if (memory === null)
        throw new FailureError(
          fail("not_found", `Skill not found: ${slug}. Write it with PUT /v1/skills/${slug}.`).failure,
        );
      const skill = toSkill(memory);
      return prefers(c, MARKDOWN) ? markdown(c, toMarkdown(skill)) : c.json(skill);
    },
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/skills",
      summary: "Skills, newest first, as JSON or Markdown",
      description:
        "As Markdown, one after the other with a rule between; the header Link leads to the next page.",
      tag: TAG,
      scope: "read",
      query: PageQuery,
      answers: { 200: { description: "Skills", schema: pageOf(Skill), types: [MARKDOWN] } },
    },
    async ({ c, caller, query: { limit, cursor } }) => {
      const { store } = servicesOf(c, caller);
      const after = decodeCursor(Cursor, cursor);
      const memories = await c.var.timing.measure("store", () =>
        store.listSkills({ limit: limit + 1, after }),
      );
      const page = toPage(memories.map(toSkill), limit, (skill) => ({
        timestamp: skill.updated_at,
        id: skill.memory_id,
      }));
      if (!prefers(c, MARKDOWN)) return c.json(page);
      if (page.next_cursor !== null)
        c.header("Link", `<${c.req.path}?limit=${limit}&cursor=${page.next_cursor}>; rel="next"`);
      return markdown(c, page.data.map(toMarkdown).join("\n---\n\n"));
    },
  );
}

function markdown(c: AppContext, text: string, status: 200 | 201 = 200): Response {
  return c.body(text, status, { "Content-Type": `${MARKDOWN}; charset=utf-8` });
}
