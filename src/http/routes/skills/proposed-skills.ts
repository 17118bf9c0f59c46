// Skills that strong patterns propose: accept, dismiss.
import { runIdempotent } from "../../../operations/run-idempotent";
import { acceptSkill, dismissSkill } from "../../../operations/skill-proposals";
import { Skill, SkillDecision } from "../../../schemas/skill";
import type { App } from "../../app-context";
import { groupRoutes } from "../../endpoint";
import { SKILL_EXAMPLE, SKILLS_TAG, SkillParams } from "./skills";

export function proposedSkillRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: SKILLS_TAG, stage: "store" });

  routes.post("/v1/skills/{slug}/accept", "acceptSkill", {
    summary: "Accept a proposed skill, which makes it a skill of its project",
    quota: ["memories", "bytes"],
    params: SkillParams,
    body: SkillDecision,
    mayBeMissing: true,
    example: { body: { project_id: "shop" } },
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
    example: { body: { project_id: "shop" } },
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
