// Decides on the skills that strong patterns propose: accept, dismiss, list.

import { FailureError, fail, failure, fieldFailure, unwrap } from "../../kernel/errors";
import { EXPERIENCE } from "../../kernel/limits";
import type { Page } from "../../kernel/store-context";
import type { Services } from "../../services/services";
import { parseSkillMarkdown } from "./skill-markdown";
import { putSkill, type SavedSkill } from "./skill-operations";
import type { SkillProposal } from "./skill-proposal-repository";
import type { Skill } from "./skill-schemas";

/** A proposal as it is addressed; the project may be left out if there is one proposal of the slug. */
type ProposalAddress = { slug: string; project_id: string | null };

type ListedProposal = { skill: Skill; position: { timestamp: string; id: string } };

export async function listSkillProposals(
  { store }: Services,
  filter: { project_id: string | null; status: "proposed" | "dismissed" },
  page: Page,
): Promise<ListedProposal[]> {
  const proposals = await store.skillProposals.list(filter, page);
  return proposals.map((proposal) => ({
    skill: toProposedSkill(proposal),
    position: { timestamp: proposal.created_at, id: proposal.pattern_id },
  }));
}

/** Stores the proposed skill as one of its project. A repeated call finds the skill as it is. */
export async function acceptSkill(services: Services, address: ProposalAddress): Promise<SavedSkill> {
  const proposal = await findProposal(services, address);
  const { project_id, slug, pattern_id, body } = proposal;
  const fields = unwrap(parseSkillMarkdown(body));
  const saved = await putSkill(services, { slug, project_id }, fields, pattern_id);
  await services.store.skillProposals.decide(proposal, "accepted");
  return saved;
}

/** Dismisses a proposal: its pattern does not propose a skill again. */
export async function dismissSkill(services: Services, address: ProposalAddress): Promise<Skill> {
  const proposal = await findProposal(services, address);
  if (proposal.status === "accepted")
    throw failure(
      "conflict",
      `The proposal ${proposal.slug} was accepted. Forget its memory to stop using the skill.`,
    );
  await services.store.skillProposals.decide(proposal, "dismissed");
  return toProposedSkill({ ...proposal, status: "dismissed" });
}

async function findProposal(
  { store }: Services,
  { slug, project_id }: ProposalAddress,
): Promise<SkillProposal> {
  const [proposal, ...others] = await store.skillProposals.find(slug, project_id);
  if (proposal === undefined)
    throw new FailureError(
      fail("not_found", `There is no proposed skill ${slug}. GET /v1/skills?status=proposed lists them.`)
        .failure,
    );
  if (others.length > 0)
    throw fieldFailure("project_id", `is required: several projects have a proposed skill ${slug}`);
  return proposal;
}

function toProposedSkill({ slug, body, project_id, status, pattern_id, created_at }: SkillProposal): Skill {
  return {
    slug,
    ...unwrap(parseSkillMarkdown(body)),
    project_id,
    status: status === "accepted" ? "active" : status,
    derived_from: pattern_id,
    memory_id: null,
    importance: EXPERIENCE.defaultImportance,
    usage_count: 0,
    last_used: null,
    updated_at: created_at,
  };
}
