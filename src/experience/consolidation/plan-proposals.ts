// Plans what a consolidation proposes but does not decide: contradictions between patterns or facts, and skills.

import { failure } from "../../kernel/errors";
import { computeLinkId } from "../../memories/links/link-triples";
import type { Memory } from "../../memories/memory-schemas";
import { toInstanceIri } from "../../ontology/triples";
import type { Repositories } from "../../services/repositories";
import type { Episode } from "../episodes/episode-schemas";
import { findContradictions } from "../patterns/contradiction";
import { findStandingPattern } from "../patterns/pattern-memory";
import { draftSkill } from "../skills/propose-skill";
import { renderSkillMarkdown } from "../skills/skill-markdown";
import type { NewSkillProposal, SkillProposal } from "../skills/skill-proposal-repository";
import type { EmbedTexts } from "./embedding-cache";
import type { OwnedExperience } from "./project-facts";

/** Links two memories as contradictory. Stored as JSON. */
export type ContradictStep = { kind: "contradict"; from: string; to: string };

/** Stores a proposed skill. Stored as JSON. */
export type ProposeStep = { kind: "propose"; proposal: NewSkillProposal };

export type ComparedMemory = { memory: Memory; vector: Float32Array; group: string };

/** Plans the links between memories that contradict each other, with the id of each contradiction. */
export async function planContradictions(
  tenant: string,
  memories: readonly ComparedMemory[],
  isKnown: (a: string, b: string) => boolean,
): Promise<{ id: string; step: ContradictStep }[]> {
  const statements = memories.map(({ memory: { id, content, properties }, vector, group }) => ({
    id,
    // The text of an extracted pattern also has its steps and remedies.
    text: properties.theme?.[0] ?? content,
    vector,
    group,
  }));
  return Promise.all(
    findContradictions(statements, isKnown).map(async ({ from, to }) => ({
      id: await computeLinkId(tenant, {
        from: toInstanceIri("memory", from),
        to: toInstanceIri("memory", to),
        relation: "contradicts",
      }),
      step: { kind: "contradict" as const, from, to },
    })),
  );
}

/** Links two memories, unless one of them was erased meanwhile. */
export async function applyContradiction(store: Repositories, { from, to }: ContradictStep): Promise<void> {
  const linked = await store.links.create({ from, to, relation: "contradicts" }, null);
  if (!linked.ok && linked.failure.code !== "not_found")
    throw failure(linked.failure.code, linked.failure.detail);
}

type SkillSources = {
  owner: OwnedExperience["owner"];
  /** All patterns of the owner as they are after the run. */
  patterns: readonly Memory[];
  /** The clusters of the run, each with the id of its pattern. */
  clusters: readonly { id: string; episodes: readonly Episode[] }[];
  /** All proposals of the project, decided ones included. */
  proposals: readonly SkillProposal[];
  /** The slugs of the skills that apply to the project. */
  slugs: ReadonlySet<string>;
};

/** Plans the skills that strong patterns propose. A skill is shared, so that one user's experience proposes none. */
export function planSkills({ owner, patterns, clusters, proposals, slugs }: SkillSources): ProposeStep[] {
  const { project_id, user_id } = owner;
  if (project_id === null || user_id !== null) return [];
  const byId = new Map(patterns.map((memory) => [memory.id, memory]));
  const decided = new Set(
    proposals.flatMap(({ pattern_id }) => [
      pattern_id,
      findStandingPattern(pattern_id, byId).standing?.id ?? pattern_id,
    ]),
  );
  const taken = new Set([...slugs, ...proposals.map(({ slug }) => slug)]);
  return clusters.flatMap(({ id, episodes }) => {
    const memory = byId.get(id);
    const draft = memory === undefined || decided.has(id) ? null : draftSkill(memory, episodes);
    if (draft === null) return [];
    const slug = taken.has(draft.slug) ? `${draft.slug}-${id.slice(0, 6)}` : draft.slug;
    decided.add(id);
    taken.add(slug);
    return [
      {
        kind: "propose" as const,
        proposal: { project_id, slug, pattern_id: id, body: renderSkillMarkdown(draft.fields) },
      },
    ];
  });
}

/** The newest facts and the newest decisions of a project that are compared. */
const COMPARED_FACTS = 200;

/** Returns the newest live facts and decisions of a project, without those of a user and captured turns. */
export async function listFacts(store: Repositories, projectId: string): Promise<Memory[]> {
  const list = (type: "fact" | "decision") =>
    store.memories.list(
      {
        type,
        session_id: null,
        user_id: null,
        agent_id: null,
        project_id: projectId,
        include_superseded: false,
      },
      { limit: COMPARED_FACTS, after: null },
    );
  const [facts, decisions] = await Promise.all([list("fact"), list("decision")]);
  return [...facts, ...decisions].filter(
    ({ user_id, properties }) => user_id === null && properties.namespace === undefined,
  );
}

/** Embeds facts for a comparison with each other. */
export async function toComparableFacts(
  facts: readonly Memory[],
  embed: EmbedTexts,
): Promise<ComparedMemory[]> {
  const vectors = await embed(facts.map(({ content }) => content));
  return facts.flatMap((memory, i) => {
    const vector = vectors[i];
    return vector === undefined ? [] : [{ memory, vector, group: "facts" }];
  });
}
