// Imports the other records of an export: policy entries, episodes, skills, learnings and patterns.
import type { Kioku } from "../../client/index";
import { getBaseName, isAgentNamespace } from "../../src/memories/store/namespace";
import type { ExistingMemories } from "./existing";
import type { RecordByKind } from "./format";
import type { ImportRecords } from "./read";
import type { ImportReport } from "./report";

export async function importEntries(
  api: Kioku,
  { entry }: ImportRecords,
  existing: ExistingMemories,
  report: ImportReport,
): Promise<void> {
  // The API cannot create forgotten entries.
  for (const { line, record } of entry.filter(({ record }) => record.status === "live"))
    await report.note("entry", line, async () => {
      if (existing.take(record) !== null) return "known";
      const { agent_id, session_id, content, properties } = record;
      const [namespace = ""] = properties.namespace ?? [];
      const [metadata] = properties.entryMetadata ?? [];
      await api.entries.create({
        agent_id: agent_id ?? "",
        session_id: session_id ?? undefined,
        content,
        ...(!isAgentNamespace(namespace) && { namespace: getBaseName(namespace) }),
        ...(metadata !== undefined && { metadata: JSON.parse(metadata) }),
      });
      return "added";
    });
}

export async function importEpisodes(
  api: Kioku,
  { episode }: ImportRecords,
  report: ImportReport,
): Promise<void> {
  if (episode.length === 0) return;
  const known = new Set<string>();
  for await (const { id } of api.episodes.list({ include_archived: true })) known.add(id);
  for (const { line, record } of episode)
    await report.note("episode", line, async () => {
      if (known.has(record.id)) return "known";
      const { summary: _, summarised, archived, archived_at, usage_count, last_used, ...input } = record;
      await api.episodes.create(input);
      return "added";
    });
}

export async function importSkills(
  api: Kioku,
  { skill }: ImportRecords,
  report: ImportReport,
): Promise<void> {
  if (skill.length === 0) return;
  const known = new Map<string, string>();
  const toAddress = ({ slug, project_id }: { slug: string; project_id?: string | null | undefined }) =>
    JSON.stringify([slug, project_id ?? null]);
  for await (const there of api.skills.list({ all_projects: true }))
    known.set(toAddress(there), JSON.stringify(selectSkillFields(there)));
  for (const { line, record } of skill)
    await report.note("skill", line, async () => {
      const input = selectSkillFields(record);
      if (known.get(toAddress(record)) === JSON.stringify(input)) return "known";
      // Exports of earlier versions have no project.
      await api.skills.put(record.slug, { ...input, project_id: record.project_id ?? null });
      return "added";
    });
}

/** Selects the fields of a skill that its author writes. */
function selectSkillFields(skill: RecordByKind["skill"]) {
  const { name, description, prerequisites, steps, common_errors, exit_criteria, example_usage } = skill;
  const { instructions, license, compatibility, allowed_tools, metadata } = skill;
  return {
    ...{ name, description, prerequisites, steps, common_errors, exit_criteria, example_usage },
    ...{ instructions, license, compatibility, allowed_tools, metadata },
  };
}

export async function importLearnings(
  api: Kioku,
  { learning }: ImportRecords,
  report: ImportReport,
): Promise<void> {
  if (learning.length === 0) return;
  const toIdentity = ({ trigger, root_cause, project_id }: RecordByKind["learning"]) =>
    JSON.stringify([trigger, root_cause, project_id]);
  const known = new Set<string>();
  for await (const there of api.learnings.list()) known.add(toIdentity(there));
  for (const { line, record } of learning)
    await report.note("learning", line, async () => {
      // Creating it again would count as another occurrence.
      if (known.has(toIdentity(record))) return "known";
      const { trigger, root_cause, fix, prevention, evidence, project_id } = record;
      await api.learnings.create({ trigger, root_cause, fix, prevention, evidence, project_id });
      return "added";
    });
}

export async function importPatterns(
  api: Kioku,
  { pattern }: ImportRecords,
  report: ImportReport,
): Promise<void> {
  if (pattern.length === 0) return;
  const toIdentity = ({ pattern: text, category, project_id }: RecordByKind["pattern"]) =>
    JSON.stringify([text, category, project_id]);
  const known = new Set<string>();
  for await (const there of api.patterns.list({ include_superseded: true })) known.add(toIdentity(there));
  for (const { line, record } of pattern)
    await report.note("pattern", line, async () => {
      if (known.has(toIdentity(record))) return "known";
      await api.patterns.create({
        id: record.name ?? undefined,
        project_id: record.project_id,
        pattern: record.pattern,
        category: record.category,
        conditions: record.conditions,
        correct_approach: record.correct_approach,
        incorrect_approach: record.incorrect_approach,
        what_fails: record.what_fails,
        why: record.why ?? undefined,
        prevention: record.prevention ?? undefined,
        confidence: record.confidence,
        importance: record.importance,
        source_episodes: record.source_episodes,
        usage_count: record.usage_count,
        last_used: record.last_used ?? undefined,
      });
      return "added";
    });
}
