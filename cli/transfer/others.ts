// What an export holds beside memories: entries of policies, episodes, skills, learnings, patterns.
import type { Kioku } from "../../client/index";
import { getBaseName, isAgentNamespace } from "../../src/domain/policy/namespace";
import type { ExistingMemories } from "./existing";
import type { Lines } from "./format";
import type { Records } from "./read";
import type { Report } from "./report";

export async function importEntries(
  api: Kioku,
  { entry }: Records,
  existing: ExistingMemories,
  report: Report,
): Promise<void> {
  // What was taken back in a namespace cannot be written as such.
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

export async function importEpisodes(api: Kioku, { episode }: Records, report: Report): Promise<void> {
  if (episode.length === 0) return;
  const known = new Set<string>();
  for await (const { id } of api.episodes.list({ include_archived: true })) known.add(id);
  for (const { line, record } of episode)
    await report.note("episode", line, async () => {
      if (known.has(record.id)) return "known";
      const { summary: _, summarised, archived, archived_at, usage_count, last_used, ...told } = record;
      await api.episodes.create(told);
      return "added";
    });
}

export async function importSkills(api: Kioku, { skill }: Records, report: Report): Promise<void> {
  if (skill.length === 0) return;
  const known = new Map<string, string>();
  for await (const { slug, ...there } of api.skills.list()) known.set(slug, JSON.stringify(toldOf(there)));
  for (const { line, record } of skill)
    await report.note("skill", line, async () => {
      const { slug, ...there } = record;
      const told = toldOf(there);
      if (known.get(slug) === JSON.stringify(told)) return "known";
      await api.skills.put(slug, told);
      return "added";
    });
}

/** What a skill says, without what the service keeps of it. */
function toldOf(skill: Omit<Lines["skill"], "slug">) {
  const { name, description, prerequisites, steps, common_errors, exit_criteria, example_usage } = skill;
  return { name, description, prerequisites, steps, common_errors, exit_criteria, example_usage };
}

export async function importLearnings(api: Kioku, { learning }: Records, report: Report): Promise<void> {
  if (learning.length === 0) return;
  const nameOf = ({ trigger, root_cause, project_id }: Lines["learning"]) =>
    JSON.stringify([trigger, root_cause, project_id]);
  const known = new Set<string>();
  for await (const there of api.learnings.list()) known.add(nameOf(there));
  for (const { line, record } of learning)
    await report.note("learning", line, async () => {
      // Told again it would count as one more occurrence.
      if (known.has(nameOf(record))) return "known";
      const { trigger, root_cause, fix, prevention, evidence, project_id } = record;
      await api.learnings.create({ trigger, root_cause, fix, prevention, evidence, project_id });
      return "added";
    });
}

export async function importPatterns(api: Kioku, { pattern }: Records, report: Report): Promise<void> {
  if (pattern.length === 0) return;
  const nameOf = ({ pattern: text, category, project_id }: Lines["pattern"]) =>
    JSON.stringify([text, category, project_id]);
  const known = new Set<string>();
  for await (const there of api.patterns.list({ include_superseded: true })) known.add(nameOf(there));
  for (const { line, record } of pattern)
    await report.note("pattern", line, async () => {
      if (known.has(nameOf(record))) return "known";
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
