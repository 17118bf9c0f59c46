// Skills of a tenant. A skill is a memory whose body is its Markdown; the JSON is made from that, so that both forms
// are one thing.

import { parseSkillMarkdown, renderSkillMarkdown } from "../../domain/experience/skills/skill-markdown";
import { EXPERIENCE, LIMITS } from "../../limits";
import { fail, ok, type Result, unwrap } from "../../platform/errors";
import { countUtf8Bytes } from "../../schemas/common";
import type { Memory } from "../../schemas/memory";
import type { Skill, SkillFields } from "../../schemas/skill";
import { bodyOf, type SkillVersion, slugOf, topicOf } from "../../store/memories/skill-queries";
import { clip } from "../../text/normalise-text";
import type { Services } from "../services";

export type PutSkill = { skill: Skill; created: boolean };

/** The skill of that name from now on. One that says the same changes nothing. */
export async function putSkill(
  { store, indexing, now, later }: Services,
  slug: string,
  told: SkillFields,
): Promise<PutSkill> {
  const body = unwrap(withinLimit(renderSkillMarkdown(told)));
  const { memory, before } = await store.skills.write(
    toMemory(slug, told, body, new Date(now()).toISOString()),
  );
  if (memory !== before) later(indexing.wake());
  return { skill: toSkill(memory), created: before === null };
}

/** What somebody sends as a skill. */
export function readSkill(markdown: string): Result<SkillFields> {
  const fitting = withinLimit(markdown);
  return fitting.ok ? parseSkillMarkdown(fitting.value) : fitting;
}

function withinLimit(markdown: string): Result<string> {
  const bytes = countUtf8Bytes(markdown);
  if (bytes <= EXPERIENCE.skillBytes) return ok(markdown);
  const message = `must be at most ${EXPERIENCE.skillBytes} bytes as Markdown, is ${bytes}: shorten it`;
  return fail("invalid_request", `The skill ${message}.`, { errors: [{ path: "", message }] });
}

/** It belongs to no session, agent or project: every one of the tenant may follow it. */
function toMemory(
  slug: string,
  { name, description }: SkillFields,
  body: string,
  timestamp: string,
): SkillVersion {
  return {
    type: "skill",
    content: clip(description === "" ? name : `${name}: ${description}`, LIMITS.contentChars),
    confidence: 1,
    importance: EXPERIENCE.importance,
    source_type: "agent",
    rationale: null,
    session_id: null,
    agent_id: null,
    project_id: null,
    topic_key: topicOf(slug),
    timestamp,
    valid_from: null,
    evidence: [],
    properties: { skillName: [name], skillBody: [body] },
  };
}

/** The skill that a memory holds. */
export function toSkill(memory: Memory): Skill {
  return {
    slug: slugOf(memory),
    ...unwrap(parseSkillMarkdown(bodyOf(memory))),
    memory_id: memory.id,
    importance: memory.importance,
    usage_count: memory.access_count,
    last_used: memory.access_count === 0 ? null : memory.last_accessed,
    updated_at: memory.timestamp,
  };
}
