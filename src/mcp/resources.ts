// MCP resources that a client can attach to a conversation: memories, skills and the continuity page of a session.

import {
  type ListResourcesResult,
  type ListResourceTemplatesResult,
  type ReadResourceResult,
  ResourceNotFoundError,
  UriTemplate,
} from "@modelcontextprotocol/server";
import { requireOwnSession } from "../calls/call-access";
import { renderSessionContinuity } from "../experience/briefing/read-continuity";
import { renderSkillFile } from "../experience/skills/skill-file";
import { toSkill } from "../experience/skills/skill-operations";
import { getSkillSlug, type SkillFilter } from "../experience/skills/skill-repository";
import { SkillSlug } from "../experience/skills/skill-schemas";
import { decodeCursor, TimePosition, toPage } from "../http/pagination";
import { isWithinBinding, toOwner } from "../kernel/access";
import { Id, type z } from "../kernel/common";
import { FailureError, failure } from "../kernel/errors";
import { LIMITS } from "../kernel/limits";
import { clip, toSingleLine } from "../language/normalise-text";
import { hideRelations } from "../memories/check-relations";
import type { Memory } from "../memories/memory-schemas";
import { toMemoryView } from "../memories/store/memory-mapping";
import { findWithPendingUsage } from "../memories/usage/count-recall";
import { renderSourceLabel } from "../trust/source-rank";
import type { McpView } from "./mcp-access";

const JSON_TYPE = "application/json";
const MARKDOWN = "text/markdown";
/** Fits on one line of a list of resources. */
const TITLE_CHARS = 80;

type Kind = {
  name: string;
  title: string;
  description: string;
  mimeType: string;
  uri: UriTemplate;
  variable: string;
  id: z.ZodType<string>;
  /** Returns the resource's text; null if it does not exist. */
  read: (view: McpView, id: string) => Promise<string | null>;
  complete: (view: McpView) => Promise<string[]>;
};

const MEMORY: Kind = {
  name: "memory",
  title: "A memory",
  description: "A long-term memory with its provenance, as JSON",
  mimeType: JSON_TYPE,
  uri: new UriTemplate("kioku://memories/{id}"),
  variable: "id",
  id: Id,
  async read(view, id) {
    const memory = await findWithPendingUsage(view.services, view.services.store.memories.find(id));
    if (memory === null || !isInView(view, memory)) return null;
    const [shown = memory] = await hideRelations(view.services, [memory]);
    return JSON.stringify(toMemoryView(shown));
  },
  complete: listMemoryIds,
};

const SKILL: Kind = {
  name: "skill",
  title: "A skill",
  description: "Reusable instructions for a procedure, as SKILL.md",
  mimeType: MARKDOWN,
  uri: new UriTemplate("kioku://skills/{slug}"),
  variable: "slug",
  id: SkillSlug,
  async read(view, slug) {
    const memory = await view.services.store.skills.find(slug, getSkillFilter(view));
    return memory === null || !isInView(view, memory) ? null : renderSkillFile(toSkill(memory));
  },
  complete: listSkillSlugs,
};

const CONTINUITY: Kind = {
  name: "continuity",
  title: "Continuity of a session",
  description:
    "Read a session's working memory as a page: current work, relevant memories, mistakes to avoid",
  mimeType: MARKDOWN,
  uri: new UriTemplate("kioku://sessions/{id}/continuity"),
  variable: "id",
  id: Id,
  read: async (view, id) => {
    await requireSessionInView(view, id);
    return (await renderSessionContinuity(view.services, id)).markdown;
  },
  complete: listSessionIds,
};

const KINDS: readonly Kind[] = [MEMORY, SKILL, CONTINUITY];

/** Returns the completion of a template's variable. */
export function findResourceCompletion(uri: string, variable: string) {
  return KINDS.find((kind) => `${kind.uri}` === uri && kind.variable === variable)?.complete;
}

export function listResourceTemplates(): ListResourceTemplatesResult {
  return {
    resourceTemplates: KINDS.map(({ name, title, description, mimeType, uri }) => ({
      name,
      title,
      description,
      mimeType,
      uriTemplate: `${uri}`,
    })),
  };
}

/** Lists the newest live memories. A memory that contains a skill is listed as that skill. */
export async function listResources(view: McpView, cursor: string | undefined): Promise<ListResourcesResult> {
  const limit = LIMITS.pageMax;
  const memories = await view.services.store.memories.list(selectMemories(view), {
    limit: limit + 1,
    after: decodeCursor(TimePosition, cursor),
  });
  const { data, next_cursor } = toPage(memories, limit, ({ timestamp, id }) => ({ timestamp, id }));
  const resources = data.map((memory) => toResource(view, memory));
  return { resources, ...(next_cursor === null ? {} : { nextCursor: next_cursor }) };
}

function toResource(view: McpView, memory: Memory): ListResourcesResult["resources"][number] {
  const isSkill = memory.type === "skill" && memory.project_id === getSkillFilter(view).project_id;
  const [{ uri, variable, mimeType }, id] = isSkill ? [SKILL, getSkillSlug(memory)] : [MEMORY, memory.id];
  return {
    uri: uri.expand({ [variable]: id }),
    name: id,
    title: clip(toSingleLine(memory.content), TITLE_CHARS),
    description: `${renderSourceLabel(memory.source_type)}${memory.type}, confidence ${memory.confidence}`,
    mimeType,
    annotations: { lastModified: memory.timestamp, priority: memory.importance },
  };
}

export async function readResource(view: McpView, uri: string): Promise<ReadResourceResult> {
  for (const kind of KINDS) {
    const id = kind.id.safeParse(kind.uri.match(uri)?.[kind.variable]);
    const text = id.success ? await readText(view, kind, id.data) : null;
    if (text !== null) return { contents: [{ uri, mimeType: kind.mimeType, text }] };
  }
  throw new ResourceNotFoundError(uri);
}

async function readText(view: McpView, kind: Kind, id: string): Promise<string | null> {
  try {
    return await kind.read(view, id);
  } catch (error) {
    if (error instanceof FailureError && error.failure.code === "not_found") return null;
    throw error;
  }
}

const NEWEST = { limit: LIMITS.pageMax, after: null };

/** Selects the live memories that the client sees. */
function selectMemories({ services: { binding }, memoriesOf }: McpView) {
  return { ...toOwner(binding), type: null, session_id: memoriesOf, include_superseded: false };
}

function isInView({ services: { binding }, memoriesOf }: McpView, memory: Memory): boolean {
  return isWithinBinding(binding, memory) && (memoriesOf === null || memory.session_id === memoriesOf);
}

/** A URI names a skill that applies to all projects, or one of the project that the client is limited to. */
function getSkillFilter({ services: { binding } }: McpView): SkillFilter {
  return { project_id: binding.project_id ?? null, shared: true };
}

/** Throws if the session is not one that the client sees. */
export async function requireSessionInView({ services, session }: McpView, id: string): Promise<void> {
  if (session !== null && session !== id) throw failure("not_found", `Session not found: ${id}.`);
  await requireOwnSession(services, services.binding, id);
}

async function listMemoryIds(view: McpView): Promise<string[]> {
  return (await view.services.store.memories.list(selectMemories(view), NEWEST)).map(({ id }) => id);
}

async function listSkillSlugs(view: McpView): Promise<string[]> {
  const skills = await view.services.store.skills.list(getSkillFilter(view), NEWEST);
  return skills.filter((skill) => isInView(view, skill)).map(getSkillSlug);
}

export async function listSessionIds({ services, session }: McpView): Promise<string[]> {
  if (session !== null) return [session];
  const { store, binding } = services;
  return (await store.sessions.list({ ...toOwner(binding), status: null, phase: null }, NEWEST)).map(
    ({ id }) => id,
  );
}
