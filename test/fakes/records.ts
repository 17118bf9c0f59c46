// Builders of complete records with defaults, for tests that care about a few fields.
import type { Episode } from "../../src/experience/episodes/episode-schemas";
import type { NewMemory } from "../../src/memories/memory-schemas";

export function newEpisode(
  fields: Partial<Omit<Episode, "context">> & { id: string; context?: Partial<Episode["context"]> },
): Episode {
  const { context, ...rest } = fields;
  return {
    task_id: null,
    project_id: null,
    user_id: null,
    agent: null,
    timestamp: "2026-01-06T10:00:00.000Z",
    duration_seconds: null,
    context: { phase: null, goal: `Goal of ${fields.id}`, constraints: [], files_involved: [], ...context },
    action_log: [],
    outcome: "success",
    errors_encountered: [],
    artifacts_produced: [],
    files_read: [],
    files_modified: [],
    git_commit: null,
    tokens_used: null,
    importance: 0.5,
    summary: null,
    summarised: false,
    archived: false,
    archived_at: null,
    usage_count: 0,
    last_used: null,
    decayed_at: null,
    ...rest,
  };
}

export function newMemory(fields: Partial<NewMemory> & { content: string }): NewMemory {
  return {
    type: "fact",
    confidence: 0.8,
    importance: 1,
    source_type: "agent",
    rationale: null,
    session_id: null,
    agent_id: null,
    project_id: null,
    topic_key: null,
    timestamp: new Date().toISOString(),
    valid_from: null,
    evidence: [],
    properties: {},
    ...fields,
  };
}
