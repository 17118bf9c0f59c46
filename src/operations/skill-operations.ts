// Skills: find_skill, read_skill, save_skill. A skill is a memory whose body is Markdown; its JSON is parsed from that.
import { parseSkillMarkdown, renderSkillMarkdown } from "../domain/experience/skills/skill-markdown";
import { EXPERIENCE, LIMITS } from "../limits";
import { fail, failure, ok, type Result, unwrap } from "../platform/errors";
import { countUtf8Bytes, type z } from "../schemas/common";
import type { Memory } from "../schemas/memory";
import { Skill, type SkillFields } from "../schemas/skill";
import {
  FindSkillAnswer,
  FindSkillInput,
  NoScope,
  ReadSkillInput,
  SaveSkillInput,
} from "../schemas/tool-parameters";
import type { RecallScope } from "../search/corpus";
import { PROMPT_RECALL } from "../search/search";
import { fromMemoryRow, type MemoryRow } from "../store/memories/memory-mapping";
import {
  getSkillBody,
  getSkillSlug,
  type SkillVersion,
  toSkillTopicKey,
} from "../store/memories/skill-repository";
import { clip } from "../text/normalise-text";
import type { Services } from "./services";

import { defineTool, type OperationReply, type OwnerIds } from "./tools/tool";

/** Skills apply to all projects. A memory of this type that belongs to somebody is not one of them. */
const SHARED_SKILLS: RecallScope = { kind: "project", id: "", shared: true };

export async function findSkill(
  { search }: Services,
  _owner: OwnerIds,
  { query, limit }: z.output<typeof FindSkillInput>,
): Promise<OperationReply<z.output<typeof FindSkillAnswer>>> {
  const wanted = { ...PROMPT_RECALL, type: "skill" as const, min_confidence: 0, query, limit };
  const { hits, rows } = await search.recall(SHARED_SKILLS, wanted);
  const skills = rows.map((row, i) => {
    const { slug, name, description, usage_count } = toSkill(fromMemoryRow(row as MemoryRow));
    return { slug, name, description, usage_count, score: hits[i]?.score ?? 0 };
  });
  return { status: 200, body: { count: skills.length, skills } };
}

export const findSkillTool = defineTool({
  name: "find_skill",
  title: "Find a skill",
  description:
    "Find skills, which are documented procedures, by the task at hand. Then read the one that fits with read_skill.",
  scope: "read",
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  ownerInput: NoScope,
  input: FindSkillInput,
  output: FindSkillAnswer,
  responses: { 200: "Skills, best first" },
  run: findSkill,
});

export async function readSkill(
  { store }: Services,
  _owner: OwnerIds,
  { slug }: z.output<typeof ReadSkillInput>,
): Promise<OperationReply<Skill>> {
  const memory = await store.skills.find(slug);
  if (memory === null)
    throw failure("not_found", `Skill not found: ${slug}. Check the slug; find_skill lists them.`);
  return { status: 200, body: toSkill(memory) };
}

export const readSkillTool = defineTool({
  name: "read_skill",
  title: "Read a skill",
  description:
    "Read a skill to follow it: prerequisites, steps, common errors with their fixes, and exit criteria.",
  scope: "read",
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  ownerInput: NoScope,
  input: ReadSkillInput,
  output: Skill,
  responses: { 200: "The skill" },
  run: readSkill,
});

export async function saveSkill(
  services: Services,
  _owner: OwnerIds,
  { slug, ...fields }: z.output<typeof SaveSkillInput>,
): Promise<OperationReply<Skill>> {
  const { skill, created } = await putSkill(services, slug, fields);
  return { status: created ? 201 : 200, body: skill };
}

export const saveSkillTool = defineTool({
  name: "save_skill",
  title: "Save a skill",
  description:
    "Save a procedure as a skill: prerequisites, steps, common errors, exit criteria. Saving an existing slug creates a " +
    "new version; earlier versions stay in its history.",
  scope: "write",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  ownerInput: NoScope,
  input: SaveSkillInput,
  output: Skill,
  responses: { 200: "The skill, updated", 201: "The new skill" },
  run: saveSkill,
});

/** The stored skill, and whether it is new. */
export type SavedSkill = { skill: Skill; created: boolean };

/** Stores a skill under its slug. An identical version changes nothing. */
export async function putSkill(
  { store, indexing, now, later }: Services,
  slug: string,
  fields: SkillFields,
): Promise<SavedSkill> {
  const body = unwrap(checkSkillSize(renderSkillMarkdown(fields)));
  const { memory, before } = await store.skills.write(
    toSkillMemory(slug, fields, body, new Date(now()).toISOString()),
  );
  if (memory !== before) later(indexing.wake());
  return { skill: toSkill(memory), created: before === null };
}

/** Parses a skill sent as Markdown. */
export function parseSkill(markdown: string): Result<SkillFields> {
  const bounded = checkSkillSize(markdown);
  return bounded.ok ? parseSkillMarkdown(bounded.value) : bounded;
}

function checkSkillSize(markdown: string): Result<string> {
  const bytes = countUtf8Bytes(markdown);
  if (bytes <= EXPERIENCE.skillBytes) return ok(markdown);
  const message = `must be at most ${EXPERIENCE.skillBytes} bytes as Markdown, is ${bytes}: shorten it`;
  return fail("invalid_request", `The skill ${message}.`, { errors: [{ path: "", message }] });
}

/** Skills have no session, agent or project: they are shared by the whole tenant. */
function toSkillMemory(
  slug: string,
  { name, description }: SkillFields,
  body: string,
  timestamp: string,
): SkillVersion {
  return {
    type: "skill",
    content: clip(description === "" ? name : `${name}: ${description}`, LIMITS.contentChars),
    confidence: 1,
    importance: EXPERIENCE.defaultImportance,
    source_type: "agent",
    rationale: null,
    session_id: null,
    agent_id: null,
    project_id: null,
    topic_key: toSkillTopicKey(slug),
    timestamp,
    valid_from: null,
    evidence: [],
    properties: { skillName: [name], skillBody: [body] },
  };
}

/** Returns the skill stored in a memory. */
export function toSkill(memory: Memory): Skill {
  return {
    slug: getSkillSlug(memory),
    ...unwrap(parseSkillMarkdown(getSkillBody(memory))),
    memory_id: memory.id,
    importance: memory.importance,
    usage_count: memory.access_count,
    last_used: memory.access_count === 0 ? null : memory.last_accessed,
    updated_at: memory.timestamp,
  };
}
