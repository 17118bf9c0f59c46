// Skills: find_skill, read_skill, save_skill. A skill is a memory whose body is Markdown, with front matter if it has
// fields that need it; its JSON is parsed from that.
// It belongs to a project or applies to all; a project's own comes before one of the same slug that applies to all.

import { resolveOwner } from "../../calls/call-access";
import { defineTool, type OperationReply } from "../../calls/tool";
import { type Access, isBound } from "../../kernel/access";
import { countUtf8Bytes, NoScope, OptionalSession, type z } from "../../kernel/common";
import { fail, failure, invalidField, ok, type Result, unwrap } from "../../kernel/errors";
import { EXPERIENCE, LIMITS } from "../../kernel/limits";
import type { Page } from "../../kernel/store-context";
import { clip } from "../../language/normalise-text";
import type { Memory } from "../../memories/memory-schemas";
import { fromMemoryRow, type MemoryRow } from "../../memories/store/memory-mapping";
import { findWithPendingUsage, withPendingUsage } from "../../memories/usage/count-recall";
import { PROMPT_RECALL } from "../../recall/search/search";
import type { Services } from "../../services/services";
import { needsFrontMatter, parseSkillFile, renderSkillFile, toFreeSkill } from "./skill-file";
import { renderSkillMarkdown } from "./skill-markdown";
import { getSkillBody, getSkillSlug, type SkillVersion, toSkillTopicKey } from "./skill-repository";
import {
  FindSkillAnswer,
  FindSkillInput,
  ReadSkillInput,
  SaveSkillInput,
  Skill,
  type SkillFields,
  type StoredSkill,
} from "./skill-schemas";

async function findSkill(
  services: Services,
  { owner }: Access,
  { query, limit, project_id }: z.output<typeof FindSkillInput>,
): Promise<OperationReply<z.output<typeof FindSkillAnswer>>> {
  const { search, store } = services;
  const projectId = project_id ?? (await resolveOwner(services, owner)).project_id;
  // A memory of this type that belongs to a session, a user or an agent is not a skill.
  const scope = { kind: "project" as const, id: projectId ?? "", shared: true as const };
  const wanted = { ...PROMPT_RECALL, type: "skill" as const, min_confidence: 0, query, limit };
  const { hits, rows } = await search.recall(scope, wanted);
  const memories = rows.map((row) => fromMemoryRow(row as MemoryRow));
  const own =
    projectId === null
      ? new Set()
      : await store.skills.listTopicKeys(
          projectId,
          memories.flatMap(({ topic_key }) => topic_key ?? []),
        );
  const skills = memories.flatMap((memory, i) => {
    if (memory.project_id === null && own.has(memory.topic_key)) return [];
    const { slug, name, description, memory_id, usage_count } = toSkill(memory);
    return [{ slug, name, description, memory_id, usage_count, score: hits[i]?.score ?? 0 }];
  });
  return { status: 200, body: { count: skills.length, skills } };
}

export const findSkillTool = defineTool({
  name: "find_skill",
  title: "Find a skill",
  description:
    "Find skills, which are documented procedures, by the task at hand. Then read the one that fits with read_skill.",
  scope: "read",
  capability: "CanQueryMemory",
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  ownerInput: OptionalSession,
  input: FindSkillInput,
  output: FindSkillAnswer,
  responses: { 200: "Skills, best first" },
  run: findSkill,
});

async function readSkill(
  services: Services,
  { owner }: Access,
  { slug, project_id }: z.output<typeof ReadSkillInput>,
): Promise<OperationReply<Skill>> {
  const projectId = project_id ?? (await resolveOwner(services, owner)).project_id;
  const memory = await findWithPendingUsage(
    services,
    services.store.skills.find(slug, { project_id: projectId, shared: true }),
  );
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
  capability: "CanQueryMemory",
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  ownerInput: OptionalSession,
  input: ReadSkillInput,
  output: Skill,
  responses: { 200: "The skill" },
  run: readSkill,
});

export async function saveSkill(
  services: Services,
  _access: Access,
  { slug, project_id = null, ...fields }: z.output<typeof SaveSkillInput>,
): Promise<OperationReply<Skill>> {
  const { skill, created } = await putSkill(services, { slug, project_id }, fields);
  return { status: created ? 201 : 200, body: skill };
}

export const saveSkillTool = defineTool({
  name: "save_skill",
  title: "Save a skill",
  description:
    "Save a procedure as a skill: prerequisites, steps, common errors, exit criteria. Saving an existing slug creates a " +
    "new version; earlier versions stay in its history.",
  scope: "write",
  quota: ["memories", "bytes"],
  capability: "CanWriteMemory",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  ownerInput: NoScope,
  input: SaveSkillInput,
  output: Skill,
  responses: { 200: "The skill, updated", 201: "The new skill" },
  run: saveSkill,
});

/** The stored skill, and whether it is new. */
export type SavedSkill = { skill: StoredSkill; created: boolean };

/** Where a skill is stored: its slug, and its project; null applies to all projects. */
type SkillAddress = { slug: string; project_id: string | null };

/** Stores a skill under its slug. An identical version changes nothing. */
export async function putSkill(
  { store, indexing, usageLog, now, later, gate }: Services,
  address: SkillAddress,
  given: SkillFields,
  derivedFrom: string | null = null,
): Promise<SavedSkill> {
  unwrap(checkSkillContent(given));
  // Before Markdown escapes it: an escaped value may have lost its shape.
  const fields = gate.clean(given, address.project_id);
  const body = unwrap(checkSkillSize(renderSkillBody(address.slug, fields)));
  // Masks may have made a field longer than a SKILL.md may have it.
  unwrap(parseSkillFile(body));
  const version = toSkillMemory(address, fields, body, new Date(now()).toISOString());
  const evidence = derivedFrom === null ? [] : [derivedFrom];
  // A version inherits the counts of the one before.
  await usageLog.flush();
  const { memory, before } = await store.skills.write({ ...version, evidence });
  if (memory !== before) later(indexing.wake());
  return { skill: toSkill(memory), created: before === null };
}

/** Reads a skill: the project's own, else the one that applies to all projects, which a bound key does not have. */
export function findSkillMemory(
  services: Services,
  { slug, project_id }: SkillAddress,
): Promise<Memory | null> {
  const { store, binding } = services;
  return findWithPendingUsage(services, store.skills.find(slug, { project_id, shared: !isBound(binding) }));
}

/** Returns skills, newest first: those that apply to all projects, those that apply to one, or all of the tenant. */
export async function listSkills(
  services: Services,
  { project_id, all_projects }: { project_id: string | null; all_projects: boolean },
  page: Page,
): Promise<StoredSkill[]> {
  const { store, binding } = services;
  const isWhole = all_projects && !isBound(binding);
  const owner = isWhole ? null : { project_id, shared: !isBound(binding) };
  return (await withPendingUsage(services, store.skills.list(owner, page))).map(toSkill);
}

/** Parses a skill sent as Markdown: the fields, with the slug of a SKILL.md. */
export function parseSkill(markdown: string): Result<SkillFields & { slug?: string }> {
  const bounded = checkSkillSize(markdown);
  if (!bounded.ok) return bounded;
  const parsed = parseSkillFile(bounded.value);
  if (!parsed.ok) return parsed;
  const { slug, fields } = parsed.value;
  return ok(slug === null ? fields : { ...fields, slug });
}

/** Renders the stored body. Skills without fields of the standard need no front matter. */
function renderSkillBody(slug: string, fields: SkillFields): string {
  return needsFrontMatter(fields) ? renderSkillFile({ ...fields, slug }) : renderSkillMarkdown(fields);
}

/** A skill has steps with their sections, or instructions. */
function checkSkillContent(skill: SkillFields): Result<SkillFields> {
  const { instructions, steps, prerequisites, common_errors, exit_criteria, example_usage } = skill;
  if (instructions === undefined && steps.length === 0)
    return invalidField("steps", "must have at least one step, unless there are instructions");
  const sections = [...steps, ...prerequisites, ...common_errors, ...exit_criteria, example_usage ?? []];
  if (instructions !== undefined && sections.flat().length > 0)
    return invalidField(
      "instructions",
      "cannot stand beside steps and other sections: put them into the instructions, or leave these out",
    );
  return ok(skill);
}

function checkSkillSize(markdown: string): Result<string> {
  const bytes = countUtf8Bytes(markdown);
  if (bytes <= EXPERIENCE.skillBytes) return ok(markdown);
  const message = `must be at most ${EXPERIENCE.skillBytes} bytes as Markdown, is ${bytes}: shorten it`;
  return fail("invalid_request", `The skill ${message}.`, { errors: [{ path: "", message }] });
}

/** Skills have no session and no agent: they are shared by a project or by the whole tenant. */
function toSkillMemory(
  { slug, project_id }: SkillAddress,
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
    project_id,
    topic_key: toSkillTopicKey(slug),
    timestamp,
    valid_from: null,
    evidence: [],
    properties: { skillName: [name], skillBody: [body] },
  };
}

/** Returns the skill stored in a memory. A body that cannot be parsed is its instructions, so that lists do not fail. */
export function toSkill(memory: Memory): StoredSkill {
  const slug = getSkillSlug(memory);
  const body = getSkillBody(memory);
  const parsed = parseSkillFile(body);
  return {
    slug,
    ...(parsed.ok ? parsed.value.fields : toFreeSkill(memory.properties.skillName?.[0] ?? slug, "", body)),
    project_id: memory.project_id,
    status: "active",
    derived_from: memory.evidence[0] ?? null,
    memory_id: memory.id,
    importance: memory.importance,
    usage_count: memory.access_count,
    last_used: memory.access_count === 0 ? null : memory.last_accessed,
    updated_at: memory.timestamp,
  };
}
