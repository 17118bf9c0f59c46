// MCP resources that a client can attach to a conversation: memories, skills and the continuity page of a session.

import {
  type ListResourcesResult,
  type ListResourceTemplatesResult,
  type ReadResourceResult,
  ResourceNotFoundError,
  UriTemplate,
} from "@modelcontextprotocol/server";
import { type Binding, isWithinBinding, toOwner } from "../domain/binding";
import { renderSkillMarkdown } from "../domain/experience/skills/skill-markdown";
import { decodeCursor, TimePosition, toPage } from "../http/pagination";
import { LIMITS } from "../limits";
import { requireOwnSession } from "../operations/bind-owner";
import { renderSessionContinuity } from "../operations/experience/read-continuity";
import type { Services } from "../operations/services";
import { toSkill } from "../operations/skill-operations";
import { FailureError } from "../platform/errors";
import { Id, type z } from "../schemas/common";
import type { Memory } from "../schemas/memory";
import { SkillSlug } from "../schemas/skill";
import { toMemoryView } from "../store/memories/memory-mapping";
import { getSkillSlug } from "../store/memories/skill-repository";
import { clip } from "../text/normalise-text";

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
  read: (services: Services, id: string) => Promise<string | null>;
  complete: (services: Services) => Promise<string[]>;
};

const MEMORY: Kind = {
  name: "memory",
  title: "A memory",
  description: "A long-term memory with its provenance, as JSON",
  mimeType: JSON_TYPE,
  uri: new UriTemplate("kioku://memories/{id}"),
  variable: "id",
  id: Id,
  async read({ store, binding }, id) {
    const memory = await store.memories.find(id);
    return memory === null || !isWithinBinding(binding, memory) ? null : JSON.stringify(toMemoryView(memory));
  },
  complete: listMemoryIds,
};

const SKILL: Kind = {
  name: "skill",
  title: "A skill",
  description: "Reusable instructions for a procedure",
  mimeType: MARKDOWN,
  uri: new UriTemplate("kioku://skills/{slug}"),
  variable: "slug",
  id: SkillSlug,
  async read({ store, binding }, slug) {
    const memory = await store.skills.find(slug);
    return memory === null || !isWithinBinding(binding, memory) ? null : renderSkillMarkdown(toSkill(memory));
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
  read: async (services, id) => {
    await requireOwnSession(services, services.binding, id);
    return renderSessionContinuity(services, id);
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
export async function listResources(
  { store, binding }: Services,
  cursor: string | undefined,
): Promise<ListResourcesResult> {
  const limit = LIMITS.pageMax;
  const memories = await store.memories.list(selectOwn(binding), {
    limit: limit + 1,
    after: decodeCursor(TimePosition, cursor),
  });
  const { data, next_cursor } = toPage(memories, limit, ({ timestamp, id }) => ({ timestamp, id }));
  return { resources: data.map(toResource), ...(next_cursor === null ? {} : { nextCursor: next_cursor }) };
}

function toResource(memory: Memory): ListResourcesResult["resources"][number] {
  const [{ uri, variable, mimeType }, id] =
    memory.type === "skill" ? [SKILL, getSkillSlug(memory)] : [MEMORY, memory.id];
  return {
    uri: uri.expand({ [variable]: id }),
    name: id,
    title: clip(memory.content, TITLE_CHARS),
    description: `${memory.type}, confidence ${memory.confidence}`,
    mimeType,
    annotations: { lastModified: memory.timestamp, priority: memory.importance },
  };
}

export async function readResource(services: Services, uri: string): Promise<ReadResourceResult> {
  for (const kind of KINDS) {
    const id = kind.id.safeParse(kind.uri.match(uri)?.[kind.variable]);
    const text = id.success ? await readText(services, kind, id.data) : null;
    if (text !== null) return { contents: [{ uri, mimeType: kind.mimeType, text }] };
  }
  throw new ResourceNotFoundError(uri);
}

async function readText(services: Services, kind: Kind, id: string): Promise<string | null> {
  try {
    return await kind.read(services, id);
  } catch (error) {
    if (error instanceof FailureError && error.failure.code === "not_found") return null;
    throw error;
  }
}

const NEWEST = { limit: LIMITS.pageMax, after: null };

/** Selects the live memories within a binding. */
function selectOwn(binding: Binding) {
  return { ...toOwner(binding), type: null, session_id: null, include_superseded: false };
}

export async function listMemoryIds({ store, binding }: Services): Promise<string[]> {
  return (await store.memories.list(selectOwn(binding), NEWEST)).map(({ id }) => id);
}

export async function listSkillSlugs({ store, binding }: Services): Promise<string[]> {
  const skills = await store.skills.list(NEWEST);
  return skills.filter((skill) => isWithinBinding(binding, skill)).map(getSkillSlug);
}

export async function listSessionIds({ store, binding }: Services): Promise<string[]> {
  return (await store.sessions.list({ ...toOwner(binding), status: null }, NEWEST)).map(({ id }) => id);
}
