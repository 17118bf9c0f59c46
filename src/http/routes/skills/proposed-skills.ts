// Skills that strong patterns propose: accept, dismiss.
import { runIdempotent } from "../../../operations/run-idempotent";
import { acceptSkill, dismissSkill } from "../../../operations/skill-proposals";
import { Skill, SkillDecision } from "../../../schemas/skill";
import type { App } from "../../app-context";
import { endpoint } from "../../endpoint";
import { SKILL_EXAMPLE, SKILLS_TAG, SkillParams } from "./skills";

export function proposedSkillRoutes(app: App): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/v1/skills/{slug}/accept",
      operationId: "acceptSkill",
      summary: "Accept a proposed skill, which makes it a skill of its project",
      tag: SKILLS_TAG,
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
      tag: SKILLS_TAG,
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

const ACCEPTED = {
  ...SKILL_EXAMPLE,
  project_id: "shop",
  derived_from: "7bb91cdd3572b4bc19f0d954e0c6bfd7",
};

const DISMISSED = { ...ACCEPTED, status: "dismissed", memory_id: null };
